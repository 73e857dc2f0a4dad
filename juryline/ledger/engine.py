"""The ledger's own DuckDB: in process, in UTC, and reaching nothing outside."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import duckdb

MEMORY_LIMIT = "700MB"  # beside the rows that an append holds in Arrow; what does not fit spills


def connect(spill: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A database in memory, which spills into `spill`, or not at all."""
    con = duckdb.connect(
        config={
            "memory_limit": MEMORY_LIMIT,
            "temp_directory": str(spill or ""),
            "preserve_insertion_order": "true",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    con.execute("SET GLOBAL TimeZone = 'UTC'")
    con.execute("SET enable_progress_bar = false")
    return con


@contextmanager
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for one block, to a database that holds nothing."""
    with _shared(os.getpid()).cursor() as con:
        con.execute("SET enable_progress_bar = false")
        yield con


def parquet(files: Sequence[str]) -> str:
    """SQL of a scan of Parquet files."""
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    return f"read_parquet([{listed}])"


# Opening one takes as long as appending a small export; a forked process cannot use its parent's.
@cache
def _shared(process: int) -> duckdb.DuckDBPyConnection:
    return connect()
