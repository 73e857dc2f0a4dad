"""Newton's method on a concave likelihood in log odds, for every model of strengths.

Belongs here: how far a step goes, and when there is none left to take. Does not: any likelihood, or whether it has a
maximum.
"""

from collections.abc import Callable

import numpy as np

_SMALLEST_STEP = 1e-10  # the step after it is its square
_SMALL_STEP = 1e-6  # from here on each is the square of the last, unless rounding makes it
_LONGEST_STEP = 5.0  # beyond, chances of 0 and 1 leave no information to step by
_MOST_STEPS = 500


def climb(
    start: np.ndarray, likelihood: Callable[[np.ndarray], float], step: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Parameters at the maximum of a likelihood that has one.

    Parameters
    ----------
    start : ndarray of float, shape (n_parameters,)
    likelihood : callable
        Its logarithm at parameters.
    step : callable
        Newton's step from parameters, which is cut to 5 log odds and halved until the likelihood does not fall.

    Raises
    ------
    ArithmeticError
        Not there after 500 steps.
    """
    at, reached, last = start, likelihood(start), np.inf
    for _ in range(_MOST_STEPS):
        move = step(at)
        length = np.abs(move).max()
        move = move * min(1.0, _LONGEST_STEP / max(length, _LONGEST_STEP))
        while (moved := likelihood(at + move)) < reached - 1e-12 * abs(reached):
            move = move / 2
        at, reached = at + move, moved
        is_at_rest = np.abs(move).max() <= _SMALLEST_STEP * (1 + np.abs(at).max())
        if is_at_rest or last / 2 <= length <= _SMALL_STEP:
            return at
        last = length
    raise ArithmeticError(f"Newton's method did not converge in {_MOST_STEPS} steps")
