import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime, linprog
from scipy.special import expit
from statsmodels.miscmodels.ordinal_model import OrderedModel

from juryline.estimators.cumulative_logit import answer_scores, fit_cumulative_logit
from juryline.estimators.ordinal_overlap import overlapping

WINE = json.loads((Path(__file__).parents[1] / "golden" / "ordinal.json").read_text())
RATINGS = np.array(WINE["ratings"])
DESIGN = np.column_stack([WINE["warm"], WINE["contact"]]).astype(float)
COUNTS = np.array([np.bincount(of_bottle, minlength=6)[1:] for of_bottle in RATINGS])


def log_likelihood(parameters, counts, design):
    """From the definition: differences of cumulative probabilities."""
    n_thresholds = counts.shape[1] - 1
    at_most = expit(parameters[:n_thresholds] - (design @ parameters[n_thresholds:])[:, None])
    at_most = np.column_stack([np.zeros(len(counts)), at_most, np.ones(len(counts))])
    return float(np.sum(counts * np.log(np.diff(at_most, axis=1))))


def random_counts(rng, n_cells=6, n_levels=5):
    counts = rng.integers(0, 6, (n_cells, n_levels))
    counts[0] += 1
    return counts


def test_the_wine_data_are_those_of_the_published_table():
    treatments = {name: counts for name, counts in WINE["table_6"].items() if name != "inputs"}

    for place, counts in enumerate(treatments.values()):
        assert COUNTS[2 * place : 2 * place + 2].sum(axis=0).tolist() == counts


def test_wine_without_levels_of_judges():
    expected, tolerance = WINE["independent"], WINE["independent"]["tolerance"]

    fit = fit_cumulative_logit(COUNTS, DESIGN)

    assert fit.beta == pytest.approx(expected["beta"], abs=tolerance["beta"])
    assert fit.log_likelihood == pytest.approx(expected["log_likelihood"], abs=tolerance["log_likelihood"])
    assert np.sqrt(np.diag(fit.covariance))[4:] == pytest.approx(expected["std_error"], abs=tolerance["std_error"])


@pytest.mark.parametrize("seed", range(2))
def test_estimates_are_those_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    counts, design = random_counts(rng), rng.normal(size=(6, 2))
    cell, level = np.indices(counts.shape)
    endog = pd.Series(pd.Categorical(np.repeat(level.ravel(), counts.ravel()), ordered=True))
    model = OrderedModel(endog, design[np.repeat(cell.ravel(), counts.ravel())], distr="logit")
    oracle = model.fit(method="newton", tol=1e-9, maxiter=200, disp=False)

    fit = fit_cumulative_logit(counts, design)

    assert fit.beta == pytest.approx(np.asarray(oracle.params)[:2], abs=1e-6)
    assert fit.theta == pytest.approx(model.transform_threshold_params(np.asarray(oracle.params))[1:-1], abs=1e-6)
    assert fit.log_likelihood == pytest.approx(oracle.llf, abs=1e-9)


def test_scores_and_information_are_derivatives_of_the_definition():
    rng = np.random.default_rng(5)
    counts, design = random_counts(rng), rng.normal(size=(6, 2))

    fit = fit_cumulative_logit(counts, design)

    at = np.concatenate([fit.theta, fit.beta])
    scores = answer_scores(fit, design)
    singles = np.eye(counts.size, dtype=int).reshape(-1, *counts.shape)
    numeric = [approx_fprime(at, log_likelihood, 1e-6, single, design) for single in singles]
    assert scores.reshape(counts.size, -1) == pytest.approx(np.array(numeric), abs=1e-5)
    assert np.sum(scores * counts[:, :, None], axis=(0, 1)) == pytest.approx(np.zeros(6), abs=1e-10)
    numeric = -second_derivatives(lambda p: log_likelihood(p, counts, design), at)
    assert np.linalg.inv(fit.covariance) == pytest.approx(numeric, rel=1e-4, abs=1e-3)


