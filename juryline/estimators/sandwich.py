"""The cluster sandwich of a likelihood: what clusters say of the error of every contrast of its parameters.

Belongs here: products of scores summed within clusters, one way and two ways, and the variance of a contrast from
them. Does not: the likelihood, its information, or what an interval is (`inference`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from juryline.estimators.cluster_variance import RELATIVE_TOLERANCE, ClusterVariance, cluster_variance, two_way
from juryline.estimators.machine_code import compiled, side_by_side
from juryline.estimators.row_groups import group_rows

_MOST_CANCELLED = 1e6  # of a sum: with 16 digits, ten are left
_SUMS_A_ROW = 4  # fewer than this, and a table of all sums is no larger than the rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sandwich:
    """Scores of parameters, and sums over clusters of the products of their sums; made by `sandwich_of`.

    Parameters
    ----------
    parameter : tuple of ndarray of int, each of shape (n_rows,)
        Parameters that a row touches, codes from 0.
    value : tuple of ndarray of float, each of shape (n_rows,)
        Scores of a row, one for each of these.
    clusters : tuple of one or two ndarray of int, each of shape (n_rows,)
    products : ndarray of float, shape (n_ways, n_parameters, n_parameters)
        One matrix a dimension of the clusters and, two-way, one of their cells.
    n_clusters : tuple of int
        Of each of these.
    """

    parameter: tuple[np.ndarray, ...]
    value: tuple[np.ndarray, ...]
    clusters: tuple[np.ndarray, ...]
    products: np.ndarray
    n_clusters: tuple[int, ...]

    def variance(self, contrast: np.ndarray) -> ClusterVariance:
        """Variance of an estimate whose error is the sum over rows of contrast times score.

        Parameters
        ----------
        contrast : ndarray of float, shape (n_parameters,)
            A row of the inverse information, or a difference of two.

        Returns
        -------
        ClusterVariance
            That of `inference.cluster_variance` for psi = contrast times score, of which this is the short way.

        Notes
        -----
        The sum over clusters of squared sums is contrast' M contrast. Where most of its digits cancel, or clusters
        might not differ at all, psi is made and summed.
        """
        if min(self.n_clusters) < 2:
            return ClusterVariance(variance=None, n_clusters=min(self.n_clusters))
        squares, sizes = compiled(quadratic_forms)(contrast, self.products)
        ways = []
        for square, size, n_clusters in zip(squares.tolist(), sizes.tolist(), self.n_clusters):
            constant = RELATIVE_TOLERANCE**2 / n_clusters  # more than sums that do not differ can come to
            if square * _MOST_CANCELLED <= size or square <= 4 * constant:
                psi = [value * contrast[parameter] for parameter, value in zip(self.parameter, self.value)]
                return cluster_variance(np.add.reduce(psi), self.clusters)
            ways.append(ClusterVariance(variance=n_clusters / (n_clusters - 1) * square, n_clusters=n_clusters))
        return ways[0] if len(ways) == 1 else two_way(*ways)


def sandwich_of(
    parameter: tuple[np.ndarray, ...],
    value: tuple[np.ndarray, ...],
    clusters: tuple[np.ndarray, ...],
    n_parameters: int,
) -> Sandwich:
    """Sum scores within clusters, and the products of these sums over clusters.

    Parameters
    ----------
    parameter, value, clusters
        As for `Sandwich`.
    n_parameters : int

    Notes
    -----
    Rows are added within clusters in the order given; each matrix on one thread.
    """
    cells = [clusters] if len(clusters) == 2 else []
    ways: list[tuple[np.ndarray, ...]] = [*cells, *((codes,) for codes in clusters)]  # the longest first
    found = side_by_side(lambda way: _products(ways[way], parameter, value, n_parameters), len(ways))
    found = found[len(cells) :] + found[: len(cells)]
    return Sandwich(
        parameter=parameter,
        value=value,
        clusters=clusters,
        products=np.stack([products for products, _ in found]),
        n_clusters=tuple(n_clusters for _, n_clusters in found),
    )


def _products(
    codes: tuple[np.ndarray, ...],
    parameter: tuple[np.ndarray, ...],
    value: tuple[np.ndarray, ...],
    n_parameters: int,
) -> tuple[np.ndarray, int]:
    """Products of sums of scores within the values of one column of codes or two, and how many values there are."""
    upper = np.zeros((n_parameters, n_parameters))
    n_rows, n_codes = len(value[0]), int(codes[0].max(initial=-1)) + 1
    if len(codes) == 1 and codes[0].min(initial=0) >= 0 and n_codes * n_parameters <= _SUMS_A_ROW * n_rows:
        sums = np.zeros((n_codes, n_parameters))
        compiled(add_scores)(codes[0], parameter, value, sums)
        compiled(add_products_of_sums)(sums, upper)
        n_clusters = int(np.count_nonzero(np.bincount(codes[0])))
    else:
        order = np.arange(n_rows)
        if not _in_order(codes):
            for column in reversed(codes):
                order, _ = group_rows(column, order)
        starts = _starts([column[order] for column in codes])
        compiled(add_products)(parameter, value, order, starts, upper)
        n_clusters = len(starts) - 1
    return upper + np.triu(upper, 1).T, n_clusters


def _in_order(columns: Sequence[np.ndarray]) -> bool:
    """Whether rows come in the order of their codes, the first column first."""
    tied = np.ones(len(columns[0]) - 1, dtype=bool)
    for column in columns:
        if (tied & (column[1:] < column[:-1])).any():
            return False
        tied &= column[1:] == column[:-1]
    return True


def _starts(columns: Sequence[np.ndarray]) -> np.ndarray:
    """First place of each run of rows with equal codes, and the number of places."""
    changes = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.concatenate([[0], np.flatnonzero(changes) + 1, [len(columns[0])]])


def add_scores(
    codes: np.ndarray, parameter: tuple[np.ndarray, ...], value: tuple[np.ndarray, ...], sums: np.ndarray
) -> None:
    """Kernel: add the scores of each row to the sums of its cluster, shape (n_clusters, n_parameters)."""
    for entry in range(len(parameter)):
        touched, score = parameter[entry], value[entry]
        for row in range(len(codes)):
            sums[codes[row], touched[row]] += score[row]


def add_products_of_sums(sums: np.ndarray, upper: np.ndarray) -> None:
    """Kernel: add the products of each cluster's sums to the upper triangle of a matrix."""
    for cluster in range(len(sums)):
        for one in range(len(upper)):
            score = sums[cluster, one]
            if score != 0.0:
                for other in range(one, len(upper)):
                    upper[one, other] += score * sums[cluster, other]


