"""Uncertainty, the same way for every method: cluster variance, t, Wald, Wilson and bootstrap
intervals, t-tests.

Belongs here: METHODS 0.3, and the interval of a share of METHODS 4. Does not: families of tests (`holm`), nor any
statistic that an interval is put around, but for the mean of independent units (`one_sample_t`).

A cluster is a value of the declared independent unit. `psi` are the linear contributions of the
judgments (or their sums within cells of all cluster dimensions) to the error of an estimate; they sum to 0.
"""

import hashlib
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.dense_codes import dense_codes
from juryline.estimators.quantity import Interval, Quantity, Test

Bounds = tuple[float | None, float | None]
UNBOUNDED: Bounds = (None, None)
UNIT_BOUNDS: Bounds = (0.0, 1.0)

RELATIVE_TOLERANCE = 1e-9  # of the scale's range: what rounding of answers can reach and no answer means (METHODS 0.5)
FEW_CLUSTERS = 10
MOST_FAILED_ROUNDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterVariance:
    """Variance of an estimate over clusters; two-way counts are those of the smaller dimension.

    `variance` is None with fewer than two clusters and exactly 0.0 where the clusters do not differ. `satterthwaite`
    are the degrees of freedom where variances of several samples were added (Welch 1947); else they are clusters - 1.
    """

    variance: float | None
    n_clusters: int
    satterthwaite: float | None = None

    @property
    def df(self) -> float:
        return self.n_clusters - 1 if self.satterthwaite is None else self.satterthwaite


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """One bootstrap over the clusters of one way: the variance from its rounds with a value, all rounds, those without.

    With fewer than two clusters there are no rounds.
    """

    variance: ClusterVariance
    n_boot: int
    n_failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSampleTResult:
    """Mean of independent units with its t interval, its t-test and their standard deviation."""

    mean: Quantity
    interval: Interval
    test: Test
    sd: Quantity
    n_units: int


def cluster_variance(psi: np.ndarray, clusters: tuple[np.ndarray, ...], *, scale_range: float = 1.0) -> ClusterVariance:
    """Variance of an estimate from its linear contributions, clustered one way or two ways.

    Parameters
    ----------
    psi : ndarray of float, shape (n,)
        Contributions to the error of the estimate, in its unit, in the order of a unique key.
    clusters : tuple of one or two ndarray of int, shape (n,)
        Cluster of each contribution in each dimension.
    scale_range : float
        Range of the estimate's scale, against which a variance counts as zero.

    Returns
    -------
    ClusterVariance
        `variance` None: fewer than two clusters in a dimension.

    Raises
    ------
    ValueError
        No or more than two dimensions, unequal lengths, no contributions, or numbers that are not finite.

    Notes
    -----
    One way V = G/(G-1) sum_g (sum_{k in g} psi_k)^2. Two ways V = max(V_1 + V_2 - V_cell, V_1, V_2),
    df = min(G_1, G_2) - 1: on sparse designs the difference alone is too small.

    References
    ----------
    Liang and Zeger 1986; Cameron, Gelbach and Miller 2011.
    """
    psi = np.asarray(psi, dtype=float)
    if len(clusters) not in (1, 2):
        raise ValueError(f"clusters has {len(clusters)} dimensions: one or two")
    if psi.ndim != 1 or not len(psi) or any(len(codes) != len(psi) for codes in clusters):
        raise ValueError("psi and clusters must be of one length, at least 1")
    if not np.isfinite(psi).all():
        raise ValueError("psi must be finite")
    dense = [dense_codes(np.asarray(codes)) for codes in clusters]
    if len(dense) == 1:
        return _one_way(psi, dense[0], scale_range)
    first, second = dense
    cell = dense_codes(first.astype(np.int64) * (int(second.max()) + 1) + second)
    return two_way(*(_one_way(psi, codes, scale_range) for codes in (first, second, cell)))


