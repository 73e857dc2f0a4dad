import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.matched import (
    Ratings,
    estimate_difference,
    estimate_superiority,
    estimate_unpaired_difference,
    match_cells,
    match_raters,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "likert.json").read_text())
PAIRS = GOLDEN["pairs"]
X, Y = 0, 1
SCALE = {"level": 0.95, "scale_range": 4.0, "bounds": (-4.0, 4.0)}


def ratings(rows, units="rater"):
    """Rows of (rater, case, system, value), or with an output in addition."""
    columns = [np.array(column) for column in zip(*(row if len(row) == 5 else (*row, 0) for row in rows))]
    rater, case, system = (np.unique(column, return_inverse=True)[1] for column in columns[:3])
    return Ratings(
        rater=rater,
        item=case,
        system=system,
        output=columns[4].astype(int),
        value=columns[3].astype(float),
        units={"rater": (rater,), "case": (case,), "both": (rater, case)}[units],
    )


def worked(units="rater"):
    cells = zip(PAIRS["rater"], PAIRS["case"], PAIRS["x"], PAIRS["y"])
    return ratings([row for r, c, x, y in cells for row in ((r, c, "X", x), (r, c, "Y", y))], units)


def test_worked_difference_weighs_raters_equally():
    result = estimate_difference(match_cells(worked(), X, Y), **SCALE)

    found = {
        "difference": result.difference.value,
        "t": result.test.statistic.value,
        "p": result.test.p_value,
        "low": result.interval.low,
        "high": result.interval.high,
    }
    for name, expected in PAIRS["expected"].items():
        assert found[name] == pytest.approx(expected, abs=PAIRS["tolerance"][name]), name
    assert (result.n_units, result.n_pairs) == (3, 5)


def test_worked_difference_over_both_dimensions_weighs_cells_equally():
    result = estimate_difference(match_cells(worked("both"), X, Y), **SCALE)

    assert result.difference.value == pytest.approx(PAIRS["cell_weighted"])
    assert result.n_units == 2


def test_two_way_difference_has_the_worked_variance():
    golden = GOLDEN["two_way"]
    rows = [
        row
        for r, c, d in zip(golden["rater"], golden["case"], golden["differences"])
        for row in ((r, c, "X", 3 + d), (r, c, "Y", 3))
    ]

    result = estimate_difference(match_cells(ratings(rows, "both"), X, Y), **SCALE)

    assert result.difference.value == pytest.approx(golden["expected"]["mean"])
    assert result.interval.std_error**2 == pytest.approx(golden["expected"]["variance"], abs=golden["tolerance"])
    assert result.test.df == golden["expected"]["df"]
    assert result.test.statistic.value == pytest.approx(1 / 0.18**0.5)


def test_worked_superiority():
    result = estimate_superiority(match_cells(worked(), X, Y), level=0.95, scale_range=4)

    assert result.difference.value == pytest.approx(PAIRS["superiority"])


def test_difference_over_raters_is_a_paired_t_test_of_their_means():
    rng = np.random.default_rng(4)
    scores = rng.integers(1, 6, size=(2, 12, 5))
    rows = [(r, c, "XY"[s], scores[s, r, c]) for s in range(2) for r in range(12) for c in range(5)]

    result = estimate_difference(match_cells(ratings(rows), X, Y), **SCALE)

    theirs = stats.ttest_rel(*scores.mean(axis=2))
    assert result.test.statistic.value == pytest.approx(theirs.statistic, rel=1e-10)
    assert result.test.p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    assert result.interval.low == pytest.approx(theirs.confidence_interval().low, rel=1e-10)


def test_difference_over_cases_is_a_paired_t_test_of_their_means():
    rng = np.random.default_rng(5)
    scores = rng.integers(1, 6, size=(2, 4, 15))
    rows = [(r, c, "XY"[s], scores[s, r, c]) for s in range(2) for r in range(4) for c in range(15)]

    result = estimate_difference(match_cells(ratings(rows, "case"), X, Y), **SCALE)

    assert result.test.p_value == pytest.approx(stats.ttest_rel(*scores.mean(axis=1)).pvalue, rel=1e-10)
    assert result.test.df == 14


def test_repeats_of_an_output_are_averaged_before_outputs():
    rows = [("a", 1, "X", 1, 0), ("a", 1, "X", 1, 0), ("a", 1, "X", 4, 1), ("a", 1, "Y", 1, 0)]

    matched = match_cells(ratings(rows), X, Y)

    assert (matched.x.tolist(), matched.y.tolist()) == ([2.5], [1.0])


