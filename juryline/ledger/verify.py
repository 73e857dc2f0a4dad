"""Whether a study's stored bytes are those that were recorded, and whether they are those a head speaks of.

*Consistent* says that everything stored agrees with itself: exports with their names and events, the
ledger with its chains, tables with their stamps, the lock with its freeze, the specification and the
files it names with the lock. Who can write everything can make everything agree; *proven* says that the
chain contains a head that was kept elsewhere, by a report or by an auditor. Hold the study's lock
meanwhile: a run at work looks like one that was killed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from data_contracts.errors import VerificationError
from data_contracts.lock import LOCK
from data_contracts.tables import QUARANTINE_LOG
from data_contracts.vocabulary import EventKind
from juryline.ledger.attributes import Attributes
from juryline.ledger.delta_log import ChainedTable
from juryline.ledger.events import Event, Events
from juryline.ledger.files import content_digest, file_sha256
from juryline.ledger.judgments import JudgmentLedger
from juryline.ledger.raw import raw_path
from juryline.ledger.stamps import read_stamp
from juryline.ledger.verify_chain import ChainVerification, verify_chain
from juryline.ledger.verify_specification import verify_specification
from juryline.ledger.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was found in a study.

    Attributes
    ----------
    consistent : bool
        Whether nothing was found.
    proven : bool or None
        Whether the study is consistent and its ledger contains the head given; None where none was given.
    findings : tuple of str
        What differs from what was recorded, each naming its file.
    notes : tuple of str
        What is as it should be, or what a kill left and the next run mends.
    n_rows : int
        Judgments in the ledger.
    head : str
        Head of the chain of judgments.
    """

    consistent: bool
    proven: bool | None
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    n_rows: int
    head: str


def verify(study_dir: Path, workspace: Workspace, head: str | None = None) -> Verification:
    """Re-hash everything a study keeps.

    Parameters
    ----------
    head : str, optional
        A head of one of the ledger's chains, kept outside the workspace.

    Raises
    ------
    KeyMismatchError
        The ledger was written under another key.
    """
    tables = _chained_tables(study_dir, workspace)
    chains = {name: verify_chain(table) for name, table in tables.items()}
    judgments = chains["judgments"]
    findings = [finding for chain in chains.values() for finding in chain.findings]
    notes = [note for chain in chains.values() for note in chain.notes]
    for name, table in tables.items():
        if not chains[name].findings:
            table.snapshot()  # refuses another key
    events = [] if chains["events"].findings else Events(study_dir, workspace).read()
    findings += _ledger_folder(study_dir, tables)
    findings += _exports(study_dir, events)
    findings += _ingests(judgments, events)
    findings += _tables(study_dir, judgments)
    findings += _lock(study_dir, events)
    specification = verify_specification(study_dir)
    findings += specification.findings
    notes += specification.notes
    notes += _unrecorded(judgments, events)
    contained = None
    if head is not None:
        contained, note = _head(head, chains)
        (notes if contained else findings).append(note)
    return Verification(
        consistent=not findings,
        proven=None if contained is None else contained and not findings,
        findings=tuple(findings),
        notes=tuple(notes),
        n_rows=sum(commit.n_rows for commit in judgments.commits),
        head=judgments.heads[-1],
    )


def _chained_tables(study_dir: Path, workspace: Workspace) -> dict[str, ChainedTable]:
    return {
        "judgments": JudgmentLedger(study_dir, workspace).table,
        "events": Events(study_dir, workspace).table,
        "attributes": Attributes(study_dir, workspace).table,
        "quarantine": ChainedTable(study_dir / "ledger" / "quarantine", QUARANTINE_LOG, workspace),
    }


def _ledger_folder(study_dir: Path, tables: Mapping[str, ChainedTable]) -> Iterator[str]:
    for folder in sorted((study_dir / "ledger").glob("*/")):
        if folder.name not in tables:
            yield f"ledger/{folder.name}: Juryline keeps no such table"


def _exports(study_dir: Path, events: list[Event]) -> Iterator[str]:
    for path in sorted((study_dir / "raw").glob("*/*")):
        if not path.name.startswith(".") and file_sha256(path) != path.name:
            yield f"{path.relative_to(study_dir).as_posix()}: its bytes differ from the SHA-256 that is its name"
    for event in events:
        if event.kind is EventKind.INGEST and not raw_path(study_dir, event.payload["sha256"]).exists():
            kept = raw_path(study_dir, event.payload["sha256"]).relative_to(study_dir).as_posix()
            yield f"{kept}: the export {event.payload['path']} is missing"


def _ingests(judgments: ChainVerification, events: list[Event]) -> Iterator[str]:
    commits = {commit.transaction: commit for commit in judgments.commits}
    for event in events:
        if event.kind is EventKind.INGEST and event.payload["n_new"] + event.payload["n_new_versions"]:
            commit = commits.get(event.key)
            if commit is None:
                yield f"ledger/judgments: no commit of the export {event.payload['path']}, taken in at {event.at}"
            elif dict(commit.details) != event.payload:
                yield f"ledger/judgments: commit {commit.seq} and the event of {event.payload['path']} differ"


def _unrecorded(judgments: ChainVerification, events: list[Event]) -> Iterator[str]:
    known = {event.key for event in events}
    for commit in judgments.commits:
        if commit.transaction not in known:
            yield f"commit {commit.seq} of judgments has no event yet"


def _tables(study_dir: Path, judgments: ChainVerification) -> Iterator[str]:
    for path in sorted((study_dir / "tables").glob("*.json")):
        try:
            stamp = read_stamp(study_dir, path.stem)
        except VerificationError as error:
            yield f"tables/{path.name}: {error.what}"
            continue
        if stamp is None:
            yield f"tables/{path.name}: the table it stamps is missing"
        elif stamp.asset != path.stem:
            yield f"tables/{path.name}: it is the stamp of {stamp.asset}"
        elif file_sha256(stamp.file) != stamp.file_sha256:
            yield f"tables/{stamp.file.name}: its bytes differ from those stamped"
        elif content_digest(pq.ParquetFile(stamp.file).read()) != stamp.content_digest:
            yield f"tables/{stamp.file.name}: its rows differ from those stamped"
        elif stamp.ledger_head not in judgments.heads:
            yield f"tables/{path.name}: it was made from a ledger that this one does not contain"


def _lock(study_dir: Path, events: list[Event]) -> Iterator[str]:
    frozen = [event.payload for event in events if event.kind in (EventKind.FREEZE, EventKind.AMEND)]
    path = study_dir / LOCK
    if frozen and not path.exists():
        yield f"{LOCK}: the study was frozen, and its lock is missing"
    elif frozen and file_sha256(path) != frozen[-1].get("lock_sha256"):
        yield f"{LOCK}: its bytes differ from those frozen"
    elif not frozen and path.exists():
        yield f"{LOCK}: no event says that the study was frozen; juryline freeze {study_dir.name} writes it"


def _head(head: str, chains: Mapping[str, ChainVerification]) -> tuple[bool, str]:
    for name, chain in chains.items():
        if head in chain.heads:
            at, last = chain.heads.index(head), len(chain.heads) - 1
            since = "" if at == last else f"; {last - at} commits came after it"
            return True, f"the head given is that of {name} after commit {at}{since}"
    return False, f"the head given is in no chain of this ledger: {head}"
