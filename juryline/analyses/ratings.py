"""Judgments of one output at a time, as codes: who rated what of which system, and how.

Belongs here: reading a cut of the view `ratings` into arrays, for `likert` and `pass_rates`, and how a pair of
systems is compared by declaration. Does not: any statistic.
"""

from dataclasses import dataclass
from typing import Any

import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.errors import ContractError
from data_contracts.estimates import Cut
from data_contracts.specification import StudySpec, without_rater
from data_contracts.specification_analyses import RAW, Likert, PassRates
from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import State
from juryline.analyses.cuts import (
    POOLED,
    cluster_codes,
    codes,
    criteria,
    independent_unit,
    level_labels,
    passing_labels,
    unit_columns,
)
from juryline.estimators.dense_codes import n_distinct
from juryline.estimators.inference import Bounds
from juryline.estimators.matched import (
    DifferenceResult,
    Matched,
    Ratings,
    estimate_difference,
    estimate_unpaired_difference,
    match_cells,
    match_raters,
)

VIEW = "ratings"
STATES = tuple(State)
ANSWERED = STATES.index(State.ANSWERED)
NO_CASE = 0
UNITS_OF = {"rater": ("rater",), "case": ("case",), "both": ("rater", "case")}


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """The judgments of a cut, whatever became of them, in the order of record_id.

    Parameters
    ----------
    state, rater, system, case, criterion, output : ndarray of int, shape (n,)
        Codes; states, systems and criteria in declared order. Judgments without a case are of one case, 0.
    label : ndarray of int, shape (n,)
        Place in `labels`; -1 unless answered by a declared level.
    value : ndarray of float, shape (n,)
        Number of the answer; NaN where it has none.
    passed : ndarray of bool, shape (n,)
        Whether the label is among its own criterion's passing levels.
    units, pair_units : tuple of ndarray of int, shape (n,)
        Independent unit, and the unit of pair differences, in each dimension.
    criteria : list of Criterion
        Of the cut; several where they are pooled.
    labels : list of str
        Declared levels, those of the first criterion first.
    """

    state: np.ndarray
    rater: np.ndarray
    system: np.ndarray
    case: np.ndarray
    criterion: np.ndarray
    output: np.ndarray
    label: np.ndarray
    value: np.ndarray
    passed: np.ndarray
    units: tuple[np.ndarray, ...]
    pair_units: tuple[np.ndarray, ...]
    criteria: list[Criterion]
    labels: list[str]

    @property
    def answered(self) -> np.ndarray:
        return self.state == ANSWERED

    @property
    def all_declare_passing(self) -> bool:
        return all(passing_labels(criterion) for criterion in self.criteria)

    @property
    def sheet(self) -> np.ndarray:
        """One rater's judgments of one output, over all criteria."""
        spans = [int(codes.max(initial=0)) + 1 for codes in (self.case, self.output, self.system)]
        return ((self.rater * spans[0] + self.case) * spans[1] + self.output) * spans[2] + self.system

    def ratings(self, value: np.ndarray, kept: np.ndarray) -> Ratings:
        """Values of the kept judgments, as pair differences take them."""
        return Ratings(
            rater=self.rater[kept],
            item=(self.criterion.astype(np.int64) * (int(self.case.max(initial=0)) + 1) + self.case)[kept],
            output=self.output[kept],
            system=self.system[kept],
            units=tuple(codes[kept] for codes in self.pair_units),
            value=value[kept].astype(float),
        )

    def counts(self, asked: np.ndarray, used: np.ndarray) -> dict[str, Any]:
        """Count columns of a number that some judgments could have entered, and some did."""
        states = np.bincount(self.state[asked], minlength=len(STATES))
        return {
            "n_judgments": int(used.sum()),
            "n_raters": n_distinct(self.rater[used]),
            "n_cases": n_distinct(self.case[used & (self.case > NO_CASE)]),
            "states": {state: int(n) for state, n in zip(STATES, states)},
        }


