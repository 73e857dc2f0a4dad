"""Gates of the protocol: what a study declared of its raters, held against what they did."""

import ibis.expr.types as ir

from data_contracts.errors import GateError
from data_contracts.specification import StudySpec
from juryline.derivations.shape import fetched

_SHOWN = 10


def repeat_raters(history: ir.Table, spec: StudySpec) -> list[str]:
    """Aliases of raters with several submissions, where raters are declared unique and no rule says what becomes of it.

    Returns
    -------
    list of str
        Sorted; empty where `raters.unique` is not declared or a `repeat_submission` rule is.
    """
    if not spec.raters.unique or any(rule.rule == "repeat_submission" for rule in spec.exclusions):
        return []
    current = history.filter(history.current, history.submission_id.notnull(), history.rater_kind == "human")
    submissions = current.group_by("population", "rater").agg(n=current.submission_id.nunique())
    repeated = submissions.filter(submissions.n > 1).select("rater").distinct().order_by("rater")
    return [row["rater"] for row in fetched(repeated)]


def check_unique(history: ir.Table, spec: StudySpec) -> None:
    """The gate of `raters.unique`.

    Raises
    ------
    GateError
        A rater submitted more than once, and no `repeat_submission` rule is declared.
    """
    repeated = repeat_raters(history, spec)
    if repeated:
        more = "" if len(repeated) <= _SHOWN else " ..."
        raise GateError(
            f"raters are declared unique, but {len(repeated)} submitted more than once: "
            + ", ".join(repeated[:_SHOWN])
            + more,
            where="study.yaml, raters.unique",
            fix="declare a `repeat_submission` exclusion, or `unique: false`",
            code="repeat_raters",
        )
