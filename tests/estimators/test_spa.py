import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.holm import holm
from juryline.estimators.inference import one_sample_t
from juryline.estimators.spa import (
    PairAnswers,
    complement_sum,
    count_unchecked,
    equivalence_test,
    estimate_preference,
    mean_certainty,
    mean_change,
    question_order,
    rater_values,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "spa.json").read_text())
WORKED = GOLDEN["worked"]
TABLE_1 = GOLDEN["table_1"]
X_OVER_Y, Y_OVER_X = (np.array(WORKED[name]) / 100 for name in ("x_over_y", "y_over_x"))
LEVEL = 0.95
X_FIRST = np.repeat([1, 2], 5)  # places of the answers of `both_ways`: each rater was asked about X first
UNPLACED = -1


def both_ways(x_over_y=X_OVER_Y, y_over_x=Y_OVER_X):
    n = len(x_over_y)
    return PairAnswers(
        rater=np.tile(np.arange(n), 2),
        forward=np.repeat([True, False], n),
        value=np.concatenate([x_over_y, y_over_x]),
    )


def forward_only(values):
    return PairAnswers(rater=np.arange(len(values)), forward=np.full(len(values), True), value=np.array(values))


def check(found, expected):
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=WORKED["tolerance"][name]), name


def figures(mean, test, interval, sd):
    return {
        "mean": mean.value,
        "t": test.statistic.value,
        "p": test.p_value,
        "df": test.df,
        "low": interval.low,
        "high": interval.high,
        "sd": sd.value,
    }


@pytest.mark.parametrize("mode", ["forward", "mean_of_both"])
def test_worked_example(mode):
    result = estimate_preference(both_ways(), mode=mode, level=LEVEL)

    check(figures(result.preference, result.test, result.interval, result.sd), WORKED[mode])


@pytest.mark.parametrize("name", ["complement_sum", "question_order"])
def test_worked_diagnostics(name):
    result = {
        "complement_sum": complement_sum(both_ways(), level=LEVEL),
        "question_order": question_order(both_ways(), X_FIRST, level=LEVEL).difference,
    }[name]

    check(figures(result.mean, result.test, result.interval, result.sd), WORKED[name])


def table_rows():
    return [pytest.param(name, row, id=f"{name} {row['mean']}") for name in ("spa", "likert") for row in TABLE_1[name]]


@pytest.mark.parametrize(("name", "row"), table_rows())
def test_spreads_that_give_table_1_its_stars(name, row):
    low, high = {"*": (0.05, 0.10), "***": (0.0, 0.01), "": (0.10, 1.0)}[row["stars"]]

    def adjusted(sd):
        # Any 90 values of this mean and standard deviation have one t; the rank is what the other four p-values leave.
        shape = stats.zscore(np.arange(TABLE_1["raters"], dtype=float), ddof=1)
        null_value = 0.5 if name == "spa" else 0.0
        test = one_sample_t(row["mean"] + sd * shape, null_value, level=LEVEL, scale_range=1).test
        others = [0.0] * (row["rank"] - 1) + [1.0] * (TABLE_1["family_size"] - row["rank"])
        return holm([*others, test.p_value], TABLE_1["family_size"])[-1]

    for sd in (row.get("sd_min"), row.get("sd_max")):
        if sd is not None:
            assert low < adjusted(sd) <= high
    if "sd_max" in row:
        assert adjusted(row["sd_max"] + 0.002) > high
    if "sd_min" in row:
        assert adjusted(row["sd_min"] - 0.002) <= low


def test_either_takes_one_direction_where_the_other_is_not_given():
    answers = PairAnswers(
        rater=np.array([0, 0, 1, 2]), forward=np.array([True, False, True, False]), value=np.array([0.6, 0.2, 0.9, 0.3])
    )

    values = rater_values(answers, mode="either")

    assert values.value == pytest.approx([0.7, 0.9, 0.7])
    assert values.complement_assumed.tolist() == [2]
    assert rater_values(answers, mode="mean_of_both").rater.tolist() == [0]
    assert rater_values(answers, mode="forward").rater.tolist() == [0, 1]
    assert count_unchecked(answers) == 2


