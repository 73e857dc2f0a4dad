"""Differences between two systems over what the same raters judged of both.

Belongs here: the pair difference of METHODS 2, for values of any scale, 0/1 included. Does not: what the values are.

An item is what is judged of every system (a case, of one criterion); a cell is a rater and an item. Codes come in for
raters, items, outputs and systems, and for each dimension of the unit, which must follow from rater and item.
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import (
    RELATIVE_TOLERANCE,
    ClusterVariance,
    added,
    cluster_variance,
    exact_mean,
    is_constant,
)
from juryline.estimators.dense_codes import dense_codes, first_places
from juryline.estimators.inference import UNIT_BOUNDS, Bounds, one_sample_t, t_interval, t_test
from juryline.estimators.quantity import Interval, Quantity, Test

NO_DIFFERENCE = 0.0
NO_SUPERIORITY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
    """Values that raters gave to items of systems, in the order of a unique key.

    Parameters
    ----------
    rater, item, output, system : ndarray of int, shape (n,)
    units : tuple of one or two ndarray of int, shape (n,)
        Independent unit of each judgment in each dimension.
    value : ndarray of float, shape (n,)

    Raises
    ------
    ValueError
        Unequal lengths, a value that is not finite, or a number of dimensions other than one or two.
    """

    rater: np.ndarray
    item: np.ndarray
    output: np.ndarray
    system: np.ndarray
    units: tuple[np.ndarray, ...]
    value: np.ndarray

    def __post_init__(self) -> None:
        if any(len(codes) != len(self.value) for codes in (self.rater, self.item, self.output, self.system)):
            raise ValueError("rater, item, output, system and value must be of one length")
        if len(self.units) not in (1, 2) or any(len(codes) != len(self.value) for codes in self.units):
            raise ValueError("units must be one or two arrays as long as value")
        if not np.isfinite(self.value).all():
            raise ValueError("value must be finite")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matched:
    """Values of two systems side by side: `x[k]` and `y[k]` are of one cell, or of one rater.

    `judgments` marks the ratings that they are made of.
    """

    x: np.ndarray
    y: np.ndarray
    units: tuple[np.ndarray, ...]
    judgments: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceResult:
    """A difference of two systems (or a chance of superiority), its interval and its test."""

    difference: Quantity
    interval: Interval
    test: Test
    n_units: int
    n_pairs: int


def match_cells(ratings: Ratings, x: int, y: int) -> Matched:
    """Cells in which the rater judged the item of both systems; repeats of an output, then outputs, averaged first."""
    groups, means = _means(ratings, (x, y), by_item=True)
    return _side_by_side(ratings, (x, y), groups, means, ratings.units)


def match_raters(ratings: Ratings, x: int, y: int) -> Matched:
    """Raters who judged both systems, if of different items; the unit is the rater."""
    groups, means = _means(ratings, (x, y), by_item=False)
    return _side_by_side(ratings, (x, y), groups, means, (ratings.rater,))


def estimate_difference(matched: Matched, *, level: float, scale_range: float, bounds: Bounds) -> DifferenceResult:
    """Mean difference, first minus second, over independent units.

    Parameters
    ----------
    level : float
        Confidence of the interval.
    scale_range : float
        Largest minus smallest possible value.
    bounds : tuple of float or None
        Smallest and largest possible difference.

    Returns
    -------
    DifferenceResult
        insufficient: no_matched_pairs, or too_few_units with fewer than two units in a dimension. Interval and test
        are degenerate, zero_variance, where units do not differ.

    Notes
    -----
    One dimension: mean of the units' means, each unit equal, one-sample t with df = units - 1. Two: mean of the cells
    with the two-way variance, df = min(units) - 1. Cells are never taken as independent.
    """
    return _over_units(matched.x - matched.y, matched.units, NO_DIFFERENCE, level, scale_range, bounds)


def estimate_superiority(matched: Matched, *, level: float, scale_range: float) -> DifferenceResult:
    """Chance that a rater puts an item of the first system above the second's, a tie counting half.

    Needs order only, not distances. Unit and interval as for the difference; its test is not one METHODS names.
    """
    difference = matched.x - matched.y
    tied = np.abs(difference) <= RELATIVE_TOLERANCE * scale_range
    score = np.where(tied, 0.5, np.where(difference > 0, 1.0, 0.0))
    return _over_units(score, matched.units, NO_SUPERIORITY, level, 1.0, UNIT_BOUNDS)


def estimate_unpaired_difference(
    ratings: Ratings, x: int, y: int, *, level: float, scale_range: float, bounds: Bounds
) -> DifferenceResult:
    """Difference of the means of the two systems' own raters, each rater equal (Welch 1947).

    For designs in which nobody judged both systems.

    Returns
    -------
    DifferenceResult
        insufficient, too_few_units: fewer than two raters of a system. Interval and test are degenerate, zero_variance,
        where the raters of neither system differ.
    """
    _, means = _means(ratings, (x, y), by_item=False)
    groups = [of_system[np.isfinite(of_system)] for of_system in means]
    n_units = min(len(group) for group in groups)
    if n_units < 2:
        reason = Reason.TOO_FEW_UNITS if any(map(len, groups)) else Reason.NO_JUDGMENTS
        return _insufficient(reason, NO_DIFFERENCE, level, "welch_t", n_units=n_units, n_pairs=0)
    difference = exact_mean(groups[0]) - exact_mean(groups[1])
    variance = _welch_variance(groups, scale_range)
    return DifferenceResult(
        difference=Quantity.of(difference),
        interval=t_interval(difference, variance, level=level, bounds=bounds, method="welch_t"),
        test=t_test(difference, NO_DIFFERENCE, variance),
        n_units=n_units,
        n_pairs=0,
    )


def _over_units(
    values: np.ndarray,
    units: tuple[np.ndarray, ...],
    null_value: float,
    level: float,
    scale_range: float,
    bounds: Bounds,
) -> DifferenceResult:
    dense = [dense_codes(codes) for codes in units]
    n_units = min(int(codes.max()) + 1 if len(codes) else 0 for codes in dense)
    method = "t" if len(units) == 1 else "cluster_t"
    if n_units < 2:
        reason = Reason.TOO_FEW_UNITS if len(values) else Reason.NO_MATCHED_PAIRS
        return _insufficient(reason, null_value, level, method, n_units=n_units, n_pairs=len(values))
    if len(dense) == 1:
        means = np.bincount(dense[0], weights=values) / np.bincount(dense[0])
        plain = one_sample_t(means, null_value, level=level, scale_range=scale_range, bounds=bounds)
        difference, interval, test = plain.mean, plain.interval, plain.test
    else:
        mean = exact_mean(values)
        variance = cluster_variance((values - mean) / len(values), tuple(dense), scale_range=scale_range)
        difference = Quantity.of(mean)
        interval = t_interval(mean, variance, level=level, bounds=bounds)
        test = t_test(mean, null_value, variance)
    return DifferenceResult(difference=difference, interval=interval, test=test, n_units=n_units, n_pairs=len(values))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Groups:
    place: np.ndarray  # of each rating's group
    first: np.ndarray  # first rating of each group


def _means(ratings: Ratings, systems: tuple[int, int], *, by_item: bool) -> tuple[_Groups, list[np.ndarray]]:
    """Mean of each system in each group, a rater or a cell of rater and item; NaN where there is none."""
    items, outputs = (int(codes.max(initial=0)) + 1 for codes in (ratings.item, ratings.output))
    cell = ratings.rater.astype(np.int64) * items + ratings.item
    stimulus = cell * outputs + ratings.output
    place = dense_codes(cell if by_item else ratings.rater)
    first = first_places(place)
    means = []
    for system in systems:
        chosen = ratings.system == system
        where = dense_codes(stimulus[chosen])
        of_stimulus = np.bincount(where, weights=ratings.value[chosen]) / np.bincount(where)
        group = place[chosen][first_places(where)]
        n = np.bincount(group, minlength=len(first))
        total = np.bincount(group, weights=of_stimulus, minlength=len(first))
        means.append(np.where(n > 0, total / np.maximum(n, 1), np.nan))
    return _Groups(place=place, first=first), means


def _side_by_side(
    ratings: Ratings,
    systems: tuple[int, int],
    groups: _Groups,
    means: list[np.ndarray],
    units: tuple[np.ndarray, ...],
) -> Matched:
    both = np.isfinite(means[0]) & np.isfinite(means[1])
    return Matched(
        x=means[0][both],
        y=means[1][both],
        units=tuple(codes[groups.first][both] for codes in units),
        judgments=np.isin(ratings.system, systems) & both[groups.place],
    )


def _welch_variance(groups: list[np.ndarray], scale_range: float) -> ClusterVariance:
    first, second = (
        ClusterVariance(
            variance=0.0 if is_constant(group, scale_range) else float(group.var(ddof=1)) / len(group),
            n_clusters=len(group),
        )
        for group in groups
    )
    return added(first, second)


def _insufficient(
    reason: Reason, null_value: float, level: float, method: str, *, n_units: int, n_pairs: int
) -> DifferenceResult:
    none = Quantity.missing(Status.INSUFFICIENT, reason)
    return DifferenceResult(
        difference=none,
        interval=Interval(
            status=Status.INSUFFICIENT, level=level, method=method, n_clusters=n_units, reason=(Reason.ONE_CLUSTER,)
        ),
        test=Test(statistic=none, null_value=null_value),
        n_units=n_units,
        n_pairs=n_pairs,
    )
