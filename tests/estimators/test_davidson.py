"""Davidson's model of ties: its maximum, its intervals, and where it has none (METHODS 6)."""

import json
import math
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.bradley_terry import ELO_PER_LOG_ODDS, bradley_terry
from juryline.estimators.games import Games, Outcome, PairTallies
from juryline.estimators.inference import t_quantile

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "pairs.json").read_text())["bradley_terry"]
THREE_ONE_FOUR = [(0, ">", 1)] * 3 + [(0, "<", 1)] + [(0, "=", 1)] * 4
LEVEL = 0.95
NO_TIES, SEPARATED, UNDECIDED = (Reason.NO_TIES,), (Reason.TIE_SEPARATION,), (Reason.NO_DECISIVE_GAME,)


def fit(tallies, ties="davidson"):
    pairs = list(combinations(range(tallies.n_systems), 2))
    return bradley_terry(tallies, ties=ties, pairs=pairs, level=LEVEL)


def strengths(result):
    return np.array([rating.rating.value - 1000 for rating in result.ratings]) / ELO_PER_LOG_ODDS


def random_games(seed, n_games=200, n_systems=4, n_clusters=12, ways=1):
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=n_systems)
    first = rng.integers(n_systems, size=n_games)
    second = (first + rng.integers(1, n_systems, size=n_games)) % n_systems
    half = (theta[first] - theta[second]) / 2
    weight = np.exp(np.stack([half, -half, np.full(n_games, 0.3)]))
    outcome = (rng.random(n_games) > np.cumsum(weight / weight.sum(axis=0), axis=0)).sum(axis=0)
    return Games(
        first=first,
        second=second,
        outcome=outcome,
        clusters=tuple(rng.integers(n_clusters, size=n_games) for _ in range(ways)),
        n_systems=n_systems,
    )


def log_likelihood(games, theta, beta, weight=1.0):
    """Davidson's, written out: P(i) : P(j) : P(tie) = e^theta_i : e^theta_j : e^(beta + (theta_i + theta_j)/2)."""
    one, other = theta[games.first], theta[games.second]
    log_weight = np.stack([one, other, beta + (one + other) / 2])
    chosen = log_weight[games.outcome, np.arange(len(games))]
    return float(np.sum(weight * (chosen - np.logaddexp.reduce(log_weight, axis=0))))


def free(at):
    """Strengths that sum to zero, from all but the last of them."""
    return np.append(at[:-1], -at[:-1].sum()), at[-1]


def gradient(function, at, step=1e-5):
    return np.array([(function(at + e) - function(at - e)) / (2 * step) for e in step * np.eye(len(at))])


# --- worked examples ------------------------------------------------------------------------------------


def test_three_wins_one_loss_four_ties(games, tallied):
    result = fit(tallied(games(THREE_ONE_FOUR)))

    contrast, ties = result.differences[0], result.tie_parameter
    golden = GOLDEN["three_wins_one_loss_four_ties"]
    assert contrast.difference.value == pytest.approx(golden["davidson"], abs=GOLDEN["tolerance"]["elo"])
    assert contrast.difference.value == pytest.approx(ELO_PER_LOG_ODDS * math.log(3))
    assert contrast.win_probability.value == pytest.approx(3 / 4)
    assert ties.nu.value == pytest.approx(golden["nu"], abs=GOLDEN["tolerance"]["log_odds"])
    assert ties.nu.value == pytest.approx(4 / math.sqrt(3))


def test_intervals_of_one_pair_are_those_of_a_multinomial(games, tallied):
    """ln(w/l) and ln(t/sqrt(w l)) have variances 1/w + 1/l and 1/t + (1/w + 1/l)/4, times G/(G - 1)."""
    result = fit(tallied(games(THREE_ONE_FOUR)))

    contrast, ties = result.differences[0], result.tie_parameter
    spread = math.sqrt(8 / 7 * (1 / 4 + (1 / 3 + 1) / 4))
    half = t_quantile(LEVEL, 7) * spread
    assert contrast.interval.std_error == pytest.approx(ELO_PER_LOG_ODDS * math.sqrt(8 / 7 * (1 / 3 + 1)))
    assert ties.interval.std_error == pytest.approx(4 / math.sqrt(3) * spread)
    assert ties.interval.low == pytest.approx(4 / math.sqrt(3) * math.exp(-half))
    assert ties.interval.high == pytest.approx(4 / math.sqrt(3) * math.exp(half))
    assert (ties.interval.df, ties.interval.n_clusters, ties.interval.reason) == (7, 8, (Reason.FEW_CLUSTERS,))


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_there_is_no_tie_parameter_where_ties_count_half_or_are_dropped(games, tallied, ties):
    assert fit(tallied(games(THREE_ONE_FOUR)), ties).tie_parameter is None


