"""A small invented study: a workspace, judgment rows, and a ledger that has seen a bit of everything."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from data_contracts.lock import LedgerFacts, freeze
from data_contracts.specification import parse_specification
from data_contracts.tables import ATTRIBUTES, JUDGMENTS, QUARANTINE_LOG
from data_contracts.vocabulary import EventKind
from juryline.ledger.attributes import Attributes
from juryline.ledger.delta_log import ChainedTable, Draft
from juryline.ledger.events import Events
from juryline.ledger.files import file_sha256, write_atomically
from juryline.ledger.judgments import AppendResult, JudgmentLedger, transaction_id
from juryline.ledger.raw import keep_export
from juryline.ledger.row_files import content
from juryline.ledger.stamps import write_stamped
from juryline.ledger.workspace import Workspace

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MAPPING = "d" * 64

RowMaker = Callable[..., pa.Table]


@pytest.fixture(autouse=True)
def _no_key_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JURYLINE_KEY", "JURYLINE_KEY_FILE", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "a workspace")


@pytest.fixture
def study_dir(workspace: Workspace) -> Path:
    folder = workspace.study_dir("story-quality")
    folder.mkdir()
    return folder


@pytest.fixture
def judgments() -> RowMaker:
    """Judgment rows by number; the same number and answer make the same record."""
    return _judgments


@dataclass
class StoredStudy:
    """A study with exports, attributes, quarantine, events, a lock and a table in it."""

    workspace: Workspace
    directory: Path
    ledger: JudgmentLedger
    events: Events
    results: list[AppendResult] = field(default_factory=list)

    def ingest(self, name: str, rows: pa.Table) -> AppendResult:
        dropped = self.directory / "exports" / name
        write_atomically(dropped, "\n".join(rows["record_id"].to_pylist()).encode())
        sha256 = file_sha256(dropped)
        keep_export(self.directory, dropped, sha256)
        transaction = transaction_id(sha256, name, MAPPING)
        result = self.ledger.append_judgments(rows, transaction, MAPPING, {"path": name, "sha256": sha256})
        at = NOON + timedelta(minutes=len(self.results))
        self.events.append(EventKind.INGEST, transaction, result.details, at)
        self.results.append(result)
        return result


@pytest.fixture
def stored(workspace: Workspace, study_dir: Path) -> StoredStudy:
    study = StoredStudy(workspace, study_dir, JudgmentLedger(study_dir, workspace), Events(study_dir, workspace))
    study.ledger.salts.ensure()
    (study_dir / "study.yaml").write_text(_SPECIFICATION, encoding="utf-8")
    for named in ("votes.sql", "assigned.csv", "exports/outputs.jsonl"):
        write_atomically(study_dir / named, f"what {named} says".encode())
    lock = freeze(study_dir, parse_specification(_SPECIFICATION), NOON - timedelta(days=1), LedgerFacts())
    said = {"lock_sha256": file_sha256(study_dir / "study.lock.json")}
    study.events.append(EventKind.FREEZE, "1", said, NOON - timedelta(days=1))
    study.ingest("votes-1.csv", _judgments(range(30)))
    study.ingest("votes-2.csv", _judgments(range(20, 50)))
    Attributes(study_dir, workspace).append(_attributes(), "attributes of votes-1.csv")
    _quarantine(study_dir, workspace)
    made = {"ledger_head": study.ledger.head, "study_spec_hash": lock.study_spec_hash}
    write_stamped(study_dir, "tallies", pa.table({"n": [1, 2, 3]}), **_STAMP | made)
    return study


@pytest.fixture
def stamp_fields() -> Callable[..., dict[str, Any]]:
    """What a stamp needs beside its table, with what a test wants otherwise."""
    return lambda **others: _STAMP | others


_SPECIFICATION = """\
juryline: 1
study: story-quality
systems: [{id: davinci}, {id: curie}]
rubric: {criteria: [{id: overall, protocol: pairwise}]}
raters: {populations: [{id: crowd, kind: human}]}
assignment: {manifest: assigned.csv}
exports: [{match: "votes-*.csv", format: sql, read: {as: csv}, query: votes.sql, population: crowd}]
outputs: {match: "outputs.jsonl", columns: {case: prompt, system: model, text: output}}
analyses: [{id: wins, method: win_rates, criterion: overall}]
"""
_STAMP = {
    "ledger_version": 0,
    "ledger_head": "",
    "study_spec_hash": "s" * 64,
    "code_version": "1",
    "contract_version": "1",
    "engine": "duckdb",
    "inputs": {"judgments": "a" * 64},
    "checks": {"contract": True},
}


def _judgments(numbers: range, *, answer: str = "candidate_1", export: str = "votes.csv") -> pa.Table:
    columns = content(JUDGMENTS)
    rows = [_judgment(number, answer, export) for number in numbers]
    return pa.Table.from_pylist(rows, schema=pa.schema([JUDGMENTS.arrow_schema.field(c.name) for c in columns]))


def _judgment(number: int, answer: str, export: str) -> dict[str, Any]:
    key = _hash("key", number)
    judgment_id = _hash(key, answer)
    return {
        "record_id": _hash(judgment_id, "overall"),
        "judgment_key": key,
        "judgment_id": judgment_id,
        "study_spec_hash": _hash("specification"),
        "case_id": f"case {number // 5}",
        "candidate_1": "writer-D",
        "candidate_2": "writer-C",
        "candidate_order": ["writer-D", "writer-C"],
        "order_collected": True,
        "criterion": "overall",
        "protocol": "pairwise",
        "state": "answered",
        "label": answer,
        "value": number / 7,
        "raw_label": "left",
        "rubric_revision": "r1",
        "phase": "exploratory",
        "item_kind": "scored",
        "rater_pseudonym": _hash("rater", number % 4),
        "population": "crowd",
        "rater_kind": "human",
        "rationale": None if number % 3 else f"because «{number}»\nand so on",
        "submitted_at": NOON + timedelta(seconds=number),
        "quality_flags": [],
        "export_sha256": _hash(export),
        "export_path": export,
        "source_row": number + 1,
        "adapter": "table 1",
    }


def _attributes() -> pa.Table:
    shared = {"export_sha256": _hash("votes-1.csv"), "export_path": "votes-1.csv", "intake_digest": MAPPING}
    rater = {"subject_kind": "rater", "population": "crowd", "attribute": "native_language", "value": "English"}
    case = {"subject_kind": "case", "population": None, "attribute": "category", "value": "poem"}
    rows = [shared | rater | {"subject": _hash("rater", n)} for n in range(4)] + [shared | case | {"subject": "case 1"}]
    return pa.Table.from_pylist(rows, schema=ATTRIBUTES.arrow_schema)


def _quarantine(study_dir: Path, workspace: Workspace) -> None:
    table = ChainedTable(study_dir / "ledger" / "quarantine", QUARANTINE_LOG, workspace)
    columns = content(QUARANTINE_LOG)
    row = {c.name: "x" if c.type == pa.string() else True if c.type == pa.bool_() else 1 for c in columns}
    schema = pa.schema([QUARANTINE_LOG.arrow_schema.field(c.name) for c in columns])
    table.append("refused of votes-1.csv", lambda _: Draft(rows=pa.Table.from_pylist([row], schema=schema)))


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()
