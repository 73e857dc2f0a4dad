import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.judged_games import JudgedGames
from juryline.estimators.recalibration import SPLITS, recalibrate

LENGTHS = json.loads((Path(__file__).parents[1] / "golden" / "lengths.json").read_text())
GOLDEN, NOISE = LENGTHS["recalibration"], LENGTHS["published"]["noise"]


def of(wins, longer, games, judge_wins, judge_games):
    """Counts by cluster and system; one number stands for all."""
    counts = np.broadcast_arrays(*(np.atleast_2d(count) for count in (wins, longer, games, judge_wins, judge_games)))
    return JudgedGames(**dict(zip(("wins", "longer", "games", "judge_wins", "judge_games"), counts)))


def run(games, **how):
    return recalibrate(
        games, **{"level": 0.95, "rounds": 200, "n_permutations": 99, "seed": 3, "analysis": "recal"} | how
    )


def invented(n_clusters=30, n_systems=6, seed=0):
    generator = np.random.default_rng(seed)
    games, judge_games = generator.integers(2, 6, (2, n_clusters, n_systems))
    chances = generator.uniform(0.25, 0.75, (3, n_systems))
    return of(
        generator.binomial(games, chances[0]),
        generator.binomial(games, chances[1]),
        games,
        generator.binomial(judge_games, chances[2]),
        judge_games,
    )


def missing(quantity):
    assert quantity.value is None
    return quantity.status, quantity.reason


def test_the_worked_example():
    shares = {name: np.array(GOLDEN[name]) for name in ("p_win", "p_longer", "judge")}
    counts = {name: np.round(20 * share).astype(int) for name, share in shares.items()}

    result = run(of(counts["p_win"], counts["p_longer"], 20, counts["judge"], 20), fewest_systems=3)

    assert [s.p_win.value for s in result.systems] == GOLDEN["p_win"]
    assert [s.p_longer.value for s in result.systems] == GOLDEN["p_longer"]
    assert [s.judge_p_win.value for s in result.systems] == GOLDEN["judge"]
    assert [s.beta.value for s in result.systems] == pytest.approx(GOLDEN["beta"], abs=GOLDEN["tolerance"])
    assert [s.score.value for s in result.systems] == pytest.approx(GOLDEN["score"], abs=GOLDEN["tolerance"])
    found = {name: getattr(result, name).correlation.value for name in GOLDEN["spearman"]}
    assert found == GOLDEN["spearman"]


def test_three_systems_are_too_few_for_a_correlation():
    result = run(of([12, 10, 8], [10, 5, 15], 20, [3, 5, 7], 10))

    too_few = (Status.INSUFFICIENT, (Reason.TOO_FEW_SYSTEMS,))
    for correlated in (result.before, result.after, result.beta_only):
        assert missing(correlated.correlation) == too_few
        assert (correlated.interval.status, correlated.interval.reason) == too_few
    assert missing(result.after_crossfit) == missing(result.before.p) == too_few
    assert result.systems[1].score.value == 1


def test_correlations_are_those_of_scipy_over_all_clusters():
    games = invented()
    human = games.wins.sum(axis=0) / games.games.sum(axis=0)
    judge = games.judge_wins.sum(axis=0) / games.judge_games.sum(axis=0)
    beta = human / (games.longer.sum(axis=0) / games.games.sum(axis=0))

    result = run(games)

    assert result.before.correlation.value == pytest.approx(stats.spearmanr(human, judge).statistic)
    assert result.after.correlation.value == pytest.approx(stats.spearmanr(human, judge * beta).statistic)
    assert result.beta_only.correlation.value == pytest.approx(stats.spearmanr(human, beta).statistic)
    assert [s.score.value for s in result.systems] == pytest.approx(list(judge * beta))
    assert result.compared == tuple(range(6))


