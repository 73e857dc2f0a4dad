"""Exports read by a mapping query: nested or wide files whose judgments no list of columns can name.

The query sees `export` (text columns, `filename`, `source_row`) and returns intake columns by their
names, with the `source_row` that each row came from. A record that no row carries is refused as
unmapped, so nothing is lost by a join that forgets. Rows of one record that have one key get `#1`,
`#2` ... as their place in it.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.errors import SpecificationError
from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Cell, Export
from data_contracts.tables import INTAKE
from juryline.adapters.cells import Cells, contents
from juryline.adapters.mapping import intake_rows, leave_out, with_columns
from juryline.adapters.mapping_query import FILENAME, SOURCE_ROW, query_text, run_mapping_query
from juryline.adapters.plan import Answer, Plan, declared_reading
from juryline.adapters.reading import IGNORED, ExportReading, Refusal, nearest, refuse_export, refused_table
from juryline.adapters.records import read_records

VERSION = "sql/1"
READS = "nested or wide files, by a mapping query"
RECOGNISED_BY = "the `query` that its export names in study.yaml"

CRITERION, LABEL = "criterion", "label"
_MADE_HERE = ("case_attributes", "rater_attributes")
_RETURNED = [column for column in INTAKE.names if column not in _MADE_HERE]
_KEY = ("source_row", "source_path", "criterion", "candidate_1", "candidate_2")


def read(path: Path, name: str, export: Export, spec: StudySpec, *, study_dir: Path, scratch: Path) -> ExportReading:
    """The rows that a mapping query makes of an export."""
    query = _query_of(export)
    text = query_text(query, study_dir, f"exports: {export.match}")
    cells = read_records(path, name, declared_reading(export), scratch=scratch, for_query=True)
    cells = with_columns(cells, (ignore.column for ignore in export.ignore), name)
    shown, ignored = leave_out(cells, export.ignore)
    result = run_mapping_query(query, text, shown, name, scratch=scratch)
    plan = _plan(export, spec, result.column_names)
    answers = _answers(result, plan, shown, export, name)
    rows, refusals = intake_rows(answers, plan, export, name)
    rows, left_out = _left_out(_told_apart(rows))
    ignored = pa.concat_tables([ignored, left_out]).sort_by("source_row")
    refusals = [*cells.refusals, *refusals, *_unmapped(shown.source_row, answers.source_row, query)]
    return ExportReading(
        rows=rows,
        n_rows=cells.n_rows,
        ignored=ignored,
        refused=refused_table(refusals),
        found=cells.found | {"query": query},
        adapter=VERSION,
        contents=contents(cells, refusals, ignored),
    )


def _query_of(export: Export) -> str:
    if export.query is None:
        raise SpecificationError(
            "an export of format sql names no query.", where=f"exports: {export.match}", fix="Add `query: file.sql`."
        )
    return export.query


def _plan(export: Export, spec: StudySpec, returned: list[str]) -> Plan:
    """The result's columns by their names; a rubric of one criterion needs none returned."""
    criterion = Cell(column=CRITERION)
    if CRITERION not in returned and len(spec.criteria_ever) == 1:
        criterion = Cell(constant=next(iter(spec.criteria_ever)))
    own = (FILENAME, SOURCE_ROW, CRITERION, LABEL)
    return Plan(
        shared={column: Cell(column=column) for column in returned if column in _RETURNED and column not in own},
        answers=(Answer(criterion=criterion, label=LABEL),),
        case_attributes=export.attributes.case,
        rater_attributes=export.attributes.rater,
    )


