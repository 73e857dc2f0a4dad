"""Rows of one append as a Parquet file that its content names.

The rows are checked against their contract, ordered by its key, numbered and hashed. The same rows
give the same bytes, and so the same name, whatever their order and chunks were.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.errors import ContractError
from data_contracts.tables import JUDGMENTS, Column, Table
from juryline.ledger.chain import DataFile
from juryline.ledger.files import ROW_GROUP, file_sha256, put_in_place, temporary_file, write_row_groups
from juryline.ledger.row_hashes import hash_of_hashes, hash_rows

CHAINED = JUDGMENTS.columns[-2:]  # ledger_seq and row_sha256: the last columns of every chained table


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFile:
    """A file of rows, its size in bytes, and the hash over its rows' hashes."""

    file: DataFile
    size: int
    n_rows: int
    rows_sha256: str


def content(contract: Table) -> tuple[Column, ...]:
    """The columns of a chained table that a row brings and its hash covers."""
    return contract.columns[: -len(CHAINED)]


def checked_rows(rows: pa.Table, contract: Table) -> pa.Table:
    """Rows with the columns of their contract, in its order and types.

    Raises
    ------
    ContractError
        A column is missing or unknown, or a value is null that must not be.
    """
    columns = content(contract)
    names = [column.name for column in columns]
    if differing := sorted(set(rows.column_names) ^ set(names)):
        raise _refused(contract, f"columns missing or unknown: {', '.join(differing)}")
    if nulls := [column.name for column in columns if not column.nullable and rows[column.name].null_count]:
        raise _refused(contract, f"columns without a value in some row: {', '.join(nulls)}")
    rows = rows.select(names).cast(pa.schema([contract.arrow_schema.field(column) for column in names]))
    return rows


def write_rows(folder: Path, rows: pa.Table, contract: Table, *, seq: int, salts: pa.ChunkedArray | None) -> RowFile:
    """Write checked rows, ordered, numbered and hashed.

    Parameters
    ----------
    rows : pa.Table, n rows
        As `checked_rows` gives them.
    seq : int
        Number of the commit that brings them.
    salts : pa.ChunkedArray of string, length n, or None
        Salt of each row's hash.

    Raises
    ------
    ContractError
        Two rows have one key.
    """
    order = pc.sort_indices(rows, [(name, "ascending") for name in contract.key])
    in_order = np.array_equal(order, np.arange(len(order)))
    keys = rows.select(contract.key)
    if repeated := _repeated(keys if in_order else keys.take(order)):
        raise _refused(contract, f"{repeated} rows repeat the key of another ({', '.join(contract.key)})")
    hashes = hash_rows(rows, content(contract), salts)
    if not in_order:
        hashes = hashes.take(order)

    def groups() -> Iterator[pa.Table]:
        # A row group at a time, so that rows out of order are not copied all at once.
        for start in range(0, rows.num_rows, ROW_GROUP):
            group = rows.slice(start, ROW_GROUP) if in_order else rows.take(order.slice(start, ROW_GROUP))
            numbers = pa.array(np.full(group.num_rows, seq, np.int64))
            columns = [*group.columns, numbers, hashes.slice(start, ROW_GROUP)]
            yield pa.Table.from_arrays(columns, schema=contract.arrow_schema)

    with temporary_file(folder) as temporary:
        write_row_groups(temporary, contract.arrow_schema, groups())
        file, size = DataFile.of(file_sha256(temporary)), temporary.stat().st_size
        put_in_place(temporary, folder / file.name, mode=0o444)
    return RowFile(file=file, size=size, n_rows=rows.num_rows, rows_sha256=hash_of_hashes(hashes.chunks))


def _repeated(keys: pa.Table) -> int:
    """How many rows of sorted keys equal the one before, nulls being equal."""
    alike = [_like_the_next(column) for column in keys.columns]
    return pc.sum(reduce(pc.and_, alike)).as_py() or 0


def _like_the_next(column: pa.ChunkedArray) -> pa.ChunkedArray:
    this, following = column.slice(0, max(len(column) - 1, 0)), column.slice(1)
    both_null = pc.and_(pc.is_null(this), pc.is_null(following))
    return pc.or_(both_null, pc.fill_null(pc.equal(this, following), False))


def _refused(contract: Table, what: str) -> ContractError:
    return ContractError(
        f"rows for {contract.name} break its contract: {what}. Nothing was written.",
        where=f"ledger, {contract.name}",
        fix="this is a bug in the step that made the rows; report it",
        code="ledger_contract",
    )
