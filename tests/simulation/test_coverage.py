"""METHODS 14: intervals of every statistic hold their truth in 93 to 97 % of studies, at 10, 20 and 40 clusters."""

import pytest

from benchmarks.simulated.catalogue import CLUSTERS, COVERAGE, coverage

LEAST_WITH_AN_INTERVAL = 0.98  # in some studies of ten clusters a system is undefeated, and has no strength


@pytest.mark.slow
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("simulation", COVERAGE)
def test_intervals_cover_their_truth(simulation, clusters):
    found = coverage(simulation, clusters)

    outside = {name: counted.share for name, counted in found.items() if not 0.93 <= counted.share <= 0.97}
    assert found
    assert outside == {}
    assert all(counted.valued >= LEAST_WITH_AN_INTERVAL * counted.replicates for counted in found.values())
