"""The bundled example: its answers as a plain script reads them, and one run of it by the command."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from juryline.ledger.workspace import Workspace

EXAMPLE = Path(__file__).parents[2] / "examples" / "story-quality"
WRITERS = {f"writer-{letter}": id for letter, id in zip("ABCDE", ("ada", "babbage", "curie", "davinci", "human"))}

Row = dict[str, str]


@pytest.fixture(scope="session")
def example() -> Path:
    return EXAMPLE


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The exports without the rows that are no answers, and who is analysed, by rules written out here again."""

    ratings: list[Row]
    preferences: list[Row]
    raters: dict[str, Row]
    repeating: set[str]
    non_native: set[str]
    analysed: set[str]

    def chances(self, x: str, y: str) -> list[int]:
        """Stated by the raters analysed, in percent."""
        return [
            int(row["chance"])
            for row in self.preferences
            if row["worker"] in self.analysed and (WRITERS[row["writer_x"]], WRITERS[row["writer_y"]]) == (x, y)
        ]

    def mean_chance(self, x: str, y: str, raters: set[str]) -> float:
        """Of these raters, each once: the answers of one who came twice are averaged first."""
        given: dict[str, dict[str, str]] = {}
        for row in sorted(self.preferences, key=lambda row: row["saved_at"]):
            if row["worker"] in raters and (WRITERS[row["writer_x"]], WRITERS[row["writer_y"]]) == (x, y):
                given.setdefault(row["worker"], {})[row["response"]] = row["chance"]
        stated = [[int(chance) for chance in of.values() if chance.isdigit()] for of in given.values()]
        return fmean(fmean(chances) for chances in stated if chances) / 100

    def differences(self, x: str, y: str) -> list[int]:
        """Between the last saved ratings of each rater analysed."""
        last = {
            (row["worker"], WRITERS[row["writer"]]): row["rating"]
            for row in sorted(self.ratings, key=lambda row: row["saved_at"])
        }
        return [int(last[worker, x]) - int(last[worker, y]) for worker in sorted(self.analysed)]


@pytest.fixture(scope="session")
def answers() -> Answers:
    ratings, preferences = (_rows(f"synthetic-{name}.csv", "preview") for name in ("ratings", "preferences"))
    raters = {row["worker"]: row for row in _rows("synthetic-raters.csv", "returned")}
    hits: dict[str, set[str]] = {}
    for row in ratings + preferences:
        hits.setdefault(row["worker"], set()).add(row["hit"])
    repeating = {worker for worker, of_worker in hits.items() if len(of_worker) > 1}
    non_native = {worker for worker in hits if raters[worker]["native_language"] != "English"}
    return Answers(
        ratings=ratings,
        preferences=preferences,
        raters=raters,
        repeating=repeating,
        non_native=non_native,
        analysed=set(hits) - repeating - non_native,
    )


def _rows(name: str, left_out: str) -> list[Row]:
    with (EXAMPLE / "exports" / name).open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["status"] != left_out]


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What `juryline run` said, the tables that `juryline export` wrote, and the report."""

    said: dict[str, Any]
    tables: Path
    report: str

    def table(self, name: str) -> list[Row]:
        with (self.tables / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def estimates(self, statistic: str, scenario: str = "frozen") -> dict[tuple[str, ...], Row]:
        """Rows of one statistic under a scenario, by the parts of their ids that differ."""
        rows = [row for row in self.table("estimates") if (row["statistic"], row["scenario"]) == (statistic, scenario)]
        assert rows, f"no estimate of {statistic}"
        return {(row["analysis"], row["subject"], row["comparator"], row["dimensions"]): row for row in rows}


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    root = tmp_path_factory.mktemp("example") / "a workspace"
    Workspace.create(root)
    study = root / "story-quality"
    (study / "exports").mkdir(parents=True)
    shutil.copy(EXAMPLE / "study.yaml", study)
    for export in sorted((EXAMPLE / "exports").iterdir()):
        shutil.copy(export, study / "exports")
    juryline = _command(root)
    juryline("freeze", "story-quality")
    said = json.loads(juryline("run", "story-quality", "--json"))
    juryline("export", "story-quality", "--to", str(root / "tables"))
    return Ran(said=said, tables=root / "tables", report=Path(said["report"]).read_text(encoding="utf-8"))


def _command(root: Path) -> Callable[..., str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JURYLINE", "DAGSTER"))}

    def juryline(*words: str) -> str:
        command = [sys.executable, "-m", "pipelines.command", *words]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return juryline
