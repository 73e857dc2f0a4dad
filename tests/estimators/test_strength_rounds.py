"""Bradley-Terry intervals over resampled clusters: rounds fitted by choix, and rounds without a value (METHODS 6)."""

import math
from dataclasses import replace
from itertools import combinations

import choix
import numpy as np
import pytest

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.bootstrap import round_generator
from juryline.estimators.bradley_terry import ELO_PER_LOG_ODDS, bradley_terry
from juryline.estimators.games import Games
from juryline.estimators.inference import t_quantile
from juryline.estimators.strength_rounds import Resampling

RESAMPLING = Resampling(rounds=50, seed=3, analysis="bt", percentile=False)
FAILED = (Reason.BOOTSTRAP_ROUNDS_FAILED,)


def fit(tallies, ties="half", resampling=RESAMPLING):
    pairs = list(combinations(range(tallies.n_systems), 2))
    return bradley_terry(tallies, ties=ties, pairs=pairs, level=0.95, resampling=resampling)


def random_games(seed, n_games=240, n_systems=3, n_clusters=12, ways=1):
    rng = np.random.default_rng(seed)
    theta = np.linspace(0.6, -0.6, n_systems)
    first = rng.integers(n_systems, size=n_games)
    second = (first + rng.integers(1, n_systems, size=n_games)) % n_systems
    chance = 1 / (1 + np.exp(theta[second] - theta[first]))
    outcome = np.where(rng.random(n_games) < 0.2, 2, np.where(rng.random(n_games) < chance, 0, 1))
    return Games(
        first=first,
        second=second,
        outcome=outcome,
        clusters=tuple(rng.integers(n_clusters, size=n_games) for _ in range(ways)),
        n_systems=n_systems,
    )


def refitted(games, codes, way=0):
    """Strengths in each round of the bootstrap over these clusters, with half ties, by choix."""
    n_clusters = len(np.unique(codes))
    rounds = []
    for number in range(RESAMPLING.rounds):
        stream = round_generator(RESAMPLING.seed, RESAMPLING.analysis, way * RESAMPLING.rounds + number)
        copies = np.bincount(stream.integers(n_clusters, size=n_clusters), minlength=n_clusters)[codes]
        points = np.zeros((games.n_systems, games.n_systems))
        for one, other, outcome, n in zip(games.first, games.second, games.outcome, copies):
            points[one, other] += n * (1.0, 0.0, 0.5)[outcome]
            points[other, one] += n * (0.0, 1.0, 0.5)[outcome]
        theta = choix.ilsr_pairwise_dense(points, alpha=0, tol=1e-12, max_iter=10_000)
        rounds.append(theta - theta.mean())
    return np.array(rounds)


def variance(values, n_clusters):
    return n_clusters / (n_clusters - 1) * values.var(ddof=1)


# --- every round, by another implementation -------------------------------------------------------------


def test_the_interval_is_estimate_and_spread_of_rounds_that_choix_fits(tallied):
    games = random_games(0)
    rounds = refitted(games, games.clusters[0])

    result = fit(tallied(games))

    contrast, rating = result.differences[1], result.ratings[0]
    spread = ELO_PER_LOG_ODDS * math.sqrt(variance(rounds[:, 0] - rounds[:, 2], 12))
    assert contrast.interval.std_error == pytest.approx(spread, rel=1e-6)
    assert contrast.interval.high == pytest.approx(contrast.difference.value + t_quantile(0.95, 11) * spread)
    assert contrast.test.statistic.value == pytest.approx(contrast.difference.value / spread, rel=1e-6)
    assert rating.interval.std_error == pytest.approx(ELO_PER_LOG_ODDS * math.sqrt(variance(rounds[:, 0], 12)))
    assert (contrast.interval.method, contrast.interval.n_boot, contrast.interval.n_boot_failed) == (
        "bootstrap_t",
        50,
        0,
    )
    assert (contrast.interval.seed, contrast.interval.df) == (3, 11)


