"""Simulated labels of three raters, always the same ones, on cases of several units.

Belongs here: the design, its truths, and what the public estimators of `agreement` say of a study.
"""

from functools import cache

import numpy as np

from benchmarks.simulated.measuring import LEVEL, Results
from juryline.estimators.agreement_coefficient import Coefficient, estimate_coefficient
from juryline.estimators.agreement_interval import Resampling, estimate_with_intervals
from juryline.estimators.agreement_units import Ratings, tally_ratings
from juryline.estimators.cohen_kappa import CohenKappa, LightKappa, disagreement_weights
from juryline.estimators.fleiss_kappa import FleissKappa
from juryline.estimators.gwet_ac import GwetAC
from juryline.estimators.judge_agreement import (
    JudgeAgreementResult,
    JudgedUnits,
    batch_drift,
    judge_agreement,
    match_units,
)
from juryline.estimators.krippendorff_alpha import KrippendorffAlpha, NominalDistance, OrdinalAlpha
from juryline.estimators.raw_agreement import RawAgreement

N_LABELS = 3
N_RATERS = 3
UNITS_A_CASE = 5
_MANY_CASES = 200_000  # of five units: a million

# How often each rater guesses at the hardest unit, and which label then.
_GUESSES = np.array([0.5, 0.7, 0.9])
_HABITS = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4]])

COEFFICIENTS: dict[str, Coefficient] = {
    "raw_agreement": RawAgreement(),
    "cohen_kappa": CohenKappa(first=0, second=1, disagreement=disagreement_weights(N_LABELS, power=0), mirror=None),
    "cohen_kappa_quadratic": CohenKappa(
        first=0, second=1, disagreement=disagreement_weights(N_LABELS, power=2), mirror=None
    ),
    "light_kappa": LightKappa(n_labels=N_LABELS, mirror=None),
    "fleiss_kappa": FleissKappa(mirror=None),
    "gwet_ac1": GwetAC(weights=np.eye(N_LABELS), mirror=None),
    "krippendorff_alpha, nominal": KrippendorffAlpha(distance=NominalDistance(), mirror=None),
    "krippendorff_alpha, ordinal": OrdinalAlpha(n_labels=N_LABELS),
}

_OF_JUDGE = {"judge_agreement": "judge", "human_agreement": "humans", "judge_minus_human": "difference"}


def draw_labels(draw: np.random.Generator, cases: int) -> Ratings:
    """Ratings of a study: cases differ in which label is common and in how hard they are; one in ten is missing."""
    common = np.repeat(draw.dirichlet([1.5, 1.0, 0.8], cases), UNITS_A_CASE, axis=0)
    hard = np.repeat(draw.random(cases), UNITS_A_CASE)[:, np.newaxis]
    n_units = len(hard)
    truth = (draw.random((n_units, 1)) > common.cumsum(axis=1)[:, :-1]).sum(axis=1, keepdims=True)
    habit = np.stack([draw.choice(N_LABELS, size=n_units, p=p) for p in _HABITS], axis=1)
    labels = np.where(draw.random((n_units, N_RATERS)) < hard * _GUESSES, habit, truth)
    given = draw.random((n_units, N_RATERS)) < 0.9
    given[~given.any(axis=1), 0] = True
    unit, rater = np.nonzero(given)
    return tally_ratings(
        unit,
        rater,
        labels[given],
        np.ones(len(unit), dtype=int),
        n_units=n_units,
        n_raters=N_RATERS,
        n_labels=N_LABELS,
    )


def intervals(draw: np.random.Generator, cases: int) -> Results:
    """Intervals of a study's coefficients."""
    ratings = draw_labels(draw, cases)
    resampling = Resampling(
        level=LEVEL,
        rounds=200,
        seed=int(draw.integers(2**31)),
        analysis="simulated",
        percentile=False,
        random_raters=False,
    )
    cluster = np.repeat(np.arange(cases), UNITS_A_CASE)
    results = estimate_with_intervals(ratings, cluster, list(COEFFICIENTS.values()), resampling=resampling)
    found = {name: result.interval for name, result in zip(COEFFICIENTS, results)}
    judged = _judge(ratings, cluster)
    return found | {name: getattr(judged, part).interval for name, part in _OF_JUDGE.items()}


@cache
def truths() -> dict[str, float]:
    """The coefficients of a million units."""
    ratings = draw_labels(np.random.default_rng(0), _MANY_CASES)
    values = {name: estimate_coefficient(one, ratings).value for name, one in COEFFICIENTS.items()}
    assert None not in values.values(), "a million units leave no coefficient undefined"
    found = {name: value for name, value in values.items() if value is not None}
    judged = _judge(ratings, np.arange(ratings.n_units))
    return found | {name: getattr(judged, part).mean.value for name, part in _OF_JUDGE.items()}


def tests(draw: np.random.Generator, cases: int) -> Results:
    """The test of a judge that has not changed between two batches of cases."""
    first, later = (
        _judged(draw_labels(draw, cases), np.repeat(batch + np.arange(cases), UNITS_A_CASE)) for batch in (0, cases)
    )
    return {"drift_t": batch_drift(first, later, level=LEVEL).test}


def _judge(ratings: Ratings, cluster: np.ndarray) -> JudgeAgreementResult:
    return judge_agreement(_judged(ratings, cluster), level=LEVEL)


def _judged(ratings: Ratings, cluster: np.ndarray) -> JudgedUnits:
    """The last rater held against the other two."""
    return match_units(ratings, cluster, np.arange(N_RATERS) == N_RATERS - 1)
