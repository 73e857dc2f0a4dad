"""Derived tables and their stamps: a table without a stamp does not exist.

A table is written as `tables/<asset>-<digest>.parquet`, and then its stamp `tables/<asset>.json` is
renamed into place. So a kill leaves the old pair or the new one. A stamp says what a table was made
from and by, and carries a digest of itself; no clock enters it, so the same inputs give its bytes again.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from data_contracts.errors import GateError, VerificationError
from juryline.ledger.files import content_digest, file_sha256, write_atomically, write_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What a derived table is and was made from.

    Attributes
    ----------
    file : Path
        The table.
    content_digest : str
        Of its rows, names and types: the data version.
    file_sha256 : str
        Of its bytes, which also depend on the version of the Parquet writer.
    ledger_version, ledger_head
        The ledger of judgments it was made from.
    inputs : mapping of str to str
        Digest of each table it was made from.
    checks : mapping of str to bool
        Whether it passed each check.
    """

    asset: str
    file: Path
    content_digest: str
    file_sha256: str
    n_rows: int
    ledger_version: int
    ledger_head: str
    study_spec_hash: str
    code_version: str
    contract_version: str
    engine: str
    inputs: Mapping[str, str]
    checks: Mapping[str, bool]

    @property
    def passed(self) -> bool:
        return all(self.checks.values())


def stamp_path(study_dir: Path, asset: str) -> Path:
    """Where the stamp of a table is kept."""
    return study_dir / "tables" / f"{asset}.json"


def write_stamped(
    study_dir: Path,
    asset: str,
    table: pa.Table,
    *,
    ledger_version: int,
    ledger_head: str,
    study_spec_hash: str,
    code_version: str,
    contract_version: str,
    engine: str,
    inputs: Mapping[str, str],
    checks: Mapping[str, bool],
) -> Stamp:
    """Write a table and its stamp in place of the ones before.

    Parameters
    ----------
    asset : str
        Name of the table.
    table : pa.Table
        Its rows, in the order they are to be kept in.
    ledger_version, ledger_head, study_spec_hash, code_version, contract_version, engine, inputs, checks
        As `Stamp` has them.
    """
    digest = content_digest(table)
    file = study_dir / "tables" / f"{asset}-{digest[:16]}.parquet"
    write_table(file, table)
    stamp = Stamp(
        asset=asset,
        file=file,
        content_digest=digest,
        file_sha256=file_sha256(file),
        n_rows=table.num_rows,
        ledger_version=ledger_version,
        ledger_head=ledger_head,
        study_spec_hash=study_spec_hash,
        code_version=code_version,
        contract_version=contract_version,
        engine=engine,
        inputs=inputs,
        checks=checks,
    )
    write_atomically(stamp_path(study_dir, asset), _stamp_bytes(stamp))
    remove_unstamped(stamp)
    return stamp


def remove_unstamped(stamp: Stamp) -> None:
    """Remove tables of an asset that its stamp does not name: the one before, or what a kill left."""
    for other in stamp.file.parent.iterdir():
        if re.fullmatch(re.escape(stamp.asset) + r"-[0-9a-f]{16}\.parquet", other.name) and other != stamp.file:
            other.unlink()


def read_stamp(study_dir: Path, asset: str) -> Stamp | None:
    """The stamp of a table; None where there is no stamp or its table is gone, so that it does not exist.

    Raises
    ------
    VerificationError
        The stamp cannot be read, or differs from its own digest.
    """
    path = stamp_path(study_dir, asset)
    if not path.exists():
        return None
    data = path.read_bytes()
    try:
        stored = json.loads(data)
        stored.pop("stamp_sha256")
        stamp = Stamp(**stored | {"file": path.parent / stored["file"]})
        whole = _stamp_bytes(stamp) == data
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise VerificationError(
            f"the stamp of {asset} was altered.",
            where=str(path),
            fix=f"remove it, then juryline run {study_dir.name}",
            code="stamp_altered",
        )
    return stamp if stamp.file.exists() else None


def require(study_dir: Path, asset: str) -> Stamp:
    """The stamp of a table that something else is made from.

    Raises
    ------
    GateError
        The table does not exist, or did not pass its checks.
    """
    stamp = read_stamp(study_dir, asset)
    if stamp is None:
        problem = "does not exist yet"
    elif not stamp.passed:
        problem = "did not pass: " + ", ".join(sorted(name for name, passed in stamp.checks.items() if not passed))
    else:
        return stamp
    raise GateError(
        f"the table {asset} {problem}. Nothing was written.",
        where=str(stamp_path(study_dir, asset)),
        fix=f"juryline run {study_dir.name}",
        code="input_not_passed",
    )


def is_fresh(
    stamp: Stamp | None, *, inputs: Mapping[str, str], study_spec_hash: str, code_version: str, contract_version: str
) -> bool:
    """Whether a table was made from these inputs, under this specification, by this code, and passed."""
    return (
        stamp is not None
        and stamp.passed
        and dict(stamp.inputs) == dict(inputs)
        and stamp.study_spec_hash == study_spec_hash
        and stamp.code_version == code_version
        and stamp.contract_version == contract_version
    )


def _stamp_bytes(stamp: Stamp) -> bytes:
    stored: dict[str, Any] = asdict(stamp) | {"file": stamp.file.name}
    own = hashlib.sha256(json.dumps(stored, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    return (json.dumps(stored | {"stamp_sha256": own}, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode()
