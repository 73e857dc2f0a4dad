"""Conditions of `sql` exclusion rules: evaluated in the same child process as mapping queries."""

from collections.abc import Callable, Iterable
from typing import Any

import ibis.expr.types as ir

from data_contracts.errors import RuleEvaluationError
from juryline.study.run import StudyRun


def sql_hits(study: StudyRun, history: ir.Table) -> Callable[[Any], Iterable[str]]:
    """Gives the record ids for which the `where` of a rule is true; a null condition is `on_missing`'s matter."""
    from juryline.adapters.sandbox import matching_rows
    from juryline.derivations.exclusions import looked_at

    def hits(rule: Any) -> Iterable[str]:
        rows = study.engine.backend.to_pyarrow(looked_at(rule, history, study.spec)).sort_by("record_id")

        def where(condition: str) -> list[str]:
            try:
                return matching_rows(rows, condition, "record_id", scratch=study.scratch)
            except RuleEvaluationError as error:
                raise RuleEvaluationError(
                    f"exclusion {rule.id} could not be evaluated: {error.what}",
                    where=f"study.yaml, exclusions: {rule.id}",
                    fix=error.fix or "correct its `where`. Nothing was written.",
                ) from None

        unknown = where(f"({rule.where}\n) IS NULL")  # the line break ends a comment of the condition
        if unknown and rule.on_missing == "error":
            raise RuleEvaluationError(
                f"exclusion {rule.id} is neither true nor false for {len(unknown)} judgments",
                where=f"study.yaml, exclusions: {rule.id}",
                fix="write what a missing value means into `where`, or set `on_missing: keep` or `exclude`",
            )
        return [*where(rule.where), *(unknown if rule.on_missing == "exclude" else [])]

    return hits
