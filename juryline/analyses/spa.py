"""`spa` of a specification: stated chances between pairs of systems, as rows of `estimates`.

Belongs here: the rows and labels of METHODS 1. Does not: what was asked (`spa_questions`), and the statistics
(`juryline.estimators.spa`, `juryline.estimators.power`).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import ibis.expr.types as ir
import numpy as np

from data_contracts.errors import SpecificationError
from data_contracts.estimates import ALL, Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Spa
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.cuts import criteria, cuts, declared_pairs, source_query, sql_text
from juryline.analyses.families import expectation_rows, with_holm
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.spa_questions import PairQuestions, Questions, read_questions
from juryline.estimators.dense_codes import n_distinct
from juryline.estimators.inference import OneSampleTResult
from juryline.estimators.power import required_units, t_power
from juryline.estimators.quantity import Quantity
from juryline.estimators.spa import (
    INDIFFERENT,
    AnswerMode,
    PreferenceResult,
    RaterValues,
    complement_sum,
    count_unchecked,
    equivalence_test,
    estimate_preference,
    mean_certainty,
    mean_change,
    mean_preference,
    question_order,
    rater_values,
)

VIEW = "spa_answers"

Row = Callable[..., Estimate]
_AtExposure = tuple[int, PairQuestions, RaterValues]


def spa_rows(analysis: Spa, spec: StudySpec, view: ir.Table) -> list[Estimate]:
    """Every estimate of an `spa` analysis.

    Parameters
    ----------
    analysis : Spa
    spec : StudySpec
    view : ibis Table
        `spa_answers`.

    Returns
    -------
    list of Estimate
        For each criterion, population and slice, the rows of each declared pair, then those of the study; then the
        counts of recovered expectations.

    Raises
    ------
    SpecificationError
        `answers: forward` after a spa_complement rule without `acknowledge`; answers at several exposures of which
        one is not declared; an expected pair that is not tested.
    ContractError
        An answer that is a tie.

    Notes
    -----
    Where `answers` is not declared: `mean_of_both` if at least half of a pair's raters were asked both ways, else
    `either`. Slices follow what all judgments of their criterion and population say.
    """
    flags = _forward_flags(analysis, spec)
    pairs = declared_pairs(analysis, spec)
    family_size = len(criteria(analysis, spec)) * len(pairs)
    modes: dict[tuple[str, str, tuple[str, str]], AnswerMode] = {}
    rows: list[Estimate] = []
    for cut, judgments in cuts(analysis, spec, view):
        questions = read_questions(cut, judgments, analysis, spec)
        headlined = () if questions.headline is None else (questions.headline,)
        for pair in pairs:
            x, y = (spec.system_ids.index(system) for system in pair)
            headline = questions.of_pair(x, y, questions.headline)
            mode = modes.setdefault((cut.criterion, cut.population, pair), analysis.answers or headline.asked_mode)
            row = partial(_pair_row, cut, pair, partial(_source, cut, analysis, spec, pair))
            at_headline = partial(row, exposures=headlined)
            result = _preference(headline, questions, mode, analysis)
            rows += _headline_rows(at_headline, headline, result, mode, analysis)
            rows += _diagnostic_rows(at_headline, headline, analysis)
            rows += _power_rows(at_headline, result, analysis, family_size)
            rows += _exposure_rows(row, questions, (x, y), mode, analysis)
        rows += _study_rows(cut, questions, analysis, spec, family_size)
    rows = with_holm(rows, analysis, family_size)
    rows += expectation_rows(rows, analysis, spec, lambda cut: source_query(cut, VIEW, analysis, spec))
    return [replace(row, reason=tuple(sorted({*row.reason, *flags}))) for row in rows]


def _forward_flags(analysis: Spa, spec: StudySpec) -> tuple[Reason, ...]:
    if analysis.answers != "forward" or all(rule.rule != "spa_complement" for rule in spec.exclusions):
        return ()
    if analysis.acknowledge is None:
        raise SpecificationError(
            f"analysis {analysis.id}: answers: forward is biased by a spa_complement rule, which looks at one side of "
            "the outcome",
            where=f"study.yaml, analyses, {analysis.id}, answers",
            fix="set answers: mean_of_both, or acknowledge: tau_biases_forward",
        )
    return (Reason.TAU_BIASES_FORWARD,)


def _source(cut: Cut, analysis: Spa, spec: StudySpec, pair: tuple[str, str], exposures: tuple[int, ...]) -> str:
    both = ", ".join(sql_text(system) for system in pair)
    extra = f"system_x IN ({both}) AND system_y IN ({both})"
    if exposures:
        extra += f" AND coalesce(exposure, {exposures[-1]}) IN ({', '.join(map(str, exposures))})"
    return source_query(cut, VIEW, analysis, spec, extra)


def _pair_row(
    cut: Cut,
    pair: tuple[str, str],
    source: Callable[[tuple[int, ...]], str],
    statistic: Statistic,
    unit: Unit,
    quantity: Quantity,
    *,
    exposures: tuple[int, ...],
    n_raters: int,
    **rest: Any,
) -> Estimate:
    return labelled(
        cut,
        statistic,
        unit,
        quantity,
        subject=pair[0],
        comparator=pair[1],
        source=source(exposures),
        n_units=n_raters,
        n_raters=n_raters,
        **rest,
    )


def _preference(asked: PairQuestions, questions: Questions, mode: AnswerMode, analysis: Spa) -> PreferenceResult:
    return estimate_preference(
        asked.answers,
        mode=mode,
        level=analysis.confidence,
        raters=questions.raters_are_units,
        samples=asked.samples,
    )


def _headline_rows(
    row: Row, asked: PairQuestions, result: PreferenceResult, mode: AnswerMode, analysis: Spa
) -> Iterator[Estimate]:
    assumed = rater_values(asked.answers, mode=mode).complement_assumed
    reason = (Reason.COMPLEMENTARITY_ASSUMED,) if len(assumed) else ()
    row = partial(
        row,
        n_raters=result.n_raters,
        n_judgments=result.n_answers,
        n_clusters=result.interval.n_clusters,
        states=asked.states,
        reason=reason,
    )
    yield row(
        Statistic.SPA_PREFERENCE,
        Unit.PROBABILITY,
        result.preference,
        interval=result.interval,
        null_value=INDIFFERENT,
    )
    # A test over one shared sample speaks of raters only, as its interval does.
    tested = partial(row, reason=(*reason, *(code for code in result.interval.reason if code is Reason.ONE_CASE)))
    yield tested(Statistic.SPA_T, Unit.T, result.test.statistic, test=result.test)
    yield row(Statistic.SPA_SD, Unit.PROBABILITY, result.sd)
    if analysis.margin is not None:
        test = equivalence_test(result, margin=analysis.margin)
        yield tested(Statistic.SPA_EQUIVALENCE, Unit.T, test.statistic, test=test)


def _diagnostic_rows(row: Row, asked: PairQuestions, analysis: Spa) -> Iterator[Estimate]:
    level = analysis.confidence
    complement = complement_sum(asked.answers, level=level)
    order = question_order(asked.answers, asked.places, level=level)
    unplaced = Reason.QUESTIONS_BY_SUBJECT if order.by_subject else Reason.QUESTIONS_UNPLACED
    flags = (unplaced,) if order.n_unplaced else ()
    n_both_ways = int(rater_values(asked.answers, mode="mean_of_both").answers.sum())
    for statistic, test_statistic, result, n_answers, reason in (
        (Statistic.COMPLEMENT_SUM, Statistic.COMPLEMENT_SUM_T, complement, n_both_ways, ()),
        (Statistic.QUESTION_ORDER, Statistic.QUESTION_ORDER_T, order.difference, order.n_answers, flags),
    ):
        counted = partial(row, n_judgments=n_answers, states=asked.states, reason=reason)
        yield _mean(counted, statistic, result, null_value=result.test.null_value)
        yield counted(
            test_statistic,
            Unit.T,
            result.test.statistic,
            test=result.test,
            n_raters=result.n_units,
            n_clusters=result.n_units,
        )
    unchecked = count_unchecked(asked.answers)
    n_raters = n_distinct(asked.answers.rater)
    yield row(
        Statistic.COMPLEMENT_UNCHECKED, Unit.RATERS, Quantity.of(unchecked), n_raters=n_raters, states=asked.states
    )


def _power_rows(row: Row, result: PreferenceResult, analysis: Spa, family_size: int) -> Iterator[Estimate]:
    for alpha, dimensions in _alphas(analysis, family_size):
        row = partial(row, n_raters=result.n_raters, dimensions=dimensions)
        observed = _observed_power(result, alpha)
        yield row(Statistic.POWER_OBSERVED, Unit.PROBABILITY, observed, reason=(Reason.RESTATES_P_VALUE,))
        if analysis.power is not None:
            declared = _power(result.n_raters, analysis.power.effect / analysis.power.sd, alpha)
            yield row(Statistic.POWER_DECLARED, Unit.PROBABILITY, declared)


def _exposure_rows(
    row: Row, questions: Questions, pair: tuple[int, int], mode: AnswerMode, analysis: Spa
) -> Iterator[Estimate]:
    level = analysis.confidence
    before: _AtExposure | None = None
    for exposure in questions.exposures:
        asked = questions.of_pair(*pair, exposure)
        values = rater_values(asked.answers, mode=mode)
        mean = partial(_mean, partial(row, exposures=(exposure,)), states=asked.states)
        at = {"exposure": exposure}
        preference, certainty = mean_preference(values, level=level), mean_certainty(values, level=level)
        n_answers = int(values.answers.sum())
        yield mean(
            Statistic.EXPOSURE_PREFERENCE, preference, dimensions=at, null_value=INDIFFERENT, n_judgments=n_answers
        )
        yield mean(Statistic.EXPOSURE_CERTAINTY, certainty, dimensions=at, n_judgments=n_answers)
        if before is not None:
            n_answers = _answers_of_both(before, (exposure, asked, values))
            for of_certainty, of in ((False, {}), (True, {"of": "certainty"})):
                change = mean_change(before[2], values, level=level, certainty=of_certainty)
                yield _mean(
                    row,
                    Statistic.EXPOSURE_CHANGE,
                    change,
                    exposures=(before[0], exposure),
                    states=asked.states,
                    dimensions=at | of,
                    null_value=0.0,
                    n_judgments=n_answers,
                )
        before = (exposure, asked, values)


def _answers_of_both(before: _AtExposure, after: _AtExposure) -> int:
    """Answers that entered the values of raters who have one at both exposures."""
    raters = np.intersect1d(before[2].rater, after[2].rater)
    return sum(int(np.isin(asked.answers.rater[values.answers], raters).sum()) for _, asked, values in (before, after))


def _study_rows(cut: Cut, questions: Questions, analysis: Spa, spec: StudySpec, family_size: int) -> Iterator[Estimate]:
    row = partial(
        labelled,
        cut,
        subject=STUDY,
        subject_kind="study",
        source=source_query(cut, VIEW, analysis, spec),
    )
    unchecked, n_raters = questions.unchecked_raters
    yield row(Statistic.COMPLEMENT_UNCHECKED, Unit.RATERS, Quantity.of(unchecked), n_units=n_raters, n_raters=n_raters)
    if analysis.power is None or cut.slice != ALL:
        return
    for alpha, dimensions in _alphas(analysis, family_size):
        required = required_units(analysis.power.effect / analysis.power.sd, alpha)
        yield row(Statistic.REQUIRED_RATERS, Unit.RATERS, required, dimensions=dimensions)


def _mean(row: Row, statistic: Statistic, result: OneSampleTResult, **rest: Any) -> Estimate:
    return row(statistic, Unit.PROBABILITY, result.mean, interval=result.interval, n_raters=result.n_units, **rest)


def _alphas(analysis: Spa, family_size: int) -> Iterator[tuple[float, dict[str, object]]]:
    for alpha in analysis.alpha:
        yield alpha, {"alpha": alpha}
        if analysis.correction == "holm":
            yield alpha / family_size, {"alpha": alpha, "adjust": "bonferroni"}


def _observed_power(result: PreferenceResult, alpha: float) -> Quantity:
    if result.preference.value is None or result.sd.value is None:
        return result.preference
    if result.sd.value == 0:
        return Quantity.missing(Status.DEGENERATE, Reason.ZERO_VARIANCE)
    return _power(result.n_raters, (result.preference.value - INDIFFERENT) / result.sd.value, alpha)


def _power(n_raters: int, effect_size: float, alpha: float) -> Quantity:
    if n_raters < 2:
        return Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_UNITS)
    return Quantity.of(t_power(n_raters, effect_size, alpha))
