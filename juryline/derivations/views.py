"""The protocol views: judgments of one shape a protocol, under the systems' declared ids.

Belongs here: which judgments a view holds, their attributes, and rankings taken apart into pairs. Does not: which of
them an analysis reads, beyond what every analysis shares: rows that are set aside only because their item is not
scored stay in a view under their `item_kind`, for analyses that say `include`.
"""

import ibis
import ibis.expr.types as ir

from data_contracts.specification import StudySpec
from data_contracts.tables import COMPARISONS, RATINGS, SPA_ANSWERS
from data_contracts.vocabulary import Protocol, SetAside, State
from juryline.derivations.attributes import CASE, RATER, check_attributes, with_attributes
from juryline.derivations.shape import in_shape, no_rows
from juryline.derivations.unblinding import refuse_self_comparison, unblinded

SYSTEM_1, SYSTEM_2 = "system_1", "system_2"
_READ = (
    *("record_id", "judgment_id", "criterion", "protocol", "population", "rater_kind", "rater", "item_kind", "case_id"),
    *("submission_id", "sequence", "submitted_at", "state", "export_path", "source_row", "source_path"),
    *("candidate_1", "candidate_2", "output_1", "output_2", "candidate_order", "order_collected", "label", "value"),
    *("raw_label", "exposure", "assignment_block", "rater_pseudonym"),
)
# The columns of a comparison before its attributes, with what they are found by.
_PAIR = [column.name for column in COMPARISONS if not column.name.endswith("_attributes")] + ["rater_pseudonym"]


def comparisons(
    history: ir.Table, analysis_set: ir.Table, attributes: ir.Table, unblinding: ir.Table | None, spec: StudySpec
) -> ir.Table:
    """Judgments of two outputs, and every pair of a ranking.

    Parameters
    ----------
    history, analysis_set, attributes : ir.Table
        HISTORY, ANALYSIS_SET, and the rows of ATTRIBUTES in force.
    unblinding : ir.Table or None
        The key of a study with `blinding`: case, candidate, system.
    spec : StudySpec
        Its systems and their blinded ids.

    Returns
    -------
    ir.Table
        COMPARISONS.

    Raises
    ------
    GateError
        Blinded ids that no system has; a subject with two values of one attribute.

    Notes
    -----
    `order_collected` is false where nothing declares how the order of a population came about, unless a judgment's own
    `candidate_order` holds it. A ranking of k outputs gives k(k-1)/2 pairs, first the one shown earlier (where
    `candidate_order` is not known, the lesser blinded id), each under the record of its first. The lower rank wins,
    equal ranks tie; a pair in which either has no rank takes that state, the first one's before the second one's, and
    has no outcome.
    """
    if not _asked((Protocol.PAIRWISE, Protocol.RANKING), spec):
        return no_rows(COMPARISONS)
    pairs = _pairwise(_viewed((Protocol.PAIRWISE,), history, analysis_set), unblinding, spec)
    if _asked((Protocol.RANKING,), spec):
        ranked = _viewed((Protocol.RANKING,), history, analysis_set)
        pairs = pairs.union(_ranked_pairs(ranked, unblinding, spec))
    return in_shape(_with_attributes(pairs, attributes), COMPARISONS)


def ratings(
    history: ir.Table, analysis_set: ir.Table, attributes: ir.Table, unblinding: ir.Table | None, spec: StudySpec
) -> ir.Table:
    """Judgments of one output: ratings, checklists, and each rank of a ranking.

    Parameters, errors and which judgments: as `comparisons`. `label` and `value` are null unless answered.

    Returns
    -------
    ir.Table
        RATINGS.
    """
    protocols = (Protocol.RATING, Protocol.CHECKLIST, Protocol.RANKING)
    if not _asked(protocols, spec):
        return no_rows(RATINGS)
    rows = _viewed(protocols, history, analysis_set)
    rows = unblinded(rows, {"candidate_1": "system"}, unblinding, spec)
    return in_shape(_with_attributes(_answers_only(rows).mutate(output=rows.output_1), attributes), RATINGS)


def spa_answers(
    history: ir.Table, analysis_set: ir.Table, attributes: ir.Table, unblinding: ir.Table | None, spec: StudySpec
) -> ir.Table:
    """Stated chances that the system named first is the better one.

    Parameters, errors and which judgments: as `comparisons`. `value` is null unless answered.

    Returns
    -------
    ir.Table
        SPA_ANSWERS.
    """
    if not _asked((Protocol.SPA,), spec):
        return no_rows(SPA_ANSWERS)
    rows = _viewed((Protocol.SPA,), history, analysis_set)
    rows = unblinded(rows, {"candidate_1": "system_x", "candidate_2": "system_y"}, unblinding, spec)
    return in_shape(_with_attributes(_answers_only(rows), attributes), SPA_ANSWERS)


