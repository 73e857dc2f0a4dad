"""Units that were rated alike: the labels of all raters of a unit as one number, its pattern.

Belongs here: numbering patterns in one pass over ratings, and reading them back. Does not: what a rating is
(`agreement_units`).
"""

import os
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
        Of the pattern of each unit: sum_r (label_r + 1) (n_labels + 1)^r over its raters, equal for equal labels of the
        same raters.
    distinct, count : ndarray of int, shape (n_patterns,)
        Each number that occurs, and how many units have it.
    n_raters, n_labels : int
        Of the codes that were numbered.
    """

    number: np.ndarray
    distinct: np.ndarray
    count: np.ndarray
    n_raters: int
    n_labels: int

    @cached_property
    def place(self) -> np.ndarray:
        """Which of the patterns each unit has, shape (n_units,)."""
        if self.distinct[-1] > _MOST_TABULATED:
            return np.searchsorted(self.distinct, self.number)
        places = np.zeros(int(self.distinct[-1]) + 1, dtype=np.int64)
        places[self.distinct] = np.arange(len(self.distinct))
        return places[self.number]

    def nameless(self) -> "Patterns":
        """Of the patterns, one a unit, with the labels of each in their order: alike, whoever the raters were."""
        ordered = np.sort(self._digits(self.distinct), axis=1)
        number = ordered @ _powers(self.n_raters, self.n_labels)
        distinct, count = np.unique(number, return_counts=True)
        return Patterns(number=number, distinct=distinct, count=count, n_raters=self.n_raters, n_labels=self.n_labels)

    def codes(self) -> Codes:
        """Ratings of all units, in the order of unit and rater."""
        return self._codes(self.number)

    def distinct_codes(self) -> Codes:
        """Ratings of one unit of each pattern, in the order of unit and rater."""
        return self._codes(self.distinct)

    def _codes(self, number: np.ndarray) -> Codes:
        digits = self._digits(number)
        unit, rater = np.nonzero(digits)
        return unit, rater, digits[unit, rater].astype(np.int64) - 1

    def _digits(self, number: np.ndarray) -> np.ndarray:
        """1 + label of each unit and rater, 0 where there is none."""
        digits = np.empty((len(number), self.n_raters), dtype=number.dtype)
        for rater in range(self.n_raters):
            number, digits[:, rater] = np.divmod(number, number.dtype.type(self.n_labels + 1))
        return digits


def number_patterns(codes: Codes, n_units: int, n_raters: int, n_labels: int) -> Patterns | None:
    """The patterns of units.

    Parameters
    ----------
    codes : tuple of three ndarray of int, each of shape (n,)
        Of unit, rater and label, in any order.

    Returns
    -------
    Patterns or None
        None where no integer holds a pattern, and where ratings are out of range or two of a unit and rater, or a
        unit has none.
    """
    most = (n_labels + 1) ** n_raters
    if most > _MOST_NUMBERS or not n_units:
        return None
    tabulated = most <= _MOST_TABULATED
    number = np.empty(n_units, dtype=np.uint16 if tabulated else np.int64)
    powers = _powers(n_raters, n_labels)
    if not (_number_grid(codes, n_labels, powers, number) or _number_rows(codes, n_labels, powers, number)):
        return None
    if tabulated:
        counts = np.zeros(most, dtype=np.int64)
        compiled(tabulate)(number, counts)
        distinct = np.flatnonzero(counts)
        count = counts[distinct]
    else:
        distinct, count = np.unique(number, return_counts=True)
    return Patterns(number=number, distinct=distinct, count=count, n_raters=n_raters, n_labels=n_labels)


def _powers(n_raters: int, n_labels: int) -> np.ndarray:
    return np.array([(n_labels + 1) ** rater for rater in range(n_raters)], dtype=np.int64)


def _number_grid(codes: Codes, n_labels: int, powers: np.ndarray, number: np.ndarray) -> bool:
    """Fill in the numbers of units that come one after the other, each with all raters in order; False if not so."""
    n_raters = len(powers)
    if len(codes[0]) != len(number) * n_raters:
        return False
    ends = _ends(len(number), len(codes[0]))

    def numbered(part: int) -> bool:
        first, end = ends[part : part + 2]
        columns = (column[first * n_raters : end * n_raters] for column in codes)
        return bool(compiled(number_grid)(*columns, first, n_labels, powers, number[first:end]))

    return all(side_by_side(numbered, len(ends) - 1))


def _number_rows(codes: Codes, n_labels: int, powers: np.ndarray, number: np.ndarray) -> bool:
    """Fill in the numbers of units whose ratings come in any order; False where `number_patterns` gives None."""
    # Each part has a number of every unit: more parts than ratings a unit would take more memory than the ratings.
    ends = _ends(len(codes[0]), len(codes[0]), most=len(codes[0]) // len(number))
    parts = np.zeros((len(ends) - 1, len(number), 2), dtype=number.dtype)

    def numbered(part: int) -> bool:
        rows = (column[ends[part] : ends[part + 1]] for column in codes)
        return bool(compiled(number_rows)(*rows, n_labels, powers, parts[part]))

    within = all(side_by_side(numbered, len(parts)))
    return within and bool(compiled(join_parts)(parts, number))


def _ends(n: int, n_rows: int, most: int | None = None) -> list[int]:
    """Where parts of n things that have so many rows start, and the last ends."""
    n_parts = max(1, min(os.cpu_count() or 1, n_rows // _ROWS_A_PART, n if most is None else most))
    return [n * part // n_parts for part in range(n_parts + 1)]


def number_grid(
    unit: np.ndarray,
    rater: np.ndarray,
    label: np.ndarray,
    first: int,
    n_labels: int,
    powers: np.ndarray,
    number: np.ndarray,
) -> bool:
    """Kernel: the numbers of units from `first` on; False if rows are not those of a grid, or out of range."""
    n_raters = np.int64(len(powers))
    start = np.int64(first) * n_raters
    off_grid, sign = np.int64(0), np.int64(0)
    for row in range(len(unit)):
        of_rater, of_label = np.int64(rater[row]), np.int64(label[row])
        off_grid |= (np.int64(unit[row]) * n_raters + of_rater) ^ (start + row)
        sign |= of_rater | (n_raters - 1 - of_rater) | of_label | (n_labels - 1 - of_label)
    if off_grid != 0 or sign < 0:
        return False
    for one in range(len(number)):
        pattern = np.int64(0)
        for place in range(len(powers)):
            pattern += (np.int64(label[one * len(powers) + place]) + 1) * powers[place]
        number[one] = pattern
    return True


def number_rows(
    unit: np.ndarray, rater: np.ndarray, label: np.ndarray, n_labels: int, powers: np.ndarray, part: np.ndarray
) -> bool:
    """Kernel: add to each unit's number, and to the bits of its raters; False for two of a rater, or out of range."""
    twice = np.int64(0)
    for row in range(len(unit)):
        of_unit, of_rater, of_label = np.int64(unit[row]), np.int64(rater[row]), np.int64(label[row])
        if not (0 <= of_unit < len(part) and 0 <= of_rater < len(powers) and 0 <= of_label < n_labels):
            return False
        bit = np.int64(1) << of_rater
        twice |= np.int64(part[of_unit, 1]) & bit
        part[of_unit, 0] += (of_label + 1) * powers[of_rater]
        part[of_unit, 1] |= bit
    return twice == 0


def join_parts(parts: np.ndarray, number: np.ndarray) -> bool:
    """Kernel: sum the numbers of parts, shape (n_parts, n_units, 2); False if a rater is in two, or a unit in none."""
    for one in range(len(number)):
        total, raters = np.int64(0), np.int64(0)
        for part in range(len(parts)):
            bits = np.int64(parts[part, one, 1])
            if raters & bits:
                return False
            raters |= bits
            total += np.int64(parts[part, one, 0])
        if raters == 0:
            return False
        number[one] = total
    return True


def tabulate(number: np.ndarray, count: np.ndarray) -> None:
    """Kernel: count units by the number of their pattern."""
    for one in range(len(number)):
        count[number[one]] += 1
