import json
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from juryline.estimators.cumulative_logit import fit_cumulative_logit
from juryline.estimators.rater_intercept import fit_rater_intercept
from juryline.estimators.rater_likelihood import RaterLikelihood
from juryline.estimators.rater_patterns import RaterPatterns

WINE = json.loads((Path(__file__).parents[1] / "golden" / "ordinal.json").read_text())
RATINGS = np.array(WINE["ratings"])
DESIGN = np.column_stack([WINE["warm"], WINE["contact"]]).astype(float)


def fit(rater, cell, level, design):
    counts = np.zeros((len(design), level.max() + 1), dtype=int)
    np.add.at(counts, (cell, level), 1)
    independent = fit_cumulative_logit(counts, design)
    return independent, fit_rater_intercept(RaterPatterns.of(rater, cell, level), design, independent)


def wine():
    bottle, judge = np.indices(RATINGS.shape)
    return judge.ravel(), bottle.ravel(), RATINGS.ravel() - 1


def simulated(n_raters, n_cases, sd, seed, beta=(0.0, 1.0)):
    rng = np.random.default_rng(seed)
    rater, cell, _ = (codes.ravel() for codes in np.indices((n_raters, len(beta), n_cases)))
    latent = np.array(beta)[cell] + rng.normal(0, sd, n_raters)[rater] + rng.logistic(size=len(cell))
    return rater, cell, np.searchsorted([-1.5, 0.0, 1.5], latent)


def log_likelihood(rater, cell, level, design, at):
    """From the definition, each rater's integral by adaptive quadrature of scipy."""
    n_thresholds = level.max()
    edges, beta, sd = np.concatenate([[-np.inf], at[:n_thresholds], [np.inf]]), at[n_thresholds:-1], at[-1]
    shift = design @ beta

    def density(z, cells, levels):
        moved = shift[cells] + sd * z
        return np.prod(expit(edges[levels + 1] - moved) - expit(edges[levels] - moved)) * stats.norm.pdf(z)

    own = [(cell[rater == one], level[rater == one]) for one in np.unique(rater)]
    exact = {"epsabs": 0, "epsrel": 1e-12, "limit": 400, "points": [0.0]}
    return sum(np.log(integrate.quad(density, -9, 9, args=answers, **exact)[0]) for answers in own)


def test_wine_with_levels_of_judges():
    expected, tolerance = WINE["conditional"], WINE["conditional"]["tolerance"]

    _, found = fit(*wine(), DESIGN)

    for name in ("beta", "sd", "log_likelihood", "theta"):
        assert getattr(found, name) == pytest.approx(expected[name], abs=tolerance[name])
    assert np.sqrt(np.diag(found.covariance))[4:] == pytest.approx(expected["std_error"], abs=tolerance["std_error"])


@pytest.mark.parametrize(("sd", "tolerance"), [(0.0, 1e-10), (0.4, 1e-10), (1.0, 1e-9), (2.0, 1e-6)])
@pytest.mark.parametrize("n_cases", [1, 4])
def test_likelihood_is_the_integral(sd, tolerance, n_cases):
    rater, cell, level = simulated(5, n_cases, 1.0, seed=3)
    design = np.array([[0.0], [1.0]])
    at = np.array([-1.2, 0.3, 1.4, 0.8, sd])
    likelihood = RaterLikelihood.of(RaterPatterns.of(rater, cell, level), design, 3)

    value = likelihood.value(at, likelihood.nodes(at))

    assert value == pytest.approx(log_likelihood(rater, cell, level, design, at), abs=tolerance)


def test_a_rater_of_very_many_answers_is_integrated_where_the_likelihood_is():
    # 400 answers leave a rater's level known to a tenth of its sd: 61 nodes that do not follow it are too far apart.
    rater, cell, level = simulated(3, 200, 1.5, seed=4)
    design = np.array([[0.0], [1.0]])
    at = np.array([-1.5, 0.0, 1.5, 1.0, 1.5])
    likelihood = RaterLikelihood.of(RaterPatterns.of(rater, cell, level), design, 3)

    value = likelihood.value(at, likelihood.nodes(at))

    edges, total = np.array([-np.inf, -1.5, 0.0, 1.5, np.inf]), 0.0
    z = np.linspace(-8, 8, 4_001)
    for one in range(3):
        moved = np.array([0.0, 1.0])[cell[rater == one]][:, None] + 1.5 * z
        levels = level[rater == one][:, None]
        joint = np.log(expit(edges[levels + 1] - moved) - expit(edges[levels] - moved)).sum(axis=0) - z**2 / 2
        total += joint.max() + np.log(np.trapezoid(np.exp(joint - joint.max()), z) / np.sqrt(2 * np.pi))
    assert value == pytest.approx(total, abs=1e-8)


