"""Agreement between two populations of an `agreement` analysis (`between: [A, B]`), to rows of `estimates`.

Belongs here: reading two populations side by side without pooling them, and their rows. Does not: agreement
within one (`agreement`), or the statistics (`juryline.estimators.population_kappa`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import ibis.expr.types as ir
import numpy as np

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut, Estimate
from data_contracts.vocabulary import Statistic, Unit
from juryline.analyses.agreement_context import (
    confusion_rows,
    count_rows,
    missing_share,
    of_unknown_units,
    prevalence_rows,
)
from juryline.analyses.agreement_judgments import Judgments
from juryline.analyses.agreement_labels import LabelSet
from juryline.analyses.agreement_scope import Scope
from juryline.analyses.assigned import AssignedCells, assigned_cells
from juryline.analyses.labelling import labelled
from juryline.analyses.side_by_side import cuts_of_both, of_members
from juryline.estimators.agreement_coefficient import Coefficient, estimate_coefficient
from juryline.estimators.agreement_interval import estimate_with_intervals
from juryline.estimators.population_kappa import PopulationAgreement, PopulationKappa, cross_table
from juryline.estimators.quantity import Quantity

_JOIN = "/"  # no id contains it: who judged in both populations is a rater in each
_ORDER = " ORDER BY record_id"


def population_rows(scope: Scope, between: tuple[str, str], assignments: ir.Table | None) -> list[Estimate]:
    """Rows of two populations: their subject is the first, which they also carry as population.

    Parameters
    ----------
    assignments : ibis Table or None
        Who was assigned what, where the study says so.

    Raises
    ------
    SpecificationError
        A coefficient of raters, or populations with different clusters.
    """
    _refuse(scope, between)
    rows: list[Estimate] = []
    for cut, first, second in cuts_of_both(scope.analysis, scope.spec, scope.view, between[:1], between[1:]):
        judgments = scope.read(_named(first).union(_named(second)), cut)
        assigned = assigned_cells(scope, cut, assignments, [first, second], between)
        rows += _Rows(scope, between, cut, scope.labels(cut), judgments, assigned).rows()
    return rows


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one cut."""

    scope: Scope
    between: tuple[str, str]
    cut: Cut
    labels: LabelSet
    judgments: Judgments
    assigned: AssignedCells | None

    def rows(self) -> list[Estimate]:
        return [*self._coefficients(), *self._context()]

    @property
    def _in_second(self) -> np.ndarray:
        second = self.between[1]
        return np.array([rater.split(_JOIN)[0] == second for rater in self.judgments.raters], dtype=bool)

    def _coefficients(self) -> Iterator[Estimate]:
        judgments, in_second = self.judgments, self._in_second
        estimators: dict[Statistic, Coefficient] = {
            Statistic.POPULATION_KAPPA: PopulationKappa(in_second=in_second, mirror=self.labels.mirror),
            Statistic.POPULATION_AGREEMENT: PopulationAgreement(in_second=in_second),
        }
        if self.scope.oriented and self.labels.of_pairs:
            estimators[Statistic.POPULATION_KAPPA_ORIENTED] = PopulationKappa(in_second=in_second, mirror=None)
        if not self.scope.units_known(judgments):
            for statistic in estimators:
                yield self._row(statistic, _unit(statistic), self.scope.unit_unknown(self.between), rated=True)
            return
        resampling = self.scope.resampling()
        results = estimate_with_intervals(*judgments.ratings(), list(estimators.values()), resampling=resampling)
        for statistic, result in zip(estimators, results):
            yield self._row(
                statistic,
                _unit(statistic),
                result.quantity,
                interval=result.interval,
                n_units=result.n_units,
                rated=True,
            )

    def _context(self) -> Iterator[Estimate]:
        judgments, in_second = self.judgments, self._in_second
        shared = np.intersect1d(*(judgments.unit[judgments.rated & side] for side in self._sides()))
        rows = [*count_rows(judgments, len(shared)), missing_share(judgments, self.assigned)]
        if not self.labels.continuous:
            rows += confusion_rows(cross_table(judgments.ratings().ratings, in_second), self.labels.names)
        response = self.scope.unit_unknown(self.between)
        if self.scope.units_known(judgments):
            response = estimate_coefficient(PopulationAgreement(in_second=in_second), judgments.responses().ratings)
        rows.append((Statistic.RESPONSE_AGREEMENT, Unit.SHARE, response, {}))
        if not self.scope.units_known(judgments):
            rows = list(of_unknown_units(rows, response, is_assigned=self.assigned is not None))
        for statistic, unit, quantity, dimensions in rows:
            yield self._row(statistic, unit, quantity, dimensions=dimensions)
        if not self.labels.continuous:
            yield from self._prevalence()

    def _prevalence(self) -> Iterator[Estimate]:
        for population, second in zip(self.between, (False, True)):
            judgments = self.judgments.of_raters(np.flatnonzero(self._in_second == second).tolist())
            for statistic, unit, quantity, dimensions in prevalence_rows(judgments, self.labels.names):
                yield labelled(
                    self.cut,
                    statistic,
                    unit,
                    quantity,
                    subject=population,
                    subject_kind="population",
                    source=self._source(population, rated=True),
                    dimensions=dimensions,
                    states=judgments.states(),
                )

    def _row(
        self, statistic: Statistic, unit: Unit, quantity: Quantity, *, rated: bool = False, **columns: Any
    ) -> Estimate:
        first, second = (self._source(population, rated=rated) for population in self.between)
        counts = self.judgments.counts() if rated else {"states": self.judgments.states()}
        return labelled(
            self.cut,
            statistic,
            unit,
            quantity,
            subject=self.between[0],
            comparator=self.between[1],
            subject_kind="population",
            source=f"{first.removesuffix(_ORDER)} UNION ALL {second}",
            **counts,
            **columns,
        )

    def _sides(self) -> tuple[np.ndarray, np.ndarray]:
        second = self._in_second[self.judgments.rater]
        return ~second, second

    def _source(self, population: str, *, rated: bool) -> str:
        part = of_members(self.scope.analysis, (population,))
        conditions = [self.scope.rated] if rated else []
        return self.scope.source(replace(self.cut, population=population), *conditions, analysis=part)


def _unit(statistic: Statistic) -> Unit:
    return Unit.SHARE if statistic is Statistic.POPULATION_AGREEMENT else Unit.COEFFICIENT


def _refuse(scope: Scope, between: tuple[str, str]) -> None:
    analysis = scope.analysis
    if analysis.coefficients is not None:
        raise SpecificationError(
            f"analysis {analysis.id}: {', '.join(analysis.coefficients)} are of raters, not of two populations",
            where=f"study.yaml, analyses, {analysis.id}, coefficients",
            fix="remove coefficients, or set between: raters",
        )
    if len({scope.cluster(population) for population in between}) > 1:
        raise SpecificationError(
            f"analysis {analysis.id}: its populations declare different independent units",
            where=f"study.yaml, analyses, {analysis.id}",
            fix="set independent_unit in the analysis",
        )


def _named(judgments: ir.Table) -> ir.Table:
    return judgments.mutate(rater=judgments.population + _JOIN + judgments.rater)
