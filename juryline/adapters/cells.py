"""The records of an export as a table of text cells: what every file format is read into."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from juryline.adapters.reading import CONTENTS, Refusal, refuse_export

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


def contents(cells: Cells, refusals: Iterable[Refusal], ignored: pa.Table) -> pa.Table:
    """What each record that gives no row says: the text kept of it, else its cells but the empty ones.

    Parameters
    ----------
    cells : Cells
        The records of the export, those to be ignored among them.
    refusals, ignored
        The records that give no row.
    """
    told = {refusal.source_row: refusal.content for refusal in refusals}
    told |= dict.fromkeys(ignored["source_row"].to_pylist())
    silent = pa.array([row for row, content in told.items() if content is None], pa.int64())
    is_silent = pc.is_in(cells.source_row, silent)
    rows = cells.table.filter(is_silent).to_pylist()
    for row, record in zip(cells.source_row.filter(is_silent).to_pylist(), rows):
        told[row] = json.dumps({k: v for k, v in record.items() if v != ""}, ensure_ascii=False, sort_keys=True)
    rows = sorted(told)
    return pa.Table.from_arrays([pa.array(rows, pa.int64()), pa.array([told[row] for row in rows])], schema=CONTENTS)


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
