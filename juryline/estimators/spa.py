"""System-level probabilistic assessment: the mean stated chance that one system is the better one.

Belongs here: METHODS 1 for one pair (X, Y) at one exposure. Does not: which exposure heads a study, and power
(`power`).

An answer is forward if it states the chance of X, reversed if it states the chance of Y. Raters and samples are
codes. Several answers of a rater to one question are averaged first; the unit is the rater.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from data_contracts.vocabulary import Reason
from juryline.estimators.cluster_variance import cluster_variance
from juryline.estimators.inference import UNIT_BOUNDS, OneSampleTResult, lower_tail_p, one_sample_t, t_interval, t_test
from juryline.estimators.quantity import Interval, Quantity, Test

INDIFFERENT = 0.5
COMPLEMENT = 1.0

AnswerMode = Literal["forward", "mean_of_both", "either"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairAnswers:
    """Answers about one pair at one exposure, in the order of a unique key.

    Parameters
    ----------
    rater : ndarray of int, shape (n,)
    forward : ndarray of bool, shape (n,)
        Whether X is the subject of the question.
    value : ndarray of float, shape (n,)
        Stated chance in [0, 1] of the question's subject.

    Raises
    ------
    ValueError
        Unequal lengths, or a chance outside [0, 1].
    """

    rater: np.ndarray
    forward: np.ndarray
    value: np.ndarray

    def __post_init__(self) -> None:
        if not len(self.rater) == len(self.forward) == len(self.value):
            raise ValueError("rater, forward and value must be of one length")
        if not ((self.value >= 0) & (self.value <= 1)).all():
            raise ValueError("value must lie in [0, 1]")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaterValues:
    """One value a rater, ascending in the rater's code.

    `answers` marks the answers that entered; `complement_assumed` the raters whose value is 1 minus the other chance.
    """

    rater: np.ndarray
    value: np.ndarray
    answers: np.ndarray
    complement_assumed: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceResult:
    """Mean preference of X over Y, its interval, its test against indifference and the raters' standard deviation."""

    preference: Quantity
    interval: Interval
    test: Test
    sd: Quantity
    n_raters: int
    n_answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOrderResult:
    """How much surer raters were in their first question than in their second.

    `by_subject`: no rater's order is known, and the difference is that of the question about X and the one about Y;
    `n_unplaced`: raters asked both ways whose order is not known; `n_answers`: answers that the difference is made of.
    """

    difference: OneSampleTResult
    by_subject: bool
    n_unplaced: int
    n_answers: int


def rater_values(answers: PairAnswers, *, mode: AnswerMode) -> RaterValues:
    """Preference of X that each rater states.

    Parameters
    ----------
    mode : {"forward", "mean_of_both", "either"}
        `forward`: p_xy, raters who gave it. `mean_of_both`: (p_xy + 1 - p_yx)/2, raters who gave both. `either`: the
        mean of both, or p_xy, or 1 - p_yx, which takes the two to be complementary.
    """
    by_rater = _by_rater(answers)
    both = by_rater.asked_x & by_rater.asked_y
    if mode == "forward":
        used, value = by_rater.asked_x, by_rater.p_xy
    else:
        used = both if mode == "mean_of_both" else by_rater.asked_x | by_rater.asked_y
        value = np.where(
            both, (by_rater.p_xy + 1 - by_rater.p_yx) / 2, np.where(by_rater.asked_x, by_rater.p_xy, 1 - by_rater.p_yx)
        )
    entered = used[by_rater.place] & (answers.forward if mode == "forward" else True)
    return RaterValues(
        rater=by_rater.rater[used],
        value=value[used],
        answers=entered,
        complement_assumed=by_rater.rater[used & ~by_rater.asked_x],
    )