def test_only_judgments_of_matched_cells_enter():
    rows = [("a", 1, "X", 5), ("a", 1, "Y", 4), ("a", 2, "X", 5), ("b", 1, "Y", 1), ("b", 1, "Z", 1)]

    assert match_cells(ratings(rows), X, Y).judgments.tolist() == [True, True, False, False, False]


def test_no_shared_case_is_insufficient_by_cells_and_matched_by_raters():
    rows = [
        (r, f"{r}{s}", s, v) for r, x, y in (("a", 5, 3), ("b", 4, 3), ("c", 4, 1)) for s, v in (("X", x), ("Y", y))
    ]

    by_cells = estimate_difference(match_cells(ratings(rows), X, Y), **SCALE)
    by_raters = estimate_difference(match_raters(ratings(rows), X, Y), **SCALE)

    assert (by_cells.difference.status, by_cells.difference.reason) == (
        Status.INSUFFICIENT,
        (Reason.NO_MATCHED_PAIRS,),
    )
    assert by_cells.test.p_value is None
    assert by_raters.difference.value == pytest.approx(2)
    assert by_raters.test.p_value == pytest.approx(stats.ttest_1samp([2, 1, 3], 0).pvalue, rel=1e-10)


@pytest.mark.parametrize("units", ["rater", "both"])
def test_one_rater_is_too_few(units):
    rows = [("a", c, s, v) for c in range(5) for s, v in (("X", 5), ("Y", c % 3))]

    result = estimate_difference(match_cells(ratings(rows, units), X, Y), **SCALE)

    assert (result.difference.status, result.difference.reason) == (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,))
    assert result.n_pairs == 5


@pytest.mark.parametrize("units", ["rater", "case", "both"])
def test_equal_differences_are_degenerate(units):
    rows = [(r, c, s, v) for r in range(3) for c in range(3) for s, v in (("X", 0.1 + 0.2 + r), ("Y", 0.2 + r))]

    result = estimate_difference(match_cells(ratings(rows, units), X, Y), **SCALE)

    assert result.difference.value == pytest.approx(0.1)
    assert (result.test.statistic.status, result.test.p_value) == (Status.DEGENERATE, None)
    assert result.interval.status is Status.DEGENERATE


def test_what_rounding_sets_apart_is_a_tie():
    rows = [(r, 1, s, v) for r in range(2) for s, v in (("X", 0.1 + 0.2), ("Y", 0.3))]

    result = estimate_superiority(match_cells(ratings(rows), X, Y), level=0.95, scale_range=1)

    assert result.difference.value == 0.5


def test_between_designs_compare_the_raters_of_each_system():
    x, y = [[5, 4], [3, 3], [5, 5], [4, 2]], [[1, 2], [3, 2], [2, 2]]
    rows = [(f"x{r}", c, "X", v) for r, values in enumerate(x) for c, v in enumerate(values)]
    rows += [(f"y{r}", c, "Y", v) for r, values in enumerate(y) for c, v in enumerate(values)]

    result = estimate_unpaired_difference(ratings(rows), X, Y, **SCALE)

    theirs = stats.ttest_ind(np.mean(x, axis=1), np.mean(y, axis=1), equal_var=False)
    assert result.test.statistic.value == pytest.approx(theirs.statistic, rel=1e-10)
    assert result.test.df == pytest.approx(theirs.df, rel=1e-10)
    assert result.test.p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    expected = theirs.confidence_interval()
    assert (result.interval.low, result.interval.high) == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_between_designs_need_two_raters_a_system():
    rows = [("a", 1, "X", 5), ("b", 1, "Y", 4), ("c", 1, "Y", 2)]

    result = estimate_unpaired_difference(ratings(rows), X, Y, **SCALE)

    assert result.difference.status is Status.INSUFFICIENT


def test_between_designs_with_equal_raters_are_degenerate():
    rows = [(f"{s}{r}", 1, s, v) for s, v in (("X", 5), ("Y", 4)) for r in range(3)]

    result = estimate_unpaired_difference(ratings(rows), X, Y, **SCALE)

    assert result.difference.value == 1
    assert result.test.statistic.status is Status.DEGENERATE


def test_exchanged_systems_change_the_sign_and_nothing_else():
    one, other = (estimate_difference(match_cells(worked(), *pair), **SCALE) for pair in ((X, Y), (Y, X)))

    assert other.difference.value == pytest.approx(-one.difference.value)
    assert other.test.p_value == pytest.approx(one.test.p_value)


def test_a_value_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="value must be finite"):
        ratings([("a", 1, "X", float("nan")), ("a", 1, "Y", 1)])
