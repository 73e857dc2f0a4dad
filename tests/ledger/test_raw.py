"""Accepted exports are kept byte for byte under the name of their bytes."""

import stat

import pytest

from data_contracts.errors import ExportRefusedError
from juryline.ledger.raw import keep_export, raw_path

# printf 'rater,label\n' | sha256sum
EXPORT, SHA256 = b"rater,label\n", "2b4ce78b5a3a7b410e5c61d93ed7f9d67c7a38d8672857e19ed82fd38cc33eb0"


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(EXPORT)
    return path


def test_a_copy_is_named_by_its_bytes_and_read_only(study_dir, export):
    kept = keep_export(study_dir, export, SHA256)

    assert kept == study_dir / "raw" / SHA256[:2] / SHA256 == raw_path(study_dir, SHA256)
    assert (kept.read_bytes(), stat.S_IMODE(kept.stat().st_mode)) == (EXPORT, 0o444)


def test_keeping_it_again_changes_nothing(study_dir, export):
    kept = keep_export(study_dir, export, SHA256)
    before = kept.stat()
    keep_export(study_dir, export, SHA256)

    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_an_export_that_changed_since_it_was_read_is_refused_and_leaves_nothing(study_dir, export):
    export.write_bytes(EXPORT + b"late,row\n")

    with pytest.raises(ExportRefusedError, match="changed while it was being read"):
        keep_export(study_dir, export, SHA256)

    assert [path for path in (study_dir / "raw").rglob("*") if path.is_file()] == []
