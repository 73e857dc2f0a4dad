import numpy as np
import pytest

from juryline.estimators.game_counts import tally_games
from juryline.estimators.games import Games

OUTCOMES = ("wins", "losses", "ties", "both_fail")


def games(seed, n_games=500, ways=1, spread=1, dtype=np.int64):
    """Games in clusters whose codes are `spread` apart."""
    rng = np.random.default_rng(seed)
    first = rng.integers(6, size=n_games)
    return Games(
        first=first.astype(dtype),
        second=((first + rng.integers(1, 6, n_games)) % 6).astype(dtype),
        outcome=rng.integers(4, size=n_games).astype(dtype),
        clusters=tuple(rng.integers(-(spread > 1), 8, n_games) * spread for _ in range(ways)),
        n_systems=6,
    )


def rows(tallies):
    """Every row as plain numbers, clusters by rank: their codes mean nothing."""
    clusters = [np.unique(codes, return_inverse=True)[1] for codes in tallies.clusters]
    columns = [*clusters, tallies.first, tallies.second, *(getattr(tallies, name) for name in OUTCOMES)]
    return sorted(zip(*(column.tolist() for column in columns)))


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("spread", [1, 10**5, 2**58])
def test_games_are_counted_by_cluster_and_pair_however_far_codes_lie_apart(tallied, ways, spread):
    played = games(1, ways=ways, spread=spread)

    assert rows(tally_games(played)) == rows(tallied(played))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
def test_small_codes_are_counted_as_large_ones(dtype):
    assert rows(tally_games(games(2, dtype=dtype))) == rows(tally_games(games(2)))


@pytest.mark.parametrize("spread", [1, 10**5])
def test_rows_come_in_one_order_whatever_that_of_the_games(spread):
    played = games(3, ways=2, spread=spread)
    order = np.random.default_rng(0).permutation(len(played))
    again = Games(
        first=played.first[order],
        second=played.second[order],
        outcome=played.outcome[order],
        clusters=tuple(codes[order] for codes in played.clusters),
        n_systems=6,
    )

    one, other = tally_games(played), tally_games(again)

    for name in ("first", "second", *OUTCOMES):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


def test_games_counted_in_parts_are_those_counted_at_once(monkeypatch):
    played = games(4)
    whole = tally_games(played)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    monkeypatch.setattr("juryline.estimators.game_counts._GAMES_A_CELL", 0.1)

    assert rows(tally_games(played)) == rows(whole)


def test_no_games_are_no_rows():
    none = tally_games(games(0, n_games=0))

    assert (len(none.first), len(none.wins)) == (0, 0)
