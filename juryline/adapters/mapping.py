"""The mapping by columns: text cells of an export become intake rows, each value as exported.

A wide table gives a row for each criterion it maps, a long one names the criterion in a cell. An
empty cell is an answer like any other in the label, where the specification says what it means; in
every other column it is no value. Lists are written as a JSON array or with `|` between items. All
work is on whole Arrow columns.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.specification_exports import Cell, Export, Ignore
from data_contracts.specification_rubric import level_text
from data_contracts.tables import INTAKE, TEXTS
from juryline.adapters.cells import CHUNK, Cells, contents, text_table
from juryline.adapters.json_text import JsonReader, cell_text
from juryline.adapters.plan import Answer, Plan
from juryline.adapters.reading import ExportReading, Refusal, ignored_table, nearest, refuse_export, refused_table

CASE = "case"  # in the specification; `case_id` in a row, since CASE is a word of SQL
_LISTS = [column.name for column in INTAKE if column.type == TEXTS]
_ATTRIBUTES = pa.map_(pa.string(), pa.string())


def read_by_plan(cells: Cells, plan: Plan, export: Export, name: str, adapter: str) -> ExportReading:
    """The reading of an export whose records have one row each in `cells`.

    Raises
    ------
    ExportRefusedError
        A mapped column is missing; names the nearest there are.
    """
    cells = with_columns(cells, [*plan.columns(), *(ignore.column for ignore in export.ignore)], name)
    kept, ignored = leave_out(cells, export.ignore)
    rows, refusals = intake_rows(kept, plan, export, name)
    refusals = [*cells.refusals, *refusals]
    return ExportReading(
        rows=rows,
        n_rows=cells.n_rows,
        ignored=ignored,
        refused=refused_table(refusals),
        found=cells.found,
        adapter=adapter,
        contents=contents(cells, refusals, ignored),
    )


def intake_rows(cells: Cells, plan: Plan, export: Export, name: str) -> tuple[pa.Table, list[Refusal]]:
    """Intake rows in the order of the cells, and the records refused because a cell of theirs is no list."""
    refusals: list[Refusal] = []
    lists = {}
    for column in (column for column in _LISTS if column in plan.shared):
        lists[column], unreadable = _lists(_cell(cells.table, plan.shared[column]), cells, column)
        refusals += unreadable
    rows = _rows(cells, plan, lists, export, name)
    if refusals:
        refused = pa.array([refusal.source_row for refusal in refusals], pa.int64())
        rows = rows.filter(pc.invert(pc.is_in(rows["source_row"], refused)))
    return rows, refusals


def with_columns(cells: Cells, columns: Iterable[str], name: str) -> Cells:
    """The same cells, once they have the columns.

    Raises
    ------
    ExportRefusedError
        A column is missing; names the nearest there are.
    """
    there = cells.table.column_names
    wanted = list(dict.fromkeys(columns))
    missing = [column for column in wanted if column not in there]
    if not missing:
        return cells
    if cells.header_of_records and not cells.table.num_rows:
        return replace(cells, table=text_table(wanted, []))
    told = "; ".join(f"{column!r}{_near(column, there)}" for column in missing)
    raise refuse_export(
        name,
        f"the export has no column {told}; it has {len(there)}.",
        fix=_delimiter_hint(there)
        or "Correct `columns` of this export; if the file has no header, declare `read.header`.",
        code="column_missing",
    )


def _near(column: str, there: list[str]) -> str:
    # Only what is near: in a file without a header, the names are a rater's first answers.
    near = nearest(column, there)
    return f" (nearest: {', '.join(near)})" if near else ""


def leave_out(cells: Cells, ignore: Iterable[Ignore]) -> tuple[Cells, pa.Table]:
    """The records that no `ignore` names, and those it does with the first reason."""
    reasons = pa.nulls(cells.table.num_rows, pa.string())
    for rule in ignore:
        values = pc.fill_null(cells.table[rule.column], "null")
        hit = pc.is_in(values, pa.array(rule.values, pa.string()))
        told = pc.binary_join_element_wise(rule.column, values, "=")
        reasons = pc.coalesce(reasons, pc.if_else(hit, told, pa.scalar(None, pa.string())))
    out = pc.is_valid(reasons)
    ignored = ignored_table(cells.source_row.filter(_flat(out)), _flat(reasons.filter(out)))
    if ignored.num_rows == 0:
        return cells, ignored
    stay = _flat(pc.invert(out))
    path = cells.source_path
    kept = replace(
        cells,
        table=cells.table.filter(stay),
        source_row=cells.source_row.filter(stay),
        source_path=None if path is None else path.filter(stay),
    )
    return kept, ignored


def attribute_map(table: pa.Table, columns: Mapping[str, str]) -> pa.Array:
    """Attributes of each record: a map from their declared names to the cells of their columns, empty ones null."""
    n, k = table.num_rows, len(columns)
    if not columns:
        return pa.nulls(n, _ATTRIBUTES)
    by_record = pa.array(np.arange(n * k).reshape(k, n).T.ravel())
    values = pa.chunked_array([chunk for column in columns.values() for chunk in table[column].chunks], pa.string())
    names = pa.DictionaryArray.from_arrays(np.tile(np.arange(k, dtype=np.int32), n), pa.array(columns, pa.string()))
    offsets = pa.array(np.arange(0, n * k + 1, k), pa.int32())
    return pa.MapArray.from_arrays(offsets, names.cast(pa.string()), _flat(_given(values.take(by_record))))


def _rows(cells: Cells, plan: Plan, lists: Mapping[str, pa.Array], export: Export, name: str) -> pa.Table:
    table, n = cells.table, cells.table.num_rows
    columns = {field.name: pa.nulls(n, field.type) for field in INTAKE.arrow_schema}
    columns |= {_intake_name(given): _given(_cell(table, cell)) for given, cell in plan.shared.items()}
    columns |= lists
    columns |= {"filename": _repeat(name, n), "source_row": cells.source_row}
    columns["case_attributes"] = attribute_map(table, plan.case_attributes)
    columns["rater_attributes"] = attribute_map(table, plan.rater_attributes)
    if cells.source_path is not None:
        columns["source_path"] = cells.source_path
    answers = [_answer_columns(table, answer, export.criteria) for answer in _by_criterion(plan.answers)]
    rows = _interleaved([_intake_table(columns | answer) for answer in answers])
    if len(answers) > 1 and any(answer.criterion.column for answer in plan.answers):
        return rows.sort_by([("source_row", "ascending"), ("criterion", "ascending"), ("candidate_1", "ascending")])
    return rows


def _by_criterion(answers: Iterable[Answer]) -> list[Answer]:
    """Answers in the order of their criteria, as far as these are the same in every record."""
    return sorted(answers, key=lambda answer: str(answer.criterion.constant))


def _answer_columns(table: pa.Table, answer: Answer, renames: Mapping[str, str]) -> dict[str, pa.ChunkedArray]:
    criterion = pc.fill_null(_cell(table, answer.criterion), "null")
    if answer.criterion.column is not None and renames:
        index = pc.index_in(criterion, pa.array(renames, pa.string()))
        criterion = pc.coalesce(pc.take(pa.array(renames.values(), pa.string()), index), criterion)
    own = {_intake_name(given): _given(_cell(table, cell)) for given, cell in answer.own.items()}
    return own | {"criterion": criterion, "label": pc.fill_null(table[answer.label], "null")}


def _interleaved(answers: list[pa.Table]) -> pa.Table:
    """The rows of several answers, those of one record together; by blocks, since taking rows copies them."""
    if len(answers) == 1:
        return answers[0]
    n, k = answers[0].num_rows, len(answers)
    blocks = []
    for start in range(0, n, CHUNK):
        parts = pa.concat_tables([answer.slice(start, CHUNK) for answer in answers]).combine_chunks()
        blocks.append(parts.take(pa.array(np.arange(parts.num_rows).reshape(k, -1).T.ravel())))
    return pa.concat_tables(blocks) if blocks else answers[0]


def _intake_table(columns: Mapping[str, pa.Array | pa.ChunkedArray]) -> pa.Table:
    return pa.Table.from_arrays([columns[column] for column in INTAKE.names], schema=INTAKE.arrow_schema)


def _intake_name(given: str) -> str:
    return "case_id" if given == CASE else given


def _cell(table: pa.Table, cell: Cell) -> pa.ChunkedArray:
    if cell.column is not None:
        return table[cell.column]
    assert cell.constant is not None
    return pa.chunked_array([_repeat(level_text(cell.constant), table.num_rows)])


def _given(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)


def _repeat(text: str, n: int) -> pa.Array:
    return pa.repeat(pa.scalar(text, pa.string()), n)


def _lists(values: pa.ChunkedArray, cells: Cells, column: str) -> tuple[pa.Array, list[Refusal]]:
    """Cells as lists of text, each distinct cell read once, and the records whose cell is no list."""
    coded = _flat(values).dictionary_encode()
    read = [_list(text) for text in coded.dictionary.to_pylist()]
    broken = pa.array([code for code, items in enumerate(read) if items is None], coded.indices.type)
    lists = pa.array([items or None for items in read], TEXTS).take(coded.indices)
    rows = cells.source_row.filter(pc.is_in(coded.indices, broken)).to_pylist() if len(broken) else []
    fix = "write a JSON array, or items with | between them"
    return lists, [Refusal(source_row=row, column=column, rule="not_a_list", fix=fix) for row in rows]


def _list(text: str) -> list[str] | None:
    """Items of a cell; None where it begins like a JSON array and is none."""
    if not text.lstrip().startswith("["):
        return [item.strip() for item in text.split("|")] if text else []
    try:
        value = JsonReader().value(text)
    except ValueError:
        return None
    return [cell_text(item) or "" for item in value] if isinstance(value, list) else None


def _flat(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _delimiter_hint(columns: list[str]) -> str | None:
    mark = next((mark for mark in (";", "\t", "|", ",") if len(columns) == 1 and mark in columns[0]), None)
    if mark is None:
        return None
    told = "\\t" if mark == "\t" else mark
    return f'The header is one cell with {told!r} in it: declare `read: {{as: csv, delimiter: "{told}"}}`.'
