"""A run that is killed or interrupted after any of its writes, and run again, comes to what an undisturbed one does."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # dozens of runs from start to end: minutes, in `make test-slow`

EVERY = 20  # all 860 writes of the three runs, killed at and run again, take an hour

# What makes writes of one kind: those that differ in this only meet the same code when a run comes after them.
OF_ONE_KIND = (
    (r"\.juryline-\d+-[0-9a-f]{8}\.tmp", "*.tmp"),
    (r"[0-9a-f]{64}", "*"),
    (r"raw/[0-9a-f]{2}", "raw/*"),
    (r"ledger/\w+(\.|/)", r"ledger/*\1"),
    (r"tables/\w+(-[0-9a-f]{16})?\.", "tables/*."),
    (r"^(\w+) \.juryline/tmp/.*", r"\1 .juryline/tmp"),
    (r"^(open|chmod) (.*/\*\.tmp)$", r"write \2"),
    (r"^mkdir [\w/*-]+$", "mkdir"),
)


def kind_of(write: str) -> str:
    for pattern, kind in OF_ONE_KIND:
        write = re.sub(pattern, kind, write)
    return write


def one_of_each_kind(writes: list[str], of: str = "") -> list[int]:
    """Numbers of writes, the first 1: one of each kind, here the first of its kind and there a later one."""
    of_kind: dict[str, list[int]] = {}
    for number, write in enumerate(writes, 1):
        if of in write:
            of_kind.setdefault(kind_of(write), []).append(number)
    return sorted(numbers[place % len(numbers)] for place, numbers in enumerate(of_kind.values()))


def killed_and_run_again(scene: Any, launchers: Any, numbers: Iterable[int]) -> dict[str, Any]:
    """What is not as it should be, by the write after which the run was killed."""

    def disturb(launcher: Any, number: int) -> Any:
        with scene.again() as workspace:
            killed = launcher.run(workspace, send="SIGKILL", after=number)
            if (killed.status, len(killed.writes)) != (-9, number):
                return f"it was not killed there: {killed.status} {killed.said}"
            again = launcher.run(workspace)
            return again.said if again.status else scene.differences(workspace)

    found = launchers.each(disturb, numbers)
    return {f"{number}: {scene.run.writes[number - 1]}": differs for number, differs in found.items() if differs}


def test_every_file_that_a_run_leaves_is_a_write_that_is_listed(first_run):
    def files(workspace: Path) -> set[str]:
        paths = {path.relative_to(workspace).as_posix() for path in workspace.rglob("*") if path.is_file()}
        return {path for path in paths if not path.startswith(".juryline/dagster/")}

    print("\n".join(f"{number:4} {write}" for number, write in enumerate(first_run.run.writes, 1)))
    places = {write.split(" ", 1)[1] for write in first_run.run.writes}
    made = files(first_run.after) - files(first_run.before)

    assert len(first_run.run.writes) >= 20
    assert len(made) >= 20
    assert {path for path in made if path not in places and str(Path(path).parent) not in places} == set()


def test_a_first_run_killed_after_a_write_of_any_kind_comes_to_the_same_when_run_again(first_run, launchers):
    assert killed_and_run_again(first_run, launchers, one_of_each_kind(first_run.run.writes)) == {}


def test_a_second_run_killed_between_tables_comes_to_the_same_when_run_again(second_run, launchers):
    assert killed_and_run_again(second_run, launchers, one_of_each_kind(second_run.run.writes, of="tables/")) == {}


def test_a_run_after_an_amendment_killed_between_commits_comes_to_the_same_when_run_again(
    run_after_an_amendment, launchers
):
    writes = run_after_an_amendment.run.writes
    commits = [number for number, write in enumerate(writes, 1) if write.startswith("create_write_transaction")]

    assert any(event.startswith("retract") for event in run_after_an_amendment.left.events)
    assert killed_and_run_again(run_after_an_amendment, launchers, commits) == {}


@pytest.mark.parametrize(("scene", "place"), [("first_run", 5), ("second_run", 11), ("run_after_an_amendment", 17)])
def test_a_run_killed_anywhere_comes_to_the_same_when_run_again(scene, place, request, launchers):
    scene = request.getfixturevalue(scene)

    assert killed_and_run_again(scene, launchers, range(place, len(scene.run.writes) + 1, EVERY)) == {}


def test_a_second_run_of_the_same_changes_not_even_a_time(first_run, launcher):
    def files(workspace: Path) -> dict[str, tuple[bytes, int]]:
        paths = {path.relative_to(workspace).as_posix(): path for path in (workspace / first_run.study).rglob("*")}
        told = {name: path for name, path in paths.items() if path.is_file() and path.name != ".lock"}
        return {name: (path.read_bytes(), path.stat().st_mtime_ns) for name, path in told.items()}

    before = files(first_run.after)
    again = launcher.run(first_run.after)

    assert again.status == 0, again.said
    assert files(first_run.after) == before
    assert [write for write in again.writes if first_run.study in write.split("/")[0]] == [
        f"open {first_run.study}/.lock"
    ]


@pytest.mark.parametrize(("sent", "places"), [("SIGINT", (0.1, 0.5)), ("SIGTERM", (0.9,))])
def test_an_interrupted_run_says_so_and_is_finished_by_the_next(sent, places, first_run, launchers):
    def interrupt(launcher: Any, number: int) -> Any:
        with first_run.again() as workspace:
            interrupted = launcher.run(workspace, send=sent, after=number)
            again = launcher.run(workspace)
            return interrupted, again.status, first_run.differences(workspace)

    ends = launchers.each(interrupt, [int(len(first_run.run.writes) * place) for place in places])

    for interrupted, status_again, differences in ends.values():
        assert interrupted.status == 3, interrupted.said
        assert "nothing is half written" in interrupted.said
        assert "fix:   run it again" in interrupted.said
        assert "Traceback" not in interrupted.said
        assert (status_again, differences) == (0, [])


def test_ctrl_c_in_a_terminal_ends_a_run_with_status_3(first_run, launcher):
    with first_run.again() as workspace:
        command = [sys.executable, "-m", "pipelines.command", "run", first_run.study]
        # A terminal interrupts all that runs in it.
        run = subprocess.Popen(
            command,
            cwd=workspace,
            env=launcher.environment,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        while run.poll() is None and not (workspace / first_run.study / "tables").exists():
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGINT)
        _, said = run.communicate()
        again = launcher.run(workspace)

        assert run.returncode == 3, said
        assert said == "juryline: interrupted; nothing is half written\n  fix:   run it again\n"
        assert again.status == 0, again.said
        assert first_run.differences(workspace) == []
