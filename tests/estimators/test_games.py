import numpy as np
import pytest

from juryline.estimators.games import Games, PairTallies


def test_a_system_against_itself_is_refused(games):
    with pytest.raises(ValueError, match="1 games of a system against itself"):
        games([(0, ">", 1), (1, ">", 1)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": np.array([2])}, "first holds codes 2 to 2: not in 0 to 1"),
        ({"second": np.array([-1])}, "second holds codes -1 to -1"),
        ({"outcome": np.array([4])}, "outcome holds codes 4 to 4: not in 0 to 3"),
        ({"clusters": (np.array([0, 1]),)}, r"different lengths: \[1, 2\]"),
    ],
)
def test_codes_out_of_range_and_lengths_that_differ_are_refused(change, message):
    one = {"first": np.array([0]), "second": np.array([1]), "outcome": np.array([0]), "clusters": (np.array([0]),)}

    with pytest.raises(ValueError, match=message):
        Games(**one | change, n_systems=2)


def test_a_negative_count_is_refused():
    one, none = np.array([1]), np.array([0])

    with pytest.raises(ValueError, match="negative"):
        PairTallies(
            first=none, second=one, wins=-one, losses=one, ties=one, both_fail=none, clusters=(none,), n_systems=2
        )


def test_an_unknown_tie_rule_is_refused(games, tallied):
    one = games([(0, ">", 1)])

    with pytest.raises(ValueError, match="'davidson': not one of half, drop"):
        one.rated("davidson")
    with pytest.raises(ValueError, match="'win': not one of half, drop"):
        tallied(one).points("win")


def test_both_fail_is_no_rated_game_and_a_dropped_tie_is_none(games):
    every = games([(0, ">", 1), (1, "<", 2), (2, "=", 0), (0, "x", 1)])

    assert every.rated("half").of_each().tolist() == [2, 2, 2]
    assert every.rated("drop").of_each().tolist() == [1, 2, 1]


def test_games_seen_from_both_sides_mirror_each_other(games, tallied):
    tallies = tallied(games([(0, ">", 1, 0), (1, ">", 0, 0), (1, "=", 0, 1), (0, ">", 2, 1), (0, "x", 1, 2)]))

    side, other = tallies.seen_from(0, 1), tallies.seen_from(1, 0)

    assert [int(count.sum()) for count in (side.wins, side.losses, side.ties, side.both_fail)] == [1, 1, 1, 1]
    assert [int(count.sum()) for count in (other.wins, other.losses, other.ties, other.both_fail)] == [1, 1, 1, 1]
    assert int(tallies.seen_from(0).wins.sum()) == 2
    assert int(tallies.seen_from(2).losses.sum()) == 1