def estimate_preference(
    answers: PairAnswers,
    *,
    mode: AnswerMode,
    level: float,
    raters: bool = True,
    samples: np.ndarray | None = None,
) -> PreferenceResult:
    """Mean preference of X over Y with interval and test.

    Parameters
    ----------
    mode : {"forward", "mean_of_both", "either"}
        How a rater's value is made: `rater_values`.
    level : float
        Confidence of the interval.
    raters : bool
        Whether raters are a dimension of the independent unit.
    samples : ndarray of int, shape (n,), optional
        Sample of outputs behind each answer, where samples are a dimension of the independent unit.

    Returns
    -------
    PreferenceResult
        insufficient, no_judgments or too_few_units: fewer than two raters. Interval and test are degenerate,
        zero_variance: raters (or samples) do not differ. Interval with one_case: all saw one sample, so that it
        speaks of raters only.

    Notes
    -----
    t = (mean - 1/2)/(s/sqrt n), df n - 1. With samples, the variance is the clustered one of
    psi_k = w_k (a_k - mean), a_k the chance of X that answer k states, w_k its weight in the mean.

    References
    ----------
    The Authenticity Gap in Human Evaluation, section 5.2 and equation 2.
    """
    values = rater_values(answers, mode=mode)
    plain = mean_preference(values, level=level)
    interval, test = plain.interval, plain.test
    if samples is not None and plain.mean.value is not None:
        shown = samples[values.answers]
        if len(np.unique(shown)) == 1:
            interval = replace(interval, reason=(*interval.reason, Reason.ONE_CASE))
        else:
            psi, rater = _contributions(answers, values, plain.mean.value)
            variance = cluster_variance(psi, (rater, shown) if raters else (shown,))
            interval = t_interval(plain.mean.value, variance, level=level, bounds=UNIT_BOUNDS)
            test = t_test(plain.mean.value, INDIFFERENT, variance)
    return PreferenceResult(
        preference=plain.mean,
        interval=interval,
        test=test,
        sd=plain.sd,
        n_raters=plain.n_units,
        n_answers=int(values.answers.sum()),
    )


def equivalence_test(result: PreferenceResult, *, margin: float) -> Test:
    """Two one-sided tests that the preference lies within a margin of indifference.

    Returns
    -------
    Test
        The one with the larger p-value, which is the p-value of equivalence: its t against 1/2 - margin or
        1/2 + margin. No value where the two-sided test has none.

    Notes
    -----
    p = max(P(T > (mean - 1/2 + margin)/se), P(T < (mean - 1/2 - margin)/se)).
    """
    mean, std_error, df = result.preference.value, result.interval.std_error, result.test.df
    if mean is None or std_error is None or df is None:
        return Test(statistic=result.test.statistic, null_value=INDIFFERENT + margin)
    tests = []
    for side in (-1, 1):
        null_value = INDIFFERENT + side * margin
        t = (mean - null_value) / std_error
        tests.append(Test(statistic=Quantity.of(t), null_value=null_value, df=df, p_value=lower_tail_p(side * t, df)))
    return max(tests, key=lambda test: test.p_value or 0.0)


def complement_sum(answers: PairAnswers, *, level: float) -> OneSampleTResult:
    """Mean over raters asked both ways of p_xy + p_yx, tested against 1."""
    by_rater = _by_rater(answers)
    both = by_rater.asked_x & by_rater.asked_y
    return one_sample_t(
        by_rater.p_xy[both] + by_rater.p_yx[both], COMPLEMENT, level=level, scale_range=2.0, bounds=(0.0, 2.0)
    )


