"""The cumulative logit model in which each rater has a level of their own: the maximum of its likelihood (METHODS 2).

Belongs here: the way to the maximum, and whether there is one. Does not: the likelihood (`rater_likelihood`), nor the
model without such levels (`cumulative_logit`).
"""

from dataclasses import dataclass

import numpy as np

from juryline.estimators.cumulative_logit import FARTHEST, LARGEST_STEP, CumulativeLogit, inverse
from juryline.estimators.rater_likelihood import RaterLikelihood
from juryline.estimators.rater_patterns import RaterPatterns

LARGEST_SD = 15.0  # in log odds: raters who have nothing in common
_SMALLEST_STEP = 1e-9
_MOST_STEPS = 200
_SAME = 1e-12  # of a log likelihood: what rounding can do
_FLATTEST = 1e-8
_START_SD = 1.0
_ATTENUATION = 0.346  # 16^2 3/(15 pi)^2: beta without raters' levels is about beta/sqrt(1 + .346 sd^2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaterIntercept:
    """A fitted model.

    Parameters
    ----------
    theta : ndarray of float, shape (n_levels - 1,)
        Thresholds of a rater whose level is 0.
    beta : ndarray of float, shape (n_covariates,)
    sd : float
        Standard deviation of raters' levels, in log odds; 0 where they do not differ more than by chance.
    covariance : ndarray of float, shape (n_levels - 1 + n_covariates,) twice
        Of (theta, beta), from the inverse of the observed information of all parameters.
    log_likelihood : float
    """

    theta: np.ndarray
    beta: np.ndarray
    sd: float
    covariance: np.ndarray
    log_likelihood: float


def fit_rater_intercept(
    patterns: RaterPatterns, design: np.ndarray, independent: CumulativeLogit
) -> RaterIntercept | None:
    """Maximise the likelihood of raters' answers.

    Parameters
    ----------
    patterns : RaterPatterns
    design : ndarray of float, shape (n_cells, n_covariates)
    independent : CumulativeLogit
        The fit of the same answers without raters' levels.

    Returns
    -------
    RaterIntercept or None
        None where the likelihood has no maximum: it grows as the sd or a difference of cells does, as where each
        rater gives one level only, or puts the same cell above the other whatever the level.

    Notes
    -----
    P(y <= k | u_r) = logistic(theta_k - x beta - u_r), u_r ~ N(0, sd^2). The likelihood is even in sd: sd = 0 is always
    a stationary point, at which theta, beta and their information are those of the independent fit. It is the estimate
    where the likelihood does not rise with sd^2 from there, nor is higher elsewhere.

    References
    ----------
    Hedeker and Gibbons 1994.
    """
    likelihood = RaterLikelihood.of(patterns, design, len(independent.theta))
    without = np.concatenate([independent.theta, independent.beta, [0.0]])
    highest = _maximise(likelihood, without)
    if highest is None:
        return None
    at, information, value = highest
    if value <= independent.log_likelihood + _SAME * abs(independent.log_likelihood) and likelihood.rise(without) <= 0:
        at, covariance, value = without, independent.covariance, independent.log_likelihood
    else:
        inverted = inverse(information)
        if inverted is None:
            return None
        covariance = inverted[:-1, :-1]
    n_thresholds = len(independent.theta)
    return RaterIntercept(
        theta=at[:n_thresholds],
        beta=at[n_thresholds:-1],
        sd=abs(float(at[-1])),
        covariance=covariance,
        log_likelihood=value,
    )


def _maximise(likelihood: RaterLikelihood, without: np.ndarray) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Parameters, information and value at the maximum; None where the way to it has no end.

    Nodes stay while a step is tried, so that the gradient is that of the sum whose rise decides on the step.
    """
    at = without * np.sqrt(1 + _ATTENUATION * _START_SD**2)
    at[-1] = _START_SD
    for _ in range(_MOST_STEPS):
        nodes = likelihood.nodes(at)
        value, gradient, information = likelihood.derivatives(at, nodes)
        step = _ascent(gradient, information)
        while likelihood.value(at + step, nodes) < value - _SAME * abs(value):
            step = step / 2
        at = at + step
        if np.abs(at[:-1]).max() > FARTHEST or abs(at[-1]) > LARGEST_SD:
            return None
        if np.abs(step).max() <= _SMALLEST_STEP * (1 + np.abs(at).max()):
            value, _, information = likelihood.derivatives(at, likelihood.nodes(at))
            return at, information, value
    return None


def _ascent(gradient: np.ndarray, information: np.ndarray) -> np.ndarray:
    """Newton's step, turned uphill in directions in which the likelihood is not concave, and cut."""
    scale = 1 / np.sqrt(np.maximum(np.abs(np.diag(information)), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(information * np.outer(scale, scale))
    bent = np.maximum(np.abs(values), _FLATTEST)
    step = scale * (vectors @ (vectors.T @ (scale * gradient) / bent))
    return step * min(1.0, LARGEST_STEP / max(np.abs(step).max(), LARGEST_STEP))
