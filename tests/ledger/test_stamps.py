"""A table without a stamp does not exist, and one that did not pass is no input."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_contracts.errors import GateError, VerificationError
from juryline.ledger.stamps import is_fresh, read_stamp, require, stamp_path, write_stamped

TABLE = pa.table({"id": ["a", "b"], "n": [1, 2]})


def test_a_stamp_is_read_as_it_was_written(study_dir, stamp_fields):
    written = write_stamped(study_dir, "tallies", TABLE, **stamp_fields())

    assert read_stamp(study_dir, "tallies") == written == require(study_dir, "tallies")
    assert pq.ParquetFile(written.file).read().equals(TABLE)
    assert written.file.name == f"tallies-{written.content_digest[:16]}.parquet"


def test_a_stamp_without_its_table_is_none(study_dir, stamp_fields):
    write_stamped(study_dir, "tallies", TABLE, **stamp_fields()).file.unlink()

    assert read_stamp(study_dir, "tallies") is None


def test_the_same_table_gives_the_same_bytes(study_dir, stamp_fields):
    def stored() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (study_dir / "tables").iterdir()}

    write_stamped(study_dir, "tallies", TABLE, **stamp_fields())
    first = stored()
    write_stamped(study_dir, "tallies", pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1)]), **stamp_fields())

    assert stored() == first


def test_a_new_table_replaces_its_own_old_one_only(study_dir, stamp_fields):
    old = write_stamped(study_dir, "tallies", TABLE, **stamp_fields())
    other = write_stamped(study_dir, "tallies-more", TABLE, **stamp_fields())
    new = write_stamped(study_dir, "tallies", TABLE.slice(1), **stamp_fields())

    assert [stamp.file.exists() for stamp in (old, other, new)] == [False, True, True]


def test_a_table_that_does_not_exist_is_refused(study_dir):
    with pytest.raises(GateError, match="tallies does not exist yet"):
        require(study_dir, "tallies")


def test_a_table_that_did_not_pass_is_refused_by_the_name_of_its_check(study_dir, stamp_fields):
    write_stamped(study_dir, "tallies", TABLE, **stamp_fields(checks={"contract": True, "accounting": False}))

    with pytest.raises(GateError, match="did not pass: accounting"):
        require(study_dir, "tallies")


def test_an_edited_stamp_is_refused(study_dir, stamp_fields):
    write_stamped(study_dir, "tallies", TABLE, **stamp_fields(checks={"accounting": False}))
    path = stamp_path(study_dir, "tallies")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"checks": {"accounting": True}}))

    with pytest.raises(VerificationError, match="altered"):
        require(study_dir, "tallies")


def test_a_stamp_names_no_folder(study_dir, stamp_fields):
    write_stamped(study_dir, "tallies", TABLE, **stamp_fields())

    assert str(study_dir) not in stamp_path(study_dir, "tallies").read_text()


@pytest.mark.parametrize(
    ("changed", "fresh"),
    [
        ({}, True),
        ({"inputs": {"judgments": "b" * 64}}, False),
        ({"inputs": {}}, False),
        ({"study_spec_hash": "t" * 64}, False),
        ({"code_version": "2"}, False),
        ({"contract_version": "2"}, False),
    ],
    ids=["nothing", "an input", "fewer inputs", "specification", "code", "contract"],
)
def test_a_table_is_stale_when_anything_it_was_made_from_changed(study_dir, stamp_fields, changed, fresh):
    stamp = write_stamped(study_dir, "tallies", TABLE, **stamp_fields())
    asked = ("inputs", "study_spec_hash", "code_version", "contract_version")

    assert is_fresh(stamp, **{name: stamp_fields(**changed)[name] for name in asked}) is fresh


def test_no_table_and_one_that_did_not_pass_are_never_fresh(study_dir, stamp_fields):
    failed = write_stamped(study_dir, "tallies", TABLE, **stamp_fields(checks={"accounting": False}))
    asked = {name: stamp_fields()[name] for name in ("inputs", "study_spec_hash", "code_version", "contract_version")}

    assert [is_fresh(stamp, **asked) for stamp in (None, failed)] == [False, False]
