"""A judge against human raters: worked by hand, by brute force over pairs of labels, by perturbation, and traps."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.agreement_units import tally_ratings
from juryline.estimators.judge_agreement import JudgedUnits, batch_drift, judge_agreement, match_units

JUDGE = 3  # rater 3 of four
IN_JUDGE = np.arange(4) == JUDGE


def matched(votes, cluster=None):
    """Units from votes (unit, rater, label); clusters are the units unless given."""
    unit, rater, label = (np.array(column) for column in zip(*votes))
    _, dense = np.unique(unit, return_inverse=True)
    n_units = int(dense.max()) + 1
    ratings = tally_ratings(
        dense, rater, label, np.ones(len(dense), dtype=int), n_units=n_units, n_raters=4, n_labels=3
    )
    return match_units(ratings, np.arange(n_units) if cluster is None else np.array(cluster), IN_JUDGE)


def batch(agreement, cluster):
    """Units of a batch by their agreement with the judge."""
    return JudgedUnits(
        cluster=np.array(cluster),
        with_judge=np.array(agreement, dtype=float),
        paired=np.zeros(len(cluster), dtype=bool),
        among_raters=np.zeros(len(cluster)),
    )


WORKED = [
    # unit, rater, label. Judge with humans: 2/3, 0, 1; humans among themselves: 1/3, 1, (one human)
    *((0, 0, 0), (0, 1, 0), (0, 2, 1), (0, JUDGE, 0)),
    *((1, 0, 1), (1, 1, 1), (1, JUDGE, 2)),
    *((2, 0, 2), (2, JUDGE, 2)),
    (3, JUDGE, 0),  # nobody else
    *((4, 0, 0), (4, 1, 0)),  # not the judge
]


def test_the_worked_example():
    result = judge_agreement(matched(WORKED), level=0.95)

    assert (result.judge.mean.value, result.judge.n_units) == (pytest.approx(5 / 9), 3)
    assert (result.humans.mean.value, result.humans.n_units) == (pytest.approx(2 / 3), 2)
    # On the two units that two humans rated: (2/3 - 1/3 + 0 - 1)/2, and not 5/9 - 2/3.
    assert (result.difference.mean.value, result.difference.n_units) == (pytest.approx(-1 / 3), 2)
    assert Reason.UNITS_LEFT_OUT in result.difference.mean.reason
    assert Reason.UNITS_LEFT_OUT in result.humans.mean.reason
    assert result.judge.mean.reason == (Reason.UNIT_COUNT_BELOW_30,)


def test_the_interval_is_that_of_independent_units_where_each_is_a_cluster():
    from scipy import stats

    rng = np.random.default_rng(1)
    votes = [(u, r, int(rng.integers(3))) for u in range(40) for r in range(4)]
    units = matched(votes)

    result = judge_agreement(units, level=0.9)

    for mean, values in (
        (result.judge, units.with_judge),
        (result.difference, units.with_judge - units.among_raters),
    ):
        low, high = stats.t.interval(0.9, len(values) - 1, values.mean(), stats.sem(values))
        assert (mean.interval.low, mean.interval.high) == pytest.approx((low, high))
        assert mean.mean.reason == ()
    apart = 1 - units.among_raters.mean()
    log_high, log_low = stats.t.interval(0.9, len(values) - 1, np.log(apart), stats.sem(units.among_raters) / apart)
    assert (result.humans.interval.low, result.humans.interval.high) == pytest.approx(
        (1 - np.exp(log_low), 1 - np.exp(log_high))
    )


def test_units_of_one_case_move_together():
    votes = [(u, r, (u // 5 + (r == JUDGE) * (u // 5 % 2)) % 3) for u in range(30) for r in range(4)]

    apart, together = matched(votes), matched(votes, cluster=np.arange(30) // 5)

    one, other = (judge_agreement(units, level=0.95).judge.interval for units in (apart, together))
    # Within cases all units are alike, so that six cases say what thirty units seem to.
    assert other.std_error == pytest.approx(one.std_error * (30 / 6 * 29 / 30 * 6 / 5) ** 0.5)
    assert (one.df, other.df) == (29, 5)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40))
def test_it_is_the_share_of_raw_labels_that_are_the_judge_s(votes):
    """Several judgments of a unit by one rater, the judge included, count by their shares."""
    shares = {}
    for unit in {unit for unit, _, _ in votes}:
        given_by = {r: [label for u, who, label in votes if (u, who) == (unit, r)] for r in range(4)}
        judge, humans = given_by.pop(JUDGE), [labels for labels in given_by.values() if labels]
        if not judge or not humans:
            continue
        agree = np.mean([np.mean([a == b for a, b in product(labels, judge)]) for labels in humans])
        pairs = [np.mean([a == b for a, b in product(one, other)]) for one, other in permutations(humans, 2)]
        shares[unit] = agree, np.mean(pairs) if pairs else None
    paired = [(a, h) for a, h in shares.values() if h is not None]

    result = judge_agreement(matched(votes), level=0.95)

    for mean, values in (
        (result.judge, [a for a, _ in shares.values()]),
        (result.humans, [h for _, h in paired]),
        (result.difference, [a - h for a, h in paired]),
    ):
        assert mean.n_units == len(values)
        if values:
            assert mean.mean.value == pytest.approx(np.mean(values))
        else:
            assert (mean.mean.status, mean.mean.reason) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))
            assert mean.interval.status is Status.UNDEFINED


@pytest.mark.parametrize(
    "votes",
    [[(0, 0, 1), (0, 1, 1), (1, 2, 0)], [(0, JUDGE, 1), (1, JUDGE, 0)], [(0, JUDGE, 1), (1, 0, 1), (1, 1, 1)]],
    ids=["the judge saw no unit", "no human saw one", "they saw different ones"],
)
def test_no_shared_unit_is_undefined(votes):
    result = judge_agreement(matched(votes), level=0.95)

    for mean in (result.judge, result.humans, result.difference):
        assert (mean.mean.status, mean.mean.reason, mean.n_units) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,), 0)


def test_one_human_a_unit_leaves_the_judge_s_agreement():
    result = judge_agreement(
        matched([(u, who, u % 2 * (who == 0)) for u in range(4) for who in (0, JUDGE)]), level=0.95
    )

    assert result.judge.mean.value == 0.5
    assert result.humans.mean.reason == result.difference.mean.reason == (Reason.NO_SHARED_UNIT,)


def test_one_category_agrees_wholly_and_has_no_interval():
    result = judge_agreement(matched([(u, r, 1) for u in range(5) for r in range(4)]), level=0.95)

    assert [mean.mean.value for mean in (result.judge, result.humans, result.difference)] == [1, 1, 0]
    for mean in (result.judge, result.difference):
        assert (mean.interval.status, mean.interval.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    assert (result.humans.interval.status, result.humans.interval.reason) == (
        Status.DEGENERATE,
        (Reason.PERFECT_AGREEMENT,),
    )


def test_one_case_has_no_interval():
    result = judge_agreement(matched(WORKED, cluster=[0] * 5), level=0.95)

    assert result.judge.mean.status is Status.OK
    assert (result.judge.interval.status, result.judge.interval.reason) == (
        Status.INSUFFICIENT,
        (Reason.ONE_CLUSTER,),
    )


def test_drift_between_batches_of_different_cases_is_a_difference_of_means():
    rng = np.random.default_rng(4)
    first, later = (rng.integers(2, size=n).astype(float) for n in (12, 15))

    result = batch_drift(batch(first, range(12)), batch(later, range(20, 35)), level=0.95)

    assert result.drift.value == pytest.approx(later.mean() - first.mean())
    variance = 27 / 26 * (first.var() / 12 + later.var() / 15)  # G/(G-1) sum psi^2
    assert result.test.statistic.value == pytest.approx(result.drift.value / variance**0.5)
    assert (result.test.df, result.n_units, result.test.null_value) == (26, 15, 0)


def test_drift_over_the_same_cases_is_a_paired_difference():
    from scipy import stats

    rng = np.random.default_rng(6)
    first, later = (rng.integers(3, size=14) / 2 for _ in range(2))
    order = rng.permutation(14)

    result = batch_drift(batch(first, range(14)), batch(later[order], order), level=0.95)

    paired = stats.ttest_rel(later, first)
    assert result.test.statistic.value == pytest.approx(paired.statistic)
    assert result.test.p_value == pytest.approx(paired.pvalue)


@pytest.mark.parametrize("sizes", [(9, 20), (20, 9), (0, 20)])
def test_a_small_batch_is_insufficient(sizes):
    first, later = (batch(np.arange(n) % 2, range(n)) for n in sizes)

    result = batch_drift(first, later, level=0.95)

    for quantity in (result.drift, result.test.statistic):
        assert (quantity.status, quantity.reason) == (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,))
    assert result.interval.status is Status.INSUFFICIENT


@pytest.mark.parametrize(
    ("first", "later", "drift"), [([1] * 10, [1] * 10, 0), ([1] * 10, [0] * 10, -1)], ids=["no change", "all at once"]
)
def test_batches_without_spread_have_no_test(first, later, drift):
    result = batch_drift(batch(first, range(10)), batch(later, range(10, 20)), level=0.95)

    assert result.drift.value == drift
    for said in (result.interval, result.test.statistic):
        assert (said.status, said.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))


def test_batches_of_one_case_have_no_test():
    result = batch_drift(batch([1, 0] * 5, [0] * 10), batch([1, 1] * 5, [0] * 10), level=0.95)

    assert result.drift.value == 0.5
    assert (result.interval.reason, result.test.statistic.reason) == (
        (Reason.ONE_CLUSTER,),
        (Reason.TOO_FEW_UNITS,),
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.permutations(range(3)), st.permutations(range(3)))
def test_renaming_labels_and_raters_and_reordering_votes_change_nothing(seed, labels, raters):
    rng = np.random.default_rng(seed)
    votes = [(u, r, int(rng.integers(3))) for u in range(12) for r in range(4) if rng.random() < 0.7]
    votes += [(0, 0, 0), (0, JUDGE, 1)]
    renamed = [(u, [*raters, JUDGE][r], labels[label]) for u, r, label in votes]

    one, other = (judge_agreement(matched(v), level=0.95) for v in (votes, rng.permutation(renamed).tolist()))

    for mean, same in zip((one.judge, one.humans, one.difference), (other.judge, other.humans, other.difference)):
        assert (mean.n_units, mean.mean.reason) == (same.n_units, same.mean.reason)
        assert mean.mean.value == pytest.approx(same.mean.value)
        assert mean.interval.std_error == pytest.approx(same.interval.std_error)