# --- another maximiser, other derivatives ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_fit_is_where_another_optimiser_finds_the_maximum(tallied, seed):
    games = random_games(seed)

    found = minimize(lambda at: -log_likelihood(games, *free(at)), np.zeros(4), method="BFGS", options={"gtol": 1e-7})

    result = fit(tallied(games))
    theta, beta = free(found.x)
    assert strengths(result) == pytest.approx(theta, abs=2e-6)
    assert math.log(result.tie_parameter.nu.value) == pytest.approx(beta, abs=2e-6)


@pytest.mark.parametrize("ways", [1, 2])
def test_standard_errors_are_the_sandwich_of_numerical_derivatives(tallied, ways):
    games = random_games(7, ways=ways)
    result = fit(tallied(games))
    at = np.append(strengths(result)[:-1], math.log(result.tie_parameter.nu.value))

    def score(at, weight=1.0):
        return gradient(lambda at: log_likelihood(games, *free(at), weight), at)

    bread = np.linalg.inv(-gradient(score, at, step=1e-4))

    def sandwich(clusters):
        scores = np.array([score(at, clusters == cluster) for cluster in np.unique(clusters)])
        return len(scores) / (len(scores) - 1) * bread @ scores.T @ scores @ bread

    parts = [sandwich(codes) for codes in games.clusters]
    if ways == 2:
        parts.append(sandwich(games.clusters[0] * 100 + games.clusters[1]))

    def std_error(contrast):
        of_each = [contrast @ part @ contrast for part in parts]
        return math.sqrt(of_each[0] if ways == 1 else max(of_each[0] + of_each[1] - of_each[2], *of_each[:2]))

    theta = np.vstack([np.eye(4)[:3], [-1, -1, -1, 0]])  # of the free parameters
    for (subject, comparator), contrast in zip(combinations(range(4), 2), result.differences):
        expected = std_error(theta[subject] - theta[comparator]) * ELO_PER_LOG_ODDS
        assert contrast.interval.std_error == pytest.approx(expected, rel=1e-5)
    for system, rating in enumerate(result.ratings):
        assert rating.interval.std_error == pytest.approx(std_error(theta[system]) * ELO_PER_LOG_ODDS, rel=1e-5)
    nu = result.tie_parameter
    assert nu.interval.std_error / nu.nu.value == pytest.approx(std_error(np.eye(4)[3]), rel=1e-5)


def test_half_points_are_as_many_as_the_model_expects(tallied):
    """The likelihood equation of Davidson 1970: wins and half the ties of each system are those expected."""
    games = random_games(3)
    result = fit(tallied(games))
    theta, nu = strengths(result), result.tie_parameter.nu.value

    points, expected = np.zeros(4), np.zeros(4)
    for one, other, outcome in zip(games.first, games.second, games.outcome):
        weight = np.array([np.exp(theta[one]), np.exp(theta[other]), nu * np.exp((theta[one] + theta[other]) / 2)])
        chance = weight / weight.sum()
        points[[one, other]] += [(1, 0), (0, 1), (0.5, 0.5)][outcome]
        expected[[one, other]] += chance[:2] + chance[2] / 2

    assert expected == pytest.approx(points, abs=1e-7)


def test_a_long_run_of_wins_converges(games, tallied):
    tallies = PairTallies(
        first=np.array([0, 1, 0]),
        second=np.array([1, 2, 2]),
        wins=np.array([1_000_000, 3, 5]),
        losses=np.array([1, 1, 0]),
        ties=np.array([1, 0, 2]),
        both_fail=np.zeros(3, dtype=int),
        clusters=(np.arange(3),),
        n_systems=3,
    )

    result = fit(tallies)

    assert result.differences[0].difference.value == pytest.approx(ELO_PER_LOG_ODDS * math.log(1e6), rel=0.02)
    assert 0 < result.tie_parameter.nu.value < 1


