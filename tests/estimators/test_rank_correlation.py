import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.rank_correlation import doubled_ranks, permutation_p, spearman, spearman_of_rounds

PUBLISHED = json.loads((Path(__file__).parents[1] / "golden" / "lengths.json").read_text())["published"]
CORRELATIONS = [value for table in ("table_1", "table_2") for row in PUBLISHED[table].values() for value in row]
FINAL = [value for row in PUBLISHED["table_2"].values() for value in row]


def p_of(x, y, n_permutations=100_000):
    return permutation_p(np.array(x), np.array(y), n_permutations=n_permutations, seed=7, analysis="recal")


def order_with(squared_differences, n=11):
    """An order of n systems whose ranks differ from 1 .. n by this sum of squares."""
    generator, ranks = np.random.default_rng(0), np.arange(n)
    while True:
        order = generator.permutation(n)
        if ((order - ranks) ** 2).sum() == squared_differences:
            return order


def reachable(n):
    """The correlations of n untied ranks, as published: 100 times, two decimals."""
    largest = (n**3 - n) // 3
    return {round(100 * (1 - 6 * s / (n**3 - n)), 2) for s in range(0, largest + 1, 2)}


def test_the_published_correlations_are_of_eleven_systems_without_ties():
    assert len(set(map(tuple, [*PUBLISHED["table_1"].values(), *PUBLISHED["table_2"].values()]))) == 7
    squares = [220 * (1 - value / 100) for value in CORRELATIONS]

    assert all(abs(s - 2 * round(s / 2)) < 0.02 for s in squares)
    assert [n for n in range(4, 16) if set(CORRELATIONS) <= reachable(n)] == [PUBLISHED["n_systems"]]


@pytest.mark.parametrize(("published", "squares"), PUBLISHED["squared_differences"].items())
def test_a_published_correlation_comes_out_of_its_ranks(published, squares):
    rho = spearman(np.arange(11), order_with(squares))

    assert round(100 * rho.value, 2) == float(published)


def test_no_correlation_of_the_second_table_is_significant_at_one_in_twenty():
    p = {value: p_of(range(11), order_with(2 * round(110 * (1 - value / 100)))).value for value in sorted(set(FINAL))}

    assert min(p.values()) > 0.05
    assert p[44.55] == pytest.approx(PUBLISHED["p_of_44.55"], abs=0.005)


VALUES = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=9)


@settings(max_examples=25, deadline=None)
@given(VALUES)
def test_ranks_and_correlations_are_scipys(pairs):
    x, y = (np.array(side, dtype=float) for side in zip(*pairs))

    assert doubled_ranks(x).tolist() == (2 * stats.rankdata(x)).tolist()
    rho = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert (rho.status, rho.reason) == (Status.UNDEFINED, (Reason.ZERO_VARIANCE,))
        assert p_of(x, y, 10) == rho
    else:
        assert rho.value == pytest.approx(stats.spearmanr(x, y).statistic)
        assert -1 <= rho.value <= 1


def test_of_rounds_each_is_what_it_is_alone_and_those_without_a_value_are_not_numbers():
    generator = np.random.default_rng(1)
    x, y = generator.integers(0, 4, (2, 50, 5)).astype(float)
    x[0], x[1, 2] = 1.0, np.nan

    rho = spearman_of_rounds(x, y)

    assert np.isnan(rho[:2]).all()
    for place in range(2, 50):
        alone = spearman(x[place], y[place]).value
        assert np.isnan(rho[place]) if alone is None else rho[place] == alone


def test_the_same_order_and_the_opposite_correlate_exactly():
    x = np.array([0.1, 0.2, 0.3, 0.7])

    assert (spearman(x, x).value, spearman(x, -x).value) == (1, -1)


@pytest.mark.parametrize("y", [[3, 1, 2, 5, 4, 6], [1, 1, 2, 2, 3, 1], [6, 5, 4, 3, 2, 1]])
def test_of_few_systems_every_permutation_is_tried(y):
    x = [1, 2, 3, 4, 4, 6]
    observed = abs(stats.spearmanr(x, y).statistic)
    every = [abs(stats.spearmanr(x, order).statistic) for order in permutations(y)]

    assert p_of(x, y).value == np.mean(np.array(every) >= observed - 1e-12)


def test_of_many_systems_random_permutations_come_near_the_exact_tail():
    x, y = np.arange(9), order_with(40, n=9)
    ranks = np.array(list(permutations(range(9))))
    squares = ((ranks - np.arange(9)) ** 2).sum(axis=1)
    exact = np.mean(abs(1 - squares / 120) >= 1 - 40 / 120)

    assert p_of(x, y).value == pytest.approx(exact, abs=4 * np.sqrt(exact / 100_000))


def test_a_sampled_p_value_is_never_zero_and_follows_from_its_seed():
    x = np.arange(15)

    p = p_of(x, x, n_permutations=99)

    assert p.value == 1 / 100
    assert p_of(x, order_with(300, 15), 99) == p_of(x, order_with(300, 15), 99)
