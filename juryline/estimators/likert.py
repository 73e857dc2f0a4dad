"""Means of ratings, ratings in a rater's own standard deviations, and what a difference of means can hide.

Belongs here: METHODS 2 for one system, and the reversal of propositions 1-2. Does not: pair differences
(`matched`).
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import RELATIVE_TOLERANCE, ClusterVariance, cluster_variance, exact_mean
from juryline.estimators.dense_codes import dense_codes
from juryline.estimators.inference import Bounds, t_interval
from juryline.estimators.quantity import Interval, Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanResult:
    """A mean of judgments with its interval over the independent unit."""

    mean: Quantity
    interval: Interval
    n_judgments: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StandardScores:
    """Ratings in standard deviations from their rater's mean; `kept` marks the ratings that have one."""

    value: np.ndarray
    kept: np.ndarray
    n_raters_left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversalResult:
    """Whether raters who round up could have turned the order of two systems round: 1 yes, 0 no."""

    possible: Quantity
    excluded: Quantity


def estimate_mean(
    values: np.ndarray, units: tuple[np.ndarray, ...], *, level: float, scale_range: float, bounds: Bounds
) -> MeanResult:
    """Mean of judgments, each equal.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        In the order of a unique key.
    units : tuple of one or two ndarray of int, shape (n,)
        Independent unit of each judgment in each dimension.
    level, scale_range, bounds
        Confidence of the interval; largest minus smallest possible value; smallest and largest possible mean.

    Returns
    -------
    MeanResult
        insufficient, no_judgments: none. The interval is that of `t_interval`.

    Notes
    -----
    psi_k = (y_k - mean)/n.
    """
    if not len(values):
        return _no_mean(level)
    weight = np.full(len(values), 1 / len(values))
    return _around(exact_mean(values), values, weight, units, level, scale_range, bounds)


def estimate_case_weighted_mean(
    values: np.ndarray,
    case: np.ndarray,
    units: tuple[np.ndarray, ...],
    *,
    level: float,
    scale_range: float,
    bounds: Bounds,
) -> MeanResult:
    """Mean of the cases' means, each case equal.

    Parameters
    ----------
    case : ndarray of int, shape (n,)
    values, units, level, scale_range, bounds
        As for `estimate_mean`.

    Notes
    -----
    psi_k = (y_k - mean)/(C n_c), C cases, n_c judgments of the case of k.
    """
    if not len(values):
        return _no_mean(level)
    place = dense_codes(case)
    n = np.bincount(place)
    mean = exact_mean(np.bincount(place, weights=values) / n)
    return _around(mean, values, 1 / (len(n) * n[place]), units, level, scale_range, bounds)


def standard_scores(values: np.ndarray, rater: np.ndarray, *, scale_range: float) -> StandardScores:
    """Each rating's distance from its rater's mean in the rater's standard deviations.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        All ratings of one criterion that enter, in the order of a unique key.
    rater : ndarray of int, shape (n,)
    scale_range : float
        A rater whose ratings differ by less than 1e-9 of it has no standard deviation.

    Returns
    -------
    StandardScores
        Raters with fewer than two ratings, or with equal ones, are left out and counted.

    Notes
    -----
    z = (y - ybar_r)/s_r, ddof 1.
    """
    place = dense_codes(rater)
    n = np.bincount(place)
    deviation = values - (np.bincount(place, weights=values) / n)[place]
    squares = np.bincount(place, weights=deviation**2)
    low, high = np.full(len(n), np.inf), np.full(len(n), -np.inf)
    np.minimum.at(low, place, values)
    np.maximum.at(high, place, values)
    usable = (n >= 2) & (high - low > RELATIVE_TOLERANCE * scale_range)
    sd = np.sqrt(np.where(usable, squares, 1.0) / np.maximum(n - 1, 1))
    kept = usable[place]
    return StandardScores(value=(deviation / sd[place])[kept], kept=kept, n_raters_left_out=int(len(n) - usable.sum()))


def judge_reversal(difference: Quantity, interval: Interval, *, step: float, scale_range: float) -> ReversalResult:
    """Whether rounding up to the next level could have reversed the order of two systems' mean utilities.

    Parameters
    ----------
    difference : Quantity
        Of the means, in scale units.
    interval : Interval
        Of the difference.
    step : float
        Distance of neighbouring levels.

    Returns
    -------
    ReversalResult
        `possible`: the difference is smaller than one step. `excluded`: its whole interval lies at or beyond one
        step. Each has the status of what it is judged by, where that has no value.

    References
    ----------
    The Authenticity Gap in Human Evaluation, section 3, propositions 1-2.
    """
    step -= RELATIVE_TOLERANCE * scale_range
    excluded = Quantity.missing(interval.status, *interval.reason)
    if interval.low is not None and interval.high is not None:
        excluded = Quantity.of(interval.low >= step or interval.high <= -step)
    if difference.value is None:
        return ReversalResult(possible=difference, excluded=difference)
    return ReversalResult(possible=Quantity.of(abs(difference.value) < step), excluded=excluded)


def _around(
    mean: float,
    values: np.ndarray,
    weight: np.ndarray,
    units: tuple[np.ndarray, ...],
    level: float,
    scale_range: float,
    bounds: Bounds,
) -> MeanResult:
    variance = cluster_variance(weight * (values - mean), units, scale_range=scale_range)
    return MeanResult(
        mean=Quantity.of(mean),
        interval=t_interval(mean, variance, level=level, bounds=bounds),
        n_judgments=len(values),
    )


def _no_mean(level: float) -> MeanResult:
    nothing = ClusterVariance(variance=None, n_clusters=0)
    return MeanResult(
        mean=Quantity.missing(Status.INSUFFICIENT, Reason.NO_JUDGMENTS),
        interval=t_interval(0.0, nothing, level=level),
        n_judgments=0,
    )
