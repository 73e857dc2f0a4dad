"""Ratings as integer codes, and what every agreement coefficient counts of them.

Belongs here: who gave which label to which unit, label counts and coincidences within units. Does not: the merging of
units that were rated alike (`merged_units`), any coefficient.

A rater's several judgments of one unit are one rating whose label is a vector of shares that sum to 1;
with one judgment the share is 1. Agreement is counted between different raters only.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from juryline.estimators.rating_patterns import Codes, Patterns, number_patterns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelCounts:
    """Counts n_uk of each label in each unit, where not 0, and sums over raters of squared shares."""

    unit: np.ndarray
    label: np.ndarray
    count: np.ndarray
    own: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coincidences:
    """Summands of o_ukl = n_uk n_ul - sum_r p_ruk p_rul; a cell (u, k, l) may stand more than once."""

    unit: np.ndarray
    first: np.ndarray
    second: np.ndarray
    count: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class Ratings:
    """Ratings in the order of (unit, rater, label), each of these once; made by `tally_ratings`.

    Parameters
    ----------
    ordered : tuple of three ndarray of int, each of shape (n,), or None
        Codes of unit, rater and label, from 0; every unit has a rating. None where the patterns hold them.
    shares : ndarray of float, shape (n,), or None
        Share of the label among the rater's judgments of the unit; None where each is 1.
    patterns : Patterns or None
        Units rated alike; None where that cannot be numbered.
    """

    ordered: Codes | None
    shares: np.ndarray | None
    n_units: int
    n_raters: int
    n_labels: int
    patterns: Patterns | None

    @cached_property
    def codes(self) -> Codes:
        """Codes of unit, rater and label."""
        if self.ordered is not None:
            return self.ordered
        if self.patterns is None:
            raise ValueError("ratings need their codes or their patterns")
        return self.patterns.codes()

    @cached_property
    def unit(self) -> np.ndarray:
        return self.codes[0].astype(np.int64, copy=False)

    @cached_property
    def rater(self) -> np.ndarray:
        return self.codes[1].astype(np.int64, copy=False)

    @cached_property
    def label(self) -> np.ndarray:
        return self.codes[2].astype(np.int64, copy=False)

    @cached_property
    def share(self) -> np.ndarray:
        return np.ones(len(self.unit)) if self.shares is None else self.shares

    @cached_property
    def raters_per_unit(self) -> np.ndarray:
        """Number of raters r_u with a rating of each unit."""
        return np.bincount(self.unit[_starts(self._cell)], minlength=self.n_units)

    @cached_property
    def counts(self) -> LabelCounts:
        key, place = np.unique(self.unit * self.n_labels + self.label, return_inverse=True)
        return LabelCounts(
            unit=key // self.n_labels,
            label=key % self.n_labels,
            count=np.bincount(place, weights=self.share),
            own=np.bincount(place, weights=self.share**2),
        )

    @cached_property
    def matches(self) -> np.ndarray:
        """Ordered pairs of different raters with the same label, sum_k o_ukk, of each unit."""
        counts = self.counts
        return np.bincount(counts.unit, weights=counts.count**2 - counts.own, minlength=self.n_units)

    @cached_property
    def coincidences(self) -> Coincidences:
        counts = self.counts
        one, other = aligned(counts.unit, counts.unit)
        own, same = aligned(self._cell, self._cell)
        return Coincidences(
            unit=np.concatenate([counts.unit[one], self.unit[own]]),
            first=np.concatenate([counts.label[one], self.label[own]]),
            second=np.concatenate([counts.label[other], self.label[same]]),
            count=np.concatenate([counts.count[one] * counts.count[other], -self.share[own] * self.share[same]]),
        )

    def rater_means(self, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each rater's mean of a number of labels in each unit: the units, one a rater and unit, and the means.

        Parameters
        ----------
        number : ndarray of float, shape (n,)
            Number of the label of each entry.
        """
        starts = _starts(self._cell)
        return self.unit[starts], np.add.reduceat(self.share * number, starts) if len(starts) else number

    @cached_property
    def by_rater(self) -> list[np.ndarray]:
        """Places of each rater's ratings, in the order of units."""
        order = np.argsort(self.rater, kind="stable")
        return np.split(order, np.searchsorted(self.rater[order], np.arange(1, self.n_raters)))

    @cached_property
    def present_raters(self) -> np.ndarray:
        """Codes of the raters with at least one rating."""
        return np.flatnonzero(np.bincount(self.rater, minlength=self.n_raters))

    def columns(self, *parts: tuple[np.ndarray, Any, np.ndarray], n_columns: int) -> Any:
        """Numbers of each unit, as one sparse matrix.

        Parameters
        ----------
        parts : tuples (unit, column, value)
            Summands: the unit, the column they go to (an array or one number), the value.

        Returns
        -------
        scipy.sparse.csr_array, shape (n_units, n_columns)
        """
        from scipy.sparse import csr_array

        row = np.concatenate([unit for unit, _, _ in parts])
        column = np.concatenate([np.broadcast_to(column, len(unit)) for unit, column, _ in parts])
        value = np.concatenate([value for _, _, value in parts]).astype(float)
        sums = csr_array((value, (row, column)), shape=(self.n_units, n_columns))
        sums.sum_duplicates()
        sums.eliminate_zeros()
        return sums

    def nameless(self) -> "Ratings":
        """The same labels by raters without identity: a rater's code is a place within the unit.

        Units rated alike by different raters become equal, so that `merged_units` can join them. Ratings that are
        vectors of shares are returned as they are.
        """
        if self.shares is not None:
            return self
        label = np.sort(self.unit * self.n_labels + self.label) - self.unit * self.n_labels
        place = np.arange(len(self.unit)) - np.repeat(_starts(self.unit), self.raters_per_unit)
        return _ratings(
            (self.unit, place, label),
            None,
            n_units=self.n_units,
            n_raters=int(self.raters_per_unit.max(initial=1)),
            n_labels=self.n_labels,
        )

    def without(self, rater: int) -> "Ratings":
        """The ratings of all other raters; units that nobody else rated are gone."""
        kept = self.rater != rater
        units, unit = np.unique(self.unit[kept], return_inverse=True)
        return self._with((unit, self.rater[kept], self.label[kept]), kept, len(units))

    def by(self, raters: np.ndarray) -> "Ratings":
        """The ratings of some raters, marked by a bool each, one of whom rated every unit."""
        kept = raters[self.rater]
        return self._with((self.unit[kept], self.rater[kept], self.label[kept]), kept, self.n_units)

    def of_units(self, units: np.ndarray) -> "Ratings":
        """The ratings of some units, renumbered in the order given."""
        unit, rater, label = self.codes
        places, entries = aligned(units.astype(unit.dtype), unit)
        return self._with((places, rater[entries], label[entries]), entries, len(units))

    def _with(self, codes: Codes, kept: np.ndarray, n_units: int) -> "Ratings":
        shares = None if self.shares is None else self.shares[kept]
        return _ratings(codes, shares, n_units=n_units, n_raters=self.n_raters, n_labels=self.n_labels)

    @cached_property
    def _cell(self) -> np.ndarray:
        return self.unit * self.n_raters + self.rater


