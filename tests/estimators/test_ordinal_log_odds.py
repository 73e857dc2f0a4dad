from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.ordinal_log_odds import OrdinalAnswers, ordinal_log_odds

PAIR = (0, 1)


def answers(rater, system, label, *, units=None, n_systems=2, n_labels=5):
    rater, system, label = (np.asarray(codes, dtype=int) for codes in (rater, system, label))
    return OrdinalAnswers(
        rater=rater, system=system, label=label, units=units or (rater,), n_systems=n_systems, n_labels=n_labels
    )


def panel(table, **options):
    """Answers from a table, raters x systems."""
    rater, system = np.indices(np.shape(table))
    return answers(rater.ravel(), system.ravel(), np.ravel(table), n_systems=np.shape(table)[1], **options)


def simulated(n_raters=12, n_cases=3, n_systems=3, seed=0, rater_sd=1.0, case_sd=0.0, beta=None):
    rng = np.random.default_rng(seed)
    rater, case, system = (codes.ravel() for codes in np.indices((n_raters, n_cases, n_systems)))
    beta = np.linspace(0, 1, n_systems) if beta is None else np.array(beta)
    latent = beta[system] + rng.normal(0, rater_sd, n_raters)[rater] + rng.normal(0, case_sd, n_cases)[case]
    label = np.searchsorted([-2.0, -0.5, 0.5, 2.0], latent + rng.logistic(size=len(rater)))
    return answers(rater, system, label, units=(rater, case), n_systems=n_systems)


def one(given_answers, pair=PAIR):
    [contrast] = ordinal_log_odds(given_answers, pairs=[pair], level=0.95)
    return contrast


def log_likelihood(parameters, system, label):
    """Of each answer, from the definition; the first system has beta 0."""
    n_thresholds = int(label.max())
    edges = np.concatenate([[-np.inf], parameters[:n_thresholds], [np.inf]])
    beta = np.concatenate([[0.0], parameters[n_thresholds:]])[system]
    return np.log(np.maximum(expit(edges[label + 1] - beta) - expit(edges[label] - beta), 1e-300))


def numeric_sandwich(found, pair):
    """psi of each answer by differences of the likelihood's definition, at its maximum found by scipy."""
    system, label = found.system, found.label
    start = np.concatenate([[-2.0, -0.5, 0.5, 2.0], np.zeros(found.n_systems - 1)])

    def total(at):
        return log_likelihood(at, system, label).sum()

    def gradient(at):
        return approx_fprime(at, total, 1e-6)

    best = minimize(lambda at: -total(at), start, method="BFGS", options={"gtol": 1e-7}).x
    steps = np.eye(len(best)) * 1e-4
    scores = np.array(
        [(log_likelihood(best + s, system, label) - log_likelihood(best - s, system, label)) / 2e-4 for s in steps]
    ).T
    information = -np.array([(gradient(best + s) - gradient(best - s)) / 2e-4 for s in steps])
    beta = np.concatenate([[0.0], best[4:]])
    weights = np.zeros(len(best) + 1)
    weights[4 + pair[0]], weights[4 + pair[1]] = 1, -1
    return beta[pair[0]] - beta[pair[1]], scores @ np.linalg.inv(information) @ np.delete(weights, 4)


def cluster_sum(psi, codes):
    sums = np.array([psi[codes == code].sum() for code in np.unique(codes)])
    return len(sums) / (len(sums) - 1) * np.sum(sums**2)


@pytest.mark.parametrize("pair", [(0, 1), (2, 1)])
def test_interval_is_the_sandwich_over_raters(pair):
    both_ways = simulated(n_raters=8, seed=1)
    found = replace(both_ways, units=both_ways.units[:1])

    contrast = one(found, pair)

    estimate, psi = numeric_sandwich(found, pair)
    std_error = np.sqrt(cluster_sum(psi, found.rater))
    half = stats.t.ppf(0.975, 7) * std_error
    assert contrast.log_odds.value == pytest.approx(estimate, abs=1e-5)
    assert contrast.interval.std_error == pytest.approx(std_error, rel=1e-4)
    assert (contrast.interval.low, contrast.interval.high) == pytest.approx(
        (estimate - half, estimate + half), abs=1e-3
    )
    assert (contrast.interval.df, contrast.interval.n_clusters, contrast.interval.method) == (7, 8, "sandwich_t")


