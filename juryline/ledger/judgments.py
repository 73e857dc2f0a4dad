"""The ledger of judgments: what every export brought, each record once, in the order it came.

An append drops the records that are there already and counts what the others are: first versions or
new ones of a judgment known before. What an export's `ingest` event says is kept in the commit too,
so the event can be written again if a kill came between the two.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.tables import JUDGMENTS
from juryline.ledger.chain import Commit
from juryline.ledger.delta_log import ChainedTable, Draft, Snapshot
from juryline.ledger.engine import connect, parquet
from juryline.ledger.salts import Salts
from juryline.ledger.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendResult:
    """What became of the records of one export.

    Attributes
    ----------
    n_new, n_new_versions, n_redelivered : int
        Records of judgments not known before, of known judgments with another answer, and records
        that were there already; together all that were given.
    commit : Commit or None
        The commit that holds the export; None if it brought nothing new.
    details : mapping
        Payload of its `ingest` event. The same whether the commit was made now or before a kill.
    """

    n_new: int
    n_new_versions: int
    n_redelivered: int
    commit: Commit | None
    details: Mapping[str, Any]


class JudgmentLedger:
    """Judgments of a study.

    Parameters
    ----------
    study_dir : Path
        Folder of the study.
    workspace : Workspace
        The workspace it is in.
    """

    def __init__(self, study_dir: Path, workspace: Workspace):
        self.salts = Salts(workspace, study_dir)
        self._scratch = workspace.scratch(study_dir.name)
        self._held: set[str] = set()
        self.table = ChainedTable(
            study_dir / "ledger" / "judgments",
            JUDGMENTS,
            workspace,
            salts=self.salts,
            rater=lambda rows: rows["rater_pseudonym"],
        )

    @property
    def version(self) -> int:
        return self.table.version

    @property
    def seq(self) -> int:
        return self.table.seq

    @property
    def head(self) -> str:
        return self.table.head

    @property
    def n_rows(self) -> int:
        return sum(commit.n_rows for commit in self.commits())

    def files(self) -> list[str]:
        """Paths of the Parquet files that hold the judgments, oldest first."""
        return self.table.files()

    def commits(self) -> list[Commit]:
        """Every append, oldest first."""
        return self.table.commits()

    def append_judgments(
        self, rows: pa.Table, transaction: str, intake_digest: str, details: Mapping[str, Any] | None = None
    ) -> AppendResult:
        """Append the records of one export that the ledger does not hold.

        Parameters
        ----------
        rows : pa.Table
            JUDGMENTS without ledger_seq and row_sha256, each record_id once.
        transaction : str
            As `transaction_id` gives it.
        intake_digest : str
            Digest of the mapping the export was read with.
        details : mapping, optional
            What else its `ingest` event is to say: path, sha256, adapter, counts, what was found.
            Nothing that differs between two readings of the same export.

        Raises
        ------
        ConflictError
            Other writers kept coming first.
        ContractError
            The rows break the contract of judgments.
        """
        said = {**(details or {}), "intake_digest": intake_digest}
        counted: dict[str, int] = {}

        def build(snapshot: Snapshot) -> Draft:
            kept, counts = self._new_rows(rows, snapshot.files)
            counted.update(counts)
            return Draft(rows=kept, details=said | counts)

        commit = self.table.append(transaction, build)
        said = dict(commit.details) if commit else said | counted
        return AppendResult(
            n_new=said["n_new"],
            n_new_versions=said["n_new_versions"],
            n_redelivered=said["n_redelivered"],
            commit=commit,
            details=said,
        )

    def _new_rows(self, rows: pa.Table, files: list[str]) -> tuple[pa.Table, dict[str, int]]:
        con = self._database
        self._hold(files)
        con.register("kept", rows.select(_IDENTITY))
        known = con.sql("SELECT record_id FROM held SEMI JOIN kept USING (record_id)").to_arrow_table()["record_id"]
        kept = rows.filter(pc.invert(pc.is_in(rows["record_id"], known.cast(pa.string())))) if len(known) else rows
        con.register("kept", kept.select(_IDENTITY))
        versions = con.sql(_NEW_VERSIONS).fetchall()[0][0]
        con.unregister("kept")
        counts = {
            "n_new": kept.num_rows - versions,
            "n_new_versions": versions,
            "n_redelivered": rows.num_rows - kept.num_rows,
        }
        return kept, counts

    def _hold(self, files: list[str]) -> None:
        """Know the identities in these files too; a file of the ledger never changes, so each is read once."""
        if unread := [file for file in files if file not in self._held]:
            self._database.execute(f"INSERT INTO held SELECT record_id, judgment_key FROM {parquet(unread)}")
            self._held.update(unread)

    @cached_property
    def _database(self) -> duckdb.DuckDBPyConnection:
        con = connect(self._scratch)
        con.execute("CREATE TABLE held (record_id VARCHAR, judgment_key VARCHAR)")
        return con


def transaction_id(export_sha256: str, export_path: str, intake_digest: str) -> str:
    """Names the reading of one export: these bytes, under this path, with this mapping."""
    parts = json.dumps([export_sha256, export_path, intake_digest], ensure_ascii=False)
    return hashlib.sha256(parts.encode()).hexdigest()


_IDENTITY = ["record_id", "judgment_key", "judgment_id"]

# Of several versions of one judgment in one export, one is its first and the others are new versions. Keys are
# grouped by their hash to begin with, since most keys occur once and a million of them are long.
_NEW_VERSIONS = """
    WITH repeated AS (SELECT hash(judgment_key) AS hashed FROM kept GROUP BY hashed HAVING count(*) > 1),
    together AS (SELECT judgment_key, judgment_id FROM kept WHERE hash(judgment_key) IN (FROM repeated)),
    first AS (SELECT judgment_key, min(judgment_id) AS judgment_id FROM together GROUP BY judgment_key),
    later AS (SELECT judgment_key FROM together ANTI JOIN first USING (judgment_key, judgment_id)),
    earlier AS (SELECT DISTINCT judgment_key FROM held SEMI JOIN kept USING (judgment_key))
    SELECT (SELECT count(*) FROM kept SEMI JOIN earlier USING (judgment_key))
         + (SELECT count(*) FROM later ANTI JOIN earlier USING (judgment_key))
"""
