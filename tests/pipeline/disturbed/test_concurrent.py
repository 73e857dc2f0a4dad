"""Several at one study at once: one run goes on and others stop with a word, and the ledger has each row once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest

from data_contracts.vocabulary import EventKind
from juryline.ledger.events import Events
from juryline.ledger.judgments import JudgmentLedger
from juryline.ledger.workspace import Workspace

pytestmark = pytest.mark.slow  # dozens of runs from start to end: minutes, in `make test-slow`

WRITERS = 4


def test_a_run_beside_another_stops_and_says_who_holds_the_study(first_run, launcher):
    with first_run.again() as workspace:
        holder = launcher.start(workspace, "run", first_run.study, send="SIGSTOP", after=len(first_run.run.writes) // 2)
        held = launcher.wait(holder)
        beside = launcher.run(workspace)
        finished = launcher.resume(holder)

        assert held.status is None
        assert beside.status == 3
        assert f"process {holder} has been running {first_run.study} since" in beside.said
        assert f"wait, or stop process {holder}" in beside.said
        assert [write for write in beside.writes if not write.startswith("open ")] == []
        assert finished.status == 0, finished.said
        assert first_run.differences(workspace) == []


def test_two_runs_started_at_once_leave_what_one_does(first_run, launcher):
    with first_run.again() as workspace:
        started = [launcher.start(workspace, "run", first_run.study) for _ in range(2)]
        ended = [launcher.wait(process) for process in started]

        assert sorted(end.status for end in ended) in ([0, 0], [0, 3]), [end.said for end in ended]
        assert first_run.differences(workspace) == []


def test_writers_past_the_lock_neither_lose_nor_double_a_row(first_run, launcher):
    with first_run.again() as workspace:
        started = [launcher.take_in(workspace) for _ in range(WRITERS)]
        ended = [launcher.wait(process) for process in started]
        ledger = JudgmentLedger(workspace / first_run.study, Workspace(workspace))
        held = Counter(ledger.table.read()["record_id"].to_pylist())
        then = launcher.run(workspace)

        assert [end.status for end in ended] == [0] * WRITERS, [end.said for end in ended]
        assert held == Counter(row["record_id"] for row in first_run.left.rows["judgments"])
        assert set(held.values()) == {1}
        assert then.status == 0, then.said
        assert first_run.differences(workspace) == []


def test_a_writer_past_the_lock_that_commits_first_costs_a_run_nothing(first_run, launcher):
    first_commit = next(n for n, write in enumerate(first_run.run.writes) if write.startswith("create_write"))
    with first_run.again() as workspace:
        about_to_commit = launcher.start(workspace, "run", first_run.study, send="SIGSTOP", after=first_commit)
        held = launcher.wait(about_to_commit)
        meanwhile = launcher.wait(launcher.take_in(workspace))
        finished = launcher.resume(about_to_commit)

        assert held.status is None
        assert meanwhile.status == 0, meanwhile.said
        assert finished.status == 0, finished.said
        assert first_run.differences(workspace) == []


@pytest.mark.parametrize("attempt", range(5))
def test_a_ledger_that_several_begin_at_once_begins_once(attempt, tmp_path):
    workspace = Workspace.create(tmp_path / "a workspace")
    study = workspace.study_dir("story-quality")
    study.mkdir()
    ready = Barrier(WRITERS)

    def begin(writer: int) -> None:
        events = Events(study, workspace)
        ready.wait()
        events.append(EventKind.REUSE, f"writer {writer}", {}, datetime(2026, 3, 1, tzinfo=UTC))

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(begin, range(WRITERS)))

    assert sorted(event.key for event in Events(study, workspace).read()) == [f"writer {n}" for n in range(WRITERS)]
