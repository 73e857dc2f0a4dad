"""`judge_agreement` of a specification: a judge held against human raters, to rows of `estimates`.

Belongs here: the rows of METHODS 11. Does not: how the two are read (`judge_sides`, `judge_labels`), which judgments a
row is of (`judge_sources`), the statistics (`juryline.estimators.judge_agreement`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis.expr.types as ir
import numpy as np

from data_contracts.estimates import Cut, Estimate
from data_contracts.scenarios import labels_beside
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import JudgeAgreement
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.agreement_scope import Scope, scopes
from juryline.analyses.cuts import criteria
from juryline.analyses.families import with_holm
from juryline.analyses.judge_batches import Batches, batches_of
from juryline.analyses.judge_labels import SettledLabels
from juryline.analyses.judge_sides import JOIN, JudgeScope, Sides, as_agreement
from juryline.analyses.judge_sources import JudgeSources
from juryline.analyses.labelling import STUDY, labelled
from juryline.estimators.agreement_interval import estimate_with_intervals
from juryline.estimators.dense_codes import n_distinct
from juryline.estimators.judge_agreement import MeanOfUnits, batch_drift, judge_agreement
from juryline.estimators.population_kappa import PopulationKappa
from juryline.estimators.quantity import Quantity
from juryline.estimators.rates import rate_of_games

_NO_BATCHES = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NO_BATCHES)
_NEVER_ASKED = Quantity.missing(Status.UNDEFINED, Reason.NO_SHARED_UNIT)


def judge_agreement_rows(analysis: JudgeAgreement, spec: StudySpec, views: Mapping[str, ir.Table]) -> list[Estimate]:
    """Every estimate of a `judge_agreement` analysis; its rows carry the judge's population.

    Parameters
    ----------
    analysis : JudgeAgreement
    spec : StudySpec
    views : mapping of str to ibis Table
        `comparisons` and `ratings`; where the specification adjudicates, both under scenarios (`scenario_` before
        their names), with the adjudicated labels that belong to the judgments of these views.

    Raises
    ------
    SpecificationError
        Adjudicated labels in place of raw ones, or populations that declare different clusters of cases.
    ContractError
        Judgments without a case.

    Notes
    -----
    A slice is of the reference's judgments; the judge's are those of the same units, since an attribute of human
    raters is none of a judge's. Of the drift a batch is of the judge's judgments, whenever the humans gave theirs.
    """
    rows: list[Estimate] = []
    n_later = 1
    for scope in scopes(as_agreement(analysis, spec), spec, views):
        held = JudgeScope(scope=scope, judge=(analysis.judge,), reference=analysis.reference)
        held.refuse_different_clusters()
        batches = batches_of(analysis, list(held.of_judge().values()))
        n_later = max(n_later, len(batches.later) if batches else 0)
        for cut, given, by_judge in held.cuts(analysis):
            row = _Rows(held, cut, given, by_judge, batches)
            rows += row.rows()
            for id in labels_beside(analysis, spec, cut.criterion):
                rows.append(row.adjudicated(id, views[f"scenario_{scope.name}"]))
    return with_holm(rows, analysis, len(criteria(analysis, spec)) * n_later)


@dataclass(frozen=True)
class _Rows:
    """The rows of one cut: `given` are the reference's judgments."""

    held: JudgeScope
    cut: Cut
    given: ir.Table
    by_judge: ir.Table
    batches: Batches | None

    def rows(self) -> Iterator[Estimate]:
        both = self._read(self.by_judge.rater)
        known = self._scope.units_known(both.judgments)
        yield from self._agreement(both) if known else self._unknown(both)
        if self.batches is not None:
            yield from self._drift(self.batches) if known else self._no_drift(self._unit_unknown)

    def adjudicated(self, adjudication: str, labels: ir.Table) -> Estimate:
        """How often the judge gives the label that was settled on, of units that the reference rated."""
        settled = SettledLabels(self.held, self.cut, self.given, self.by_judge, adjudication, labels)
        sides, n_votes = settled.read()
        counts = sides.counts(sides.shared & sides.of_judge)
        return self._mean_row(
            Statistic.JUDGE_AGREEMENT_ADJUDICATED,
            judge_agreement(sides.units(), level=self._level).judge,
            dimensions={"adjudication": adjudication},
            source=settled.source(self._sources),
            **counts | {"n_judgments": counts["n_judgments"] + n_votes},
        )

    @property
    def _scope(self) -> Scope:
        return self.held.scope

    @property
    def _unit_unknown(self) -> Quantity:
        return self._scope.unit_unknown((*self.held.judge, *self.held.reference))

    @property
    def _level(self) -> float:
        return self._scope.analysis.confidence

    @cached_property
    def _sources(self) -> JudgeSources:
        return JudgeSources(scope=self._scope, cut=self.cut, judge=self.held.judge, reference=self.held.reference)

    def _read(self, name: ir.StringValue) -> Sides:
        return self.held.read(self.cut, self.by_judge, self.given, name)

    def _agreement(self, both: Sides) -> Iterator[Estimate]:
        sources = self._sources
        result = judge_agreement(both.units(), level=self._level)
        for statistic, mean, kept, source in (
            (Statistic.JUDGE_AGREEMENT, result.judge, both.shared, sources.labelled_by_both()),
            (Statistic.HUMAN_AGREEMENT, result.humans, both.paired & ~both.of_judge, sources.among_raters()),
            (Statistic.JUDGE_MINUS_HUMAN, result.difference, both.paired, sources.paired()),
        ):
            yield self._mean_row(statistic, mean, source=source, **both.counts(kept))
        yield self._beyond_chance(both)
        yield self._coverage(both)

    def _beyond_chance(self, both: Sides) -> Estimate:
        kappa = PopulationKappa(in_second=both.in_judge, mirror=self._scope.labels(self.cut).mirror)
        read, resampling = both.judgments.ratings(), self._scope.resampling()
        (result,) = estimate_with_intervals(*read, [kappa], resampling=resampling)
        return self._row(
            Statistic.POPULATION_KAPPA,
            result.quantity,
            unit=Unit.COEFFICIENT,
            interval=result.interval,
            n_units=result.n_units,
            source=self._sources.labelled_by_both(),
            **both.counts(both.shared),
        )

    def _coverage(self, both: Sides) -> Estimate:
        """Share of the judge's judgments that are labels, of units that the reference rated; each unit the same."""
        share, cluster = both.answered()
        one_each = np.ones(len(share), dtype=np.int64)
        rate = rate_of_games(share, one_each, (cluster,), without=_NEVER_ASKED, level=self._level)
        asked = both.judgments.only(both.asked)
        return self._row(
            Statistic.COVERAGE,
            rate.rate,
            interval=rate.interval,
            n_units=rate.n_games,
            source=self._sources.asked_of_judge(),
            n_judgments=int(asked.count.sum()),
            n_cases=n_distinct(asked.case),
            n_raters=n_distinct(asked.rater),
            states=asked.states(),
        )

    def _drift(self, batches: Batches) -> Iterator[Estimate]:
        if not batches.later:
            yield from self._no_drift(_NO_BATCHES)
            return
        both = self._read(batches.place(self.by_judge) + JOIN + self.by_judge.rater)
        first = both.of_batches(0).units()
        for place in range(len(batches.names)):
            units = both.of_batches(place).units()
            mean = judge_agreement(units, level=self._level).judge
            yield self._mean_row(Statistic.JUDGE_AGREEMENT, mean, **self._of_batches(both, batches, place))
            if place:
                result = batch_drift(first, units, level=self._level)
                columns = self._of_batches(both, batches, 0, place) | {"n_units": result.n_units}
                columns["null_value"] = result.test.null_value
                yield self._row(Statistic.DRIFT, result.drift, interval=result.interval, **columns)
                yield self._row(Statistic.DRIFT_T, result.test.statistic, unit=Unit.T, test=result.test, **columns)

    def _of_batches(self, both: Sides, batches: Batches, *places: int) -> dict[str, Any]:
        """Columns of a row that is of some batches, and named after the last."""
        part, names = both.of_batches(*places), [batches.names[place] for place in places]
        return {
            "source": self._sources.labelled_by_both(f"({' OR '.join(map(batches.condition, names))})"),
            "dimensions": {"batch": names[-1]},
            **part.counts(part.shared),
        }

    def _no_drift(self, none: Quantity) -> Iterator[Estimate]:
        columns: dict[str, Any] = {"source": self._sources.labelled_by_both()}
        yield self._row(Statistic.DRIFT, none, **columns)
        yield self._row(Statistic.DRIFT_T, none, unit=Unit.T, **columns)

    def _unknown(self, both: Sides) -> Iterator[Estimate]:
        """Units are presentations and the order shown is not known of every judgment."""
        columns: dict[str, Any] = {"source": self._sources.labelled_by_both(), "states": both.judgments.states()}
        shares = (Statistic.JUDGE_AGREEMENT, Statistic.HUMAN_AGREEMENT, Statistic.JUDGE_MINUS_HUMAN)
        for statistic in (*shares, Statistic.COVERAGE):
            yield self._row(statistic, self._unit_unknown, **columns)
        yield self._row(Statistic.POPULATION_KAPPA, self._unit_unknown, unit=Unit.COEFFICIENT, **columns)

    def _mean_row(self, statistic: Statistic, mean: MeanOfUnits, **columns: Any) -> Estimate:
        return self._row(statistic, mean.mean, interval=mean.interval, n_units=mean.n_units, **columns)

    def _row(self, statistic: Statistic, quantity: Quantity, *, unit: Unit = Unit.SHARE, **columns: Any) -> Estimate:
        return labelled(self.cut, statistic, unit, quantity, subject=STUDY, subject_kind="study", **columns)