def two_way(first: ClusterVariance, second: ClusterVariance, cell: ClusterVariance) -> ClusterVariance:
    """Combine the variances over each dimension and over their cells into the two-way variance."""
    n_clusters = min(first.n_clusters, second.n_clusters)
    if first.variance is None or second.variance is None or cell.variance is None:
        return ClusterVariance(variance=None, n_clusters=n_clusters)
    difference = first.variance + second.variance - cell.variance
    return ClusterVariance(variance=max(difference, first.variance, second.variance), n_clusters=n_clusters)


def added(first: ClusterVariance, second: ClusterVariance) -> ClusterVariance:
    """Variance of the sum or difference of two independent estimates, with Welch's degrees of freedom.

    Returns
    -------
    ClusterVariance
        `variance` None: one of the two has none. `n_clusters` is the smaller.

    Notes
    -----
    V = V_1 + V_2, df = V^2 / (V_1^2/df_1 + V_2^2/df_2).

    References
    ----------
    Welch 1947.
    """
    n_clusters = min(first.n_clusters, second.n_clusters)
    if first.variance is None or second.variance is None:
        return ClusterVariance(variance=None, n_clusters=n_clusters)
    whole = first.variance + second.variance
    if not whole:
        return ClusterVariance(variance=0.0, n_clusters=n_clusters)
    df = whole**2 / (first.variance**2 / first.df + second.variance**2 / second.df)
    return ClusterVariance(variance=whole, n_clusters=n_clusters, satterthwaite=df)


def t_interval(
    estimate: float, variance: ClusterVariance, *, level: float, bounds: Bounds = UNBOUNDED, method: str = "cluster_t"
) -> Interval:
    """t interval of an estimate, clipped to the bounds of its statistic.

    Returns
    -------
    Interval
        insufficient, one_cluster: fewer than two clusters. degenerate, zero_variance: the clusters do
        not differ. ok with few_clusters: fewer than ten.
    """
    if variance.variance is None:
        return _no_interval(Status.INSUFFICIENT, Reason.ONE_CLUSTER, variance, level, method)
    if variance.variance == 0:
        return _no_interval(Status.DEGENERATE, Reason.ZERO_VARIANCE, variance, level, method)
    std_error = math.sqrt(variance.variance)
    half = t_quantile(level, variance.df) * std_error
    return Interval(
        status=Status.OK,
        level=level,
        method=method,
        low=_clip(float(estimate - half), bounds),
        high=_clip(float(estimate + half), bounds),
        std_error=std_error,
        df=variance.df,
        n_clusters=variance.n_clusters,
        reason=_few(variance.n_clusters),
    )


def wald_interval(estimate: float, std_error: float, n_clusters: int, *, level: float) -> Interval:
    """Interval of an estimate whose error a likelihood says, by the normal distribution.

    Parameters
    ----------
    std_error : float
        Positive, of the estimate.
    n_clusters : int
        Units that the likelihood takes as independent.

    Returns
    -------
    Interval
        ok with few_clusters: fewer than ten, where the normal distribution is far from what it stands for.
    """
    half = _normal_quantile(level) * std_error
    return Interval(
        status=Status.OK,
        level=level,
        method="wald",
        low=float(estimate - half),
        high=float(estimate + half),
        std_error=std_error,
        n_clusters=n_clusters,
        reason=_few(n_clusters),
    )


def t_test(estimate: float, null_value: float, variance: ClusterVariance) -> Test:
    """Two-sided t-test of an estimate against a null value, df = clusters - 1.

    Returns
    -------
    Test
        insufficient, too_few_units: fewer than two clusters. degenerate, zero_variance: the clusters do not
        differ, so that no t exists, whatever the estimate.
    """
    if variance.variance is None:
        return Test(statistic=Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_UNITS), null_value=null_value)
    if variance.variance == 0:
        return Test(statistic=Quantity.missing(Status.DEGENERATE, Reason.ZERO_VARIANCE), null_value=null_value)
    t = float(estimate - null_value) / math.sqrt(variance.variance)
    return Test(statistic=Quantity.of(t), null_value=null_value, df=variance.df, p_value=two_sided_p(t, variance.df))