def test_interval_over_raters_and_cases_is_two_way():
    found = simulated(n_raters=8, n_cases=5, n_systems=2, seed=2, case_sd=1.0)

    contrast = one(found)

    _, psi = numeric_sandwich(found, PAIR)
    rater, case = found.units
    by_rater, by_case, by_cell = (cluster_sum(psi, codes) for codes in (rater, case, rater * 5 + case))
    variance = max(by_rater + by_case - by_cell, by_rater, by_case)
    assert contrast.interval.std_error == pytest.approx(np.sqrt(variance), rel=1e-4)
    assert contrast.interval.df == 4
    assert contrast.interval.reason == (Reason.FEW_CLUSTERS,)


def test_interval_within_a_rater_is_that_of_the_normal_distribution():
    contrast = one(simulated(n_raters=30, seed=3))

    interval = contrast.conditional_interval
    half = 1.959963984540054 * interval.std_error
    assert (interval.low, interval.high) == pytest.approx(
        (contrast.conditional.value - half, contrast.conditional.value + half)
    )
    assert (interval.method, interval.df, interval.n_clusters, interval.reason) == ("wald", None, 30, ())
    assert abs(contrast.conditional.value) > abs(contrast.log_odds.value)


def test_a_higher_rated_subject_has_positive_log_odds():
    contrast = one(panel([[4, 1], [3, 2], [1, 2], [4, 0], [2, 3], [3, 1]]))

    assert contrast.log_odds.value > 0
    assert contrast.conditional.value > 0


def test_a_system_rated_highest_only_takes_no_other_pair_with_it():
    rng = np.random.default_rng(4)
    two = panel(rng.integers(0, 4, (9, 2)))
    always_highest = np.full(9, 4)
    three = answers(
        np.concatenate([two.rater, np.arange(9)]),
        np.concatenate([two.system, np.full(9, 2)]),
        np.concatenate([two.label, always_highest]),
        n_systems=3,
    )

    kept, lost, turned = ordinal_log_odds(three, pairs=[(0, 1), (0, 2), (2, 1)], level=0.95)

    assert kept.log_odds == one(two).log_odds
    assert kept.systems == (0, 1)
    for contrast in (lost, turned):
        for quantity in (contrast.log_odds, contrast.conditional):
            assert (quantity.status, quantity.reason) == (Status.NOT_ESTIMABLE, (Reason.SEPARATION,))
        assert contrast.interval.status is Status.NOT_ESTIMABLE
        assert contrast.systems == (0, 1, 2)


def test_what_is_kept_is_what_the_fit_of_all_tends_to():
    # Systems 2 and 3 are rated above 0 and 1 always: as they move away, the fit of all four gives these estimates.
    low, high = np.array([[0, 1], [1, 0], [1, 1], [0, 0], [0, 1]]), np.array([[3, 2], [2, 3], [3, 3], [3, 2], [2, 2]])
    found = panel(np.hstack([low, high]), n_labels=4)

    first, second, across = ordinal_log_odds(found, pairs=[(0, 1), (2, 3), (1, 2)], level=0.95)

    def of_all(p):
        apart = np.array([0.0, p[0], 40.0, 40.0 + p[1]])[found.system]
        edges = np.array([-np.inf, p[2], 20.0, 40.0 + p[3], np.inf])
        return -np.log(
            np.maximum(expit(edges[found.label + 1] - apart) - expit(edges[found.label] - apart), 1e-300)
        ).sum()

    best = minimize(of_all, np.zeros(4), method="BFGS", options={"gtol": 1e-6}).x
    assert first.log_odds.value == pytest.approx(-best[0], abs=1e-4)
    assert second.log_odds.value == pytest.approx(-best[1], abs=1e-4)
    assert across.log_odds.reason == (Reason.SEPARATION,)


