"""The chain: what each commit of a ledger table says of itself, and how it is tied to the one before.

A table is a Delta table and each of its versions a commit. Version 0 makes the table; every later
one adds the rows of one transaction. Beside Delta's own actions a commit carries this record, of
which its head is the SHA-256:

    {"files": [...], "n_rows": ..., "prev": ..., "rows_sha256": ..., "seq": ..., "transaction": ...}

as JSON with sorted keys and no spaces: the hashes of its data files, how many rows they hold, the
head before, the hash over the rows' hashes, its number, and the transaction. No clock, run or name of
a file in Delta is part of a head: a run that was killed and run again ends at the same one.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_contracts.errors import VerificationError

METADATA = "juryline"  # key of the record in Delta's commitInfo
NO_ROWS = hashlib.sha256().hexdigest()


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file of a commit, named by the SHA-256 of its bytes."""

    name: str
    sha256: str

    @classmethod
    def of(cls, sha256: str) -> "DataFile":
        return cls(f"{sha256}.parquet", sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit of a ledger table.

    Attributes
    ----------
    seq : int
        Its number, which is also its Delta version; 0 made the table.
    prev, head : str
        Head of the chain before and after it.
    transaction : str
        What it did: the same one is never committed twice.
    details : mapping
        What the event of this commit says, kept here so that it can be written again.
    """

    seq: int
    prev: str
    transaction: str
    n_rows: int
    rows_sha256: str
    files: tuple[DataFile, ...]
    head: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.head:
            object.__setattr__(self, "head", self.expected_head())

    @property
    def version(self) -> int:
        """Delta version."""
        return self.seq

    def expected_head(self) -> str:
        """The head that follows from everything else."""
        record = {
            "files": [file.sha256 for file in self.files],
            "n_rows": self.n_rows,
            "prev": self.prev,
            "rows_sha256": self.rows_sha256,
            "seq": self.seq,
            "transaction": self.transaction,
        }
        text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def metadata(self) -> dict[str, Any]:
        """The record as Delta keeps it."""
        return {
            "seq": self.seq,
            "prev": self.prev,
            "transaction": self.transaction,
            "n_rows": self.n_rows,
            "rows_sha256": self.rows_sha256,
            "files": [file.sha256 for file in self.files],
            "head": self.head,
            "details": dict(self.details),
        }


def first_commit(table: str, format: int, prev: str = "") -> Commit:
    """The commit that makes a table.

    Parameters
    ----------
    prev : str
        Head of the epoch before, where a withdrawal, another key or another format begins a new one.
    """
    return Commit(seq=0, prev=prev, transaction=f"juryline {table} {format}", n_rows=0, rows_sha256=NO_ROWS, files=())


def log_path(table: Path, version: int) -> Path:
    """Delta's commit file of a version."""
    return table / "_delta_log" / f"{version:020}.json"


def checkpoint_path(table: Path, version: int) -> Path:
    """Delta's checkpoint of a version, where there is one."""
    return table / "_delta_log" / f"{version:020}.checkpoint.parquet"


def read_commit(table: Path, version: int) -> tuple[Commit, dict[str, str]]:
    """A commit as its file in Delta's log has it.

    Returns
    -------
    Commit
        Not yet compared with the commits around it.
    dict
        Properties of the table, where the commit sets them.

    Raises
    ------
    VerificationError
        The file cannot be read, or is not a commit that Juryline made.
    """
    path = log_path(table, version)
    try:
        actions = [json.loads(line) for line in path.read_bytes().splitlines()]
        commits = [action["commitInfo"] for action in actions if "commitInfo" in action]
        added = [action["add"]["path"] for action in actions if "add" in action]
        properties = [action["metaData"]["configuration"] for action in actions if "metaData" in action]
        known = {"commitInfo", "add", "metaData", "protocol"} if version == 0 else {"commitInfo", "add"}
        if len(commits) != 1 or any(set(action) - known for action in actions):
            raise ValueError("it is not one append")
        record = dict(commits[0][METADATA])
        files = tuple(DataFile.of(sha256) for sha256 in record.pop("files"))
        if added != [file.name for file in files]:
            raise ValueError("the files added are not those recorded")
        commit = Commit(files=files, **record)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise VerificationError(
            f"commit {version} of {table.name} cannot be read, or was not made by Juryline: {_words(error)}.",
            where=str(path),
            fix="put back the ledger from a copy; `juryline verify` names everything that differs",
            code="ledger_altered",
        ) from None
    return commit, properties[0] if properties else {}


def _words(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return "it is not JSON"
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    return error.strerror or "it cannot be opened" if isinstance(error, OSError) else str(error)