def _asked(protocols: tuple[Protocol, ...], spec: StudySpec) -> bool:
    return any(criterion.protocol in protocols for criterion in spec.criteria_ever.values())


def _viewed(protocols: tuple[Protocol, ...], history: ir.Table, analysis_set: ir.Table) -> ir.Table:
    is_kept = analysis_set.included | (
        (analysis_set.set_aside_reason == str(SetAside.NOT_SCORED)) & analysis_set.exclusion_id.isnull()
    )
    asked = history.filter(history.protocol.isin([str(protocol) for protocol in protocols])).select(*_READ)
    return asked.semi_join(analysis_set.filter(is_kept), "record_id")


def _with_attributes(rows: ir.Table, attributes: ir.Table) -> ir.Table:
    check_attributes(attributes)
    rows = with_attributes(rows, attributes, CASE, "case_id")
    return with_attributes(rows, attributes, RATER, "rater_pseudonym")


def _answers_only(rows: ir.Table) -> ir.Table:
    is_answered = rows.state == str(State.ANSWERED)
    return rows.mutate(label=_where(is_answered, rows.label), value=_where(is_answered, rows.value))


def _pairwise(rows: ir.Table, unblinding: ir.Table | None, spec: StudySpec) -> ir.Table:
    rows = unblinded(rows, {"candidate_1": SYSTEM_1, "candidate_2": SYSTEM_2}, unblinding, spec)
    refuse_self_comparison(rows, SYSTEM_1, SYSTEM_2, spec)
    chosen = rows.label.cases(("candidate_1", SYSTEM_1), ("candidate_2", SYSTEM_2), else_=ibis.null("string"))
    outcome = rows.state.cases(
        (str(State.ANSWERED), chosen),
        (str(State.TIE), str(State.TIE)),
        (str(State.BOTH_FAIL), str(State.BOTH_FAIL)),
        else_=ibis.null("string"),
    )
    return rows.mutate(outcome=outcome, order_collected=_is_order_known(rows, spec)).select(*_PAIR)


def _is_order_known(rows: ir.Table, spec: StudySpec) -> ir.BooleanValue:
    declared = [id for id in spec.populations if spec.order_of(id) is not None]
    is_recorded = rows.candidate_order.length().fill_null(0) > 0
    in_order = rows.candidate_order == ibis.array([rows.candidate_1, rows.candidate_2])
    return rows.order_collected & ibis.ifelse(is_recorded, in_order, rows.population.isin(declared))


def _ranked_pairs(rows: ir.Table, unblinding: ir.Table | None, spec: StudySpec) -> ir.Table:
    rows = unblinded(rows, {"candidate_1": "system"}, unblinding, spec)
    is_shown = rows.order_collected & rows.candidate_order.notnull()
    rows = rows.mutate(order_collected=is_shown, shown=_where(is_shown, rows.candidate_order.index(rows.candidate_1)))
    order = ibis.window(group_by=rows.judgment_id, order_by=["shown", "candidate_1", "record_id"])
    first = rows.mutate(place=ibis.row_number().over(order))
    second = first.select(
        *("judgment_id", "place", "system", "state", "value", "output_1"),
    ).rename(lambda name: f"other_{name}")
    pairs = first.inner_join(second, [first.judgment_id == second.other_judgment_id, first.place < second.other_place])
    missing = ibis.ifelse(pairs.state != str(State.ANSWERED), pairs.state, pairs.other_state)
    both = (pairs.state == str(State.ANSWERED)) & (pairs.other_state == str(State.ANSWERED))
    outcome = ibis.cases(
        (pairs.value < pairs.other_value, SYSTEM_1), (pairs.value > pairs.other_value, SYSTEM_2), else_=str(State.TIE)
    )
    decided = ibis.ifelse(outcome == str(State.TIE), str(State.TIE), str(State.ANSWERED))
    pairs = pairs.mutate(
        system_1=pairs.system,
        system_2=pairs.other_system,
        output_2=pairs.other_output_1,
        state=ibis.ifelse(both, decided, missing),
        outcome=_where(both, outcome),
    )
    refuse_self_comparison(pairs, SYSTEM_1, SYSTEM_2, spec)
    return pairs.select(*_PAIR)


def _where(condition: ir.BooleanValue, value: ir.Value) -> ir.Value:
    return ibis.ifelse(condition, value, ibis.null(value.type()))
