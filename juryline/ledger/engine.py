"""A DuckDB connection of the ledger's own: short-lived, in UTC, and reaching nothing outside."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

MEMORY_LIMIT = "700MB"  # beside the rows that an append holds in Arrow; what does not fit spills


@contextmanager
def engine(spill: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that is closed at the end of the block and spills into `spill`, or not at all."""
    con = duckdb.connect(
        config={
            "memory_limit": MEMORY_LIMIT,
            "temp_directory": str(spill or ""),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    try:
        con.execute("SET TimeZone = 'UTC'")
        con.execute("SET preserve_insertion_order = true")
        yield con
    finally:
        con.close()


def parquet(files: Sequence[str]) -> str:
    """SQL of a scan of Parquet files."""
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    return f"read_parquet([{listed}])"
