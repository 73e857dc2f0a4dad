"""Wilson's interval of a share, of as many judgments as its clusters leave.

Belongs here: the interval of METHODS 4. Does not: what counts as a hit, nor any variance (`cluster_variance`).
"""

import math

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import ClusterVariance
from juryline.estimators.inference import few_clusters, no_interval, normal_quantile, t_quantile
from juryline.estimators.quantity import Interval


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
    n, where all are hits or misses. s^2 is the spread of these and of z^2 hits and misses more, as Wilson's centre is
    their mean: judgments that were all ties do not say that none can be a hit. The adjustment for few clusters comes
    before the bound: after it, it would widen also what the bound has widened already (98 % at ten clusters that
    hardly differ). Where every cluster has one judgment, or clusters do not differ: Wilson(p, n_i).

    References
    ----------
    Wilson 1927; Korn and Graubard 1998.
    """
    if not (n >= 1 and 0 <= share <= 1):
        raise ValueError(f"share {share} of {n}: must be in [0, 1], of at least 1")
    share = float(share)
    method = "wilson" if variance.n_clusters == n else "wilson_effective"
    if variance.variance is None:
        return no_interval(Status.INSUFFICIENT, Reason.ONE_CLUSTER, variance, level, method)
    z = normal_quantile(level)
    size = float(n)
    if spread is not None and 0 < share < 1:
        binary = share * (1 - share)
        size *= binary * (n + z**2) / (n * spread + z**2 * binary)
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
        reason=few_clusters(variance.n_clusters),
    )


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