def add_products(
    parameter: tuple[np.ndarray, ...],
    value: tuple[np.ndarray, ...],
    order: np.ndarray,
    starts: np.ndarray,
    upper: np.ndarray,
) -> None:
    """Kernel: as `add_products_of_sums` of groups of rows that touch few of the parameters each."""
    sums = np.zeros(len(upper))
    is_touched = np.zeros(len(upper), dtype=np.bool_)
    touched = np.empty(len(upper), dtype=np.int64)
    for group in range(len(starts) - 1):
        n_touched = 0
        for place in range(starts[group], starts[group + 1]):
            row = order[place]
            for entry in range(len(parameter)):
                code = parameter[entry][row]
                sums[code] += value[entry][row]
                if not is_touched[code]:
                    is_touched[code] = True
                    touched[n_touched] = code
                    n_touched += 1
        for one in touched[:n_touched]:
            for other in touched[:n_touched]:
                if other >= one:
                    upper[one, other] += sums[one] * sums[other]
        for code in touched[:n_touched]:
            sums[code] = 0.0
            is_touched[code] = False


def quadratic_forms(contrast: np.ndarray, products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kernel: contrast' M contrast of each matrix, and the sums of its terms without their signs."""
    totals = np.zeros(len(products))
    sizes = np.zeros(len(products))
    row = np.empty(len(contrast))
    unsigned = np.empty(len(contrast))
    for way in range(len(products)):
        row[:] = 0.0
        unsigned[:] = 0.0
        for one in range(len(contrast)):
            for other in range(len(contrast)):
                term = contrast[one] * products[way, one, other]
                row[other] += term
                unsigned[other] += abs(term)
        for other in range(len(contrast)):
            totals[way] += row[other] * contrast[other]
            sizes[way] += unsigned[other] * abs(contrast[other])
    return totals, sizes
