"""The cumulative logit model of ordered levels: the maximum of its likelihood under independence (METHODS 2).

Belongs here: the likelihood of counts of answers and Newton's method on it, for any design. Does not: whether a
maximum exists (`ordinal_overlap`), what the answers' dependence does to it, nor raters' own levels
(`rater_intercept`).

An answer at level k of the cell i has P(y <= k) = logistic(a_ik), a_ik = theta_k - x_i beta. Its probability factors
into logistic(a_ik) logistic(-a_i,k-1) (1 - e^(theta_k-1 - theta_k)), so the likelihood is that of a binary answer at
each threshold that bounds the level, and of the gap between the two, which no cell and no rater changes.
"""

from dataclasses import dataclass

import numpy as np

SMALLEST_STEP = 1e-10  # in log odds; the step after it is its square
LARGEST_STEP = 4.0  # beyond it the quadratic that Newton's method follows says nothing of the likelihood
FARTHEST = 30.0  # in log odds: a parameter on its way to infinity
_MOST_STEPS = 200
_SMALLEST_EIGENVALUE = 1e-10  # of the information with ones on its diagonal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CumulativeLogit:
    """A fitted model.

    Parameters
    ----------
    theta : ndarray of float, shape (n_levels - 1,)
        Thresholds, ascending.
    beta : ndarray of float, shape (n_covariates,)
    covariance : ndarray of float, shape (n_levels - 1 + n_covariates,) twice
        Inverse of the observed information of (theta, beta).
    log_likelihood : float
    """

    theta: np.ndarray
    beta: np.ndarray
    covariance: np.ndarray
    log_likelihood: float


def fit_cumulative_logit(counts: np.ndarray, design: np.ndarray) -> CumulativeLogit | None:
    """Maximise the likelihood of counts of answers, all taken as independent.

    Parameters
    ----------
    counts : ndarray of int, shape (n_cells, n_levels)
        Answers of each cell at each level. Every level has answers, and there are two or more.
    design : ndarray of float, shape (n_cells, n_covariates)
        Covariates of each cell, without a constant: the thresholds are the constants.

    Returns
    -------
    CumulativeLogit or None
        None where the likelihood has no maximum, or no single one.

    Raises
    ------
    ValueError
        A level without answers, fewer than two levels, or shapes that do not fit.

    Notes
    -----
    The likelihood is concave in (theta, beta): Newton's method with steps that never lower it.

    References
    ----------
    McCullagh 1980; Pratt 1981.
    """
    counts, design = np.asarray(counts), np.asarray(design, dtype=float)
    if counts.ndim != 2 or design.ndim != 2 or len(counts) != len(design):
        raise ValueError("counts and design must be tables with a row a cell")
    if counts.shape[1] < 2 or not counts.sum(axis=0).all():
        raise ValueError("counts must have two or more levels, each with answers")
    n_thresholds = counts.shape[1] - 1
    at = np.concatenate([_pooled_thresholds(counts), np.zeros(design.shape[1])])
    likelihood = _log_likelihood(counts, design, at)
    for _ in range(_MOST_STEPS):
        gradient, information = _derivatives(counts, design, at)
        step = newton_step(gradient, information)
        if step is None or np.abs(at).max() > FARTHEST:
            return None
        while not rises(moved := _log_likelihood(counts, design, at + step), likelihood):
            step = step / 2
        at, likelihood = at + step, moved
        if np.abs(step).max() <= SMALLEST_STEP * (1 + np.abs(at).max()):
            covariance = inverse(_derivatives(counts, design, at)[1])
            theta, beta = at[:n_thresholds], at[n_thresholds:]
            if covariance is None:
                return None
            return CumulativeLogit(theta=theta, beta=beta, covariance=covariance, log_likelihood=likelihood)
    return None


def answer_scores(fit: CumulativeLogit, design: np.ndarray) -> np.ndarray:
    """What an answer adds to the gradient of (theta, beta), shape (n_cells, n_levels, n_parameters)."""
    n_cells, places = len(design), np.arange(len(fit.theta))
    below = chance(fit.theta - (design @ fit.beta)[:, None])
    by_theta = np.zeros((n_cells, len(places) + 1, len(places)))
    by_theta[:, places, places] = 1 - below
    by_theta[:, places + 1, places] = -below
    by_beta = -by_theta.sum(axis=2)[:, :, None] * design[:, None, :]
    by_theta[:, 1:-1] += gap_slope(fit.theta)[:, None] * np.diff(np.eye(len(places)), axis=0)
    return np.concatenate([by_theta, by_beta], axis=2)


