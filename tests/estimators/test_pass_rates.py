import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.pass_rates import estimate_share, total_sheets


def test_share_of_independent_answers_has_the_plain_wilson_interval():
    hits = np.array([1] * 7 + [0] * 13, dtype=bool)

    result = estimate_share(hits, (np.arange(20),), level=0.95)

    expected = stats.binomtest(7, 20).proportion_ci(method="wilson")
    assert result.share.value == 0.35
    assert (result.interval.low, result.interval.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_share_of_four_raters_widens_to_their_number():
    wins = [3, 1, 4, 2]
    hits = np.array([w < won for won in wins for w in range(4)])

    result = estimate_share(hits, (np.repeat(np.arange(4), 4),), level=0.95)

    # METHODS 4, worked example.
    assert (result.interval.low, result.interval.high) == pytest.approx((0.200375, 0.917253), abs=5e-7)
    assert result.interval.reason == (Reason.FEW_CLUSTERS,)


def test_share_of_no_answers_is_insufficient():
    result = estimate_share(np.array([], dtype=bool), (np.array([], dtype=int),), level=0.95)

    assert (result.share.status, result.share.reason) == (Status.INSUFFICIENT, (Reason.NO_JUDGMENTS,))
    assert result.interval.status is Status.INSUFFICIENT


@pytest.mark.parametrize(("hit", "share"), [(True, 1.0), (False, 0.0)])
def test_share_of_equal_answers_keeps_an_interval(hit, share):
    result = estimate_share(np.full(30, hit), (np.repeat(np.arange(10), 3),), level=0.95)

    assert result.share.value == share
    assert 0 < result.interval.high - result.interval.low < 1


def test_total_counts_passes_of_whole_checklists_only():
    sheet = np.array([7, 7, 7, 9, 9, 9, 4, 4])
    criterion = np.array([0, 1, 2, 0, 1, 2, 0, 1])
    passed = np.array([1, 1, 0, 0, 0, 1, 1, 1], dtype=bool)

    sheets = total_sheets(sheet, criterion, passed, n_criteria=3)

    assert sheets.passed.tolist() == [2, 1]
    assert sheets.first.tolist() == [0, 3]
    assert sheets.n_incomplete == 1


def test_a_criterion_answered_twice_counts_once():
    sheets = total_sheets(np.zeros(3, dtype=int), np.array([0, 0, 1]), np.array([True, False, True]), n_criteria=2)

    assert sheets.passed.tolist() == [1.5]
