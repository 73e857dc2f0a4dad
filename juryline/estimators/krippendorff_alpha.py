"""Krippendorff's alpha: one minus observed over expected disagreement, by the metric of the scale.

Belongs here: alpha for nominal and ratio labels (distances that are fixed), for ordinal ones (distances that depend on
how often labels occur) and for interval ones (moments, whatever the number of distinct values).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from juryline.estimators.agreement_coefficient import CHANCE_TOLERANCE, Part, ratio, symmetrised
from juryline.estimators.agreement_units import Ratings
from juryline.estimators.cluster_variance import RELATIVE_TOLERANCE

_LABELS_AT_ONCE = 256  # rows of the table of distances held at a time


class Distance(Protocol):
    """Distances d_kl of labels, at most 1, and 0 of a label from itself."""

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Distances of pairs of labels, shape (n,)."""

    def sum_over(self, counts: np.ndarray) -> np.ndarray:
        """sum_kl n_k n_l d_kl of counts n_k, shape (..., n_labels)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KrippendorffAlpha:
    """alpha = 1 - D_o/D_e with fixed distances: nominal, ratio.

    Parameters
    ----------
    distance : Distance
        `NominalDistance` or `RatioDistance`.
    mirror : ndarray of int, shape (n_labels,), or None
        As for `FleissKappa`; n_k are averaged with their mirror, n is not changed.

    Notes
    -----
    Over pairable units only: D_o = sum_u sum_kl o_ukl d_kl/(r_u - 1)/n, n_k = ratings with label k,
    D_e = sum_kl n_k n_l d_kl/(n (n - 1)).

    References
    ----------
    Krippendorff 2011.
    """

    lowest: ClassVar[float | None] = -1.0
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    distance: Distance
    mirror: np.ndarray | None

    def sums(self, ratings: Ratings) -> Any:
        pairs = ratings.coincidences
        apart = self.distance.between(pairs.first, pairs.second) * pairs.count
        several = (ratings.raters_per_unit >= 2)[pairs.unit] & (apart != 0)
        unit = pairs.unit[several]
        counts = ratings.counts
        paired = (ratings.raters_per_unit >= 2)[counts.unit]
        return ratings.columns(
            _pairable(ratings),
            (unit, 1, apart[several] / (ratings.raters_per_unit[unit] - 1)),
            (counts.unit[paired], 2 + counts.label[paired], counts.count[paired]),
            n_columns=2 + ratings.n_labels,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        counts = symmetrised(totals[..., 2:], self.mirror)
        return _alpha(totals[..., 1], self.distance.sum_over(counts), totals[..., 2:].sum(axis=-1))


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalAlpha:
    """alpha = 1 - D_o/D_e with d_kl = (sum_{g=k..l} n_g - (n_k + n_l)/2)^2 over the declared order of labels.

    Notes
    -----
    d_kl = (m_k - m_l)^2 with mid-ranks m_k = n_1 + ... + n_k - n_k/2. The n_k of a bootstrap round are its own.

    References
    ----------
    Krippendorff 2011.
    """

    lowest: ClassVar[float | None] = -1.0
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    n_labels: int

    def sums(self, ratings: Ratings) -> Any:
        pairs, q = ratings.coincidences, ratings.n_labels
        several = (ratings.raters_per_unit >= 2)[pairs.unit]
        unit = pairs.unit[several]
        return ratings.columns(
            _pairable(ratings),
            (
                unit,
                1 + pairs.first[several] * q + pairs.second[several],
                pairs.count[several] / (ratings.raters_per_unit[unit] - 1),
            ),
            n_columns=1 + q * q,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        q = self.n_labels
        coincidences = totals[..., 1:].reshape(*totals.shape[:-1], q, q)
        counts = coincidences.sum(axis=-1)
        n = counts.sum(axis=-1)
        # Mid-ranks as shares of all ratings, so that what counts as no disagreement does not grow with n.
        rank = ratio(np.cumsum(counts, axis=-1) - counts / 2, n[..., np.newaxis])
        distance = (rank[..., :, np.newaxis] - rank[..., np.newaxis, :]) ** 2
        seen = (coincidences * distance).sum(axis=(-2, -1))
        expected = (counts[..., :, np.newaxis] * counts[..., np.newaxis, :] * distance).sum(axis=(-2, -1))
        return _alpha(seen, expected, n)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalAlpha:
    """alpha = 1 - D_o/D_e with d = (x - y)^2, on moments: the number of distinct values costs nothing.

    Parameters
    ----------
    values : ndarray of float, shape (n_labels,)
        Number of each label.
    scale_range : float
        Largest minus smallest possible number; numbers nearer to each other than rounding are equal on it.

    Notes
    -----
    With a rater's mean x_r and mean square y_r in a unit,
    sum_{r != s} E(x - x')^2 = 2 (r_u - 1) sum y_r - 2 ((sum x_r)^2 - sum x_r^2).

    References
    ----------
    Krippendorff 2011.
    """

    lowest: ClassVar[float | None] = -1.0
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    values: np.ndarray
    scale_range: float

    def sums(self, ratings: Ratings) -> Any:
        # Centred and scaled first: alpha does not change, and no digits are lost in the squares.
        number = self.values[ratings.label]
        paired = number[(ratings.raters_per_unit >= 2)[ratings.unit]]
        low, high = (float(paired.min()), float(paired.max())) if len(paired) else (0.0, 0.0)
        apart_by = high - low if high - low > RELATIVE_TOLERANCE * self.scale_range else self.scale_range or 1.0
        number = (number - (low + high) / 2) / apart_by
        unit, mean = ratings.rater_means(number)
        total, own = (np.bincount(unit, weights=power, minlength=ratings.n_units) for power in (mean, mean**2))
        square = np.bincount(ratings.unit, weights=ratings.share * number**2, minlength=ratings.n_units)
        raters = ratings.raters_per_unit
        unit = np.flatnonzero(raters >= 2)
        apart = np.maximum((raters - 1) * square - (total**2 - own), 0)
        return ratings.columns(
            _pairable(ratings),
            (unit, 1, 2 * apart[unit] / (raters[unit] - 1)),
            (unit, 2, raters[unit]),
            (unit, 3, total[unit]),
            (unit, 4, square[unit]),
            n_columns=5,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        n, total, square = totals[..., 2], totals[..., 3], totals[..., 4]
        return _alpha(totals[..., 1], 2 * (n * square - total**2), n)


@dataclass(frozen=True, slots=True)
class NominalDistance:
    """d_kl = 1 for different labels."""

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return (first != second).astype(float)

    def sum_over(self, counts: np.ndarray) -> np.ndarray:
        return counts.sum(axis=-1) ** 2 - (counts**2).sum(axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class RatioDistance:
    """d_kl = ((x - y)/(x + y))^2, 0 for two zeros; no table of them is held, whatever the number of values.

    Parameters
    ----------
    values : ndarray of float, shape (n_labels,)
        Number of each label.

    Raises
    ------
    ValueError
        A negative number: a ratio scale has none.
    """

    values: np.ndarray

    def __post_init__(self) -> None:
        if (np.asarray(self.values) < 0).any():
            raise ValueError("a ratio scale has no negative numbers")

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        x, y = self.values[first], self.values[second]
        return np.nan_to_num(ratio(np.abs(x - y), x + y)) ** 2

    def sum_over(self, counts: np.ndarray) -> np.ndarray:
        labels = np.arange(len(self.values))
        total = np.zeros(counts.shape[:-1])
        for first in range(0, len(labels), _LABELS_AT_ONCE):
            rows = labels[first : first + _LABELS_AT_ONCE]
            distance = self.between(rows[:, np.newaxis], labels)
            total += (counts[..., rows] * np.einsum("...l,kl->...k", counts, distance)).sum(axis=-1)
        return total


def _pairable(ratings: Ratings) -> Part:
    unit = np.flatnonzero(ratings.raters_per_unit >= 2)
    return (unit, 0, np.ones(len(unit)))


def _alpha(seen: np.ndarray, expected: np.ndarray, n: np.ndarray) -> np.ndarray:
    disagreement = ratio(expected, n * (n - 1))
    return 1 - ratio(ratio(seen, n), disagreement, tolerance=CHANCE_TOLERANCE)