def read_asked(cut: Cut, judgments: ir.Table, analysis: Likert | PassRates, spec: StudySpec) -> Asked:
    """The judgments of a cut.

    Raises
    ------
    ContractError
        A tie or both_fail, which no rating is; an answer without a number on a scale of numbers; a label that is not
        declared.
    """
    units = independent_unit(analysis, spec, cut.population)
    pair_units = UNITS_OF[analysis.unit] if analysis.unit else units
    if analysis.labels != RAW:
        pair_units = without_rater(pair_units)
    columns = ["state", "rater", "system", "case_id", "criterion", "output", "label", "value"]
    clusters = [f"cluster_{place}" for place in range(1, len(units) + len(pair_units) + 1)]
    table = unit_columns(judgments, (*units, *pair_units)).order_by("record_id")
    read = table.select(*columns, *clusters).to_pyarrow()
    named = [criterion for criterion in criteria(analysis, spec) if cut.criterion in (POOLED, criterion.id)]
    labels = list(dict.fromkeys(label for criterion in named for label in level_labels(criterion)))
    state = codes(read["state"], STATES)
    criterion = codes(read["criterion"], [criterion.id for criterion in named])
    label = _labels(read["label"], labels)
    _refuse_ties(state, cut)
    value = read["value"].fill_null(np.nan).to_numpy()
    _refuse_numberless(value, state == ANSWERED, named, criterion, cut)
    in_dimension = [cluster_codes(read[name], unit) for name, unit in zip(clusters, (*units, *pair_units))]
    return Asked(
        state=state,
        rater=cluster_codes(read["rater"], "rater"),
        system=codes(read["system"], spec.system_ids),
        case=_dense(read["case_id"]),
        criterion=criterion,
        output=_dense(read["output"]),
        label=label,
        value=value,
        passed=_passing(named, labels)[criterion, label],
        units=tuple(in_dimension[: len(units)]),
        pair_units=tuple(in_dimension[len(units) :]),
        criteria=named,
        labels=labels,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """A pair of systems as the analysis compares it: side by side, or each by its own raters (`matched` None)."""

    ratings: Ratings
    x: int
    y: int
    matched: Matched | None
    used: np.ndarray

    def difference(self, *, level: float, scale_range: float, bounds: Bounds) -> DifferenceResult:
        """First minus second."""
        if self.matched is None:
            return estimate_unpaired_difference(
                self.ratings, self.x, self.y, level=level, scale_range=scale_range, bounds=bounds
            )
        return estimate_difference(self.matched, level=level, scale_range=scale_range, bounds=bounds)


def compare(
    asked: Asked, analysis: Likert | PassRates, value: np.ndarray, kept: np.ndarray, pair: tuple[int, int]
) -> Compared:
    """A pair over the values of the kept judgments; `used` marks those that its difference is made of."""
    x, y = pair
    kept = kept & np.isin(asked.system, pair)
    ratings = asked.ratings(value, kept)
    match = {None: match_cells, "rater": match_raters, "none": None}[analysis.pairing]
    matched = match(ratings, x, y) if match else None
    used = kept.copy()
    if matched is not None:
        used[kept] = matched.judgments
    return Compared(ratings=ratings, x=x, y=y, matched=matched, used=used)


def _labels(column: pa.ChunkedArray, labels: list[str]) -> np.ndarray:
    return codes(column, labels) if labels else np.full(len(column), -1)


def _passing(named: list[Criterion], labels: list[str]) -> np.ndarray:
    """Whether a label passes a criterion; the last column is for no label."""
    passing = np.full((len(named), len(labels) + 1), False)
    for place, criterion in enumerate(named):
        for label in passing_labels(criterion):
            passing[place, labels.index(label)] = True
    return passing


def _dense(column: pa.ChunkedArray) -> np.ndarray:
    known = sorted(value for value in pc.unique(column).to_pylist() if value is not None)
    return codes(column, known) + 1


def _refuse_ties(state: np.ndarray, cut: Cut) -> None:
    ties = int(np.isin(state, [STATES.index(State.TIE), STATES.index(State.BOTH_FAIL)]).sum())
    if ties:
        raise ContractError(
            f"{ties} ratings of {cut.criterion} are ties, which no judgment of one output is",
            where="ratings, state",
            fix="map their label to a level, or to abstain, unknown or not_applicable",
        )


def _refuse_numberless(
    value: np.ndarray, answered: np.ndarray, named: list[Criterion], criterion: np.ndarray, cut: Cut
) -> None:
    numeric = np.array([item.scale is not None and item.scale.numeric for item in named])
    lacking = int((answered & np.isnan(value) & numeric[criterion]).sum()) if len(value) else 0
    if lacking:
        raise ContractError(
            f"{lacking} answers to {cut.criterion} have no number, on a scale of numbers",
            where="ratings, value",
            fix="juryline run, which quarantines such rows at intake",
        )
