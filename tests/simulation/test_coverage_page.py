"""docs/coverage.md has a measured row for everything that is simulated, and for nothing else."""

import re

import numpy as np
import pytest

from benchmarks.simulated.catalogue import CLUSTERS, COVERAGE, REJECTION
from benchmarks.simulated.page import PAGE

ROW = r"^\| (.+?) \| (.+?) \|" + r" +\d+\.\d \|" * len(CLUSTERS) + "$"


@pytest.mark.parametrize(("part", "simulations"), [(1, COVERAGE), (2, REJECTION)])
def test_the_page_has_a_row_for_every_simulated_statistic(part, simulations):
    section = PAGE.read_text(encoding="utf-8").split("\n## ")[part]

    rows = re.findall(ROW, section, re.MULTILINE)

    expected = [
        (name, statistic)
        for name, simulation in simulations.items()
        for statistic in simulation.study(np.random.default_rng(0), CLUSTERS[0])
    ]
    assert rows == expected
