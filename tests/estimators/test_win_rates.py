import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.games import Side
from juryline.estimators.win_rates import competition_ranks, win_rates

PAIRS = json.loads((Path(__file__).parents[1] / "golden" / "pairs.json").read_text())
GOLDEN = PAIRS["win_rates"]
LEVEL = 0.95


def side(wins, losses, ties=0, both_fail=0, clusters=None):
    wins, losses, ties, both_fail = np.broadcast_arrays(*map(np.atleast_1d, (wins, losses, ties, both_fail)))
    ways = (np.arange(len(wins)),) if clusters is None else tuple(map(np.array, clusters))
    return Side(wins=wins, losses=losses, ties=ties, both_fail=both_fail, clusters=ways)


def rates(*counts, **clusters):
    return win_rates(side(*counts, **clusters), level=LEVEL)


def test_four_raters_count_as_fewer_than_their_games():
    golden, tolerance = GOLDEN, GOLDEN["tolerance"]

    result = rates(golden["wins"], golden["losses"]).win_rate

    assert result.rate.value == golden["rate"]
    assert result.interval.std_error**2 == pytest.approx(golden["variance"], abs=tolerance)
    assert [result.interval.low, result.interval.high] == pytest.approx(golden["interval"], abs=tolerance)
    assert result.interval.reason == (Reason.FEW_CLUSTERS,)
    assert (result.interval.n_clusters, result.n_games) == (4, 16)


def test_one_game_a_cluster_gives_the_plain_wilson_interval():
    wins = np.repeat([1, 0], [10, 6])

    interval = rates(wins, 1 - wins).win_rate.interval

    assert [interval.low, interval.high] == pytest.approx(GOLDEN["one_game_a_rater"], abs=GOLDEN["tolerance"])
    assert interval.method == "wilson"


@pytest.mark.parametrize(("wins", "n"), [(1, 12), (0, 12), (12, 12), (700, 1000)])
def test_plain_intervals_are_those_of_statsmodels(wins, n):
    won = (np.arange(n) < wins).astype(int)

    interval = rates(won, 1 - won).win_rate.interval

    assert (interval.low, interval.high) == pytest.approx(proportion_confint(wins, n, method="wilson"), abs=1e-12)


def test_ties_that_count_half_spread_less_than_wins_and_losses():
    """30 wins, 10 losses, 60 ties: mean .6, mean square .45, so that they spread .09 where hits and misses spread .24.

    With z^2 hits and misses more, 100 games say what 100 * .24/s^2 hits and misses do.
    """
    wins, losses, ties = np.repeat(np.eye(3, dtype=int), [30, 10, 60], axis=0).T

    half = rates(wins, losses, ties).half.interval

    more = stats.norm.ppf(0.975) ** 2
    size = 100 * 0.24 / ((100 * 0.09 + more * 0.24) / (100 + more))
    expected = proportion_confint(0.6 * size, size, method="wilson")
    assert (half.low, half.high) == pytest.approx(expected, rel=1e-12)


def test_one_decisive_game_more_hardly_moves_the_interval_of_ties_that_count_half():
    """All ties bound the decisive games that there may be: after 100 of them, about 3 in 100 (the rule of three)."""
    none = np.zeros(100, dtype=int)
    one = np.eye(1, 100, dtype=int)[0]

    all_ties, all_but_one = rates(none, none, none + 1).half, rates(one, none, 1 - one).half

    assert all_ties.rate.value == 0.5
    assert (all_ties.interval.low, all_ties.interval.high) == pytest.approx((0.5 - 0.03 / 2, 0.5 + 0.03 / 2), abs=0.005)
    assert all_but_one.interval.low == pytest.approx(all_ties.interval.low, abs=0.005)
    assert all_but_one.interval.high == pytest.approx(all_ties.interval.high, abs=0.01)


@pytest.mark.parametrize(("n", "decisive", "won"), [(30, 0.1, 1.0), (30, 0.2, 0.8), (100, 0.1, 0.9)])
def test_ties_that_count_half_are_covered_where_few_games_are_decisive(n, decisive, won):
    draw = np.random.default_rng(3)
    truth = 0.5 + decisive * (won - 0.5)
    chances = [decisive * won, decisive * (1 - won), 1 - decisive]

    games = [np.eye(3, dtype=int)[draw.choice(3, size=n, p=chances)].T for _ in range(400)]
    ends = [rates(*of_study).half.interval for of_study in games]

    # The binomial chance of fewer than 91 % where 95 % are covered is 1 in 2,000.
    assert np.mean([end.low <= truth <= end.high for end in ends]) >= 0.91