def chance(log_odds: np.ndarray) -> np.ndarray:
    """The logistic function, without overflow."""
    small = np.exp(-np.abs(log_odds))
    return np.where(log_odds >= 0, 1.0, small) / (1 + small)


def log_chance(log_odds: np.ndarray) -> np.ndarray:
    """Logarithm of `chance`, at a fifth of the time of `np.logaddexp`."""
    return np.minimum(log_odds, 0.0) - np.log1p(np.exp(-np.abs(log_odds)))


def gap_likelihood(theta: np.ndarray) -> np.ndarray:
    """Logarithm of what the gap between each two thresholds leaves of the probability of the level between them."""
    return np.log(-np.expm1(-np.diff(theta)))


def gap_slope(theta: np.ndarray) -> np.ndarray:
    """Derivative of `gap_likelihood` by the gap."""
    return 1 / np.expm1(np.diff(theta))


def gap_derivatives(theta: np.ndarray, n_between: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and information of theta from the gaps, for the answers at each level between two thresholds."""
    slope = gap_slope(theta)
    differences = np.diff(np.eye(len(theta)), axis=0)
    return differences.T @ (n_between * slope), differences.T @ np.diag(n_between * slope * (1 + slope)) @ differences


def newton_step(gradient: np.ndarray, information: np.ndarray) -> np.ndarray | None:
    """The step to the maximum of the quadratic, cut to the length that it can be trusted for; None if it has none."""
    inverted = inverse(information)
    if inverted is None:
        return None
    step = inverted @ gradient
    return step * min(1.0, LARGEST_STEP / max(np.abs(step).max(), LARGEST_STEP))


def inverse(information: np.ndarray) -> np.ndarray | None:
    """Inverse of an information matrix; None if it is singular, or not that of a maximum."""
    diagonal = np.diag(information)
    if not (diagonal > 0).all():
        return None
    scale = np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    if values[0] <= _SMALLEST_EIGENVALUE:
        return None
    return (vectors / values) @ vectors.T / np.outer(scale, scale)


def rises(moved: float, from_: float) -> bool:
    """Whether a likelihood did not fall, but for rounding; never where thresholds crossed (NaN)."""
    return moved >= from_ - 1e-12 * abs(from_)


def _log_likelihood(counts: np.ndarray, design: np.ndarray, at: np.ndarray) -> float:
    n_thresholds = counts.shape[1] - 1
    theta, beta = at[:n_thresholds], at[n_thresholds:]
    if (np.diff(theta) <= 0).any():
        return -np.inf
    log_odds = theta - (design @ beta)[:, None]
    bounded = counts[:, :-1] * log_chance(log_odds) + counts[:, 1:] * log_chance(-log_odds)
    return float(counts[:, 1:-1].sum(axis=0) @ gap_likelihood(theta) + bounded.sum())


def _derivatives(counts: np.ndarray, design: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of the likelihood by (theta, beta), and the observed information."""
    n_thresholds = counts.shape[1] - 1
    theta, beta = at[:n_thresholds], at[n_thresholds:]
    below = chance(theta - (design @ beta)[:, None])
    slope = counts[:, :-1] * (1 - below) - counts[:, 1:] * below
    weight = (counts[:, :-1] + counts[:, 1:]) * below * (1 - below)
    of_gaps, information_of_gaps = gap_derivatives(theta, counts[:, 1:-1].sum(axis=0))
    gradient = np.concatenate([slope.sum(axis=0) + of_gaps, -slope.sum(axis=1) @ design])
    information = np.block(
        [
            [np.diag(weight.sum(axis=0)) + information_of_gaps, -weight.T @ design],
            [-design.T @ weight, design.T @ (weight.sum(axis=1)[:, None] * design)],
        ]
    )
    return gradient, information


def _pooled_thresholds(counts: np.ndarray) -> np.ndarray:
    """Thresholds that fit all cells together."""
    below = np.cumsum(counts.sum(axis=0))
    return np.log(below[:-1] / (below[-1] - below[:-1]))
