import numpy as np
import pytest

from juryline.estimators.cluster_variance import cluster_variance
from juryline.estimators.row_groups import group_rows
from juryline.estimators.sandwich import sandwich_of


def scores(seed, ways, n_rows=400, n_parameters=12):
    rng = np.random.default_rng(seed)
    first = rng.integers(n_parameters, size=n_rows)
    second = (first + rng.integers(1, n_parameters, n_rows)) % n_parameters
    error = rng.normal(size=n_rows)
    clusters = tuple(rng.integers(25, size=n_rows) * 3 for _ in range(ways))
    return (first, second), (error, -error), clusters, n_parameters


def contributions(parameter, value, contrast):
    return sum(scores * contrast[codes] for codes, scores in zip(parameter, value))


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_variance_of_a_contrast_is_that_of_its_contributions(seed, ways):
    parameter, value, clusters, n_parameters = scores(seed, ways)
    contrast = np.random.default_rng(seed).normal(size=n_parameters)

    found = sandwich_of(parameter, value, clusters, n_parameters).variance(contrast)

    expected = cluster_variance(contributions(parameter, value, contrast), clusters)
    assert found.variance == pytest.approx(expected.variance, rel=1e-11)
    assert (found.n_clusters, found.df) == (expected.n_clusters, expected.df)


def test_many_parameters_of_which_a_cluster_touches_few_are_summed_alike():
    parameter, value, _, n_parameters = scores(1, 1, n_parameters=90)
    cell = np.arange(len(value[0])) // 2
    contrast = np.random.default_rng(2).normal(size=n_parameters)

    found = sandwich_of(parameter, value, (cell,), n_parameters).variance(contrast)

    psi = contributions(parameter, value, contrast)
    expected = 200 / 199 * np.sum(psi.reshape(-1, 2).sum(axis=1) ** 2)
    assert found.variance == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ways", [1, 2])
def test_rows_in_the_order_of_their_clusters_give_what_any_order_gives(ways):
    parameter, value, clusters, n_parameters = scores(5, ways, n_parameters=200)
    order = np.lexsort(clusters[::-1])
    contrast = np.random.default_rng(5).normal(size=n_parameters)

    found, sorted_ = (
        sandwich_of(*(tuple(column[rows] for column in columns) for columns in (parameter, value, clusters)), 200)
        for rows in (np.arange(400), order)
    )

    assert sorted_.n_clusters == found.n_clusters
    assert sorted_.variance(contrast).variance == pytest.approx(found.variance(contrast).variance, rel=1e-12)


def test_clusters_that_do_not_differ_have_no_variance_however_scores_do():
    # Every row contributes e (a b - b a): nothing, but for the digits that large products of scores lose.
    contrast = np.array([0.3, -0.7])
    error = 1e3 * np.random.default_rng(0).normal(size=60)
    parameter = (np.zeros(60, dtype=int), np.ones(60, dtype=int))
    value = (error * contrast[1], -error * contrast[0])

    sandwich = sandwich_of(parameter, value, (np.repeat(np.arange(20), 3),), 2)

    assert contrast @ sandwich.products[0] @ contrast != 0
    assert sandwich.variance(contrast).variance == 0.0
    assert sandwich.variance(np.array([0.3, 0.7])).variance > 1e6


def test_one_cluster_has_no_variance_to_tell():
    parameter, value, _, n_parameters = scores(0, 1)
    one = np.zeros(len(value[0]), dtype=int)

    sandwich = sandwich_of(parameter, value, (np.arange(len(one)), one), n_parameters)

    assert sandwich.variance(np.ones(n_parameters)).variance is None


def test_rows_are_grouped_by_code_and_keep_their_order():
    codes = np.array([7, 3, 7, 9, 3])

    grouped, starts = group_rows(codes, np.array([4, 3, 2, 1, 0]))

    assert grouped.tolist() == [4, 1, 2, 0, 3]
    assert starts.tolist() == [0, 2, 4, 5]
