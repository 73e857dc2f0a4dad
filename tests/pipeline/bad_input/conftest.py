"""A small invented study that is whole, copies of it to spoil, and the real command to try them with.

The study is run once a session; a test spoils a copy of its workspace. The command runs in this
process through its own entry point, with the exit status that a shell would see.
"""

import contextlib
import io
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from juryline.ledger.events import Event, Events
from juryline.ledger.judgments import JudgmentLedger
from juryline.ledger.stamps import read_stamp
from juryline.ledger.workspace import Workspace
from pipelines.command import main

STUDY = "stories"
WORKERS = ("ann.lee@example.org", "W-77310-KQ", "Zoë Ünal")
STORIES = ("s1", "s2")

VOTES = "worker,story,left,right,pick,hit,form,why,t0,t1\n"
RATINGS = "worker,story,writer,score,id,nr,kind\n"


def good_votes(*stories: str) -> str:
    """Everyone prefers writer A, shown first and second."""
    rows = [
        f"{worker},{story},{'A,B,left' if (i + j) % 2 else 'B,A,right'},h{i}{story},r2,,"
        f"2026-03-02 10:{i}{j}:00,2026-03-02 10:{i}{j}:40\n"
        for i, worker in enumerate(WORKERS)
        for j, story in enumerate(stories)
    ]
    return VOTES + "".join(rows)


def good_ratings() -> str:
    """Everyone gives writer A a 4 and writer B a 3."""
    given = [(w, s, writer) for w in WORKERS for s in STORIES for writer in "AB"]
    rows = [f"{w},{s},{writer},{4 if writer == 'A' else 3},v{n},{n},\n" for n, (w, s, writer) in enumerate(given)]
    return RATINGS + "".join(rows)


GOOD = {
    "votes-1.csv": good_votes(*STORIES),
    "ratings-1.csv": good_ratings(),
    "answers-1.jsonl": "".join(
        json.dumps({"worker": worker, "story": "s1", "writer": "A", "earned": "yes"}) + "\n" for worker in WORKERS
    ),
    "verdicts-1.jsonl": "".join(json.dumps({"story": story, "winner": "candidate_1"}) + "\n" for story in STORIES),
    "workers-1.csv": "worker,language\n" + "".join(f"{worker},English\n" for worker in WORKERS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def told(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return json.loads(self.out)


class Desk:
    """A workspace with the study in it, and somebody who types commands there."""

    def __init__(self, root: Path):
        self.root = root

    @property
    def folder(self) -> Path:
        return self.root / STUDY

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.root)

    def juryline(self, *words: str, env: dict[str, str] | None = None) -> Said:
        """Type `juryline WORDS` in the workspace."""
        out, err = io.StringIO(), io.StringIO()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("JURYLINE", "DAGSTER"))}
        with (
            mock.patch.dict(os.environ, clean | {"COLUMNS": "200"} | (env or {}), clear=True),
            mock.patch.object(sys, "argv", ["juryline", *words]),
            mock.patch.object(socket.socket, "connect", _no_network),
            contextlib.chdir(self.root),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as ended,
        ):
            main()
        return Said(status=ended.value.code, out=out.getvalue(), err=err.getvalue())

    def check(self, *flags: str, **env: str) -> Said:
        return self.juryline("check", STUDY, *flags, env=env)

    def run(self, *flags: str, **env: str) -> Said:
        return self.juryline("run", STUDY, *flags, env=env)

    def drop(self, name: str, content: str | bytes) -> Path:
        """Drop an export."""
        path = self.folder / "exports" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace a piece of text that stands once in a file of the study."""
        text = self.text(file)
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        (self.folder / file).write_text(text.replace(old, new), encoding="utf-8")

    def text(self, file: str) -> str:
        """A file of the study."""
        return (self.folder / file).read_text(encoding="utf-8")

    def table(self, name: str) -> list[dict[str, Any]]:
        """Rows of a stamped table."""
        stamp = read_stamp(self.folder, name)
        assert stamp is not None, f"there is no table {name}"
        return pq.ParquetFile(stamp.file).read().to_pylist()

    def digests(self) -> dict[str, str]:
        """Content digest of every stamped table."""
        stamps = (read_stamp(self.folder, path.stem) for path in sorted((self.folder / "tables").glob("*.json")))
        return {stamp.asset: stamp.content_digest for stamp in stamps if stamp is not None}

    def ledger(self) -> pa.Table:
        """Every row of the ledger."""
        return JudgmentLedger(self.folder, self.workspace).table.read()

    def head(self) -> str:
        return JudgmentLedger(self.folder, self.workspace).head

    def events(self) -> list[Event]:
        return Events(self.folder, self.workspace).read()

    def kept(self) -> dict[str, bytes]:
        """Every file of the study outside `exports/` and the lock, by its path."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file() and path.name != ".lock")
        below = {path.relative_to(self.folder).as_posix(): path for path in paths}
        return {name: path.read_bytes() for name, path in below.items() if not name.startswith("exports/")}


def _no_network(_: socket.socket, address: object) -> None:
    raise AssertionError(f"a network call nobody asked for: {address}")


def make_desk(root: Path) -> Desk:
    """A new workspace with the study in it, whose drop folder is empty."""
    Workspace.create(root)
    shutil.copytree(Path(__file__).with_name(STUDY), root / STUDY)
    (root / STUDY / "exports").mkdir()
    return Desk(root)


@pytest.fixture(scope="session")
def _run_once(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = make_desk(tmp_path_factory.mktemp("bad input") / "whole")
    for name, content in GOOD.items():
        desk.drop(name, content)
    said = desk.run()
    assert said.status == 0, said.err
    return desk


@pytest.fixture(scope="session")
def votes() -> Callable[..., str]:
    """Makes the text of an export of votes, all of them good, on some stories."""
    return good_votes


@pytest.fixture(scope="session")
def copy_of_whole(_run_once: Desk, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Desk]:
    """Make a copy of the workspace in which the whole study was run."""

    def copy(name: str) -> Desk:
        root = tmp_path_factory.mktemp(name) / "a copy"
        shutil.copytree(_run_once.root, root)
        return Desk(root)

    return copy


@pytest.fixture
def whole(_run_once: Desk) -> Desk:
    """The workspace in which the whole study was run, to look at."""
    return _run_once


@pytest.fixture
def desk(copy_of_whole: Callable[[str], Desk]) -> Desk:
    """A copy of it, to spoil."""
    return copy_of_whole("spoiled")


@pytest.fixture
def fresh(tmp_path: Path) -> Desk:
    """The study before its first export."""
    return make_desk(tmp_path / "new workspace")
