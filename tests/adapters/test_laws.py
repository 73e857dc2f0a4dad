"""Laws of reading: what a writer of another hand wrote is read cell for cell, and no record is ever lost."""

import csv
import io
import json
import tempfile
from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from data_contracts.errors import ExportRefusedError
from data_contracts.specification_exports import Read
from juryline.adapters.records import read_records

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
ROWS = st.lists(st.lists(TEXT, min_size=3, max_size=3), min_size=1, max_size=6)
NAMES = ("a", "b", "c")
# Quoting no more than it must, Python leaves an LF bare unless records end in CRLF.
WRITTEN = [("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_ALL), ("\r", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]


def cells(content: str, **how):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content.encode())
        return read_records(path, "file", Read.model_validate(how), scratch=Path(folder))


def rows_of(table: pa.Table) -> list[list[str]]:
    return [[row[name] for name in NAMES] for row in table.to_pylist()]


@settings(max_examples=80, deadline=None)
@given(
    ROWS,
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(WRITTEN),
)
def test_what_pythons_writer_wrote_is_read_cell_for_cell(rows, delimiter, written):
    end, quoting = written
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([NAMES, *rows])

    read = cells(stream.getvalue(), **{"as": "csv", "delimiter": delimiter})

    assert rows_of(read.table) == rows
    assert read.source_row.to_pylist() == list(range(1, len(rows) + 1))


@settings(max_examples=60, deadline=None)
@given(ROWS, st.booleans())
def test_texts_come_out_of_json_as_they_went_in(rows, ascii_only):
    records = [dict(zip(NAMES, row)) for row in rows]
    whole = json.dumps(records, ensure_ascii=ascii_only)
    lines = "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records)

    assert rows_of(cells(whole, **{"as": "json"}).table) == rows
    assert rows_of(cells(lines, **{"as": "jsonl"}).table) == rows


@settings(max_examples=120, deadline=None)
@given(
    st.text(st.sampled_from('ab,"#\n\r {}[]:1\\'), min_size=1, max_size=60),
    st.sampled_from(["csv", "tsv", "json", "jsonl", "lines"]),
)
def test_any_text_is_refused_whole_or_accounted_for_record_by_record(content, kind):
    try:
        read = cells(content, **{"as": kind})
    except ExportRefusedError:
        return

    seen = [*read.source_row.to_pylist(), *(refusal.source_row for refusal in read.refusals)]
    assert sorted(seen) == list(range(1, read.n_rows + 1))
    assert read.table.num_rows == len(read.source_row)
