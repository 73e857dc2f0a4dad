"""Two populations side by side, never pooled: the cuts of both, and the pairs of outputs that both judged.

Belongs here: what every method that holds one population against another shares. Does not: any statistic.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import ibis
import ibis.expr.types as ir

from data_contracts.estimates import ALL, Cut
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Analysis, AnalysisPart
from juryline.analyses.cuts import cuts, source_conditions

JUDGE, REFERENCE = "judge", "reference"

Members = tuple[str, ...]
SomeAnalysis = TypeVar("SomeAnalysis", bound=AnalysisPart)

# A pair of outputs of one case, whichever was shown first.
UNIT_OF_PAIR = ("case_id", "unit_system_1", "unit_system_2", "unit_output_1", "unit_output_2")
UNIT_OF_PAIR_SQL = (
    "case_id, least(system_1, system_2), greatest(system_1, system_2), "
    "coalesce(CASE WHEN system_1 < system_2 THEN output_1 ELSE output_2 END, ''), "
    "coalesce(CASE WHEN system_1 < system_2 THEN output_2 ELSE output_1 END, '')"
)


def cuts_of_both(
    analysis: Analysis, spec: StudySpec, view: ir.Table, first: Members, second: Members
) -> Iterator[tuple[Cut, ir.Table, ir.Table]]:
    """Every cut with the judgments of each population; of a slice value that one lacks it has none.

    Parameters
    ----------
    first, second : tuple of str
        Members of each population; several are pooled. A cut carries the name of the first.
    """
    of_first, of_second = (
        {_place(cut): (cut, judgments) for cut, judgments in cuts(part, spec, view)}
        for part in (of_members(analysis, first), of_members(analysis, second))
    )
    for place in dict.fromkeys([*of_first, *of_second]):
        cut, given = of_first.get(place) or of_second[place]
        none = given.filter(ibis.literal(False))
        yield (
            replace(cut, population="+".join(first)),
            of_first[place][1] if place in of_first else none,
            of_second[place][1] if place in of_second else none,
        )


def of_members(analysis: SomeAnalysis, members: Members) -> SomeAnalysis:
    """The analysis as if it were of these populations, pooled."""
    return analysis.model_copy(update={"population": members})


def judged_by_both(first: ir.Table, second: ir.Table) -> tuple[ir.Table, ir.Table]:
    """Comparisons of two populations of one criterion, only those of pairs of outputs that both judged.

    A pair is of one case, whichever of the two was shown first; a judgment counts where it is a game.
    """
    sides = [with_unit_of_pair(side.filter(side.outcome.notnull())) for side in (first, second)]
    shared = sides[0].select(*UNIT_OF_PAIR).distinct().semi_join(sides[1], list(UNIT_OF_PAIR))
    kept = [side.semi_join(shared, list(UNIT_OF_PAIR)).drop(*UNIT_OF_PAIR[1:]) for side in sides]
    return kept[0], kept[1]


def cuts_of_reference(
    analysis: Analysis, spec: StudySpec, view: ir.Table, judge: Members, reference: Members
) -> Iterator[tuple[Cut, ir.Table, ir.Table]]:
    """Every cut of the reference's judgments, with the judge's name, the judge's judgments and the reference's.

    The judge's are those of the whole criterion: an attribute of human raters is none of a judge's.
    """
    unsliced = spec.model_copy(update={"slices": ()})
    of_judge = {cut.criterion: judgments for cut, judgments in cuts(of_members(analysis, judge), unsliced, view)}
    for cut, judgments in cuts(of_members(analysis, reference), spec, view):
        yield replace(cut, population="+".join(judge)), of_judge[cut.criterion], judgments


def source_of_both(
    cut: Cut,
    view_name: str,
    analysis: Analysis,
    spec: StudySpec,
    judge: Members,
    reference: Members,
    extra: Sequence[str],
    sides: Sequence[str] = (JUDGE, REFERENCE),
) -> str:
    """SQL of the record ids that `judged_by_both` gives of a cut of `cuts_of_reference`.

    Parameters
    ----------
    extra : sequence of str
        SQL conditions of every comparison; what they name is a column of the view.
    sides : sequence of str
        Whose records: the judge's, the reference's or those of both.
    """
    of_judge = replace(cut, population="+".join(judge), slice=ALL, slice_value=ALL)
    of_reference = replace(cut, population="+".join(reference))
    judged, held_against = (
        " AND ".join(["outcome IS NOT NULL", *source_conditions(side, of_members(analysis, members), spec)])
        for side, members in ((of_judge, judge), (of_reference, reference))
    )
    parts = [
        f"SELECT record_id FROM {view_name} WHERE {' AND '.join([own, *extra])} AND "
        f"({UNIT_OF_PAIR_SQL}) IN (SELECT {UNIT_OF_PAIR_SQL} FROM {view_name} WHERE {other})"
        for side, own, other in ((JUDGE, judged, held_against), (REFERENCE, held_against, judged))
        if side in sides
    ]
    return " UNION ALL ".join(parts) + " ORDER BY record_id"


def with_unit_of_pair(comparisons: ir.Table) -> ir.Table:
    """Comparisons with the columns UNIT_OF_PAIR, in which the order shown has no part."""
    in_order = comparisons.system_1 < comparisons.system_2
    return comparisons.mutate(
        unit_system_1=ibis.least(comparisons.system_1, comparisons.system_2),
        unit_system_2=ibis.greatest(comparisons.system_1, comparisons.system_2),
        unit_output_1=ibis.ifelse(in_order, comparisons.output_1, comparisons.output_2).fill_null(""),
        unit_output_2=ibis.ifelse(in_order, comparisons.output_2, comparisons.output_1).fill_null(""),
    )


def _place(cut: Cut) -> tuple[str, str, str]:
    return cut.criterion, cut.slice, cut.slice_value