def test_gradient_and_information_are_derivatives():
    rater, cell, level = simulated(12, 2, 1.0, seed=5, beta=(0.0, 1.0, -0.5))
    design = np.eye(3)[:, 1:]
    at = np.array([-1.2, 0.3, 1.4, 0.8, -0.4, 0.9])
    likelihood = RaterLikelihood.of(RaterPatterns.of(rater, cell, level), design, 3)

    _, gradient, information = likelihood.derivatives(at, likelihood.nodes(at))

    def moved(*steps):
        there = at + sum(steps)
        return likelihood.value(there, likelihood.nodes(there))

    steps = np.eye(len(at)) * 1e-3
    numeric = [(moved(s) - moved(-s)) / 2e-3 for s in steps]
    seconds = [[(moved(s, o) - moved(s, -o) - moved(-s, o) + moved(-s, -o)) / 4e-6 for o in steps] for s in steps]
    assert gradient == pytest.approx(numeric, abs=1e-4)
    assert information == pytest.approx(-np.array(seconds), abs=1e-3)


def test_the_maximum_is_one_of_the_integral():
    rater, cell, level = simulated(8, 2, 1.0, seed=2)
    design = np.array([[0.0], [1.0]])

    _, found = fit(rater, cell, level, design)

    at = np.concatenate([found.theta, found.beta, [found.sd]])
    highest = log_likelihood(rater, cell, level, design, at)
    assert found.sd > 0
    assert found.log_likelihood == pytest.approx(highest, abs=1e-7)
    for step in np.random.default_rng(1).normal(0, 0.02, (4, len(at))):
        assert log_likelihood(rater, cell, level, design, at + step) < highest


def test_raters_more_alike_than_chance_have_no_spread_and_the_independent_estimate():
    # All give the same answers: fewer differences between raters than independent answers would show.
    rater, cell, level = np.repeat(np.arange(6), 6), np.tile([0, 0, 0, 1, 1, 1], 6), np.tile([0, 1, 2, 1, 2, 2], 6)
    design = np.array([[0.0], [1.0]])

    independent, found = fit(rater, cell, level, design)

    assert found.sd == 0
    assert found.beta.tolist() == independent.beta.tolist()
    assert found.covariance.tolist() == independent.covariance.tolist()
    assert found.log_likelihood == independent.log_likelihood
    for sd in (0.1, 0.5, 1.0, 3.0):
        at = np.concatenate([found.theta, found.beta, [sd]])
        assert log_likelihood(rater, cell, level, design, at) < found.log_likelihood


def test_levels_of_raters_grow_the_difference_within_one():
    independent, found = fit(*simulated(600, 2, 2.0, seed=6), np.array([[0.0], [1.0]]))

    # Zeger, Liang and Albert 1988: over raters, log odds shrink by about sqrt(1 + .346 sd^2).
    assert found.beta[0] / independent.beta[0] == pytest.approx(np.sqrt(1 + 0.346 * found.sd**2), rel=0.1)


@pytest.mark.parametrize(
    "levels",
    [
        pytest.param([[0, 0], [1, 1], [2, 2]], id="each rater gives one level"),
        pytest.param([[0, 1], [1, 2], [2, 3]], id="each rater puts the second above the first"),
    ],
)
def test_raters_who_leave_no_finite_spread_have_no_fit(levels):
    level = np.tile(levels, (4, 1))
    rater, cell = np.indices(level.shape)

    independent, found = fit(rater.ravel(), cell.ravel(), level.ravel(), np.array([[0.0], [1.0]]))

    assert independent is not None
    assert found is None


def test_who_gave_which_answers_changes_nothing_at_all():
    rater, cell, level = simulated(20, 3, 1.0, seed=8)
    rng = np.random.default_rng(9)
    order = rng.permutation(len(rater))
    renamed = rng.permutation(20)[rater]

    _, found = fit(rater, cell, level, np.array([[0.0], [1.0]]))
    _, again = fit(renamed[order], cell[order], level[order], np.array([[0.0], [1.0]]))

    assert (found.beta.tolist(), found.sd, found.log_likelihood) == (
        again.beta.tolist(),
        again.sd,
        again.log_likelihood,
    )
    assert found.covariance.tolist() == again.covariance.tolist()


def test_patterns_are_counted_not_repeated():
    rater, cell, level = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 0, 0]), np.array([2, 0, 0, 2, 1])

    patterns = RaterPatterns.of(rater, cell, level)

    assert sorted(patterns.repeats.tolist()) == [1, 2]
    # The middle level is bounded on both sides, the ends on one.
    assert np.bincount(patterns.pattern).tolist() == [2, 2]


def test_parts_change_nothing_but_rounding(monkeypatch):
    rater, cell, level = simulated(30, 2, 1.0, seed=10)
    whole = fit(rater, cell, level, np.array([[0.0], [1.0]]))[1]

    monkeypatch.setattr("juryline.estimators.rater_patterns.MOST_TERMS", 17)
    parted = fit(rater, cell, level, np.array([[0.0], [1.0]]))[1]

    assert parted.beta == pytest.approx(whole.beta, abs=1e-11)
    assert parted.covariance == pytest.approx(whole.covariance, rel=1e-9)
