"""CSV and TSV as text cells, by Python's csv module in strict mode.

Nothing is guessed: delimiter, quote and header come from the declaration. A row that begins with `#`
is a row. A line without any character is no record; a record of the wrong width is refused and
counted. A quote that is never closed, or followed by text, refuses the file, because from there on
no record boundary can be trusted.
"""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pyarrow as pa

from juryline.adapters.cells import CHUNK, Cells, column_names, text_table
from juryline.adapters.reading import Refusal, refuse_export
from juryline.adapters.text_source import TextSource

_LONGEST_CELL = (1 << 31) - 1  # of an Arrow text cell; Python's own limit of 131,072 is for all readers at once


def read_delimited(source: TextSource, *, delimiter: str, quote: str, header: bool | tuple[str, ...]) -> Cells:
    """Every record of a delimited file.

    Raises
    ------
    ExportRefusedError
        No header, a header with a name twice, or broken quoting, with the line.
    """
    dialect: dict[str, Any] = {"delimiter": delimiter, "strict": True}
    dialect |= {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE, "quotechar": None}
    with source.open() as stream, _long_cells(), _readable_quotes(source, dialect):
        reader = csv.reader(stream, **dialect)
        first = next(filter(None, reader), None)
        if first is None:
            raise refuse_export(
                source.name, "there is no record in the file.", fix="Export it again.", code="empty_file"
            )
        names, pending = _header(first, header, source.name)
        width = len(names)
        chunks, numbers, refusals, n_rows, blank = [], [], [], 0, 0
        while records := [*pending, *islice(reader, CHUNK)]:
            pending = []
            widths = set(map(len, records))
            if 0 in widths:
                blank += records.count([])
                records = list(filter(None, records))
            rows = list(range(n_rows + 1, n_rows + len(records) + 1))
            n_rows += len(records)
            if widths - {0, width}:
                refusals += [_ragged(row, record, width) for row, record in zip(rows, records) if len(record) != width]
                rows = [row for row, record in zip(rows, records) if len(record) == width]
                records = [record for record in records if len(record) == width]
            numbers.append(pa.array(rows, pa.int64()))
            if records:
                columns = [pa.array(column, pa.string()) for column in zip(*records)]
                chunks.append(pa.Table.from_arrays(columns, names=names))
    return Cells(
        table=text_table(names, chunks),
        source_row=pa.concat_arrays(numbers) if numbers else pa.array([], pa.int64()),
        n_rows=n_rows,
        refusals=refusals,
        found={
            **source.found,
            "delimiter": delimiter,
            "quote": quote,
            "header": names,
            "header_in_file": header is True,
            "blank_lines": blank,
        },
    )


def _header(first: list[str], header: bool | tuple[str, ...], name: str) -> tuple[list[str], list[list[str]]]:
    """Names of the columns, and the first record where the file begins with one."""
    if header is True:
        return column_names(first, name), []
    names = [""] * len(first) if header is False else list(header)
    return column_names(names, name), [first]


def _ragged(row: int, record: list[str], width: int) -> Refusal:
    return Refusal(
        source_row=row,
        rule="ragged_row",
        value=f"{len(record)} cells, {width} columns",
        fix="write one cell for each column; a cell that holds the delimiter or a line end must be quoted",
        content=json.dumps(record, ensure_ascii=False),
    )


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextmanager
def _readable_quotes(source: TextSource, dialect: dict[str, Any]) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        unclosed = "end of data" in str(error)
        raise refuse_export(
            source.name,
            "a quote is opened and never closed." if unclosed else "a closing quote is followed by text.",
            line=_line_of_broken_record(source, dialect),
            fix="Double the quotes inside quoted cells, or declare `read: {quote: ''}` if cells are not quoted.",
            code="quoting",
        ) from None


def _line_of_broken_record(source: TextSource, dialect: dict[str, Any]) -> int:
    with source.open() as stream:
        reader = csv.reader(stream, **dialect)
        line = 0
        try:
            for _ in reader:
                line = reader.line_num
        except csv.Error:
            return line + 1
    return line
