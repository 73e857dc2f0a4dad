"""Kendall's W against its worked example, scipy's Friedman test and its own definition (METHODS 7.7)."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, rankdata

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.agreement_coefficient import estimate_coefficient
from juryline.estimators.agreement_interval import Resampling, estimate_with_intervals
from juryline.estimators.agreement_units import tally_ratings
from juryline.estimators.kendall_w import KendallW

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement.json").read_text())["kendall_w"]
RESAMPLING = Resampling(level=0.95, rounds=200, seed=1, analysis="a", percentile=False, random_raters=False)


def coded(cases):
    """Ratings whose labels are whole rankings, of cases that are tables of ranks, raters x systems."""
    rows = [(case, rater, ranks) for case, table in enumerate(cases) for rater, ranks in enumerate(table)]
    centred = np.array([rankdata(ranks) - (len(ranks) + 1) / 2 for _, _, ranks in rows])
    distinct, label = np.unique(centred, axis=0, return_inverse=True)
    unit, rater = (np.array([row[place] for row in rows]) for place in (0, 1))
    ones = np.ones(len(rows), dtype=int)
    ratings = tally_ratings(
        unit, rater, label.reshape(-1), ones, n_units=len(cases), n_raters=rater.max() + 1, n_labels=len(distinct)
    )
    return ratings, KendallW(centred=distinct)


def concordance(cases):
    ratings, coefficient = coded(cases)
    return estimate_coefficient(coefficient, ratings)


def friedman(table):
    """W = chi^2/(m (k - 1)), with scipy's correction for ties."""
    table = np.array(table)
    return friedmanchisquare(*table.T).statistic / (table.shape[0] * (table.shape[1] - 1))


def test_the_worked_example():
    found = concordance([GOLDEN["ranks"]])

    assert found.value == pytest.approx(GOLDEN["expected"], abs=GOLDEN["tolerance"])
    assert (found.status, found.reason) == (Status.OK, (Reason.UNIT_COUNT_BELOW_30,))


@pytest.mark.parametrize("seed", range(6))
def test_each_case_is_friedmans_and_their_mean_is_given(seed):
    rng = np.random.default_rng(seed)
    cases = [rng.integers(1, 5, size=(rng.integers(2, 6), 4)) for _ in range(8)]

    expected = np.mean([friedman(table) for table in cases])

    assert concordance(cases).value == pytest.approx(expected, abs=1e-12)


def test_raters_who_rank_alike_agree_fully_and_two_who_rank_in_reverse_not_at_all():
    assert concordance([[(1, 2, 3, 4)] * 3]).value == pytest.approx(1)
    assert concordance([[(1, 1, 3, 3)] * 3]).value == pytest.approx(1)
    assert concordance([[(1, 2, 3, 4), (4, 3, 2, 1)]]).value == pytest.approx(0)


def test_a_case_with_one_ranking_says_nothing():
    alone = concordance([[(1, 2, 3)], [(3, 1, 2)]])
    beside = concordance([GOLDEN["ranks"], [(3, 1, 2)]])

    assert (alone.status, alone.reason) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))
    assert beside.value == pytest.approx(GOLDEN["expected"], abs=GOLDEN["tolerance"])


def test_a_case_in_which_all_outputs_are_equal_to_all_raters_is_nothing_over_nothing():
    alone = concordance([[(1, 1, 1), (2, 2, 2)]])
    beside = concordance([GOLDEN["ranks"], [(1, 1, 1), (2, 2, 2)]])

    assert (alone.status, alone.reason) == (Status.UNDEFINED, (Reason.ONE_CATEGORY,))
    assert beside.value == pytest.approx(GOLDEN["expected"], abs=GOLDEN["tolerance"])


def test_raters_who_rank_at_random_have_the_w_of_chance():
    """The expectation of W under independent rankings is 1/m (Kendall and Babington Smith 1939)."""
    rng = np.random.default_rng(5)
    cases = [[rng.permutation(5) for _ in range(4)] for _ in range(2_000)]

    assert concordance(cases).value == pytest.approx(1 / 4, abs=0.01)


def test_the_interval_is_over_cases_and_inside_the_bounds():
    rng = np.random.default_rng(6)
    cases = [np.argsort(np.argsort(np.arange(4) + rng.normal(size=(3, 4)), axis=1)) + 1 for _ in range(40)]
    ratings, coefficient = coded(cases)

    (result,) = estimate_with_intervals(ratings, np.arange(40), [coefficient], resampling=RESAMPLING)

    of_cases = np.array([friedman(table) for table in cases])
    interval = result.interval
    assert interval.std_error == pytest.approx(of_cases.std(ddof=1) / np.sqrt(40), rel=0.15)  # 200 rounds
    assert 0 <= interval.low < of_cases.mean() < interval.high <= 1
    assert (interval.n_clusters, interval.df, result.n_units) == (40, 39, 40)


def test_full_agreement_has_no_interval():
    ratings, coefficient = coded([[(1, 2, 3), (1, 2, 3)], [(3, 2, 1), (3, 2, 1)]])

    (result,) = estimate_with_intervals(ratings, np.arange(2), [coefficient], resampling=RESAMPLING)

    assert result.quantity.value == pytest.approx(1)
    assert (result.interval.status, result.interval.reason) == (Status.DEGENERATE, (Reason.PERFECT_AGREEMENT,))


@given(
    table=st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=2, max_size=5),
    order=st.permutations(range(4)),
)
@settings(max_examples=25)
def test_naming_systems_or_raters_otherwise_changes_nothing_and_neither_does_turning_the_scale(table, order):
    table = np.array(table)
    found = concordance([table])

    for other in (table[:, order], table[::-1], 5 - table, table * 10):
        assert concordance([other]).value == (None if found.value is None else pytest.approx(found.value, abs=1e-12))
    assert found.value is None or 0 <= found.value <= 1 + 1e-12
