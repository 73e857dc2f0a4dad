"""`likert` of a specification: ratings of single outputs, as rows of `estimates`.

Belongs here: the rows and labels of METHODS 2, but for its ordinal model (`ordinal_model`). Does not: the statistics
(`juryline.estimators.likert`, `juryline.estimators.matched`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import ibis.expr.types as ir
import numpy as np

from data_contracts.estimates import ALL, Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Likert
from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import Measure, Reason, Statistic, Status, Unit
from juryline.analyses.cuts import criteria, cuts, declared_pairs, not_in_this_version, source_query, sql_text
from juryline.analyses.families import expectation_rows, with_holm
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.ordinal_model import ordinal_rows
from juryline.analyses.ratings import VIEW, Asked, Compared, compare, read_asked
from juryline.estimators.inference import UNBOUNDED, UNIT_BOUNDS, Bounds, is_constant
from juryline.estimators.likert import (
    MeanResult,
    estimate_case_weighted_mean,
    estimate_mean,
    judge_reversal,
    standard_scores,
)
from juryline.estimators.matched import DifferenceResult, estimate_superiority
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
        A nominal scale; an expected pair that is not tested; `interval`, which is not in this version.
    ContractError
        A tie, a label that is not declared, or an answer without a number on a scale of numbers.
    """
    if analysis.interval is not None:
        raise not_in_this_version(analysis, "interval", f"interval: {analysis.interval.method}")
    pairs = declared_pairs(analysis, spec)
    rows: list[Estimate] = []
    for cut, judgments in cuts(analysis, spec, view):
        scaled = _on_scale(read_asked(cut, judgments, analysis, spec))
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scaled:
    """The judgments of a cut on their scale.

    `position` is the number of an answer, or its place among levels that are words; `z` the number in its rater's
    standard deviations, where `has_z`.
    """

    asked: Asked
    criterion: Criterion
    numeric: bool
    position: np.ndarray
    range: float
    bounds: Bounds
    z: np.ndarray
    has_z: np.ndarray
    some_lack_z: bool

    @property
    def of_mean(self) -> tuple[Reason, ...]:
        """What a reader of a mean must know of the scale."""
        scale = self.criterion.scale
        return (Reason.MEAN_OF_ORDINAL,) if scale is not None and scale.measure is Measure.ORDINAL else ()

    @property
    def of_z(self) -> tuple[Reason, ...]:
        return (*self.of_mean, Reason.RATERS_LEFT_OUT) if self.some_lack_z else self.of_mean

    @property
    def difference_bounds(self) -> Bounds:
        low, high = self.bounds
        return UNBOUNDED if low is None or high is None else (low - high, high - low)


def _on_scale(asked: Asked) -> _Scaled:
    [criterion] = asked.criteria
    numeric = criterion.scale is None or criterion.scale.numeric
    answered = asked.answered
    position = asked.value if numeric else asked.label.astype(float)
    low, high = criterion.bounds if numeric else (0.0, float(len(asked.labels) - 1))
    declared = None if low is None or high is None else abs(high - low)
    # A scale without declared ends is as wide as the answers to it.
    width = declared or (float(np.ptp(position[answered])) if answered.any() else 0.0) or 1.0
    scores = standard_scores(position[answered], asked.rater[answered], scale_range=width)
    has_z = answered.copy()
    has_z[answered] = scores.kept & numeric
    z = np.zeros(len(answered))
    z[has_z] = scores.value if numeric else ()
    return _Scaled(
        asked=asked,
        criterion=criterion,
        numeric=numeric,
        position=position,
        range=width,
        bounds=(low, high),
        z=z,
        has_z=has_z,
        some_lack_z=scores.n_raters_left_out > 0,
    )


def _source(cut: Cut, analysis: Likert, spec: StudySpec, *systems: str) -> str:
    extra = f"system IN ({', '.join(map(sql_text, systems))})" if systems else ""
    return source_query(cut, VIEW, analysis, spec, extra)


def _system_rows(row: Row, scaled: _Scaled, system: int, analysis: Likert) -> Iterator[Estimate]:
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
        n_cases = len(np.unique(asked.case[used]))
        yield _mean_row(row, Statistic.MEAN_CASE_WEIGHTED, Unit.SCALE, weighted, n_units=n_cases, **of_mean)
    else:
        for statistic in (Statistic.MEAN, Statistic.MEAN_CASE_WEIGHTED):
            yield _not_numeric(row, statistic, Unit.SCALE, **counts)
    for place, label in enumerate(asked.labels):
        hits = (asked.label[used] == place).astype(float)
        share = estimate_mean(hits, units, level=analysis.confidence, scale_range=1.0, bounds=UNIT_BOUNDS)
        n_units = int(used.sum())
        yield _mean_row(row, Statistic.SHARE, Unit.SHARE, share, dimensions={"label": label}, n_units=n_units, **counts)
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
    n_cases = len(np.unique(asked.case[used]))
    yield _mean_row(row, Statistic.MEAN_Z, Unit.SD, mean_z, reason=scaled.of_z, n_units=n_cases, **counts)


def _pair_rows(row: Row, scaled: _Scaled, pair: tuple[int, int], analysis: Likert) -> Iterator[Estimate]:
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
    row: Row, scaled: _Scaled, compared: Compared, analysis: Likert, counts: dict[str, Any]
) -> Estimate:
    row = partial(row, Statistic.SUPERIORITY, Unit.PROBABILITY, null_value=0.5, **counts)
    if compared.matched is None:
        none = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NO_MATCHED_PAIRS)
        interval = Interval(status=none.status, level=analysis.confidence, method="t", reason=none.reason)
        return row(none, interval=interval)
    result = estimate_superiority(compared.matched, level=analysis.confidence, scale_range=scaled.range)
    return row(result.difference, interval=result.interval, n_units=result.n_units)


def _reversal_rows(
    row: Row, scaled: _Scaled, difference: DifferenceResult, counts: dict[str, Any]
) -> Iterator[Estimate]:
    step = _step(scaled)
    if isinstance(step, Reason):
        possible = excluded = Quantity.missing(Status.NOT_ESTIMABLE, step)
    else:
        reversal = judge_reversal(difference.difference, difference.interval, step=step, scale_range=scaled.range)
        possible, excluded = reversal.possible, reversal.excluded
    for statistic, quantity in ((Statistic.REVERSAL_POSSIBLE, possible), (Statistic.REVERSAL_EXCLUDED, excluded)):
        yield row(statistic, Unit.YES_NO, quantity, n_units=difference.n_units, **counts)


def _step(scaled: _Scaled) -> float | Reason:
    """Distance of neighbouring levels, or why the propositions do not speak of this scale."""
    scale = scaled.criterion.scale
    if scale is None or scale.measure is not Measure.ORDINAL:
        return Reason.NOT_ORDINAL
    if not scaled.numeric:
        return Reason.NOT_NUMERIC
    steps = np.diff([float(level) for level in scale.levels])
    if not len(steps) or not is_constant(steps, scaled.range):
        return Reason.UNEQUAL_STEPS
    return float(steps[0])


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