def question_order(answers: PairAnswers, sequence: np.ndarray, *, level: float) -> QuestionOrderResult:
    """Mean over raters asked both ways of the difference in certainty between the two questions, tested against 0.

    Parameters
    ----------
    sequence : ndarray of int, shape (n,)
        Place of each answer in its rater's session; -1 where it is not recorded.

    Returns
    -------
    QuestionOrderResult
        insufficient, no_judgments or too_few_units: fewer than two raters. Test degenerate, zero_variance: raters do
        not differ.

    Notes
    -----
    |p_first - 1/2| - |p_second - 1/2|, where both questions of a rater have a place and the places differ; all other
    raters are left out. Where that is so of no rater: |p_xy - 1/2| - |p_yx - 1/2|, of all.
    """
    by_rater = _by_rater(answers)
    both = by_rater.asked_x & by_rater.asked_y
    place = np.full((2, len(by_rater.rater)), np.iinfo(np.int64).max)
    np.minimum.at(place, (answers.forward.astype(int), by_rater.place), sequence)
    placed = both & (place >= 0).all(axis=0) & (place[0] != place[1])
    difference = np.abs(by_rater.p_xy - INDIFFERENT) - np.abs(by_rater.p_yx - INDIFFERENT)
    by_subject = not placed.any()
    used = both if by_subject else placed
    if not by_subject:
        difference = np.where(place[1] < place[0], difference, -difference)
    return QuestionOrderResult(
        difference=one_sample_t(difference[used], 0.0, level=level, scale_range=1.0, bounds=(-0.5, 0.5)),
        by_subject=bool(by_subject and both.any()),
        n_unplaced=int((both & ~placed).sum()),
        n_answers=int(used[by_rater.place].sum()),
    )


def count_unchecked(answers: PairAnswers) -> int:
    """Raters who answered one of the two questions only, so that complementarity cannot be checked."""
    by_rater = _by_rater(answers)
    return int((by_rater.asked_x ^ by_rater.asked_y).sum())


def mean_preference(values: RaterValues, *, level: float) -> OneSampleTResult:
    """Mean over raters of the preference they state, raters being the units."""
    return one_sample_t(values.value, INDIFFERENT, level=level, scale_range=1.0, bounds=UNIT_BOUNDS)


def mean_certainty(values: RaterValues, *, level: float) -> OneSampleTResult:
    """Mean over raters of the distance from indifference, |p - 1/2|."""
    certainty = np.abs(values.value - INDIFFERENT)
    return one_sample_t(certainty, 0.0, level=level, scale_range=1.0, bounds=(0.0, 0.5))


def mean_change(before: RaterValues, after: RaterValues, *, level: float, certainty: bool) -> OneSampleTResult:
    """Mean within raters of what more exposure changed, in the preference or in its certainty |p - 1/2|."""
    _, left, right = np.intersect1d(before.rater, after.rater, assume_unique=True, return_indices=True)
    was, became = before.value[left], after.value[right]
    if certainty:
        was, became = np.abs(was - INDIFFERENT), np.abs(became - INDIFFERENT)
    return one_sample_t(became - was, 0.0, level=level, scale_range=1.0, bounds=(-1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ByRater:
    rater: np.ndarray
    place: np.ndarray  # of each answer's rater among `rater`
    asked_x: np.ndarray
    asked_y: np.ndarray
    p_xy: np.ndarray  # 0 where not asked
    p_yx: np.ndarray


def _by_rater(answers: PairAnswers) -> _ByRater:
    rater, place = np.unique(answers.rater, return_inverse=True)
    counts = [np.bincount(place[way], minlength=len(rater)) for way in (answers.forward, ~answers.forward)]
    means = [
        np.bincount(place[way], weights=answers.value[way], minlength=len(rater)) / np.maximum(n, 1)
        for way, n in zip((answers.forward, ~answers.forward), counts)
    ]
    return _ByRater(
        rater=rater, place=place, asked_x=counts[0] > 0, asked_y=counts[1] > 0, p_xy=means[0], p_yx=means[1]
    )


def _contributions(answers: PairAnswers, values: RaterValues, mean: float) -> tuple[np.ndarray, np.ndarray]:
    rater, forward = answers.rater[values.answers], answers.forward[values.answers]
    place = np.searchsorted(values.rater, rater)
    question = 2 * place + forward
    answered = np.bincount(question, minlength=2 * len(values.rater))
    questions = (answered.reshape(-1, 2) > 0).sum(axis=1)
    weight = 1 / (len(values.rater) * questions[place] * answered[question])
    chance = answers.value[values.answers]
    return weight * (np.where(forward, chance, 1 - chance) - mean), rater