def test_two_ways_combine_three_bootstraps(tallied):
    games = random_games(1, ways=2)
    one, other = games.clusters
    cell = np.unique(one * 100 + other, return_inverse=True)[1]
    of_each = [
        variance(rounds[:, 0] - rounds[:, 1], len(np.unique(codes)))
        for way, codes in enumerate((one, other, cell))
        for rounds in [refitted(games, codes, way)]
    ]

    interval = fit(tallied(games)).differences[0].interval

    expected = max(of_each[0] + of_each[1] - of_each[2], of_each[0], of_each[1])
    assert interval.std_error == pytest.approx(ELO_PER_LOG_ODDS * math.sqrt(expected), rel=1e-6)
    assert (interval.n_boot, interval.df, interval.n_clusters) == (150, 11, 12)


def test_percentiles_are_quantiles_of_the_rounds(tallied):
    games = random_games(2)
    rounds = refitted(games, games.clusters[0])
    low, high = np.quantile(rounds[:, 0] - rounds[:, 1], [0.025, 0.975])

    contrast = fit(tallied(games), resampling=replace(RESAMPLING, percentile=True)).differences[0]

    assert (contrast.interval.low, contrast.interval.high) == pytest.approx(
        (ELO_PER_LOG_ODDS * low, ELO_PER_LOG_ODDS * high), rel=1e-6
    )
    chances = contrast.win_probability_interval
    assert (chances.low, chances.high) == pytest.approx((1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))))
    assert contrast.interval.method == chances.method == "bootstrap_percentile"


@pytest.mark.parametrize("ties", ["half", "drop", "davidson"])
def test_with_many_clusters_rounds_spread_as_the_sandwich_says(tallied, ties):
    tallies = tallied(random_games(4, n_games=1_500, n_clusters=150))
    rounds, sandwich = (fit(tallies, ties, how) for how in (replace(RESAMPLING, rounds=300), None))

    for one, other in zip(rounds.differences, sandwich.differences):
        assert one.difference == other.difference
        assert one.interval.std_error == pytest.approx(other.interval.std_error, rel=0.15)  # 300 rounds: 4 % s.e.
    if ties == "davidson":
        one, other = rounds.tie_parameter, sandwich.tie_parameter
        assert one.interval.std_error == pytest.approx(other.interval.std_error, rel=0.15)
        assert one.interval.low < one.nu.value < one.interval.high


# --- rounds without a value -----------------------------------------------------------------------------


def sides(cluster, *pairs):
    """Both outcomes of each pair, in one cluster."""
    return [(one, sign, other, cluster) for one, other in pairs for sign in "><"]


def test_rounds_in_which_a_system_has_no_game_are_counted_and_never_replaced(games, tallied):
    """In (7/8)^8 = 34 % of rounds the one cluster in which system 2 met anyone is not drawn."""
    rows = [game for cluster in range(8) for game in sides(cluster, (0, 1))] + [(0, ">", 1, 0), (1, ">", 0, 3)]

    result = fit(tallied(games(rows + sides(5, (0, 2), (1, 2)))))

    near, far = result.differences[0], result.differences[1]
    assert (near.interval.status, near.interval.n_boot_failed) == (Status.OK, 0)
    assert far.difference.status is Status.OK
    assert (far.interval.status, far.interval.reason) == (Status.NOT_ESTIMABLE, FAILED)
    assert (far.test.statistic.status, far.test.statistic.reason) == (Status.NOT_ESTIMABLE, FAILED)
    assert far.test.p_value is None
    assert (far.win_probability_interval.status, far.win_probability_interval.low) == (Status.NOT_ESTIMABLE, None)
    assert 5 <= far.interval.n_boot_failed <= 30
    # Without system 2 the others' mean is another zero: their ratings have no value in such a round either.
    assert (result.ratings[0].rating.status, result.ratings[0].interval.reason) == (Status.OK, FAILED)


def test_few_failed_rounds_leave_an_interval_that_says_how_many(games, tallied):
    """In (1 - 4/12)^12 = 0.8 % of rounds system 2 has no win, in (1 - 6/12)^12 = 0.02 % no loss."""
    rows = [game for cluster in range(12) for game in sides(cluster, (0, 1))] + [(0, ">", 1, 0)]
    rows += [(0, ">", 2, cluster) for cluster in range(6)] + [(2, ">", 0, cluster) for cluster in range(6, 10)]

    interval = fit(tallied(games(rows)), resampling=replace(RESAMPLING, rounds=400)).differences[1].interval

    assert interval.status is Status.OK
    assert 0 < interval.n_boot_failed <= 20


