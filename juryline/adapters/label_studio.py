"""Label Studio: JSON and JSON-MIN exports, tasks with annotations.

A record is one annotation. Its answers are the controls of the labelling interface by their names
(`from_name`); its cells are called by where they stand: `task.id`, `data.*`, `annotation.*`. Of the
time a rater started nothing is exported; it is the time of submission less `lead_time`. An annotation
that was skipped answers every control with `skipped`. Predictions, drafts and reviews are no
judgments of the raters and are not read.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pyarrow as pa

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Cell, Export
from juryline.adapters.byte_source import plain_bytes
from juryline.adapters.cells import Cells
from juryline.adapters.file_head import FileHead
from juryline.adapters.json_text import PROBLEMS, JsonReader, cell_text, json_text
from juryline.adapters.mapping import read_by_plan
from juryline.adapters.plan import Answer, Plan, exported_criteria, plan_of
from juryline.adapters.reading import ExportReading, Refusal, refuse_export
from juryline.adapters.text_source import text_source

VERSION = "label_studio/1"
READS = "Label Studio: JSON and JSON-MIN"
RECOGNISED_BY = (
    "a JSON array of tasks with `data` and `annotations`, or of objects with `annotation_id` and `annotator`"
)

TASK, DATA, ANNOTATION = "task.", "data.", "annotation."
SKIPPED = "skipped"
_DEFAULTS = {
    "rater": "annotation.completed_by",
    "case": "task.id",
    "native_id": "annotation.id",
    "started_at": "annotation.started_at",
    "submitted_at": "annotation.created_at",
}
# JSON-MIN has everything in one object; these are not the task's data or controls.
_OF_MIN = {
    "id": "task.id",
    "annotation_id": "annotation.id",
    "annotator": "annotation.completed_by",
    "created_at": "annotation.created_at",
    "updated_at": "annotation.updated_at",
    "lead_time": "annotation.lead_time",
}
_NESTED = ("result", "reviews", "prediction", "history", "drafts", "completed_by")
# Where the answer of a control stands in its value, where it is not under the control's own type.
_ANSWER_KEYS = {"pairwise": "selected", "textarea": "text"}

Record = dict[str, str | None]


def recognises(head: FileHead) -> bool:
    try:
        task, _ = next(JsonReader().elements(head.text))
    except (ValueError, StopIteration):
        return False
    return isinstance(task, dict) and (_is_task(task) or _is_min(task))


def read(path: Path, name: str, export: Export, spec: StudySpec, *, scratch: Path) -> ExportReading:
    """Annotations as intake rows.

    Raises
    ------
    ExportRefusedError
        The file is no Label Studio JSON, or asks other questions than the rubric.
    """
    with plain_bytes(path, name, scratch) as plain:
        encoding = "utf-8" if export.read is None else export.read.encoding
        source = text_source(plain.path, name, encoding)
        packed = {key: value for key, value in plain.found.items() if value is not None}
        with source.open() as stream:
            annotations = _annotations(stream.read(), name)
    plan = plan_of(export, spec, _defaults(annotations, export, spec, name))
    cells = annotations.cells(_unanswered(annotations, plan), packed | source.found)
    return read_by_plan(cells, plan, export, name, VERSION)


@dataclass(slots=True)
class _Annotations:
    """Annotations of an export, gathered task by task."""

    records: list[Record] = field(default_factory=list)
    skipped: list[bool] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    controls: dict[str, None] = field(default_factory=dict)
    minimal: bool = False
    n_rows: int = 0
    n_tasks: int = 0
    n_unannotated: int = 0

    def add(self, path: str, record: Record, controls: Record, *, skipped: bool = False) -> None:
        self.n_rows += 1
        self.controls |= dict.fromkeys(controls)
        self.records.append(record | controls)
        self.skipped.append(skipped)
        self.rows.append(self.n_rows)
        self.paths.append(path)

    def refuse(self, path: str, rule: str, fix: str, content: str) -> None:
        self.n_rows += 1
        refusal = Refusal(source_row=self.n_rows, source_path=path, rule=rule, fix=fix, content=content)
        self.refusals.append(refusal)

    def cells(self, unanswered: list[str], found: dict[str, Any]) -> Cells:
        controls = [*self.controls, *unanswered]
        names = list(dict.fromkeys([*_DEFAULTS.values(), *(name for r in self.records for name in r), *controls]))
        if not self.minimal:
            for record, skipped in zip(self.records, self.skipped):
                record |= dict.fromkeys(controls, SKIPPED) if skipped else {}
        return Cells(
            table=pa.table({name: pa.array([r.get(name, "") for r in self.records], pa.string()) for name in names}),
            source_row=pa.array(self.rows, pa.int64()),
            source_path=pa.array(self.paths, pa.string()),
            n_rows=self.n_rows,
            refusals=self.refusals,
            found={
                "as": "label_studio json-min" if self.minimal else "label_studio json",
                **found,
                "header": names,
                "controls": list(self.controls),
                "tasks": self.n_tasks,
                "tasks_without_annotation": self.n_unannotated,
                "n_rows": self.n_rows,
            },
            header_of_records=True,
        )


def _annotations(text: str, name: str) -> _Annotations:
    gathered = _Annotations()
    reader = JsonReader()
    try:
        for place, (task, said) in enumerate(reader.elements(text)):
            gathered.n_tasks += 1
            path = f"/{place}"
            if reader.problem is not None:
                gathered.refuse(path, reader.problem, PROBLEMS[reader.problem], said)
            elif isinstance(task, dict) and _is_task(task):
                _add_task(gathered, task, path)
            elif isinstance(task, dict) and _is_min(task):
                gathered.minimal = True
                _add_minimal(gathered, task, path)
            else:
                gathered.refuse(path, "not_a_task", "the element is no task with `data` and `annotations`", said)
    except ValueError as error:
        raise refuse_export(
            name,
            f"the file is not JSON: {getattr(error, 'msg', 'it cannot be read')}.",
            line=getattr(error, "lineno", None),
            fix="Export it again as JSON or JSON-MIN.",
            code="not_json",
        ) from None
    if gathered.n_rows and not gathered.records:
        raise refuse_export(
            name,
            "this is no Label Studio export: no element is an annotated task.",
            fix="Export JSON or JSON-MIN from Label Studio, or use another `format`.",
            code="not_this_format",
        )
    return gathered


def _is_task(task: dict[str, Any]) -> bool:
    return isinstance(task.get("annotations"), list) and isinstance(task.get("data"), dict)


def _is_min(task: dict[str, Any]) -> bool:
    return "annotation_id" in task and "annotator" in task


def _add_task(gathered: _Annotations, task: dict[str, Any], path: str) -> None:
    of_task: Record = {TASK + "id": cell_text(task.get("id", ""))}
    of_task |= {DATA + key: cell_text(value) for key, value in task["data"].items()}
    if not task["annotations"]:
        gathered.n_unannotated += 1
    for place, annotation in enumerate(task["annotations"]):
        at = f"{path}/annotations/{place}"
        if not isinstance(annotation, dict) or not isinstance(annotation.get("result", []), list):
            said = json_text([of_task[TASK + "id"], annotation])
            gathered.refuse(at, "not_an_annotation", "the annotation has no list of results; export it again", said)
            continue
        plain = {ANNOTATION + key: cell_text(v) for key, v in annotation.items() if key not in _NESTED}
        plain[ANNOTATION + "completed_by"] = _annotator(annotation.get("completed_by"))
        gathered.add(
            at,
            _with_start(of_task | plain),
            _controls(annotation.get("result", [])),
            skipped=annotation.get("was_cancelled") is True,
        )


def _add_minimal(gathered: _Annotations, task: dict[str, Any], path: str) -> None:
    record: Record = {ours: cell_text(task.get(theirs, "")) for theirs, ours in _OF_MIN.items()}
    record["annotation.completed_by"] = _annotator(task["annotator"])
    others = {key: cell_text(value) for key, value in task.items() if key not in _OF_MIN}
    gathered.add(path, _with_start(record) | {DATA + key: value for key, value in others.items()}, others)


def _annotator(given: Any) -> str | None:
    """The id of who annotated, else the e-mail address."""
    if isinstance(given, dict):
        given = given.get("id", given.get("email", ""))
    return cell_text(given)


def _with_start(record: Record) -> Record:
    started = ""
    submitted, lead_time = record.get("annotation.created_at"), record.get("annotation.lead_time")
    if submitted and lead_time:
        try:
            started = (datetime.fromisoformat(submitted) - timedelta(seconds=float(lead_time))).isoformat()
        except (ValueError, OverflowError):
            started = ""
    return record | {"annotation.started_at": started}


def _controls(results: list[Any]) -> Record:
    """Each control's answer; several of one control, as of regions, are a JSON array."""
    answers: dict[str, list[Any]] = {}
    for result in results:
        if isinstance(result, dict) and isinstance(result.get("value"), dict) and "from_name" in result:
            answers.setdefault(str(result["from_name"]), []).append(_answer(str(result.get("type")), result["value"]))
    return {name: cell_text(given[0] if len(given) == 1 else given) for name, given in answers.items()}