def test_answers_of_a_rater_to_one_question_are_averaged_first():
    answers = PairAnswers(rater=np.array([0, 0, 0, 1]), forward=np.full(4, True), value=np.array([0.2, 0.4, 0.6, 0.8]))

    result = estimate_preference(answers, mode="forward", level=LEVEL)

    assert result.preference.value == pytest.approx(0.6)
    assert (result.n_raters, result.n_answers) == (2, 4)


def test_subject_and_comparator_exchanged_give_the_complement():
    answers = both_ways()
    swapped = PairAnswers(rater=answers.rater, forward=~answers.forward, value=answers.value)

    for mode in ("mean_of_both", "either"):
        one, other = (estimate_preference(a, mode=mode, level=LEVEL) for a in (answers, swapped))

        assert other.preference.value == pytest.approx(1 - one.preference.value, abs=1e-15)
        assert other.test.statistic.value == pytest.approx(-one.test.statistic.value, rel=1e-9)
        assert other.test.p_value == pytest.approx(one.test.p_value, rel=1e-9)


def test_forward_answers_know_no_complement():
    answers = both_ways()
    swapped = PairAnswers(rater=answers.rater, forward=~answers.forward, value=answers.value)

    one, other = (estimate_preference(a, mode="forward", level=LEVEL).preference.value for a in (answers, swapped))

    assert other != pytest.approx(1 - one, abs=1e-3)


@pytest.mark.parametrize("chance", [0.7, 0.5])
def test_equal_answers_have_a_preference_and_no_p_value(chance):
    result = estimate_preference(forward_only([chance] * 20), mode="either", level=LEVEL)

    assert result.preference.value == pytest.approx(chance)
    assert result.interval.status is Status.DEGENERATE
    assert (result.test.statistic.status, result.test.p_value) == (Status.DEGENERATE, None)
    assert equivalence_test(result, margin=0.1).statistic.status is Status.DEGENERATE


def test_one_rater_is_insufficient():
    result = estimate_preference(forward_only([0.7]), mode="either", level=LEVEL)

    assert (result.preference.status, result.preference.reason) == (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,))
    assert result.test.p_value is None


def test_two_samples_widen_what_the_interval_speaks_of():
    answers = forward_only([0.2, 0.3, 0.7, 0.8])
    samples = np.array([0, 0, 1, 1])

    over_both = estimate_preference(answers, mode="forward", level=LEVEL, samples=samples)
    over_samples = estimate_preference(answers, mode="forward", level=LEVEL, samples=samples, raters=False)

    # By hand: sample sums of (a - .5)/4 are -.125 and .125, so V = 2/1 * .03125; over raters V = 4/3 * .01625.
    assert over_samples.interval.std_error**2 == pytest.approx(0.0625)
    assert over_samples.test.df == 1
    assert over_both.interval.std_error**2 == pytest.approx(0.0625)
    assert over_both.preference == over_samples.preference


def test_raters_of_their_own_samples_give_the_plain_interval():
    answers = both_ways()

    clustered = estimate_preference(answers, mode="mean_of_both", level=LEVEL, samples=np.tile(np.arange(5), 2))
    plain = estimate_preference(answers, mode="mean_of_both", level=LEVEL)

    assert clustered.interval.std_error == pytest.approx(plain.interval.std_error, rel=1e-12)
    assert clustered.test.p_value == pytest.approx(plain.test.p_value, rel=1e-12)


def test_one_sample_shown_to_all_speaks_of_raters_only():
    result = estimate_preference(
        both_ways(), mode="mean_of_both", level=LEVEL, samples=np.zeros(10, dtype=int), raters=False
    )

    assert Reason.ONE_CASE in result.interval.reason
    assert result.interval.n_clusters == 5


def test_equivalence_is_the_larger_of_two_one_sided_p_values():
    result = estimate_preference(both_ways(), mode="mean_of_both", level=LEVEL)
    values = (X_OVER_Y + 1 - Y_OVER_X) / 2

    test = equivalence_test(result, margin=0.2)

    above = stats.ttest_1samp(values, 0.3, alternative="greater").pvalue
    below = stats.ttest_1samp(values, 0.7, alternative="less").pvalue
    assert test.p_value == pytest.approx(max(above, below), rel=1e-9)
    assert test.null_value == pytest.approx(0.7)