def test_a_system_never_longer_has_no_factor_and_leaves_every_correlation():
    games = invented()
    with_it = of(
        *(
            np.column_stack([counts, column])
            for counts, column in (
                (games.wins, games.games[:, 0]),
                (games.longer, 0 * games.games[:, 0]),
                (games.games, games.games[:, 0]),
                (games.judge_wins, games.judge_games[:, 0]),
                (games.judge_games, games.judge_games[:, 0]),
            )
        )
    )

    result, without = run(with_it), run(games)

    never_longer = (Status.UNDEFINED, (Reason.NEVER_LONGER,))
    assert missing(result.systems[6].beta) == missing(result.systems[6].score) == never_longer
    assert result.systems[6].p_win.value == 1
    assert result.compared == without.compared
    assert result.before == without.before
    assert result.after == without.after
    assert result.after_crossfit == without.after_crossfit


def test_a_system_that_never_won_has_the_factor_zero_and_stays():
    games = invented()
    wins = games.wins.copy()
    wins[:, 2] = 0

    result = run(of(wins, games.longer, games.games, games.judge_wins, games.judge_games))

    assert (result.systems[2].beta.value, result.systems[2].beta.reason) == (0, (Reason.NEVER_WON,))
    assert (result.systems[2].score.value, result.systems[2].score.reason) == (0, (Reason.NEVER_WON,))
    assert 2 in result.compared


def test_a_system_without_a_game_has_no_number():
    games = invented()
    counts = [np.column_stack([c, np.zeros(30, int)]) for c in (games.wins, games.longer, games.games)]
    judged = [np.column_stack([c, np.zeros(30, int)]) for c in (games.judge_wins, games.judge_games)]

    system = run(of(*counts, *judged)).systems[6]

    for quantity in (system.p_win, system.p_longer, system.judge_p_win, system.beta, system.score):
        assert missing(quantity) == (Status.INSUFFICIENT, (Reason.NO_GAMES,))


def test_without_any_game_nothing_is_there():
    nothing = np.zeros((0, 5), dtype=int)

    result = run(JudgedGames(wins=nothing, longer=nothing, games=nothing, judge_wins=nothing, judge_games=nothing))

    assert missing(result.after.correlation) == (Status.INSUFFICIENT, (Reason.TOO_FEW_SYSTEMS,))
    assert {missing(system.beta) for system in result.systems} == {(Status.INSUFFICIENT, (Reason.NO_GAMES,))}


def test_scores_above_one_are_never_clipped():
    result = run(of([18, 2, 10, 10], [2, 18, 10, 10], 20, [20, 10, 5, 0], 20))

    assert (result.systems[0].beta.value, result.systems[0].score.value) == (9, 9)


def test_equal_rates_tie_whatever_their_counts():
    # 1/3 and 2/6 of humans, and scores 2/20 * 1/2 and 1/10 * 3/6: equal as fractions
    result = run(of([1, 2, 3, 1], [2, 4, 6, 1], [3, 6, 12, 3], [2, 1, 3, 2], [20, 10, 10, 5]))

    human = [1 / 3, 1 / 3, 1 / 4, 1 / 3]
    score = [0.05, 0.05, 0.15, 0.4]
    assert result.after.correlation.value == pytest.approx(stats.spearmanr(human, score).statistic)


def test_where_all_systems_rank_equal_the_correlation_is_undefined():
    result = run(of(5, [1, 2, 3, 4], 10, [1, 2, 3, 4], 10))

    assert missing(result.before.correlation) == (Status.UNDEFINED, (Reason.ZERO_VARIANCE,))
    assert missing(result.before.p) == (Status.UNDEFINED, (Reason.ZERO_VARIANCE,))
    assert missing(result.after_crossfit) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_the_interval_resamples_clusters_of_humans_and_judge_together():
    games = invented()
    generator = np.random.default_rng(9)
    rho = []
    for _ in range(2000):
        drawn = generator.integers(0, 30, 30)
        human = games.wins[drawn].sum(axis=0) / games.games[drawn].sum(axis=0)
        judge = games.judge_wins[drawn].sum(axis=0) / games.judge_games[drawn].sum(axis=0)
        rho.append(stats.spearmanr(human, judge).statistic)

    interval = run(games, rounds=2000).before.interval

    assert interval.std_error == pytest.approx(np.sqrt(30 / 29) * np.std(rho, ddof=1), rel=0.08)
    assert (interval.df, interval.n_clusters, interval.n_boot, interval.seed) == (29, 30, 2000, 3)
    assert -1 <= interval.low < interval.high <= 1


