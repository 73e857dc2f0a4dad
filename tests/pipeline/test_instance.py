"""The Dagster instance of a workspace: what it keeps to itself, and what it does with runs that were cut off."""

import dagster as dg
import pytest

from data_contracts.errors import LockHeldError
from juryline.ledger.lock import study_lock
from pipelines.lost_runs import end_lost_runs
from pipelines.web_interface import serve

STATUS = dg.DagsterRunStatus


@pytest.fixture(scope="module")
def place(place_of):
    place = place_of("kept")
    place.study("stories")
    return place


@pytest.fixture(scope="module")
def instance(place):
    with dg.DagsterInstance.from_config(str(place.workspace.dagster_home)) as instance:
        yield instance


@pytest.fixture
def started(instance):
    """Keeps a run of the study `stories` as going on."""

    def keep(status=STATUS.STARTED, tags=(("dagster/partition", "stories"),)):
        return instance.add_run(dg.DagsterRun(job_name="study", status=status, tags=dict(tags))).run_id

    yield keep
    instance.wipe()


def test_nothing_is_told_to_anybody(instance):
    assert not instance.telemetry_enabled
    assert not instance.nux_enabled


def test_nothing_is_told_from_a_home_of_ones_own_either(place_of, tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))

    with dg.DagsterInstance.from_config(str(place_of("elsewhere").workspace.dagster_home)) as own:
        assert own.root_directory == str(tmp_path)
        assert not own.telemetry_enabled


def test_a_home_with_settings_keeps_them(place_of, tmp_path, monkeypatch):
    settings = "telemetry: {enabled: false}\nrun_retries: {enabled: false}\n"
    (tmp_path / "dagster.yaml").write_text(settings)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))

    home = place_of("settled").workspace.dagster_home

    assert (home / "dagster.yaml").read_text() == settings


def test_runs_that_the_daemon_starts_go_one_by_one(instance):
    from pipelines.requests import CONTENT_TAG

    limits = instance.get_concurrency_config().run_queue_config.tag_concurrency_limits

    assert list(limits) == [{"key": CONTENT_TAG, "limit": 1}]


@pytest.mark.parametrize("status", [STATUS.STARTING, STATUS.STARTED, STATUS.CANCELING])
def test_a_run_whose_study_nobody_has_locked_is_ended_and_tried_again(place, instance, started, status):
    lost = started(status)

    assert end_lost_runs(place.workspace) == [lost]
    assert instance.get_run_by_id(lost).status is STATUS.FAILURE
    assert instance.get_run_by_id(lost).tags["dagster/will_retry"] == "true"


def test_a_run_that_holds_its_lock_goes_on(place, instance, started):
    alive = started()
    with study_lock(place.workspace.root / "stories"):
        ended = end_lost_runs(place.workspace)

    assert ended == []
    assert instance.get_run_by_id(alive).status is STATUS.STARTED


@pytest.mark.parametrize("status", [STATUS.SUCCESS, STATUS.FAILURE, STATUS.NOT_STARTED])
def test_a_run_that_has_ended_or_not_begun_is_left(place, started, status):
    started(status)

    assert end_lost_runs(place.workspace) == []


def test_a_run_of_a_study_that_is_gone_is_ended(place, started):
    lost = started(tags=[("dagster/partition", "removed")])

    assert end_lost_runs(place.workspace) == [lost]


def test_a_run_that_data_failed_is_not_tried_again(instance, started):
    from dagster._core.events import JobFailureData, RunFailureReason

    failed = instance.get_run_by_id(started())
    instance.report_run_failed(failed, None, JobFailureData(None, failure_reason=RunFailureReason.STEP_FAILURE))

    assert instance.get_run_by_id(failed.run_id).tags["dagster/will_retry"] == "false"


def test_a_workspace_is_served_once_at_a_time(place):
    with study_lock(place.workspace.dagster_home), pytest.raises(LockHeldError, match="has been running dagster"):
        serve(place.workspace, host="127.0.0.1", port=0)
