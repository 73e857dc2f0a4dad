"""The batches of a judge's judgments over which its agreement may drift: months, or blocks as assigned (METHODS 11).

Belongs here: which batches there are, and which judgments are of one. Does not: what is computed of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import ibis
import ibis.expr.types as ir

from data_contracts.specification_analyses import JudgeAgreement
from juryline.analyses.cuts import sql_text

MONTH = "month"
_MONTH_SQL = "strftime(submitted_at AT TIME ZONE 'UTC', '%Y-%m')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    """Batches in their order: calendar months as they follow, or blocks as declared. The first is the one others are
    held against.
    """

    names: tuple[str, ...]
    by_month: bool

    @property
    def later(self) -> tuple[str, ...]:
        return self.names[1:]

    def place(self, judgments: ir.Table) -> ir.StringValue:
        """The place of a judgment's batch as text; null where it is of none."""
        places = [(name, str(place)) for place, name in enumerate(self.names)]
        return _batch(judgments, self.by_month).cases(*places, else_=ibis.null("string"))

    def condition(self, name: str) -> str:
        """SQL condition of a judgment of a batch."""
        return f"{_MONTH_SQL if self.by_month else 'assignment_block'} = {sql_text(name)}"


def batches_of(analysis: JudgeAgreement, judgments: Sequence[ir.Table]) -> Batches | None:
    """The batches of an analysis; None where it declares none.

    Parameters
    ----------
    judgments : sequence of ibis Table
        All the judge's judgments: months are those in which it judged anything, in UTC.
    """
    if analysis.batches is None:
        return None
    if analysis.batches != MONTH:
        return Batches(names=tuple(analysis.batches), by_month=False)
    months: set[str | None] = set()
    for part in judgments:
        months |= set(part.select(month=_batch(part, True)).distinct().to_pyarrow()["month"].to_pylist())
    return Batches(names=tuple(sorted(month for month in months if month is not None)), by_month=True)


def _batch(judgments: ir.Table, by_month: bool) -> ir.StringValue:
    return judgments.submitted_at.strftime("%Y-%m") if by_month else judgments.assignment_block