def test_a_round_in_which_a_compared_system_is_never_longer_fails_and_is_counted():
    games = invented()
    longer = np.zeros_like(games.longer)
    longer[:] = games.longer
    longer[:, 0] = 0
    longer[0, 0] = 1  # in one cluster of thirty: about a third of rounds miss it

    result = run(of(games.wins, longer, games.games, games.judge_wins, games.judge_games))

    assert result.after.interval.status is Status.NOT_ESTIMABLE
    assert result.after.interval.reason == (Reason.BOOTSTRAP_ROUNDS_FAILED,)
    assert 0.25 < result.after.interval.n_boot_failed / 200 < 0.5
    assert result.before.interval.status is Status.OK
    assert missing(result.after_crossfit) == (Status.NOT_ESTIMABLE, (Reason.SPLITS_FAILED,))
    assert result.n_splits_failed > 0.05 * SPLITS


def test_a_crossfitted_factor_comes_from_other_clusters():
    """Two clusters of opposite preferences: the factor of one half is held against the other."""
    wins, longer = np.array([[8, 6, 4, 2], [2, 4, 6, 8]]), np.full((2, 4), 5)
    judge = np.full((2, 4), 5)

    result = run(of(wins, longer, 10, judge, 10))

    assert result.after_crossfit.value == pytest.approx(-1)
    assert result.systems[0].score.value == result.systems[3].score.value == 0.5


def test_it_follows_from_its_seed_and_from_nothing_else():
    games = invented()

    one, again, other = run(games), run(games), run(games, seed=4)

    assert one == again
    assert one.before.correlation == other.before.correlation
    assert one.before.interval.std_error != other.before.interval.std_error


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(5)))
def test_renaming_systems_changes_no_number(seed, order):
    games = invented(n_clusters=12, n_systems=5, seed=seed)
    counts = (games.wins, games.longer, games.games, games.judge_wins, games.judge_games)

    one, other = run(games, rounds=20), run(of(*(count[:, order] for count in counts)), rounds=20)

    assert [other.systems[place] for place in range(5)] == [one.systems[place] for place in order]
    for name in ("before", "after", "beta_only", "after_crossfit"):
        assert getattr(one, name) == getattr(other, name)


def test_contradictory_counts_are_an_error():
    with pytest.raises(ValueError, match="more games were won"):
        of(3, 1, 2, 1, 2)
    with pytest.raises(ValueError, match="counts of shapes"):
        JudgedGames(**{name: np.ones((1, 2 if name == "wins" else 3), int) for name in JudgedGames.__slots__})


def test_a_judge_that_tosses_coins_gains_its_correlation_from_the_factor_alone():
    generator = np.random.default_rng(11)
    before, after, beta_only = [], [], []
    for _ in range(400):
        games = np.full((1, 11), 1000)
        wins, longer = generator.binomial(1000, generator.uniform(0.2, 0.8, (2, 11)))
        result = run(of(wins, longer, games, generator.binomial(20, 0.5, 11), 20), rounds=2, n_permutations=1)
        before.append(result.before.correlation.value)
        after.append(result.after.correlation.value)
        beta_only.append(result.beta_only.correlation.value)

    assert np.mean(before) == pytest.approx(0, abs=0.05)
    assert np.mean(after) == pytest.approx(NOISE, abs=0.05)
    assert np.mean(beta_only) >= np.mean(after)
