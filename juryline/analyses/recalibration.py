"""`recalibration` of a specification: a judge's win rates adjusted for length, as rows of `estimates`.

Belongs here: the labels of METHODS 10. Does not: the factor and the correlations (`juryline.estimators.recalibration`),
which units both judged (`side_by_side`), nor which output was longer (`lengths`).

Every row is marked `development`: the factor is fitted to the judgments that it is held against.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import ibis
import ibis.expr.types as ir

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Recalibration
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.comparisons import OUTCOMES, VIEW, Counts, count_all, count_by_system, of_system
from juryline.analyses.cuts import independent_unit
from juryline.analyses.judged_games import read_judged_games, read_states
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.lengths import BOTH_KNOWN, NOT_RECORDED, measured
from juryline.analyses.side_by_side import (
    JUDGE,
    REFERENCE,
    cuts_of_reference,
    judged_by_both,
    of_members,
    source_of_both,
)
from juryline.estimators.quantity import Quantity
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
_READ = ["judgment_id", "case_id", "case_attributes", "rater", "state", "outcome", "system_1", "system_2", "longer"]
_NOTHING_SHARED = Quantity.missing(Status.UNDEFINED, Reason.NO_SHARED_UNIT)


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
    games of a system but no unit that both judged, its rows are undefined, no_shared_unit; where there are such units
    but none with both lengths known, they are not_estimable, length_not_recorded. A row counts the judgments it is
    made of: the shares of humans and their factor those of humans, the share of the judge its own, the scores and
    what is correlated with them both.
    """
    unit = _cluster(analysis, spec)
    every = measured(analysis, views)
    cuts = cuts_of_reference(analysis, spec, every, (analysis.judge,), analysis.reference)
    return [row for cut, judge, reference in cuts for row in _rows(_Held(cut, judge, reference, unit, analysis, spec))]


@dataclass(frozen=True)
class _Behind:
    """The shared games of some sides, counted, and the states of all their judgments; in all and by system."""

    sides: tuple[str, ...]
    whole: Counts
    by_system: dict[str, Counts]


@dataclass(frozen=True)
class _Held:
    """One cut: the judge's judgments of its criterion and the reference's of the cut, with `longer`."""

    cut: Cut
    judge: ir.Table
    reference: ir.Table
    unit: str
    analysis: Recalibration
    spec: StudySpec

    @cached_property
    def shared(self) -> tuple[ir.Table, ir.Table]:
        """Games of units that both judged; of one unit, lengths are known on both sides or on neither.

        They are counted in a dozen ways, each of which would look for them again: so they are read once.
        """
        judge, reference = judged_by_both(self.judge, self.reference)
        return _read_once(judge), _read_once(reference)

    @cached_property
    def known(self) -> tuple[ir.Table, ir.Table]:
        """Those of outputs whose lengths are known."""
        judge, reference = (side.filter(side.longer.notnull()) for side in self.shared)
        return judge, reference

    def result(self) -> RecalibrationResult:
        return recalibrate(
            read_judged_games(self.known, self.unit, self.spec),
            level=self.analysis.confidence,
            rounds=self.analysis.rounds,
            n_permutations=PERMUTATIONS,
            seed=self.spec.seed_of(self.analysis),
            analysis=self.analysis.id,
            percentile=self.analysis.interval is not None and self.analysis.interval.method == "percentile",
        )

    def behind(self, *sides: str) -> _Behind:
        places = [(JUDGE, REFERENCE).index(side) for side in sides]
        games = ibis.union(*(self.known[place] for place in places))
        states = read_states(ibis.union(*((self.judge, self.reference)[place] for place in places)))
        counts = count_by_system(games)
        return _Behind(
            sides,
            replace(count_all(games, _EVERY_OUTCOME), states=states.whole),
            {
                system: replace(counts.get(system, Counts()), states=states.by_system.get(system, {}))
                for system in self.spec.system_ids
            },
        )

    def label(self, behind: _Behind, subject: str) -> Label:
        """Rows of the shared games of some sides: of a system, or of all."""
        is_study = subject == STUDY
        source = source_of_both(
            self.cut,
            VIEW,
            self.analysis,
            self.spec,
            (self.analysis.judge,),
            self.analysis.reference,
            [BOTH_KNOWN] if is_study else [of_system(subject), BOTH_KNOWN],
            behind.sides,
        )
        counts = behind.whole if is_study else behind.by_system[subject]
        kind = {"subject_kind": "study"} if is_study else {}
        return partial(labelled, subject=subject, source=source, **counts.columns() | kind)


def _read_once(games: ir.Table) -> ir.Table:
    return ibis.memtable(games.select(*_READ).to_pyarrow())


