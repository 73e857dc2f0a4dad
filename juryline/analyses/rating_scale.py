"""Ratings on their scale: numbers or places of levels, and in their rater's own spread.

Belongs here: what of a criterion's scale the rows of `likert` depend on. Does not: any row.
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import Measure, Reason
from juryline.analyses.ratings import Asked
from juryline.estimators.cluster_variance import is_constant
from juryline.estimators.inference import UNBOUNDED, Bounds
from juryline.estimators.likert import standard_scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scaled:
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


def on_scale(asked: Asked) -> Scaled:
    """Put the judgments of one criterion on its scale."""
    [criterion] = asked.criteria
    numeric = criterion.scale is None or criterion.scale.numeric
    answered = asked.answered
    position = asked.value if numeric else asked.label.astype(float)
    low, high = criterion.bounds if numeric else (0.0, float(len(asked.labels) - 1))
    declared = None if low is None or high is None else abs(high - low)
    width = declared or _spread(position[answered])
    scores = standard_scores(position[answered], asked.rater[answered], scale_range=width)
    has_z = answered.copy()
    has_z[answered] = scores.kept & numeric
    z = np.zeros(len(answered))
    z[has_z] = scores.value if numeric else ()
    return Scaled(
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


def step_of(scaled: Scaled) -> float | Reason:
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


def _spread(values: np.ndarray) -> float:
    """Width of a scale without declared ends: of the answers to it, or their size where only rounding parts them."""
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    return largest if not len(values) or is_constant(values, largest) else float(np.ptp(values))
