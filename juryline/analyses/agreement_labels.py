"""The labels that raters can agree on: declared levels, systems of a pair, states counted as categories.

Belongs here: which labels a criterion has, in the order of the specification, their numbers and their metric.
Does not: reading judgments, or any coefficient.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from data_contracts.errors import SpecificationError
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Agreement
from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import Measure, Protocol, State
from juryline.analyses.cuts import level_labels

FIRST, SECOND = "first", "second"  # of a pair: the system named earlier in `systems`, and the other
PAIRED = (Protocol.PAIRWISE, Protocol.RANKING)
NUMERIC = (Measure.INTERVAL, Measure.RATIO, Measure.PROBABILITY)
NO_RATING = (State.UNKNOWN, State.NOT_APPLICABLE, State.ABSTAIN, State.MISSING, State.INVALID)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelSet:
    """Labels of a criterion by code.

    Attributes
    ----------
    names : tuple of str
        Labels in declared order, then `states`.
    states : tuple of State
        States counted as categories.
    metric : Measure
        nominal, ordinal, interval or ratio: how far apart labels are.
    scale_metric : Measure
        The metric of the scale itself, from which states counted as categories differ.
    values : ndarray of float, shape (n_labels,), or None
        Number of each label; None where labels are not numbers.
    mirror : ndarray of int, shape (n_labels,), or None
        Of pairs: the label that each becomes when the two systems swap names.
    continuous : bool
        Numbers without declared levels: the labels are those given, in order, and then `names`.
    scale_range : float or None
        Largest minus smallest possible number, where declared.
    """

    names: tuple[str, ...]
    states: tuple[State, ...]
    metric: Measure
    scale_metric: Measure
    values: np.ndarray | None = None
    mirror: np.ndarray | None = None
    continuous: bool = False
    scale_range: float | None = None

    @property
    def of_pairs(self) -> bool:
        return self.mirror is not None


def reads_comparisons(criterion: Criterion, analysis: Agreement) -> bool:
    """Whether agreement on a criterion is about pairs of outputs; ranks are, unless declared to be numbers."""
    return criterion.protocol in PAIRED and not reads_ranks(criterion, analysis)


def reads_ranks(criterion: Criterion, analysis: Agreement) -> bool:
    return criterion.protocol is Protocol.RANKING and analysis.ranks_as is not None


def label_set(criteria: Sequence[Criterion], analysis: Agreement, spec: StudySpec, seen: Collection[State]) -> LabelSet:
    """Labels of one criterion, or of several that are pooled.

    Parameters
    ----------
    seen : collection of State
        States of any judgment of the criteria: a mapping query may give a tie that no mapping names.

    Raises
    ------
    SpecificationError
        Pooled criteria whose labels differ; `as_category` with a state that is a label already.
    """
    of_each = [_label_set(criterion, analysis, spec, seen) for criterion in criteria]
    if any(_differ(of_each[0], other) for other in of_each[1:]):
        raise SpecificationError(
            f"analysis {analysis.id}: criteria {', '.join(c.id for c in criteria)} have different labels",
            where=f"study.yaml, analyses, {analysis.id}, pool",
            fix="remove `pool: true`, or pool criteria of one scale",
        )
    return of_each[0]


def _label_set(criterion: Criterion, analysis: Agreement, spec: StudySpec, seen: Collection[State]) -> LabelSet:
    extra = _categories(analysis, criterion)
    if reads_comparisons(criterion, analysis):
        names = (FIRST, SECOND, *_drawn(criterion, spec, seen), *extra)
        mirror = np.array([1, 0, *range(2, len(names))])
        return LabelSet(
            names=names,
            states=analysis.as_category,
            metric=Measure.NOMINAL,
            scale_metric=Measure.NOMINAL,
            mirror=mirror,
        )
    scale = criterion.scale
    measure = Measure.INTERVAL if scale is None else scale.measure
    metric = Measure.INTERVAL if measure is Measure.PROBABILITY else measure
    levels = level_labels(criterion)
    return LabelSet(
        names=(*levels, *extra),
        states=analysis.as_category,
        metric=Measure.NOMINAL if extra else metric,
        scale_metric=metric,
        values=np.array(scale.levels, dtype=float) if scale and levels and scale.numeric and not extra else None,
        continuous=not levels,
        scale_range=_scale_range(criterion, measure),
    )


def _categories(analysis: Agreement, criterion: Criterion) -> tuple[str, ...]:
    names = tuple(str(state) for state in analysis.as_category)
    taken = [name for name in names if State(name) not in NO_RATING or name in level_labels(criterion)]
    if taken:
        raise SpecificationError(
            f"analysis {analysis.id}: as_category names {', '.join(taken)}, which is a label of {criterion.id} already",
            where=f"study.yaml, analyses, {analysis.id}, as_category",
            fix=f"choose from {', '.join(NO_RATING)}",
        )
    return names


def _drawn(criterion: Criterion, spec: StudySpec, seen: Collection[State]) -> list[str]:
    """tie and both_fail, where raters could give them; equal ranks are always possible."""
    mapped = {target for export in spec.exports for target in export.labels.get(criterion.id, {}).values()}
    possible = mapped | set(seen) | ({State.TIE} if criterion.protocol is Protocol.RANKING else set())
    return [str(state) for state in (State.TIE, State.BOTH_FAIL) if state in possible]


def _scale_range(criterion: Criterion, measure: Measure) -> float | None:
    if measure is Measure.PROBABILITY:
        return 1.0  # a stated chance is kept in [0, 1], whatever the numbers of its scale
    if criterion.scale is not None and criterion.scale.levels:
        return float(np.ptp(np.array(criterion.scale.levels))) if criterion.scale.numeric else None
    low, high = criterion.bounds
    return None if low is None or high is None else high - low


def _differ(one: LabelSet, other: LabelSet) -> bool:
    return (one.names, one.scale_metric, one.continuous, one.of_pairs, one.scale_range) != (
        other.names,
        other.scale_metric,
        other.continuous,
        other.of_pairs,
        other.scale_range,
    )
