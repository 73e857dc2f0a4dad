"""Comparisons of a cut as estimators take them: single games in order, or counts by pair and cluster.

Belongs here: reducing the view `comparisons`, and what a row of `estimates` says about it, the same for every
method over pairs. Does not: any rate or rating.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa

from data_contracts.errors import SpecificationError
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Analysis, Ties
from data_contracts.vocabulary import Protocol, State
from juryline.analyses.cuts import (
    cluster_codes,
    codes,
    criteria,
    independent_unit,
    populations,
    sql_text,
    unit_columns,
)
from juryline.estimators.games import Games, Outcome, PairTallies

VIEW = "comparisons"
OUTCOMES = {  # in the order of the codes that estimators read
    Outcome.FIRST: "system_1",
    Outcome.SECOND: "system_2",
    Outcome.TIE: "tie",
    Outcome.BOTH_FAIL: "both_fail",
}
BY_JUDGMENT = ("judgment_id", "record_id", "system_1", "system_2")
BY_DELIVERY = ("export_path", "source_row", "source_path", *BY_JUDGMENT)

Pair = tuple[str, str]

_EVERY_OUTCOME = tuple(OUTCOMES.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many judgments, games, cases and raters are behind a number, and the states of all it could be made of."""

    n_judgments: int = 0
    n_games: int = 0
    n_cases: int = 0
    n_raters: int = 0
    states: dict[State, int] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """Columns of `estimates`; the unit is a game."""
        return {
            "n_judgments": self.n_judgments,
            "n_units": self.n_games,
            "n_cases": self.n_cases,
            "n_raters": self.n_raters,
            "states": self.states,
        }


def clustered_by(analysis: Analysis, spec: StudySpec, population: str) -> tuple[str, ...]:
    """Dimensions of the independent unit, each at least as coarse as a judgment.

    Raises
    ------
    SpecificationError
        A ranking whose independent unit nobody declares: its pairs would pass for independent judgments.
    """
    ranked = [criterion.id for criterion in criteria(analysis, spec) if criterion.protocol is Protocol.RANKING]
    members = dict(populations(analysis, spec))[population]
    if ranked and any(spec.independent_unit_of(analysis, member) is None for member in members):
        raise SpecificationError(
            f"analysis {analysis.id}: the pairs of one ranking are not independent, and nobody declares the "
            f"independent unit of {', '.join(ranked)}",
            where="study.yaml, claim.independent_unit",
            fix="set claim.independent_unit: [rater], or [case]",
        )
    return independent_unit(analysis, spec, population)


def bootstrap_rounds(analysis: Analysis) -> int:
    """Declared rounds of the bootstrap.

    Raises
    ------
    SpecificationError
        Fewer than two.
    """
    if analysis.rounds < 2:
        raise SpecificationError(
            f"analysis {analysis.id}: {analysis.rounds} bootstrap round has no spread",
            where=f"study.yaml, analyses, {analysis.id}, rounds",
            fix="set rounds: 1000",
        )
    return analysis.rounds


def read_games(judgments: ir.Table, units: Sequence[str], spec: StudySpec, order: Sequence[str]) -> Games:
    """Every game of a cut, in the order of columns of the view that end in a unique key."""
    played = unit_columns(judgments.filter(judgments.outcome.notnull()), units)
    read = played.order_by(list(order)).select("system_1", "system_2", "outcome", *_clusters(units)).to_pyarrow()
    return Games(
        first=codes(read["system_1"], spec.system_ids),
        second=codes(read["system_2"], spec.system_ids),
        outcome=codes(read["outcome"], _EVERY_OUTCOME),
        clusters=_cluster_codes(read, units),
        n_systems=len(spec.systems),
    )


def read_tallies(judgments: ir.Table, units: Sequence[str], spec: StudySpec) -> PairTallies:
    """Games of a cut counted by pair and cluster, in the order of their codes."""
    played = unit_columns(judgments.filter(judgments.outcome.notnull()), units)
    counted = {outcome: (played.outcome == outcome).sum() for outcome in _EVERY_OUTCOME}
    keys = [ibis._.system_1.name("first"), ibis._.system_2.name("second"), *_clusters(units)]
    read = played.group_by(keys).agg(**counted).to_pyarrow()
    first, second = codes(read["first"], spec.system_ids), codes(read["second"], spec.system_ids)
    clusters = _cluster_codes(read, units)
    order = np.lexsort((*reversed(clusters), second, first))
    wins, losses, ties, both_fail = (read[outcome].to_numpy()[order] for outcome in _EVERY_OUTCOME)
    return PairTallies(
        first=first[order],
        second=second[order],
        wins=wins,
        losses=losses,
        ties=ties,
        both_fail=both_fail,
        clusters=tuple(cluster[order] for cluster in clusters),
        n_systems=len(spec.systems),
    )