def tally_ratings(
    unit: np.ndarray,
    rater: np.ndarray,
    label: np.ndarray,
    count: np.ndarray | None,
    *,
    n_units: int,
    n_raters: int,
    n_labels: int,
) -> Ratings:
    """Order judgments by unit, rater and label, and turn each rater's judgments of a unit into shares.

    Parameters
    ----------
    unit, rater, label : ndarray of int, shape (n,)
        Codes from 0, in any order; a unit without a judgment is refused.
    count : ndarray of int, shape (n,), or None
        Judgments in which the rater gave the unit this label, at least 1; None where each is one.
    n_labels : int
        Declared labels, observed or not.

    Raises
    ------
    ValueError
        Codes out of range, units without a judgment, lengths that differ, counts below 1.

    Notes
    -----
    Where no rater judged a unit twice and an integer holds all labels of a unit, one pass in any order of the rows
    suffices, and nothing is sorted.
    """
    unit, rater, label = (np.asarray(codes) for codes in (unit, rater, label))
    count = None if count is None else np.asarray(count)
    if not len(unit) == len(rater) == len(label) == (len(unit) if count is None else len(count)):
        raise ValueError("unit, rater, label and count must be of one length")
    if count is not None and (count < 1).any():
        raise ValueError("count must be at least 1")
    sizes = {"n_units": n_units, "n_raters": n_raters, "n_labels": n_labels}
    patterns = number_patterns((unit, rater, label), **sizes)
    if patterns is not None:
        return Ratings(ordered=None, shares=None, patterns=patterns, **sizes)
    unit, rater, label = (codes.astype(np.int64, copy=False) for codes in (unit, rater, label))
    if not (_within(unit, n_units) and np.bincount(unit, minlength=n_units).all()):
        raise ValueError(f"unit must use every code below {n_units}")
    if not (_within(rater, n_raters) and _within(label, n_labels)):
        raise ValueError(f"rater and label must be codes below {n_raters} and {n_labels}")
    key = (unit * n_raters + rater) * n_labels + label
    in_order = np.sort(key)
    shares = None
    if not (np.diff(in_order // max(n_labels, 1)) > 0).all():
        in_order, place = np.unique(key, return_inverse=True)
        shares = _shares(in_order // n_labels, np.bincount(place, weights=count))
    cell, label = np.divmod(in_order, max(n_labels, 1))
    return _ratings((*np.divmod(cell, max(n_raters, 1)), label), shares, **sizes)


def _shares(cell: np.ndarray, judgments: np.ndarray) -> np.ndarray | None:
    """Share of each entry among the judgments of its unit and rater; None where each is 1."""
    starts = _starts(cell)
    if len(starts) == len(cell):
        return None
    of_cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(cell))))
    return judgments / np.bincount(of_cell, weights=judgments)[of_cell]


def _ratings(codes: Codes, shares: np.ndarray | None, *, n_units: int, n_raters: int, n_labels: int) -> Ratings:
    """Ratings that are in order."""
    sizes = {"n_units": n_units, "n_raters": n_raters, "n_labels": n_labels}
    patterns = None if shares is not None else number_patterns(codes, **sizes)
    return Ratings(ordered=codes, shares=shares, patterns=patterns, **sizes)


def aligned(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of places (i, j) with left[i] == right[j]; `right` is sorted.

    Examples
    --------
    >>> aligned(np.array([5, 7]), np.array([5, 5, 6, 7]))
    (array([0, 0, 1]), array([0, 1, 3]))
    """
    first = np.searchsorted(right, left, side="left")
    width = np.searchsorted(right, left, side="right") - first
    skipped = np.cumsum(width) - width
    return (
        np.repeat(np.arange(len(left)), width),
        np.repeat(first - skipped, width) + np.arange(width.sum()),
    )


def _starts(codes: np.ndarray) -> np.ndarray:
    """First place of each run of equal codes."""
    return np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1))


def _within(codes: np.ndarray, n: int) -> bool:
    return not len(codes) or (codes.min() >= 0 and codes.max() < n)
