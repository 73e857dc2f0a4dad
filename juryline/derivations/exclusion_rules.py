"""The exclusion rules of DESIGN 3: each looks at the current judgments of its populations and says what it hits.

Belongs here: what a rule reads, when it cannot be evaluated, and the figures it leaves as evidence. Does not: how a
hit spreads over its scope and which hit names the reason, which is `exclusions`.

A rule that lacks what it reads is an error or is told what to do by `on_missing`; it never quietly hits nothing.
"""

import math
from collections.abc import Callable
from typing import Any

import ibis
import ibis.expr.types as ir

from data_contracts import specification_rules as declared
from data_contracts.tables import TEXT
from data_contracts.vocabulary import ItemKind, Scope, SetAside, State
from juryline.derivations.analysis import set_aside_reason
from juryline.derivations.attributes import attribute_of_raters
from juryline.derivations.rule_hits import (
    NO_SUBMISSION,
    RATER,
    ROW,
    SUBMISSION,
    VOTED,
    Given,
    Hits,
    exact,
    refuse_lacking,
    refuse_unnamed,
)
from juryline.derivations.shape import declared_rows
from juryline.derivations.spa_complement import spa_complement

_OR_SAY = ", or say what to do with `on_missing: keep` or `exclude`"


def rater_attribute(rule: declared.RaterAttribute, judged: ir.Table, given: Given) -> Hits:
    """Raters whose attribute is not one of the values to keep."""
    known = attribute_of_raters(given.attributes, rule.attribute)
    if rule.on_missing == "error":
        lack = f"attribute {rule.attribute}"
        refuse_lacking(rule, judged.anti_join(known, RATER), lack, "deliver it for every rater" + _OR_SAY)
    raters = judged.select(*RATER).distinct().left_join(known, RATER).drop("rater_pseudonym_right")
    hit = raters.value.notin(list(rule.keep)).fill_null(rule.on_missing == "exclude")
    table = raters.filter(hit).mutate(attribute=ibis.literal(rule.attribute))
    return Hits(table=table, on=RATER, figures=("attribute", "value"))


def repeat_submission(rule: declared.RepeatSubmission, judged: ir.Table, given: Given) -> Hits:
    """Submissions of raters who handed in more than one: all of them, all but the first, or all but the last.

    A submission was handed in at its latest `submitted_at`; at equal times the smaller id is the earlier. The one
    that is kept is not hit, whatever the scope.
    """
    _named(rule, judged)
    named = judged.filter(judged.submission_id != NO_SUBMISSION)
    handed_in = named.group_by(*SUBMISSION).agg(handed_in_at=named.submitted_at.max())
    per_rater = ibis.window(group_by=handed_in.rater_pseudonym)
    counted = handed_in.mutate(submissions=handed_in.submission_id.count().over(per_rater))
    repeated = counted.filter(counted.submissions > 1).mutate(keep=ibis.literal(rule.keep))
    if rule.keep != "none":
        timeless = judged.semi_join(repeated.filter(repeated.handed_in_at.isnull()), SUBMISSION)
        refuse_lacking(rule, timeless, "submitted_at", "map it, or set `keep: none`")
        order = [repeated.handed_in_at, repeated.submission_id]
        order = [column.desc() if rule.keep == "last" else column.asc() for column in order]
        place = ibis.row_number().over(ibis.window(group_by=repeated.rater_pseudonym, order_by=order))
        repeated = repeated.mutate(place=place).filter(lambda t: t.place > 0)
    return _with_unnamed(rule, judged, repeated, figures=("submissions", "keep"))


def incomplete_set(rule: declared.IncompleteSet, judged: ir.Table, given: Given) -> Hits:
    """Submissions, or raters, with fewer scored judgments than make a set.

    Scored are items of kind scored that are neither pilot nor of an earlier revision; a question left without an
    answer (state missing) does not make a set fuller.
    """
    reason = set_aside_reason(judged, given.spec)
    is_scored = (judged.item_kind == str(ItemKind.SCORED)) & (reason.isnull() | (reason == str(SetAside.ADJUDICATOR)))
    counted = judged.mutate(is_given=is_scored & (judged.state != str(State.MISSING)))
    if rule.of == "cases":
        refuse_lacking(rule, counted.filter(counted.is_given & counted.case_id.isnull()), "case", "set `of: judgments`")
    by_submission = rule.scope is Scope.SUBMISSION
    if by_submission:
        _named(rule, judged)
    unit = SUBMISSION if by_submission else RATER
    item = counted.case_id if rule.of == "cases" else counted.judgment_id
    sets = counted.group_by(*unit).agg(found=item.nunique(where=counted.is_given))
    sets = sets.mutate(expected=ibis.literal(rule.expected))
    short = sets.filter(sets.found < sets.expected)
    if by_submission:
        return _with_unnamed(rule, judged, short.filter(short.submission_id != NO_SUBMISSION), ("found", "expected"))
    return Hits(table=short, on=unit, figures=("found", "expected"))


