"""`agreement` of a specification: how far raters give the same answers, to rows of `estimates`.

Belongs here: the rows of METHODS 7 between the raters of a population. Does not: agreement of two populations
(`population_agreement`) and on whole rankings (`concordance`), what a unit or a label is (`agreement_judgments`,
`agreement_labels`), which coefficients are asked for (`agreement_coefficients`), the statistics
(`juryline.estimators`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import ibis.expr.types as ir

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Agreement
from data_contracts.vocabulary import ItemKind, Reason, Statistic, Status, Unit
from juryline.analyses.agreement_coefficients import Choice, choices, estimator_of
from juryline.analyses.agreement_context import (
    coincidence_table,
    confusion_rows,
    count_rows,
    missing_share,
    of_unknown_units,
    prevalence_rows,
)
from juryline.analyses.agreement_judgments import Clustered, Judgments
from juryline.analyses.agreement_labels import LabelSet
from juryline.analyses.agreement_scope import COMPARISONS, Scope, populations_of, scopes
from juryline.analyses.assigned import AssignedCells, assigned_cells, assignments_of
from juryline.analyses.concordance import concordance_rows
from juryline.analyses.cuts import cuts, populations, sql_text
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.population_agreement import population_rows
from juryline.estimators.agreement_coefficient import Coefficient, estimate_coefficient
from juryline.estimators.agreement_interval import CoefficientResult, estimate_with_intervals
from juryline.estimators.agreement_units import Ratings
from juryline.estimators.quantity import Quantity
from juryline.estimators.raw_agreement import RawAgreement
from juryline.estimators.self_agreement import SelfAgreement, repeats_by_rater

MOST_RATERS_PAIRED = 20  # pairs of more raters are given only where `rater_pairs: true` asks for them


def agreement_rows(analysis: Agreement, spec: StudySpec, views: Mapping[str, ir.Table]) -> list[Estimate]:
    """Every estimate of an `agreement` analysis.

    Parameters
    ----------
    analysis : Agreement
    spec : StudySpec
    views : mapping of str to ibis Table
        `comparisons` and `ratings`; `assignments` where the study names a manifest.

    Raises
    ------
    SpecificationError
        Adjudicated labels, resampled raters, pooled criteria with different labels, or a coefficient that does not
        fit the scale.
    ContractError
        Judgments without a case.

    Notes
    -----
    A judgment is a rating if it is answered, or of a pair and a tie or both fail, or of a state in `as_category`;
    any other leaves its cell empty. Rater pairs are given for up to 20 raters unless `rater_pairs` says otherwise.
    """
    between = populations_of(analysis)
    assignments = assignments_of(spec, views)
    rows: list[Estimate] = []
    for scope in scopes(analysis, spec, views):
        if between is not None:
            rows += population_rows(scope, between, assignments)
            continue
        repeated = scope.analysis.model_copy(update={"include": (*analysis.include, ItemKind.REPEAT)})
        with_repeats = dict(cuts(repeated, spec, scope.view)) if scope.holds(ItemKind.REPEAT) else {}
        for cut, judgments in cuts(scope.analysis, spec, scope.view):
            read = scope.read(judgments, cut)
            members = dict(populations(analysis, spec))[cut.population]
            assigned = assigned_cells(scope, cut, assignments, [judgments], members)
            rows += _Rows(scope, cut, scope.labels(cut), read, assigned).rows()
            again = scope.read(with_repeats[cut], cut) if with_repeats else read
            rows += _self_agreement(scope, cut, again, scope.source(cut, analysis=repeated))
        rows += concordance_rows(scope, views[COMPARISONS])
    return rows


@dataclass(frozen=True, slots=True)
class _Named:
    """A coefficient and whom its row speaks of."""

    choice: Choice
    coefficient: Coefficient
    raters: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one cut."""

    scope: Scope
    cut: Cut
    labels: LabelSet
    judgments: Judgments
    assigned: AssignedCells | None

    def rows(self) -> list[Estimate]:
        read = self.judgments.ratings()
        return [*self._coefficients(read), *self._context(read.ratings)]

    def _coefficients(self, read: Clustered) -> Iterator[Estimate]:
        named = list(self._named(read.ratings))
        results = self._results(read, [one.coefficient for one in named])
        for one, result in zip(named, results):
            if one.raters is None:
                yield self._study_row(one.choice.statistic, result)
            else:
                yield self._pair_row(one.choice.statistic, one.raters, result)

    def _named(self, ratings: Ratings) -> Iterator[_Named]:
        criterion = self.scope.criteria(self.cut)[0]
        size, values = self.judgments.n_labels, self.judgments.values
        for choice in choices(self.scope.analysis, criterion, self.labels):
            if not choice.of_rater_pairs:
                yield _Named(choice, estimator_of(choice, self.labels, size, values))
                continue
            for pair in self._rater_pairs(ratings):
                yield _Named(choice, estimator_of(choice, self.labels, size, values, pair), pair)

    def _rater_pairs(self, ratings: Ratings) -> list[tuple[int, int]]:
        raters = ratings.present_raters.tolist()
        asked = self.scope.analysis.rater_pairs
        if asked is None:
            asked = len(raters) <= MOST_RATERS_PAIRED
        return list(combinations(raters, 2)) if asked else []

    def _results(self, read: Clustered, coefficients: list[Coefficient]) -> list[CoefficientResult | None]:
        if not self.scope.units_known(self.judgments):
            return [None] * len(coefficients)
        return list(estimate_with_intervals(*read, coefficients, resampling=self.scope.resampling()))

    def _study_row(self, statistic: Statistic, result: CoefficientResult | None) -> Estimate:
        return self._row(
            statistic,
            result,
            subject=STUDY,
            subject_kind="study",
            source=self.scope.source(self.cut, self.scope.rated),
            **self.judgments.counts(),
        )

    def _pair_row(self, statistic: Statistic, raters: tuple[int, int], result: CoefficientResult | None) -> Estimate:
        first, second = (self.judgments.raters[rater] for rater in raters)
        return self._row(
            statistic,
            result,
            subject=first,
            comparator=second,
            subject_kind="rater",
            source=self.scope.source(self.cut, self.scope.rated, f"rater IN ({sql_text(first)}, {sql_text(second)})"),
            **self.judgments.of_raters(raters).counts(),
        )

    def _row(self, statistic: Statistic, result: CoefficientResult | None, **columns: Any) -> Estimate:
        unit = Unit.SHARE if statistic is Statistic.RAW_AGREEMENT else Unit.COEFFICIENT
        if result is None:
            return labelled(self.cut, statistic, unit, _unit_unknown(self.scope, self.cut), **columns)
        return labelled(
            self.cut, statistic, unit, result.quantity, interval=result.interval, n_units=result.n_units, **columns
        )

    def _context(self, ratings: Ratings) -> Iterator[Estimate]:
        source = self.scope.source(self.cut)
        states = self.judgments.states()
        pairable = int((ratings.raters_per_unit >= 2).sum())
        rows = [*count_rows(self.judgments, pairable), missing_share(self.judgments, self.assigned)]
        if not self.labels.continuous:
            rows += prevalence_rows(self.judgments, self.labels.names)
            rows += confusion_rows(coincidence_table(ratings), self.labels.names)
        rows.append((Statistic.RESPONSE_AGREEMENT, Unit.SHARE, self._response_agreement(), {}))
        if not self.scope.units_known(self.judgments):
            none = _unit_unknown(self.scope, self.cut)
            rows = list(of_unknown_units(rows, none, is_assigned=self.assigned is not None))
        for statistic, unit, quantity, dimensions in rows:
            yield labelled(
                self.cut,
                statistic,
                unit,
                quantity,
                subject=STUDY,
                subject_kind="study",
                source=source,
                dimensions=dimensions,
                states=states,
            )

    def _response_agreement(self) -> Quantity:
        if not self.scope.units_known(self.judgments):
            return _unit_unknown(self.scope, self.cut)
        return estimate_coefficient(RawAgreement(), self.judgments.responses().ratings)


