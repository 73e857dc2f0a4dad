"""What systems wrote: a file of outputs as rows that name case, system and output, with the text and its words.

Belongs here: reading such a file by its declared columns or query. Does not: which rows are of the study, or agree.
"""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.specification_exports import Outputs
from juryline.adapters.mapping import with_columns
from juryline.adapters.mapping_query import FILENAME, SOURCE_ROW, query_text, run_mapping_query
from juryline.adapters.reading import nearest, refuse_export
from juryline.adapters.records import read_records

CASE, SYSTEM, OUTPUT, TEXT, TOKENS = "case_id", "system", "output", "text", "tokens"
OUTPUT_ROWS = pa.schema(
    [
        pa.field("export_path", pa.string(), nullable=False),
        pa.field("source_row", pa.int64()),  # null where a query does not pass it on
        pa.field(CASE, pa.string()),
        pa.field(SYSTEM, pa.string()),
        pa.field(OUTPUT, pa.string()),
        pa.field(TEXT, pa.string()),
        pa.field("words", pa.int64()),
        pa.field(TOKENS, pa.string()),
    ]
)
# Runs of anything but white space; these are the characters at which Python's `str.split` cuts.
WORDS = r"[^\t-\r\x1c-\x20\x85\p{Z}]+"


def read_outputs(path: Path, name: str, outputs: Outputs, *, study_dir: Path, scratch: Path) -> pa.Table:
    """The rows of one file of outputs.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    name : str
        Its path below `exports/`, with forward slashes.
    outputs : Outputs
        How it is declared to be read.
    study_dir : pathlib.Path
        The study's folder, below which a query is.
    scratch : pathlib.Path
        Private folder for what is expanded or handed to a query.

    Returns
    -------
    pyarrow.Table
        Of schema `OUTPUT_ROWS`, in the order of the file. An empty cell is null; `words` is null without a text.

    Raises
    ------
    ExportRefusedError
        The file or one of its records cannot be read, a column is missing, or the query fails.
    SpecificationError
        The query's file cannot be read.
    """
    reading = outputs.reading
    assert reading is not None  # the specification is refused where neither it nor the ending says it
    cells = read_records(path, name, reading, scratch=scratch, for_query=outputs.query is not None)
    if cells.refusals:
        first = cells.refusals[0]
        raise refuse_export(
            name,
            f"{len(cells.refusals)} records cannot be read, the first in row {first.source_row}: {first.rule}.",
            fix=f"In each, {first.fix}.",
            code=first.rule,
        )
    if outputs.query is not None:
        text = query_text(outputs.query, study_dir, "outputs, query")
        result = run_mapping_query(outputs.query, text, cells, name, scratch=scratch)
        return _rows(_of_query(result, outputs.query, name), name, _whole_numbers(result))
    assert outputs.columns is not None
    mapped = outputs.columns.model_dump(exclude_none=True)
    cells = with_columns(cells, mapped.values(), name)
    given = {CASE if key == "case" else key: cells.table[column] for key, column in mapped.items()}
    return _rows(given, name, cells.source_row)


def _rows(given: Mapping[str, pa.ChunkedArray], name: str, source_row: pa.Array | pa.ChunkedArray) -> pa.Table:
    n = len(source_row)
    columns = {key: _given(given[key]) if key in given else pa.nulls(n, pa.string()) for key in _NAMES}
    columns |= {
        "export_path": pa.repeat(pa.scalar(name, pa.string()), n),
        "source_row": source_row,
        "words": pc.count_substring_regex(columns[TEXT], WORDS).cast(pa.int64()),
    }
    return pa.table({field.name: columns[field.name] for field in OUTPUT_ROWS}).cast(OUTPUT_ROWS)


_NAMES = (CASE, SYSTEM, OUTPUT, TEXT, TOKENS)


def _of_query(result: pa.Table, query: str, name: str) -> dict[str, pa.ChunkedArray]:
    known = (*_NAMES, FILENAME, SOURCE_ROW)
    unknown = [column for column in result.column_names if column not in known]
    if unknown:
        told = "; ".join(f"{column!r} (nearest: {', '.join(nearest(column, known) or known)})" for column in unknown)
        raise refuse_export(
            name,
            f"{query} returns columns that mean nothing here: {told}.",
            fix="Rename or drop them.",
            code="query",
        )
    lacking = [column for column in (CASE, SYSTEM) if column not in result.column_names]
    if not {TEXT, TOKENS} & set(result.column_names):
        lacking.append("text or tokens")
    if lacking:
        raise refuse_export(
            name,
            f"{query} does not return {', '.join(lacking)}.",
            fix="Return `case_id`, `system` and `text` or `tokens`.",
            code="query",
        )
    return {column: result[column] for column in _NAMES if column in result.column_names}


def _whole_numbers(result: pa.Table) -> pa.Array | pa.ChunkedArray:
    if SOURCE_ROW not in result.column_names:
        return pa.nulls(result.num_rows, pa.int64())
    passed = result[SOURCE_ROW]
    none = pa.scalar(None, pa.string())
    return pc.cast(pc.if_else(pc.match_substring_regex(passed, "^[0-9]{1,18}$"), passed, none), pa.int64())


def _given(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
