"""Accepted exports, kept byte for byte: the end of every trace.

A copy is named by the SHA-256 of its bytes, so a name proves or disproves what it names.
"""

import shutil
from pathlib import Path

from data_contracts.errors import ExportRefusedError
from juryline.ledger.files import file_sha256, put_in_place, temporary_file

READ_ONLY = 0o444


def raw_path(study_dir: Path, sha256: str) -> Path:
    """Where an export of these bytes is kept."""
    return study_dir / "raw" / sha256[:2] / sha256


def keep_export(study_dir: Path, path: Path, sha256: str) -> Path:
    """Copy an export to where it stays, unless it is there already.

    Parameters
    ----------
    path : Path
        Export as it was dropped.
    sha256 : str
        Digest of the bytes that were read from it.

    Returns
    -------
    Path
        The copy, read-only.

    Raises
    ------
    ExportRefusedError
        The file no longer has these bytes: it changed while it was read.
    """
    kept = raw_path(study_dir, sha256)
    if kept.exists():
        return kept
    with temporary_file(kept.parent) as temporary:
        shutil.copyfile(path, temporary)
        if file_sha256(temporary) != sha256:
            raise ExportRefusedError(
                "the export changed while it was being read. Nothing was written.",
                where=str(path),
                fix=f"wait until it is copied in full, then juryline run {study_dir.name}",
                code="export_changed",
            )
        put_in_place(temporary, kept, mode=READ_ONLY)
    return kept