def test_two_levels_are_a_logistic_regression():
    # Two cells: beta is the log odds ratio, its variance the sum of the reciprocals of the counts (Woolf 1955).
    fit = fit_cumulative_logit(np.array([[7, 3], [2, 9]]), np.array([[0.0], [1.0]]))

    assert fit.beta[0] == pytest.approx(np.log(7 * 9 / (3 * 2)), abs=1e-12)
    assert fit.covariance[1, 1] == pytest.approx(1 / 7 + 1 / 3 + 1 / 2 + 1 / 9, rel=1e-10)


@pytest.mark.parametrize(
    "counts",
    [
        [[5, 0], [0, 5]],
        [[5, 5], [0, 5]],
        [[2, 2, 0, 0], [0, 0, 2, 2]],
        [[1, 0, 1], [0, 1, 0], [0, 0, 4]],
    ],
)
def test_answers_that_are_separated_have_no_fit(counts):
    counts = np.array(counts)

    assert fit_cumulative_logit(counts, np.eye(len(counts))[:, 1:]) is None


def test_a_covariate_that_says_nothing_new_has_no_fit():
    assert fit_cumulative_logit(COUNTS, np.column_stack([DESIGN, DESIGN[:, 0]])) is None


@pytest.mark.parametrize("counts", [[[4], [5]], [[1, 0, 2], [2, 0, 1]]])
def test_levels_without_answers_must_be_merged_before(counts):
    with pytest.raises(ValueError, match="two or more levels, each with answers"):
        fit_cumulative_logit(np.array(counts), np.array([[0.0], [1.0]]))


def test_systems_overlap_exactly_if_no_direction_moves_them_apart_without_loss():
    rng = np.random.default_rng(11)
    seen = set()
    for _ in range(40):
        counts = (rng.random((3, 4)) < 0.4).astype(int)
        component = overlapping(counts)
        for one, other in ((0, 1), (0, 2), (1, 2)):
            together = bool(component[one]) and component[one] == component[other]
            has_answers = counts[one].any() and counts[other].any()
            assert together == (has_answers and not can_part(counts, one, other))
            seen.add(together)

    assert seen == {True, False}


def test_the_fit_of_overlapping_systems_exists_and_only_that():
    rng = np.random.default_rng(12)
    found = []
    for _ in range(40):
        counts = rng.integers(0, 2, (3, 3))
        if not (counts.any(axis=0).all() and counts.any(axis=1).all()):
            continue
        exists = len(set(overlapping(counts))) == 1
        found.append(exists)

        assert (fit_cumulative_logit(counts, np.eye(3)[:, 1:]) is not None) == exists

    assert 3 < sum(found) < len(found) - 3


def test_one_level_compares_nothing():
    assert overlapping(np.array([[0, 3, 0], [0, 5, 0]])).tolist() == [0, 0]


def second_derivatives(function, at, step=1e-4):
    n = len(at)
    moves = np.eye(n) * step
    return np.array(
        [
            [
                sum(
                    sign * other * function(at + sign * moves[i] + other * moves[j])
                    for sign in (1, -1)
                    for other in (1, -1)
                )
                / (4 * step**2)
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


def can_part(counts, one, other):
    """Whether some direction of thresholds and systems, along which no answer's likelihood falls, parts two systems."""
    n_systems, n_levels = counts.shape
    rows = []
    for system, level in zip(*np.nonzero(counts)):
        if level < n_levels - 1:
            rows.append(_difference(n_systems, n_levels, system, n_systems + level))
        if level > 0:
            rows.append(_difference(n_systems, n_levels, n_systems + level - 1, system))
    for level in range(n_levels - 2):
        rows.append(_difference(n_systems, n_levels, n_systems + level, n_systems + level + 1))
    least = [
        linprog(_difference(n_systems, n_levels, x, y), np.array(rows), np.zeros(len(rows)), bounds=(-1, 1)).fun
        for x, y in ((one, other), (other, one))
    ]
    return min(least) < -1e-9


def _difference(n_systems, n_levels, smaller, greater):
    row = np.zeros(n_systems + n_levels - 1)
    row[smaller], row[greater] = 1, -1
    return row