# Certainty about X minus certainty about Y of each rater of METHODS 1: .1-.05, .2-.3, .05-0, .3-.4, .05-.1.
BY_SUBJECT = np.array([0.05, -0.1, 0.05, -0.1, -0.05])


def test_question_order_is_first_asked_minus_second_by_each_rater_s_own_sequence():
    mixed = np.array([1, 2, 1, 2, 1, 2, 1, 2, 1, 2])  # the second and fourth rater were asked about Y first

    ahead, back, own = (question_order(both_ways(), places, level=LEVEL) for places in (X_FIRST, 3 - X_FIRST, mixed))

    assert ahead.difference.mean.value == pytest.approx(-0.03)
    assert back.difference.mean.value == pytest.approx(0.03)
    assert own.difference.mean.value == pytest.approx(np.mean(BY_SUBJECT * [1, -1, 1, -1, 1]))
    assert not any(result.by_subject or result.n_unplaced for result in (ahead, back, own))


@pytest.mark.parametrize("place", [UNPLACED, 1], ids=["not recorded", "both at one place"])
def test_a_rater_whose_first_question_is_not_known_turns_no_other(place):
    sequence = 3 - X_FIRST
    sequence[5] = UNPLACED if place == UNPLACED else sequence[0]

    result = question_order(both_ways(), sequence, level=LEVEL)

    assert result.difference.mean.value == pytest.approx(-BY_SUBJECT[1:].mean())
    assert (result.difference.n_units, result.n_unplaced, result.by_subject) == (4, 1, False)


@pytest.mark.parametrize("sequence", [np.full(10, UNPLACED), np.full(10, 3)], ids=["not recorded", "one page"])
def test_where_nobody_s_order_is_known_the_questions_are_told_apart_by_their_subject(sequence):
    result = question_order(both_ways(), sequence, level=LEVEL)

    assert result.difference.mean.value == pytest.approx(WORKED["question_order"]["mean"])
    assert result.difference.test.statistic.value == pytest.approx(WORKED["question_order"]["t"], abs=5e-7)
    assert (result.difference.n_units, result.n_unplaced, result.by_subject) == (5, 5, True)


def test_of_a_question_asked_twice_every_answer_needs_a_place():
    answers = PairAnswers(
        rater=np.array([0, 0, 0, 1, 1, 2, 2]),
        forward=np.array([True, True, False, True, False, True, False]),
        value=np.array([0.6, 0.8, 0.4, 0.7, 0.3, 0.9, 0.5]),
    )

    whole, part = (question_order(answers, np.array([5, again, 4, 1, 2, 1, 2]), level=LEVEL) for again in (3, UNPLACED))

    assert whole.difference.mean.value == pytest.approx((0.1 + 0.0 + 0.4) / 3)
    assert part.difference.mean.value == pytest.approx((0.0 + 0.4) / 2)
    assert (part.difference.n_units, part.n_unplaced, part.n_answers) == (2, 1, 4)
    assert (whole.n_unplaced, whole.n_answers) == (0, 7)


def test_nobody_asked_both_ways_leaves_nobody_out():
    result = question_order(forward_only([0.5, 0.6]), np.array([UNPLACED, UNPLACED]), level=LEVEL)

    assert result.difference.mean.status is Status.INSUFFICIENT
    assert (result.n_unplaced, result.by_subject) == (0, False)


def test_change_is_within_raters_who_answered_at_both_exposures():
    before = rater_values(forward_only([0.5, 0.4, 0.9]), mode="forward")
    after = rater_values(
        PairAnswers(rater=np.array([1, 2, 3]), forward=np.full(3, True), value=np.array([0.2, 0.8, 0.1])),
        mode="forward",
    )

    preference = mean_change(before, after, level=LEVEL, certainty=False)
    certainty = mean_change(before, after, level=LEVEL, certainty=True)

    assert preference.mean.value == pytest.approx(-0.15)
    assert certainty.mean.value == pytest.approx(0.05)
    assert preference.n_units == 2
    assert mean_certainty(after, level=LEVEL).mean.value == pytest.approx((0.3 + 0.3 + 0.4) / 3)


@pytest.mark.parametrize("chance", [1.01, -0.01, float("nan")])
def test_a_chance_outside_the_unit_interval_is_refused(chance):
    with pytest.raises(ValueError, match="value"):
        forward_only([0.5, chance])
