"""JSON and JSON Lines as records: text cells for the mapping by columns, the text itself for a query.

A record is a line of JSON Lines, an element of a top-level array, or the whole file. Blank lines are
no records. In cells a null is a null, an absent key the empty text, objects and arrays are JSON.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from juryline.adapters.cells import CHUNK, MOST_COLUMNS, Cells
from juryline.adapters.json_text import PROBLEMS, JsonReader, json_text
from juryline.adapters.reading import Refusal, refuse_export
from juryline.adapters.text_source import TextSource

RECORD = "record"  # the column that a query sees
LINE = "line"

_NOT_JSON = "the line is no JSON value; export the file again"
_NOT_AN_OBJECT = "the record is no JSON object, so it has no columns; use `format: sql`, which sees it as `record`"


@dataclass(frozen=True, slots=True)
class _Record:
    number: int
    value: Any
    text: str


def read_json_cells(source: TextSource, *, lines: bool) -> Cells:
    """Every record as cells, one column a key.

    Raises
    ------
    ExportRefusedError
        The file is not JSON, with the line; or it has more keys than a table has columns.
    """
    reading = _Reading(source, lines)
    names: dict[str, None] = {}
    chunks: list[tuple[list[int], dict[str, pa.Array]]] = []
    for records in _chunked(reading.records()):
        rows, objects = [], []
        for record in records:
            if (cells := reading.cells(record)) is not None:
                rows.append(record.number)
                objects.append(cells)
        keys = dict.fromkeys(key for cells in objects for key in cells)
        names |= keys
        if len(names) > MOST_COLUMNS:
            raise refuse_export(
                source.name,
                f"the records have more than {MOST_COLUMNS:,} different keys.",
                fix="Use `format: sql`, which sees each record as one text.",
                code="too_many_columns",
            )
        chunks.append((rows, {key: pa.array([cells.get(key, "") for cells in objects], pa.string()) for key in keys}))
    arrays = [
        pa.chunked_array([columns.get(name, pa.repeat("", len(rows))) for rows, columns in chunks], pa.string())
        for name in names
    ]
    return Cells(
        table=pa.Table.from_arrays(arrays, names=list(names)),
        source_row=pa.array([row for rows, _ in chunks for row in rows], pa.int64()),
        n_rows=reading.n_rows,
        refusals=reading.refusals,
        found=reading.found | {"header": list(names)},
        header_of_records=True,
    )


def read_json_texts(source: TextSource, *, lines: bool) -> Cells:
    """Every record as its own text in one column, `record`.

    Raises
    ------
    ExportRefusedError
        The file is not JSON, with the line.
    """
    reading = _Reading(source, lines)
    return _one_column(RECORD, ((record.number, record.text) for record in reading.records()), reading)


def read_lines(source: TextSource) -> Cells:
    """Every line that is not blank in one column, `line`."""
    reading = _Reading(source, lines=True)
    return _one_column(LINE, reading.lines(), reading)


class _Reading:
    """One pass over a file: what was refused on the way, how many records there were."""

    def __init__(self, source: TextSource, lines: bool):
        self.source = source
        self.reads_lines = lines
        self.refusals: list[Refusal] = []
        self.n_rows = 0
        self.blank = 0
        self._reader = JsonReader()

    @property
    def found(self) -> dict[str, Any]:
        return self.source.found | ({"blank_lines": self.blank} if self.reads_lines else {})

    def lines(self) -> Iterator[tuple[int, str]]:
        with self.source.open() as stream:
            for line in stream:
                text = line.rstrip("\r\n")
                if not text.strip():
                    self.blank += 1
                    continue
                self.n_rows += 1
                yield self.n_rows, text

    def records(self) -> Iterator[_Record]:
        return self._of_lines() if self.reads_lines else self._of_file()

    def cells(self, record: _Record) -> dict[str, str | None] | None:
        """The members of an object as cells; None where the record is refused."""
        if not isinstance(record.value, dict):
            self._refuse(record.number, "not_an_object", _NOT_AN_OBJECT, record.text)
            return None
        return {
            key: value if value is None or isinstance(value, str) else json_text(value)
            for key, value in record.value.items()
        }

    def _of_lines(self) -> Iterator[_Record]:
        for number, text in self.lines():
            try:
                value = self._reader.value(text)
            except ValueError:
                self._refuse(number, "not_json", _NOT_JSON, text)
                continue
            if self._readable(number, text):
                yield _Record(number, value, text)

    def _of_file(self) -> Iterator[_Record]:
        with self.source.open() as stream:
            text = stream.read()
        try:
            for value, record in self._reader.elements(text):
                self.n_rows += 1
                if self._readable(self.n_rows, record):
                    yield _Record(self.n_rows, value, record)
        except ValueError as error:
            raise refuse_export(
                self.source.name,
                f"the file is not JSON: {getattr(error, 'msg', 'it cannot be read')}.",
                line=getattr(error, "lineno", None),
                fix="Export it again; if it has one value a line, declare `read: {as: jsonl}`.",
                code="not_json",
            ) from None

    def _readable(self, number: int, text: str) -> bool:
        problem = self._reader.problem
        if problem is not None:
            self._refuse(number, problem, PROBLEMS[problem], text)
        return problem is None

    def _refuse(self, number: int, rule: str, fix: str, text: str) -> None:
        self.refusals.append(Refusal(source_row=number, rule=rule, fix=fix, content=text))


def _one_column(column: str, records: Iterable[tuple[int, str]], reading: _Reading) -> Cells:
    chunks, rows = [], []
    for part in _chunked(records):
        rows += [number for number, _ in part]
        chunks.append(pa.array([text for _, text in part], pa.string()))
    return Cells(
        table=pa.table({column: pa.chunked_array(chunks, pa.string())}),
        source_row=pa.array(rows, pa.int64()),
        n_rows=reading.n_rows,
        refusals=reading.refusals,
        found=reading.found | {"header": [column]},
    )


def _chunked(items: Iterable[Any]) -> Iterator[list[Any]]:
    chunk: list[Any] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
