import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.length_effects import GamesByLength, length_effects, longer_wins

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "lengths.json").read_text())["length_effects"]
LEVEL = 0.95


def side(wins, longer, *clusters, games=None):
    wins = np.array(wins)
    return GamesByLength(
        wins=wins,
        games=np.ones(len(wins), dtype=np.int64) if games is None else np.array(games),
        longer=np.array(longer, dtype=bool),
        clusters=tuple(map(np.array, clusters)) or (np.arange(len(wins)),),
    )


def effects(wins, longer, *clusters, **more):
    return length_effects(side(wins, longer, *clusters, **more), level=LEVEL)


def test_the_worked_example():
    result, tolerance = effects(GOLDEN["wins"], GOLDEN["longer"]), GOLDEN["tolerance"]

    for name in ("p_win", "p_longer", "p_win_given_longer", "p_longer_given_win"):
        assert getattr(result, name).rate.value == GOLDEN[name]
    seed, contrast = result.seed_test, result.contrast_test
    told = (seed.statistic.value, seed.df, seed.p_value)
    assert told == pytest.approx(tuple(GOLDEN["seed"][key] for key in ("t", "df", "p")), abs=tolerance)
    assert result.contrast.value == pytest.approx(GOLDEN["contrast"]["value"])
    told = (contrast.statistic.value, contrast.df, contrast.p_value)
    assert told == pytest.approx(tuple(GOLDEN["contrast"][key] for key in ("t", "df", "p")), abs=tolerance)


def test_with_one_game_a_cluster_the_contrast_is_welchs_test():
    wins, longer = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0], [1] * 8 + [0] * 5

    result = effects(wins, longer)

    welch = stats.ttest_ind(wins[:8], wins[8:], equal_var=False)
    assert (result.contrast_test.statistic.value, result.contrast_test.p_value) == pytest.approx(
        (welch.statistic, welch.pvalue)
    )
    interval = welch.confidence_interval()
    assert (result.contrast_interval.low, result.contrast_interval.high) == pytest.approx(
        (interval.low, 1.0)
    )  # clipped
    assert result.contrast_interval.method == "welch_t"


def test_the_seeds_test_holds_the_games_with_the_longer_output_against_all_of_them():
    wins, longer = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0], [1] * 8 + [0] * 5

    test = effects(wins, longer).seed_test

    welch = stats.ttest_ind(wins, wins[:8], equal_var=False)
    assert (test.statistic.value, test.p_value, test.df) == pytest.approx((welch.statistic, welch.pvalue, welch.df))


def test_clusters_with_games_of_both_kinds_give_the_sandwich_of_a_regression_on_being_longer():
    import statsmodels.api as sm

    generator = np.random.default_rng(5)
    rater, longer = np.repeat(np.arange(12), 9), generator.integers(0, 2, 108)
    wins = (generator.random(108) < 0.3 + 0.3 * longer + 0.2 * (rater % 2)).astype(int)

    result = effects(wins, longer, rater)

    fit = sm.OLS(wins, sm.add_constant(longer)).fit(
        cov_type="cluster", cov_kwds={"groups": rater, "use_correction": False}
    )
    assert result.contrast.value == pytest.approx(fit.params[1])
    assert result.contrast_interval.std_error == pytest.approx(fit.bse[1] * np.sqrt(12 / 11))
    assert (result.contrast_test.df, result.contrast_interval.method) == (11, "cluster_t")


def test_two_dimensions_of_clusters_widen_the_interval_and_take_the_smaller_df():
    generator = np.random.default_rng(6)
    rater, case = np.repeat(np.arange(10), 12), np.tile(np.arange(12), 10)
    longer = (case + rater) % 3 > 0
    wins = (generator.random(120) < 0.4 + 0.3 * (case % 2)).astype(int)

    one, two = effects(wins, longer, case), effects(wins, longer, rater, case)

    assert two.contrast.value == one.contrast.value
    assert two.contrast_interval.std_error >= one.contrast_interval.std_error
    assert two.contrast_test.df == 9


