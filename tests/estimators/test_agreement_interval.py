import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.agreement_coefficient import estimate_coefficient
from juryline.estimators.agreement_interval import Resampling, estimate_with_intervals
from juryline.estimators.agreement_units import tally_ratings
from juryline.estimators.bootstrap import round_generator
from juryline.estimators.cohen_kappa import CohenKappa, LightKappa, disagreement_weights
from juryline.estimators.conger_kappa import CongerKappa
from juryline.estimators.fleiss_kappa import FleissKappa
from juryline.estimators.gwet_ac import GwetAC, agreement_weights
from juryline.estimators.krippendorff_alpha import KrippendorffAlpha, NominalDistance, OrdinalAlpha
from juryline.estimators.merged_units import merged_units
from juryline.estimators.raw_agreement import RawAgreement
from juryline.estimators.self_agreement import SelfAgreement, repeats_as_ratings

PLAN = Resampling(level=0.95, rounds=200, seed=7, analysis="agreement", percentile=False, random_raters=False)
KAPPA = CohenKappa(first=0, second=1, disagreement=disagreement_weights(3, power=0), mirror=None)
ALPHA = KrippendorffAlpha(distance=NominalDistance(), mirror=None)
FLEISS = FleissKappa(mirror=None)


def intervals(ratings, coefficients, plan=PLAN, cluster=None):
    cases = np.arange(ratings.n_units) if cluster is None else np.array(cluster)
    return estimate_with_intervals(ratings, cases, coefficients, resampling=plan)


def noisy(seed, units=40, raters=3, levels=3):
    draw = np.random.default_rng(seed)
    truth = draw.integers(levels, size=(units, 1))
    labels = np.where(draw.random((units, raters)) < 0.7, truth, draw.integers(levels, size=(units, raters)))
    return labels.tolist()


@pytest.mark.parametrize(
    "coefficient", [RawAgreement(), FLEISS, ALPHA, OrdinalAlpha(n_labels=3), KAPPA, LightKappa(n_labels=3, mirror=None)]
)
def test_a_round_is_the_coefficient_of_the_cases_drawn_again(coefficient, rated):
    # Two units a case, so that cases are not merged; each drawn case becomes a case of its own.
    table = noisy(1)
    logs = []
    for number in range(PLAN.rounds):
        drawn = round_generator(PLAN.seed, PLAN.analysis, number).integers(20, size=20)
        units = [unit for case in drawn for unit in (2 * case, 2 * case + 1)]
        again = estimate_coefficient(coefficient, rated([table[unit] for unit in units], range(3)))
        logs.append(math.log(1 - again.value))
    ratings = rated(table, range(3))
    value = estimate_coefficient(coefficient, ratings).value
    half = stats.t.ppf(0.975, 19) * math.sqrt(20 / 19 * np.var(logs, ddof=1))

    (result,) = intervals(ratings, [coefficient], cluster=np.repeat(np.arange(20), 2))

    assert result.quantity.value == pytest.approx(value, abs=1e-12)
    assert result.interval.low == pytest.approx(1 - (1 - value) * math.exp(half), abs=1e-9)
    assert result.interval.high == pytest.approx(1 - (1 - value) * math.exp(-half), abs=1e-9)
    assert (result.interval.n_boot, result.interval.n_boot_failed, result.interval.df) == (200, 0, 19)
    assert (result.n_units, result.n_clusters) == (40, 20)


@pytest.mark.parametrize("coefficient", [FLEISS, KAPPA])
def test_units_rated_alike_are_merged_without_changing_the_spread(coefficient, rated):
    table = noisy(2, units=150)
    draw = np.random.default_rng(3)
    again = [[table[unit] for unit in draw.integers(150, size=150)] for _ in range(500)]
    logs = [math.log(1 - estimate_coefficient(coefficient, rated(units, range(3))).value) for units in again]

    (result,) = intervals(rated(table, range(3)), [coefficient], replace(PLAN, rounds=1500))

    assert (result.n_units, result.n_clusters) == (150, 150)
    assert result.interval.std_error / (1 - result.quantity.value) == pytest.approx(np.std(logs), rel=0.12)


def test_merging_keeps_every_sum_of_the_units(rated):
    ratings = rated(noisy(3, units=200), range(3))

    named, nameless = (merged_units(ratings, named=with_names) for with_names in (True, False))

    for merged in (named, nameless):
        assert merged.ratings.matches[merged.place].tolist() == ratings.matches.tolist()
        assert np.bincount(merged.place).tolist() == merged.count.tolist()
    assert len(nameless.count) == 10  # three labels, three places: ten multisets
    assert len(nameless.count) < len(named.count) <= 27


