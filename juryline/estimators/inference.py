"""t and Wald intervals, t-tests and the sign test, the same way for every method.

Belongs here: METHODS 0.3 from the variance on, and the mean of independent units (`one_sample_t`). Does not: the
variance (`cluster_variance`), intervals of shares (`wilson`) and of bootstrap rounds (`bootstrap`), families of tests
(`holm`), nor any other statistic that an interval is put around.
"""

import math
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import ClusterVariance, exact_mean, is_constant
from juryline.estimators.quantity import Interval, Quantity, Test

Bounds = tuple[float | None, float | None]
UNBOUNDED: Bounds = (None, None)
UNIT_BOUNDS: Bounds = (0.0, 1.0)
FEW_CLUSTERS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSampleTResult:
    """Mean of independent units with its t interval, its t-test and their standard deviation."""

    mean: Quantity
    interval: Interval
    test: Test
    sd: Quantity
    n_units: int


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
        return no_interval(Status.INSUFFICIENT, Reason.ONE_CLUSTER, variance, level, method)
    if variance.variance == 0:
        return no_interval(Status.DEGENERATE, Reason.ZERO_VARIANCE, variance, level, method)
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
        reason=few_clusters(variance.n_clusters),
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
    half = normal_quantile(level) * std_error
    return Interval(
        status=Status.OK,
        level=level,
        method="wald",
        low=float(estimate - half),
        high=float(estimate + half),
        std_error=std_error,
        n_clusters=n_clusters,
        reason=few_clusters(n_clusters),
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


def no_interval(status: Status, reason: Reason, variance: ClusterVariance, level: float, method: str) -> Interval:
    """An interval without ends, and why it has none."""
    return Interval(status=status, level=level, method=method, n_clusters=variance.n_clusters, reason=(reason,))


def few_clusters(n_clusters: int) -> tuple[Reason, ...]:
    """What an interval says of fewer than ten clusters."""
    return (Reason.FEW_CLUSTERS,) if n_clusters < FEW_CLUSTERS else ()


def normal_quantile(level: float) -> float:
    """Half-width, in standard errors, of a two-sided interval by the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


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


def _clip(end: float, bounds: Bounds) -> float:
    low, high = bounds
    if low is not None:
        end = max(end, low)
    return end if high is None else min(end, high)
