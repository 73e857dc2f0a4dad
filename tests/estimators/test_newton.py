"""Newton's method: where it ends, how far it steps, and that it ends (METHODS 6)."""

import numpy as np
import pytest

from juryline.estimators.newton import climb


def test_it_ends_at_the_maximum_of_a_likelihood_with_a_closed_form():
    """3 wins and 1 loss: the log odds are ln 3."""

    def chance(at):
        return 1 / (1 + np.exp(-at))

    found = climb(
        np.zeros(1),
        lambda at: float(3 * np.log(chance(at)[0]) + np.log(1 - chance(at)[0])),
        lambda at: (3 - 4 * chance(at)) / (4 * chance(at) * (1 - chance(at))),
    )

    assert found == pytest.approx(np.log([3.0]), abs=1e-12)


def test_a_step_that_goes_too_far_is_cut_and_one_that_lowers_the_likelihood_halved():
    visited = []

    def likelihood(at):
        visited.append(at[0])
        return -abs(at[0] - 4.0)

    found = climb(np.zeros(1), likelihood, lambda at: 3.0 * (4.0 - at))

    assert found == pytest.approx([4.0], abs=1e-6)
    assert visited[1] == 5.0


def test_steps_that_rounding_alone_makes_end_it():
    moves = iter([1.0, 1e-3, 1e-7, *[9e-8] * 1_000])

    found = climb(np.zeros(1), lambda at: 0.0, lambda at: np.array([next(moves)]))

    assert found == pytest.approx([1.001], abs=1e-6)


def test_a_likelihood_without_a_maximum_raises():
    with pytest.raises(ArithmeticError, match="did not converge in 500 steps"):
        climb(np.zeros(1), lambda at: float(-np.exp(-at[0])), lambda at: np.ones(1))
