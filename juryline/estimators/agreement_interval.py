"""Values of agreement coefficients with their intervals: cases resampled whole, raters fixed or random.

Belongs here: METHODS 7.4. Does not: any coefficient; the t interval itself (`inference`).

Raters are never resampled: two copies of one rater agree with themselves, and the coefficient rises. Where
raters are a sample, leaving each out in turn adds their variance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.agreement_clusters import Clusters, clusters_of
from juryline.estimators.agreement_coefficient import (
    CHANCE_TOLERANCE,
    Coefficient,
    estimate_coefficient,
    quantity_of,
    totals_of,
)
from juryline.estimators.agreement_units import Ratings
from juryline.estimators.bootstrap import MOST_FAILED_ROUNDS, bootstrap_interval, bootstrap_variance, round_generator
from juryline.estimators.cluster_variance import ClusterVariance
from juryline.estimators.inference import t_interval
from juryline.estimators.merged_units import merged_units
from juryline.estimators.quantity import Interval, Quantity

FEWEST_RANDOM_RATERS = 5
_NUMBERS_AT_ONCE = 2**22  # weights or totals held at a time; rounds are drawn one by one, so it changes no result


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How intervals are made; every choice comes from the specification.

    Attributes
    ----------
    level : float
        Confidence, in (0, 1).
    rounds : int
        Bootstrap rounds.
    seed, analysis : int, str
        Name the random stream of each round.
    percentile : bool
        Percentiles of the rounds instead of a t interval.
    random_raters : bool
        Add the variance between raters.
    """

    level: float
    rounds: int
    seed: int
    analysis: str
    percentile: bool
    random_raters: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CoefficientResult:
    """A coefficient with its interval, on units of clusters.

    `n_units` are the units it rests on, `n_clusters` the clusters with anything it sums.
    """

    quantity: Quantity
    interval: Interval
    n_units: int
    n_clusters: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Prepared:
    coefficient: Coefficient
    sums: Any
    clusters: Clusters
    used: np.ndarray
    """Rows of the clusters that hold anything the coefficient sums."""
    totals: np.ndarray
    quantity: Quantity

    @property
    def n_clusters(self) -> int:
        return int(self.clusters.multiplicity[self.used].sum())

    @property
    def resampled(self) -> bool:
        return self.quantity.value is not None and not _perfect(self.quantity.value) and self.n_clusters >= 2


def estimate_with_intervals(
    ratings: Ratings, cluster: np.ndarray, coefficients: Sequence[Coefficient], *, resampling: Resampling
) -> list[CoefficientResult]:
    """Values of coefficients of the same ratings, each with its interval.

    Parameters
    ----------
    cluster : ndarray of int, shape (n_units,)
        Cluster (case) of each unit, codes from 0 without a gap.

    Returns
    -------
    list of CoefficientResult
        Values as `estimate_coefficient`. An interval has the status of its value where that has none; degenerate,
        perfect_agreement: the value is 1. insufficient, one_cluster: fewer than two clusters. not_estimable,
        bootstrap_rounds_failed: more than 5 % of rounds without a value. With random raters also insufficient,
        too_few_raters: fewer than five; not_estimable, jackknife_rounds_failed: no value without one of them.

    Raises
    ------
    ValueError
        Percentiles asked for together with random raters; codes of clusters with a gap.

    Notes
    -----
    t interval on log(1 - coefficient), t with G - 1 degrees of freedom, turned back and clipped to the bounds of the
    coefficient. The variance is that of the rounds' logarithms. A round in which all agree has a coefficient, though no
    logarithm: where these are more than 5 %, it is the variance of the rounds over (1 - coefficient)^2. Random raters
    add (R-1)/R sum_r (a_(-r) - mean)^2 over (1 - coefficient)^2, and leave R - 1 degrees of freedom; coefficients of
    two named raters keep them fixed.
    Coefficients that rest on the same clusters share their rounds.
    """
    if resampling.percentile and resampling.random_raters:
        raise ValueError("percentile intervals know fixed raters only")
    if len(cluster) != ratings.n_units or not np.bincount(cluster).all():
        raise ValueError("cluster must give one code for each unit, from 0 without a gap")
    prepared = _prepare(ratings, cluster, coefficients)
    rounds: dict[int, np.ndarray] = {}
    groups: dict[tuple[bool, bytes], list[int]] = {}
    for place, one in enumerate(prepared):
        if one.resampled:
            groups.setdefault((one.coefficient.names_raters, one.used.tobytes()), []).append(place)
    for places in groups.values():
        rounds |= dict(zip(places, _rounds([prepared[place] for place in places], resampling)))
    return [
        CoefficientResult(
            quantity=one.quantity,
            interval=_interval(one, rounds.get(place, np.empty(0)), ratings, resampling),
            n_units=round(one.totals[0]),
            n_clusters=one.n_clusters,
        )
        for place, one in enumerate(prepared)
    ]