def one_sample_t(
    values: np.ndarray, null_value: float, *, level: float, scale_range: float, bounds: Bounds = UNBOUNDED
) -> OneSampleTResult:
    """Mean of independent units, its t interval and its t-test against a null value.

    Parameters
    ----------
    values : ndarray of float, shape (n_units,)
        One number a unit.
    null_value : float
        Mean under the null hypothesis.
    level : float
        Confidence of the interval, in (0, 1).
    scale_range : float
        Largest minus smallest possible value; units that differ by less than 1e-9 of it do not differ.
    bounds : tuple of float or None
        Smallest and largest possible mean.

    Returns
    -------
    OneSampleTResult
        insufficient, no_judgments or too_few_units: fewer than two units. Units that do not differ have a mean;
        their interval and test are degenerate, zero_variance.

    Raises
    ------
    ValueError
        Values that are not finite, or a scale without range.

    Notes
    -----
    t = (mean - null)/(s/sqrt n), df n - 1, s with ddof 1. Sums are exactly rounded: the order of units changes nothing.
    """
    values = np.asarray(values, dtype=float)
    if not np.isfinite(values).all():
        raise ValueError("values must be finite")
    if not scale_range > 0:
        raise ValueError(f"scale_range is {scale_range}: must be positive")
    n = len(values)
    if n < 2:
        none = Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_UNITS if n else Reason.NO_JUDGMENTS)
        variance = ClusterVariance(variance=None, n_clusters=n)
        return OneSampleTResult(
            mean=none,
            interval=t_interval(0.0, variance, level=level, method="t"),
            test=Test(statistic=none, null_value=null_value),
            sd=none,
            n_units=n,
        )
    mean = exact_mean(values)
    squares = 0.0 if is_constant(values, scale_range) else math.fsum((values - mean) ** 2)
    variance = ClusterVariance(variance=squares / (n - 1) / n, n_clusters=n)
    return OneSampleTResult(
        mean=Quantity.of(mean),
        interval=t_interval(mean, variance, level=level, bounds=bounds, method="t"),
        test=t_test(mean, null_value, variance),
        sd=Quantity.of(math.sqrt(squares / (n - 1))),
        n_units=n,
    )


def sign_test(hits: int, n: int) -> Test:
    """Exact two-sided binomial test of a share of independent judgments against one half.

    Parameters
    ----------
    hits, n : int
        Judgments that are hits, of n >= 1.

    Notes
    -----
    p = min(1, 2 P(X <= min(k, n - k))) with X ~ Binomial(n, 1/2). The statistic (2k - n)/sqrt n orders outcomes as p
    does; it has no degrees of freedom.
    """
    from scipy.special import bdtr

    if not (n >= 1 and 0 <= hits <= n):
        raise ValueError(f"{hits} hits of {n}: must be 0 to n, of at least 1")
    p = min(1.0, 2 * float(bdtr(min(hits, n - hits), n, 0.5)))
    return Test(
        statistic=Quantity.of((2 * hits - n) / math.sqrt(n)),
        null_value=0.5,
        p_value=max(p, sys.float_info.min),
    )


