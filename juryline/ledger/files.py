"""Files that are there whole or not at all, and tables as bytes that depend on their rows alone.

A file is written under a temporary name beside its place, flushed to the disk, renamed, and the
folder flushed. A kill leaves the old file or the new one, and at worst a temporary file, which the
next holder of the study's lock removes.
"""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from data_contracts.tables import Column
from juryline.ledger.row_hashes import hash_of_hashes, hash_rows

ROW_GROUP = 122_880  # rows; part of what makes a table's bytes

LEFTOVERS = ".juryline-*.tmp"
_TEMPORARY = re.compile(r"\.juryline-(\d+)-[0-9a-f]{8}\.tmp")


@contextmanager
def temporary_file(folder: Path) -> Iterator[Path]:
    """An empty file of a temporary name that is gone after the block unless it was put in place.

    Only its owner may read it until then: keys pass through here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / temporary_name()
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield path
    finally:
        path.unlink(missing_ok=True)


def put_in_place(
    temporary: Path, path: Path, *, mode: int = 0o644, place: Callable[[Path, Path], None] = os.replace
) -> None:
    """Give a finished temporary file its mode and its name, durably.

    Parameters
    ----------
    place : callable
        `os.replace`, or `os.link` where an existing file must win: it raises FileExistsError.
    """
    os.chmod(temporary, mode)
    sync(temporary)
    place(temporary, path)
    sync(path.parent)


def write_atomically(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file whole or not at all, in place of any there is."""
    with temporary_file(path.parent) as temporary:
        temporary.write_bytes(data)
        put_in_place(temporary, path, mode=mode)


def write_once(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file whole or not at all, never in place of another.

    Raises
    ------
    FileExistsError
        There is one already; it is left as it is.
    """
    with temporary_file(path.parent) as temporary:
        temporary.write_bytes(data)
        put_in_place(temporary, path, mode=mode, place=os.link)


def write_table(path: Path, table: pa.Table) -> None:
    """Write a table as Parquet whose bytes depend on its rows and columns alone, not on its chunks."""
    with temporary_file(path.parent) as temporary:
        write_row_groups(temporary, table.schema, row_groups(table))
        put_in_place(temporary, path)


def write_row_groups(path: Path, schema: pa.Schema, groups: Iterable[pa.Table]) -> None:
    """Write tables of one schema as the row groups of a Parquet file."""
    plain = pa.schema([field.remove_metadata() for field in schema])  # pandas and others leave notes there
    with pq.ParquetWriter(path, plain, version="2.6", compression="zstd", compression_level=3) as writer:
        for group in groups:
            writer.write_table(group.cast(plain).combine_chunks(), row_group_size=ROW_GROUP)


def row_groups(table: pa.Table) -> Iterator[pa.Table]:
    """A table in slices of `ROW_GROUP` rows."""
    return (table.slice(start, ROW_GROUP) for start in range(0, table.num_rows, ROW_GROUP))


def content_digest(table: pa.Table) -> str:
    """Digest of what a table says: its columns' names and types, and its rows in order.

    Parameters
    ----------
    table : pa.Table
        Its chunks, the width of its offsets and its dictionaries make no difference.

    Returns
    -------
    str
        SHA-256, in hexadecimal, of the JSON list of [name, type] pairs, a line feed and the hash of the rows.
    """
    plain = pa.schema([pa.field(field.name, _plain(field.type)) for field in table.schema])
    columns = [Column(field.name, field.type, "") for field in plain]
    header = json.dumps([[field.name, _type_name(field.type)] for field in plain], ensure_ascii=False)
    rows = hash_of_hashes(hash_rows(table.cast(plain), columns).chunks)
    return hashlib.sha256(f"{header}\n{rows}".encode()).hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def temporary_name() -> str:
    """A name that says which process writes under it."""
    return f".juryline-{os.getpid()}-{secrets.token_hex(4)}.tmp"


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of dead writers below a folder, for whoever holds the folder's lock."""
    for path in folder.rglob(LEFTOVERS):
        if is_leftover(path):
            path.unlink(missing_ok=True)


def is_leftover(path: Path) -> bool:
    """Whether a temporary file's writer is gone, asked before this process writes any itself."""
    writer = _TEMPORARY.fullmatch(path.name)
    return writer is not None and is_gone(int(writer[1]))


def is_gone(process: int) -> bool:
    """Whether a writer is gone; one of this process's own number lived before it."""
    return process == os.getpid() or not _alive(process)


def sync(path: Path) -> None:
    """Flush a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _plain(type: pa.DataType) -> pa.DataType:
    """The type without what differs between writers: width of offsets, dictionaries, names of elements."""
    if pa.types.is_dictionary(type):
        return _plain(type.value_type)
    if pa.types.is_large_string(type) or pa.types.is_string_view(type):
        return pa.string()
    if pa.types.is_list(type) or pa.types.is_large_list(type):
        return pa.list_(_plain(type.value_type))
    if pa.types.is_map(type):
        return pa.map_(_plain(type.key_type), _plain(type.item_type))
    return type


def _type_name(type: pa.DataType) -> str:
    if pa.types.is_list(type):
        return f"list<{_type_name(type.value_type)}>"
    if pa.types.is_map(type):
        return f"map<{_type_name(type.key_type)}, {_type_name(type.item_type)}>"
    return str(type)