def test_standard_error_of_raw_agreement_is_that_of_a_mean_over_cases(rated):
    table = noisy(4, units=400)
    pairs = np.array([[row[0] == row[1], row[0] == row[2], row[1] == row[2]] for row in table]).mean(axis=1)

    (result,) = intervals(rated(table, range(3)), [RawAgreement()], replace(PLAN, rounds=2000))

    assert result.interval.std_error == pytest.approx(pairs.std(ddof=1) / 20, rel=0.06)


def test_copies_of_a_case_widen_the_interval_as_one_case_would(rated):
    table = noisy(5, units=30)
    thrice = [row for row in table for _ in range(3)]

    (once,) = intervals(rated(table, range(3)), [FLEISS])
    (copied,) = intervals(rated(thrice, range(3)), [FLEISS], cluster=np.repeat(np.arange(30), 3))

    assert copied.quantity.value == pytest.approx(once.quantity.value, abs=1e-12)
    assert copied.interval.std_error == pytest.approx(once.interval.std_error, rel=0.15)


def test_the_stream_of_a_round_depends_on_seed_and_analysis_only(rated):
    ratings = rated(noisy(6), range(3))
    several = [RawAgreement(), KAPPA, ALPHA]

    together = intervals(ratings, several)
    alone = [intervals(ratings, [one])[0] for one in several]
    other = intervals(ratings, several, replace(PLAN, seed=8))

    assert together == alone
    assert all(a.interval.low != b.interval.low for a, b in zip(together, other))


def test_full_agreement_has_no_spread_to_resample(rated):
    (result,) = intervals(rated([[0, 0], [1, 1], [2, 2]], range(3)), [ALPHA])

    assert result.quantity.value == 1
    assert (result.interval.status, result.interval.reason) == (Status.DEGENERATE, (Reason.PERFECT_AGREEMENT,))
    assert result.interval.low is None


def test_one_case_gives_a_value_and_no_interval(rated):
    ratings = rated([[0, 1], [1, 1], [2, 2]], range(3))

    (result,) = intervals(ratings, [ALPHA], cluster=[0, 0, 0])

    assert result.quantity.status is Status.OK
    assert (result.interval.status, result.interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_no_value_has_no_interval_for_the_same_reason(rated):
    (result,) = intervals(rated([[0, None], [None, 1]], range(3)), [ALPHA])

    assert (result.interval.status, result.interval.reason) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))


def test_rounds_without_a_value_are_counted_and_too_many_give_no_interval(rated):
    # One unit in four says 1 or 2: it is missed by (3/4)^4 = 32 % of rounds, which then have one category.
    ratings = rated([[0, 0], [0, 0], [0, 0], [1, 2]], range(3))

    (result,) = intervals(ratings, [ALPHA])

    assert result.interval.status is Status.NOT_ESTIMABLE
    assert result.interval.reason == (Reason.BOOTSTRAP_ROUNDS_FAILED,)
    assert 0.2 < result.interval.n_boot_failed / result.interval.n_boot < 0.45


def test_few_cases_are_told(rated):
    (result,) = intervals(rated(noisy(7, units=9), range(3)), [FLEISS])

    assert result.interval.reason == (Reason.FEW_CLUSTERS,)
    assert result.interval.n_clusters == 9


def test_percentiles_are_quantiles_of_the_coefficients_rounds(rated):
    ratings = rated(noisy(8), range(3))
    percentile = replace(PLAN, percentile=True, rounds=1000)

    (result,) = intervals(ratings, [FLEISS], percentile)
    (wide,) = intervals(ratings, [FLEISS], replace(percentile, percentile=False))

    assert result.interval.method == "bootstrap_percentile"
    assert result.interval.low == pytest.approx(wide.interval.low, abs=0.05)
    assert result.interval.high == pytest.approx(wide.interval.high, abs=0.05)


def test_random_raters_add_the_spread_of_leaving_each_out(rated):
    table = noisy(9, units=60, raters=6)
    ratings = rated(table, range(3))
    (fixed,) = intervals(ratings, [FLEISS])
    value = fixed.quantity.value
    left_out = [[label for rater, label in enumerate(row) if rater != one] for one in range(6) for row in table]
    values = [
        estimate_coefficient(FLEISS, rated(left_out[60 * one : 60 * one + 60], range(3))).value for one in range(6)
    ]
    jackknife = 5 / 6 * sum((one - sum(values) / 6) ** 2 for one in values)
    half = stats.t.ppf(0.975, 5) * math.sqrt(fixed.interval.std_error**2 + jackknife) / (1 - value)

    (result,) = intervals(ratings, [FLEISS], replace(PLAN, random_raters=True))

    assert result.interval.low == pytest.approx(1 - (1 - value) * math.exp(half), abs=1e-9)
    assert result.interval.df == 5
    assert result.interval.reason == (Reason.FEW_CLUSTERS,)


