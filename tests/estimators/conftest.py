"""What tests of estimators share: games written as (first, sign, second, cluster), ratings as a table."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from juryline.estimators.agreement_units import Ratings, tally_ratings
from juryline.estimators.games import Games, Outcome, PairTallies

SIGNS = {">": Outcome.FIRST, "<": Outcome.SECOND, "=": Outcome.TIE, "x": Outcome.BOTH_FAIL}


@pytest.fixture
def games() -> Callable[..., Games]:
    """Games from rows (first, sign, second) and optionally a cluster for each dimension; else each its own."""

    def build(rows: Sequence[tuple[Any, ...]], n_systems: int | None = None) -> Games:
        first, second = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 2))
        ways = list(zip(*[row[3:] for row in rows])) or [range(len(rows))]
        return Games(
            first=first,
            second=second,
            outcome=np.array([SIGNS[row[1]] for row in rows], dtype=np.int64),
            clusters=tuple(np.array(way, dtype=np.int64) for way in ways),
            n_systems=n_systems or int(max(first.max(), second.max())) + 1,
        )

    return build


@pytest.fixture
def renamed() -> Callable[[Games, np.ndarray], Games]:
    """The same games, each system under another code."""
    return lambda games, code: replace(games, first=code[games.first], second=code[games.second])


@pytest.fixture
def tallied() -> Callable[[Games], PairTallies]:
    """Counts by pair, orientation and cluster of the same games."""

    def tally(games: Games) -> PairTallies:
        rows = np.stack([games.first, games.second, *games.clusters])
        cells, cell = np.unique(rows, axis=1, return_inverse=True)
        counts = np.zeros((len(Outcome), cells.shape[1]), dtype=np.int64)
        np.add.at(counts, (games.outcome, cell), 1)
        first, second, *clusters = cells
        wins, losses, ties, both_fail = counts
        return PairTallies(
            first=first,
            second=second,
            wins=wins,
            losses=losses,
            ties=ties,
            both_fail=both_fail,
            clusters=tuple(clusters),
            n_systems=games.n_systems,
        )

    return tally


@pytest.fixture
def rated() -> Callable[..., Ratings]:
    """Ratings from a table, units x raters; None is not rated, and a unit that nobody rated is left out."""

    def build(table: Sequence[Sequence[Any]], labels: Sequence[Any]) -> Ratings:
        rows = [row for row in table if any(label is not None for label in row)]
        cells = [
            (unit, rater, labels.index(label))
            for unit, row in enumerate(rows)
            for rater, label in enumerate(row)
            if label is not None
        ]
        unit, rater, label = np.array(cells, dtype=np.int64).reshape(-1, 3).T
        return tally_ratings(
            unit,
            rater,
            label,
            np.ones(len(cells), dtype=np.int64),
            n_units=len(rows),
            n_raters=max((len(row) for row in table), default=0),
            n_labels=len(labels),
        )

    return build


@pytest.fixture
def turned_round():
    """The same counts with rows in another order and every pair named the other way round."""

    def turn(tallies: PairTallies) -> PairTallies:
        order = np.random.default_rng(0).permutation(len(tallies.first))
        return PairTallies(
            first=tallies.second[order],
            second=tallies.first[order],
            wins=tallies.losses[order],
            losses=tallies.wins[order],
            ties=tallies.ties[order],
            both_fail=tallies.both_fail[order],
            clusters=tuple(codes[order] for codes in tallies.clusters),
            n_systems=tallies.n_systems,
        )

    return turn
