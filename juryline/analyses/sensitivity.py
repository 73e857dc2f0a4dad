"""`sensitivity` of a specification: what becomes of each contrast from scenario to scenario (METHODS 12).

Belongs here: comparing the rows of the cells. Does not: making them (`juryline.study.sensitivity`). The shares are
descriptive: cells share their judgments, so nothing is tested.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from data_contracts.estimates import Cut, Estimate, test_of
from data_contracts.scenarios import EVERY_RULE, NO_RULE, Scenario
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.labelling import labelled
from juryline.estimators.cluster_variance import RELATIVE_TOLERANCE
from juryline.estimators.quantity import Quantity

S = Statistic
NULLS: dict[str, float] = {
    S.SPA_PREFERENCE: 0.5,
    S.MEAN_DIFFERENCE: 0.0,
    S.MEAN_DIFFERENCE_Z: 0.0,
    S.SUPERIORITY: 0.5,
    S.ORDINAL_LOG_ODDS: 0.0,
    S.ORDINAL_LOG_ODDS_CONDITIONAL: 0.0,
    S.SHARE_DIFFERENCE: 0.0,
    S.RATING_DIFFERENCE: 0.0,
    S.FIRST_SHARE_DECISIVE: 0.5,
    S.FIRST_ADVANTAGE: 0.5,
    S.LENGTH_CONTRAST: 0.0,
    S.LONGER_WINS: 0.5,
    S.JUDGE_MINUS_HUMAN: 0.0,
    S.DRIFT: 0.0,
}
NULLS_OF_PAIRS: dict[str, float] = {S.WIN_RATE_DECISIVE: 0.5, S.WIN_RATE_HALF: 0.5}
WITHOUT_SIGN = (S.WIN_RATE, S.PASS_RATE, S.MEAN, S.RATING, S.RAW_AGREEMENT)
"""Numbers without a null value, whose range is told; coefficients of agreement too."""

RANGE_OF_UNIT: dict[str, float] = {Unit.ELO: 400.0}
"""Of numbers on no scale of responses, what is large; 1 for chances, shares and log odds."""

_NONE = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NO_SCENARIO_VALUE)

Row = Mapping[str, Any]
Place = tuple[Any, ...]
Sign = Callable[[float], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The rows of an analysis under one scenario, as columns of `estimates`."""

    scenario: Scenario
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A contrast in one cell: its value and the p-value of its test, adjusted within a family, where they exist."""

    ties: str | None
    value: float | None
    tested: bool
    p: float | None


def sensitivity_rows(
    cells: Sequence[Cell], alpha: float, ranges: Mapping[str, float] = MappingProxyType({})
) -> list[Estimate]:
    """What becomes of each number of an analysis under its scenarios.

    Parameters
    ----------
    cells : sequence of Cell
        The frozen one first. Cells of equal judgments and tie rule are given once.
    alpha : float
        Decision level.
    ranges : mapping of criterion id to float
        Largest minus smallest response of the criteria that declare both.

    Returns
    -------
    list of Estimate
        For each contrast of the frozen cell: `cells` and `cells_estimable`; where it has a null value,
        `same_sign_share` (undefined, at_null_value or no_frozen_value); where it has a test,
        `same_significance_share` (undefined, no_frozen_value); and for each tie rule `estimate_min` and `estimate_max`,
        (not_estimable, no_scenario_value). Ratings under different tie rules are on different scales.

    Notes
    -----
    same_sign_share = estimable cells in which estimate - null has the sign of the frozen cell / estimable cells; an
    estimate equal to the null, but for what rounding can do (1e-9 of the range of its scale), has no sign.
    same_significance_share = cells in which p < alpha as in the frozen cell / cells with a p-value, p adjusted where
    the test is of a family.
    """
    by_place = [{_place(row): row for row in cell.rows} for cell in cells]
    rows: list[Estimate] = []
    for place, frozen in by_place[0].items():
        null = _null(frozen)
        if frozen["subject_kind"] == "rater" or (null is None and not _has_range(frozen)):
            continue
        tolerance = RELATIVE_TOLERANCE * _scale_range(frozen, ranges)
        seen = [_seen(cell.scenario, rows_of_cell, place) for cell, rows_of_cell in zip(cells, by_place)]
        source = _source([(cell.scenario, rows_of_cell.get(place)) for cell, rows_of_cell in zip(cells, by_place)])
        sign = None if null is None else partial(_sign, null=null, tolerance=tolerance)
        rows += _contrast_rows({**frozen, "source": source}, [cell for cell in seen if cell is not None], sign, alpha)
    return rows


def _contrast_rows(frozen: Row, cells: list[_Seen], sign: Sign | None, alpha: float) -> Iterator[Estimate]:
    estimable = [cell for cell in cells if cell.value is not None]
    row = _labels(frozen)
    yield row(S.CELLS, Unit.COUNT, Quantity.of(len(cells)))
    yield row(S.CELLS_ESTIMABLE, Unit.COUNT, Quantity.of(len(estimable)))
    if sign is not None:
        yield row(S.SAME_SIGN_SHARE, Unit.SHARE, _same_sign(cells[0], estimable, sign))
    if any(cell.tested for cell in cells):
        yield row(S.SAME_SIGNIFICANCE_SHARE, Unit.SHARE, _same_significance(cells, alpha))
    for ties in dict.fromkeys(cell.ties for cell in cells):
        values = [cell.value for cell in estimable if cell.ties == ties and cell.value is not None]
        under = {} if ties is None else {"ties": ties}
        for statistic, extreme in ((S.ESTIMATE_MIN, min), (S.ESTIMATE_MAX, max)):
            yield row(statistic, Unit(frozen["unit"]), Quantity.of(extreme(values)) if values else _NONE, **under)


def _labels(frozen: Row) -> Callable[..., Estimate]:
    cut = Cut(
        **{name: frozen[name] for name in ("analysis", "method", "criterion", "population", "slice", "slice_value")}
    )

    def row(statistic: Statistic, unit: Unit, quantity: Quantity, **dimensions: str) -> Estimate:
        return labelled(
            cut,
            statistic,
            unit,
            quantity,
            subject=frozen["subject"],
            subject_kind=frozen["subject_kind"],
            comparator=frozen["comparator"],
            dimensions={"of": frozen["statistic"]} | json.loads(frozen["dimensions"]) | dimensions,
            source=frozen["source"],
        )

    return row


def _null(row: Row) -> float | None:
    of_pair = NULLS_OF_PAIRS.get(row["statistic"]) if row["comparator"] is not None else None
    return NULLS.get(row["statistic"], of_pair)


def _scale_range(row: Row, ranges: Mapping[str, float]) -> float:
    return ranges.get(row["criterion"], 1.0) if row["unit"] == Unit.SCALE else RANGE_OF_UNIT.get(row["unit"], 1.0)


def _sign(value: float, *, null: float, tolerance: float) -> int:
    return 0 if abs(value - null) <= tolerance else 1 if value > null else -1


def _has_range(row: Row) -> bool:
    return row["statistic"] in WITHOUT_SIGN or row["unit"] == Unit.COEFFICIENT


def _place(row: Row) -> Place:
    named = ("criterion", "population", "slice", "slice_value", "subject", "comparator", "dimensions")
    return (row["statistic"], *(row[name] for name in named))


def _seen(scenario: Scenario, rows: Mapping[Place, Row], place: Place) -> _Seen | None:
    row = rows.get(place)
    if row is None:
        return None
    test = rows.get((test_of(place[0]), *place[1:]))
    p = None if test is None else test["p_value"] if test["family"] is None else test["p_adjusted"]
    return _Seen(ties=scenario.ties, value=row["value"], tested=test is not None, p=p)


def _source(cells: Sequence[tuple[Scenario, Row | None]]) -> str:
    """A query of every judgment behind the cells of a number; without exclusions a cell holds those of all others."""
    known = [(scenario.exclusions, row["source"]) for scenario, row in cells if row is not None]
    widest = NO_RULE if any(exclusions == NO_RULE for exclusions, _ in known) else EVERY_RULE
    queries = dict.fromkeys(source for exclusions, source in known if exclusions == widest)
    union = " UNION ".join(f"SELECT record_id FROM ({query})" for query in queries)
    return f"{union} ORDER BY record_id" if len(queries) > 1 else next(iter(queries))


def _same_sign(frozen: _Seen, estimable: list[_Seen], sign: Sign) -> Quantity:
    if frozen.value is None:
        return Quantity.missing(Status.UNDEFINED, Reason.NO_FROZEN_VALUE)
    if sign(frozen.value) == 0:
        return Quantity.missing(Status.UNDEFINED, Reason.AT_NULL_VALUE)
    same = sum(sign(cell.value) == sign(frozen.value) for cell in estimable if cell.value is not None)
    return Quantity.of(same / len(estimable))


def _same_significance(cells: list[_Seen], alpha: float) -> Quantity:
    frozen = cells[0].p
    tested = [cell.p for cell in cells if cell.p is not None]
    if frozen is None:
        return Quantity.missing(Status.UNDEFINED, Reason.NO_FROZEN_VALUE)
    return Quantity.of(sum((p < alpha) == (frozen < alpha) for p in tested) / len(tested))