def test_every_round_tests_existence_again(games, tallied):
    """System 2 lost only in cluster 3: where that is not drawn, it is undefeated and has no difference."""
    rows = [game for cluster in range(8) for game in [*sides(cluster, (0, 1)), (2, ">", 0, cluster)]]

    result = fit(tallied(games([*rows, (0, ">", 1, 4), (0, ">", 2, 3)])))

    assert result.differences[1].interval.reason == FAILED
    assert result.differences[0].interval.n_boot_failed == 0


def test_a_round_without_ties_has_strengths_and_no_tie_parameter(games, tallied):
    rows = [game for cluster in range(8) for game in sides(cluster, (0, 1))] + [(0, ">", 1, 1), (0, "=", 1, 5)]

    result = fit(tallied(games(rows)), "davidson")

    assert (result.differences[0].interval.status, result.differences[0].interval.n_boot_failed) == (Status.OK, 0)
    assert result.tie_parameter.nu.status is Status.OK
    assert (result.tie_parameter.interval.status, result.tie_parameter.interval.reason) == (
        Status.NOT_ESTIMABLE,
        FAILED,
    )


def test_a_round_in_which_wins_and_ties_separate_has_neither(games, tallied):
    rows = [(0, sign, 1, cluster) for cluster in range(8) for sign in ">="] + [(1, ">", 0, 2)]

    result = fit(tallied(games(rows)), "davidson")

    assert result.differences[0].difference.status is result.tie_parameter.nu.status is Status.OK
    assert result.differences[0].interval.reason == result.tie_parameter.interval.reason == FAILED


def test_what_has_no_value_is_not_resampled(games, tallied):
    result = fit(tallied(games([(0, ">", 1, 0), (0, ">", 1, 1)])))

    interval = result.differences[0].interval
    assert (interval.status, interval.method) == (Status.NOT_ESTIMABLE, "bootstrap_t")
    assert interval.reason == (Reason.NOT_STRONGLY_CONNECTED, Reason.ORDERED)


# --- clusters -------------------------------------------------------------------------------------------


def test_one_cluster_has_no_rounds(games, tallied):
    contrast = fit(tallied(games(sides(0, (0, 1))))).differences[0]

    assert (contrast.interval.status, contrast.interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))
    assert contrast.test.statistic.reason == (Reason.TOO_FEW_UNITS,)
    assert contrast.interval.n_boot == 0


def test_clusters_that_all_split_alike_have_no_interval(games, tallied):
    contrast = fit(tallied(games([row for cluster in range(12) for row in sides(cluster, (0, 1))]))).differences[0]

    assert (contrast.interval.status, contrast.interval.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    assert contrast.test.statistic.status is Status.DEGENERATE


def test_clusters_without_a_rated_game_are_not_drawn(games, tallied):
    rows = [row for cluster in range(5) for row in [*sides(cluster, (0, 1)), (0, ">", 1, cluster % 2)]]
    beside = [*rows, (0, "x", 1, 9), (0, "=", 1, 8)]

    one, other = fit(tallied(games(rows)), "drop"), fit(tallied(games(beside)), "drop")

    assert one.differences[0] == other.differences[0]
    assert one.differences[0].interval.n_clusters == 5


def test_the_order_of_rows_and_the_side_shown_first_change_no_bit(tallied, turned_round):
    tallies = tallied(random_games(5))

    assert fit(tallies, "davidson").ratings == fit(turned_round(tallies), "davidson").ratings
    assert fit(tallies, "davidson").tie_parameter == fit(turned_round(tallies), "davidson").tie_parameter


def test_another_seed_or_analysis_gives_other_rounds(tallied):
    tallies = tallied(random_games(6))
    spreads = {
        fit(tallies, resampling=replace(RESAMPLING, **other)).differences[0].interval.std_error
        for other in ({}, {"seed": 4}, {"analysis": "again"})
    }

    assert len(spreads) == 3


def test_percentiles_of_two_ways_and_single_rounds_raise(tallied):
    with pytest.raises(ValueError, match="one way only"):
        fit(tallied(random_games(7, ways=2)), resampling=replace(RESAMPLING, percentile=True))
    with pytest.raises(ValueError, match="at least 2"):
        replace(RESAMPLING, rounds=1)
