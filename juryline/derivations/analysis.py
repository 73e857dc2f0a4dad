"""The analysis set: of every current judgment, whether it is included, set aside or excluded."""

import ibis
import ibis.expr.types as ir

from data_contracts.specification import StudySpec
from data_contracts.tables import ANALYSIS_SET, TEXT, WHOLE
from data_contracts.vocabulary import ItemKind, Phase, SetAside
from juryline.derivations.shape import declared_rows, in_shape


def analysis_set(history: ir.Table, decisions: ir.Table, spec: StudySpec) -> ir.Table:
    """Every current judgment: included, set aside or excluded.

    Parameters
    ----------
    history : ir.Table
        HISTORY.
    decisions : ir.Table
        EXCLUSION_DECISIONS, or some of its rows: a scenario without a rule leaves out that rule's.
    spec : StudySpec
        Its order of exclusions names the reason where several hit.

    Returns
    -------
    ir.Table
        ANALYSIS_SET. Being set aside comes first: a judgment with a `set_aside_reason` counts under that and never as
        excluded. `exclusion_id` stands beside it where a rule hit, for analyses that declare `include`.
    """
    current = history.filter(history.current)
    hit = _first_hits(decisions, spec)
    joined = current.left_join(hit, "record_id").mutate(set_aside_reason=lambda t: set_aside_reason(t, spec))
    included = joined.set_aside_reason.isnull() & joined.exclusion_id.isnull()
    return in_shape(joined.mutate(included=included), ANALYSIS_SET)


def set_aside_reason(judgments: ir.Table, spec: StudySpec) -> ir.StringValue:
    """Why a judgment is outside the scored sample, the first that applies; null where it is inside.

    A pilot's judgments are set aside in a study that goes beyond it; in a study whose own phase is pilot they are all
    there is.
    """
    earlier_rubrics = [earlier.revision for earlier in spec.rubric.earlier]
    earlier_interfaces = [] if spec.interface is None else list(spec.interface.earlier)
    adjudicators = [population.id for population in spec.raters.populations if population.adjudicates]
    is_earlier = judgments.rubric_revision.isin(earlier_rubrics) | (
        judgments.interface_revision.isin(earlier_interfaces).fill_null(False)
    )
    is_pilot = (judgments.phase == str(Phase.PILOT)) & (spec.phase is not Phase.PILOT)
    return ibis.cases(
        (is_pilot, str(SetAside.PILOT)),
        (is_earlier, str(SetAside.EARLIER_REVISION)),
        (judgments.population.isin(adjudicators), str(SetAside.ADJUDICATOR)),
        (judgments.item_kind != str(ItemKind.SCORED), str(SetAside.NOT_SCORED)),
        else_=ibis.null("string"),
    )


def _first_hits(decisions: ir.Table, spec: StudySpec) -> ir.Table:
    """record_id, exclusion_id: the rule declared first among the given hits, whatever `first` said of all of them."""
    ids = [exclusion.id for exclusion in spec.exclusions]
    order = declared_rows([("exclusion_id", TEXT), ("place", WHOLE)], zip(ids, range(len(ids))))
    placed = decisions.inner_join(order, "exclusion_id")
    least = placed.group_by("record_id").agg(place=placed.place.min())
    return least.inner_join(order, "place").select("record_id", "exclusion_id")
