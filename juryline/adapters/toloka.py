"""Toloka: the TSV of a pool's assignments, one line a task and worker.

Columns are called by what they are: INPUT: what was shown, OUTPUT: what was answered, GOLDEN: what
should have been, ASSIGNMENT: by whom and when. A line with a GOLDEN answer is a gold item. Times carry
no offset; declare `timezone: UTC`, which Toloka writes.
"""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Cell, Export, Read
from data_contracts.vocabulary import ItemKind
from juryline.adapters.cells import Cells
from juryline.adapters.file_head import FileHead
from juryline.adapters.mapping import read_by_plan
from juryline.adapters.plan import Answer, Plan, exported_criteria, plan_of
from juryline.adapters.reading import ExportReading, refuse_export
from juryline.adapters.records import read_records

VERSION = "toloka/1"
READS = "Toloka: TSV of assignments"
RECOGNISED_BY = "a tab-separated header of INPUT:, OUTPUT: and ASSIGNMENT: columns"

INPUT, OUTPUT, GOLDEN, ASSIGNMENT = "INPUT:", "OUTPUT:", "GOLDEN:", "ASSIGNMENT:"
KIND = "item_kind"  # made here from the GOLDEN columns

_DEFAULTS = {
    "rater": "ASSIGNMENT:worker_id",
    "submission_id": "ASSIGNMENT:assignment_id",
    "started_at": "ASSIGNMENT:started",
    "submitted_at": "ASSIGNMENT:submitted",
}


def recognises(head: FileHead) -> bool:
    header = head.text.split("\n", 1)[0].split("\t")
    return all(any(name.startswith(prefix) for name in header) for prefix in (INPUT, OUTPUT, ASSIGNMENT))


def read(path: Path, name: str, export: Export, spec: StudySpec, *, scratch: Path) -> ExportReading:
    """Assignments as intake rows; `columns` of the export say which INPUT is the case and the candidates."""
    cells = read_records(path, name, export.read or Read.model_validate({"as": "tsv"}), scratch=scratch)
    _require_toloka(cells, name)
    cells = _with_kind(cells)
    header = cells.table.column_names
    shared = {given: Cell(column=column) for given, column in _DEFAULTS.items() if column in header}
    if KIND in header:
        shared[KIND] = Cell(column=KIND)
    defaults = Plan(shared=shared, answers=_answers(export, spec, header))
    plan = plan_of(export, spec, defaults)
    if export.columns.gold_label is None:
        plan = replace(plan, answers=tuple(_with_gold(answer, header) for answer in plan.answers))
    return read_by_plan(cells, plan, export, name, VERSION)


def _require_toloka(cells: Cells, name: str) -> None:
    if not any(column.startswith(ASSIGNMENT) for column in cells.table.column_names):
        raise refuse_export(
            name,
            "this is no Toloka export: no column begins with ASSIGNMENT:.",
            fix="Download the assignments as TSV, or use `format: table`.",
            code="not_this_format",
        )


def _answers(export: Export, spec: StudySpec, header: list[str]) -> tuple[Answer, ...]:
    named = [(criterion, OUTPUT + told.removeprefix(OUTPUT)) for criterion, told in exported_criteria(export, spec)]
    return tuple(
        Answer(criterion=Cell(constant=criterion), label=column)
        for criterion, column in named
        if column in header or export.criteria
    )


def _with_kind(cells: Cells) -> Cells:
    golden = [cells.table[name] for name in cells.table.column_names if name.startswith(GOLDEN)]
    if not golden:
        return cells
    gold = pa.array([False] * cells.table.num_rows, pa.bool_())
    for column in golden:
        gold = pc.or_(gold, pc.not_equal(column, ""))
    kind = pc.if_else(gold, str(ItemKind.GOLD), "")
    return replace(cells, table=cells.table.append_column(KIND, kind))


def _with_gold(answer: Answer, header: list[str]) -> Answer:
    golden = GOLDEN + answer.label.removeprefix(OUTPUT)
    if not answer.label.startswith(OUTPUT) or golden not in header:
        return answer
    return replace(answer, own={**answer.own, "gold_label": Cell(column=golden)})