def test_a_tally_says_what_its_games_say():
    wins, longer, rater = [1, 0, 1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1]

    games = effects(wins, longer, rater)
    tallied = effects([1, 2, 0, 1], [1, 0, 1, 0], [0, 0, 1, 1], games=[2, 2, 2, 2])

    assert tallied.contrast == games.contrast
    assert tallied.contrast_interval.std_error == pytest.approx(games.contrast_interval.std_error)
    assert tallied.seed_test == games.seed_test


def missing(quantity):
    assert quantity.value is None
    return quantity.status, quantity.reason


def test_without_a_game_everything_is_insufficient():
    result = effects([], [], [])

    nothing = (Status.INSUFFICIENT, (Reason.NO_GAMES,))
    for name in ("p_win", "p_longer", "p_win_given_longer", "p_longer_given_win"):
        assert missing(getattr(result, name).rate) == nothing
    assert missing(result.contrast) == missing(result.contrast_test.statistic) == nothing
    assert missing(result.seed_test.statistic) == nothing
    assert (result.contrast_interval.status, result.contrast_interval.reason) == nothing


def test_a_system_never_longer_has_no_chance_given_longer():
    result = effects([1, 0, 1], [0, 0, 0])

    assert result.p_longer.rate.value == 0
    assert missing(result.p_win_given_longer.rate) == (Status.UNDEFINED, (Reason.NEVER_LONGER,))
    assert result.p_longer_given_win.rate.value == 0


def test_a_system_that_never_won_has_no_chance_given_a_win():
    result = effects([0, 0, 0, 0], [1, 1, 0, 0])

    assert result.p_win.rate.value == result.p_win_given_longer.rate.value == 0
    assert missing(result.p_longer_given_win.rate) == (Status.UNDEFINED, (Reason.NEVER_WON,))
    assert result.contrast.value == 0
    assert missing(result.contrast_test.statistic) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    assert missing(result.seed_test.statistic) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))


@pytest.mark.parametrize("longer", [[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]])
def test_one_game_of_a_kind_is_too_few(longer):
    result = effects([1, 0, 1, 0], longer)

    too_few = (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,))
    assert missing(result.contrast) == missing(result.contrast_test.statistic) == too_few
    assert missing(result.seed_test.statistic) == too_few
    assert result.p_win.rate.value == 0.5


def test_two_games_of_each_kind_are_enough():
    assert effects([1, 0, 1, 0], [1, 1, 0, 0]).contrast_test.statistic.status is Status.OK


def test_winning_exactly_where_longer_is_a_contrast_without_an_interval():
    result = effects([1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [0, 1, 2, 0, 1, 2])

    assert result.contrast.value == 1
    assert (result.contrast_interval.status, result.contrast_interval.reason) == (
        Status.DEGENERATE,
        (Reason.ZERO_VARIANCE,),
    )
    assert missing(result.contrast_test.statistic) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    assert result.seed_test.statistic.status is Status.OK  # all its games vary, though the longer ones do not


@pytest.mark.parametrize("rest", [[1, 2, 3], [0, 1, 2]])
def test_a_share_of_one_cluster_has_no_known_spread(rest):
    result = effects([1, 0, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0], [0, 0, 0, *rest])

    assert result.contrast.status is Status.OK
    assert (result.contrast_interval.status, result.contrast_interval.reason) == (
        Status.INSUFFICIENT,
        (Reason.ONE_CLUSTER,),
    )
    assert missing(result.contrast_test.statistic) == (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,))


def test_rows_without_a_game_are_no_cluster():
    assert effects([*GOLDEN["wins"], 0], [*GOLDEN["longer"], 1], games=[1] * 10 + [0]) == effects(
        GOLDEN["wins"], GOLDEN["longer"]
    )


def test_contradictory_counts_are_an_error():
    with pytest.raises(ValueError, match="more wins than games"):
        side([2], [1])
    with pytest.raises(ValueError, match="different lengths"):
        side([1, 0], [1], games=[1, 1])


