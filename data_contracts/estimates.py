"""One reported number: the row an analysis gives, and the identity it is traced by."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import quote

from data_contracts.vocabulary import State, Statistic, Status

ALL = "all"
FROZEN = "frozen"


def test_of(statistic: str) -> str:
    """Name of the test of a statistic: its own and `_t`."""
    return Statistic.SPA_T if statistic == Statistic.SPA_PREFERENCE else f"{statistic}_t"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Which judgments an estimate speaks of: one criterion, population and slice of one analysis."""

    analysis: str
    method: str
    criterion: str
    population: str
    slice: str = ALL
    slice_value: str = ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A row of `estimates` before the run stamps it with hashes and versions.

    Notes
    -----
    `value` is None unless `status` is ok; NaN and infinity are refused here, so none leaves an
    analysis. `states` counts the judgments the number could have been made from, by state.
    """

    cut: Cut
    subject: str
    subject_kind: str
    statistic: str
    unit: str
    status: Status
    value: float | None = None
    comparator: str | None = None
    reason: tuple[str, ...] = ()
    dimensions: Mapping[str, Any] = field(default_factory=dict)
    scenario: str = FROZEN
    std_error: float | None = None
    df: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float | None = None
    ci_method: str | None = None
    ci_status: Status | None = None
    ci_reason: tuple[str, ...] = ()
    null_value: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    correction: str | None = None
    family: str | None = None
    family_size: int | None = None
    n_judgments: int | None = None
    n_units: int | None = None
    n_cases: int | None = None
    n_raters: int | None = None
    n_clusters: int | None = None
    states: Mapping[State, int] = field(default_factory=dict)
    n_boot: int | None = None
    n_boot_failed: int | None = None
    seed: int | None = None
    declared: bool = True
    source: str = ""

    def __post_init__(self) -> None:
        if (self.value is not None) != (self.status is Status.OK):
            raise ValueError(f"{self.estimate_id}: status {self.status} with value {self.value}")
        for name in _NUMBERS:
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{self.estimate_id}: {name} is {number}")

    @property
    def estimate_id(self) -> str:
        """The path a number is traced by; parts are percent-encoded."""
        cut = self.cut
        sliced = ALL if cut.slice == ALL else f"{_part(cut.slice)}={_part(cut.slice_value)}"
        parts = [_part(cut.analysis), _part(cut.criterion), _part(cut.population), sliced, _part(self.subject)]
        if self.comparator is not None:
            parts.append(_part(self.comparator))
        parts.append(self.statistic)
        parts += [f"{_part(key)}={_part(str(value))}" for key, value in self.dimensions.items()]
        scenario = "" if self.scenario == FROZEN else f"@{self.scenario}"
        return "/".join(parts) + scenario

    def row(self) -> dict[str, Any]:
        """The columns of `estimates` that the analysis knows."""
        cut = self.cut
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("cut", "states")}
        return plain | {
            "estimate_id": self.estimate_id,
            "analysis": cut.analysis,
            "method": cut.method,
            "criterion": cut.criterion,
            "population": cut.population,
            "slice": cut.slice,
            "slice_value": cut.slice_value,
            "dimensions": json.dumps(dict(self.dimensions), ensure_ascii=False),
            "status": str(self.status),
            "reason": ";".join(sorted(set(self.reason))) or None,
            "ci_status": None if self.ci_status is None else str(self.ci_status),
            "ci_reason": ";".join(sorted(set(self.ci_reason))) or None,
            **{f"n_{state}": self.states.get(state, 0) if self.states else None for state in State},
        }


_NUMBERS = ("value", "std_error", "df", "ci_low", "ci_high", "ci_level", "null_value", "p_value", "p_adjusted")


def _part(text: str) -> str:
    # `*`, `+` and `.` carry meaning in an id (pooled criterion, pooled population, decimals) and stay.
    return quote(text, safe="*+.")
