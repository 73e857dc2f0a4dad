"""A small study with a bit of everything, run undisturbed and otherwise, and all that a run leaves behind."""

import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from data_contracts.tables import QUARANTINE_LOG
from juryline.ledger.attributes import Attributes
from juryline.ledger.delta_log import ChainedTable
from juryline.ledger.events import Events
from juryline.ledger.judgments import JudgmentLedger
from juryline.ledger.verify import verify
from juryline.ledger.workspace import Workspace

HERE = Path(__file__).parent
STUDY = "three-writers"
LATER = "votes-2.csv"  # comes after the first run
LAUNCHERS = 2
OF_THE_USER = ("DAGSTER_HOME", "JURYLINE_KEY", "JURYLINE_KEY_FILE", "JURYLINE_WORKSPACE")


@dataclass(frozen=True)
class Ended:
    """What a process came to: its exit status, or minus the signal; None while it is stopped."""

    status: int | None
    writes: list[str]
    said: str
    cpu: float  # seconds


class Launcher:
    """A warm process that runs the command in forks of itself; see launcher.py."""

    def __init__(self, scratch: Path):
        # What numba compiles would be among the writes of each run, and compiling costs more than the rest of it.
        self.environment = {name: value for name, value in os.environ.items() if name not in OF_THE_USER}
        self.environment["NUMBA_CACHE_DIR"] = str(scratch / "numba")
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "launcher.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.environment,
        )

    def start(self, workspace: Path, *arguments: str, send: str | None = None, after: int | None = None) -> int:
        """Start the command in a workspace; it gets the signal after that many writes. Its process number."""
        return self._ask({"start": arguments, "in": str(workspace), "signal": send, "after": after})["process"]

    def take_in(self, workspace: Path) -> int:
        """Start taking the exports of the study in, past its lock."""
        return self._ask({"take_in": STUDY, "in": str(workspace)})["process"]

    def wait(self, process: int) -> Ended:
        return Ended(**self._ask({"wait": process}))

    def resume(self, process: int) -> Ended:
        self._ask({"resume": process})
        return self.wait(process)

    def run(self, workspace: Path, *, send: str | None = None, after: int | None = None) -> Ended:
        """Run the study and wait."""
        return self.wait(self.start(workspace, "run", STUDY, send=send, after=after))

    def close(self) -> None:
        self._process.communicate()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


class Launchers:
    """Some launchers, to run many things a few at a time."""

    def __init__(self, launchers: Iterable[Launcher]):
        self._free: queue.SimpleQueue[Launcher] = queue.SimpleQueue()
        for launcher in launchers:
            self._free.put(launcher)

    @contextmanager
    def one(self) -> Iterator[Launcher]:
        launcher = self._free.get()
        try:
            yield launcher
        finally:
            self._free.put(launcher)

    def each(self, work: Callable[[Launcher, int], Any], places: Iterable[int]) -> dict[int, Any]:
        """What some work gives for each of some numbers."""

        def one(place: int) -> Any:
            with self.one() as launcher:
                return work(launcher, place)

        places = list(places)
        with ThreadPoolExecutor(LAUNCHERS) as pool:
            return dict(zip(places, pool.map(one, places), strict=True))


@pytest.fixture(scope="session")
def launchers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launchers]:
    scratch = tmp_path_factory.mktemp("launchers")
    started = [Launcher(scratch) for _ in range(LAUNCHERS)]
    yield Launchers(started)
    for launcher in started:
        launcher.close()


@pytest.fixture
def launcher(launchers: Launchers) -> Iterator[Launcher]:
    with launchers.one() as launcher:
        yield launcher


@dataclass(frozen=True)
class Left:
    """All that a study has come to, and must come to again whatever happened meanwhile.

    Attributes
    ----------
    files : dict
        Bytes below the study and `.juryline`, by path. Without what has a clock in it: events, Delta's commits and the
        lists of their digests, the lock, and Dagster's home; nor the cache, which only spares work.
    heads, rows : dict
        Head and rows of each chain of the ledger but events.
    events : list
        Kind, key and payload of each event; without order, for an event that a kill held back comes later.
    verified : tuple
        What `juryline verify` finds, and whether it holds the study for consistent.
    """

    files: dict[str, bytes]
    heads: dict[str, str]
    rows: dict[str, list[dict[str, Any]]]
    events: list[str]
    verified: tuple[Any, ...]

    def differences(self, other: "Left") -> list[str]:
        """What is not the same, by name."""
        found = [path for path in sorted(self.files | other.files) if self.files.get(path) != other.files.get(path)]
        found += [f"head of {name}" for name in self.heads if self.heads[name] != other.heads[name]]
        found += [f"rows of {name}" for name in self.rows if self.rows[name] != other.rows[name]]
        found += [f"event {event[:200]}" for event in sorted(set(self.events) ^ set(other.events))]
        if len(self.events) != len(other.events):
            found.append(f"{len(other.events)} events instead of {len(self.events)}")
        return found + ([] if self.verified == other.verified else [f"verify: {other.verified}"])


