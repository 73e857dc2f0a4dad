"""How often a judge gives the label that a rater of the reference gives, and whether that changes (METHODS 11).

Belongs here: agreement of a judge with a reference population unit by unit, beside the agreement of that population
with itself on the same units, and differences between batches. Does not: agreement beyond chance
(`population_kappa`).
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.agreement_coefficient import FEW_UNITS
from juryline.estimators.agreement_interval import interval_on_log
from juryline.estimators.agreement_units import Ratings
from juryline.estimators.cluster_variance import cluster_variance, exact_mean
from juryline.estimators.inference import UNIT_BOUNDS, Bounds, t_interval, t_test
from juryline.estimators.population_kappa import PopulationAgreement
from juryline.estimators.quantity import Interval, Quantity, Test
from juryline.estimators.raw_agreement import RawAgreement

FEWEST_UNITS_OF_A_BATCH = 10
NO_DRIFT = 0.0
_DIFFERENCE_BOUNDS: Bounds = (-1.0, 1.0)
_SHARED = Reason.NO_SHARED_UNIT


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedUnits:
    """The units that a judge and a rater of the reference both labelled.

    Attributes
    ----------
    cluster : ndarray of int, shape (n_units,)
        Cluster (case) of each.
    with_judge : ndarray of float, shape (n_units,)
        Share of the reference's labels that are the judge's: sum_k p_uHk p_uJk.
    paired : ndarray of bool, shape (n_units,)
        Whether two raters of the reference labelled it.
    among_raters : ndarray of float, shape (n_units,)
        Agreement between the raters of the reference, sum_k o_ukk/(r_u (r_u - 1)); 0 where it is not paired.
    """

    cluster: np.ndarray
    with_judge: np.ndarray
    paired: np.ndarray
    among_raters: np.ndarray

    @property
    def n_units(self) -> int:
        return len(self.cluster)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanOfUnits:
    """A mean over units, each the same, with its interval over clusters."""

    mean: Quantity
    interval: Interval
    n_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreementResult:
    """A judge's agreement with the reference, the reference's with itself, and their difference on the same units."""

    judge: MeanOfUnits
    humans: MeanOfUnits
    difference: MeanOfUnits


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftResult:
    """A batch's agreement minus the first one's; `n_units` are those of the batch."""

    drift: Quantity
    interval: Interval
    test: Test
    n_units: int


def match_units(ratings: Ratings, cluster: np.ndarray, in_judge: np.ndarray) -> JudgedUnits:
    """Agreement in each unit that the judge and the reference both labelled.

    Parameters
    ----------
    ratings : Ratings
        Of the judge and of the reference.
    cluster : ndarray of int, shape (n_units,)
        Cluster of each unit; any codes.
    in_judge : ndarray of bool, shape (n_raters,)
        Whether each rater is the judge's; several judgments of a unit are a vector of shares.
    """
    shared = PopulationAgreement(in_second=in_judge).sums(ratings).toarray()
    units = np.flatnonzero(shared[:, 0])
    reference = ratings.of_units(units).by(~in_judge)
    among = RawAgreement().sums(reference).toarray()
    return JudgedUnits(
        cluster=np.asarray(cluster)[units],
        with_judge=shared[units, 1],
        paired=among[:, 0] > 0,
        among_raters=among[:, 1],
    )


def judge_agreement(units: JudgedUnits, *, level: float) -> JudgeAgreementResult:
    """How often the judge agrees with a rater of the reference, and how often two of these agree.

    Parameters
    ----------
    units : JudgedUnits
    level : float
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    JudgeAgreementResult
        undefined, no_shared_unit: `judge`, no unit was labelled by both; `humans` and `difference`, none of those was
        by two raters of the reference. ok with unit_count_below_30; the difference, and the humans' agreement, with
        units_left_out where some units have one such rater only. Intervals as `t_interval`; the humans' agreement is
        raw agreement and has that one's scale, log(1 - agreement).

    Notes
    -----
    Means over units, each the same, psi_u = (y_u - mean)/n. The difference is the mean of the units' differences over
    those that have both, so that the two are held against each other on the same units.
    """
    paired = units.paired
    beside = (Reason.UNITS_LEFT_OUT,) if not paired.all() else ()
    difference = units.with_judge[paired] - units.among_raters[paired]
    return JudgeAgreementResult(
        judge=_mean(units.with_judge, units.cluster, level),
        humans=_mean(units.among_raters[paired], units.cluster[paired], level, *beside, on_log=True),
        difference=_mean(difference, units.cluster[paired], level, *beside, bounds=_DIFFERENCE_BOUNDS),
    )


def batch_drift(first: JudgedUnits, later: JudgedUnits, *, level: float) -> DriftResult:
    """The judge's agreement in a batch minus that in the first one.

    Parameters
    ----------
    first, later : JudgedUnits
        With codes of clusters in common: a case that both batches hold is one cluster.
    level : float
        Confidence of the interval, in (0, 1).

    Returns
    -------
    DriftResult
        insufficient, too_few_units: fewer than ten units in either batch. Interval and test as `t_interval` and
        `t_test`, over the clusters of both.

    Notes
    -----
    psi_u = (y_u - mean_later)/n_later in the later batch and -(y_u - mean_first)/n_first in the first: where both
    judged the same cases, what the cases have in common cancels within their clusters.
    """
    n_units = later.n_units
    if min(first.n_units, n_units) < FEWEST_UNITS_OF_A_BATCH:
        none = Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_UNITS)
        return DriftResult(
            drift=none,
            interval=_no_interval(none, level),
            test=Test(statistic=none, null_value=NO_DRIFT),
            n_units=n_units,
        )
    means = [exact_mean(batch.with_judge) for batch in (first, later)]
    psi = np.concatenate([(means[0] - first.with_judge) / first.n_units, (later.with_judge - means[1]) / later.n_units])
    variance = cluster_variance(psi, (np.concatenate([first.cluster, later.cluster]),))
    drift = means[1] - means[0]
    return DriftResult(
        drift=Quantity.of(drift),
        interval=t_interval(drift, variance, level=level, bounds=_DIFFERENCE_BOUNDS),
        test=t_test(drift, NO_DRIFT, variance),
        n_units=n_units,
    )


def _mean(
    values: np.ndarray,
    cluster: np.ndarray,
    level: float,
    *reason: Reason,
    bounds: Bounds = UNIT_BOUNDS,
    on_log: bool = False,
) -> MeanOfUnits:
    if not len(values):
        none = Quantity.missing(Status.UNDEFINED, _SHARED)
        return MeanOfUnits(mean=none, interval=_no_interval(none, level), n_units=0)
    mean = exact_mean(values)
    variance = cluster_variance((values - mean) / len(values), (cluster,))
    few = (Reason.UNIT_COUNT_BELOW_30,) if len(values) < FEW_UNITS else ()
    if on_log:
        interval = interval_on_log(mean, variance, level=level)
    else:
        interval = t_interval(mean, variance, level=level, bounds=bounds)
    return MeanOfUnits(mean=Quantity.of(mean, *few, *reason), interval=interval, n_units=len(values))


def _no_interval(none: Quantity, level: float) -> Interval:
    return Interval(status=none.status, level=level, method="cluster_t", reason=none.reason)
