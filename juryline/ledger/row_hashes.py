"""The hash of each row, and one hash over those of many rows in order.

Belongs here: what a row's hash is. Does not: where rows are kept. The hash of a row is the SHA-256
of its salt, if it has one, followed by its canonical text; the hash of rows is the SHA-256 of their
hashes, each 64 hexadecimal characters, written one after the other.
"""

import hashlib
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.canonical import canonical_text
from data_contracts.tables import Column
from juryline.ledger.engine import engine

_SALT = "juryline.salt"


def hash_rows(rows: pa.Table, columns: Iterable[Column], salts: pa.ChunkedArray | None = None) -> pa.ChunkedArray:
    """Hash of each row over some of its columns.

    Parameters
    ----------
    rows : pa.Table, n rows
        At least the columns hashed.
    columns : iterable of Column
        Columns that are hashed, in this order.
    salts : pa.ChunkedArray of string, length n, optional
        Salt of each row; null where a row has none.

    Returns
    -------
    pa.ChunkedArray of string, length n
        SHA-256 in hexadecimal.
    """
    if not rows.num_rows:
        return pa.chunked_array([], pa.string())
    text = canonical_text(columns)
    if salts is not None:
        rows = rows.append_column(_SALT, salts)
        text = f"""concat(coalesce("{_SALT}", ''), {text})"""
    with engine() as con:
        con.register("rows", rows)
        return con.sql(f"SELECT sha256({text}) AS hash FROM rows").to_arrow_table()["hash"].cast(pa.string())


def hash_of_hashes(chunks: Iterable[pa.Array]) -> str:
    """SHA-256 of hashes written one after the other, given in pieces."""
    digest = hashlib.sha256()
    for chunk in chunks:
        together = pc.binary_join(pa.ListArray.from_arrays([0, len(chunk)], chunk), "")
        digest.update(together[0].as_buffer())
    return digest.hexdigest()
