"""Adjudicated labels: one label for each unit from several judgments, beside them and naming them (METHODS 11a).

Belongs here: the four rules, and the sources of each label. Does not: what a vote is (`ballots`), nor any statistic;
agreement never reads these labels.
"""

import ibis
import ibis.expr.types as ir

from data_contracts.specification import StudySpec
from data_contracts.tables import ADJUDICATED_LABELS, ADJUDICATION_SOURCES, TEXT, WHOLE
from data_contracts.vocabulary import AdjudicationStatus
from juryline.derivations.ballots import Ballots, ballots
from juryline.derivations.shape import declared_rows, in_shape, no_rows

AGREED, MAJORITY = str(AdjudicationStatus.AGREED), str(AdjudicationStatus.MAJORITY)
ADJUDICATED, UNRESOLVED = str(AdjudicationStatus.ADJUDICATED), str(AdjudicationStatus.UNRESOLVED)
INSUFFICIENT_VOTES = str(AdjudicationStatus.INSUFFICIENT_VOTES)


def adjudicated_labels(history: ir.Table, analysis_set: ir.Table, spec: StudySpec) -> ir.Table:
    """The label of every unit under every declared adjudication.

    Parameters
    ----------
    history, analysis_set : ir.Table
        HISTORY and ANALYSIS_SET of the study.
    spec : StudySpec
        Its `adjudication` rules; its `systems` orient pairs.

    Returns
    -------
    ir.Table
        ADJUDICATED_LABELS: a row for each unit that has an included judgment or, under rule `adjudicator`, one of
        the adjudicators. `label` is null where the status is unresolved or insufficient_votes.

    Notes
    -----
    A unit is (criterion, case, system and its output), for pairs the two systems in either order. Votes are the
    included judgments in state answered, tie or both_fail; of several by a rater on one unit the latest. Humans and
    models never vote together: models vote where the study has no human population but adjudicators. A label by
    `median`, and one by more votes than any other, has status `majority`; one that all votes share, `agreed`.
    """
    if not spec.adjudication:
        return no_rows(ADJUDICATED_LABELS)
    return in_shape(_decided(ballots(history, analysis_set, spec), spec), ADJUDICATED_LABELS)


def adjudication_sources(history: ir.Table, analysis_set: ir.Table, labels: ir.Table, spec: StudySpec) -> ir.Table:
    """The judgments that each adjudicated label was derived from: its votes, and the adjudicator's where that decided.

    Parameters
    ----------
    history, analysis_set : ir.Table
        HISTORY and ANALYSIS_SET of the study.
    labels : ir.Table
        ADJUDICATED_LABELS of these; their `status` says where the adjudicator decided.
    spec : StudySpec
        As for the labels.

    Returns
    -------
    ir.Table
        ADJUDICATION_SOURCES.
    """
    if not spec.adjudication:
        return no_rows(ADJUDICATION_SOURCES)
    given = ballots(history, analysis_set, spec)
    settled = given.decisions.semi_join(labels.filter(labels.status == ADJUDICATED), "label_id")
    return in_shape(given.votes.union(settled), ADJUDICATION_SOURCES)


def _decided(given: Ballots, spec: StudySpec) -> ir.Table:
    """Each unit with its `n_votes`, its `status` and its `label`."""
    tally = _tally(given, spec)
    status = ibis.cases(
        (tally.rule == "adjudicator", _status_by_adjudicator(tally)),
        (tally.n_votes < tally.min_votes, INSUFFICIENT_VOTES),
        (tally.labels == 1, AGREED),
        ((tally.rule == "majority") & (tally.leaders == 1), MAJORITY),
        ((tally.rule == "median") & (tally.lower == tally.upper), MAJORITY),
        else_=UNRESOLVED,
    )
    decided = tally.mutate(status=status)
    label = ibis.cases(
        (decided.status == ADJUDICATED, decided.decision),
        ((decided.status == MAJORITY) & (decided.rule == "median"), decided.lower),
        (decided.status.isin([AGREED, MAJORITY]), decided.leading),
        else_=ibis.null("string"),
    )
    return decided.mutate(label=label)


def _status_by_adjudicator(tally: ir.Table) -> ir.StringValue:
    return ibis.cases(
        (~tally.always & (tally.n_votes == 0), INSUFFICIENT_VOTES),
        (~tally.always & (tally.labels == 1), AGREED),
        (tally.decision.notnull(), ADJUDICATED),
        else_=UNRESOLVED,
    )


def _tally(given: Ballots, spec: StudySpec) -> ir.Table:
    """Each unit with its votes, its labels, the leading one and the middle ones, and the adjudicator's."""
    votes = given.votes
    counts = votes.group_by("label_id", "vote").agg(n=votes.count())
    counts = counts.mutate(most=counts.n.max().over(ibis.window(group_by=counts.label_id)))
    is_leading = counts.n == counts.most
    tally = counts.group_by("label_id").agg(
        n_votes=counts.n.sum(),
        labels=counts.count(),
        leaders=counts.count(where=is_leading),
        leading=counts.vote.min(where=is_leading),
    )
    decisions = given.decisions.select("label_id", decision="vote")
    joined = given.units
    for beside in (tally, _middle(votes, spec), decisions):
        joined = joined.left_join(beside, "label_id").drop("label_id_right")
    return joined.mutate(n_votes=joined.n_votes.fill_null(0))


def _middle(votes: ir.Table, spec: StudySpec) -> ir.Table:
    """label_id, lower, upper: the middle votes of each unit in the order of the declared levels."""
    levels = [
        (criterion.id, label, level)
        for criterion in spec.rubric.criteria
        if criterion.scale is not None
        for label, level in criterion.scale.level_index.items()
    ]
    schema = [("criterion", TEXT), ("vote", TEXT), ("level", WHOLE)]
    placed = votes.inner_join(declared_rows(schema, levels), ["criterion", "vote"])
    order = ibis.window(group_by=placed.label_id, order_by=["level", "record_id"])
    of_unit = ibis.window(group_by=placed.label_id)
    placed = placed.mutate(nth=ibis.row_number().over(order), n=placed.record_id.count().over(of_unit))
    return placed.group_by("label_id").agg(
        lower=placed.vote.max(where=placed.nth == (placed.n - 1) // 2),
        upper=placed.vote.max(where=placed.nth == placed.n // 2),
    )
