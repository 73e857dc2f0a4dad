"""Every test rejects a true null hypothesis as often as its level says, within Monte-Carlo error."""

import math

import pytest

from benchmarks.simulated.catalogue import CLUSTERS, REJECTION, rejection
from benchmarks.simulated.measuring import ALPHA

STANDARD_ERRORS = 4  # of a binomial share: 1.95 points with 2,000 studies


@pytest.mark.slow
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("simulation", REJECTION)
def test_tests_reject_at_their_level(simulation, clusters):
    found = rejection(simulation, clusters)

    bound = {name: STANDARD_ERRORS * math.sqrt(ALPHA * (1 - ALPHA) / counted.valued) for name, counted in found.items()}
    outside = {name: counted.share for name, counted in found.items() if abs(counted.share - ALPHA) > bound[name]}
    assert found
    assert outside == {}
    assert all(counted.valued >= 0.99 * counted.replicates for counted in found.values())