def wilson_effective(
    share: float, n: int, variance: ClusterVariance, *, level: float, spread: float | None = None
) -> Interval:
    """Wilson interval of a share, with the effective number of judgments that the clusters leave.

    Parameters
    ----------
    share : float
        Share p in [0, 1] among n judgments.
    n : int
        Judgments, not clusters.
    variance : ClusterVariance
        Of the share, with psi = (w_k - p)/n.
    spread : float, optional
        Mean of (w_k - p)^2, where judgments can be worth something between 0 and 1, as ties that count half are.

    Returns
    -------
    Interval
        insufficient, one_cluster: fewer than two clusters. ok with few_clusters: fewer than ten.

    Notes
    -----
    n_e = p(1-p)/V, or G where p is 0 or 1; n* = min(n_i, n_e (z/t_{G-1})^2); Wilson(p, n*) with z: never narrower than
    that of independent judgments, of which n_i = n p(1-p)/s^2 hits or misses say as much as n judgments of spread s^2:
    n, where all are hits or misses. The adjustment for few clusters comes before the bound: after it, it would widen
    also what the bound has widened already (98 % at ten clusters that hardly differ). Where every cluster has one
    judgment, or clusters do not differ: Wilson(p, n_i).

    References
    ----------
    Wilson 1927; Korn and Graubard 1998.
    """
    if not (n >= 1 and 0 <= share <= 1):
        raise ValueError(f"share {share} of {n}: must be in [0, 1], of at least 1")
    share = float(share)
    method = "wilson" if variance.n_clusters == n else "wilson_effective"
    if variance.variance is None:
        return _no_interval(Status.INSUFFICIENT, Reason.ONE_CLUSTER, variance, level, method)
    z = _normal_quantile(level)
    size = float(n)
    if spread is not None and spread > RELATIVE_TOLERANCE:
        size = n * share * (1 - share) / spread
    if variance.n_clusters != n:
        size = min(size, _effective_size(share, variance) * (z / t_quantile(level, variance.df)) ** 2)
    low, high = _wilson(share, size, z)
    return Interval(
        status=Status.OK,
        level=level,
        method=method,
        low=low,
        high=high,
        std_error=math.sqrt(variance.variance) or None,
        df=variance.df,
        n_clusters=variance.n_clusters,
        reason=_few(variance.n_clusters),
    )


def bootstrap_variance(rounds: np.ndarray, n_clusters: int, *, scale_range: float = 1.0) -> ClusterVariance:
    """Variance of an estimate from bootstrap rounds that resampled whole clusters: G/(G-1) var(rounds)."""
    if n_clusters < 2 or len(rounds) < 2:
        return ClusterVariance(variance=None, n_clusters=n_clusters)
    if is_constant(rounds, scale_range):
        return ClusterVariance(variance=0.0, n_clusters=n_clusters)
    spread = float(np.var(rounds, ddof=1))
    return ClusterVariance(variance=n_clusters / (n_clusters - 1) * spread, n_clusters=n_clusters)


def bootstrap_interval(
    estimate: float,
    rounds: np.ndarray,
    n_failed: int,
    n_clusters: int,
    *,
    level: float,
    seed: int,
    bounds: Bounds = UNBOUNDED,
    percentile: bool = False,
) -> Interval:
    """Interval of an estimate from bootstrap rounds that resampled whole clusters, one way.

    Parameters
    ----------
    rounds : ndarray of float, shape (n_boot - n_failed,)
        The statistic in every round in which it has a value.
    n_failed : int
        Rounds in which it has none.
    percentile : bool
        Percentiles of the rounds, where declared, instead of estimate +- t_{G-1} SE.

    Returns
    -------
    Interval
        insufficient, one_cluster: fewer than two clusters. not_estimable, bootstrap_rounds_failed: more than 5 % of
        rounds without a value. degenerate, zero_variance: all rounds equal. ok with few_clusters: fewer than ten.
    """
    rounds = np.asarray(rounds, dtype=float)
    if not np.isfinite(rounds).all():
        raise ValueError("rounds must be finite: count those without a value in n_failed")
    method = "bootstrap_percentile" if percentile else "bootstrap_t"
    way = Rounds(variance=bootstrap_variance(rounds, n_clusters), n_boot=len(rounds) + n_failed, n_failed=n_failed)
    interval = interval_of_rounds(estimate, [way], level=level, seed=seed, bounds=bounds, method=method)
    if percentile and interval.status is Status.OK:
        low, high = np.quantile(rounds, [(1 - level) / 2, (1 + level) / 2])
        return replace(interval, low=float(low), high=float(high))
    return interval


