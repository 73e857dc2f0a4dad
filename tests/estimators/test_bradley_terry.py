import json
import math
from itertools import combinations
from pathlib import Path

import choix
import evalica
import numpy as np
import pytest
import statsmodels.api as sm

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.bradley_terry import ELO_PER_LOG_ODDS, bradley_terry
from juryline.estimators.games import Games, PairTallies

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "pairs.json").read_text())
WORKED = GOLDEN["bradley_terry"]
ELO = WORKED["tolerance"]["elo"]
LEVEL = 0.95
SPLIT = Reason.NOT_STRONGLY_CONNECTED


def fit(tallies, ties="half", pairs=None):
    every = list(combinations(range(tallies.n_systems), 2)) if pairs is None else pairs
    return bradley_terry(tallies, ties=ties, pairs=every, level=LEVEL)


def ratings(result):
    return [rating.rating.value for rating in result.ratings]


def four_raters():
    wins, losses = (np.array(GOLDEN["win_rates"][name]) for name in ("wins", "losses"))
    none = np.zeros(4, dtype=int)
    return PairTallies(
        first=none,
        second=none + 1,
        wins=wins,
        losses=losses,
        ties=none,
        both_fail=none,
        clusters=(np.arange(4),),
        n_systems=2,
    )


def random_games(seed, n_games=300, n_systems=5, n_clusters=15, ways=1):
    """Games by true strengths, with ties, in which every system wins and loses."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=n_systems)
    first = rng.integers(n_systems, size=n_games)
    second = (first + rng.integers(1, n_systems, size=n_games)) % n_systems
    chance = 1 / (1 + np.exp(theta[second] - theta[first]))
    drawn = rng.random(n_games)
    outcome = np.where(rng.random(n_games) < 0.2, 2, np.where(drawn < chance, 0, 1))
    return Games(
        first=first,
        second=second,
        outcome=outcome,
        clusters=tuple(rng.integers(n_clusters, size=n_games) for _ in range(ways)),
        n_systems=n_systems,
    )


# --- the worked examples of METHODS 6 -------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_three_wins_one_loss_four_ties(games, tallied, ties):
    golden = WORKED["three_wins_one_loss_four_ties"]
    tallies = tallied(
        games([(0, ">", 1, n) for n in range(3)] + [(0, "<", 1, 3)] + [(0, "=", 1, n) for n in range(4, 8)])
    )

    contrast = fit(tallies, ties).differences[0]

    assert contrast.difference.value == pytest.approx(golden[ties], abs=ELO)
    assert contrast.difference.value == pytest.approx(ELO_PER_LOG_ODDS * math.log({"half": 5 / 3, "drop": 3}[ties]))
    assert contrast.win_probability.value == pytest.approx({"half": 5 / 8, "drop": 3 / 4}[ties])
    if ties == "half":
        std_error = contrast.interval.std_error / ELO_PER_LOG_ODDS
        assert std_error == pytest.approx(golden["half_std_error_log_odds"], abs=WORKED["tolerance"]["log_odds"])


def test_four_raters_with_four_games_each():
    golden = WORKED["four_raters"]

    contrast = fit(four_raters(), "drop").differences[0]

    assert contrast.difference.value == pytest.approx(golden["difference"], abs=ELO)
    assert contrast.interval.std_error == pytest.approx(golden["std_error"], abs=ELO)
    assert contrast.test.statistic.value == pytest.approx(golden["difference"] / golden["std_error"], abs=1e-6)
    assert (contrast.test.df, contrast.interval.n_clusters) == (3, 4)


def test_the_gauge_puts_the_mean_rating_at_1000(tallied):
    half = WORKED["four_raters"]["difference"] / 2

    assert ratings(fit(four_raters(), "drop")) == pytest.approx([1000 + half, 1000 - half], abs=ELO)
    assert np.mean(ratings(fit(tallied(random_games(0))))) == pytest.approx(1000, abs=1e-9)


# --- other implementations ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ties", ["half", "drop"])
def test_strengths_are_those_of_choix(tallied, seed, ties):
    games = random_games(seed)
    points = np.zeros((5, 5))
    for first, second, outcome in zip(games.first, games.second, games.outcome):
        if outcome == 2:
            points[first, second] += 0.5 * (ties == "half")
            points[second, first] += 0.5 * (ties == "half")
        else:
            points[(first, second) if outcome == 0 else (second, first)] += 1

    expected = choix.ilsr_pairwise_dense(points, alpha=0, tol=1e-12, max_iter=10_000)

    found = (np.array(ratings(fit(tallied(games), ties))) - 1000) / ELO_PER_LOG_ODDS
    assert found == pytest.approx(expected - expected.mean(), abs=1e-7)


@pytest.mark.parametrize("seed", range(2))
def test_half_ties_are_those_of_evalica(tallied, seed):
    games = random_games(seed)
    winner = [(evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw)[outcome] for outcome in games.outcome]

    expected = evalica.bradley_terry(games.first, games.second, winner, tolerance=1e-12, limit=10_000).scores

    theta = np.log(expected.sort_index().to_numpy())
    found = (np.array(ratings(fit(tallied(games)))) - 1000) / ELO_PER_LOG_ODDS
    assert found == pytest.approx(theta - theta.mean(), abs=1e-6)


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("ties", ["half", "drop"])
def test_standard_errors_are_the_cluster_sandwich_of_statsmodels(tallied, ways, ties):
    games = random_games(9, ways=ways)
    rated = games.rated(ties)

    result = fit(tallied(games), ties)

    for (subject, comparator), contrast in zip(combinations(range(5), 2), result.differences):
        expected = np.sqrt(_statsmodels_variance(rated, subject, comparator)) * ELO_PER_LOG_ODDS
        assert contrast.interval.std_error == pytest.approx(expected, rel=1e-6)


def _statsmodels_variance(rated, subject, comparator):
    """Logistic regression on who met whom; two-way, the sum less the cells, or the larger of its parts."""
    design = np.eye(5)[rated.first] - np.eye(5)[rated.second]
    contrast = (np.eye(5)[subject] - np.eye(5)[comparator])[1:]
    score = np.array([1.0, 0.0, 0.5])[rated.outcome]
    model = sm.GLM(score, design[:, 1:], family=sm.families.Binomial())

    def variance(groups):
        n = len(np.unique(groups))
        options = {"groups": groups, "use_correction": False}
        fitted = model.fit(cov_type="cluster", cov_kwds=options, tol=1e-14, maxiter=200)
        return n / (n - 1) * contrast @ fitted.cov_params() @ contrast

    if len(rated.clusters) == 1:
        return variance(rated.clusters[0])
    one, other = rated.clusters
    by_one, by_other, by_cell = variance(one), variance(other), variance(one * 1_000 + other)
    return max(by_one + by_other - by_cell, by_one, by_other)


# --- laws -----------------------------------------------------------------------------------------------


def test_a_contrast_is_minus_the_opposite_contrast(tallied):
    one, other = fit(tallied(random_games(1)), pairs=[(0, 3), (3, 0)]).differences

    assert one.difference.value == pytest.approx(-other.difference.value)
    assert one.test.statistic.value == pytest.approx(-other.test.statistic.value)
    assert one.test.p_value == pytest.approx(other.test.p_value)
    assert one.interval.low == pytest.approx(-other.interval.high)
    assert one.win_probability.value + other.win_probability.value == pytest.approx(1)
    assert one.win_probability_interval.low + other.win_probability_interval.high == pytest.approx(1)


def test_a_contrast_is_the_difference_of_the_ratings(tallied):
    result = fit(tallied(random_games(2)))

    for (subject, comparator), contrast in zip(combinations(range(5), 2), result.differences):
        assert contrast.difference.value == pytest.approx(ratings(result)[subject] - ratings(result)[comparator])


def test_renaming_systems_renames_ratings_and_changes_none(tallied, renamed):
    games, code = random_games(3), np.array([3, 1, 4, 0, 2])
    one, other = fit(tallied(games)), fit(tallied(renamed(games, code)))

    assert [ratings(other)[system] for system in code] == pytest.approx(ratings(one), abs=1e-9)
    assert [other.ratings[system].interval.std_error for system in code] == pytest.approx(
        [rating.interval.std_error for rating in one.ratings], rel=1e-9
    )


def test_the_order_of_rows_and_the_side_shown_first_change_nothing(tallied, turned_round):
    games = random_games(4)
    tallies = tallied(games)
    one, other = fit(tallies), fit(turned_round(tallies))

    assert ratings(other) == pytest.approx(ratings(one), abs=1e-9)
    assert other.differences[0].interval.low == pytest.approx(one.differences[0].interval.low)


def test_games_in_which_both_failed_and_their_clusters_change_nothing(games, tallied):
    rows = [(0, ">", 1, 0), (1, ">", 0, 1), (0, ">", 1, 2)]

    one, other = fit(tallied(games(rows))), fit(tallied(games([*rows, (0, "x", 1, 3), (0, "x", 1, 0)])))

    assert ratings(one) == ratings(other)
    assert one.differences[0].interval == other.differences[0].interval
    assert [rating.n_games for rating in other.ratings] == [3, 3]


def test_dropped_ties_are_as_if_never_played(games, tallied):
    rows = [(0, ">", 1, 0), (1, ">", 0, 1), (0, ">", 1, 2)]

    one, other = fit(tallied(games(rows)), "drop"), fit(tallied(games([*rows, (0, "=", 1, 3)])), "drop")

    assert one.differences[0] == other.differences[0]


def test_a_long_run_of_wins_against_one_loss_converges(games, tallied):
    tallies = PairTallies(
        first=np.array([0, 1, 0]),
        second=np.array([1, 2, 2]),
        wins=np.array([1_000_000, 3, 5]),
        losses=np.array([1, 1, 0]),
        ties=np.zeros(3, dtype=int),
        both_fail=np.zeros(3, dtype=int),
        clusters=(np.arange(3),),
        n_systems=3,
    )

    difference = fit(tallies).differences[0].difference.value

    assert difference == pytest.approx(ELO_PER_LOG_ODDS * math.log(1e6), rel=1e-4)


# --- existence -------------------------------------------------------------------------------------------


def statuses(result):
    return [contrast.difference.status for contrast in result.differences]


def test_an_undefeated_system_has_no_strength_and_leaves_the_others_only_contrasts(games, tallied):
    rows = [(0, ">", 1), (0, ">", 2), (1, ">", 2), (2, ">", 1), (1, ">", 2)]

    result = fit(tallied(games(rows)))

    for rating in result.ratings:
        assert (rating.rating.status, rating.rating.reason) == (Status.NOT_ESTIMABLE, (SPLIT, Reason.ORDERED))
        assert rating.interval.status is Status.NOT_ESTIMABLE
    assert result.graph.component.tolist() == [1, 2, 2]
    assert statuses(result) == [Status.NOT_ESTIMABLE, Status.NOT_ESTIMABLE, Status.OK]
    inside = result.differences[2]
    assert inside.difference.value == pytest.approx(ELO_PER_LOG_ODDS * math.log(2))
    assert inside.interval.n_clusters == 3
    across = result.differences[0]
    assert across.test.statistic.status is across.win_probability.status is Status.NOT_ESTIMABLE
    assert across.test.p_value is None


def test_a_tie_makes_an_undefeated_system_finite_only_where_it_counts(games, tallied):
    tallies = tallied(games([(0, ">", 1)] * 3 + [(0, "=", 1)] * 4))

    assert fit(tallies, "half").differences[0].difference.value == pytest.approx(ELO_PER_LOG_ODDS * math.log(5 / 2))
    assert fit(tallies, "drop").differences[0].difference.status is Status.NOT_ESTIMABLE


def test_a_winless_system_has_no_strength(games, tallied):
    result = fit(tallied(games([(0, ">", 1), (1, ">", 0), (1, ">", 2)])))

    assert statuses(result) == [Status.OK, Status.NOT_ESTIMABLE, Status.NOT_ESTIMABLE]
    assert result.differences[0].difference.value == pytest.approx(0, abs=1e-9)


def test_groups_that_never_met_have_contrasts_inside_only(games, tallied):
    rows = [(0, ">", 2), (2, ">", 0), (0, ">", 2), (1, ">", 3), (3, ">", 1), (3, ">", 1)]

    result = fit(tallied(games(rows)))

    assert result.ratings[0].rating.reason == (SPLIT, Reason.DISCONNECTED)
    values = dict(zip(combinations(range(4), 2), (contrast.difference.value for contrast in result.differences)))
    assert values.pop((0, 2)) == pytest.approx(ELO_PER_LOG_ODDS * math.log(2))
    assert values.pop((1, 3)) == pytest.approx(-ELO_PER_LOG_ODDS * math.log(2))
    assert set(values.values()) == {None}


def test_a_contrast_inside_a_component_is_that_of_its_own_games(games, tallied):
    inside = random_games(5, n_systems=3, n_games=90)
    extra = [(3, ">", 0, 0), (3, ">", 1, 4), (3, ">", 2, 7)]
    sides = zip(inside.first.tolist(), inside.outcome.tolist(), inside.second.tolist(), inside.clusters[0].tolist())
    rows = [(first, "><="[outcome], second, cluster) for first, outcome, second, cluster in sides]

    alone, beside = fit(tallied(games(rows))), fit(tallied(games(rows + extra)))

    assert beside.graph.component.tolist() == [1, 1, 1, 2]
    assert beside.differences[0].difference == alone.differences[0].difference
    assert beside.differences[0].interval == alone.differences[0].interval


def test_a_system_without_games_is_insufficient_and_outside_the_gauge(games, tallied):
    result = fit(tallied(games([(0, ">", 1), (1, ">", 0)], n_systems=3)))

    assert ratings(result) == pytest.approx([1000, 1000, None])
    assert (result.ratings[2].rating.status, result.ratings[2].rating.reason) == (
        Status.INSUFFICIENT,
        (Reason.NO_GAMES,),
    )
    assert statuses(result) == [Status.OK, Status.INSUFFICIENT, Status.INSUFFICIENT]


def test_no_games_at_all_are_insufficient(games, tallied):
    result = fit(tallied(games([(0, "x", 1)])))

    assert [rating.rating.status for rating in result.ratings] == [Status.INSUFFICIENT] * 2


@pytest.mark.parametrize("seed", range(30))
def test_strengths_exist_exactly_where_choix_converges(seed):
    """All pairs met. A weak prior hardly moves a maximum that exists, and moves any other by the log of its weight."""
    rng = np.random.default_rng(seed)
    wins = np.zeros((4, 4), dtype=int)
    for pair in combinations(range(4), 2):
        for _ in range(rng.integers(1, 4)):
            winner, loser = rng.permutation(pair)
            wins[winner, loser] += 1
    first, second = np.nonzero(wins)
    tallies = PairTallies(
        first=first,
        second=second,
        wins=wins[first, second],
        losses=np.zeros(len(first), dtype=int),
        ties=np.zeros(len(first), dtype=int),
        both_fail=np.zeros(len(first), dtype=int),
        clusters=(np.arange(len(first)),),
        n_systems=4,
    )
    result = fit(tallies)

    pairs = [(winner, loser) for winner, loser in zip(first, second) for _ in range(wins[winner, loser])]
    one, other = (choix.opt_pairwise(4, pairs, alpha=alpha, tol=1e-12) for alpha in (1e-5, 1e-8))

    for (subject, comparator), contrast in zip(combinations(range(4), 2), result.differences):
        moved = abs((one[subject] - one[comparator]) - (other[subject] - other[comparator]))
        assert (contrast.difference.status is Status.OK) == (moved < 0.01)


# --- intervals ------------------------------------------------------------------------------------------


def test_one_cluster_has_strengths_without_interval_and_test(games, tallied):
    contrast = fit(tallied(games([(0, ">", 1, 0), (1, ">", 0, 0)]))).differences[0]

    assert contrast.difference.status is Status.OK
    assert contrast.interval.reason == contrast.win_probability_interval.reason == (Reason.ONE_CLUSTER,)
    assert contrast.test.statistic.status is Status.INSUFFICIENT


def test_clusters_that_all_split_alike_have_no_interval(games, tallied):
    rows = [(0, sign, 1, cluster) for cluster in range(12) for sign in (">", ">", "<")]

    contrast = fit(tallied(games(rows))).differences[0]

    assert contrast.difference.value == pytest.approx(ELO_PER_LOG_ODDS * math.log(2))
    assert (contrast.interval.status, contrast.interval.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    assert contrast.test.statistic.status is Status.DEGENERATE


def test_a_probability_interval_is_that_of_the_difference_transformed(tallied):
    contrast = fit(tallied(random_games(6))).differences[0]

    ends = (contrast.win_probability_interval.low, contrast.win_probability_interval.high)
    back = [ELO_PER_LOG_ODDS * math.log(end / (1 - end)) for end in ends]
    assert back == pytest.approx([contrast.interval.low, contrast.interval.high])


@pytest.mark.parametrize("pairs", [[(0, 0)], [(0, 5)], [(-1, 0)]])
def test_pairs_of_equal_or_unknown_systems_raise(tallied, pairs):
    with pytest.raises(ValueError, match="each must be two of the 5 systems"):
        fit(tallied(random_games(0)), pairs=pairs)
