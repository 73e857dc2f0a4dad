"""Parquet as text cells: each value's text, losslessly; a null is the empty cell."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from juryline.adapters.cells import Cells, column_names
from juryline.adapters.lossless_text import literal, quoted, text_of
from juryline.adapters.reading import refuse_export

MAGIC = b"PAR1"


def read_parquet(path: Path, name: str) -> Cells:
    """Every record of a Parquet file.

    Raises
    ------
    ExportRefusedError
        The file is not Parquet or damaged, or has two columns of one name.
    """
    try:
        names = column_names(pq.read_schema(path).names, name)
        table = _as_text(path, names)
    except (pa.ArrowException, duckdb.Error, OSError):
        raise refuse_export(
            name,
            "the file is not Parquet, or is damaged.",
            fix="Copy it again, or export it again.",
            code="not_parquet",
        ) from None
    return Cells(
        table=table,
        source_row=pa.array(range(1, table.num_rows + 1), pa.int64()),
        n_rows=table.num_rows,
        found={"header": names},
    )


def _as_text(path: Path, names: list[str]) -> pa.Table:
    # One thread: the order of the rows is their number.
    with duckdb.connect(config={"threads": 1, "autoload_known_extensions": False}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        source = f"read_parquet({literal(str(path))})"
        types = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        cells = [
            f"coalesce({text_of(quoted(column), type)}, '') AS {quoted(name)}"
            for name, (column, type, *_) in zip(names, types)
        ]
        return connection.execute(f"SELECT {', '.join(cells)} FROM {source}").to_arrow_table()
