"""What an exclusion rule is given, what it gives back, and how it refuses when it cannot be evaluated."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import ibis.expr.types as ir

from data_contracts.errors import RuleEvaluationError
from data_contracts.specification import StudySpec
from data_contracts.vocabulary import State
from juryline.derivations.shape import fetched

ROW = ("record_id",)
JUDGMENT = ("judgment_id",)
SUBMISSION = ("rater_pseudonym", "submission_id")
RATER = ("rater_pseudonym",)
NO_SUBMISSION = ""  # as text, so that joins and groups see it
VOTED = [str(State.ANSWERED), str(State.TIE), str(State.BOTH_FAIL)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What rules read beside the judgments; `sql_hits` runs the condition of a `sql` rule in the sandbox."""

    attributes: ir.Table
    spec: StudySpec
    sql_hits: Callable[[Any], Iterable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """What a rule hit: one row of `table` for each value of the columns `on`, with `figures` as evidence."""

    table: ir.Table
    on: tuple[str, ...]
    figures: tuple[str, ...]


def refuse_lacking(rule: Any, lacking: ir.Table, lack: str, fix: str) -> None:
    """Stop where any judgment lacks what the rule reads.

    Raises
    ------
    RuleEvaluationError
        With how many judgments and raters, and the first row of an export among them.
    """
    n = fetched(lacking.agg(judgments=lacking.count(), raters=lacking.rater_pseudonym.nunique()))[0]
    if n["judgments"] == 0:
        return
    first = fetched(lacking.order_by("export_path", "source_row", "record_id").limit(1))[0]
    raise not_evaluated(
        rule,
        f"{n['judgments']} judgments of {n['raters']} raters have no {lack}",
        fix,
        first=f"; the first is {first['export_path']}, row {first['source_row']}",
    )


def refuse_unnamed(rule: Any, judged: ir.Table, *, fix: str = "map `columns.submission_id`") -> None:
    """Stop where any judgment has no submission id."""
    refuse_lacking(rule, judged.filter(judged.submission_id == NO_SUBMISSION), "submission_id", fix)


def not_evaluated(rule: Any, why: str, fix: str, first: str = "") -> RuleEvaluationError:
    return RuleEvaluationError(
        f"exclusion {rule.id} ({rule.rule}) cannot be evaluated: {why}",
        where=f"study.yaml, exclusions, {rule.id}{first}",
        fix=fix,
        code="rule_not_evaluated",
    )


def exact(number: float) -> Fraction:
    """The decimal that was written, not the double nearest to it."""
    return Fraction(Decimal(repr(number)))
