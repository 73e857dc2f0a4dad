"""What every estimator returns: a value or the reason for none, an interval, a test.

Belongs here: the three result types all methods share. Does not: how any of them is computed.
"""

from dataclasses import dataclass

from data_contracts.vocabulary import Reason, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number, or the status and reasons why there is none. `value` is a float only if status is ok."""

    value: float | None
    status: Status
    reason: tuple[Reason, ...] = ()

    @classmethod
    def of(cls, value: float, *reason: Reason) -> "Quantity":
        return cls(value=float(value), status=Status.OK, reason=reason)

    @classmethod
    def missing(cls, status: Status, *reason: Reason) -> "Quantity":
        return cls(value=None, status=status, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An interval of one estimate, or the status and reasons why there is none.

    `status` ok may come with a reason, such as few_clusters, that a reader must see.
    """

    status: Status
    level: float
    method: str
    low: float | None = None
    high: float | None = None
    std_error: float | None = None
    df: float | None = None
    n_clusters: int | None = None
    reason: tuple[Reason, ...] = ()
    n_boot: int | None = None
    n_boot_failed: int | None = None
    seed: int | None = None

    def without(self, missing: Quantity) -> "Interval":
        """What stands in its place where the estimate has no value after all."""
        return Interval(
            status=missing.status,
            level=self.level,
            method=self.method,
            reason=missing.reason,
            n_clusters=self.n_clusters,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A two-sided test: its statistic with the null value, degrees of freedom and p-value."""

    statistic: Quantity
    null_value: float
    df: float | None = None
    p_value: float | None = None
