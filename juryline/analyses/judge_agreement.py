"""`judge_agreement` of a specification: a judge held against human raters, to rows of `estimates`.

Belongs here: the rows of METHODS 11. Does not: what a unit or a label is (`agreement_judgments`, `agreement_labels`),
which judgments a row is of (`judge_sources`), the statistics (`juryline.estimators.judge_agreement`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Agreement, JudgeAgreement
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.agreement_judgments import Judgments
from juryline.analyses.agreement_scope import Scope, scopes
from juryline.analyses.cuts import criteria, cuts, not_in_this_version
from juryline.analyses.families import with_holm
from juryline.analyses.judge_batches import Batches, batches_of
from juryline.analyses.judge_sources import JudgeSources
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.side_by_side import Members, of_members
from juryline.estimators.agreement_interval import estimate_with_intervals
from juryline.estimators.judge_agreement import JudgedUnits, batch_drift, judge_agreement, match_units
from juryline.estimators.population_kappa import PopulationKappa
from juryline.estimators.quantity import Quantity
from juryline.estimators.rates import rate_of_games

JUDGE, REFERENCE = "judge", "reference"
_JOIN = "/"  # what stands before the first one is the side, whatever the rater is called
_ORDER_UNKNOWN = Quantity.missing(Status.NOT_ESTIMABLE, Reason.ORDER_NOT_RECORDED)
_NO_BATCHES = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NO_BATCHES)
_NEVER_ASKED = Quantity.missing(Status.UNDEFINED, Reason.NO_SHARED_UNIT)


def judge_agreement_rows(analysis: JudgeAgreement, spec: StudySpec, views: Mapping[str, ir.Table]) -> list[Estimate]:
    """Every estimate of a `judge_agreement` analysis; its rows carry the judge's population.

    Parameters
    ----------
    analysis : JudgeAgreement
    spec : StudySpec
    views : mapping of str to ibis Table
        `comparisons` and `ratings`.

    Raises
    ------
    SpecificationError
        An interval method that is not in this version, or populations that declare different clusters of cases.
    ContractError
        Judgments without a case.

    Notes
    -----
    A slice is of the reference's judgments; the judge's are those of the same units, since an attribute of human
    raters is none of a judge's. Of the drift a batch is of the judge's judgments, whenever the humans gave theirs.
    """
    if analysis.interval is not None:
        raise not_in_this_version(analysis, "interval", f"interval: {analysis.interval.method}")
    rows: list[Estimate] = []
    n_later = 1
    for scope in scopes(_as_agreement(analysis, spec), spec, views):
        _refuse_different_clusters(scope, analysis)
        held = _Held(scope=scope, judge=(analysis.judge,), reference=analysis.reference)
        batches = batches_of(analysis, held.judgments_of_judge())
        n_later = max(n_later, len(batches.later) if batches else 0)
        for cut, given, by_judge in held.cuts(analysis):
            rows += _Rows(held, cut, given, by_judge, batches).rows()
    return with_holm(rows, analysis, len(criteria(analysis, spec)) * n_later)


def _as_agreement(analysis: JudgeAgreement, spec: StudySpec) -> Agreement:
    """The analysis as one of agreement, of the judge's population: units and labels are read the same way."""
    return Agreement(
        id=analysis.id,
        method="agreement",
        criterion=tuple(criterion.id for criterion in criteria(analysis, spec)),
        include=analysis.include,
        labels=analysis.labels,
        independent_unit=analysis.independent_unit,
        confidence=analysis.confidence,
        rounds=analysis.rounds,
        seed=analysis.seed,
        unit=analysis.unit,
        population=(analysis.judge,),
    )


