"""The rows of `estimates` as a report reads them: typed, ordered by id, each with its test beside it.

Belongs here: which row is the test of which. Does not: how a number looks.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pyarrow as pa

from data_contracts.estimates import ALL, FROZEN, test_of
from data_contracts.vocabulary import Statistic

TESTS = frozenset(s for s in Statistic if s.endswith("_t")) - {Statistic.LENGTH_T_SEED}

SENSITIVITY = frozenset(
    {
        Statistic.CELLS,
        Statistic.CELLS_ESTIMABLE,
        Statistic.SAME_SIGN_SHARE,
        Statistic.SAME_SIGNIFICANCE_SHARE,
        Statistic.ESTIMATE_MIN,
        Statistic.ESTIMATE_MAX,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A reported number, or why there is none. The columns are those of `estimates`."""

    estimate_id: str
    analysis: str
    method: str
    criterion: str
    population: str
    slice: str
    slice_value: str
    subject: str
    comparator: str | None
    statistic: str
    dimensions: Mapping[str, Any]
    scenario: str
    value: float | None
    unit: str
    status: str
    reason: str | None
    df: float | None
    ci_low: float | None
    ci_high: float | None
    ci_level: float | None
    ci_status: str | None
    ci_reason: str | None
    null_value: float | None
    p_value: float | None
    p_adjusted: float | None
    correction: str | None
    family_size: int | None
    n_judgments: int | None
    n_units: int | None
    n_cases: int | None
    n_raters: int | None
    primary: bool
    declared: bool
    outcome_dependent: bool

    @property
    def group(self) -> tuple[str, str, str, str]:
        """What it speaks of: criterion, population, slice and its value."""
        return self.criterion, self.population, self.slice, self.slice_value

    @property
    def sliced(self) -> bool:
        return self.slice != ALL

    @property
    def whole(self) -> bool:
        """Whether it belongs to the analysis as declared, not to a scenario of it."""
        return self.scenario == FROZEN and self.statistic not in SENSITIVITY

    @property
    def place(self) -> tuple[Any, ...]:
        """All that a number and its test share."""
        dimensions = tuple((key, str(value)) for key, value in self.dimensions.items())
        return self.analysis, *self.group, self.subject, self.comparator, dimensions, self.scenario


class Numbers:
    """All rows of `estimates`, to be looked up."""

    def __init__(self, table: pa.Table):
        names = [field.name for field in fields(Reported)]
        rows = sorted(table.select(names).to_pylist(), key=lambda row: row["estimate_id"])
        self.rows = tuple(Reported(**row | {"dimensions": json.loads(row["dimensions"])}) for row in rows)
        self._by_place = {(row.statistic, row.place): row for row in self.rows}
        self.any_declared = any(row.declared for row in self.rows)
        self._errors = {
            (row.analysis, row.group, row.scenario, row.subject): row.value
            for row in self.rows
            if row.statistic == Statistic.RATING_MC_ERROR and row.value is not None
        }

    def of(self, analysis: str) -> list[Reported]:
        """Rows of an analysis as declared, whole and sliced, no scenarios."""
        return [row for row in self.rows if row.analysis == analysis and row.whole]

    def sensitivity(self) -> list[Reported]:
        """What became of numbers under the declared scenarios."""
        return [row for row in self.rows if row.statistic in SENSITIVITY]

    def as_declared(self, row: Reported) -> Reported:
        """The number that a row of sensitivity speaks of."""
        *subject, dimensions, scenario = row.place
        kept = tuple(part for part in dimensions if part[0] not in ("of", "ties"))
        return self._by_place[row.dimensions["of"], (*subject, kept, scenario)]

    def beside(self, row: Reported, statistic: str) -> Reported | None:
        """Another statistic of the same subjects, of the same dimensions or, where it has none, of all."""
        *subject, dimensions, scenario = row.place
        labels = tuple(d for d in dimensions if d[0] == "label")
        places = ((*subject, some, scenario) for some in dict.fromkeys((dimensions, labels, ())))
        return next(filter(None, (self._by_place.get((statistic, place)) for place in places)), None)

    def monte_carlo_error(self, row: Reported) -> float | None:
        """The greater Monte-Carlo error of the two (or one) systems that a rating speaks of."""
        places = ((row.analysis, row.group, row.scenario, name) for name in (row.subject, row.comparator))
        return max((self._errors[place] for place in places if place in self._errors), default=None)

    def test_of(self, row: Reported) -> Reported | None:
        """The row that carries the p-value of this one."""
        return self.beside(row, test_of(row.statistic))

    def primary(self) -> Reported | None:
        """The one row that may head a report."""
        return next((row for row in self.rows if row.primary and row.statistic not in TESTS), None)


def without_tests(rows: Iterable[Reported]) -> list[Reported]:
    """Rows that stand for themselves; a test is shown beside what it tests."""
    kept = list(rows)
    tested = {(row.place, test_of(row.statistic)) for row in kept}
    return [row for row in kept if row.statistic not in TESTS or (row.place, row.statistic) not in tested]