def _prepare(ratings: Ratings, cluster: np.ndarray, coefficients: Sequence[Coefficient]) -> list[_Prepared]:
    merged: dict[bool, tuple[Ratings, Clusters]] = {}
    prepared = []
    for coefficient in coefficients:
        named = coefficient.names_raters
        if named not in merged:
            of_units = merged_units(ratings, named=named)
            merged[named] = of_units.ratings, clusters_of(cluster, of_units)
        patterns, clusters = merged[named]
        sums = coefficient.sums(patterns)
        totals = totals_of(sums, totals_of(clusters.incidence, clusters.multiplicity[np.newaxis].astype(float)))[0]
        prepared.append(
            _Prepared(
                coefficient=coefficient,
                sums=sums,
                clusters=clusters,
                used=clusters.incidence @ (np.diff(sums.indptr) > 0).astype(float) > 0,
                totals=totals,
                quantity=quantity_of(coefficient, totals),
            )
        )
    return prepared


def _rounds(group: list[_Prepared], resampling: Resampling) -> list[np.ndarray]:
    clusters = group[0].clusters.only(group[0].used)
    width = max(*clusters.incidence.shape, *(one.sums.shape[1] for one in group))
    at_once = max(1, _NUMBERS_AT_ONCE // width)
    values: list[list[np.ndarray]] = [[] for _ in group]
    for first in range(0, resampling.rounds, at_once):
        numbers = range(first, min(first + at_once, resampling.rounds))
        streams = (round_generator(resampling.seed, resampling.analysis, number) for number in numbers)
        drawn = np.stack([clusters.draw(stream) for stream in streams]).astype(float)
        units = totals_of(clusters.incidence, drawn)
        for one, of_one in zip(group, values):
            of_one.append(one.coefficient.value(totals_of(one.sums, units)))
    return [np.concatenate(of_one) for of_one in values]


def _interval(one: _Prepared, rounds: np.ndarray, ratings: Ratings, resampling: Resampling) -> Interval:
    value, level = one.quantity.value, resampling.level
    method = "bootstrap_percentile" if resampling.percentile else "bootstrap_t_log"
    if value is None:
        return Interval(status=one.quantity.status, level=level, method=method, reason=one.quantity.reason)
    if _perfect(value):
        return _of_perfect(one.n_clusters, level, method)
    usable = rounds[~np.isnan(rounds)]
    interval = bootstrap_interval(
        value,
        usable,
        len(rounds) - len(usable),
        one.n_clusters,
        level=level,
        seed=resampling.seed,
        percentile=resampling.percentile,
    )
    if resampling.percentile or interval.status in (Status.INSUFFICIENT, Status.NOT_ESTIMABLE):
        return replace(interval, method=method)
    variance = _variance_of_log(value, usable, one.n_clusters)
    if resampling.random_raters and one.coefficient.raters_are_sample:
        spread = _spread_over_raters(one.coefficient, ratings)
        if spread.value is None or variance.variance is None:
            none = replace(interval, low=None, high=None, std_error=None, df=None, method=method)
            return replace(none, status=spread.status, reason=spread.reason)
        n_raters = len(ratings.present_raters)
        variance = ClusterVariance(
            variance=variance.variance + spread.value / (1 - value) ** 2,
            n_clusters=min(n_raters, one.n_clusters),
            satterthwaite=n_raters - 1,
        )
    on_log = _from_log(value, variance, level=level, lowest=one.coefficient.lowest)
    return replace(
        on_log,
        method=method,
        n_clusters=interval.n_clusters,
        n_boot=interval.n_boot,
        n_boot_failed=interval.n_boot_failed,
        seed=interval.seed,
    )


def _variance_of_log(value: float, rounds: np.ndarray, n_clusters: int) -> ClusterVariance:
    """Variance of log(1 - coefficient) from the rounds with a coefficient."""
    below = rounds[1 - rounds > CHANCE_TOLERANCE]
    if len(below) >= (1 - MOST_FAILED_ROUNDS) * len(rounds):
        return bootstrap_variance(np.log1p(-below), n_clusters)
    return _of_log(value, bootstrap_variance(rounds, n_clusters))


def _spread_over_raters(coefficient: Coefficient, ratings: Ratings) -> Quantity:
    """Jackknife variance of a coefficient over its raters."""
    raters = ratings.present_raters
    if len(raters) < FEWEST_RANDOM_RATERS:
        return Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_RATERS)
    left_out = [estimate_coefficient(coefficient, ratings.without(rater)).value for rater in raters]
    values = [value for value in left_out if value is not None]
    if len(values) < len(raters):
        return Quantity.missing(Status.NOT_ESTIMABLE, Reason.JACKKNIFE_ROUNDS_FAILED)
    mean = math.fsum(values) / len(values)
    return Quantity.of((len(raters) - 1) / len(raters) * math.fsum((value - mean) ** 2 for value in values))


