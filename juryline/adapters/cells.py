"""The records of an export as a table of text cells: what every file format is read into."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from juryline.adapters.reading import Refusal, refuse_export

CHUNK = 20_000  # records held as Python objects at once
MOST_COLUMNS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Records as text.

    Parameters
    ----------
    table : pyarrow.Table
        One row a readable record, every column text. Null is a JSON null; an absent cell is the empty text.
    source_row : pyarrow.Array
        Record number of each row, ascending.
    n_rows : int
        Records of the export, the refused ones included.
    refusals : sequence of Refusal
        Records that could not be read.
    found : dict
        How the bytes were read.
    source_path : pyarrow.Array, optional
        Where each record stands in the file, where a number does not say it.
    header_of_records : bool
        Whether columns are known only from the records, so that a file without one lacks none.
    """

    table: pa.Table
    source_row: pa.Array
    n_rows: int
    found: dict[str, Any]
    refusals: Sequence[Refusal] = field(default=())
    source_path: pa.Array | None = None
    header_of_records: bool = False


def text_table(names: Sequence[str], chunks: Sequence[pa.Table]) -> pa.Table:
    """Chunks of records as one table, which has its columns even without a record."""
    schema = pa.schema([pa.field(name, pa.string()) for name in names])
    return pa.concat_tables(chunks) if chunks else schema.empty_table()


def column_names(given: Sequence[str], name: str) -> list[str]:
    """The header of an export; a nameless column is called by its place.

    Raises
    ------
    ExportRefusedError
        Two columns have one name.
    """
    names = [given_name or f"column_{place}" for place, given_name in enumerate(given, start=1)]
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise refuse_export(
            name,
            f"the header has columns of one name: {', '.join(twice)}.",
            fix="Rename them in the tool, or declare the names yourself in `read.header`.",
            code="duplicate_header",
        )
    return names
