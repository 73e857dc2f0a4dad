"""Comparisons that a judge and human raters both judged, as estimators take them: counts by case and system.

Belongs here: reducing comparisons with `longer` (`lengths`) of two populations. Does not: which units both judged
(`side_by_side`), or any statistic.
"""

from dataclasses import dataclass

import ibis
import ibis.expr.types as ir
import numpy as np

from data_contracts.specification import StudySpec
from data_contracts.vocabulary import State
from juryline.analyses.cuts import cluster_codes, codes, unit_columns
from juryline.analyses.side_by_side import JUDGE, REFERENCE
from juryline.estimators.judged_games import JudgedGames


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedStates:
    """States of judgments, and games with a length that is not known, by system and in all."""

    by_system: dict[str, dict[State, int]]
    unknown: dict[str, int]
    whole: dict[State, int]


def read_judged_games(shared: tuple[ir.Table, ir.Table], unit: str, spec: StudySpec) -> JudgedGames:
    """Games of judge and reference, with the column `longer`, counted by the declared unit of cases and system."""
    judge, reference = (unit_columns(games, (unit,)) for games in shared)
    tagged = judge.mutate(side=ibis.literal(JUDGE)).union(reference.mutate(side=ibis.literal(REFERENCE)))
    sides = [
        tagged.select(
            "side",
            "cluster_1",
            system=f"system_{place}",
            won=tagged.outcome == f"system_{place}",
            is_longer=tagged.longer == place,
        )
        for place in (1, 2)
    ]
    both = ibis.union(*sides)
    counted = both.group_by("side", "system", "cluster_1").agg(
        games=both.count(), wins=both.won.sum(), longer=both.is_longer.sum()
    )
    read = counted.to_pyarrow()
    system = codes(read["system"], spec.system_ids)
    cluster = cluster_codes(read["cluster_1"], unit)
    by_judge = codes(read["side"], [REFERENCE, JUDGE]) == 1
    shape = (int(cluster.max(initial=-1)) + 1, len(spec.systems))

    def matrix(name: str, chosen: np.ndarray) -> np.ndarray:
        counts = np.zeros(shape, dtype=np.int64)
        counts[cluster[chosen], system[chosen]] = read[name].to_numpy()[chosen]
        return counts

    return JudgedGames(
        wins=matrix("wins", ~by_judge),
        longer=matrix("longer", ~by_judge),
        games=matrix("games", ~by_judge),
        judge_wins=matrix("wins", by_judge),
        judge_games=matrix("games", by_judge),
    )


def read_states(every: ir.Table) -> JudgedStates:
    """States of judgments with the column `longer`."""
    sides = ibis.union(*(every.select("state", "outcome", "longer", system=f"system_{place}") for place in (1, 2)))
    lost = sides.outcome.notnull() & sides.longer.isnull()
    read = sides.group_by("system", "state").agg(n=sides.count(), lost=lost.sum()).order_by("system", "state")
    by_system: dict[str, dict[State, int]] = {}
    unknown: dict[str, int] = {}
    whole: dict[State, int] = {}
    for row in read.to_pyarrow().to_pylist():
        system, state = row["system"], State(row["state"])
        by_system.setdefault(system, {})[state] = row["n"]
        unknown[system] = unknown.get(system, 0) + row["lost"]
        whole[state] = whole.get(state, 0) + row["n"]
    return JudgedStates(by_system=by_system, unknown=unknown, whole={state: n // 2 for state, n in whole.items()})
