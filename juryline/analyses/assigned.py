"""How much of what raters were assigned they gave no rating of (METHODS 7.5).

Belongs here: the cells of a manifest that a cut is of. Does not: the share without a manifest, which is of all units
times all raters (`agreement_context`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ibis
import ibis.expr.types as ir

from data_contracts.estimates import Cut
from data_contracts.specification import StudySpec
from juryline.analyses.agreement_scope import COMPARISONS, Scope
from juryline.analyses.cuts import of_slice

_WHO = ("population", "rater", "case_id", "criterion")


def assignments_of(spec: StudySpec, tables: Mapping[str, ir.Table]) -> ir.Table | None:
    """The table of assignments; None where the study names no manifest."""
    return None if spec.assignment.manifest is None else tables["assignments"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedCells:
    """Assigned cells of a cut, and those of them with a rating."""

    n_cells: int
    n_rated: int


def assigned_cells(
    scope: Scope, cut: Cut, assignments: ir.Table | None, judgments: Sequence[ir.Table], members: Sequence[str]
) -> AssignedCells | None:
    """Count what was assigned to the raters of a cut, and what of it was rated.

    Parameters
    ----------
    assignments : ibis Table or None
        ASSIGNMENTS; None where the study names no manifest, and then nothing is counted.
    judgments : sequence of ibis Table
        The cut's judgments of each population.
    members : sequence of str
        These populations.

    Notes
    -----
    A cell is a rater, a case, a criterion and, where the manifest says it, the output or the pair of outputs. A row
    without a criterion is of each; one that names a pair is of criteria of pairs, one that names one system of the
    others. What a rater gave without being assigned it is in no cell.
    """
    if assignments is None:
        return None
    cells = _cells(scope, cut, of_slice(cut, scope.spec, assignments), members)
    rated = _together([_rated(scope, part) for part in judgments])
    whole, named = cells.filter(cells.system_1.isnull()), cells.filter(cells.system_1.notnull())
    systems = ("system_1", "system_2") if scope.name == COMPARISONS else ("system_1",)
    filled = (whole.semi_join(rated, list(_WHO)), named.semi_join(rated, [*_WHO, *systems]))
    return AssignedCells(n_cells=_count(cells), n_rated=sum(map(_count, filled)))


def _cells(scope: Scope, cut: Cut, assignments: ir.Table, members: Sequence[str]) -> ir.Table:
    pairs = scope.name == COMPARISONS
    fits = assignments.system_1.isnull() | (assignments.system_2.notnull() == pairs)
    chosen = assignments.filter(assignments.population.isin(list(members)), fits)
    of_each = [
        chosen.filter(chosen.criterion.isnull() | (chosen.criterion == criterion.id)).mutate(
            criterion=ibis.literal(criterion.id)
        )
        for criterion in scope.criteria(cut)
    ]
    columns = (*_WHO, "system_1", "system_2")
    cells = [part.select(*columns) for part in of_each]
    return _together(cells).distinct()


def _rated(scope: Scope, judgments: ir.Table) -> ir.Table:
    given = judgments.filter(judgments.state.isin([str(state) for state in scope.rated_states]))
    if scope.name == COMPARISONS:
        one, other = (choose(given.system_1, given.system_2) for choose in (ibis.least, ibis.greatest))
        return given.select(*_WHO, system_1=one, system_2=other)
    return given.select(*_WHO, system_1=given.system)


def _together(parts: Sequence[ir.Table]) -> ir.Table:
    return ibis.union(*parts) if len(parts) > 1 else parts[0]


def _count(table: ir.Table) -> int:
    n: int = table.count().to_pyarrow().as_py()
    return n
