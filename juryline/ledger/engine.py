"""The ledger's own DuckDB: in process, in UTC, and reaching nothing outside."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import duckdb

MEMORY_LIMIT = "700MB"  # beside the rows that an append holds in Arrow; what does not fit spills


@contextmanager
def engine(spill: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for one block, which spills into `spill`, or not at all."""
    with _database(str(spill or ""), os.getpid()).cursor() as con:
        con.execute("SET TimeZone = 'UTC'")
        yield con


def parquet(files: Sequence[str]) -> str:
    """SQL of a scan of Parquet files."""
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    return f"read_parquet([{listed}])"


# Opening one takes as long as appending a small export; a forked process cannot use its parent's.
@cache
def _database(spill: str, process: int) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(
        config={
            "memory_limit": MEMORY_LIMIT,
            "temp_directory": spill,
            "preserve_insertion_order": "true",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