LEFT_OUT = re.compile(
    r".*/\.lock|.*/ledger/events/.*|.*/_delta_log/.*|.*/ledger/\w+\.sha256|\.juryline/(dagster|cache)/.*"
)


def left_behind(root: Path) -> Left:
    """What is left of the study in a workspace."""
    workspace = Workspace(root)
    study = workspace.study_dir(STUDY)
    chains = {
        "judgments": JudgmentLedger(study, workspace).table,
        "attributes": Attributes(study, workspace).table,
        "quarantine": ChainedTable(study / "ledger" / "quarantine", QUARANTINE_LOG, workspace),
    }
    paths = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    verification = verify(study, workspace)
    return Left(
        files={name: path.read_bytes() for name, path in paths.items() if not LEFT_OUT.fullmatch(name)},
        heads={name: chain.head for name, chain in chains.items()},
        rows={name: chain.read().to_pylist() for name, chain in chains.items()},
        events=sorted(f"{e.kind} {e.key} {json.dumps(e.payload)}" for e in Events(study, workspace).read()),
        verified=(verification.consistent, verification.findings, verification.notes),
    )


@dataclass(frozen=True)
class Scene:
    """A workspace before a run, and what the run comes to if nothing disturbs it.

    Attributes
    ----------
    before, after : Path
        The workspace before the run, and a copy of it afterwards.
    run : Ended
        The undisturbed run.
    """

    before: Path
    after: Path
    run: Ended
    left: Left
    study: str = STUDY

    @classmethod
    def of(cls, before: Path, launcher: Launcher) -> "Scene":
        after = before.with_name(f"{before.name} and run")
        shutil.copytree(before, after)
        run = launcher.run(after)
        assert run.status == 0, run.said
        return cls(before, after, run, left_behind(after))

    @contextmanager
    def again(self) -> Iterator[Path]:
        """A copy of the workspace as it was before the run, for a block."""
        copy = Path(tempfile.mkdtemp(prefix="copy ", dir=self.before.parent))
        try:
            shutil.copytree(self.before, copy, dirs_exist_ok=True)
            # Dagster's home is nobody's output; one that is there saves a run a second.
            shutil.copytree(self.after / ".juryline" / "dagster", copy / ".juryline" / "dagster", dirs_exist_ok=True)
            yield copy
        finally:
            shutil.rmtree(copy)

    def differences(self, workspace: Path) -> list[str]:
        """What is not in a workspace as the undisturbed run left it."""
        return self.left.differences(left_behind(workspace))


@pytest.fixture(scope="session")
def first_run(tmp_path_factory: pytest.TempPathFactory, launchers: Launchers) -> Scene:
    """The study frozen, all but one export dropped, never run."""
    root = Workspace.create(tmp_path_factory.mktemp("disturbed") / "never run").root
    shutil.copytree(HERE / STUDY, root / STUDY)
    (root / STUDY / "exports" / LATER).unlink()
    with launchers.one() as launcher:
        frozen = launcher.wait(launcher.start(root, "freeze", STUDY))
        assert frozen.status == 0, frozen.said
        return Scene.of(root, launcher)


@pytest.fixture(scope="session")
def second_run(first_run: Scene, launchers: Launchers) -> Scene:
    """The study after its first run, and another export dropped."""
    root = first_run.before.with_name("run once")
    shutil.copytree(first_run.after, root)
    shutil.copy(HERE / STUDY / "exports" / LATER, root / STUDY / "exports" / LATER)
    with launchers.one() as launcher:
        return Scene.of(root, launcher)


@pytest.fixture(scope="session")
def run_after_an_amendment(second_run: Scene, launchers: Launchers) -> Scene:
    """The study after its second run, with a mapping that releases a refused answer and says others anew."""
    root = second_run.before.with_name("amended")
    shutil.copytree(second_run.after, root)
    specification = root / STUDY / "study.yaml"
    text = specification.read_text(encoding="utf-8")
    assert text.count("same: tie, neither: both_fail") == 1
    text = text.replace("same: tie, neither: both_fail", "same: tie, sideways: tie, neither: tie")
    specification.write_text(text, encoding="utf-8")
    with launchers.one() as launcher:
        amended = launcher.wait(launcher.start(root, "freeze", STUDY, "--amend", "--reason", "sideways is a tie"))
        assert amended.status == 0, amended.said
        return Scene.of(root, launcher)
