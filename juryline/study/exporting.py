"""Tables for analysts: every stamped table as CSV or Parquet, each with its codebook."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from data_contracts.errors import UsageError
from data_contracts.tables import (
    ADJUDICATED_LABELS,
    ADJUDICATION_SOURCES,
    ANALYSIS_SET,
    ASSIGNMENTS,
    COMPARISONS,
    ESTIMATES,
    EXCLUSION_DECISIONS,
    HISTORY,
    OUTPUT_LENGTHS,
    QUARANTINE,
    RATINGS,
    RECORD_FLOW,
    RESPONSE_STATES,
    SCENARIO_COMPARISONS,
    SCENARIO_RATINGS,
    SCENARIO_SPA_ANSWERS,
    SPA_ANSWERS,
    Table,
)
from juryline.ledger.files import write_atomically, write_table
from juryline.ledger.stamps import require
from juryline.ledger.workspace import Workspace
from juryline.study.engine import Engine
from juryline.study.run import Study, require_study

CSV, PARQUET = "csv", "parquet"
EXPORTED = {
    "estimates": ESTIMATES,
    "judgments": HISTORY,
    "exclusion_decisions": EXCLUSION_DECISIONS,
    "analysis_set": ANALYSIS_SET,
    "adjudicated_labels": ADJUDICATED_LABELS,
    "adjudication_sources": ADJUDICATION_SOURCES,
    "quarantine": QUARANTINE,
    "record_flow": RECORD_FLOW,
    "response_states": RESPONSE_STATES,
    "output_lengths": OUTPUT_LENGTHS,
    "assignments": ASSIGNMENTS,
    "comparisons": COMPARISONS,
    "ratings": RATINGS,
    "spa_answers": SPA_ANSWERS,
    "scenario_comparisons": SCENARIO_COMPARISONS,
    "scenario_ratings": SCENARIO_RATINGS,
    "scenario_spa_answers": SCENARIO_SPA_ANSWERS,
}
# A spreadsheet runs a cell that begins with one of these; an apostrophe before it keeps it a text.
FORMULA = r"^(\s*[=+\-@\t\r])"


def export_tables(workspace: Workspace, slug: str, to: Path, format: str) -> list[Path]:
    """Write every table of a study that was run, and beside each its codebook.

    Raises
    ------
    UsageError
        Another format, or no such study.
    GateError
        A table does not exist yet.
    """
    if format not in (CSV, PARQUET):
        raise UsageError(f"{format!r} is no format", where="--format", fix="use csv or parquet")
    require_study(workspace, slug)
    study = Study(workspace, slug)
    stamps = {name: require(study.directory, table.name) for name, table in EXPORTED.items()}
    to.mkdir(parents=True, exist_ok=True)
    engine = Engine(study.scratch)
    written = []
    for name, table in EXPORTED.items():
        rows = engine.parquet(table.name, [str(stamps[name].file)], table.arrow_schema).to_pyarrow()
        written += [_write(rows, to / f"{name}.{format}"), _codebook(table, to / f"{name}.codebook.csv")]
    engine.close()
    return written


def _write(rows: pa.Table, path: Path) -> Path:
    if path.suffix == f".{PARQUET}":
        write_table(path, rows)
    else:
        write_atomically(path, csv_bytes(rows))
    return path


def csv_bytes(rows: pa.Table) -> bytes:
    """A table as CSV, every value in a form that a spreadsheet neither runs nor mistakes."""
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.table({name: _cell(rows[name]) for name in rows.column_names}), sink)
    return sink.getvalue().to_pybytes()


def _cell(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as CSV can hold it: nested values as JSON, instants in UTC with their offset, no formulas."""
    type = column.type
    if pa.types.is_nested(type):
        texts = [None if value is None else _json(value, type) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])
    if pa.types.is_timestamp(type):
        return pc.strftime(column, format="%Y-%m-%dT%H:%M:%SZ")
    if pa.types.is_string(type):
        return pc.replace_substring_regex(column, FORMULA, r"'\1")
    return column


def _json(value: Any, type: pa.DataType) -> str:
    return json.dumps(dict(value) if pa.types.is_map(type) else value, ensure_ascii=False)


def _codebook(table: Table, path: Path) -> Path:
    columns: Iterable[dict[str, str]] = [
        {
            "column": column.name,
            "type": str(column.type),
            "nullable": "yes" if column.nullable else "no",
            "key": "yes" if column.name in table.key else "no",
            "meaning": column.meaning,
        }
        for column in table
    ]
    write_atomically(path, csv_bytes(pa.Table.from_pylist(list(columns))))
    return path
