"""The audit of a study: Great Expectations over its profile, in a job of its own."""

import os
import subprocess
import sys

import dagster as dg
import pandas as pd
import pytest

from data_contracts.tables import JUDGMENT_PROFILE

# Importing Great Expectations imports modules of Python that Python 3.11 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:module 'sre_:DeprecationWarning")

GOOD = {
    "day": "2026-03-02",
    "criterion": "overall",
    "population": "crowd",
    "n_judgments": 40,
    "n_raters": 8,
    "share_unknown": 0.1,
    "share_abstain": 0.05,
    "share_missing": 0.02,
    "share_invalid": 0.0,
    "n_timed": 40,
    "median_seconds": 31.5,
}


def profile(*changes):
    return pd.DataFrame([GOOD | change for change in changes], columns=JUDGMENT_PROFILE.names)


def failed(*changes):
    from checks.profile import failures

    return failures(profile(*changes))


def test_good_collection_meets_every_expectation():
    assert failed({}, {"day": "2026-03-03"}, {"day": None, "n_timed": 0, "median_seconds": None}) == []


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("share_missing", 0.21, "at most a fifth of the judgments have no answer"),
        ("share_abstain", 0.31, "raters abstain from at most three judgments of ten"),
        ("share_unknown", 0.31, "evidence suffices for at least seven judgments of ten"),
        ("share_invalid", 0.11, "in no row is more than a tenth of the answers outside the response set"),
        ("median_seconds", 0.5, "the median judgment takes between a second and an hour"),
        ("median_seconds", 3601.0, "the median judgment takes between a second and an hour"),
    ],
)
def test_what_is_not_as_expected_is_told_with_where(column, value, expected):
    told = failed({}, {"day": "2026-03-05", "population": "experts", column: value})

    assert len(told) == 1
    assert expected in told[0]["expected"]
    assert told[0]["n_unexpected"] == 1
    assert told[0]["where"] == [{"day": "2026-03-05", "criterion": "overall", "population": "experts"}]


@pytest.mark.parametrize(
    ("column", "value"),
    [("share_missing", 0.2), ("share_abstain", 0.3), ("share_invalid", 0.1), ("median_seconds", 1.0)],
)
def test_a_bound_is_still_as_expected(column, value):
    assert failed({column: value}) == []


def test_an_odd_day_among_ten_is_let_pass_for_shares():
    assert failed({"share_missing": 1.0}, *[{}] * 9) == []
    assert len(failed({"share_missing": 1.0}, *[{}] * 8)) == 1


def test_no_judgments_is_told():
    assert [told["expected"] for told in failed()] == ["there are judgments"]


def test_an_expectation_that_cannot_be_evaluated_is_no_verdict():
    from checks.profile import failures

    with pytest.raises(RuntimeError, match=r'could not be evaluated: .*"share_missing" in BatchData does not exist'):
        failures(profile({}).drop(columns="share_missing"))


def test_the_job_profiles_a_study_and_warns_of_what_is_odd(daemon, finished, votes):
    daemon.place.study("odd", votes(*[(f"w{n}", f"h{n}", "") for n in range(4)], seconds=0.25))
    ran = daemon.run("odd")

    audited = daemon.run("odd", job="audit")
    verdicts = {evaluation.check_name: evaluation for evaluation in audited.get_asset_check_evaluations()}
    verdict = verdicts["collection_as_expected"]
    told = [expectation["expected"] for expectation in verdict.metadata["failed"].value]

    assert ran.success
    assert audited.success
    assert not verdict.passed
    assert verdict.severity.value == "WARN"
    assert verdict.partition == "odd"
    assert told == [
        "in nine rows of ten at most a fifth of the judgments have no answer",
        "in every row with times the median judgment takes between a second and an hour",
    ]
    assert not {"w0", "w1", "w2", "w3"} & set(str(verdict.metadata["failed"].value).split("'"))


def test_the_job_passes_a_study_as_expected(daemon, finished):
    audited = daemon.run("voted", job="audit")
    verdicts = {evaluation.check_name: evaluation for evaluation in audited.get_asset_check_evaluations()}

    assert verdicts.keys() == {"contract", "collection_as_expected"}
    assert all(evaluation.passed for evaluation in verdicts.values())


def test_nothing_is_told_to_anybody(tmp_path):
    # The switch is read when Great Expectations is imported, so this is asked of a process of its own.
    told = """
import socket
def refuse(*arguments, **named): raise SystemExit("a connection was asked for")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from tests_profile import GOOD
import pandas as pd
from checks.profile import failures
assert failures(pd.DataFrame([GOOD])) == []
import os
print(os.environ["GX_ANALYTICS_ENABLED"])
"""
    (tmp_path / "tests_profile.py").write_text(f"GOOD = {GOOD!r}\n")
    environment = {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", told], env=environment, cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "False"
    assert not (tmp_path / "home").exists()


@pytest.mark.slow
def test_the_command_runs_the_audit_when_it_is_selected(daemon, finished):
    root = daemon.place.workspace.root
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("DAGSTER", "JURYLINE"))}
    command = [sys.executable, "-m", "pipelines.command", "run", "voted", "--select", "judgment_profile"]
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    with dg.DagsterInstance.from_config(str(daemon.place.workspace.dagster_home)) as instance:
        run = instance.get_runs(limit=1)[0]
        checks = [event.asset_check_evaluation_data.check_name for event in evaluations(instance, run)]
    assert sorted(checks) == ["collection_as_expected", "contract"]


def evaluations(instance, run):
    logged = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    return [record.dagster_event for record in logged]
