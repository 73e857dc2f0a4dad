"""Studies of real exports, taken from their drop folder to their exported tables by the `juryline` command.

The exports are read where they stand, beside the project; each study is run once a session, and what changes
a workspace works on a copy of it. The longest study runs as commands of their own beside the others.
"""

import contextlib
import csv
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from juryline.ledger.workspace import Workspace
from pipelines.command import main

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data"
STUDIES = HERE / "studies"
REAL_EXPORTS = {
    "qlora": "pairwise_llm_judge_qlora/*.jsonl",
    "food": "pairwise_small_evalica/food.csv",
    "simple": "pairwise_small_evalica/simple.csv",
    "slam": "pairwise_slam/results.zip",
    "scratchplot": "rating_toloka_scratchplot/*/*.tsv",
    "squality": "rating_and_rank_squality/*.jsonl",
    "pandalm": "pairwise_three_raters_pandalm/*.json",
    "ttcw": "checklist_experts_ttcw/*.json",
}
LONGEST = "qlora"
MADE_BY_A_RUN = ("study.lock.json", "raw", "ledger", "tables", "reports", ".lock")
MADE_BY_A_PROCESS = ("dagster", "tmp", "cache")
STUDY = "study"

Row = dict[str, str]


@dataclass(frozen=True)
class Said:
    """What a command printed."""

    out: str
    err: str


