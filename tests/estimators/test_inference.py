import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.bootstrap import bootstrap_interval, round_generator
from juryline.estimators.cluster_variance import ClusterVariance, cluster_variance, two_way
from juryline.estimators.holm import holm
from juryline.estimators.inference import one_sample_t, t_interval, t_test
from juryline.estimators.wilson import wilson_effective

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "inference.json").read_text())
ANSWERS = np.array([0.6, 0.7, 0.55, 0.8, 0.45])


@pytest.mark.parametrize("case", GOLDEN["holm"])
def test_holm_multiplies_each_p_by_the_tests_not_yet_passed(case):
    adjusted = holm(case["p_values"], case["family_size"])

    assert adjusted == pytest.approx(case["expected"], abs=case["tolerance"])


def test_holm_is_that_of_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(4).random(30) ** 3

    assert holm(p_values.tolist(), 30) == pytest.approx(multipletests(p_values, method="holm")[1], rel=1e-12)


def test_holm_counts_tests_that_the_specification_declares_and_the_data_lack():
    assert holm([0.01, 0.03], 5) == pytest.approx([0.05, 0.12])


def test_holm_refuses_more_tests_than_its_family():
    with pytest.raises(ValueError, match="3 tests in a family of 2"):
        holm([0.1, 0.2, None], 2)


def test_two_way_variance_adds_raters_and_cases_and_takes_off_cells():
    golden = GOLDEN["two_way"]
    differences = np.array(golden["differences"], dtype=float)
    psi = (differences - differences.mean()) / len(differences)
    rater, case = np.array(golden["rater"]), np.array(golden["case"])
    cell = 10 * rater + case

    both = cluster_variance(psi, (rater, case), scale_range=4)

    expected = golden["expected"]
    one_way = {name: cluster_variance(psi, (way,)).variance for name, way in (("rater", rater), ("case", case))}
    assert one_way == pytest.approx({"rater": expected["rater"], "case": expected["case"]}, abs=1e-12)
    assert cluster_variance(psi, (cell,)).variance == pytest.approx(expected["cell"], abs=1e-12)
    assert both.variance == pytest.approx(expected["both"], abs=1e-12)
    assert both.df == expected["df"]


def test_two_way_variance_is_never_below_either_dimension():
    smaller = two_way(*(ClusterVariance(variance=v, n_clusters=n) for v, n in ((0.3, 9), (0.2, 4), (0.6, 30))))

    assert (smaller.variance, smaller.n_clusters) == (0.3, 4)


def test_clusters_of_one_judgment_give_the_variance_of_a_mean():
    psi = (ANSWERS - ANSWERS.mean()) / len(ANSWERS)

    variance = cluster_variance(psi, (np.arange(5),))

    assert variance.variance == pytest.approx(stats.sem(ANSWERS) ** 2, rel=1e-12)


def test_clusters_whose_means_do_not_differ_have_exactly_no_variance():
    values = np.array([0.1, 0.3, 0.3, 0.1, 0.2, 0.2])
    psi = (values - values.mean()) / len(values)

    variance = cluster_variance(psi, (np.array([0, 0, 1, 1, 2, 2]),))

    assert variance.variance == 0
    assert t_interval(0.2, variance, level=0.95).status is Status.DEGENERATE


def test_one_cluster_has_no_interval_and_no_test():
    variance = cluster_variance(np.array([-0.1, 0.1]), (np.array([7, 7]),))
    interval = t_interval(0.5, variance, level=0.95)

    assert (interval.status, interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))
    assert t_test(0.5, 0.0, variance).statistic.status is Status.INSUFFICIENT


def test_one_cluster_in_either_dimension_of_two_has_no_interval():
    variance = cluster_variance(np.array([-0.1, 0.1]), (np.array([0, 1]), np.array([0, 0])))

    assert t_interval(0.5, variance, level=0.95).reason == (Reason.ONE_CLUSTER,)


def test_nine_clusters_are_few_and_ten_are_not():
    few, enough = (t_interval(0, ClusterVariance(variance=1.0, n_clusters=n), level=0.95) for n in (9, 10))

    assert (few.status, few.reason) == (Status.OK, (Reason.FEW_CLUSTERS,))
    assert enough.reason == ()