def test_ties_by_the_million_beside_wins_by_the_hundred_converge():
    """The first step of Newton's method, uncut, goes where every chance is 0 or 1."""
    wins, ties = np.zeros((5, 5)), np.zeros((5, 5))
    wins[[0, 1, 1, 2, 3, 4, 4, 4], [4, 0, 4, 4, 4, 0, 1, 2]] = 3, 2_590, 7, 189, 85, 32_910, 11_398, 499
    ties[[0, 2, 3], [1, 4, 4]] = 4_833, 14, 8_019_232
    first, second = np.nonzero(wins + wins.T + ties)
    tallies = PairTallies(
        first=first,
        second=second,
        wins=wins[first, second].astype(int),
        losses=np.zeros(len(first), dtype=int),
        ties=ties[first, second].astype(int),
        both_fail=np.zeros(len(first), dtype=int),
        clusters=(np.arange(len(first)),),
        n_systems=5,
    )

    result = fit(tallies)

    theta, nu = strengths(result), result.tie_parameter.nu.value
    half = (theta[:, None] - theta) / 2
    chance = np.exp(half) / (np.exp(half) + np.exp(-half) + nu)
    games, tied = wins + wins.T + ties + ties.T, ties + ties.T
    expected = (games * (chance + (1 - chance - chance.T) / 2)).sum(axis=1)
    assert expected == pytest.approx((wins + tied / 2).sum(axis=1), rel=1e-9)


def test_two_hundred_systems_that_met_in_a_circle_converge(tallied):
    n = 200
    rng = np.random.default_rng(2)
    tallies = PairTallies(
        first=np.arange(n),
        second=(np.arange(n) + 1) % n,
        wins=rng.integers(1, 5, size=n),
        losses=rng.integers(1, 5, size=n),
        ties=rng.integers(0, 3, size=n),
        both_fail=np.zeros(n, dtype=int),
        clusters=(np.arange(n),),
        n_systems=n,
    )

    result = bradley_terry(tallies, ties="davidson", pairs=[(0, 100)], level=LEVEL)

    assert {rating.rating.status for rating in result.ratings} == {Status.OK}
    assert np.mean(strengths(result)) == pytest.approx(0, abs=1e-9)


# --- laws -----------------------------------------------------------------------------------------------


def test_renaming_systems_renames_ratings_and_changes_none(tallied, renamed):
    games, code = random_games(4), np.array([2, 0, 3, 1])
    one, other = fit(tallied(games)), fit(tallied(renamed(games, code)))

    assert strengths(other)[code] == pytest.approx(strengths(one), abs=1e-9)
    assert other.tie_parameter.nu.value == pytest.approx(one.tie_parameter.nu.value)
    assert [other.ratings[system].interval.std_error for system in code] == pytest.approx(
        [rating.interval.std_error for rating in one.ratings], rel=1e-9
    )


def test_the_order_of_rows_and_the_side_shown_first_change_nothing(tallied, turned_round):
    tallies = tallied(random_games(5))
    one, other = fit(tallies), fit(turned_round(tallies))

    assert strengths(other) == pytest.approx(strengths(one), abs=1e-9)
    assert other.tie_parameter.interval.low == pytest.approx(one.tie_parameter.interval.low)
    assert other.differences[0].interval.low == pytest.approx(one.differences[0].interval.low)


def test_games_in_which_both_failed_and_their_clusters_change_nothing(games, tallied):
    one = fit(tallied(games(THREE_ONE_FOUR)))
    other = fit(tallied(games([*THREE_ONE_FOUR, (0, "x", 1), (1, "x", 0)])))

    assert (one.ratings, one.differences, one.tie_parameter) == (other.ratings, other.differences, other.tie_parameter)


# --- existence ------------------------------------------------------------------------------------------


def test_without_a_tie_strengths_are_those_of_dropped_ties_and_nu_has_no_value(games, tallied):
    rows = [(0, ">", 1), (1, ">", 0), (0, ">", 1), (1, ">", 2), (2, ">", 0)]
    davidson, drop = (fit(tallied(games(rows)), ties) for ties in ("davidson", "drop"))

    assert (davidson.ratings, davidson.differences) == (drop.ratings, drop.differences)
    assert (davidson.tie_parameter.nu.status, davidson.tie_parameter.nu.reason) == (Status.NOT_ESTIMABLE, NO_TIES)
    assert (davidson.tie_parameter.interval.status, davidson.tie_parameter.interval.reason) == (
        Status.NOT_ESTIMABLE,
        NO_TIES,
    )


def test_ties_alone_determine_nothing(games, tallied):
    result = fit(tallied(games([(0, "=", 1), (1, "=", 2), (0, "=", 2)])))

    for quantity in (result.ratings[0].rating, result.differences[0].difference, result.tie_parameter.nu):
        assert (quantity.status, quantity.reason) == (Status.NOT_ESTIMABLE, UNDECIDED)


