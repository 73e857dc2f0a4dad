"""Results on one thread and on several, of BLAS, OpenMP, numba and our own: equal in every bit."""

import os
import subprocess
import sys
from pathlib import Path

ESTIMATES = """
import os, sys
os.cpu_count = lambda: int(sys.argv[1])
import numpy as np
from juryline.estimators.agreement_interval import Resampling, estimate_with_intervals
from juryline.estimators.agreement_units import tally_ratings
from juryline.estimators.bradley_terry import bradley_terry
from juryline.estimators.cohen_kappa import LightKappa
from juryline.estimators.elo import elo_ratings
from juryline.estimators.game_counts import tally_games
from juryline.estimators.games import Games
from juryline.estimators.krippendorff_alpha import OrdinalAlpha

def games(n, systems, clusters):
    rng = np.random.default_rng(1)
    first = rng.integers(0, systems, n)
    return Games(first=first, second=(first + rng.integers(1, systems, n)) % systems, outcome=rng.integers(0, 3, n),
                 clusters=tuple(rng.integers(0, size, n) for size in clusters), n_systems=systems)

def ratings(n, raters):
    label = np.random.default_rng(2).integers(0, 3, (n, raters))
    unit, rater = np.indices(label.shape, dtype=np.int32).reshape(2, -1)
    return tally_ratings(unit, rater, label.ravel(), None, n_units=n, n_raters=raters, n_labels=3)

# Two hundred systems: as many as LAPACK splits among threads. Two million ratings: more than one part.
for played in (games(40_000, 200, (300, 200)), games(40_000, 3, (1,)), games(20_000, 5, (40,))):
    pairs = [(0, 1), (2, 1)]
    for ties in ("half", "davidson"):
        print(bradley_terry(tally_games(played), ties=ties, pairs=pairs, level=0.95))
print(elo_ratings(games(60, 4, (9,)), k=32, start=1000, ties="half", orderings=70, pairs=[(0, 1)], rounds=4,
                  level=0.95, seed=7, analysis="elo"))
plan = Resampling(level=0.95, rounds=40, seed=7, analysis="a", percentile=False, random_raters=False)
for units, cases in ((700_000, 700_000), (3_000, 50)):
    read = ratings(units, 3)
    asked = [OrdinalAlpha(n_labels=3), LightKappa(n_labels=3, mirror=None)]
    print(estimate_with_intervals(read, np.arange(units) % cases, asked, resampling=plan))
"""


def test_the_number_of_threads_changes_no_bit():
    def printed(threads):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        return subprocess.run(
            [sys.executable, "-c", ESTIMATES, threads],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | dict.fromkeys(names, threads),
        ).stdout

    one, several = printed("1"), printed("2")

    assert "OK" in one
    assert several == one
