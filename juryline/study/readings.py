"""What the readings in force say beside judgments: attributes, refused answers, and records no longer given.

An export is read once under each mapping. A reading is in force if it is of the mapping that the
specification has now; what earlier readings of the export said stays in the ledger and counts no more.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.specification import StudySpec
from data_contracts.specification_digest import intake_digest
from data_contracts.specification_exports import Export
from data_contracts.specification_paths import matches
from data_contracts.tables import QUARANTINE, QUARANTINE_LOG
from data_contracts.vocabulary import EventKind
from juryline.adapters.registry import adapter_version
from juryline.intake.unanswered import LEFT_OUT
from juryline.ledger.attributes import Attributes
from juryline.ledger.delta_log import ChainedTable, Draft
from juryline.ledger.events import Events
from juryline.ledger.judgments import JudgmentLedger, transaction_id
from juryline.ledger.workspace import Workspace
from juryline.study.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An export under a mapping: its path below exports/, its bytes, and the digest of how it is read."""

    path: str
    sha256: str
    digest: str

    @property
    def transaction(self) -> str:
        return transaction_id(self.sha256, self.path, self.digest)

    @property
    def source(self) -> tuple[str, str]:
        """The export, however it is read."""
        return self.sha256, self.path


@dataclass(frozen=True, slots=True)
class Refusals:
    """Records refused whole, and answers refused one by one, each once however often it was delivered."""

    n_records: int
    n_answers: int


class Readings:
    """The readings of a study's exports, and what they say beside judgments."""

    def __init__(
        self,
        workspace: Workspace,
        directory: Path,
        spec: StudySpec,
        *,
        engine: Engine,
        ledger: JudgmentLedger,
        events: Events,
    ):
        self._directory = directory
        self._spec = spec
        self._engine = engine
        self._ledger = ledger
        self._events = events
        self.attribute_log = Attributes(directory, workspace)
        self.quarantine_log = ChainedTable(directory / "ledger" / "quarantine", QUARANTINE_LOG, workspace)

    def reading(self, path: str, sha256: str, export: Export) -> Reading:
        """The reading of an export under the mapping that the specification has now."""
        digest = intake_digest(self._spec, self._directory, export, adapter_version(export))
        return Reading(path=path, sha256=sha256, digest=digest)

    def reader_of(self, path: str) -> Export | None:
        """The declaration that reads an export by its path, also when the file has left the drop folder."""
        return next((export for export in self._spec.exports if matches(path, export.match)), None)

    def payloads(self) -> dict[str, dict[str, Any]]:
        """What each ingest event says, by transaction."""
        return {event.key: event.payload for event in self._events.read() if event.kind is EventKind.INGEST}

    def taken(self) -> set[Reading]:
        """Every reading that reached the ledger, also one whose event a kill kept from being written."""
        said = [*self.payloads().values(), *(commit.details for commit in self._ledger.commits())]
        return {Reading(path=s["path"], sha256=s["sha256"], digest=s["intake_digest"]) for s in said}

    def in_force(self) -> list[Reading]:
        """The taken readings that are of the mapping the specification has now, in the order of path and bytes."""
        current = [
            r for r in self.taken() if (export := self.reader_of(r.path)) and r == self.reading(*_key(r), export)
        ]
        return sorted(current, key=lambda reading: (reading.path, reading.sha256))

    def attributes(self) -> ir.Table:
        """ATTRIBUTES by the readings in force."""
        rows = self.attribute_log.read()
        return self._engine.memory("attributes", rows.filter(self._is_in_force(rows)))

    def quarantine(self) -> pa.Table:
        """QUARANTINE by the readings in force; an answer delivered again is refused once."""
        rows, _ = self._refused()
        return rows.select(QUARANTINE.names).group_by(QUARANTINE.names).aggregate([])

    def refusals(self) -> Refusals:
        """How many records and answers stand in quarantine."""
        rows, _ = self._refused()
        whole = rows.filter(rows["whole"])
        return Refusals(
            n_records=pc.count_distinct(whole["record_digest"]).as_py(),
            n_answers=pc.count_distinct(rows["answer_digest"], mode="only_valid").as_py(),
        )

    def ignored(self) -> dict[str, int]:
        """Records left out by declaration, by `ignored:` and reason, each once however often it was delivered."""
        _, rows = self._refused()
        return {f"{LEFT_OUT}:{reason}": n for reason, n in sorted(Counter(rows["value"].to_pylist()).items())}

    def retracted(self) -> ir.Table:
        """Records that no reading of their exports gives any more."""
        return self._engine.memory("retracted", _ids(self._events.retracted()))

    def withdrawn(self) -> ir.Table:
        """Records of raters who withdrew; no command of this version withdraws."""
        return self._engine.memory("withdrawn", _ids(()))

    def digest(self) -> str:
        """All that tables are made from, as one digest: the ledger and what the readings in force say beside it."""
        said = [
            self._ledger.head,
            sorted(self._events.retracted()),
            [reading.transaction for reading in self.in_force()],
            self.attribute_log.head,
            self.quarantine_log.head,
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def keep_unanswered(self, rows: pa.Table, reading: Reading) -> None:
        """Append what a reading refused or left out."""
        self.quarantine_log.append(reading.transaction, lambda _: Draft(rows=rows))

    def _refused(self) -> tuple[pa.Table, pa.Table]:
        """QUARANTINE_LOG by the readings in force, each from the first export that has it: refused, and left out."""
        rows = self.quarantine_log.read()
        self._engine.memory("refused", rows.filter(self._is_in_force(rows)))
        first = (
            "first_value({}) OVER (PARTITION BY coalesce(answer_digest, record_digest) ORDER BY export_path, "
            "export_sha256, source_row, source_path NULLS FIRST)"
        )
        places = ("export_path", "export_sha256", "source_row", "source_path")
        same = " AND ".join(f"{place} IS NOT DISTINCT FROM {first.format(place)}" for place in places)
        once = self._engine.con.sql(f"SELECT * FROM refused QUALIFY {same}").to_arrow_table()
        once = once.cast(QUARANTINE_LOG.arrow_schema)
        is_left_out = pc.equal(once["rule"], LEFT_OUT)
        return once.filter(pc.invert(is_left_out)), once.filter(is_left_out)

    def _is_in_force(self, rows: pa.Table) -> pa.Array:
        current = {(r.sha256, r.path, r.digest) for r in self.in_force()}
        columns = (rows["export_sha256"], rows["export_path"], rows["intake_digest"])
        return pa.array([key in current for key in zip(*(column.to_pylist() for column in columns))], pa.bool_())


def _key(reading: Reading) -> tuple[str, str]:
    return reading.path, reading.sha256


def _ids(ids: Iterable[str]) -> pa.Table:
    return pa.table({"record_id": pa.array(sorted(ids), pa.string())})
