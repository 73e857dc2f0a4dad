"""What reading an export gives: its rows, and every record that is not among them, with the reason.

A record is what the export holds one of: a line of a CSV, an element of a JSON array, one
annotation, one evaluation. Records are numbered from 1 in the order of the file. Every record is
exactly one of mapped, ignored or refused; `account_for` proves it before anything is handed on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.errors import ExportRefusedError

WHOLE_ROW = "*"  # stands for the column where a record is refused for no column in particular

IGNORED = pa.schema(
    [pa.field("source_row", pa.int64(), nullable=False), pa.field("reason", pa.string(), nullable=False)]
)
CONTENTS = pa.schema(
    [pa.field("source_row", pa.int64(), nullable=False), pa.field("content", pa.string(), nullable=False)]
)
REFUSED = pa.schema(
    [
        pa.field("source_row", pa.int64(), nullable=False),
        pa.field("source_path", pa.string()),
        pa.field("column", pa.string(), nullable=False),
        pa.field("value", pa.string()),
        pa.field("rule", pa.string(), nullable=False),
        pa.field("fix", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReading:
    """An export, read.

    Parameters
    ----------
    rows : pyarrow.Table
        Schema of `INTAKE`, ordered by source_row, source_path, criterion and candidates.
    n_rows : int
        Records of the export; a header is none.
    ignored : pyarrow.Table
        source_row and reason of each record left out by declaration.
    refused : pyarrow.Table
        source_row, source_path, column, value, rule and fix of each record refused whole.
    found : dict
        How the bytes were read, as declared or found; plain JSON.
    adapter : str
        Adapter and its version, as in `table/1`.
    contents : pyarrow.Table
        source_row and content of each record ignored or refused: what it says, wherever it stands, so that one that
        is delivered again is known. It holds raw ids, and is kept as a keyed hash only.
    """

    rows: pa.Table
    n_rows: int
    ignored: pa.Table
    refused: pa.Table
    found: dict[str, Any]
    adapter: str
    contents: pa.Table = field(default_factory=CONTENTS.empty_table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One record that cannot be read, and what to do. `value` is never a raw id or a rater's words.

    `content` is what the record says, where it did not become cells.
    """

    source_row: int
    rule: str
    fix: str
    column: str = WHOLE_ROW
    value: str | None = None
    source_path: str | None = None
    content: str | None = None


def refused_table(refusals: Iterable[Refusal]) -> pa.Table:
    """Refusals as a table in the order of their records."""
    ordered = sorted(refusals, key=lambda refusal: refusal.source_row)
    columns = {name: [getattr(refusal, name) for refusal in ordered] for name in REFUSED.names}
    return pa.Table.from_pydict(columns, schema=REFUSED)


def ignored_table(source_row: Any, reason: Any) -> pa.Table:
    return pa.Table.from_arrays([source_row, reason], schema=IGNORED)


def refuse_export(name: str, what: str, *, fix: str, code: str, line: int | None = None) -> ExportRefusedError:
    """The error that refuses an export whole."""
    where = f"exports/{name}" if line is None else f"exports/{name}, line {line}"
    return ExportRefusedError(what, where=where, fix=f"{fix} Nothing was written.", code=code)


def nearest(name: str, known: Iterable[str], *, most: int = 3) -> list[str]:
    """The known names that are near to one that is not known, nearest first."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    return [folded[match] for match in get_close_matches(name.casefold(), list(folded), n=most, cutoff=0.6)]


def account_for(reading: ExportReading) -> ExportReading:
    """The same reading, once every record of it is mapped, ignored or refused, and only one of these."""
    parts = [pc.unique(table["source_row"]) for table in (reading.rows, reading.ignored, reading.refused)]
    together = pa.concat_arrays([part.cast(pa.int64()) for part in parts])
    n_records = pc.count_distinct(together).as_py()
    if not len(together) == n_records == reading.n_rows:
        counts = dict(zip(("mapped", "ignored", "refused"), map(len, parts)))
        raise RuntimeError(f"{reading.adapter}: {reading.n_rows} records, but {counts}")
    return reading