def interval_of_rounds(
    estimate: float,
    ways: Sequence[Rounds],
    *,
    level: float,
    seed: int,
    bounds: Bounds = UNBOUNDED,
    method: str = "bootstrap_t",
) -> Interval:
    """t interval of an estimate from the rounds of a bootstrap, or, two-way, of three that are combined.

    Parameters
    ----------
    ways : sequence of one or three Rounds
        Over the clusters; two-way, over each dimension and over their cells.

    Returns
    -------
    Interval
        As `bootstrap_interval`; rounds that fail in any way count. `n_boot` and `n_boot_failed` are over all ways.
    """
    variance = ways[0].variance if len(ways) == 1 else two_way(*(way.variance for way in ways))
    if any(way.n_failed > MOST_FAILED_ROUNDS * way.n_boot for way in ways):
        interval = _no_interval(Status.NOT_ESTIMABLE, Reason.BOOTSTRAP_ROUNDS_FAILED, variance, level, method)
    else:
        interval = t_interval(estimate, variance, level=level, bounds=bounds, method=method)
    return replace(
        interval,
        n_boot=sum(way.n_boot for way in ways),
        n_boot_failed=sum(way.n_failed for way in ways),
        seed=seed,
    )


def round_generator(seed: int, analysis: str, round: int) -> np.random.Generator:
    """The random stream of one bootstrap round of one analysis, whatever ran before it and on how many threads."""
    key = int.from_bytes(hashlib.sha256(f"{seed}/{analysis}".encode()).digest()[:16], "big")
    return np.random.Generator(np.random.Philox(key=key, counter=round << 128))


def is_constant(values: np.ndarray, scale_range: float) -> bool:
    """Whether values do not differ, but for what rounding can do: max - min <= 1e-9 of the scale's range."""
    return bool(np.ptp(values) <= RELATIVE_TOLERANCE * scale_range)


def exact_mean(values: np.ndarray) -> float:
    """Mean with an exactly rounded sum: the same in any order, and 0.7 for a hundred times 0.7."""
    return math.fsum(values) / len(values)


@cache
def t_quantile(level: float, df: float) -> float:
    """Half-width, in standard errors, of a two-sided t interval."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def two_sided_p(t: float, df: float) -> float:
    """P(|T_df| >= |t|)."""
    return min(1.0, 2 * lower_tail_p(-abs(t), df))


def lower_tail_p(t: float, df: float) -> float:
    """P(T_df <= t). Never 0: what a double cannot tell from 0 is its smallest normal number."""
    from scipy.special import stdtr

    return max(float(stdtr(df, t)), sys.float_info.min)


def _one_way(psi: np.ndarray, codes: np.ndarray, scale_range: float) -> ClusterVariance:
    sums = np.bincount(codes, weights=psi)
    n_clusters = len(sums)
    if n_clusters < 2:
        return ClusterVariance(variance=None, n_clusters=n_clusters)
    # With clusters of one size a sum is (cluster mean - mean)/G: this is `is_constant` of the cluster means.
    if is_constant(sums, scale_range / n_clusters):
        return ClusterVariance(variance=0.0, n_clusters=n_clusters)
    return ClusterVariance(variance=n_clusters / (n_clusters - 1) * math.fsum(sums**2), n_clusters=n_clusters)


def _effective_size(share: float, variance: ClusterVariance) -> float:
    if share in (0.0, 1.0):
        return variance.n_clusters
    return share * (1 - share) / variance.variance if variance.variance else math.inf


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    centre = share + z**2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    # Rounding can put the end that is exactly 0 or 1 a hair outside, or inside, the unit interval.
    low = 0.0 if share == 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if share == 1 else min(1.0, (centre + half) / scale)
    return low, high


def _normal_quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def _no_interval(status: Status, reason: Reason, variance: ClusterVariance, level: float, method: str) -> Interval:
    return Interval(status=status, level=level, method=method, n_clusters=variance.n_clusters, reason=(reason,))


def _few(n_clusters: int) -> tuple[Reason, ...]:
    return (Reason.FEW_CLUSTERS,) if n_clusters < FEW_CLUSTERS else ()


def _clip(end: float, bounds: Bounds) -> float:
    low, high = bounds
    if low is not None:
        end = max(end, low)
    return end if high is None else min(end, high)
