"""What loading the code location may not cost: every process of Dagster pays for it, and so does every command."""

import json
import subprocess
import sys

HEAVY = ("great_expectations", "scipy.stats", "pandera", "pandas", "numba")
ASKED = """
import json, sys
import {module}
print(json.dumps(sorted(sys.modules)))
"""


def loaded_by(module, cwd):
    asked = [sys.executable, "-c", ASKED.format(module=module)]
    done = subprocess.run(asked, cwd=cwd, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_the_code_location_loads_nothing_heavy(tmp_path):
    loaded = loaded_by("pipelines.definitions", tmp_path)

    assert {"dagster", "assets.audit", "checks.profile"} <= loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_command_loads_no_dagster_until_it_runs_one(tmp_path):
    loaded = loaded_by("pipelines.command", tmp_path)

    assert "pipelines.command" in loaded
    assert loaded.isdisjoint({*HEAVY, "dagster", "ibis"})
