"""The event log of a run in this process: Dagster's own files, each opened once."""

import dagster as dg
import pytest
import sqlalchemy as sql
from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage

from pipelines.instance import open_instance

N_EVENTS = 5


@pytest.fixture
def workspace(place_of, monkeypatch):
    workspace = place_of("logged").workspace
    monkeypatch.setenv("DAGSTER_HOME", str(workspace.dagster_home))
    return workspace


@pytest.fixture
def opened():
    """Files of events that SQLAlchemy opens, each as often as it does."""
    files = []

    def opens(connection, _):
        files.extend(file for _, _, file in connection.execute("PRAGMA database_list") if "history/runs/" in file)

    sql.event.listen(sql.pool.Pool, "connect", opens)
    yield files
    sql.event.remove(sql.pool.Pool, "connect", opens)


def write(instance, run=None):
    """Write some events of a run and of an asset."""
    run = run or instance.add_run(dg.DagsterRun(job_name="study"))
    for _ in range(N_EVENTS):
        instance.report_engine_event("one more", run)
        instance.report_runless_asset_event(dg.AssetMaterialization("estimates"))
    return run


def count(instance, run):
    of_asset = instance.fetch_materializations(dg.AssetKey("estimates"), limit=99)
    return len(instance.all_logs(run.run_id)), len(of_asset.records)


def test_events_are_there_for_any_other_process_of_dagster(workspace):
    with open_instance(workspace) as instance:
        run = write(instance)
        with dg.DagsterInstance.get() as other:
            assert count(other, run) == (N_EVENTS, N_EVENTS)
    with dg.DagsterInstance.get() as later:
        assert count(later, run) == (N_EVENTS, N_EVENTS)


def test_who_watches_the_file_of_a_run_sees_each_event(workspace):
    with open_instance(workspace) as instance:
        run = write(instance)
        (file,) = (workspace.dagster_home / "history" / "runs").glob(f"{run.run_id}.db")
        before = file.stat().st_mtime_ns
        instance.report_engine_event("one more", run)

        assert file.stat().st_mtime_ns > before


def test_no_file_is_opened_again_for_more_events(workspace, opened):
    with open_instance(workspace) as instance:
        run = write(instance)
        assert opened
        opened.clear()
        write(instance, run)

        assert count(instance, run) == (2 * N_EVENTS, 2 * N_EVENTS)
        assert not opened


def test_files_are_left_closed(workspace):
    with open_instance(workspace) as instance:
        write(instance)
    files = [file.name for file in (workspace.dagster_home / "history" / "runs").iterdir()]

    assert files
    assert not [name for name in files if name.endswith(("-wal", "-shm"))]


def test_a_log_that_was_wiped_is_written_again(workspace):
    with open_instance(workspace) as instance:
        write(instance)
        instance.wipe()

        assert count(instance, write(instance)) == (N_EVENTS, N_EVENTS)


def test_a_home_with_a_log_of_its_own_keeps_it(workspace):
    (workspace.dagster_home / "dagster.yaml").write_text(
        "telemetry: {enabled: false}\n"
        "event_log_storage:\n"
        "  module: dagster._core.storage.event_log\n"
        f"  class: {ConsolidatedSqliteEventLogStorage.__name__}\n"
        f"  config: {{base_dir: '{workspace.dagster_home}'}}\n"
    )
    with open_instance(workspace) as instance:
        assert type(instance.event_log_storage) is ConsolidatedSqliteEventLogStorage
