"""Every test rejects a true null hypothesis as often as its level says, within Monte-Carlo error."""

import math

import numpy as np
import pytest

from benchmarks.simulated.catalogue import CLUSTERS, REJECTION, rejection
from benchmarks.simulated.measuring import ALPHA
from juryline.estimators.spa import PairAnswers, estimate_preference

LEAST_WITH_A_P_VALUE = 0.98
# The largest of three two-way variances is too large where the games of one cluster have little in common.
CAUTIOUS = {("games by rater x case", "length_contrast_t")}
STANDARD_ERRORS = 4  # of a binomial share: 1.95 points with 2,000 studies


def bound(n):
    return STANDARD_ERRORS * math.sqrt(ALPHA * (1 - ALPHA) / n)


@pytest.mark.slow
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("simulation", REJECTION)
def test_tests_reject_at_their_level(simulation, clusters):
    found = rejection(simulation, clusters)

    outside = {
        name: one.share
        for name, one in found.items()
        if one.share > ALPHA + bound(one.valued)
        or (one.share < ALPHA - bound(one.valued) and (simulation, name) not in CAUTIOUS)
    }
    assert found
    assert outside == {}
    assert all(one.valued >= LEAST_WITH_A_P_VALUE * one.replicates for one in found.values())


@pytest.mark.slow
def test_dropping_raters_whose_answers_sum_above_tau_biases_forward_answers_only():
    """Without a preference, 60 raters, answer noise .15, tau 1.1: the forward mean is .446 (METHODS 1)."""
    draw, n_studies, n_raters, tau = np.random.default_rng(1), 2_000, 60, 1.1
    means, rejected = [], {"forward": 0, "mean_of_both": 0}
    for _ in range(n_studies):
        both_ways = np.clip(draw.normal(0.5, 0.15, (n_raters, 2)), 0, 1)
        kept = both_ways[both_ways.sum(axis=1) <= tau]
        answers = PairAnswers(
            rater=np.repeat(np.arange(len(kept)), 2), forward=np.tile([True, False], len(kept)), value=kept.ravel()
        )
        results = {mode: estimate_preference(answers, mode=mode, level=0.95) for mode in rejected}
        means.append(results["forward"].preference.value)
        for mode, result in results.items():
            rejected[mode] += result.test.p_value <= ALPHA

    assert np.mean(means) == pytest.approx(0.446, abs=0.003)
    assert rejected["forward"] / n_studies > 0.5  # the more seldom, the more raters differ
    assert abs(rejected["mean_of_both"] / n_studies - ALPHA) <= bound(n_studies)
