"""Replicates of a simulated study counted: intervals that hold the truth, tests that reject.

Belongs here: what a simulation is, and counting over its replicates, each with a random stream of its own. Does not:
any design, or what a count must be.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Status
from juryline.estimators.quantity import Interval, Test

LEVEL = 0.95
ALPHA = 0.05
REPLICATES = 2_000  # Monte-Carlo standard error of 95 %: half a point

Results = Mapping[str, Interval | Test]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """Studies of a design with a number of clusters.

    Parameters
    ----------
    study : callable (Generator, clusters) -> dict of str to Interval or Test
        One study, estimated by the public estimators, by the name of each statistic.
    truth : callable (clusters) -> dict of str to float
        What each interval is to hold. Tests need none: nothing differs.
    """

    study: Callable[[np.random.Generator, int], Results]
    truth: Callable[[int], Mapping[str, float]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Intervals that held the truth, or tests that rejected, of those that had a value, in `replicates` studies."""

    hits: int
    valued: int
    replicates: int

    @property
    def share(self) -> float:
        return self.hits / self.valued


def measure(simulation: Simulation, clusters: int, *, replicates: int = REPLICATES) -> dict[str, Counted]:
    """Coverage of every interval, or rejection rate at 5 % of every test, of a simulation's studies."""
    truth = simulation.truth(clusters) if simulation.truth else {}
    hits: dict[str, int] = {}
    valued: dict[str, int] = {}
    for number in range(replicates):
        results = simulation.study(np.random.default_rng([clusters, number]), clusters)
        for name, result in results.items():
            hit = _rejects(result) if isinstance(result, Test) else _holds(result, truth[name])
            valued[name] = valued.get(name, 0) + (hit is not None)
            hits[name] = hits.get(name, 0) + bool(hit)
    return {name: Counted(hits=hits[name], valued=valued[name], replicates=replicates) for name in hits}


def _holds(interval: Interval, truth: float) -> bool | None:
    if interval.status is not Status.OK or interval.low is None or interval.high is None:
        return None
    return interval.low <= truth <= interval.high


def _rejects(test: Test) -> bool | None:
    return None if test.p_value is None else test.p_value <= ALPHA
