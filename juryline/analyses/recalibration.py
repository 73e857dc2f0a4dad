"""`recalibration` of a specification: a judge's win rates adjusted for length, as rows of `estimates`.

Belongs here: the labels of METHODS 10. Does not: the factor and the correlations (`juryline.estimators.recalibration`),
which units both judged (`side_by_side`), nor which output was longer (`lengths`).

Every row is marked `development`: the factor is fitted to the judgments that it is held against.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ibis.expr.types as ir

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Recalibration
from data_contracts.vocabulary import Reason, State, Statistic, Status, Unit
from juryline.analyses.comparisons import OUTCOMES, VIEW, Counts, count_all, count_by_system, of_system
from juryline.analyses.cuts import independent_unit
from juryline.analyses.judged_games import JudgedStates, read_judged_games, read_states
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.lengths import BOTH_KNOWN, known_only, with_longer
from juryline.analyses.lengths import VIEW as LENGTHS
from juryline.analyses.side_by_side import cuts_of_reference, judged_by_both, of_members, source_of_both
from juryline.estimators.quantity import Interval, Quantity
from juryline.estimators.recalibration import (
    NO_CORRELATION,
    SPLITS,
    RecalibrationResult,
    SystemRecalibrationResult,
    recalibrate,
)

PERMUTATIONS = 100_000
CASE, RATER = "case", "rater"

Label = Callable[..., Estimate]

_EVERY_OUTCOME = tuple(OUTCOMES.values())
_NOT_RECORDED = Quantity.missing(Status.NOT_ESTIMABLE, Reason.LENGTH_NOT_RECORDED)


def recalibration_rows(analysis: Recalibration, spec: StudySpec, views: Mapping[str, ir.Table]) -> list[Estimate]:
    """Every estimate of a `recalibration` analysis; its rows carry the judge's population, but for the humans' shares.

    Parameters
    ----------
    analysis : Recalibration
    spec : StudySpec
    views : mapping of str to ibis Table
        `comparisons` and `output_lengths`.

    Raises
    ------
    SpecificationError
        Populations that declare different clusters of cases.

    Notes
    -----
    Games are of the units that judge and reference both judged, of outputs whose lengths are known. Where there are
    games of a system but none with both lengths known, its rows are not_estimable, length_not_recorded.
    """
    unit = _cluster(analysis, spec)
    every = with_longer(views[VIEW], views[LENGTHS], analysis.threshold)
    cuts = cuts_of_reference(analysis, spec, every, (analysis.judge,), analysis.reference)
    return [row for cut, judge, reference in cuts for row in _rows(_Held(cut, judge, reference, unit, analysis, spec))]


@dataclass(frozen=True)
class _Held:
    """One cut: the judge's judgments of its criterion and the reference's of the cut, with `longer`."""

    cut: Cut
    judge: ir.Table
    reference: ir.Table
    unit: str
    analysis: Recalibration
    spec: StudySpec

    def shared(self) -> tuple[ir.Table, ir.Table]:
        return judged_by_both(known_only(self.judge), known_only(self.reference))

    def result(self, shared: tuple[ir.Table, ir.Table]) -> RecalibrationResult:
        return recalibrate(
            read_judged_games(shared, self.unit, self.spec),
            level=self.analysis.confidence,
            rounds=self.analysis.rounds,
            n_permutations=PERMUTATIONS,
            seed=self.spec.seed_of(self.analysis),
            analysis=self.analysis.id,
            percentile=self.analysis.interval is not None and self.analysis.interval.method == "percentile",
        )

    def states(self) -> JudgedStates:
        return read_states(self.judge.union(self.reference))

    def label(self, condition: str, counts: Counts, states: dict[State, int], **columns: Any) -> Label:
        """Rows of the shared games of which a condition holds."""
        source = source_of_both(
            self.cut,
            VIEW,
            self.analysis,
            self.spec,
            (self.analysis.judge,),
            self.analysis.reference,
            [condition, BOTH_KNOWN],
        )
        told = replace(counts, states=states).columns()
        return partial(labelled, source=source, **told | columns)


def _rows(held: _Held) -> Iterator[Estimate]:
    shared = held.shared()
    result, states = held.result(shared), held.states()
    together = shared[0].union(shared[1])
    counts = count_by_system(together)
    for place, system in enumerate(held.spec.system_ids):
        unknown, played = states.unknown.get(system, 0), counts.get(system, Counts())
        label = held.label(of_system(system), played, states.by_system.get(system, {}), subject=system)
        one = result.systems[place]
        none = _NOT_RECORDED if unknown and not played.n_games else None
        yield from _system_rows(held, label, one, none)
        yield label(held.cut, Statistic.LENGTH_UNKNOWN, Unit.COUNT, Quantity.of(unknown), reason=_DEVELOPMENT)
    label = held.label("true", count_all(together, _EVERY_OUTCOME), states.whole, subject=STUDY, subject_kind="study")
    none = _NOT_RECORDED if any(states.unknown.values()) and not counts else None
    yield from _correlation_rows(partial(label, held.cut), result, none, held.spec.seed_of(held.analysis))


def _system_rows(
    held: _Held, label: Label, one: SystemRecalibrationResult, none: Quantity | None
) -> Iterator[Estimate]:
    humans = replace(held.cut, population="+".join(held.analysis.reference))
    for cut, statistic, rate, n_units in (
        (humans, Statistic.P_WIN, one.p_win, one.n_games),
        (humans, Statistic.P_LONGER, one.p_longer, one.n_games),
        (held.cut, Statistic.P_WIN, one.judge_p_win, one.n_judge_games),
    ):
        yield label(cut, statistic, Unit.PROBABILITY, none or rate, n_units=n_units, reason=_DEVELOPMENT)
    for statistic, unit, value, interval in (
        (Statistic.BETA, Unit.RATIO, one.beta, one.beta_interval),
        (Statistic.ADJUSTED_JUDGE_SCORE, Unit.SCORE, one.score, one.score_interval),
    ):
        told = interval if none is None else _no_interval(interval, none)
        yield label(held.cut, statistic, unit, none or value, interval=told, reason=_DEVELOPMENT)


def _correlation_rows(
    label: Label, result: RecalibrationResult, none: Quantity | None, seed: int
) -> Iterator[Estimate]:
    """Rows of the study; `none` stands for every number where no length is known."""
    label = partial(label, n_units=len(result.compared))
    for statistic, correlated, reason in (
        (Statistic.SPEARMAN_BEFORE, result.before, _DEVELOPMENT),
        (Statistic.SPEARMAN_AFTER, result.after, _LEAKING),
        (Statistic.SPEARMAN_BETA_ONLY, result.beta_only, _LEAKING),
    ):
        tested = {} if correlated.p is None else {"null_value": NO_CORRELATION, "p_value": correlated.p.value}
        interval = correlated.interval if none is None else _no_interval(correlated.interval, none)
        value = none or correlated.correlation
        yield label(statistic, Unit.COEFFICIENT, value, interval=interval, reason=reason, **tested)
        if correlated.p is not None:
            p, of = none or correlated.p, {"of": str(statistic)}
            yield label(Statistic.SPEARMAN_P, Unit.PROBABILITY, p, reason=reason, dimensions=of, seed=seed, **tested)
    crossfit = none or result.after_crossfit
    splits = {"n_boot": SPLITS, "n_boot_failed": result.n_splits_failed, "seed": seed}
    yield label(Statistic.SPEARMAN_AFTER_CROSSFIT, Unit.COEFFICIENT, crossfit, reason=_DEVELOPMENT, **splits)


_DEVELOPMENT = (Reason.DEVELOPMENT,)
_LEAKING = (Reason.DEVELOPMENT, Reason.FACTOR_HOLDS_OUTCOME)


def _no_interval(interval: Interval, none: Quantity) -> Interval:
    return replace(interval, status=none.status, reason=none.reason)


def _cluster(analysis: Recalibration, spec: StudySpec) -> str:
    """What moves together in the bootstrap: the case, or the case attribute declared as independent unit."""
    declared = {
        tuple(unit for unit in independent_unit(part, spec, member) if unit != RATER) or (CASE,)
        for member in (analysis.judge, *analysis.reference)
        for part in (of_members(analysis, (member,)),)
    }
    if len(declared) > 1:
        raise SpecificationError(
            f"analysis {analysis.id}: its populations declare different independent units",
            where=f"study.yaml, analyses, {analysis.id}",
            fix="set independent_unit in the analysis",
        )
    return declared.pop()[0]
