"""A run killed anywhere and run again leaves what an undisturbed one does; writers at once lose nothing."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from juryline.ledger.events import Events
from juryline.ledger.files import write_atomically
from juryline.ledger.judgments import JudgmentLedger
from juryline.ledger.verify import verify
from juryline.ledger.workspace import Workspace

STUDY = "story-quality"
EXPORTS = 11  # enough for a checkpoint of each table


def _write(mode: str, workspace: Workspace, rows: Path, *seed: str) -> int:
    command = [sys.executable, str(Path(__file__).with_name("writers.py")), mode, str(workspace.root), STUDY, str(rows)]
    done = subprocess.run([*command, *seed], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.splitlines()[-1])


def _left_behind(workspace: Workspace) -> dict:
    """All of a study that must not depend on when it was written."""
    study = workspace.study_dir(STUDY)
    ledger, events = JudgmentLedger(study, workspace), Events(study, workspace)
    return {
        "head": ledger.head,
        "rows": ledger.table.read().to_pylist(),
        "events": [(event.kind, event.key, event.payload) for event in events.read()],
        "raw": sorted(path.name for path in (study / "raw").glob("*/*")),
        "tables": {path.name: path.read_bytes() for path in (study / "tables").iterdir()},
    }


@pytest.fixture
def rows(tmp_path, workspace, study_dir, judgments) -> Path:
    """Exports that overlap and correct each other, dropped into the study, and their rows in a file."""
    tables = []
    for n in range(EXPORTS):
        name = f"votes-{n}.csv"
        write_atomically(study_dir / "exports" / name, name.encode())
        given = [judgments(range(10 * n, 10 * n + 15), export=name)]
        given += [judgments(range(10 * n - 10, 10 * n - 7), answer="tie", export=name)] if n else []
        tables.append(pa.concat_tables(given))
    JudgmentLedger(study_dir, workspace).salts.ensure()
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.concat_tables(tables), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["killed-at-writes", "killed-at-times"])
def test_a_run_killed_thirty_times_leaves_what_an_undisturbed_one_does(tmp_path, workspace, rows, mode):
    shutil.copytree(workspace.root, tmp_path / "undisturbed")
    undisturbed = Workspace(tmp_path / "undisturbed")
    _write("once", undisturbed, rows)

    kills = _write(mode, workspace, rows, "3")
    _write("once", workspace, rows)

    found = verify(
        workspace.study_dir(STUDY), workspace, JudgmentLedger(undisturbed.study_dir(STUDY), undisturbed).head
    )
    assert kills >= 30
    assert _left_behind(workspace) == _left_behind(undisturbed)
    assert (found.findings, found.proven) == ((), True)
    assert list(workspace.study_dir(STUDY).rglob(".juryline-*.tmp")) == []


@pytest.mark.slow
def test_eight_writers_past_the_lock_neither_lose_nor_double_a_row(tmp_path, workspace, study_dir, judgments):
    writers, appends = range(8), range(25)
    tables = []
    for writer in writers:
        for append in appends:
            name, own = f"{writer}-{append:02}", 1000 * (writer + 1) + 10 * append
            shared = judgments(range(2 * append, 2 * append + 2), export=name)
            tables += [judgments(range(own, own + 3), export=name), shared]
    pq.write_table(pa.concat_tables(tables), tmp_path / "rows.parquet")

    finished = _write("together", workspace, tmp_path / "rows.parquet")

    ledger = JudgmentLedger(study_dir, workspace)
    given = set(pa.concat_tables(tables)["record_id"].to_pylist())
    assert finished == 8
    assert Counter(ledger.table.read()["record_id"].to_pylist()) == dict.fromkeys(given, 1)
    assert sorted(commit.transaction for commit in ledger.commits()) == sorted(
        f"{writer}-{append:02}" for writer in writers for append in appends
    )
    assert verify(study_dir, workspace).consistent
