"""What becomes of a contrast from scenario to scenario, on cells written out by hand (METHODS 12)."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from data_contracts.estimates import Cut, Estimate
from data_contracts.scenarios import Scenario
from data_contracts.vocabulary import Status
from juryline.analyses.sensitivity import Cell, sensitivity_rows

NONE = Scenario(exclusions="none")
WITHOUT_FAST, WITHOUT_SLOW = Scenario(exclusions="-fast"), Scenario(exclusions="-slow")
FROZEN = Scenario()


def cells(statistic: str, values: dict[Scenario, Any], *, unit: str = "scale", **place: Any) -> list[Cell]:
    """A cell a scenario; a pair of values is an estimate and the adjusted p-value of its test."""
    return [
        Cell(scenario=scenario, rows=[row.row() for row in _rows(statistic, unit, value, place)])
        for scenario, value in values.items()
    ]


def _rows(statistic: str, unit: str, value: Any, place: dict[str, Any]) -> Iterator[Estimate]:
    cut = Cut(analysis="a", method="likert", criterion="quality", population="crowd")
    known = {"cut": cut, "subject": "x", "comparator": "y", "subject_kind": "system", "source": "S"} | place
    value, p = value if isinstance(value, tuple) else (value, None)
    status = {"status": Status.UNDEFINED, "reason": ("one_category",)} if value is None else {"status": Status.OK}
    yield Estimate(statistic=statistic, unit=unit, value=value, **status, **known)
    if p is not None:
        tested = {"statistic": f"{statistic}_t", "unit": "t", "value": 1.0, "status": Status.OK}
        yield Estimate(**tested, **(p if isinstance(p, dict) else {"p_adjusted": p, "family": "f"}), **known)


def found(cells: list[Cell], alpha: float = 0.05) -> Callable[[str], Estimate]:
    rows = {row.statistic: row for row in sensitivity_rows(cells, alpha)}
    return lambda statistic: rows[statistic]


def test_a_sign_is_kept_in_the_cells_that_have_it_and_equality_to_the_null_is_no_sign():
    values = {FROZEN: 0.4, NONE: 0.1, WITHOUT_FAST: -0.2, WITHOUT_SLOW: 0.0, Scenario(labels="m"): None}
    of = found(cells("mean_difference", values))
    assert of("cells").value == 5
    assert of("cells_estimable").value == 4
    assert of("same_sign_share").value == 2 / 4
    assert (of("estimate_min").value, of("estimate_max").value) == (-0.2, 0.4)


@pytest.mark.parametrize(
    ("statistic", "unit", "null", "near", "off"),
    [
        # Three raters' differences of 1/3, 2/3 and -1 have the mean 0, and come to -1.85e-17.
        ("mean_difference", "scale", 0.0, -1.850371707708594e-17, 4.1e-9),
        ("mean_difference", "scale", 0.0, 3.9e-9, -4.1e-9),  # 1e-9 of the range of a scale from 1 to 5
        ("spa_preference", "probability", 0.5, 0.7 - 0.2, 0.5 + 1.1e-9),
        ("rating_difference", "elo", 0.0, 3.9e-7, 4.1e-7),
    ],
)
def test_rounding_makes_no_sign(statistic: str, unit: str, null: float, near: float, off: float):
    def of(values: dict[Scenario, Any]) -> Estimate:
        rows = sensitivity_rows(cells(statistic, values, unit=unit), 0.05, {"quality": 4.0})
        return next(row for row in rows if row.statistic == "same_sign_share")

    assert of({FROZEN: near, NONE: null + 1}).reason == ("at_null_value",)
    assert of({FROZEN: off, NONE: off, WITHOUT_FAST: near}).value == 2 / 3


def test_the_null_of_a_probability_is_one_half():
    assert found(cells("spa_preference", {FROZEN: 0.6, NONE: 0.4}))("same_sign_share").value == 0.5


@pytest.mark.parametrize(("frozen", "reason"), [(0.0, "at_null_value"), (None, "no_frozen_value")])
def test_without_a_sign_as_declared_there_is_none_to_keep(frozen: float | None, reason: str):
    row = found(cells("mean_difference", {FROZEN: frozen, NONE: 1.0}))("same_sign_share")
    assert (row.status, row.reason) == (Status.UNDEFINED, (reason,))


def test_significance_is_compared_at_the_decision_level_among_cells_with_a_p_value():
    values = {FROZEN: (1.0, 0.03), NONE: (1.0, 0.2), WITHOUT_FAST: (1.0, 0.049), WITHOUT_SLOW: 1.0}
    tested = cells("mean_difference", values)
    assert found(tested)("same_significance_share").value == 2 / 3
    assert found(tested, alpha=0.01)("same_significance_share").value == 1.0


def test_without_a_p_value_as_declared_there_is_no_significance_to_keep():
    row = found(cells("mean_difference", {FROZEN: 1.0, NONE: (1.0, 0.01)}))("same_significance_share")
    assert (row.status, row.reason) == (Status.UNDEFINED, ("no_frozen_value",))


def test_a_test_outside_every_family_is_taken_unadjusted():
    values = {FROZEN: (1.0, {"p_value": 0.03}), NONE: (1.0, {"p_value": 0.2})}
    assert found(cells("mean_difference_z", values))("same_significance_share").value == 0.5


def test_ranges_stay_within_one_tie_rule():
    values = {
        Scenario(ties="half"): 90.0,
        Scenario(exclusions="none", ties="half"): 80.0,
        Scenario(ties="davidson"): 190.0,
    }
    rows = sensitivity_rows(cells("rating_difference", values, unit="elo"), 0.05)
    assert {(row.statistic, row.dimensions["ties"]): row.value for row in rows if "ties" in row.dimensions} == {
        ("estimate_min", "half"): 80.0,
        ("estimate_max", "half"): 90.0,
        ("estimate_min", "davidson"): 190.0,
        ("estimate_max", "davidson"): 190.0,
    }


def test_a_tie_rule_under_which_no_cell_has_a_value_has_no_range():
    values = {Scenario(ties="half"): 90.0, Scenario(ties="davidson"): None}
    rows = sensitivity_rows(cells("rating_difference", values, unit="elo"), 0.05)
    assert {(row.statistic, row.status, row.reason) for row in rows if row.dimensions.get("ties") == "davidson"} == {
        (statistic, Status.NOT_ESTIMABLE, ("no_scenario_value",)) for statistic in ("estimate_min", "estimate_max")
    }


def test_agreement_has_a_range_and_no_sign():
    values = {FROZEN: -0.1, NONE: 0.3}
    rows = sensitivity_rows(cells("krippendorff_alpha", values, unit="coefficient", comparator=None), 0.05)
    assert {row.statistic: row.value for row in rows} == {
        "cells": 2,
        "cells_estimable": 2,
        "estimate_min": -0.1,
        "estimate_max": 0.3,
    }


@pytest.mark.parametrize(("comparator", "signed"), [("y", True), (None, False)])
def test_a_share_of_games_has_a_sign_between_two_systems_only(comparator: str | None, signed: bool):
    rows = sensitivity_rows(cells("win_rate_half", {FROZEN: 0.7}, unit="share", comparator=comparator), 0.05)
    assert ("same_sign_share" in {row.statistic for row in rows}) == signed


def test_a_scenario_that_lacks_the_criterion_is_no_cell_of_its_contrasts():
    without = Cell(scenario=Scenario(labels="m"), rows=[])
    assert found([*cells("mean_difference", {FROZEN: 1.0}), without])("cells").value == 1


def test_a_number_without_a_test_has_no_significance_and_raters_have_no_rows():
    rows = sensitivity_rows(cells("mean_difference", {FROZEN: 1.0}), 0.05)
    assert "same_significance_share" not in {row.statistic for row in rows}
    assert sensitivity_rows(cells("first_share_decisive", {FROZEN: 0.6}, subject_kind="rater"), 0.05) == []


def test_the_source_leads_to_every_judgment_behind_the_cells():
    found = cells("mean_difference", {FROZEN: 1.0}, source="FEW") + cells("mean_difference", {NONE: 1.0}, source="ALL")
    assert {row.source for row in sensitivity_rows(found, 0.05)} == {"ALL"}
    settled = cells("mean_difference", {Scenario(labels="m"): 1.0}, source="VOTES")
    assert {row.source for row in sensitivity_rows(found[:1] + settled, 0.05)} == {
        "SELECT record_id FROM (FEW) UNION SELECT record_id FROM (VOTES) ORDER BY record_id"
    }


def test_rows_name_what_they_speak_of():
    row, *_ = sensitivity_rows(cells("mean_difference", {FROZEN: 1.0}), 0.05)
    assert row.estimate_id == "a/quality/crowd/all/x/y/cells/of=mean_difference"