SEPARATING = {
    "three wins and four ties": [(0, ">", 1)] * 3 + [(0, "=", 1)] * 4,
    "a ladder of wins and ties": [(0, ">", 1), (1, ">", 2), (0, "=", 1), (1, "=", 2)],
    "a ladder with a win over two rungs": [(0, ">", 1), (1, ">", 2), (0, "=", 1), (1, "=", 2), (0, ">", 2)],
    "two that tie and beat the same": [(0, ">", 2), (1, ">", 2), (0, "=", 2), (1, "=", 2), (0, "=", 1)],
}
JOINING = {
    "a tie over two rungs": [(0, ">", 1), (1, ">", 2), (0, "=", 1), (1, "=", 2), (0, "=", 2)],
    "a circle of wins": [(0, ">", 1), (1, ">", 2), (2, ">", 0), (0, "=", 1)],
    "a loss among wins and ties": [*SEPARATING["three wins and four ties"], (1, ">", 0)],
}


@pytest.mark.parametrize("rows", SEPARATING.values(), ids=SEPARATING.keys())
def test_wins_and_ties_that_separate_have_half_ratings_and_no_davidson_ones(games, tallied, rows):
    tallies = tallied(games(rows))

    half, result = fit(tallies, "half"), fit(tallies)

    assert {rating.rating.status for rating in half.ratings} == {Status.OK}
    contrast = result.differences[0]
    for quantity in (
        result.ratings[0].rating,
        contrast.difference,
        contrast.test.statistic,
        contrast.win_probability,
        result.tie_parameter.nu,
    ):
        assert (quantity.status, quantity.reason) == (Status.NOT_ESTIMABLE, SEPARATED)
    assert result.ratings[0].interval.reason == contrast.interval.reason == SEPARATED


@pytest.mark.parametrize("rows", JOINING.values(), ids=JOINING.keys())
def test_a_cycle_that_no_separation_survives_makes_strengths_finite(games, tallied, rows):
    result = fit(tallied(games(rows)))

    assert {rating.rating.status for rating in result.ratings} == {Status.OK}
    assert result.tie_parameter.nu.status is Status.OK


def test_each_component_has_its_own_maximum_and_all_games_no_tie_parameter(games, tallied):
    finite, separated = [(0, ">", 1), (0, "<", 1), (0, "=", 1)], [(2, ">", 3), (2, "=", 3)]
    undecided, without_ties = [(4, "=", 5)], [(6, ">", 7), (7, ">", 6), (7, ">", 6)]

    result = fit(tallied(games(finite + separated + undecided + without_ties + [(0, ">", 2), (2, ">", 4)])))

    of = {pair: contrast.difference for pair, contrast in zip(combinations(range(8), 2), result.differences)}
    assert result.ratings[0].rating.reason == (
        Reason.NOT_STRONGLY_CONNECTED,
        Reason.DISCONNECTED,
        Reason.ORDERED,
    )
    assert result.tie_parameter.nu.reason == result.ratings[0].rating.reason
    assert of[0, 1].value == pytest.approx(0, abs=1e-9)
    assert (of[2, 3].status, of[2, 3].reason) == (Status.NOT_ESTIMABLE, SEPARATED)
    assert (of[4, 5].status, of[4, 5].reason) == (Status.NOT_ESTIMABLE, UNDECIDED)
    assert of[6, 7].value == pytest.approx(-ELO_PER_LOG_ODDS * math.log(2))
    assert of[0, 2].reason == (Reason.NOT_STRONGLY_CONNECTED, Reason.ORDERED)


def test_a_contrast_inside_a_component_is_that_of_its_own_games(games, tallied):
    inside = random_games(6, n_systems=3, n_games=60)
    sides = zip(inside.first.tolist(), inside.outcome.tolist(), inside.second.tolist(), inside.clusters[0].tolist())
    rows = [(first, "><="[outcome], second, cluster) for first, outcome, second, cluster in sides]
    beyond = [(3, ">", 0, 0), (3, ">", 1, 40), (3, "=", 4, 41), (4, ">", 3, 42)]

    alone, beside = fit(tallied(games(rows))), fit(tallied(games(rows + beyond)))

    assert beside.graph.component.tolist() == [1, 1, 1, 2, 2]
    assert beside.differences[0].difference == alone.differences[0].difference
    assert beside.differences[0].interval == alone.differences[0].interval


