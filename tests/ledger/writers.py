"""Writers in processes of their own, run by test_crashes.py: one that is killed, several at once.

    writers.py once WORKSPACE STUDY ROWS
    writers.py killed-at-writes | killed-at-times WORKSPACE STUDY ROWS SEED
    writers.py together WORKSPACE STUDY ROWS

The last line printed is the number of kills, or of writers. A child is forked for each, so that
Python and its libraries are loaded once.
"""

import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import deltalake
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from data_contracts.vocabulary import EventKind
from juryline.ledger.events import Events
from juryline.ledger.files import file_sha256
from juryline.ledger.judgments import JudgmentLedger, transaction_id
from juryline.ledger.lock import study_lock
from juryline.ledger.raw import keep_export
from juryline.ledger.stamps import write_stamped
from juryline.ledger.workspace import Workspace

WRITES = {"os.rename", "os.link", "os.remove", "os.chmod"}
STEPS = 12  # a child is killed at one of its next so many writes
SECONDS = 0.4
MAPPING = "d" * 64


def run_study(root: Path, slug: str, rows: pa.Table) -> None:
    """Take in every export of the rows, as a run does."""
    workspace = Workspace(root)
    study = workspace.study_dir(slug)
    with study_lock(study):
        ledger, events = JudgmentLedger(study, workspace), Events(study, workspace)
        for name in sorted(set(rows["export_path"].to_pylist())):
            dropped = study / "exports" / name
            sha256 = file_sha256(dropped)
            keep_export(study, dropped, sha256)
            result = ledger.append_judgments(
                rows.filter(pc.equal(rows["export_path"], name)),
                transaction_id(sha256, name, MAPPING),
                MAPPING,
                {"path": name, "sha256": sha256},
            )
            events.append(EventKind.INGEST, transaction_id(sha256, name, MAPPING), result.details, datetime.now(UTC))
        write_stamped(
            study,
            "commits",
            pa.table({"head": [commit.head for commit in ledger.commits()]}),
            ledger_version=ledger.version,
            ledger_head=ledger.head,
            study_spec_hash="s",
            code_version="1",
            contract_version="1",
            engine="duckdb",
            inputs={},
            checks={},
        )


def append_past_the_lock(root: Path, slug: str, rows_file: Path, writer: int) -> None:
    """Append the exports of one writer, without asking for the study's lock."""
    workspace = Workspace(root)
    ledger = JudgmentLedger(workspace.study_dir(slug), workspace)
    rows = pq.ParquetFile(rows_file).read()
    own = rows.filter(pc.starts_with(rows["export_path"], f"{writer}-"))
    for name in sorted(set(own["export_path"].to_pylist())):
        ledger.append_judgments(own.filter(pc.equal(own["export_path"], name)), name, MAPPING)


def die_at_write(n: int) -> None:
    """Kill this process at its nth write, counting those of Delta from both sides."""
    left = [n]

    def write() -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(write_of_delta: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **kwargs: object) -> object:
            write()
            made = write_of_delta(*args, **kwargs)
            write()
            return made

        return counted

    sys.addaudithook(lambda event, _: write() if event in WRITES else None)
    for name in ("create", "create_write_transaction", "create_checkpoint"):
        setattr(deltalake.DeltaTable, name, around(getattr(deltalake.DeltaTable, name)))


def child(work: Callable[[], None]) -> int:
    """Process number of a child that does the work."""
    process = os.fork()
    if process:
        return process
    try:
        work()
        os._exit(0)
    finally:
        traceback.print_exc()
        os._exit(1)


def killed(process: int) -> bool:
    """Whether a child was killed; it must have done its work otherwise."""
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise SystemExit(f"a writer ended with {status}")
    return status != 0


def main(mode: str, root: str, slug: str, rows_file: str, seed: str = "0") -> int:
    chance = random.Random(int(seed))

    def work() -> None:
        run_study(Path(root), slug, pq.ParquetFile(rows_file).read())

    def work_until(n: int) -> None:
        die_at_write(n)
        work()

    match mode:
        case "once":
            return int(killed(child(work)))
        case "killed-at-writes":
            kills = 0
            while killed(child(partial(work_until, chance.randint(1, STEPS)))):
                kills += 1
            return kills
        case "killed-at-times":
            kills = 0
            while kills < 30:
                process = child(work)
                time.sleep(chance.uniform(0, SECONDS))
                os.kill(process, signal.SIGKILL)
                kills += killed(process)
            return kills
        case "together":
            writers = {
                int(name.split("-")[0]) for name in pq.ParquetFile(rows_file).read(["export_path"])[0].to_pylist()
            }
            started = [
                child(partial(append_past_the_lock, Path(root), slug, Path(rows_file), writer))
                for writer in sorted(writers)
            ]
            return len(started) - sum(map(killed, started))
    raise SystemExit(__doc__)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
