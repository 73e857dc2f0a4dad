"""Exclusion decisions: every hit of every declared rule on the current judgments, beside the judgments it is about.

Belongs here: which judgments a rule looks at, how its hits spread over its scope, and which hit names the reason.
Does not: what a rule hits (`exclusion_rules`), and what a hit does to a judgment (`analysis`).
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import ibis
import ibis.expr.types as ir

from data_contracts.specification import StudySpec
from data_contracts.tables import EXCLUSION_DECISIONS
from data_contracts.vocabulary import RaterKind, Scope
from juryline.derivations.attributes import check_attributes
from juryline.derivations.evidence import json_object
from juryline.derivations.exclusion_rules import RULES
from juryline.derivations.rule_hits import (
    JUDGMENT,
    NO_SUBMISSION,
    RATER,
    ROW,
    SUBMISSION,
    Given,
    Hits,
    refuse_unnamed,
)
from juryline.derivations.shape import in_shape, no_rows

READ_ANSWERS = frozenset({"uniform_answers", "gold", "spa_complement"})
_READ = (
    *("record_id", "judgment_id", "case_id", "candidate_1", "candidate_2", "criterion", "protocol", "state", "label"),
    *("value", "rubric_revision", "interface_revision", "phase", "item_kind", "gold_label", "rater_pseudonym"),
    *("population", "submission_id", "exposure", "started_at", "submitted_at", "export_path", "source_row"),
)
# What a condition can tell an outcome from: the answer, the systems, and the ids that are hashes of the answer.
_OUTCOMES = re.compile(
    r"\b(state|label|value|raw_label|gold_label|rationale|evidence_refs|candidate_\w+|output_\w+|record_id|judgment_id"
    r"|row_sha256|supersedes|columns)\b|\*",
    re.IGNORECASE,
)


def exclusion_decisions(
    history: ir.Table, attributes: ir.Table, spec: StudySpec, *, sql_hits: Callable[[Any], Iterable[str]]
) -> ir.Table:
    """Every hit of every exclusion rule on a current judgment of its populations.

    Parameters
    ----------
    history : ir.Table
        HISTORY.
    attributes : ir.Table
        ATTRIBUTES, the rows in force.
    spec : StudySpec
        Rules without `population` look at all human populations but adjudicators, whose judgments enter no analysis.
    sql_hits : callable
        Gives the record ids for which the condition of a `sql` rule is true, its `on_missing` already applied; ids
        outside the rule's populations are left aside.

    Returns
    -------
    ir.Table
        EXCLUSION_DECISIONS. `first` marks the rule declared first among those that hit a judgment.

    Raises
    ------
    RuleEvaluationError
        A rule lacks what it reads. It never counts as a rule without hits.
    GateError
        A rater has two values of one attribute.

    Notes
    -----
    Scope `judgment` removes the judgment hit (a ranking whole), `submission` all of its submission, `rater` all of its
    rater within the rule's populations. Rules about single judgments name in the evidence of a wider scope the
    judgment they hit, the one with the least record id where there are several.
    """
    if not spec.exclusions:
        return no_rows(EXCLUSION_DECISIONS)
    check_attributes(attributes)
    given = Given(attributes=attributes, spec=spec, sql_hits=sql_hits)
    every = ibis.union(*(_decided(place, rule, history, given) for place, rule in enumerate(spec.exclusions)))
    least = every.place.min().over(ibis.window(group_by=every.record_id))
    return in_shape(every.mutate(first=every.place == least), EXCLUSION_DECISIONS)


def outcome_dependent(spec: StudySpec) -> bool:
    """Whether an exclusion reads answers, labels or systems (METHODS 13, clause 6).

    Rules of kinds `spa_complement`, `uniform_answers` and `gold` do; a `sql` rule does where its text names a column
    that holds them, or an id that is a hash of them.
    """
    return any(
        rule.rule in READ_ANSWERS or (rule.rule == "sql" and _OUTCOMES.search(rule.where) is not None)
        for rule in spec.exclusions
    )


def looked_at(rule: Any, history: ir.Table, spec: StudySpec) -> ir.Table:
    """The current judgments of a rule's populations."""
    populations = rule.population or [
        population.id
        for population in spec.raters.populations
        if population.kind is RaterKind.HUMAN and not population.adjudicates
    ]
    return history.filter(history.current, history.population.isin(list(populations)))


def _decided(place: int, rule: Any, history: ir.Table, given: Given) -> ir.Table:
    judged = looked_at(rule, history, given.spec).select(*_READ)
    judged = judged.mutate(submission_id=judged.submission_id.fill_null(NO_SUBMISSION))
    hits = RULES[rule.rule](rule, judged, given)
    if hits.on == ROW:
        hits = _spread(hits, rule, judged)
    evidence = hits.table.select(*hits.on, evidence=json_object(hits.table, hits.figures))
    return judged.inner_join(evidence, list(hits.on)).select(
        "record_id",
        "evidence",
        exclusion_id=ibis.literal(rule.id),
        rule=ibis.literal(rule.rule),
        scope=ibis.literal(str(rule.scope)),
        place=ibis.literal(place, "int64"),
    )


def _spread(hits: Hits, rule: Any, judged: ir.Table) -> Hits:
    """Hits on rows, as hits on what the scope removes."""
    on = {Scope.JUDGMENT: JUDGMENT, Scope.SUBMISSION: SUBMISSION, Scope.RATER: RATER}[rule.scope]
    if rule.scope is Scope.SUBMISSION:
        refuse_unnamed(rule, judged)
    placed = hits.table.inner_join(judged.select(*ROW, *on), list(ROW))
    nth = ibis.row_number().over(ibis.window(group_by=[placed[name] for name in on], order_by=placed.record_id))
    first = placed.mutate(nth=nth, judgment=placed.record_id).filter(lambda t: t.nth == 0)
    named = hits.figures if rule.scope is Scope.JUDGMENT else ("judgment", *hits.figures)
    return Hits(table=first, on=on, figures=named)