def _unit_unknown(scope: Scope, cut: Cut) -> Quantity:
    return scope.unit_unknown(dict(populations(scope.analysis, scope.spec))[cut.population])


def _self_agreement(scope: Scope, cut: Cut, judgments: Judgments, source: str) -> Iterator[Estimate]:
    def row(quantity: Quantity, subject: str, kind: str, **columns: Any) -> Estimate:
        return labelled(
            cut,
            Statistic.SELF_AGREEMENT,
            Unit.SHARE,
            quantity,
            subject=subject,
            subject_kind=kind,
            source=source,
            **columns,
        )

    read, places = judgments.repeats()
    repeats = read.ratings
    of_raters = repeats_by_rater(repeats, places)
    if not of_raters or not scope.units_known(judgments):
        none = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NO_REPEATS)
        yield row(_unit_unknown(scope, cut) if of_raters else none, STUDY, "study", states=judgments.states())
        return
    for rater, own in of_raters.items():
        quantity = estimate_coefficient(RawAgreement(), own)
        alias = judgments.raters[rater]
        yield row(quantity, alias, "rater", n_judgments=len(own.unit), n_units=own.n_units, n_raters=1)
    mean = SelfAgreement(places=places)
    (result,) = estimate_with_intervals(*read, [mean], resampling=scope.resampling())
    yield row(
        result.quantity,
        STUDY,
        "study",
        interval=result.interval,
        n_judgments=len(repeats.unit),
        n_units=result.n_units,
        n_raters=len(of_raters),
        states=judgments.states(),
    )
