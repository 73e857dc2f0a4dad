"""Files are whole or absent; tables' bytes and digests follow from their rows."""

import hashlib
import os
import stat
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from juryline.ledger.files import (
    ROW_GROUP,
    content_digest,
    remove_leftovers,
    temporary_file,
    write_atomically,
    write_once,
    write_table,
)

TABLE = pa.table(
    {
        "id": ["b", "a", None],
        "n": [1, 2, None],
        "share": [0.1, -0.0, None],
        "words": [["x", None], [], None],
        "at": pa.array([0, 1, None], pa.timestamp("us", tz="UTC")),
        "about": pa.array([[("k", "v"), ("a", None)], [], None], pa.map_(pa.string(), pa.string())),
        "true": [True, False, None],
    }
)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a"
    write_atomically(path, b"old")

    with pytest.raises(TypeError):
        write_atomically(path, "not bytes")

    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a", b"old")]


def test_mode_does_not_depend_on_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        write_atomically(tmp_path / "shared", b"", mode=0o644)
        write_atomically(tmp_path / "secret", b"", mode=0o600)
    finally:
        os.umask(before)

    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("shared", "secret")] == [0o644, 0o600]


def test_a_temporary_file_is_its_owners_alone(tmp_path):
    with temporary_file(tmp_path) as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_write_once_leaves_the_first(tmp_path):
    write_once(tmp_path / "a", b"first")

    with pytest.raises(FileExistsError):
        write_once(tmp_path / "a", b"second")

    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a", b"first")]


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(tmp_path):
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    dead = tmp_path / "raw" / f".juryline-{int(gone.stdout)}-0123abcd.tmp"
    alive = tmp_path / f".juryline-{os.getppid()}-0123abcd.tmp"
    for path in (dead, alive):
        write_atomically(path, b"half")

    remove_leftovers(tmp_path)

    assert (dead.exists(), alive.exists()) == (False, True)


def _chunked(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(i, 1) for i in range(table.num_rows)])


def test_bytes_of_a_table_do_not_depend_on_its_chunks(tmp_path):
    long = pa.table({"n": pa.array(range(2 * ROW_GROUP + 5)), "text": [str(n % 977) for n in range(2 * ROW_GROUP + 5)]})
    parts = pa.concat_tables([long.slice(0, 7), long.slice(7, ROW_GROUP), long.slice(ROW_GROUP + 7)])
    for name, table in (("a", long), ("b", parts), ("c", TABLE), ("d", _chunked(TABLE))):
        write_table(tmp_path / name, table)

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "c").read_bytes() == (tmp_path / "d").read_bytes()
    assert pq.ParquetFile(tmp_path / "a").num_row_groups == 3


def test_a_table_is_read_back_as_it_was_written(tmp_path):
    write_table(tmp_path / "a", TABLE)

    assert pq.ParquetFile(tmp_path / "a").read().equals(TABLE)


def test_content_digest_is_that_of_its_published_recipe():
    rows = sha256(sha256("1:7") + sha256("-"))

    assert content_digest(pa.table({"n": [7, None]})) == sha256(f'[["n", "int64"]]\n{rows}')


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "other",
    [
        _chunked(TABLE),
        TABLE.set_column(0, "id", TABLE["id"].dictionary_encode()),
        TABLE.set_column(0, "id", TABLE["id"].cast(pa.large_string())),
        TABLE.set_column(0, "id", TABLE["id"].cast(pa.string_view())),
        TABLE.set_column(3, "words", TABLE["words"].cast(pa.large_list(pa.large_string()))),
        TABLE.replace_schema_metadata({"pandas": "{}"}),
    ],
    ids=["chunks", "dictionary", "large string", "string view", "large list", "metadata"],
)
def test_content_digest_does_not_depend_on_how_arrow_keeps_values(other):
    assert content_digest(other) == content_digest(TABLE)


@pytest.mark.parametrize(
    "other",
    [
        TABLE.take([1, 0, 2]),
        TABLE.slice(0, 2),
        TABLE.rename_columns(["key", *TABLE.column_names[1:]]),
        TABLE.set_column(1, "n", TABLE["n"].cast(pa.float64())),
        TABLE.set_column(2, "share", pa.array([0.1, 0.0, None])),
        TABLE.set_column(3, "words", pa.array([["x"], [], None])),
        TABLE.set_column(3, "words", pa.array([["x", None], [], []])),
        TABLE.set_column(0, "id", pa.array(["b", "a", "-"])),
    ],
    ids=["order", "rows", "name", "type", "sign of zero", "element", "empty for null", "dash for null"],
)
def test_content_digest_depends_on_all_a_table_says(other):
    assert content_digest(other) != content_digest(TABLE)


def test_a_map_says_the_same_in_any_order_of_its_keys():
    one, other = (
        pa.table({"m": pa.array([entries], pa.map_(pa.string(), pa.string()))})
        for entries in ([("a", "1"), ("b", "2")], [("b", "2"), ("a", "1")])
    )

    assert content_digest(one) == content_digest(other)
