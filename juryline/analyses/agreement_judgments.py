"""Judgments of a cut as integer codes: which unit, by which rater, with which label or state.

Belongs here: what a unit is, whose label a pair's label is, and the tallies that estimators take of them. Does
not: any coefficient, or what is reported.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.specification import StudySpec
from data_contracts.vocabulary import State
from juryline.analyses.agreement_labels import FIRST, SECOND, LabelSet
from juryline.analyses.cuts import cluster_codes, codes, unit_columns
from juryline.estimators.agreement_units import Ratings, tally_ratings
from juryline.estimators.dense_codes import dense_codes, first_places, n_distinct
from juryline.estimators.self_agreement import repeats_as_ratings

_STATES = tuple(State)
_NONE = -1
_FIRST_SHOWN, _SECOND_SHOWN = "system_1", "system_2"


class Clustered(NamedTuple):
    """Ratings and the cluster of each of their units."""

    ratings: Ratings
    cluster: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgments:
    """Judgments of a cut, equal ones counted, one entry each.

    Attributes
    ----------
    unit, case, cluster, rater, state : ndarray of int, shape (n,)
        Codes from 0; of units, cases and raters whatever their state.
    label : ndarray of int, shape (n,)
        Code in the label set; -1 where the judgment is no rating.
    count : ndarray of int, shape (n,)
        Judgments that an entry stands for.
    judgment : ndarray of int, shape (n,), or None
        Code of the judgment that an entry is a part of, a pair or a rank of a ranking; None where each is one.
    raters : tuple of str
        Alias of each rater code.
    values : ndarray of float or None
        Number of each label.
    n_labels : int
        Number of labels.
    order_known : bool
        Whether the order shown is known of every judgment; True for judgments of one output.
    """

    unit: np.ndarray
    case: np.ndarray
    cluster: np.ndarray
    rater: np.ndarray
    state: np.ndarray
    label: np.ndarray
    count: np.ndarray
    judgment: np.ndarray | None
    raters: tuple[str, ...]
    values: np.ndarray | None
    n_labels: int
    order_known: bool

    @property
    def rated(self) -> np.ndarray:
        return self.label != _NONE

    @property
    def n_units(self) -> int:
        return n_distinct(self.unit)

    def counts(self) -> dict[str, Any]:
        """Columns of `estimates` about the ratings, and the states of all judgments."""
        rated = self.rated
        n = self.count[rated].sum() if self.judgment is None else n_distinct(self.judgment[rated])
        return {
            "n_judgments": int(n),
            "n_cases": n_distinct(self.case[rated]),
            "n_raters": n_distinct(self.rater[rated]),
            "states": self.states(),
        }

    def states(self) -> dict[State, int]:
        """Judgments by state."""
        counts = np.bincount(self.state, weights=self.count, minlength=len(_STATES)).astype(int).tolist()
        return {state: count for state, count in zip(_STATES, counts) if count}

    def of_raters(self, raters: Sequence[int]) -> "Judgments":
        """The judgments of some raters, codes unchanged."""
        return self.only(np.isin(self.rater, raters))

    def only(self, kept: np.ndarray) -> "Judgments":
        """Some of the judgments, codes unchanged."""
        columns = ("unit", "case", "cluster", "rater", "state", "label", "count")
        judgment = None if self.judgment is None else self.judgment[kept]
        return replace(self, judgment=judgment, **{name: getattr(self, name)[kept] for name in columns})

    def ratings(self) -> Clustered:
        """Labels by unit and rater."""
        return self._tally(self.rated, self.label, self.n_labels)

    def responses(self) -> Clustered:
        """States by unit and rater, as if they were labels."""
        return self._tally(np.full(len(self.unit), True), self.state, len(_STATES))

    def repeats(self) -> tuple[Clustered, int]:
        """Repeated ratings and their places, as `repeats_as_ratings` gives them."""
        kept = self.rated
        unit, cluster = _dense(self.unit[kept], self.cluster[kept])
        ratings, units, places = repeats_as_ratings(
            unit, self.rater[kept], self.label[kept], self.count[kept], n_labels=self.n_labels
        )
        return Clustered(ratings, dense_codes(cluster[units])), places

    def _tally(self, kept: np.ndarray, label: np.ndarray, n_labels: int) -> Clustered:
        unit, cluster = _dense(self.unit[kept], self.cluster[kept])
        ratings = tally_ratings(
            unit,
            self.rater[kept],
            label[kept],
            self.count[kept],
            n_units=len(cluster),
            n_raters=len(self.raters),
            n_labels=n_labels,
        )
        return Clustered(ratings, cluster)


def read_comparisons(
    judgments: ir.Table, spec: StudySpec, labels: LabelSet, cluster: str, *, by_presentation: bool, ranked: bool
) -> Judgments:
    """Judgments of pairs: a unit is a case and an unordered pair of outputs, its label the system that won.

    By presentation, the order shown is part of the unit. Ranked, several pairs are of one judgment.
    """
    columns = ["system_1", "system_2", "output_1", "output_2", "outcome", "order_collected"]
    read = _grouped(judgments, columns, cluster, ranked=ranked)
    shown = [codes(read[name], spec.system_ids) for name in ("system_1", "system_2")]
    outputs = _output_codes(read["output_1"], read["output_2"])
    swapped = (shown[0] > shown[1]) | ((shown[0] == shown[1]) & (outputs[0] > outputs[1]))
    first, second = (np.where(swapped, shown[1 - place], shown[place]) for place in (0, 1))
    first_output, second_output = (np.where(swapped, outputs[1 - place], outputs[place]) for place in (0, 1))
    unit = [first, second, first_output, second_output]
    if by_presentation:
        unit.append(swapped.astype(np.int64))
    outcome = codes(read["outcome"], [_FIRST_SHOWN, _SECOND_SHOWN, State.TIE, State.BOTH_FAIL])
    won = np.where(outcome < 2, outcome ^ swapped, outcome)
    won[outcome == _NONE] = _NONE
    names = (FIRST, SECOND, State.TIE, State.BOTH_FAIL)
    code = np.array([*(labels.names.index(name) if name in labels.names else _NONE for name in names), _NONE])
    order_known = pc.all(read["order_collected"]).as_py() is not False
    return _judgments(read, unit, code[won], labels, cluster, order_known=order_known)


def read_ratings(judgments: ir.Table, spec: StudySpec, labels: LabelSet, cluster: str, *, ranked: bool) -> Judgments:
    """Judgments of one output: a unit is a case, a system and, where it has several, its output.

    Ranked, several outputs are of one judgment.
    """
    answer = "value" if labels.continuous else "label"
    read = _grouped(judgments, ["system", "output", answer], cluster, ranked=ranked)
    unit = [codes(read["system"], spec.system_ids), _output_codes(read["output"])[0]]
    answered = codes(read["state"], _STATES) == _STATES.index(State.ANSWERED)
    if not labels.continuous:
        declared = codes(read["label"], labels.names)
        label = np.where(answered, declared, _NONE)
        return _judgments(read, unit, label, labels, cluster)
    number = read["value"].to_numpy(zero_copy_only=False).astype(float)
    values, place = np.unique(number[answered], return_inverse=True)
    label = np.full(len(number), _NONE)
    label[answered] = place
    return _judgments(read, unit, label, labels, cluster, values)


def _grouped(judgments: ir.Table, columns: list[str], cluster: str, *, ranked: bool) -> pa.Table:
    keys = ["criterion", "case_id", "rater", "state", "cluster_1", *columns, *(["judgment_id"] if ranked else [])]
    table = unit_columns(judgments, (cluster,))
    return table.group_by(keys).agg(n=table.count()).to_pyarrow()


def _judgments(
    read: pa.Table,
    unit: list[np.ndarray],
    label: np.ndarray,
    labels: LabelSet,
    cluster: str,
    values: np.ndarray | None = None,
    order_known: bool = True,
) -> Judgments:
    raters = sorted(pc.unique(read["rater"]).to_pylist())
    case = cluster_codes(read["case_id"], "case")
    criterion = cluster_codes(read["criterion"], "criterion")
    of_case = case if cluster == "case" else cluster_codes(read["cluster_1"], cluster)
    n_labels = len(labels.names) + (0 if values is None else len(values))
    return Judgments(
        unit=_combined([criterion, case, *unit]),
        case=case,
        cluster=of_case,
        rater=codes(read["rater"], raters),
        state=codes(read["state"], _STATES),
        label=_with_states(label, read, labels, n_labels),
        count=read["n"].to_numpy(),
        judgment=_judgment_codes(read),
        raters=tuple(raters),
        values=labels.values if values is None else values,
        n_labels=n_labels,
        order_known=order_known,
    )


def _judgment_codes(read: pa.Table) -> np.ndarray | None:
    if "judgment_id" not in read.column_names:
        return None
    return codes(read["judgment_id"], sorted(pc.unique(read["judgment_id"]).to_pylist()))


def _with_states(label: np.ndarray, read: pa.Table, labels: LabelSet, n_labels: int) -> np.ndarray:
    """Codes of labels, of which there are `n_labels`, and after them those of the states counted as categories."""
    state = codes(read["state"], _STATES)
    for place, category in enumerate(labels.states, start=n_labels - len(labels.states)):
        label = np.where(state == _STATES.index(category), place, label)
    return label


def _output_codes(*columns: pa.ChunkedArray) -> list[np.ndarray]:
    """Codes of output ids over all columns, in the order of their text; -1 where a system has one output."""
    names: set[Any] = set().union(*(pc.unique(column).to_pylist() for column in columns)) - {None}
    return [codes(column, sorted(names)) for column in columns]


def _combined(columns: Sequence[np.ndarray]) -> np.ndarray:
    """One code from 0 for each combination of codes, in their order."""
    combined, n = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 2  # codes may be -1
        if n * width > np.iinfo(np.int64).max:
            combined = dense_codes(combined)
            n = len(combined)
        combined, n = combined * width + column + 1, n * width
    return dense_codes(combined)


def _dense(unit: np.ndarray, cluster: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Units renumbered without a gap, and the cluster of each, renumbered likewise."""
    dense = dense_codes(unit)
    return dense, dense_codes(cluster[first_places(dense)])
