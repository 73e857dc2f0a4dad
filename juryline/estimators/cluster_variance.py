"""Variance of an estimate over clusters, one way and two ways, and what counts as no variance.

Belongs here: METHODS 0.3 up to the variance. Does not: intervals and tests (`inference`, `wilson`, `bootstrap`).

A cluster is a value of the declared independent unit. `psi` are the linear contributions of the judgments (or their
sums within cells of all cluster dimensions) to the error of an estimate; they sum to 0.
"""

import math
from dataclasses import dataclass

import numpy as np

from juryline.estimators.dense_codes import dense_codes

RELATIVE_TOLERANCE = 1e-9  # of the scale's range: what rounding of answers can reach and no answer means (METHODS 0.5)


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


def is_constant(values: np.ndarray, scale_range: float) -> bool:
    """Whether values do not differ, but for what rounding can do: max - min <= 1e-9 of the scale's range."""
    return bool(np.ptp(values) <= RELATIVE_TOLERANCE * scale_range)


def exact_mean(values: np.ndarray) -> float:
    """Mean with an exactly rounded sum: the same in any order, and 0.7 for a hundred times 0.7."""
    return math.fsum(values) / len(values)


def _one_way(psi: np.ndarray, codes: np.ndarray, scale_range: float) -> ClusterVariance:
    sums = np.bincount(codes, weights=psi)
    n_clusters = len(sums)
    if n_clusters < 2:
        return ClusterVariance(variance=None, n_clusters=n_clusters)
    # With clusters of one size a sum is (cluster mean - mean)/G: this is `is_constant` of the cluster means.
    if is_constant(sums, scale_range / n_clusters):
        return ClusterVariance(variance=0.0, n_clusters=n_clusters)
    return ClusterVariance(variance=n_clusters / (n_clusters - 1) * math.fsum(sums**2), n_clusters=n_clusters)
