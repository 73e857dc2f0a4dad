"""The questions that raters were asked in an `spa` study, as codes: who, about whom, at which exposure.

Belongs here: reading a cut of `spa_answers` into arrays, and what the design asked. Does not: any estimate.
"""

from dataclasses import dataclass
from functools import cached_property

import ibis.expr.types as ir
import numpy as np

from data_contracts.errors import ContractError, SpecificationError
from data_contracts.estimates import Cut
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Spa
from data_contracts.vocabulary import State
from juryline.analyses.cuts import cluster_codes, codes, independent_unit, unit_columns
from juryline.estimators.spa import AnswerMode, PairAnswers

NOT_RECORDED = -1
STATES = tuple(State)
ANSWERED = STATES.index(State.ANSWERED)


@dataclass(frozen=True, kw_only=True, eq=False)
class Questions:
    """The questions of a cut, or of one pair and exposure of it, in the order of record_id.

    Parameters
    ----------
    rater, system_x, system_y, state : ndarray of int, shape (n,)
        Codes; systems and states in declared order. `system_x` is the subject of the question.
    exposure, sequence : ndarray of int, shape (n,)
        -1 where not recorded.
    value : ndarray of float, shape (n,)
        Stated chance; NaN unless answered.
    sample : ndarray of int, shape (n,), or None
        Sample of outputs shown, where samples belong to the independent unit.
    raters_are_units : bool
        Whether raters belong to it.
    exposures : tuple of int
        Known exposures, ascending.
    headline : int or None
        The exposure of the headline; None where none is known.
    """

    rater: np.ndarray
    system_x: np.ndarray
    system_y: np.ndarray
    state: np.ndarray
    exposure: np.ndarray
    sequence: np.ndarray
    value: np.ndarray
    sample: np.ndarray | None
    raters_are_units: bool
    exposures: tuple[int, ...]
    headline: int | None

    @property
    def unchecked_raters(self) -> tuple[int, int]:
        """Raters who answered no pair both ways at the headline, and raters who answered at all."""
        counted = self.state == ANSWERED
        if self.headline is not None:
            counted &= self.exposure == self.headline
        asked = set(zip(*(codes[counted].tolist() for codes in (self.rater, self.system_x, self.system_y))))
        raters = {rater for rater, _, _ in asked}
        return len(raters - {rater for rater, x, y in asked if (rater, y, x) in asked}), len(raters)

    def of_pair(self, x: int, y: int, exposure: int | None) -> "PairQuestions":
        """The questions about one pair at one exposure (None: at any)."""
        forward = (self.system_x == x) & (self.system_y == y)
        asked = forward | ((self.system_x == y) & (self.system_y == x))
        if exposure is not None:
            asked &= self.exposure == exposure
        return PairQuestions(
            rater=self.rater[asked],
            forward=forward[asked],
            state=self.state[asked],
            sequence=self.sequence[asked],
            value=self.value[asked],
            sample=None if self.sample is None else self.sample[asked],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PairQuestions:
    """The questions about one pair (X, Y) at one exposure; `forward`: X is the subject."""

    rater: np.ndarray
    forward: np.ndarray
    state: np.ndarray
    sequence: np.ndarray
    value: np.ndarray
    sample: np.ndarray | None

    @cached_property
    def answered(self) -> np.ndarray:
        return self.state == ANSWERED

    @cached_property
    def answers(self) -> PairAnswers:
        chosen = self.answered
        return PairAnswers(rater=self.rater[chosen], forward=self.forward[chosen], value=self.value[chosen])

    @property
    def samples(self) -> np.ndarray | None:
        """Sample of each answer."""
        return None if self.sample is None else self.sample[self.answered]

    @property
    def places(self) -> np.ndarray:
        """Place of each answer in its rater's session; -1 where not recorded."""
        return self.sequence[self.answered]

    @property
    def states(self) -> dict[State, int]:
        return {state: int(n) for state, n in zip(STATES, np.bincount(self.state, minlength=len(STATES)))}

    @property
    def asked_mode(self) -> AnswerMode:
        """`mean_of_both` if at least half of the raters were asked both ways, whatever they answered."""
        ahead, back = (set(self.rater[way].tolist()) for way in (self.forward, ~self.forward))
        return "mean_of_both" if ahead and 2 * len(ahead & back) >= len(ahead | back) else "either"


def read_questions(cut: Cut, judgments: ir.Table, analysis: Spa, spec: StudySpec) -> Questions:
    """The questions of a cut.

    Raises
    ------
    ContractError
        A tie: 50 is an answer.
    SpecificationError
        Answers at an exposure that is not declared where others are, at several of which none is declared, or where
        some do not say at which.
    """
    units = independent_unit(analysis, spec, cut.population)
    columns = ["rater", "system_x", "system_y", "exposure", "sequence", "state", "value"]
    clusters = [f"cluster_{place}" for place in range(1, len(units) + 1)]
    read = unit_columns(judgments, units).order_by("record_id").select(*columns, *clusters).to_pyarrow()
    state = codes(read["state"], STATES)
    ties = np.isin(state, [STATES.index(State.TIE), STATES.index(State.BOTH_FAIL)])
    if ties.any():
        raise ContractError(
            f"{ties.sum()} answers to {cut.criterion} are ties, which no stated chance is: 50 is an answer",
            where="spa_answers, state",
            fix="map their label to a number, or to abstain or unknown",
        )
    exposure = read["exposure"].fill_null(NOT_RECORDED).to_numpy()
    exposures, headline = _exposures(exposure, analysis, spec)
    if len(exposures) == 1:
        exposure = np.where(exposure == NOT_RECORDED, exposures[0], exposure)
    return Questions(
        rater=cluster_codes(read["rater"], "rater"),
        system_x=codes(read["system_x"], spec.system_ids),
        system_y=codes(read["system_y"], spec.system_ids),
        state=state,
        exposure=exposure,
        sequence=read["sequence"].fill_null(NOT_RECORDED).to_numpy(),
        value=read["value"].to_numpy(),
        sample=_sample({unit: read[name] for unit, name in zip(units, clusters) if unit != "rater"}),
        raters_are_units="rater" in units,
        exposures=exposures,
        headline=headline,
    )


def _exposures(exposure: np.ndarray, analysis: Spa, spec: StudySpec) -> tuple[tuple[int, ...], int | None]:
    own = () if analysis.exposure is None else (analysis.exposure,)
    declared = sorted({*spec.assignment.exposure, *own})
    said = set(exposure.tolist()) - {NOT_RECORDED}
    known = declared or sorted(said)
    unsaid = bool((exposure == NOT_RECORDED).any())
    undeclared = sorted(said.difference(declared)) if declared or len(said) > 1 else []
    if undeclared or (unsaid and len(known) > 1):
        raise SpecificationError(
            f"analysis {analysis.id}: answers at several exposures, and "
            + (f"{', '.join(map(str, undeclared))} is not declared" if undeclared else "some do not say at which"),
            where="study.yaml, assignment.exposure",
            fix="map exposure in every export and declare assignment.exposure",
        )
    return tuple(known), max(own or known, default=None)


def _sample(columns: dict) -> np.ndarray | None:
    recorded = {unit: column for unit, column in columns.items() if column.null_count < len(column)}
    if recorded:
        unit, column = next(iter(recorded.items()))
        return cluster_codes(column, unit)
    # No export names a sample: all raters saw the same one.
    return np.zeros(len(next(iter(columns.values()))), dtype=np.int64) if columns else None