def test_three_treatments_of_ties():
    golden = PAIRS["ties"]

    result = rates([1, 0, 0], [0, 1, 0], [0, 0, 98])

    assert result.win_rate.rate.value == golden["win_rate"]
    assert result.decisive.rate.value == golden["decisive"]
    assert result.half.rate.value == golden["half"]
    assert (result.wins, result.losses, result.ties, result.both_fail, result.n_games) == (1, 1, 98, 0, 100)
    assert (result.win_rate.n_games, result.decisive.n_games, result.half.n_games) == (100, 2, 100)


def test_both_failing_counts_as_a_game_without_a_win_and_as_no_half():
    result = rates([2, 1], [1, 0], [2, 0], [1, 3])

    assert result.win_rate.rate.value == pytest.approx(3 / 10)
    assert result.decisive.rate.value == pytest.approx(3 / 4)
    assert result.half.rate.value == pytest.approx((3 + 1) / (4 + 2))


def test_no_game_is_insufficient():
    result = rates([], [])

    for rate in (result.win_rate, result.decisive, result.half):
        assert (rate.rate.status, rate.rate.reason) == (Status.INSUFFICIENT, (Reason.NO_GAMES,))
        assert rate.interval.status is Status.INSUFFICIENT
    assert result.n_games == 0


def test_only_ties_leave_the_decisive_rate_undefined_not_half():
    result = rates([0, 0], [0, 0], [3, 2])

    assert (result.decisive.rate.status, result.decisive.rate.reason) == (
        Status.UNDEFINED,
        (Reason.NO_DECISIVE_GAME,),
    )
    assert result.win_rate.rate.value == 0
    assert result.half.rate.value == 0.5


def test_only_failures_leave_the_half_rate_undefined():
    result = rates([0, 0], [0, 0], [0, 0], [1, 2])

    assert (result.half.rate.status, result.half.rate.reason) == (Status.UNDEFINED, (Reason.ZERO_DENOMINATOR,))
    assert result.win_rate.rate.value == 0


def test_one_cluster_has_a_rate_and_no_interval():
    result = rates([3], [2]).win_rate

    assert result.rate.value == 0.6
    assert (result.interval.status, result.interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_a_cluster_of_ties_only_is_no_cluster_of_the_decisive_rate():
    result = rates([3, 1, 0], [1, 3, 0], [0, 0, 4])

    assert result.win_rate.interval.n_clusters == 3
    assert result.decisive.interval.n_clusters == 2


def test_how_a_cluster_is_split_into_rows_changes_nothing():
    whole = rates([3, 1, 4, 2], [1, 3, 0, 2])
    split = rates([2, 1, 1, 0, 4, 2], [0, 1, 0, 3, 0, 2], clusters=[[5, 5, 2, 2, 9, 0]])

    assert (split.win_rate.interval.low, split.win_rate.interval.high) == pytest.approx(
        (whole.win_rate.interval.low, whole.win_rate.interval.high), abs=1e-12
    )


def test_rates_of_two_sides_add_up_to_one():
    one, other = rates([3, 1, 4], [1, 3, 0], [1, 0, 2]), rates([1, 3, 0], [3, 1, 4], [1, 0, 2])

    for rate, mirrored in ((one.decisive, other.decisive), (one.half, other.half)):
        assert rate.rate.value + mirrored.rate.value == pytest.approx(1)
        assert rate.interval.low + mirrored.interval.high == pytest.approx(1)


def test_ranks_are_shared_and_skip():
    results = [rates([wins], [10 - wins]) for wins in (7, 9, 7, 1)]

    assert competition_ranks([*results, rates([], [])]) == [2, 1, 2, 4, None]


def test_equal_fractions_of_unequal_counts_share_a_rank():
    assert competition_ranks([rates([1], [2]), rates([111], [222]), rates([3], [7])]) == [1, 1, 3]