def test_the_longer_ones_share_of_decisive_games_has_the_interval_of_a_share():
    from statsmodels.stats.proportion import proportion_confint

    rate = longer_wins(np.array([1] * 9 + [0] * 5), np.ones(14, int), (np.arange(14),), n_known=20, level=LEVEL)

    assert (rate.rate.value, rate.n_games) == (9 / 14, 14)
    assert (rate.interval.low, rate.interval.high) == pytest.approx(proportion_confint(9, 14, method="wilson"))


@pytest.mark.parametrize(
    ("n_known", "status", "reason"),
    [(0, Status.INSUFFICIENT, Reason.NO_GAMES), (4, Status.UNDEFINED, Reason.NO_DECISIVE_GAME)],
)
def test_without_a_decisive_game_of_unequal_lengths_there_is_no_share(n_known, status, reason):
    nothing = np.zeros(2, dtype=int)

    rate = longer_wins(nothing, nothing, (np.arange(2),), n_known=n_known, level=LEVEL)

    assert missing(rate.rate) == (status, (reason,))


TALLY = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans(), st.integers(0, 4), st.integers(0, 3)),
    min_size=1,
    max_size=12,
)


def of_tally(rows, change=lambda longer: longer):
    wins, losses, longer, *ways = zip(*rows)
    return effects(wins, change(np.array(longer)), *ways, games=[won + lost for won, lost in zip(wins, losses)])


@settings(max_examples=25, deadline=None)
@given(TALLY)
def test_the_seeds_chances_obey_bayes_and_not_being_longer_turns_the_contrast_round(rows):
    result, turned = of_tally(rows), of_tally(rows, np.logical_not)

    chances = [
        getattr(result, name).rate.value for name in ("p_win_given_longer", "p_longer", "p_longer_given_win", "p_win")
    ]
    if None not in chances:
        assert chances[0] * chances[1] == pytest.approx(chances[2] * chances[3])
    if result.contrast.value is None:
        assert turned.contrast == result.contrast
    else:
        assert turned.contrast.value == -result.contrast.value
        assert turned.contrast_interval.std_error == pytest.approx(result.contrast_interval.std_error)


@settings(max_examples=25, deadline=None)
@given(TALLY, st.randoms())
def test_renumbering_clusters_changes_nothing_that_counts(rows, random):
    renumbered = list(range(7))
    random.shuffle(renumbered)

    one = of_tally(rows)
    other = of_tally([(*row[:3], renumbered[row[3]], row[4]) for row in rows])

    assert other.contrast == one.contrast
    assert other.contrast_interval.status is one.contrast_interval.status
    assert other.contrast_interval.std_error == pytest.approx(one.contrast_interval.std_error)


def simulated(share_longer, *, studies, effect=0.0, raters=None, games=200, seed=1):
    """Games of one system: a win has nothing to do with being longer, unless there is an effect; raters differ."""
    generator = np.random.default_rng(seed)
    for _ in range(studies):
        longer = generator.random(games) < share_longer
        rater = np.arange(games) if raters is None else np.arange(games) % raters
        liking = 0.5 if raters is None else generator.uniform(0.2, 0.8, raters)[rater]
        yield effects((generator.random(games) < liking + effect * longer).astype(int), longer, rater)


@pytest.mark.slow
@pytest.mark.parametrize("share", ["0.3", "0.5", "0.7"])
def test_the_seeds_test_rejects_far_too_rarely(share):
    studies = 8000
    expected = GOLDEN["rejected_without_an_effect"]["by_share"][share]

    rejected = np.mean([result.seed_test.p_value < 0.05 for result in simulated(float(share), studies=studies)])

    assert rejected == pytest.approx(expected, abs=0.0005 + 4 * np.sqrt(expected / studies))


@pytest.mark.slow
@pytest.mark.parametrize("raters", [None, 10, 40])
def test_the_contrast_rejects_as_often_as_it_says(raters):
    studies = 4000

    rejected = np.mean(
        [result.contrast_test.p_value < 0.05 for result in simulated(0.4, studies=studies, raters=raters)]
    )

    assert rejected == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / studies))
