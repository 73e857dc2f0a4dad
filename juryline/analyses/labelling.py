"""An estimator's result with its labels: one row of `estimates`.

Belongs here: copying a quantity, an interval and a test into the row's columns. Does not: deciding any of them.
"""

from collections.abc import Mapping
from typing import Any

from data_contracts.estimates import Cut, Estimate
from data_contracts.statistics import unit_of
from data_contracts.vocabulary import Reason, Statistic, Unit
from juryline.estimators.quantity import Interval, Quantity, Test

STUDY = "all"


def labelled(
    cut: Cut,
    statistic: Statistic,
    unit: Unit,
    quantity: Quantity,
    *,
    subject: str,
    source: str,
    subject_kind: str = "system",
    comparator: str | None = None,
    dimensions: Mapping[str, Any] | None = None,
    interval: Interval | None = None,
    test: Test | None = None,
    reason: tuple[Reason, ...] = (),
    **counts: Any,
) -> Estimate:
    """The row of one quantity.

    Parameters
    ----------
    interval : Interval, optional
        Put around the quantity. Absent: the statistic has none, and `ci_status` is null.
    test : Test, optional
        Whose p-value the row carries.
    reason : tuple of Reason
        What a reader must know, beside the quantity's own reasons.
    counts
        Further columns: `n_judgments`, `n_units`, `n_cases`, `n_raters`, `states`, `seed` ...

    Raises
    ------
    ValueError
        The method does not give the statistic, or not in this unit.
    """
    if unit_of(cut.method, statistic) not in (unit, None):
        raise ValueError(f"{cut.method}: {statistic} is in {unit_of(cut.method, statistic)}, not in {unit}")
    columns: dict[str, Any] = {}
    if interval is not None:
        columns |= {
            "std_error": interval.std_error,
            "df": interval.df,
            "ci_low": interval.low,
            "ci_high": interval.high,
            "ci_level": interval.level,
            "ci_method": interval.method,
            "ci_status": interval.status,
            "ci_reason": interval.reason,
            "n_clusters": interval.n_clusters,
            "n_boot": interval.n_boot,
            "n_boot_failed": interval.n_boot_failed,
            "seed": interval.seed,
        }
    if test is not None:
        columns |= {"null_value": test.null_value, "df": test.df, "p_value": test.p_value}
    return Estimate(
        cut=cut,
        subject=subject,
        subject_kind=subject_kind,
        comparator=comparator,
        statistic=statistic,
        unit=unit,
        status=quantity.status,
        value=quantity.value,
        reason=tuple(sorted({*quantity.reason, *reason})),
        dimensions=dict(dimensions or {}),
        source=source,
        **columns | counts,
    )