def interval_on_log(value: float, variance: ClusterVariance, *, level: float) -> Interval:
    """t interval of an agreement on log(1 - agreement), from the variance of its linear contributions.

    Returns
    -------
    Interval
        degenerate, perfect_agreement: the agreement is 1; degenerate, zero_variance: clusters do not differ.
        insufficient, one_cluster: fewer than two clusters. ok with few_clusters: fewer than ten.

    Notes
    -----
    The scale of METHODS 7.4, where agreement near its bound is skewed: V/(1 - a)^2 is the variance of log(1 - a).
    """
    method = "cluster_t_log"
    if _perfect(value):
        return _of_perfect(variance.n_clusters, level, method)
    return replace(_from_log(value, _of_log(value, variance), level=level, lowest=0.0), method=method)


def _of_perfect(n_clusters: int, level: float, method: str) -> Interval:
    reason = (Reason.PERFECT_AGREEMENT,)
    return Interval(status=Status.DEGENERATE, level=level, method=method, reason=reason, n_clusters=n_clusters)


def _of_log(value: float, variance: ClusterVariance) -> ClusterVariance:
    of_log = None if variance.variance is None else variance.variance / (1 - value) ** 2
    return replace(variance, variance=of_log)


def _from_log(value: float, variance: ClusterVariance, *, level: float, lowest: float | None) -> Interval:
    """t interval of a coefficient from the variance of log(1 - coefficient)."""
    interval = t_interval(math.log1p(-value), variance, level=level)
    if interval.low is None or interval.high is None or interval.std_error is None:
        return interval
    low = -math.expm1(interval.high)
    return replace(
        interval,
        low=low if lowest is None else max(lowest, low),
        high=-math.expm1(interval.low),
        std_error=(1 - value) * interval.std_error,
    )


def _perfect(value: float) -> bool:
    return 1 - value <= CHANCE_TOLERANCE
