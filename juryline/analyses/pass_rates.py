"""`pass_rates` of a specification: shares of labels in checklists and nominal ratings, as rows of `estimates`.

Belongs here: the rows and labels of METHODS 3. Does not: the statistics (`juryline.estimators.pass_rates`,
`juryline.estimators.matched`).
"""

from collections.abc import Callable, Iterator
from functools import partial

import ibis.expr.types as ir
import numpy as np

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import PassRates
from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.cuts import (
    POOLED,
    criteria,
    cuts,
    declared_pairs,
    passing_labels,
    source_query,
    sql_text,
)
from juryline.analyses.families import expectation_rows, with_holm
from juryline.analyses.labelling import labelled
from juryline.analyses.ratings import VIEW, Asked, compare, read_asked
from juryline.estimators.likert import estimate_mean
from juryline.estimators.pass_rates import estimate_share, total_sheets
from juryline.estimators.quantity import Quantity

DIFFERENCE_BOUNDS = (-1.0, 1.0)

Row = Callable[..., Estimate]


def pass_rates_rows(analysis: PassRates, spec: StudySpec, view: ir.Table) -> list[Estimate]:
    """Every estimate of a `pass_rates` analysis.

    Parameters
    ----------
    analysis : PassRates
    spec : StudySpec
    view : ibis Table
        `ratings`.

    Returns
    -------
    list of Estimate
        For each criterion (with `pool: true` then `*`, every judgment equal; with `total: true` `checklist_total` under
        `*`), population and slice, the rows of each system, then those of each declared pair; then the counts of
        recovered expectations, by passing label. `pass_rate` is not_estimable, not_declared,
        where a criterion declares no passing level.

    Raises
    ------
    SpecificationError
        A rating that is not nominal; an expected pair that is not tested.
    ContractError
        A tie, or a label that is not declared.

    Notes
    -----
    The family of a test is its label: criteria (`*` among them) x pairs.
    """
    pairs = declared_pairs(analysis, spec)
    read = criteria(analysis, spec)
    rows: list[Estimate] = []
    for cut, judgments in cuts(analysis, spec, view):
        asked = read_asked(cut, judgments, analysis, spec)
        source = partial(_source, cut, analysis, spec)
        for place, system in enumerate(spec.system_ids):
            row = partial(labelled, cut, subject=system, source=source(system))
            if cut.criterion != POOLED or analysis.pool:
                rows += _system_rows(row, asked, place, analysis)
            if cut.criterion == POOLED and analysis.total:
                rows.append(_total_row(row, asked, place, analysis))
        for pair in pairs if cut.criterion != POOLED or analysis.pool else ():
            row = partial(labelled, cut, subject=pair[0], comparator=pair[1], source=source(*pair))
            rows += _pair_rows(row, asked, (spec.system_ids.index(pair[0]), spec.system_ids.index(pair[1])), analysis)
    rows = with_holm(rows, analysis, (len(read) + analysis.pool) * len(pairs))
    return rows + expectation_rows(
        rows, analysis, spec, lambda cut: _source(cut, analysis, spec), better_labels=partial(_passing, read)
    )


def _passing(read: list[Criterion], cut: Cut) -> list[str]:
    """Labels that pass every criterion of a cut."""
    of_cut = [passing_labels(criterion) for criterion in read if cut.criterion in (POOLED, criterion.id)]
    return [label for label in of_cut[0] if all(label in labels for labels in of_cut)]


def _source(cut: Cut, analysis: PassRates, spec: StudySpec, *systems: str) -> str:
    extra = f"system IN ({', '.join(map(sql_text, systems))})" if systems else ""
    return source_query(cut, VIEW, analysis, spec, extra)


def _system_rows(row: Row, asked: Asked, system: int, analysis: PassRates) -> Iterator[Estimate]:
    of_system = asked.system == system
    used = of_system & asked.answered
    units = tuple(codes[used] for codes in asked.units)
    row = partial(row, n_units=int(used.sum()), **asked.counts(of_system, used))
    if asked.all_declare_passing:
        rate = estimate_share(asked.passed[used], units, level=analysis.confidence)
        yield row(Statistic.PASS_RATE, Unit.SHARE, rate.share, interval=rate.interval)
    else:
        yield row(Statistic.PASS_RATE, Unit.SHARE, _NOT_DECLARED)
    for place, label in enumerate(asked.labels):
        share = estimate_share(asked.label[used] == place, units, level=analysis.confidence)
        yield row(Statistic.SHARE, Unit.SHARE, share.share, interval=share.interval, dimensions={"label": label})


def _pair_rows(row: Row, asked: Asked, pair: tuple[int, int], analysis: PassRates) -> Iterator[Estimate]:
    of_pair = np.isin(asked.system, pair)
    for place, label in enumerate(asked.labels):
        compared = compare(asked, analysis, asked.label == place, asked.answered, pair)
        result = compared.difference(level=analysis.confidence, scale_range=1.0, bounds=DIFFERENCE_BOUNDS)
        of_label = partial(
            row,
            dimensions={"label": label},
            n_units=result.n_units,
            n_clusters=result.interval.n_clusters,
            **asked.counts(of_pair, compared.used),
        )
        yield of_label(
            Statistic.SHARE_DIFFERENCE,
            Unit.SHARE,
            result.difference,
            interval=result.interval,
            null_value=result.test.null_value,
        )
        yield of_label(Statistic.SHARE_DIFFERENCE_T, Unit.T, result.test.statistic, test=result.test)
        if place == 0:
            yield row(
                Statistic.N_PAIRS,
                Unit.COUNT,
                Quantity.of(result.n_pairs),
                n_units=result.n_units,
                **asked.counts(of_pair, compared.used),
            )


def _total_row(row: Row, asked: Asked, system: int, analysis: PassRates) -> Estimate:
    """Criteria passed of a whole checklist, beside the shares and never instead of them."""
    of_system = asked.system == system
    used = of_system & asked.answered
    if not asked.all_declare_passing:
        return row(Statistic.CHECKLIST_TOTAL, Unit.COUNT, _NOT_DECLARED, **asked.counts(of_system, used))
    n_criteria = len(asked.criteria)
    sheets = total_sheets(asked.sheet[used], asked.criterion[used], asked.passed[used], n_criteria=n_criteria)
    total = estimate_mean(
        sheets.passed,
        tuple(codes[used][sheets.first] for codes in asked.units),
        level=analysis.confidence,
        scale_range=float(n_criteria),
        bounds=(0.0, float(n_criteria)),
    )
    used[used] = np.isin(asked.sheet[used], asked.sheet[used][sheets.first])
    return row(
        Statistic.CHECKLIST_TOTAL,
        Unit.COUNT,
        total.mean,
        interval=total.interval,
        n_units=total.n_judgments,
        reason=(Reason.INCOMPLETE_LEFT_OUT,) if sheets.n_incomplete else (),
        **asked.counts(of_system, used),
    )


_NOT_DECLARED = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NOT_DECLARED)