def _refuse_different_clusters(scope: Scope, analysis: JudgeAgreement) -> None:
    of_each = {
        replace(scope, analysis=of_members(scope.analysis, (member,))).cluster(member)
        for member in (analysis.judge, *analysis.reference)
    }
    if len(of_each) > 1:
        raise SpecificationError(
            f"analysis {analysis.id}: its populations declare different independent units",
            where=f"study.yaml, analyses, {analysis.id}",
            fix="set independent_unit in the analysis",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """A judge and the populations it is held against, on the criteria that one view has."""

    scope: Scope
    judge: Members
    reference: Members

    def judgments_of_judge(self) -> ir.Table:
        """All the judge's judgments of the criteria."""
        return ibis.union(*parts) if len(parts := list(self._of_judge().values())) > 1 else parts[0]

    def cuts(self, analysis: JudgeAgreement) -> Iterator[tuple[Cut, ir.Table, ir.Table]]:
        """Every cut with the reference's judgments of it, and the judge's of its criterion."""
        by_judge = self._of_judge()
        of_reference = of_members(self.scope.analysis, self.reference)
        for cut, given in cuts(of_reference, self.scope.spec, self.scope.view):
            yield replace(cut, method=analysis.method, population=analysis.judge), given, by_judge[cut.criterion]

    def _of_judge(self) -> dict[str, ir.Table]:
        unsliced = self.scope.spec.model_copy(update={"slices": ()})
        return {cut.criterion: judgments for cut, judgments in cuts(self.scope.analysis, unsliced, self.scope.view)}


@dataclass(frozen=True)
class _Rows:
    """The rows of one cut: `given` are the reference's judgments."""

    held: _Held
    cut: Cut
    given: ir.Table
    by_judge: ir.Table
    batches: Batches | None

    def rows(self) -> Iterator[Estimate]:
        both = self._read(self.by_judge.rater)
        known = self._scope.units_known(both)
        yield from self._agreement(both) if known else self._unknown(both)
        if self.batches is not None:
            yield from self._drift() if known else self._no_drift(_ORDER_UNKNOWN)

    @property
    def _scope(self) -> Scope:
        return self.held.scope

    @cached_property
    def _sources(self) -> JudgeSources:
        return JudgeSources(scope=self._scope, cut=self.cut, judge=self.held.judge, reference=self.held.reference)

    def _read(self, name: ir.StringValue) -> Judgments:
        """Judgments of both, a rater's name after the side: the judge's is given, and where it is null left out."""
        judge = self.by_judge.mutate(rater=JUDGE + _JOIN + name)
        reference = self.given.mutate(rater=REFERENCE + _JOIN + self.given.rater)
        return self._scope.read(judge.filter(judge.rater.notnull()).union(reference), self.cut)

    def _agreement(self, both: Judgments) -> Iterator[Estimate]:
        level, sources = self._scope.analysis.confidence, self._sources
        in_judge = _is_of(both, JUDGE)
        read = both.ratings()
        result = judge_agreement(match_units(*read, in_judge), level=level)
        kappa = PopulationKappa(in_second=in_judge, mirror=self._scope.labels(self.cut).mirror)
        (beyond_chance,) = estimate_with_intervals(*read, [kappa], resampling=self._scope.resampling())
        shared, paired = _shared_units(both), _paired_units(both)
        of_judge = in_judge[both.rater]
        for statistic, mean, kept, source in (
            (Statistic.JUDGE_AGREEMENT, result.judge, shared, sources.labelled_by_both()),
            (Statistic.HUMAN_AGREEMENT, result.humans, paired & ~of_judge, sources.among_raters()),
            (Statistic.JUDGE_MINUS_HUMAN, result.difference, paired, sources.paired()),
        ):
            yield self._row(
                statistic,
                mean.mean,
                interval=mean.interval,
                n_units=mean.n_units,
                source=source,
                **self._counts(both, kept),
            )
        yield self._row(
            Statistic.POPULATION_KAPPA,
            beyond_chance.quantity,
            unit=Unit.COEFFICIENT,
            interval=beyond_chance.interval,
            n_units=beyond_chance.n_units,
            source=sources.labelled_by_both(),
            **self._counts(both, shared),
        )
        yield self._coverage(both)

    def _coverage(self, both: Judgments) -> Estimate:
        """Share of the judge's judgments that are labels, of units that the reference rated; each unit the same."""
        of_judge = _is_of(both, JUDGE)[both.rater]
        asked = of_judge & np.isin(both.unit, both.unit[both.rated & ~of_judge])
        units, first, unit = np.unique(both.unit[asked], return_index=True, return_inverse=True)
        given = np.bincount(unit, weights=both.count[asked], minlength=len(units))
        labelled_ = np.bincount(unit, weights=(both.count * both.rated)[asked], minlength=len(units))
        rate = rate_of_games(
            labelled_ / given,
            np.ones(len(units), dtype=np.int64),
            (both.cluster[asked][first],),
            without=_NEVER_ASKED,
            level=self._scope.analysis.confidence,
        )
        judgments = both.only(asked)
        return self._row(
            Statistic.COVERAGE,
            rate.rate,
            interval=rate.interval,
            n_units=rate.n_games,
            source=self._sources.asked_of_judge(),
            n_judgments=int(judgments.count.sum()),
            n_cases=len(np.unique(judgments.case)),
            n_raters=len(np.unique(judgments.rater)),
            states=judgments.states(),
        )

    def _drift(self) -> Iterator[Estimate]:
        batches = self.batches
        if batches is None or not batches.later:
            yield from self._no_drift(_NO_BATCHES)
            return
        both = self._read(batches.place(self.by_judge) + _JOIN + self.by_judge.rater)
        level, first = self._scope.analysis.confidence, _matched(self._of_batches(both, 0))
        for place in range(len(batches.names)):
            units = _matched(self._of_batches(both, place))
            mean = judge_agreement(units, level=level).judge
            columns = self._batch_columns(both, batches, place)
            yield self._row(
                Statistic.JUDGE_AGREEMENT, mean.mean, interval=mean.interval, n_units=mean.n_units, **columns
            )
            if place:
                result = batch_drift(first, units, level=level)
                columns = self._batch_columns(both, batches, 0, place) | {"n_units": result.n_units}
                columns["null_value"] = result.test.null_value
                yield self._row(Statistic.DRIFT, result.drift, interval=result.interval, **columns)
                yield self._row(Statistic.DRIFT_T, result.test.statistic, unit=Unit.T, test=result.test, **columns)

    def _batch_columns(self, both: Judgments, batches: Batches, *places: int) -> dict[str, Any]:
        """Columns of a row that is of some batches, and named after the last."""
        part, names = self._of_batches(both, *places), [batches.names[place] for place in places]
        return {
            "source": self._sources.labelled_by_both(f"({' OR '.join(map(batches.condition, names))})"),
            "dimensions": {"batch": names[-1]},
            **self._counts(part, _shared_units(part)),
        }

    def _of_batches(self, both: Judgments, *places: int) -> Judgments:
        """The judge's judgments of some batches, and the reference's whenever they were given."""
        chosen = _is_of(both, REFERENCE)
        for place in places:
            chosen = chosen | _is_of(both, f"{JUDGE}{_JOIN}{place}")
        return both.of_raters(np.flatnonzero(chosen).tolist())

    def _no_drift(self, none: Quantity) -> Iterator[Estimate]:
        columns: dict[str, Any] = {"source": self._sources.labelled_by_both()}
        yield self._row(Statistic.DRIFT, none, **columns)
        yield self._row(Statistic.DRIFT_T, none, unit=Unit.T, **columns)

    def _unknown(self, both: Judgments) -> Iterator[Estimate]:
        """Units are presentations and the order shown is not known of every judgment."""
        columns: dict[str, Any] = {"source": self._sources.labelled_by_both(), "states": both.states()}
        shares = (Statistic.JUDGE_AGREEMENT, Statistic.HUMAN_AGREEMENT, Statistic.JUDGE_MINUS_HUMAN)
        for statistic in (*shares, Statistic.COVERAGE):
            yield self._row(statistic, _ORDER_UNKNOWN, **columns)
        yield self._row(Statistic.POPULATION_KAPPA, _ORDER_UNKNOWN, unit=Unit.COEFFICIENT, **columns)

    def _counts(self, both: Judgments, kept: np.ndarray) -> dict[str, Any]:
        """Columns about the ratings kept; states are of all judgments of units that both were given."""
        of_judge = _is_of(both, JUDGE)[both.rater]
        given = np.intersect1d(both.unit[of_judge], both.unit[~of_judge])
        return both.only(kept).counts() | {"states": both.only(np.isin(both.unit, given)).states()}

    def _row(self, statistic: Statistic, quantity: Quantity, *, unit: Unit = Unit.SHARE, **columns: Any) -> Estimate:
        return labelled(self.cut, statistic, unit, quantity, subject=STUDY, subject_kind="study", **columns)


def _is_of(judgments: Judgments, side: str) -> np.ndarray:
    """Whether each rater's name stands after this side."""
    return np.array([rater.startswith(side + _JOIN) for rater in judgments.raters], dtype=bool)


def _matched(judgments: Judgments) -> JudgedUnits:
    """Units that both labelled; clusters have the codes of the judgments, which batches share."""
    ratings = judgments.ratings().ratings
    rated = judgments.rated
    first = np.unique(judgments.unit[rated], return_index=True)[1]
    return match_units(ratings, judgments.cluster[rated][first], _is_of(judgments, JUDGE))


def _shared_units(both: Judgments) -> np.ndarray:
    """Whether each judgment is a rating of a unit that the judge and the reference rated."""
    of_judge = _is_of(both, JUDGE)[both.rater]
    shared = np.intersect1d(both.unit[both.rated & of_judge], both.unit[both.rated & ~of_judge])
    return both.rated & np.isin(both.unit, shared)


def _paired_units(both: Judgments) -> np.ndarray:
    """Of these, whether it is of a unit that two raters of the reference rated."""
    shared = _shared_units(both)
    human = shared & ~_is_of(both, JUDGE)[both.rater]
    cells = np.unique(np.stack([both.unit[human], both.rater[human]]), axis=1)
    units, raters = np.unique(cells[0], return_counts=True)
    return shared & np.isin(both.unit, units[raters >= 2])