def test_intervals_are_clipped_to_what_a_statistic_can_be():
    interval = t_interval(0.9, ClusterVariance(variance=0.04, n_clusters=20), level=0.95, bounds=(0, 1))

    assert interval.high == 1
    assert interval.low == pytest.approx(0.9 - stats.t.ppf(0.975, 19) * 0.2)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_one_sample_t_agrees_with_scipy(level):
    ours = one_sample_t(ANSWERS, 0.5, level=level, scale_range=1)
    theirs = stats.ttest_1samp(ANSWERS, 0.5)

    assert ours.test.statistic.value == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.test.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    expected = theirs.confidence_interval(level)
    assert (ours.interval.low, ours.interval.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


@pytest.mark.parametrize("answers", [[0.7] * 10, [0.5] * 4, [0.1 + 0.2, 0.3, 0.3], [0.0, 0.0]])
def test_constant_answers_have_a_mean_and_no_test(answers):
    result = one_sample_t(np.array(answers), 0.5, level=0.95, scale_range=1)

    assert result.mean.value == pytest.approx(answers[0], abs=1e-15)
    assert (result.test.statistic.status, result.test.p_value) == (Status.DEGENERATE, None)
    assert (result.interval.status, result.interval.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    assert result.sd.value == 0


def test_answers_that_differ_by_more_than_rounding_are_not_constant():
    result = one_sample_t(np.array([0.7, 0.7, 0.7001]), 0.5, level=0.95, scale_range=1)

    assert 0 < result.test.p_value < 1e-6


@pytest.mark.parametrize(("answers", "reason"), [([], Reason.NO_JUDGMENTS), ([0.7], Reason.TOO_FEW_UNITS)])
def test_fewer_than_two_units_are_insufficient(answers, reason):
    result = one_sample_t(np.array(answers), 0.5, level=0.95, scale_range=1)

    assert (result.mean.status, result.mean.reason) == (Status.INSUFFICIENT, (reason,))
    assert result.interval.status is Status.INSUFFICIENT
    assert result.test.p_value is None


def test_the_order_of_units_changes_no_bit():
    values = np.random.default_rng(1).random(501)

    assert one_sample_t(values, 0.5, level=0.95, scale_range=1) == one_sample_t(
        values[::-1], 0.5, level=0.95, scale_range=1
    )


def test_values_that_are_not_numbers_are_refused():
    with pytest.raises(ValueError, match="finite"):
        one_sample_t(np.array([0.5, math.nan]), 0.5, level=0.95, scale_range=1)


def wins_by_rater():
    golden = GOLDEN["wilson"]
    wins = np.array([[1] * won + [0] * (golden["games"] - won) for won in golden["wins"]], dtype=float).ravel()
    share = wins.mean()
    variance = cluster_variance((wins - share) / len(wins), (np.repeat(np.arange(4), golden["games"]),))
    return share, len(wins), variance, golden["expected"], golden["tolerance"]


def test_wilson_interval_widens_to_the_size_that_clusters_leave():
    share, n, variance, expected, tolerance = wins_by_rater()

    interval = wilson_effective(share, n, variance, level=0.95)

    assert share == expected["share"]
    assert variance.variance == pytest.approx(expected["variance"], abs=1e-7)
    assert (interval.low, interval.high) == pytest.approx((expected["low"], expected["high"]), abs=tolerance)


def test_wilson_interval_of_one_game_a_cluster_is_the_plain_one():
    share, n, variance, expected, tolerance = wins_by_rater()
    singles = ClusterVariance(variance=variance.variance, n_clusters=n)

    interval = wilson_effective(share, n, singles, level=0.95)

    plain = stats.binomtest(10, 16).proportion_ci(method="wilson")
    assert (interval.low, interval.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    assert (interval.low, interval.high) == pytest.approx(
        (expected["plain_low"], expected["plain_high"]), abs=tolerance
    )


def test_wilson_interval_of_clusters_that_hardly_differ_is_the_plain_one_and_no_narrower():
    hardly = ClusterVariance(variance=0.25 / 200, n_clusters=10)  # half of what independent games would have

    interval = wilson_effective(0.5, 100, hardly, level=0.95)

    plain = stats.binomtest(50, 100).proportion_ci(method="wilson")
    assert (interval.low, interval.high) == pytest.approx((plain.low, plain.high), rel=1e-12)


def test_wilson_interval_of_all_wins_counts_clusters_not_games():
    many, few = (wilson_effective(1.0, n, ClusterVariance(variance=0.0, n_clusters=5), level=0.95) for n in (1000, 10))

    assert (many.low, many.high) == (few.low, few.high)
    assert many.high == 1
    assert many.low < stats.binomtest(5, 5).proportion_ci(method="wilson").low


def test_wilson_interval_needs_two_clusters():
    interval = wilson_effective(0.5, 10, ClusterVariance(variance=None, n_clusters=1), level=0.95)

    assert (interval.status, interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_bootstrap_interval_is_a_t_interval_on_the_spread_of_rounds():
    rounds = np.random.default_rng(3).normal(2, 0.5, 400)

    interval = bootstrap_interval(2.1, rounds, 8, 12, level=0.95, seed=3)

    half = stats.t.ppf(0.975, 11) * math.sqrt(12 / 11 * rounds.var(ddof=1))
    assert (interval.low, interval.high) == pytest.approx((2.1 - half, 2.1 + half), rel=1e-12)
    assert (interval.n_boot, interval.n_boot_failed, interval.seed) == (408, 8, 3)


def test_bootstrap_interval_is_refused_where_many_rounds_have_no_value():
    rounds = np.linspace(0, 1, 94)

    interval = bootstrap_interval(0.5, rounds, 6, 12, level=0.95, seed=3)

    assert (interval.status, interval.reason) == (Status.NOT_ESTIMABLE, (Reason.BOOTSTRAP_ROUNDS_FAILED,))
    assert interval.low is None


def test_percentile_interval_is_the_quantiles_of_the_rounds():
    interval = bootstrap_interval(0.5, np.linspace(0, 1, 41), 0, 12, level=0.95, seed=3, percentile=True)

    assert (interval.low, interval.high) == pytest.approx((0.025, 0.975))


def test_a_round_draws_the_same_whatever_ran_before_it():
    alone = round_generator(7, "elo", 5).random(3)
    earlier = round_generator(7, "elo", 4).random(100)
    again = round_generator(7, "elo", 5).random(3)

    assert alone.tolist() == again.tolist()
    assert not set(alone) & set(earlier)
    assert alone.tolist() != round_generator(7, "bt", 5).random(3).tolist()