def pair_codes(pairs: Sequence[Pair], spec: StudySpec) -> list[tuple[int, int]]:
    """Pairs of systems by their codes."""
    return [(spec.system_ids.index(subject), spec.system_ids.index(comparator)) for subject, comparator in pairs]


def rated_outcomes(ties: Ties) -> tuple[str, ...]:
    """Outcomes that are a game to a rating: never both_fail, and no tie where ties are dropped."""
    rated = (Outcome.FIRST, Outcome.SECOND) if ties == "drop" else (Outcome.FIRST, Outcome.SECOND, Outcome.TIE)
    return tuple(OUTCOMES[outcome] for outcome in rated)


def count_all(judgments: ir.Table, outcomes: Sequence[str]) -> Counts:
    """Counts of a cut, of which the games with these outcomes are used."""
    return _counts(judgments.mutate(whole=ibis.literal("")), ["whole"], outcomes).get(("",), Counts())


def count_by_system(judgments: ir.Table) -> dict[str, Counts]:
    """Counts of the comparisons of each system, all games used."""
    sides = [judgments.select(*_COUNTED, system=f"system_{place}") for place in (1, 2)]
    return {system: counts for (system,), counts in _counts(ibis.union(*sides), ["system"], _EVERY_OUTCOME).items()}


def count_by_pair(judgments: ir.Table) -> dict[frozenset[str], Counts]:
    """Counts of the comparisons of each unordered pair of systems, all games used."""
    least, greatest = (choose(judgments.system_1, judgments.system_2) for choose in (ibis.least, ibis.greatest))
    pairs = judgments.select(*_COUNTED, least=least, greatest=greatest)
    return {frozenset(pair): counts for pair, counts in _counts(pairs, ["least", "greatest"], _EVERY_OUTCOME).items()}


def with_outcomes(outcomes: Sequence[str]) -> str:
    """SQL condition of games with these outcomes."""
    return f"outcome IN ({', '.join(sql_text(outcome) for outcome in outcomes)})"


def of_system(system: str) -> str:
    """SQL condition of the games of a system."""
    return f"outcome IS NOT NULL AND {sql_text(system)} IN (system_1, system_2)"


def among(systems: Sequence[str]) -> str:
    """SQL condition of comparisons of these systems with each other."""
    listed = ", ".join(sql_text(system) for system in systems)
    return f"system_1 IN ({listed}) AND system_2 IN ({listed})"


_COUNTED = ("judgment_id", "case_id", "rater", "state", "outcome")


def _counts(view: ir.Table, keys: list[str], outcomes: Sequence[str]) -> dict[tuple[str, ...], Counts]:
    used = view.outcome.isin(outcomes)
    counted = view.group_by(keys).agg(
        n_judgments=view.judgment_id.nunique(where=used),
        n_games=used.fill_null(False).sum(),
        n_cases=view.case_id.nunique(where=used),
        n_raters=view.rater.nunique(where=used),
    )
    states: dict[tuple[str, ...], dict[State, int]] = {}
    for row in view.group_by([*keys, "state"]).agg(n=view.count()).order_by([*keys, "state"]).to_pyarrow().to_pylist():
        states.setdefault(tuple(row[key] for key in keys), {})[State(row["state"])] = row["n"]
    return {
        key: Counts(**row, states=states[key])
        for row in counted.to_pyarrow().to_pylist()
        for key in [tuple(row.pop(name) for name in keys)]
    }


def _clusters(units: Sequence[str]) -> list[str]:
    return [f"cluster_{place}" for place in range(1, len(units) + 1)]


def _cluster_codes(read: pa.Table, units: Sequence[str]) -> tuple[np.ndarray, ...]:
    return tuple(cluster_codes(read[name], unit) for name, unit in zip(_clusters(units), units))