def test_a_system_without_games_is_insufficient_and_no_games_leave_nothing(games, tallied):
    result = fit(tallied(games(THREE_ONE_FOUR, n_systems=3)))
    nothing = fit(tallied(games([(0, "x", 1)])))

    assert (result.ratings[2].rating.status, result.ratings[2].rating.reason) == (
        Status.INSUFFICIENT,
        (Reason.NO_GAMES,),
    )
    assert result.tie_parameter.nu.status is Status.OK
    assert (nothing.tie_parameter.nu.status, nothing.tie_parameter.nu.reason) == (
        Status.INSUFFICIENT,
        (Reason.NO_GAMES,),
    )


def test_strengths_exist_exactly_where_the_fit_does_not_diverge(tallied):
    """A weak prior hardly moves a maximum that exists, and moves any other by the log of its weight."""
    tally: dict[tuple[Reason, ...], int] = {}
    for seed in range(160):
        games = small_games(seed)
        result = fit(tallied(games))
        for members, contrast in components(result):
            theta_moves, beta_moves, has_ties = diverges(games, members)
            missing = contrast.difference.status is not Status.OK
            assert missing == (theta_moves or (has_ties and beta_moves)), (seed, members)
            tally[contrast.difference.reason] = tally.get(contrast.difference.reason, 0) + 1

    assert sum(tally.values()) >= 130
    assert min(tally[reason] for reason in ((), SEPARATED, UNDECIDED)) >= 10


def small_games(seed):
    """Few games of four systems of clearly different strength, in which most outcomes occur in one direction only."""
    rng = np.random.default_rng(seed)
    n_games = rng.integers(3, 13)
    first = rng.integers(4, size=n_games)
    second = (first + rng.integers(1, 4, size=n_games)) % 4
    upset, tie = rng.random(2) * (0.4, 0.9)
    better = np.where(first < second, Outcome.FIRST, Outcome.SECOND)
    outcome = np.where(rng.random(n_games) < upset, 1 - better, better)
    outcome = np.where(rng.random(n_games) < tie, Outcome.TIE, outcome)
    return Games(first=first, second=second, outcome=outcome, clusters=(np.arange(n_games),), n_systems=4)


def components(result):
    """Members of each component of two or more, with a difference inside it."""
    contrasts = dict(zip(combinations(range(4), 2), result.differences))
    for number in range(1, result.graph.n_components + 1):
        members = result.graph.members(number).tolist()
        if len(members) > 1:
            statuses = {contrasts[pair].difference.status for pair in pairwise(members)}
            assert len(statuses) == 1
            yield members, contrasts[members[0], members[1]]


def diverges(games, members):
    """Whether strengths, and the tie parameter, move without end in the games among members."""
    kept = np.isin(games.first, members) & np.isin(games.second, members)
    place = {system: number for number, system in enumerate(members)}
    inside = Games(
        first=np.array([place[system] for system in games.first[kept].tolist()]),
        second=np.array([place[system] for system in games.second[kept].tolist()]),
        outcome=games.outcome[kept],
        clusters=(np.arange(kept.sum()),),
        n_systems=len(members),
    )
    one, other = (penalised(inside, weight) for weight in (1e-4, 1e-7))
    return np.ptp(one[:-1] - other[:-1]) > 0.1, abs(one[-1] - other[-1]) > 0.1, Outcome.TIE in inside.outcome


def penalised(games, weight):
    """Strengths and beta at the maximum of the likelihood times a normal prior of this precision."""

    def loss(at):
        one, other = at[games.first], at[games.second]
        log_weight = np.stack([one, other, at[-1] + (one + other) / 2])
        total = np.logaddexp.reduce(log_weight, axis=0)
        chance = np.exp(log_weight - total)
        chosen = np.eye(3)[:, games.outcome]
        slope = np.zeros(len(at))
        np.add.at(slope, games.first, (chance - chosen)[0] + (chance - chosen)[2] / 2)
        np.add.at(slope, games.second, (chance - chosen)[1] + (chance - chosen)[2] / 2)
        slope[-1] = (chance - chosen)[2].sum()
        value = np.sum(total - (chosen * log_weight).sum(axis=0)) + weight * np.sum(at**2) / 2
        return value, slope + weight * at

    options = {"gtol": 1e-10, "maxiter": 2_000}
    return minimize(loss, np.zeros(games.n_systems + 1), jac=True, method="BFGS", options=options).x
