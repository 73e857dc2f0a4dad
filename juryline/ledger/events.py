"""What happened to a study: freezes, amendments, exports taken in, retractions, the first unblinding.

Events are the second chain of a ledger, and the one place where times are kept: "as of" is read from
here, never from a file's clock. A kind and a key name an event; the same one is written once.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from data_contracts.tables import INSTANT, TEXT, Table, must
from data_contracts.vocabulary import EventKind
from juryline.ledger.chain import Commit
from juryline.ledger.delta_log import ChainedTable, Draft
from juryline.ledger.row_files import CHAINED
from juryline.ledger.workspace import Workspace

EVENTS = Table(
    "events",
    "Everything that happened to a study, one row each",
    (
        must("kind", TEXT, "freeze, amend, ingest, retract, reinstate, unblind, reuse or withdraw"),
        must("key", TEXT, "names the event among those of its kind"),
        must("at", INSTANT, "when, by the machine's clock"),
        must("payload", TEXT, "JSON object: what the event says"),
        *CHAINED,
    ),
    ("kind", "key"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event; `seq` orders them."""

    seq: int
    kind: EventKind
    key: str
    payload: dict[str, Any]
    at: datetime


class Events:
    """Events of a study.

    Parameters
    ----------
    study_dir : Path
        Folder of the study.
    workspace : Workspace
        The workspace it is in.
    """

    def __init__(self, study_dir: Path, workspace: Workspace):
        self.table = ChainedTable(study_dir / "ledger" / "events", EVENTS, workspace)
        self._known: list[Event] = []
        self._n_known = 0  # commits

    def append(self, kind: EventKind, key: str, payload: Mapping[str, Any], at: datetime) -> Event:
        """Write an event, unless there is one of this kind and key.

        Parameters
        ----------
        at : datetime
            When it happened, with a zone.

        Returns
        -------
        Event
            The event as the ledger holds it: the earlier one, if there was one.
        """
        if at.tzinfo is None:
            raise ValueError("at has no zone")
        text = json.dumps(payload, sort_keys=True, ensure_ascii=False, allow_nan=False)
        row = {"kind": str(kind), "key": key, "at": at.astimezone(UTC), "payload": text}
        rows = pa.Table.from_pylist([row], schema=pa.schema([EVENTS.arrow_schema.field(name) for name in row]))
        transaction = hashlib.sha256(json.dumps([str(kind), key], ensure_ascii=False).encode()).hexdigest()
        commit = self.table.append(transaction, lambda _: Draft(rows=rows))
        return _events(self.table.read([commit] if commit else []))[0]

    def read(self) -> list[Event]:
        """Every event, oldest first."""
        new = self.table.commits()[self._n_known :]
        self._known += _events(self.table.read(new))
        self._n_known += len(new)
        return list(self._known)

    def restore_ingests(self, commits: Iterable[Commit], at: datetime) -> list[Event]:
        """Write the `ingest` events that a kill kept from following their commits.

        Parameters
        ----------
        commits : iterable of Commit
            Commits of the judgments.
        at : datetime
            Time of the events that are missing: when they are written.
        """
        known = {event.key for event in self.read() if event.kind is EventKind.INGEST}
        return [
            self.append(EventKind.INGEST, commit.transaction, commit.details, at)
            for commit in commits
            if commit.transaction not in known
        ]

    def retracted(self) -> set[str]:
        """Records that were retracted and not reinstated since."""
        retracted: set[str] = set()
        for event in self.read():
            if event.kind is EventKind.RETRACT:
                retracted.update(event.payload["record_ids"])
            elif event.kind is EventKind.REINSTATE:
                retracted.difference_update(event.payload["record_ids"])
        return retracted


def _events(rows: pa.Table) -> list[Event]:
    return [
        Event(
            seq=row["ledger_seq"],
            kind=EventKind(row["kind"]),
            key=row["key"],
            payload=json.loads(row["payload"]),
            at=row["at"],
        )
        for row in rows.to_pylist()
    ]
