"""Comparisons with the lengths of the outputs that they showed, and which of two was the longer one.

Belongs here: which output of `output_lengths` a judgment was shown. Does not: any statistic of lengths.
"""

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir

from data_contracts.specification_analyses import LengthEffects, Recalibration
from data_contracts.vocabulary import Reason, Status
from juryline.analyses import comparisons
from juryline.estimators.quantity import Quantity

VIEW = "output_lengths"
NOT_RECORDED = Quantity.missing(Status.NOT_ESTIMABLE, Reason.LENGTH_NOT_RECORDED)

# A judgment that names no output is of the one output of its system for the case.
_LOOKED_UP = (
    f"SELECT case_id, system, coalesce(output, '') FROM {VIEW} WHERE length IS NOT NULL "
    f"UNION ALL SELECT case_id, system, '' FROM {VIEW} WHERE length IS NOT NULL AND alone"
)
BOTH_KNOWN = " AND ".join(
    f"(case_id, system_{place}, coalesce(output_{place}, '')) IN ({_LOOKED_UP})" for place in (1, 2)
)
"""SQL condition of comparisons of outputs whose lengths are known."""

FIRST_LONGER, SECOND_LONGER, NEITHER_LONGER = 1, 2, 0


def measured(analysis: LengthEffects | Recalibration, views: Mapping[str, ir.Table]) -> ir.Table:
    """The comparisons of `with_longer`, from the views that a method with lengths reads, by its threshold."""
    return with_longer(views[comparisons.VIEW], views[VIEW], analysis.threshold)


def with_longer(judgments: ir.Table, lengths: ir.Table, threshold: float) -> ir.Table:
    """Comparisons with the column `longer`: which place was longer, by more than the threshold.

    Parameters
    ----------
    judgments : ir.Table
        Rows of `comparisons`.
    lengths : ir.Table
        `output_lengths`.
    threshold : float
        In its unit; a difference of exactly this is none.

    Returns
    -------
    ir.Table
        `longer` is 1, 2, or 0 where neither is; null where a length is not known.
    """
    by_id = lengths.select("case_id", "system", "length", output=lengths.output.fill_null(""))
    by_case = lengths.filter(lengths.alone, lengths.output.notnull()).select(
        "case_id", "system", "length", output=ibis.literal("")
    )
    known = by_id.union(by_case).filter(ibis._.length.notnull())
    for place in (1, 2):
        one = known.rename(lambda name, place=place: f"of_{place}_{name}")
        shown = judgments[f"output_{place}"].fill_null("")
        judgments = judgments.left_join(
            one,
            [
                judgments.case_id == one[f"of_{place}_case_id"],
                judgments[f"system_{place}"] == one[f"of_{place}_system"],
                shown == one[f"of_{place}_output"],
            ],
        )
    difference = judgments.of_1_length - judgments.of_2_length
    longer = ibis.cases(
        (difference.isnull(), ibis.null("int64")),
        (difference > threshold, FIRST_LONGER),
        (-difference > threshold, SECOND_LONGER),
        else_=NEITHER_LONGER,
    )
    made_here = [name for name in judgments.columns if name.startswith(("of_1_", "of_2_"))]
    return judgments.mutate(longer=longer.cast("int64")).drop(*made_here)


def known_only(judgments: ir.Table) -> ir.Table:
    """The comparisons of `with_longer`, those with a length that is not known being no games."""
    outcome = ibis.ifelse(judgments.longer.notnull(), judgments.outcome, ibis.null("string"))
    return judgments.mutate(outcome=outcome)
