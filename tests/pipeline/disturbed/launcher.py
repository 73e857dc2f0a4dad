"""Runs of Juryline in forks of one warm process, each sent a signal after a write of its choice.

Each line of standard input is a JSON object that asks, and each of standard output one that answers:

    {"start": [ARGUMENT, ...], "in": WORKSPACE, "signal": NAME or null, "after": N}      {"process": P}
    {"take_in": STUDY, "in": WORKSPACE}                                                  {"process": P}
    {"wait": P}        {"status": ..., "writes": [WRITE, ...], "said": ..., "cpu": SECONDS}
    {"resume": P}      {}

`start` runs the command `juryline`; `take_in` takes the exports of a study in without asking for its lock. The status
is that of the exit, or minus the signal that ended it, or null while the process is stopped.

A write is what Python asks of the file system below the workspace and outside Dagster's home, and each commit and
checkpoint that Delta makes, in Rust. The signal comes before write N + 1, or at the end if there is none.
"""

import importlib
import json
import os
import pkgutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import unquote, urlsplit

# Audit events of what changes a folder, with the arguments that say where: a name, and the folder it is in.
CHANGES = {
    "os.chmod": (0, 2),
    "os.link": (1, 3),
    "os.mkdir": (0, 2),
    "os.remove": (0, 1),
    "os.rename": (1, 3),
    "os.rmdir": (0, 1),
    "os.symlink": (1, 2),
}
CHANGES_A_FILE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
HERE = -1  # the folder of a name that is given without one
OURS = ("data_contracts", "juryline", "assets", "checks", "pipelines")
IMPORTED_LATE = (
    "alembic.command",
    "deltalake",
    "jinja2",
    "numba",
    "pandas",
    "pandera.ibis",
    "scipy.stats",
    "sqlalchemy",
)
FROM_RUST = ("create", "create_write_transaction", "create_checkpoint")


class Disturbance:
    """Notes the writes of this process, and sends it a signal after one of them."""

    def __init__(self, workspace: Path, notes: TextIO, sent: int, after: int | None):
        self.workspace = workspace
        self.notes = notes
        self.sent = sent
        self.left = after
        self.process = os.getpid()

    def begin(self) -> None:
        from deltalake import DeltaTable

        for name in FROM_RUST:
            setattr(DeltaTable, name, self._noted(name, getattr(DeltaTable, name)))
        sys.addaudithook(self._hear)

    def end(self) -> None:
        self._count()

    def _noted(self, name: str, write: Callable[..., Any]) -> Callable[..., Any]:
        def noted(table: Any, *args: Any, **kwargs: Any) -> Any:
            folder = table if isinstance(table, str) else unquote(urlsplit(table.table_uri).path)
            self._write(name, Path(folder) / "_delta_log")
            return write(table, *args, **kwargs)

        return noted

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in CHANGES:
            name, folder = (arguments[place] for place in CHANGES[event])
            self._write(event.removeprefix("os."), _path(name, folder))
        elif event == "open" and arguments[2] & CHANGES_A_FILE and not isinstance(arguments[0], int):
            self._write("open", _path(arguments[0], HERE))

    def _write(self, what: str, path: Path) -> None:
        if os.getpid() != self.process or not path.is_relative_to(self.workspace):
            return
        place = path.relative_to(self.workspace)
        in_vain = (what == "mkdir" and path.exists()) or (what == "remove" and not path.exists())
        if in_vain or place.is_relative_to(".juryline/dagster"):
            return
        self._count()
        self.notes.write(f"{what} {place}\n")
        self.notes.flush()

    def _count(self) -> None:
        if self.left == 0:
            self.left = None
            os.kill(self.process, self.sent)
        elif self.left is not None:
            self.left -= 1


def _path(name: Any, folder: int) -> Path:
    """Where an event took place; a descriptor is a place too."""
    if isinstance(name, int):
        return Path(os.readlink(f"/proc/self/fd/{name}"))
    base = "" if folder == HERE else os.readlink(f"/proc/self/fd/{folder}")
    return Path(os.path.abspath(os.path.join(base, os.fsdecode(name))))


def run_command(arguments: list[str]) -> None:
    from pipelines.command import main

    sys.argv = ["juryline", *arguments]
    main()


def take_in_past_the_lock(slug: str) -> None:
    from juryline.ledger.workspace import Workspace
    from juryline.study.intake import take_in
    from juryline.study.run import StudyRun

    take_in(StudyRun(Workspace(Path.cwd()), slug))


class Launcher:
    """Answers requests, and keeps what the processes it started have noted and said."""

    def __init__(self) -> None:
        self.running: dict[int, tuple[TextIO, TextIO]] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request:
            case {"start": arguments, "in": workspace}:
                sent = request.get("signal")
                number = 0 if sent is None else signal.Signals[sent]
                return self._start(lambda: run_command(arguments), workspace, number, request.get("after"))
            case {"take_in": slug, "in": workspace}:
                return self._start(lambda: take_in_past_the_lock(slug), workspace, 0, None)
            case {"wait": process}:
                return self._wait(process)
            case {"resume": process}:
                os.kill(process, signal.SIGCONT)
                return {}
        raise ValueError(request)

    def _start(self, work: Callable[[], None], workspace: str, sent: int, after: int | None) -> dict[str, Any]:
        # Open until the process has ended, and gone with this one.
        notes, said = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")  # noqa: SIM115
        process = os.fork()
        if process == 0:
            os.chdir(workspace)
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            disturbance = Disturbance(Path(workspace), notes, sent, after)
            os._exit(_status(work, disturbance))
        self.running[process] = notes, said
        return {"process": process}

    def _wait(self, process: int) -> dict[str, Any]:
        _, status, used = os.wait4(process, os.WUNTRACED)
        stopped = os.WIFSTOPPED(status)
        notes, said = self.running[process] if stopped else self.running.pop(process)
        return {
            "status": None if stopped else os.waitstatus_to_exitcode(status),
            "writes": _all_of(notes).splitlines(),
            "said": _all_of(said),
            "cpu": used.ru_utime + used.ru_stime,
        }


def _status(work: Callable[[], None], disturbance: Disturbance) -> int:
    """Exit status of some work, as Python would give it."""
    status = 0
    try:
        disturbance.begin()
        work()
        disturbance.end()
    except SystemExit as end:
        disturbance.end()
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 (Python would print it, too)
        import traceback

        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def _all_of(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def warm_up() -> None:
    """Import all that a run imports, and start nothing: an engine's threads would not live on in a fork."""
    for package in OURS:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    for module in IMPORTED_LATE:
        importlib.import_module(module)


def main() -> None:
    warm_up()
    launcher = Launcher()
    for line in sys.stdin:
        print(json.dumps(launcher.answer(json.loads(line))), flush=True)
    for process in launcher.running:
        os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    main()
