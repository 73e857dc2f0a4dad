import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.likert import (
    estimate_case_weighted_mean,
    estimate_mean,
    judge_reversal,
    standard_scores,
)
from juryline.estimators.quantity import Interval, Quantity

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "likert.json").read_text())
SCALE = {"level": 0.95, "scale_range": 4.0, "bounds": (1.0, 5.0)}


def interval(low, high):
    return Interval(status=Status.OK, level=0.95, method="t", low=low, high=high)


def test_mean_with_raters_of_one_rating_is_the_textbook_interval():
    values = np.array([1, 2, 2, 4, 5, 3, 3, 4.0])

    result = estimate_mean(values, (np.arange(8),), **SCALE)

    expected = stats.ttest_1samp(values, 0).confidence_interval()
    assert result.mean.value == 3
    assert (result.interval.low, result.interval.high) == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_mean_counts_raters_not_ratings():
    values = np.array([1, 1, 1, 5, 5, 5, 3, 3, 3.0])

    result = estimate_mean(values, (np.repeat(np.arange(3), 3),), **SCALE)

    assert result.interval.std_error == pytest.approx(stats.sem([1, 5, 3]))
    assert (result.interval.n_clusters, result.interval.df) == (3, 2)


def test_case_weighted_mean_weighs_a_case_once_however_often_it_was_rated():
    values, case = np.array([5, 5, 5, 1.0]), np.array([0, 0, 0, 1])

    weighted = estimate_case_weighted_mean(values, case, (case,), **SCALE)

    assert weighted.mean.value == 3
    assert weighted.interval.std_error == pytest.approx(stats.sem([5, 1]))
    assert estimate_mean(values, (case,), **SCALE).mean.value == 4


def test_no_ratings_have_no_mean():
    nothing = np.array([])

    for result in (
        estimate_mean(nothing, (nothing.astype(int),), **SCALE),
        estimate_case_weighted_mean(nothing, nothing.astype(int), (nothing.astype(int),), **SCALE),
    ):
        assert (result.mean.status, result.mean.reason) == (Status.INSUFFICIENT, (Reason.NO_JUDGMENTS,))
        assert result.interval.status is Status.INSUFFICIENT


def test_one_rating_has_a_mean_and_no_interval():
    result = estimate_mean(np.array([4.0]), (np.array([0]),), **SCALE)

    assert result.mean.value == 4
    assert (result.interval.status, result.interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_equal_ratings_have_a_mean_and_a_degenerate_interval():
    result = estimate_mean(np.full(6, 0.1 + 0.2), (np.arange(6),), level=0.95, scale_range=1.0, bounds=(0, 1))

    assert result.mean.value == pytest.approx(0.3)
    assert result.interval.status is Status.DEGENERATE


def test_worked_standard_scores():
    golden = GOLDEN["z"]

    scores = standard_scores(np.array(golden["values"], dtype=float), np.zeros(3, dtype=int), scale_range=4)

    assert scores.value == pytest.approx(golden["expected"], abs=golden["tolerance"])


def test_standard_scores_are_each_raters_own():
    rng = np.random.default_rng(8)
    values, rater = rng.integers(1, 101, 40).astype(float), np.tile(np.arange(4), 10)

    scores = standard_scores(values, rater, scale_range=100)

    for r in range(4):
        assert scores.value[rater == r] == pytest.approx(stats.zscore(values[rater == r], ddof=1))


def test_raters_without_spread_have_no_standard_scores_and_are_counted():
    values, rater = np.array([3, 3, 0.3, 0.1 + 0.2, 5, 1, 2.0]), np.array([0, 0, 1, 1, 2, 3, 3])

    scores = standard_scores(values, rater, scale_range=4)

    assert scores.kept.tolist() == [False] * 5 + [True] * 2
    assert scores.n_raters_left_out == 3


@pytest.mark.parametrize("difference", GOLDEN["table_1_differences"])
def test_every_difference_of_table_1_could_be_reversed(difference):
    result = judge_reversal(
        Quantity.of(difference), interval(difference - 0.3, difference + 0.3), step=1, scale_range=4
    )

    assert result.possible.value == 1
    assert result.excluded.value == 0


@pytest.mark.parametrize(
    ("difference", "low", "high", "possible", "excluded"),
    [
        (1.4, 1.0, 1.8, 0, 1),
        (1.4, 0.9, 1.9, 0, 0),
        (-1.4, -1.8, -1.0, 0, 1),
        (1.0, 0.5, 1.5, 0, 0),
        (0.1 + 0.2 + 0.7, 0.9999999999999999, 1.2, 0, 1),
    ],
)
def test_reversal_is_excluded_from_one_step_on(difference, low, high, possible, excluded):
    result = judge_reversal(Quantity.of(difference), interval(low, high), step=1, scale_range=4)

    assert (result.possible.value, result.excluded.value) == (possible, excluded)


def test_reversal_without_a_difference_or_interval_has_no_answer():
    none = Quantity.missing(Status.INSUFFICIENT, Reason.NO_MATCHED_PAIRS)
    flat = Interval(status=Status.DEGENERATE, level=0.95, method="t", reason=(Reason.ZERO_VARIANCE,))

    neither = judge_reversal(none, flat, step=1, scale_range=4)
    no_interval = judge_reversal(Quantity.of(2.0), flat, step=1, scale_range=4)

    assert (neither.possible, neither.excluded) == (none, none)
    assert no_interval.possible.value == 0
    assert no_interval.excluded.status is Status.DEGENERATE