def test_a_system_without_answers_is_insufficient_and_the_others_are_fitted():
    found = answers([0, 0, 1, 1, 2, 2], [0, 1] * 3, [1, 2, 3, 1, 0, 2], n_systems=3)

    with_answers, without = ordinal_log_odds(found, pairs=[(0, 1), (1, 2)], level=0.95)

    assert with_answers.log_odds.status is Status.OK
    assert (without.log_odds.status, without.log_odds.reason) == (Status.INSUFFICIENT, (Reason.NO_JUDGMENTS,))
    assert (without.conditional.status, without.conditional.reason) == (Status.INSUFFICIENT, (Reason.NO_JUDGMENTS,))


def test_nothing_answered_is_insufficient():
    assert one(answers([], [], [])).log_odds.reason == (Reason.NO_JUDGMENTS,)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param([[3, 3]] * 8, id="one level only"),
        pytest.param([[4, 0]] * 8, id="apart"),
        pytest.param([[4, 3], [4, 4]] * 4, id="one system at the top only"),
    ],
)
def test_answers_without_overlap_have_no_finite_estimate(table):
    contrast = one(panel(table))

    for quantity in (contrast.log_odds, contrast.conditional):
        assert (quantity.value, quantity.status, quantity.reason) == (
            None,
            Status.NOT_ESTIMABLE,
            (Reason.SEPARATION,),
        )


def test_a_difference_beyond_fifteen_is_none():
    # Each system has 400 answers at two levels, and one at a level of its neighbour's: about 6 a step, three steps.
    common = [(system, system + step) for system in range(4) for step in (0, 1)] * 400
    rare = [(system, system + 2) for system in range(3)] + [(system + 1, system) for system in range(3)]
    system, label = np.array(common + rare).T
    found = answers(np.arange(len(label)), system, label, n_systems=4)

    near, far = ordinal_log_odds(found, pairs=[(0, 1), (0, 3)], level=0.95)

    assert near.log_odds.status is Status.OK
    assert far.log_odds.reason == (Reason.SEPARATION,)


def test_equal_answers_to_both_have_a_difference_of_exactly_nothing_and_no_interval():
    contrast = one(panel([[level, level] for level in (0, 1, 2, 3, 1, 2)]))

    assert contrast.log_odds.value == 0
    assert (contrast.interval.status, contrast.interval.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    # Each rater gives one level: their spread has no end.
    assert (contrast.conditional.status, contrast.conditional.reason) == (Status.NOT_ESTIMABLE, (Reason.SEPARATION,))


def test_one_rater_has_an_estimate_and_no_interval():
    contrast = one(answers([0] * 6, [0, 1] * 3, [1, 2, 3, 1, 0, 2]))

    assert contrast.log_odds.status is Status.OK
    assert (contrast.interval.status, contrast.interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_the_model_within_raters_needs_five_who_judged_two_systems():
    table = np.array([[1, 2], [3, 1], [0, 2], [2, 2], [1, 3]])
    alone = answers(
        np.concatenate([np.repeat(np.arange(4), 2), np.arange(4, 10)]),
        np.concatenate([np.tile([0, 1], 4), np.tile([0, 1], 3)]),
        np.concatenate([table[:4].ravel(), [1, 2, 3, 1, 0, 2]]),
    )

    four, five, four_of_ten = one(panel(table[:4])), one(panel(table)), one(alone)

    assert five.conditional.status is Status.OK
    for contrast in (four, four_of_ten):
        assert contrast.log_odds.status is Status.OK
        quantity, interval = contrast.conditional, contrast.conditional_interval
        assert (quantity.status, quantity.reason) == (Status.INSUFFICIENT, (Reason.TOO_FEW_RATERS,))
        assert interval.status is Status.INSUFFICIENT


@pytest.mark.parametrize("pair", [(0, 0), (0, 2), (-1, 0)])
def test_a_pair_is_two_of_the_systems(pair):
    with pytest.raises(ValueError, match="each must be two of the 2 systems"):
        one(panel([[1, 2], [2, 1]]), pair)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": [0, 1, 5, 2]}, "label holds codes 0 to 5"),
        ({"system": [0, 1, 2, 1]}, "system holds codes 0 to 2"),
        ({"rater": [0, 1]}, "of one length"),
        ({"units": ()}, "0 dimensions"),
    ],
)
def test_answers_that_fit_no_table_are_refused(options, message):
    columns = {"rater": [0, 0, 1, 1], "system": [0, 1, 0, 1], "label": [0, 1, 2, 2]} | options
    codes = {name: np.array(values) for name, values in columns.items() if name != "units"}
    units = options.get("units", (codes["rater"],))

    with pytest.raises(ValueError, match=message):
        OrdinalAnswers(**codes, units=units, n_systems=2, n_labels=5)