def _rows(held: _Held) -> Iterator[Estimate]:
    result = held.result()
    behind = held.behind(JUDGE), held.behind(REFERENCE), held.behind(JUDGE, REFERENCE)
    given, shared = (ibis.union(*sides) for sides in ((held.judge, held.reference), held.shared))
    n_given, n_shared, n_known = count_by_system(given), count_by_system(shared), behind[-1].by_system
    unknown = read_states(given).unknown
    for place, system in enumerate(held.spec.system_ids):
        by_judge, by_humans, by_both = (held.label(one, system) for one in behind)
        none = _why_none(*(counts.get(system, Counts()) for counts in (n_given, n_shared, n_known)))
        yield from _system_rows(held, by_judge, by_humans, by_both, result.systems[place], none)
        n_unknown = Quantity.of(unknown.get(system, 0))
        yield by_both(held.cut, Statistic.LENGTH_UNKNOWN, Unit.COUNT, n_unknown, reason=_DEVELOPMENT)
    none = _why_none(count_all(given, _EVERY_OUTCOME), count_all(shared, _EVERY_OUTCOME), behind[-1].whole)
    _, by_humans, by_both = (partial(held.label(one, STUDY), held.cut) for one in behind)
    yield from _correlation_rows(by_humans, by_both, result, none, held.spec.seed_of(held.analysis))


def _why_none(given: Counts, shared: Counts, known: Counts) -> Quantity | None:
    """Why rows have no number, from the games there are, those of units both judged, and those of known lengths."""
    if given.n_games and not shared.n_games:
        return _NOTHING_SHARED
    return NOT_RECORDED if shared.n_games and not known.n_games else None


def _system_rows(
    held: _Held,
    by_judge: Label,
    by_humans: Label,
    by_both: Label,
    one: SystemRecalibrationResult,
    none: Quantity | None,
) -> Iterator[Estimate]:
    """Rows of one system; `none` stands for every number of a system whose games cannot be compared."""
    humans = replace(held.cut, population="+".join(held.analysis.reference))
    for cut, label, statistic, rate in (
        (humans, by_humans, Statistic.P_WIN, one.p_win),
        (humans, by_humans, Statistic.P_LONGER, one.p_longer),
        (held.cut, by_judge, Statistic.P_WIN, one.judge_p_win),
    ):
        yield label(cut, statistic, Unit.PROBABILITY, none or rate, reason=_DEVELOPMENT)
    for label, statistic, unit, value, interval in (
        (by_humans, Statistic.BETA, Unit.RATIO, one.beta, one.beta_interval),
        (by_both, Statistic.ADJUSTED_JUDGE_SCORE, Unit.SCORE, one.score, one.score_interval),
    ):
        told = interval if none is None else interval.without(none)
        yield label(held.cut, statistic, unit, none or value, interval=told, reason=_DEVELOPMENT)


def _correlation_rows(
    by_humans: Label, by_both: Label, result: RecalibrationResult, none: Quantity | None, seed: int
) -> Iterator[Estimate]:
    """Rows of the study; `none` stands for every number where no games can be compared."""
    by_humans, by_both = (partial(label, n_units=len(result.compared)) for label in (by_humans, by_both))
    for label, statistic, correlated, reason in (
        (by_both, Statistic.SPEARMAN_BEFORE, result.before, _DEVELOPMENT),
        (by_both, Statistic.SPEARMAN_AFTER, result.after, _LEAKING),
        (by_humans, Statistic.SPEARMAN_BETA_ONLY, result.beta_only, _LEAKING),
    ):
        tested = {} if correlated.p is None else {"null_value": NO_CORRELATION, "p_value": correlated.p.value}
        interval = correlated.interval if none is None else correlated.interval.without(none)
        value = none or correlated.correlation
        yield label(statistic, Unit.COEFFICIENT, value, interval=interval, reason=reason, **tested)
        if correlated.p is not None:
            p, of = none or correlated.p, {"of": str(statistic)}
            yield label(Statistic.SPEARMAN_P, Unit.PROBABILITY, p, reason=reason, dimensions=of, seed=seed, **tested)
    crossfit = none or result.after_crossfit
    splits = {"n_boot": SPLITS, "n_boot_failed": result.n_splits_failed, "seed": seed}
    yield by_both(Statistic.SPEARMAN_AFTER_CROSSFIT, Unit.COEFFICIENT, crossfit, reason=_DEVELOPMENT, **splits)


_DEVELOPMENT = (Reason.DEVELOPMENT,)
_LEAKING = (Reason.DEVELOPMENT, Reason.FACTOR_HOLDS_OUTCOME)


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
