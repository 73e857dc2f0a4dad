"""The data convention of every method over pairs of systems: who met whom, and what came of it.

Belongs here: single games in a declared order, which Elo needs, and counts of games by pair and
cluster, which suffice for win rates and Bradley-Terry. Does not: any statistic of them.

Systems are codes 0 .. n_systems - 1 in the order of the specification. Clusters are one or two
arrays of codes, one a dimension of the independent unit (METHODS 0.3).
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np

TieRule = Literal["half", "drop"]


class Outcome(IntEnum):
    """What came of one game."""

    FIRST = 0
    SECOND = 1
    TIE = 2
    BOTH_FAIL = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Games:
    """Single games, in an order that means something.

    Parameters
    ----------
    first, second : ndarray of int, shape (n_games,)
        The two systems.
    outcome : ndarray of int, shape (n_games,)
        Codes of `Outcome`.
    clusters : tuple of ndarray of int, each of shape (n_games,)
    n_systems : int

    Raises
    ------
    ValueError
        If shapes differ, a code is out of range, or a system meets itself.
    """

    first: np.ndarray
    second: np.ndarray
    outcome: np.ndarray
    clusters: tuple[np.ndarray, ...]
    n_systems: int

    def __post_init__(self) -> None:
        _check_systems(self.first, self.second, self.n_systems)
        _check_codes(self.outcome, len(Outcome), "outcome")
        _check_lengths(self.first, self.outcome, *self.clusters)

    def __len__(self) -> int:
        return len(self.first)

    def rated(self, ties: TieRule) -> "Games":
        """The games a rating is made of: never one in which both failed, and no tie if ties are dropped."""
        kept = self.outcome != Outcome.BOTH_FAIL
        if _checked(ties) == "drop":
            kept &= self.outcome != Outcome.TIE
        return Games(
            first=self.first[kept],
            second=self.second[kept],
            outcome=self.outcome[kept],
            clusters=tuple(codes[kept] for codes in self.clusters),
            n_systems=self.n_systems,
        )

    def of_each(self) -> np.ndarray:
        """Games of each system, shape (n_systems,)."""
        return np.bincount(np.concatenate([self.first, self.second]), minlength=self.n_systems)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Side:
    """Games seen from one system, counted by row of a tally: shape (n_rows,) each."""

    wins: np.ndarray
    losses: np.ndarray
    ties: np.ndarray
    both_fail: np.ndarray
    clusters: tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTallies:
    """Counts of games, a row a pair and cluster (two-way: a pair and cell).

    Parameters
    ----------
    first, second : ndarray of int, shape (n_rows,)
        The two systems; either order, and a pair may have many rows.
    wins, losses, ties, both_fail : ndarray of int, shape (n_rows,)
        Of `first`.
    clusters : tuple of ndarray of int, each of shape (n_rows,)
    n_systems : int

    Raises
    ------
    ValueError
        If shapes differ, a code is out of range, a count is negative, or a system meets itself.
    """

    first: np.ndarray
    second: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    ties: np.ndarray
    both_fail: np.ndarray
    clusters: tuple[np.ndarray, ...]
    n_systems: int

    def __post_init__(self) -> None:
        _check_systems(self.first, self.second, self.n_systems)
        counts = (self.wins, self.losses, self.ties, self.both_fail)
        _check_lengths(self.first, *counts, *self.clusters)
        if any(len(count) and count.min() < 0 for count in counts):
            raise ValueError("a count of games is negative")

    def seen_from(self, system: int, opponent: int | None = None) -> Side:
        """The games of one system, against all others or against one."""
        as_first = (self.first == system) & ((opponent is None) | (self.second == opponent))
        as_second = (self.second == system) & ((opponent is None) | (self.first == opponent))

        def both(when_first: np.ndarray, when_second: np.ndarray) -> np.ndarray:
            return np.concatenate([when_first[as_first], when_second[as_second]])

        return Side(
            wins=both(self.wins, self.losses),
            losses=both(self.losses, self.wins),
            ties=both(self.ties, self.ties),
            both_fail=both(self.both_fail, self.both_fail),
            clusters=tuple(both(codes, codes) for codes in self.clusters),
        )

    def points(self, ties: TieRule) -> tuple[np.ndarray, np.ndarray]:
        """Points of `first` and of `second` in each row: a win 1, a tie one half or, dropped, not a game."""
        shared = self.ties / 2 if _checked(ties) == "half" else 0.0
        return self.wins + shared, self.losses + shared


def _checked(ties: TieRule) -> TieRule:
    if ties not in ("half", "drop"):
        raise ValueError(f"ties {ties!r}: not one of half, drop")
    return ties


def _check_systems(first: np.ndarray, second: np.ndarray, n_systems: int) -> None:
    _check_lengths(first, second)
    _check_codes(first, n_systems, "first")
    _check_codes(second, n_systems, "second")
    if np.any(first == second):
        raise ValueError(f"{np.count_nonzero(first == second)} games of a system against itself")


def _check_codes(codes: np.ndarray, n_codes: int, name: str) -> None:
    if len(codes) and (codes.max() >= n_codes or (codes.dtype.kind != "u" and codes.min() < 0)):
        raise ValueError(f"{name} holds codes {codes.min()} to {codes.max()}: not in 0 to {n_codes - 1}")


def _check_lengths(first: np.ndarray, *others: np.ndarray) -> None:
    lengths = {len(array) for array in (first, *others)}
    if len(lengths) > 1:
        raise ValueError(f"arrays of different lengths: {sorted(lengths)}")
