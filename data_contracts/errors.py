"""The one tree of errors a user can meet. Each carries a stable code, where it happened and the mend.

    JurylineError
    |- UsageError            exit 2: the call itself is wrong
    |- SpecificationError    exit 2: study.yaml is broken, or edited since it was frozen
    |- KeyMismatchError      exit 2: another workspace's key
    |- ExportRefusedError    exit 1: an export cannot be accepted whole
    |- ContractError         exit 1: data that reached a table breaks its contract
    |- GateError             exit 1: a protocol gate or the row accounting does not hold
    |- RuleEvaluationError   exit 1: a declared rule could not be evaluated
    |- VerificationError     exit 1: stored bytes differ from what was recorded
    `- TryAgainError         exit 3: run again
       |- LockHeldError      another run holds the study's lock
       `- ConflictError      another writer kept winning the ledger's compare-and-swap

Anything else that escapes is a bug, and is shown as one.
"""

from typing import Any


class JurylineError(Exception):
    """What broke, where, and how to mend it in something that can be typed.

    Parameters
    ----------
    what : str
        What broke: the rule, the value, the count. Never a rater's text or raw id.
    where : str
        File and row, key and line, or argument.
    fix : str
        What to type or change.
    code : str
        Stable name of the failure, for machines.
    """

    exit_status = 1

    def __init__(self, what: str, *, where: str = "", fix: str = "", code: str = ""):
        self.what = what
        self.where = where
        self.fix = fix
        self.code = code or type(self).__name__.removesuffix("Error").lower()
        lines = [what]
        if where:
            lines.append(f"  where: {where}")
        if fix:
            lines.append(f"  fix:   {fix}")
        super().__init__("\n".join(lines))


class UsageError(JurylineError):
    exit_status = 2


class SpecificationError(JurylineError):
    """`problems` holds each error of the specification with line, column, key, what and fix."""

    exit_status = 2
    problems: tuple[Any, ...] = ()


class KeyMismatchError(JurylineError):
    exit_status = 2


class ExportRefusedError(JurylineError):
    exit_status = 1


class ContractError(JurylineError):
    exit_status = 1


class GateError(JurylineError):
    exit_status = 1


class RuleEvaluationError(JurylineError):
    exit_status = 1


class VerificationError(JurylineError):
    exit_status = 1


class TryAgainError(JurylineError):
    exit_status = 3


class LockHeldError(TryAgainError):
    pass


class ConflictError(TryAgainError):
    pass
