"""Adjudicated labels in the shape of judgments, so that the protocol views hold them as they hold raw answers.

Belongs here: what of a label is an answer, and whose. Does not: how a label is settled (`adjudication`).
"""

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from data_contracts.specification import StudySpec
from data_contracts.tables import ANALYSIS_SET, HISTORY, TEXT
from data_contracts.vocabulary import AdjudicationStatus, ItemKind, State
from juryline.derivations.shape import declared_rows

_SETTLED = [str(AdjudicationStatus.AGREED), str(AdjudicationStatus.MAJORITY), str(AdjudicationStatus.ADJUDICATED)]
_STATES = [str(State.TIE), str(State.BOTH_FAIL)]


def labels_as_judgments(
    labels: ir.Table, sources: ir.Table, history: ir.Table, spec: StudySpec
) -> tuple[ir.Table, ir.Table]:
    """A judgment for each adjudicated label that somebody voted on.

    Parameters
    ----------
    labels, sources : ir.Table
        ADJUDICATED_LABELS and ADJUDICATION_SOURCES.
    history : ir.Table
        HISTORY, of the judgments they were derived from.

    Returns
    -------
    history, analysis_set : ir.Table
        The columns of HISTORY and of ANALYSIS_SET that protocol views read, all rows included. `record_id` and
        `judgment_id` are the label's id, the rater is the adjudication, and the population all that vote, joined by
        `+` as those of a pooled analysis are. An unresolved label is `missing`; the order shown is not known, since a
        label has none.
    """
    votes = sources.inner_join(history.select("record_id", "population", "rater_kind", "label", "value"), "record_id")
    votes = votes.rename(said="label").inner_join(labels, "label_id")
    # All who gave a response gave its number with it.
    numbers = votes.group_by("label_id").agg(value=votes.value.max(where=votes.said == votes.label))
    asked = votes.filter(votes.population.isin(spec.voters)).select("label_id", "rater_kind").distinct()
    protocols = declared_rows(
        [("criterion", TEXT), ("protocol", TEXT)],
        [(criterion.id, str(criterion.protocol)) for criterion in spec.rubric.criteria],
    )
    rows = asked.inner_join(labels, "label_id").inner_join(protocols, "criterion").left_join(numbers, "label_id")
    settled = rows.status.isin(_SETTLED)
    state = ibis.cases(
        (~settled, str(State.MISSING)), (rows.label.isin(_STATES), rows.label), else_=str(State.ANSWERED)
    )
    rows = rows.mutate(
        record_id=rows.label_id,
        judgment_id=rows.label_id,
        rater=rows.adjudication_id,
        population=ibis.literal("+".join(spec.voters)),
        item_kind=ibis.literal(str(ItemKind.SCORED)),
        state=state,
        export_path=ibis.literal(""),
        source_row=ibis.literal(0),
        order_collected=ibis.literal(False),
    )
    absent = {
        column.name: ibis.null(dt.DataType.from_pyarrow(column.type))
        for column in HISTORY
        if column.name not in rows.columns
    }
    included = rows.mutate(included=True, set_aside_reason=ibis.null("string"), exclusion_id=ibis.null("string"))
    return rows.mutate(**absent).select(*HISTORY.names), included.select(*ANALYSIS_SET.names).distinct()