def min_duration(rule: declared.MinDuration, judged: ir.Table, given: Given) -> Hits:
    """Judgments submitted sooner after their start than the least number of seconds; exactly that long is enough."""
    timeless = judged.started_at.isnull() | judged.submitted_at.isnull()
    if rule.on_missing == "error":
        refuse_lacking(rule, judged.filter(timeless), "started_at or submitted_at", "map both" + _OR_SAY)
    microseconds = judged.submitted_at.delta(judged.started_at, unit="microsecond")
    # m < x for a whole m is m < ceil(x), so that a duration is never compared as a double.
    hasty = microseconds < math.ceil(exact(rule.seconds) * 1_000_000)
    table = judged.filter(hasty.fill_null(rule.on_missing == "exclude"))
    table = table.select(*ROW, seconds=microseconds / 1_000_000, least_seconds=ibis.literal(rule.seconds))
    return Hits(table=table, on=ROW, figures=("seconds", "least_seconds"))


def uniform_answers(rule: declared.UniformAnswers, judged: ir.Table, given: Given) -> Hits:
    """Raters (of a submission, where that is the scope) who gave one answer throughout a criterion.

    Answers are answered, tie and both_fail; of a pair, what counts is the position chosen. Criteria, and revisions of
    the rubric, are looked at each by itself.
    """
    unit = _unit(rule, judged)
    answers = judged.filter(judged.state.isin(VOTED))
    if rule.criterion is not None:
        answers = answers.filter(answers.criterion.isin(list(rule.criterion)))
    answers = answers.mutate(answer=ibis.coalesce(answers.label, answers.state))
    given_answers = answers.group_by(*unit, "criterion", "rubric_revision").agg(
        answers=answers.count(), answer=answers.answer.min(), greatest=answers.answer.max()
    )
    uniform = given_answers.filter(
        (given_answers.answer == given_answers.greatest) & (given_answers.answers >= rule.min_answers)
    )
    order = ibis.window(group_by=[uniform[name] for name in unit], order_by=["criterion", "rubric_revision"])
    table = uniform.mutate(place=ibis.row_number().over(order)).filter(lambda t: t.place == 0)
    return Hits(table=table, on=unit, figures=("criterion", "answers", "answer"))


def gold(rule: declared.Gold, judged: ir.Table, given: Given) -> Hits:
    """Raters who answered too small a share of the gold items they saw as expected; items left open are not."""
    items = judged.filter(judged.item_kind == str(ItemKind.GOLD))
    refuse_lacking(rule, items.filter(items.gold_label.isnull()), "gold_label", "map it for gold items")
    if rule.on_missing == "error":
        refuse_lacking(rule, judged.anti_join(items, list(RATER)), "gold item", "limit it by `population`" + _OR_SAY)
    is_correct = items.state.isin(VOTED) & (ibis.coalesce(items.label, items.state) == items.gold_label)
    seen = items.group_by(*RATER).agg(gold_items=items.count(), correct=items.count(where=is_correct))
    raters = judged.select(*RATER).distinct().left_join(seen, list(RATER)).drop("rater_pseudonym_right")
    least = exact(rule.min_correct)
    too_few = raters.correct * least.denominator < raters.gold_items * least.numerator
    raters = raters.filter(too_few.fill_null(rule.on_missing == "exclude"))
    raters = raters.mutate(min_correct=ibis.literal(rule.min_correct), gold_items=raters.gold_items.fill_null(0))
    return Hits(table=raters, on=RATER, figures=("gold_items", "correct", "min_correct"))


def sql(rule: declared.SqlRule, judged: ir.Table, given: Given) -> Hits:
    """Judgments for which the declared condition is true, as the sandbox that may run it reports them."""
    hits = declared_rows([("record_id", TEXT)], [(record,) for record in sorted(set(given.sql_hits(rule)))])
    return Hits(table=hits.mutate(where=ibis.literal(rule.where)), on=ROW, figures=("where",))


RULES: dict[str, Callable[[Any, ir.Table, Given], Hits]] = {
    "rater_attribute": rater_attribute,
    "repeat_submission": repeat_submission,
    "incomplete_set": incomplete_set,
    "min_duration": min_duration,
    "uniform_answers": uniform_answers,
    "gold": gold,
    "spa_complement": spa_complement,
    "sql": sql,
}


def _unit(rule: Any, judged: ir.Table) -> tuple[str, ...]:
    """Over what a rule about a set of judgments takes its figures: what it removes, at least a submission."""
    if rule.scope is not Scope.SUBMISSION:
        return RATER
    refuse_unnamed(rule, judged)
    return SUBMISSION


def _named(rule: Any, judged: ir.Table) -> None:
    if rule.on_missing == "error":
        refuse_unnamed(rule, judged, fix="map `columns.submission_id`" + _OR_SAY)


def _with_unnamed(rule: Any, judged: ir.Table, hits: ir.Table, figures: tuple[str, ...]) -> Hits:
    """Hits on submissions and, where missing ids exclude, on each rater's judgments that have none."""
    table = hits.select(*SUBMISSION, *figures)
    if rule.on_missing == "exclude":
        unnamed = judged.filter(judged.submission_id == NO_SUBMISSION).select(*SUBMISSION).distinct()
        schema = table.schema()
        table = table.union(unnamed.mutate(**{name: ibis.null(schema[name]) for name in figures}))
    return Hits(table=table, on=SUBMISSION, figures=figures)
