"""One append-only Delta table whose commits form a chain: what judgments, events and attributes are kept in.

An append compares and swaps: read the version, look for the transaction, let the caller drop what
that version holds, write the rows, and commit on that version or not at all; whoever comes second
starts again. So writers that bypass the study's lock neither lose nor double a row.

Data files are named by their hash and their bytes follow from their rows, so a run that was killed
between file and commit writes the same file again. What the table holds is read from its commit files
alone; checkpoints only spare Delta the reading of a long log.
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data_contracts.errors import ConflictError, KeyMismatchError, UsageError
from data_contracts.tables import Table
from juryline.ledger.chain import METADATA, Commit, first_commit, log_path, read_commit
from juryline.ledger.files import sync
from juryline.ledger.log_digests import list_digests
from juryline.ledger.row_files import checked_rows, write_rows
from juryline.ledger.salts import Salts
from juryline.ledger.workspace import Workspace

FORMAT = 1
APPEND_ONLY = {
    "delta.appendOnly": "true",
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
}

CHECKPOINT_EVERY = 10  # commits: without checkpoints Delta reads the whole log for each commit, 0.1 s of it at 200

_ATTEMPTS = 100
_BACKOFF, _LONGEST = 0.05, 3.0  # seconds; doubled after each attempt, so that many writers end up in turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A table at one version: what an append builds on."""

    version: int
    seq: int
    head: str
    files: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Rows to append, without the columns that the commit gives them, and what its event will say."""

    rows: pa.Table
    details: Mapping[str, Any] = field(default_factory=dict)


class ChainedTable:
    """An append-only table of a study's ledger; one not yet written is an empty one.

    Parameters
    ----------
    path : Path
        Its folder; the name of the folder is that of the table.
    contract : Table
        Its columns, the last two of which are `CHAINED`, and the key its rows are ordered by.
    workspace : Workspace
        Whose key named the raters in it.
    salts : Salts, optional
        Salts of its rows' hashes.
    rater : callable, optional
        The rater whose salt a row takes, of a table of rows; null for a row without.
    """

    def __init__(
        self,
        path: Path,
        contract: Table,
        workspace: Workspace,
        *,
        salts: Salts | None = None,
        rater: Callable[[pa.Table], pa.ChunkedArray] | None = None,
    ):
        self.path = path
        self.contract = contract
        self._workspace = workspace
        self._salts = salts
        self._rater = rater
        self._log: list[Commit] = []
        self._n_listed = 0
        self._properties: dict[str, str] = {}
        self._delta: Any = None

    @property
    def version(self) -> int:
        return self.snapshot().version

    @property
    def seq(self) -> int:
        return self.snapshot().seq

    @property
    def head(self) -> str:
        return self.snapshot().head

    def files(self) -> list[str]:
        """Paths of the Parquet files that hold its rows, oldest first."""
        return self.snapshot().files

    def commits(self) -> list[Commit]:
        """Every append, oldest first."""
        self._read_log()
        return self._log[1:]

    def snapshot(self) -> Snapshot:
        """The table as it stands.

        Raises
        ------
        KeyMismatchError
            It was written under another key, or with other salts.
        UsageError
            It was written by a newer Juryline.
        VerificationError
            A commit cannot be read or is not Juryline's.
        """
        self._read_log()
        last = self._log[-1] if self._log else first_commit(self.path.name, FORMAT)
        files = [str(self.path / file.name) for commit in self._log for file in commit.files]
        return Snapshot(version=last.version, seq=last.seq, head=last.head, files=files)

    def read(self, commits: Iterable[Commit] | None = None) -> pa.Table:
        """Rows of some commits, by default of all, each commit's in the order of the key."""
        schema = self.contract.arrow_schema
        files = [file for commit in (self.commits() if commits is None else commits) for file in commit.files]
        tables = [pq.ParquetFile(self.path / file.name).read().cast(schema) for file in files]
        return pa.concat_tables([schema.empty_table(), *tables])

    def append(self, transaction: str, build: Callable[[Snapshot], Draft | None]) -> Commit | None:
        """Append the rows of a transaction, once.

        Parameters
        ----------
        transaction : str
            Names what is appended. A transaction that is in the table already is not appended again.
        build : callable
            Gives the rows that a snapshot does not hold yet; None, or none of them, writes nothing.
            Called again when another writer comes first.

        Returns
        -------
        Commit or None
            The commit that holds the transaction, now or since before; None if there was nothing to write.

        Raises
        ------
        ConflictError
            Other writers kept coming first.
        ContractError
            A row breaks the table's schema, or two have one key.
        """
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(random.uniform(0, min(_BACKOFF * 2**attempt, _LONGEST)))
            snapshot = self.snapshot()
            self._list_digests()
            for commit in self._log:
                if commit.transaction == transaction:
                    return commit
            self.refuse_other_salts(self._properties)
            draft = build(snapshot)
            if draft is None or draft.rows.num_rows == 0:
                return None
            if made := self._commit(snapshot, transaction, draft):
                return made
        raise ConflictError(
            f"{_ATTEMPTS} times another writer appended to {self.path.name} first. Nothing was written.",
            where=str(self.path),
            fix="run again once the other runs are done",
            code="conflict",
        )

    def salts_of(self, rows: pa.Table) -> pa.ChunkedArray | None:
        """Salt of each row's hash; None where the table's rows have none."""
        if self._salts is None or self._rater is None:
            return None
        return self._salts.of(self._rater(rows))

    def refuse_other_salts(self, properties: Mapping[str, str]) -> None:
        """Refuse salts other than those the table's properties speak of.

        Raises
        ------
        KeyMismatchError
            They are others.
        VerificationError
            They are missing.
        """
        recorded = properties.get("juryline.salts")
        if self._salts is not None and recorded not in (None, self._salts.ensure().fingerprint):
            raise KeyMismatchError(
                f"the salts of {self.path.name} are not those it was written with. Nothing was written.",
                where=str(self._salts.path),
                fix="put back the file from a copy of the workspace",
                code="other_salts",
            )

    def _commit(self, snapshot: Snapshot, transaction: str, draft: Draft) -> Commit | None:
        """Write and commit on this snapshot; None if another writer was first."""
        from deltalake import CommitProperties, PostCommitHookProperties
        from deltalake.exceptions import CommitFailedError
        from deltalake.transaction import AddAction

        delta = self._delta_at(snapshot.version)
        if delta is None:
            return None
        rows = checked_rows(draft.rows, self.contract)
        written = write_rows(self.path, rows, self.contract, seq=snapshot.seq + 1, salts=self.salts_of(rows))
        commit = Commit(
            seq=snapshot.seq + 1,
            prev=snapshot.head,
            transaction=transaction,
            n_rows=written.n_rows,
            rows_sha256=written.rows_sha256,
            files=(written.file,),
            details=draft.details,
        )
        add = AddAction(
            path=written.file.name,
            size=written.size,
            partition_values={},
            modification_time=0,  # a clock has no place here, and nobody reads it
            data_change=True,
            stats=json.dumps({"numRecords": written.n_rows}),
        )
        try:
            delta.create_write_transaction(
                [add],
                "append",
                self.contract.arrow_schema,
                commit_properties=CommitProperties(custom_metadata={METADATA: commit.metadata()}, max_commit_retries=0),
                post_commithook_properties=PostCommitHookProperties(
                    create_checkpoint=False, cleanup_expired_logs=False
                ),
            )
        except CommitFailedError:
            if log_path(self.path, commit.version).exists():
                return None
            raise
        # Delta does not flush what it commits.
        sync(log_path(self.path, commit.version))
        sync(log_path(self.path, commit.version).parent)
        self._read_log()
        self._list_digests(self._checkpoint() if commit.seq % CHECKPOINT_EVERY == 0 else None)
        return self._log[commit.seq]

    def _delta_at(self, version: int) -> Any:
        """Delta's handle at a version, made with the table if need be; None if the table is further by now."""
        from deltalake import DeltaTable

        if not self._log:
            self._create()
            self._read_log()
        if self._delta is None:
            self._delta = DeltaTable(str(self.path))
        self._delta.update_incremental()
        return self._delta if self._delta.version() == version else None

    def _checkpoint(self) -> int:
        """Let Delta write a checkpoint of the table as it stands; its version."""
        self._delta.update_incremental()
        self._delta.create_checkpoint()
        log_path(self.path, 0).with_name("_last_checkpoint").unlink(missing_ok=True)  # a hint that would be rewritten
        version = self._delta.version()
        self._delta = None  # a handle does not notice checkpoints
        return version

    def _list_digests(self, checkpoint: int | None = None) -> None:
        if self._n_listed < len(self._log) or checkpoint is not None:
            list_digests(self.path, len(self._log), checkpoint)
            self._n_listed = len(self._log)

    def _create(self) -> None:
        from deltalake import CommitProperties, DeltaTable
        from deltalake.exceptions import DeltaError

        self.path.mkdir(parents=True, exist_ok=True)
        properties = {"juryline.format": str(FORMAT), "juryline.key": self._workspace.key_fingerprint}
        if self._salts is not None:
            properties["juryline.salts"] = self._salts.ensure().fingerprint
        try:
            DeltaTable.create(
                str(self.path),
                self.contract.arrow_schema,
                mode="error",
                name=self.path.name,
                configuration=APPEND_ONLY | properties,
                raise_if_key_not_exists=False,
                # With retries, one of two that make it at once would make it again, as commit 1.
                commit_properties=CommitProperties(
                    custom_metadata={METADATA: first_commit(self.path.name, FORMAT).metadata()}, max_commit_retries=0
                ),
            )
        except DeltaError:
            if not log_path(self.path, 0).exists():
                raise

    def _read_log(self) -> None:
        """Read the commits that came since the last look; a commit file never changes."""
        while log_path(self.path, len(self._log)).exists():
            commit, properties = read_commit(self.path, len(self._log))
            if not self._log:
                self._refuse_foreign(properties)
            self._log.append(commit)

    def _refuse_foreign(self, properties: Mapping[str, str]) -> None:
        format = properties.get("juryline.format", "")
        if format != str(FORMAT):
            raise UsageError(
                f"{self.path.name} has format {format or 'unknown'}; this Juryline reads format {FORMAT}.",
                where=str(self.path),
                fix="install the Juryline that wrote it, or a newer one",
                code="format",
            )
        if properties.get("juryline.key") != self._workspace.key_fingerprint:
            raise KeyMismatchError(
                f"{self.path.name} was written under another key. Nothing was written.",
                where=str(self.path),
                fix="put the workspace's own key back: .juryline/key, JURYLINE_KEY or JURYLINE_KEY_FILE",
                code="other_key",
            )
        self._properties = dict(properties)
