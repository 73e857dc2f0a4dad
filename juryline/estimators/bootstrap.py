"""Intervals from bootstrap rounds that resampled whole clusters.

Belongs here: the random stream of a round, and what its rounds say of an estimate. Does not: the statistic of a round,
nor how clusters are drawn.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import ClusterVariance, is_constant, two_way
from juryline.estimators.inference import UNBOUNDED, Bounds, no_interval, t_interval
from juryline.estimators.quantity import Interval

MOST_FAILED_ROUNDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """One bootstrap over the clusters of one way: the variance from its rounds with a value, all rounds, those without.

    With fewer than two clusters there are no rounds.
    """

    variance: ClusterVariance
    n_boot: int
    n_failed: int


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
        interval = no_interval(Status.NOT_ESTIMABLE, Reason.BOOTSTRAP_ROUNDS_FAILED, variance, level, method)
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