@pytest.mark.parametrize("disagreements", [1, 2, 3, 5])
@pytest.mark.parametrize("units", [50, 1000])
def test_a_few_disagreements_leave_an_interval_about_that_of_as_many_rare_events(disagreements, units, rated):
    table = [[unit % 3, (unit + (unit < disagreements)) % 3] for unit in range(units)]

    raw, fleiss = intervals(rated(table, range(3)), [RawAgreement(), FLEISS], replace(PLAN, rounds=1000))

    # The exact limits of a Poisson count, which those of a logarithm come near to: within a factor of two.
    fewest, most = stats.chi2.ppf(0.025, 2 * disagreements) / 2, stats.chi2.ppf(0.975, 2 * disagreements + 2) / 2
    for result in (raw, fleiss):
        assert result.interval.status is Status.OK
        assert result.interval.low < result.quantity.value < result.interval.high < 1
        assert result.interval.n_boot_failed == 0
    assert 0.5 < (1 - raw.interval.low) * units / most < 2
    assert fewest / 2 < (1 - raw.interval.high) * units < disagreements


@pytest.mark.parametrize(
    ("coefficient", "pairs", "singles"),
    [
        (FLEISS, [(0, 1), (1, 0)] * 5 + [(0, 0)] * 2, [0] * 18),
        (CongerKappa(n_labels=3, mirror=None), [(0, 1), (1, 0)] * 5 + [(0, 0)] * 2, [0] * 18),
        (
            GwetAC(weights=agreement_weights(np.arange(3.0), power=2), mirror=None),
            [(0, 2), (2, 0)] * 5 + [(0, 1)] * 2,
            [0, 1, 2] * 10,
        ),
    ],
)
def test_a_coefficient_below_minus_one_lies_in_its_interval(coefficient, pairs, singles):
    """Chance is over all units, so that those rated once can leave next to no room above it."""
    labels = [*pairs, *((label,) if unit % 2 else (None, label) for unit, label in enumerate(singles))]
    cells = [(u, r, label) for u, row in enumerate(labels) for r, label in enumerate(row) if label is not None]
    unit, rater, label = np.array(cells).T
    ratings = tally_ratings(unit, rater, label, None, n_units=len(labels), n_raters=2, n_labels=3)

    (result,) = intervals(ratings, [coefficient])

    assert result.quantity.value < -1
    assert result.interval.low < result.quantity.value < result.interval.high


def test_four_random_raters_are_too_few(rated):
    ratings = rated(noisy(10, raters=4), range(3))

    of_all, of_two = intervals(ratings, [FLEISS, KAPPA], replace(PLAN, random_raters=True))

    assert (of_all.interval.status, of_all.interval.reason) == (Status.INSUFFICIENT, (Reason.TOO_FEW_RATERS,))
    assert of_two.interval.status is Status.OK


def test_percentiles_with_random_raters_are_refused(rated):
    with pytest.raises(ValueError, match="fixed raters only"):
        intervals(rated(noisy(11), range(3)), [FLEISS], replace(PLAN, percentile=True, random_raters=True))


def repeats():
    """Rater 0: unit 0 A A, unit 1 A B; rater 1: unit 0 B B B, unit 1 once."""
    return repeats_as_ratings(
        np.array([0, 1, 1, 0, 1]),
        np.array([0, 0, 0, 1, 1]),
        np.array([0, 0, 1, 1, 0]),
        np.array([2, 1, 1, 3, 1]),
        n_labels=2,
    )


def test_raters_agree_with_themselves_over_repeats_only():
    ratings, unit, places = repeats()

    found = estimate_coefficient(SelfAgreement(places=places), ratings)

    assert unit.tolist() == [0, 0, 1]
    assert found.value == pytest.approx((0.5 + 1) / 2)


def test_self_agreement_counts_each_rater_once_when_units_are_merged():
    ratings, _, places = repeats()

    (result,) = intervals(ratings, [SelfAgreement(places=places)])

    assert merged_units(ratings, named=True).ratings.n_units == 3
    assert result.quantity.value == pytest.approx(0.75)
    assert result.n_units == 3


def test_nobody_judged_twice_leaves_nothing_to_rest_on():
    one = np.array([0])
    ratings, _, places = repeats_as_ratings(one, one, one, one + 1, n_labels=2)

    found = estimate_coefficient(SelfAgreement(places=places), ratings)

    assert ratings.n_units == 0
    assert found.value is None


def test_vectors_of_shares_are_left_unmerged():
    zero = np.array([0, 0, 0])
    ratings = tally_ratings(np.array([0, 0, 1]), zero, np.array([0, 1, 0]), zero + 1, n_units=2, n_raters=1, n_labels=2)

    assert merged_units(ratings, named=True).ratings is merged_units(ratings, named=False).ratings is ratings
    assert ratings.nameless() is ratings


def test_clusters_with_a_gap_are_refused(rated):
    with pytest.raises(ValueError, match="without a gap"):
        intervals(rated(noisy(12), range(3)), [FLEISS], cluster=np.arange(40) * 2)
