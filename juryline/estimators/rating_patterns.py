"""Units that were rated alike: the labels of all raters of a unit as one number, its pattern.

Belongs here: numbering patterns and counting units by them, in one pass over ratings. Does not: what a rating is
(`agreement_units`).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from juryline.estimators.machine_code import compiled, side_by_side

Codes = tuple[np.ndarray, np.ndarray, np.ndarray]

_MOST_NUMBERS = 1 << 63
_MOST_TABULATED = 1 << 16  # numbers counted in a table; more are sorted
_ROWS_A_PART = 1 << 20  # fewer, and a thread costs more than it saves


@dataclass(frozen=True, kw_only=True, eq=False)
class Patterns:
    """The patterns of units that occur, in the order of their numbers.

    Parameters
    ----------
    number : ndarray of int, shape (n_units,)
        Of the pattern of each unit.
    distinct, count : ndarray of int, shape (n_patterns,)
        Each number that occurs, and how many units have it.
    """

    number: np.ndarray
    distinct: np.ndarray
    count: np.ndarray

    def codes(self, n_raters: int, n_labels: int) -> Codes:
        """Ratings of one unit of each pattern, in order."""
        base = n_labels + 1
        powers = base ** np.arange(n_raters)
        digits = self.distinct[:, np.newaxis] // powers % base
        unit, rater = np.nonzero(digits)
        return unit, rater, digits[unit, rater] - 1

    @cached_property
    def place(self) -> np.ndarray:
        """Which of the patterns each unit has, shape (n_units,)."""
        if self.distinct[-1] > _MOST_TABULATED:
            return np.searchsorted(self.distinct, self.number)
        places = np.zeros(int(self.distinct[-1]) + 1, dtype=np.int64)
        places[self.distinct] = np.arange(len(self.distinct))
        return places[self.number]


def ordered_patterns(codes: Codes, n_units: int, n_raters: int, n_labels: int) -> tuple[bool, Patterns | None]:
    """Whether ratings are in the order of unit and rater, none twice and no unit without; and the units' patterns.

    Parameters
    ----------
    codes : tuple of three ndarray of int, each of shape (n,)
        Of unit, rater and label.

    Returns
    -------
    bool
        False also for codes out of range.
    Patterns or None
        Equal for equal labels of the same raters. None where no integer holds a pattern, or there is no unit.

    Notes
    -----
    The number of a pattern is sum_r (label_r + 1) (n_labels + 1)^r over the raters of the unit.
    """
    most = (n_labels + 1) ** n_raters
    fits, tabulated = most < _MOST_NUMBERS, most <= _MOST_TABULATED
    powers = np.array([(n_labels + 1) ** rater if fits else 0 for rater in range(n_raters)], dtype=np.int64)
    number = np.empty(n_units, dtype=np.uint16 if tabulated else np.int64)
    first_units, first_rows = _parts(codes[0], n_units)
    shape = (len(first_rows) - 1, most if tabulated else 0)
    counts = np.zeros(shape, dtype=np.int64)

    def numbered(part: int) -> bool:
        columns = tuple(column[first_rows[part] : first_rows[part + 1]] for column in codes)
        first, end = first_units[part], first_units[part + 1]
        filled = number[first:end]
        is_grid = len(columns[0]) == (end - first) * n_raters
        fill: Callable[..., bool] = _number_grid if is_grid else compiled(number_patterns)
        if not fill(*columns, first, n_labels, powers, filled):
            return False
        if tabulated:
            compiled(tabulate)(filled, counts[part])
        return True

    if (np.diff(first_rows) < 0).any() or not all(side_by_side(numbered, len(counts))):
        return False, None
    if not fits or not n_units:
        return True, None
    if not tabulated:
        distinct, count = np.unique(number, return_counts=True)
        return True, Patterns(number=number, distinct=distinct, count=count)
    count = counts.sum(axis=0)
    distinct = np.flatnonzero(count)
    return True, Patterns(number=number, distinct=distinct, count=count[distinct])


def _parts(unit: np.ndarray, n_units: int) -> tuple[list[int], np.ndarray]:
    """Units and rows that parts of ordered ratings start with, and their ends."""
    n_parts = max(1, min(os.cpu_count() or 1, len(unit) // _ROWS_A_PART, n_units))
    units = [n_units * part // n_parts for part in range(n_parts + 1)]
    inner = np.searchsorted(unit, np.array(units[1:-1], dtype=unit.dtype))
    return units, np.concatenate([[0], inner, [len(unit)]]).astype(np.int64)


def _number_grid(
    unit: np.ndarray,
    rater: np.ndarray,
    label: np.ndarray,
    first: int,
    n_labels: int,
    powers: np.ndarray,
    number: np.ndarray,
) -> bool:
    """As `number_patterns`, faster, of as many ratings as there are units and raters: in order if all rated all."""
    limits = ((rater, len(powers)), (label, n_labels))
    within = all(codes.min(initial=0) >= 0 and codes.max(initial=0) < limit for codes, limit in limits)
    if not within or compiled(leaves_grid)(unit, rater, first, len(powers)):
        return False
    compiled(number_grid)(label.reshape(-1, len(powers)), powers, number)
    return True


def leaves_grid(unit: np.ndarray, rater: np.ndarray, first: int, n_raters: int) -> bool:
    """Kernel: whether any row is not that of its unit, from `first` on, and its rater, each unit by all raters."""
    bits = np.int64(0)
    start = np.int64(first) * n_raters
    for row in range(len(unit)):
        bits |= (np.int64(unit[row]) * n_raters + np.int64(rater[row])) ^ (start + row)
    return bits != 0


def number_grid(label: np.ndarray, powers: np.ndarray, number: np.ndarray) -> None:
    """Kernel: `number_patterns` of labels, shape (n_units, n_raters)."""
    for one in range(len(number)):
        pattern = np.int64(0)
        for rater in range(len(powers)):
            pattern += (np.int64(label[one, rater]) + 1) * powers[rater]
        number[one] = pattern


def number_patterns(
    unit: np.ndarray,
    rater: np.ndarray,
    label: np.ndarray,
    first: int,
    n_labels: int,
    powers: np.ndarray,
    number: np.ndarray,
) -> bool:
    """Kernel: number the patterns of units from `first` on; False where ratings are not in order."""
    row = 0
    for one in range(len(number)):
        pattern, before = np.int64(0), np.int64(-1)
        while row < len(unit) and np.int64(unit[row]) == first + one:
            of_rater, of_label = np.int64(rater[row]), np.int64(label[row])
            if of_rater <= before or of_rater >= len(powers) or of_label < 0 or of_label >= n_labels:
                return False
            pattern += (of_label + 1) * powers[of_rater]
            before = of_rater
            row += 1
        if before < 0:
            return False
        number[one] = pattern
    return row == len(unit)


def tabulate(number: np.ndarray, count: np.ndarray) -> None:
    """Kernel: count units by the number of their pattern."""
    for one in range(len(number)):
        count[number[one]] += 1