@dataclass(frozen=True)
class Study:
    """A study in a workspace of its own. `apart` runs its commands in processes of their own."""

    root: Path
    name: str
    apart: bool = False

    @property
    def folder(self) -> Path:
        return self.root / self.name

    @property
    def exports(self) -> Path:
        return self.folder / "exports"

    @property
    def tables(self) -> Path:
        return self.root / "exported tables"

    def deliver(self, files: Mapping[str, Path | bytes]) -> None:
        """Put files into the drop folder, in place of those of the same name."""
        for name, content in files.items():
            path = self.exports / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_bytes(content.read_bytes() if isinstance(content, Path) else content)

    def juryline(self, command: str, *words: str, status: int = 0) -> Said:
        """Give the command on this study."""
        run = _apart if self.apart else _here
        ended, said = run(self.root, [command, self.name, *words])
        assert ended == status, said.err
        return said

    def freeze(self) -> "Study":
        self.juryline("freeze")
        return self

    def run(self) -> Said:
        """Run the study and export its tables."""
        said = self.juryline("run")
        self.juryline("export", "--to", str(self.tables))
        return said

    def table(self, name: str) -> list[Row]:
        """An exported table."""
        with (self.tables / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def estimates(self, statistic: str, **wanted: str) -> dict[str, float]:
        """Values of one statistic by subject, or by `subject/comparator`; `wanted` columns have these values."""
        rows = [row for row in self.table("estimates") if {**row, **wanted, "statistic": statistic} == row]
        values = {"/".join(filter(None, (row["subject"], row["comparator"]))): float(row["value"]) for row in rows}
        assert len(values) == len(rows) > 0, f"{len(rows)} estimates of {statistic} for {len(values)} subjects"
        return values

    def copy(self, to: Path, *, unrun: bool = False) -> "Study":
        """The same study in a workspace of the same key and salts; `unrun`, as it was before it was frozen."""
        left_out = (*MADE_BY_A_PROCESS, self.tables.name, *((*MADE_BY_A_RUN, "exports") if unrun else ()))
        shutil.copytree(self.root, to, ignore=shutil.ignore_patterns(*left_out))
        for name in MADE_BY_A_PROCESS:
            (to / ".juryline" / name).mkdir()
        return Study(to, self.name)


def _here(root: Path, words: list[str]) -> tuple[int, Said]:
    """The command in this process, where everything it imports is imported already."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(root),
        mock.patch.object(sys, "argv", ["juryline", *words]),
        mock.patch.dict(os.environ, _environment(), clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return int(ended.value.code or 0), Said(out.getvalue(), err.getvalue())


def _apart(root: Path, words: list[str]) -> tuple[int, Said]:
    command = [sys.executable, "-m", "pipelines.command", *words]
    done = subprocess.run(command, cwd=root, env=_environment(), capture_output=True, text=True)
    return done.returncode, Said(done.stdout, done.stderr)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("JURYLINE", "DAGSTER"))}


@dataclass(frozen=True)
class Finished:
    """A study that was checked, frozen, run and exported, and what the command said of it."""

    study: Study
    checked: Said
    ran: Said


class RealStudies:
    """Each study of real exports, run when it is first asked for."""

    def __init__(self, root: Path, pool: ThreadPoolExecutor):
        self._root = root
        self._pool = pool
        self._finished: dict[str, Future[Finished]] = {}

    def finished(self, name: str) -> Finished:
        self.begin(name)
        return self._finished[name].result()

    def begin(self, name: str) -> None:
        """Begin a study without waiting for it, if it is the one that runs beside the others."""
        if name in self._finished:
            return
        if name == LONGEST:
            self._finished[name] = self._pool.submit(self._run, name)
        else:
            self._finished[name] = _done(self._run, name)

    def _run(self, name: str) -> Finished:
        root = self._root / f"the {name} study"
        Workspace.create(root)
        study = Study(root, name, apart=name == LONGEST)
        shutil.copytree(STUDIES / name, study.folder)
        study.deliver(real_exports(name))
        checked = study.juryline("check")
        return Finished(study=study.freeze(), checked=checked, ran=study.run())


def _done(run: Callable[[str], Finished], name: str) -> Future[Finished]:
    """What a study became, done here and now; a failure is kept, so that the study is not tried again."""
    future: Future[Finished] = Future()
    try:
        future.set_result(run(name))
    except Exception as failure:  # noqa: BLE001 (whoever asks for the result raises it)
        future.set_exception(failure)
    return future


def real_exports(name: str) -> dict[str, Path]:
    """Real exports of a study, by their names below `exports/`."""
    below = DATA / Path(REAL_EXPORTS[name]).parts[0]
    files = {path.relative_to(below).as_posix(): path for path in sorted(DATA.glob(REAL_EXPORTS[name]))}
    assert files, f"no real exports of {name} in {below}"
    return files


@pytest.fixture(scope="session")
def exports_of():
    """Real exports of a study, by their names below `exports/`."""
    _require_real_data()
    return real_exports


@pytest.fixture(scope="session")
def real_studies(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealStudies]:
    """The studies of real exports."""
    _require_real_data()
    with ThreadPoolExecutor(max_workers=1) as pool:
        studies = RealStudies(tmp_path_factory.mktemp("acceptance"), pool)
        if any(LONGEST in item.nodeid for item in request.session.items):
            studies.begin(LONGEST)
        yield studies


@dataclass(frozen=True)
class Asked:
    """The studies as one test asks for them; its report names them."""

    studies: RealStudies
    told: list[tuple[str, object]]

    def __call__(self, name: str) -> Study:
        return self.finished(name).study

    def finished(self, name: str) -> Finished:
        self.told.append((STUDY, name))
        return self.studies.finished(name)


@pytest.fixture
def real(real_studies: RealStudies, request: pytest.FixtureRequest) -> Asked:
    """The studies of real exports, each run when it is first asked for."""
    return Asked(real_studies, request.node.user_properties)


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Mapping[str, str]], Study]:
    """Make a study of the files given, in a workspace of its own."""

    def make(name: str, files: Mapping[str, str]) -> Study:
        root = tmp_path_factory.mktemp("acceptance") / "a workspace"
        Workspace.create(root)
        study = Study(root, name)
        study.exports.mkdir(parents=True)
        for path, text in files.items():
            (study.folder / path).write_text(text, encoding="utf-8")
        return study

    return make


def _require_real_data() -> None:
    if not DATA.is_dir():
        pytest.skip(f"no real exports: {DATA} is absent")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many studies and tests of this folder were run, and that none was skipped."""
    root = terminalreporter.config.rootpath
    folder = HERE.relative_to(root).as_posix() if HERE.is_relative_to(root) else str(HERE)
    outcomes = ("passed", "skipped", "failed", "error")
    reports = {
        outcome: [r for r in terminalreporter.stats.get(outcome, []) if r.nodeid.startswith(folder)]
        for outcome in outcomes
    }
    if any(reports.values()):
        counts = {outcome: len(found) for outcome, found in reports.items()}
        told = ", ".join(f"{n} {outcome}" for outcome, n in counts.items() if n or outcome in ("passed", "skipped"))
        names = {name for found in reports.values() for r in found for key, name in r.user_properties if key == STUDY}
        terminalreporter.write_line(f"acceptance: {len(names)} studies of real exports; {told}")