tables = st.integers(6, 12).flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=n, max_size=n).map(np.array)
)
few = settings(max_examples=25, deadline=None)


def values(contrast):
    return [
        (quantity.status, quantity.reason, quantity.value, interval.status, interval.std_error)
        for quantity, interval in (
            (contrast.log_odds, contrast.interval),
            (contrast.conditional, contrast.conditional_interval),
        )
    ]


def assert_same(one_contrast, other, sign=1, within=1e-6):
    for left, right in zip(values(one_contrast), values(other)):
        assert left[:2] == right[:2]
        assert left[3] == right[3]
        if left[2] is not None:
            assert left[2] == pytest.approx(sign * right[2], abs=within)
        if left[4] is not None:
            assert left[4] == pytest.approx(right[4], rel=1e-4)


@few
@given(tables)
def test_the_difference_turned_round_is_its_negative(table):
    there, back = ordinal_log_odds(panel(table), pairs=[(0, 2), (2, 0)], level=0.95)

    for left, right in zip(values(there), values(back)):
        assert left[:2] == right[:2]
        assert left[2] is None or left[2] == -right[2]
        assert left[3:] == right[3:]


@few
@given(tables, st.randoms(use_true_random=False))
def test_order_and_names_of_raters_change_nothing(table, random):
    found = panel(table)
    order = np.array(random.sample(range(len(found.label)), len(found.label)))
    names = np.array(random.sample(range(50), len(table)))
    renamed = names[found.rater[order]]
    again = answers(renamed, found.system[order], found.label[order], n_systems=3)

    before, after = one(found), one(again)

    assert (before.log_odds, before.conditional) == (after.log_odds, after.conditional)
    assert_same(before, after)


@few
@given(tables, st.permutations(range(3)))
def test_order_of_systems_changes_nothing(table, names):
    found = panel(table)
    renamed = replace(found, system=np.array(names)[found.system])

    assert_same(one(found), one(renamed, (names[0], names[1])))


@few
@given(tables)
def test_a_scale_turned_round_turns_the_sign(table):
    assert_same(one(panel(table)), one(panel(4 - table)), sign=-1)


@few
@given(tables, st.integers(0, 5))
def test_a_level_that_nobody_chose_changes_nothing(table, place):
    spread = table + (table >= place)

    assert values(one(panel(table))) == values(one(panel(spread, n_labels=6)))


@pytest.mark.slow
@pytest.mark.parametrize("n_raters", [10, 20, 40])
@pytest.mark.parametrize(("name", "beta"), [("interval", 0.0), ("conditional_interval", 1.0)])
def test_intervals_cover(name, beta, n_raters):
    # Over raters the truth is known where systems do not differ; within one it is what was simulated.
    covered, n_intervals = 0, 0
    for seed in range(2000):
        found = simulated(n_raters=n_raters, n_cases=4, n_systems=2, seed=[seed, n_raters], beta=(0.0, beta))
        contrast = one(replace(found, units=found.units[:1]), (1, 0))
        interval = getattr(contrast, name)
        if interval.status is Status.OK:
            n_intervals += 1
            covered += interval.low <= beta <= interval.high

    assert n_intervals >= 1990
    assert 0.93 <= covered / n_intervals <= 0.97
