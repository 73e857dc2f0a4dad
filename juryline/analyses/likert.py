"""`likert` of a specification: ratings of single outputs, as rows of `estimates`.

Belongs here: the rows and labels of METHODS 2, but for its ordinal model (`ordinal_model`). Does not: the statistics
(`juryline.estimators.likert`, `juryline.estimators.matched`).
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ibis.expr.types as ir
import numpy as np

from data_contracts.estimates import ALL, Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Likert
from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.cuts import criteria, cuts, declared_pairs, source_query, sql_text
from juryline.analyses.families import expectation_rows, with_holm
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.ordinal_model import ordinal_rows
from juryline.analyses.rating_scale import Scaled, on_scale, step_of
from juryline.analyses.ratings import VIEW, Compared, compare, read_asked
from juryline.estimators.dense_codes import n_distinct
from juryline.estimators.inference import UNBOUNDED
from juryline.estimators.likert import (
    MeanResult,
    estimate_case_weighted_mean,
    estimate_mean,
    judge_reversal,
)
from juryline.estimators.matched import DifferenceResult, estimate_superiority
from juryline.estimators.pass_rates import estimate_share
from juryline.estimators.quantity import Interval, Quantity

Row = Callable[..., Estimate]


def likert_rows(analysis: Likert, spec: StudySpec, view: ir.Table) -> list[Estimate]:
    """Every estimate of a `likert` analysis.

    Parameters
    ----------
    analysis : Likert
    spec : StudySpec
    view : ibis Table
        `ratings`.

    Returns
    -------
    list of Estimate
        For each criterion, population and slice, the rows of each system, those of each declared pair, and the pairs
        in the ordinal model; then the counts of recovered expectations. Means and their differences are not_estimable,
        not_numeric, on levels that are words; shares, superiority and the ordinal model are given there.

    Raises
    ------
    SpecificationError
        A nominal scale; an expected pair that is not tested.
    ContractError
        A tie, a label that is not declared, or an answer without a number on a scale of numbers.
    """
    pairs = declared_pairs(analysis, spec)
    rows: list[Estimate] = []
    for cut, judgments in cuts(analysis, spec, view):
        scaled = on_scale(read_asked(cut, judgments, analysis, spec))
        source = partial(_source, cut, analysis, spec)
        for place, system in enumerate(spec.system_ids):
            row = partial(labelled, cut, subject=system, source=source(system))
            rows += _system_rows(row, scaled, place, analysis)
        for pair in pairs:
            row = partial(labelled, cut, subject=pair[0], comparator=pair[1], source=source(*pair))
            rows += _pair_rows(row, scaled, (spec.system_ids.index(pair[0]), spec.system_ids.index(pair[1])), analysis)
        rows += ordinal_rows(cut, scaled.asked, pairs, analysis, spec, source)
        if cut.slice == ALL:
            rows.append(_extremum_row(cut, scaled.criterion, source()))
    rows = with_holm(rows, analysis, len(criteria(analysis, spec)) * len(pairs))
    return rows + expectation_rows(rows, analysis, spec, lambda cut: _source(cut, analysis, spec))


def _source(cut: Cut, analysis: Likert, spec: StudySpec, *systems: str) -> str:
    extra = f"system IN ({', '.join(map(sql_text, systems))})" if systems else ""
    return source_query(cut, VIEW, analysis, spec, extra)


def _system_rows(row: Row, scaled: Scaled, system: int, analysis: Likert) -> Iterator[Estimate]:
    asked = scaled.asked
    of_system = asked.system == system
    used = of_system & asked.answered
    units = tuple(codes[used] for codes in asked.units)
    counts = asked.counts(of_system, used)
    on_scale: dict[str, Any] = {"level": analysis.confidence, "scale_range": scaled.range, "bounds": scaled.bounds}
    of_mean: dict[str, Any] = {"reason": scaled.of_mean, **counts}
    if scaled.numeric:
        values = scaled.position[used]
        mean = estimate_mean(values, units, **on_scale)
        yield _mean_row(row, Statistic.MEAN, Unit.SCALE, mean, n_units=int(used.sum()), **of_mean)
        weighted = estimate_case_weighted_mean(values, asked.case[used], units, **on_scale)
        n_cases = n_distinct(asked.case[used])
        yield _mean_row(row, Statistic.MEAN_CASE_WEIGHTED, Unit.SCALE, weighted, n_units=n_cases, **of_mean)
    else:
        for statistic in (Statistic.MEAN, Statistic.MEAN_CASE_WEIGHTED):
            yield _not_numeric(row, statistic, Unit.SCALE, **counts)
    for place, label in enumerate(asked.labels):
        share = estimate_share(asked.label[used] == place, units, level=analysis.confidence)
        of_label = {"dimensions": {"label": label}, "interval": share.interval, "n_units": int(used.sum())}
        yield row(Statistic.SHARE, Unit.SHARE, share.share, **of_label, **counts)
    if not scaled.numeric:
        yield _not_numeric(row, Statistic.MEAN_Z, Unit.SD, **counts)
        return
    used = of_system & scaled.has_z
    mean_z = estimate_case_weighted_mean(
        scaled.z[used],
        asked.case[used],
        tuple(codes[used] for codes in asked.units),
        level=analysis.confidence,
        scale_range=1.0,
        bounds=UNBOUNDED,
    )
    counts = asked.counts(of_system, used)
    n_cases = n_distinct(asked.case[used])
    yield _mean_row(row, Statistic.MEAN_Z, Unit.SD, mean_z, reason=scaled.of_z, n_units=n_cases, **counts)


def _pair_rows(row: Row, scaled: Scaled, pair: tuple[int, int], analysis: Likert) -> Iterator[Estimate]:
    asked = scaled.asked
    of_pair = np.isin(asked.system, pair)
    compared = compare(asked, analysis, scaled.position, asked.answered, pair)
    counts = asked.counts(of_pair, compared.used)
    level = analysis.confidence
    difference = compared.difference(level=level, scale_range=scaled.range, bounds=scaled.difference_bounds)
    tested = partial(_difference_rows, row)
    if scaled.numeric:
        statistics = (Statistic.MEAN_DIFFERENCE, Statistic.MEAN_DIFFERENCE_T)
        yield from tested(*statistics, Unit.SCALE, difference, reason=scaled.of_mean, **counts)
    else:
        yield _not_numeric(row, Statistic.MEAN_DIFFERENCE, Unit.SCALE, **counts)
        yield _not_numeric(row, Statistic.MEAN_DIFFERENCE_T, Unit.T, **counts)
    yield row(Statistic.N_PAIRS, Unit.COUNT, Quantity.of(difference.n_pairs), n_units=difference.n_units, **counts)
    if scaled.numeric:
        of_z = compare(asked, analysis, scaled.z, scaled.has_z, pair)
        yield from tested(
            Statistic.MEAN_DIFFERENCE_Z,
            Statistic.MEAN_DIFFERENCE_Z_T,
            Unit.SD,
            of_z.difference(level=level, scale_range=1.0, bounds=UNBOUNDED),
            reason=scaled.of_z,
            **asked.counts(of_pair, of_z.used),
        )
    else:
        yield _not_numeric(row, Statistic.MEAN_DIFFERENCE_Z, Unit.SD, **counts)
        yield _not_numeric(row, Statistic.MEAN_DIFFERENCE_Z_T, Unit.T, **counts)
    yield _superiority_row(row, scaled, compared, analysis, counts)
    yield from _reversal_rows(row, scaled, difference, counts)


def _superiority_row(
    row: Row, scaled: Scaled, compared: Compared, analysis: Likert, counts: dict[str, Any]
) -> Estimate:
    row = partial(row, Statistic.SUPERIORITY, Unit.PROBABILITY, null_value=0.5, **counts)
    if compared.matched is None:
        none = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NO_MATCHED_PAIRS)
        interval = Interval(status=none.status, level=analysis.confidence, method="t", reason=none.reason)
        return row(none, interval=interval)
    result = estimate_superiority(compared.matched, level=analysis.confidence, scale_range=scaled.range)
    return row(result.difference, interval=result.interval, n_units=result.n_units)


def _reversal_rows(
    row: Row, scaled: Scaled, difference: DifferenceResult, counts: dict[str, Any]
) -> Iterator[Estimate]:
    step = step_of(scaled)
    if isinstance(step, Reason):
        possible = excluded = Quantity.missing(Status.NOT_ESTIMABLE, step)
    else:
        reversal = judge_reversal(difference.difference, difference.interval, step=step, scale_range=scaled.range)
        possible, excluded = reversal.possible, reversal.excluded
    for statistic, quantity in ((Statistic.REVERSAL_POSSIBLE, possible), (Statistic.REVERSAL_EXCLUDED, excluded)):
        yield row(statistic, Unit.YES_NO, quantity, n_units=difference.n_units, **counts)


def _extremum_row(cut: Cut, criterion: Criterion, source: str) -> Estimate:
    declared = criterion.extremum_equivalence
    none = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NOT_DECLARED)
    return labelled(
        cut,
        Statistic.EXTREMUM_EQUIVALENCE,
        Unit.YES_NO,
        none if declared is None else Quantity.of(declared),
        subject=STUDY,
        subject_kind="study",
        source=source,
    )


def _mean_row(row: Row, statistic: Statistic, unit: Unit, result: MeanResult, **rest: Any) -> Estimate:
    return row(statistic, unit, result.mean, interval=result.interval, **rest)


def _difference_rows(
    row: Row,
    statistic: Statistic,
    test_statistic: Statistic,
    unit: Unit,
    result: DifferenceResult,
    *,
    reason: tuple[Reason, ...],
    **counts: Any,
) -> Iterator[Estimate]:
    row = partial(row, n_units=result.n_units, **counts)
    null_value = result.test.null_value
    yield row(statistic, unit, result.difference, interval=result.interval, reason=reason, null_value=null_value)
    n_clusters = result.interval.n_clusters
    yield row(test_statistic, Unit.T, result.test.statistic, test=result.test, n_clusters=n_clusters)


def _not_numeric(row: Row, statistic: Statistic, unit: Unit, **counts: Any) -> Estimate:
    return row(statistic, unit, Quantity.missing(Status.NOT_ESTIMABLE, Reason.NOT_NUMERIC), **counts)