def _answers(result: pa.Table, plan: Plan, shown: Cells, export: Export, name: str) -> Cells:
    """The result as cells, once its columns are known and every row says which record it came from."""
    known = [*_RETURNED, *plan.columns()]
    unknown = [column for column in result.column_names if column not in known]
    if unknown:
        told = "; ".join(f"{column!r} (nearest: {', '.join(nearest(column, known) or known)})" for column in unknown)
        raise refuse_export(
            name,
            f"{export.query} returns columns that mean nothing here: {told}.",
            fix="Rename or drop them.",
            code="query",
        )
    missing = [column for column in (SOURCE_ROW, *plan.columns()) if column not in result.column_names]
    if missing:
        raise refuse_export(
            name,
            f"{export.query} does not return {', '.join(missing)}.",
            fix="Return `source_row`, `criterion`, `label` and every declared attribute.",
            code="query",
        )
    cells = pa.table({column: pc.fill_null(result[column], "") for column in result.column_names})
    if FILENAME in cells.column_names and not pc.all(pc.equal(cells[FILENAME], name), min_count=0).as_py():
        raise refuse_export(
            name, f"{export.query} changes `filename`.", fix="Pass `filename` on as it is, or not at all.", code="query"
        )
    return Cells(
        table=cells,
        source_row=_source_rows(cells[SOURCE_ROW], shown, export, name),
        n_rows=shown.n_rows,
        found=shown.found,
    )


def _source_rows(returned: pa.ChunkedArray, shown: Cells, export: Export, name: str) -> pa.Array:
    written = pc.match_substring_regex(returned, "^[0-9]{1,18}$")
    numbers = pc.cast(pc.if_else(written, returned, "0"), pa.int64()).combine_chunks()
    known = pc.is_in(numbers, shown.source_row)
    if not pc.all(known, min_count=0).as_py():
        n = len(known) - pc.sum(known, min_count=0).as_py()
        raise refuse_export(
            name,
            f"{export.query} returns {n} rows with a `source_row` that is none of the export's.",
            fix="Pass `source_row` on as it is; a join or a group that loses it loses the way back to the bytes.",
            code="query",
        )
    return numbers


def _told_apart(rows: pa.Table) -> pa.Table:
    """Rows in the order of their key; those that share one are numbered in `source_path`, as the query gave them."""
    rows = _by_key(rows)
    n = rows.num_rows
    if n < 2:
        return rows
    begins = np.zeros(n, bool)
    begins[0] = True
    for column in _KEY:
        codes = pc.fill_null(rows[column].combine_chunks().dictionary_encode().indices, -1).to_numpy()
        begins[1:] |= codes[1:] != codes[:-1]
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, n))
    if lengths.max() == 1:
        return rows
    place = np.arange(n) - np.repeat(starts, lengths) + 1
    shared = pa.array(np.repeat(lengths > 1, lengths))
    digits = len(str(lengths.max()))
    number = pc.utf8_lpad(pc.cast(pa.array(place), pa.string()), digits, "0")  # so that texts sort as numbers do
    numbered = pc.binary_join_element_wise(pc.fill_null(rows["source_path"], ""), number, "#")
    path = pc.if_else(shared, numbered, rows["source_path"])
    at = rows.column_names.index("source_path")
    return _by_key(rows.set_column(at, rows.schema.field(at), path))


def _by_key(rows: pa.Table) -> pa.Table:
    return rows.take(pc.sort_indices(rows, [(column, "ascending") for column in _KEY]))  # stable


def _left_out(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Rows of the others, and the records of which every row has an `ignore_reason`, with the least of them."""
    used = pc.unique(rows["source_row"].filter(pc.is_null(rows["ignore_reason"])))
    out = pc.invert(pc.is_in(rows["source_row"], used))
    reasons = rows.filter(out).group_by("source_row", use_threads=False).aggregate([("ignore_reason", "min")])
    return rows.filter(pc.invert(out)), reasons.rename_columns(IGNORED.names).cast(IGNORED)


def _unmapped(shown: pa.Array, returned: pa.Array, query: str) -> Iterable[Refusal]:
    fix = f"return the record from {query}, or return it with an `ignore_reason`"
    lost = shown.filter(pc.invert(pc.is_in(shown, returned)))
    return [Refusal(source_row=row, rule="unmapped", fix=fix) for row in lost.to_pylist()]