def _answer(type: str, value: dict[str, Any]) -> Any:
    answer = value.get(_ANSWER_KEYS.get(type, type), value)
    if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], str):
        return answer[0]
    return answer


def _defaults(annotations: _Annotations, export: Export, spec: StudySpec, name: str) -> Plan:
    shared = {given: Cell(column=column) for given, column in _DEFAULTS.items()}
    named = exported_criteria(export, spec)
    asked_elsewhere = [exported for _, exported in named if exported not in annotations.controls]
    declared = export.criteria or export.columns.labels or export.columns.label
    if asked_elsewhere and annotations.records and not declared:
        raise refuse_export(
            name,
            f"no annotation answers {', '.join(asked_elsewhere)}; answered is: {', '.join(annotations.controls)}.",
            fix="Declare which criteria this export asks, as in `criteria: {name in Label Studio: criterion}`.",
            code="column_missing",
        )
    answers = tuple(Answer(criterion=Cell(constant=criterion), label=exported) for criterion, exported in named)
    return Plan(shared=shared, answers=answers)


def _unanswered(annotations: _Annotations, plan: Plan) -> list[str]:
    """Controls that are asked and that nobody answered, unless one answered and not mapped looks meant."""
    mapped = set(plan.columns())
    other = [control for control in annotations.controls if control not in mapped]
    missing = [answer.label for answer in plan.answers if answer.label not in annotations.controls]
    return [label for label in missing if not get_close_matches(label, other, n=1, cutoff=0.6)]
