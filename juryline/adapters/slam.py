"""SLaM: a zip with one JSON a rater and question set, of comparisons of two models' responses.

A record is one evaluation. A verdict names a position, "Response A" or "Response B", and the question
is an object of model to response whose key order says which model stood at which; that order is kept.
Times are seconds since 1970: declare `time_format: epoch_s`.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Cell, Export
from juryline.adapters.byte_source import archive_members, is_zip
from juryline.adapters.cells import Cells
from juryline.adapters.file_head import FileHead
from juryline.adapters.json_text import PROBLEMS, JsonReader, cell_text
from juryline.adapters.mapping import read_by_plan
from juryline.adapters.plan import Answer, Plan, exported_criteria, plan_of
from juryline.adapters.reading import ExportReading, Refusal, refuse_export

VERSION = "slam/1"
READS = "SLaM: zip of results"
RECOGNISED_BY = "a zip with a JSON of worker_id, question_set_id and evals"

RESULT = "result."
_NAMES = (
    "worker_id", "question_set_id", "place", "question_id", "model_1", "model_2", "response_1", "response_2",
    "time", "start_time", "end_time",
)  # fmt: skip
_DEFAULTS = {
    "rater": "worker_id",
    "submission_id": "question_set_id",
    "sequence": "place",
    "case": "question_id",
    "candidate_1": "model_1",
    "candidate_2": "model_2",
    "output_1": "response_1",
    "output_2": "response_2",
    "submitted_at": "time",
    "rationale": "result.feedback",
}


def recognises(head: FileHead) -> bool:
    return head.zipped and all(f'"{key}"' in head.text for key in ("worker_id", "question_set_id", "evals"))


def read(path: Path, name: str, export: Export, spec: StudySpec, *, scratch: Path) -> ExportReading:
    """Evaluations as intake rows, in the order of member names and of evaluations in them."""
    if not is_zip(path):
        raise refuse_export(name, "this is no zip.", fix="Drop SLaM's results zip itself.", code="not_this_format")
    results = _Results()
    for member, content in archive_members(path, name):
        results.add(member, content)
    if not results.n_members:
        raise refuse_export(
            name, "the zip holds no SLaM result.", fix="Drop the zip of results/*.json.", code="not_this_format"
        )
    cells = results.cells()
    header = cells.table.column_names
    shared = {given: Cell(column=column) for given, column in _DEFAULTS.items() if column in header}
    named = [(criterion, RESULT + told.removeprefix(RESULT)) for criterion, told in exported_criteria(export, spec)]
    answers = tuple(
        Answer(criterion=Cell(constant=criterion), label=column)
        for criterion, column in named
        if column in header or export.criteria
    )
    return read_by_plan(cells, plan_of(export, spec, Plan(shared=shared, answers=answers)), export, name, VERSION)


@dataclass(slots=True)
class _Results:
    """Evaluations of an archive, gathered member by member."""

    records: list[dict[str, str | None]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    n_rows: int = 0
    n_members: int = 0

    def add(self, member: str, content: bytes) -> None:
        if not member.endswith(".json"):
            self.other.append(member)
            return
        reader = JsonReader()
        try:
            result = reader.value(content.decode("utf-8-sig"))
        except ValueError:
            self._refuse(member, "not_json", "the member is no JSON; export the results again", content)
            return
        if not isinstance(result, dict) or not isinstance(result.get("evals"), list):
            self._refuse(member, "not_a_result", "the member has no `evals`; drop the zip of results alone", content)
            return
        self.n_members += 1
        for place, evaluation in enumerate(result["evals"]):
            path = f"{member}#/evals/{place}"
            if reader.problem is not None:
                self._refuse(path, reader.problem, PROBLEMS[reader.problem], content)
            elif (record := _record(result, evaluation, place)) is None:
                fix = "the evaluation is not of two models and a result; export it again"
                self._refuse(path, "not_a_comparison", fix, content)
            else:
                self.n_rows += 1
                self.records.append(record)
                self.rows.append(self.n_rows)
                self.paths.append(path)

    def cells(self) -> Cells:
        names = list(dict.fromkeys([*_NAMES, *(name for record in self.records for name in record)]))
        columns = {name: pa.array([r.get(name, "") for r in self.records], pa.string()) for name in names}
        found = {"as": "slam", "members": self.n_members, "members_not_read": self.other, "header": names}
        return Cells(
            table=pa.table(columns),
            source_row=pa.array(self.rows, pa.int64()),
            source_path=pa.array(self.paths, pa.string()),
            n_rows=self.n_rows,
            refusals=self.refusals,
            found={**found, "n_rows": self.n_rows},
            header_of_records=True,
        )

    def _refuse(self, path: str, rule: str, fix: str, member: bytes) -> None:
        self.n_rows += 1
        said = f"{path} {hashlib.sha256(member).hexdigest()}"
        self.refusals.append(Refusal(source_row=self.n_rows, source_path=path, rule=rule, fix=fix, content=said))


def _record(result: dict[str, Any], evaluation: Any, place: int) -> dict[str, str | None] | None:
    if not isinstance(evaluation, dict) or not isinstance(evaluation.get("result"), dict):
        return None
    question = evaluation.get("question")
    if not (isinstance(question, list) and len(question) == 2 and isinstance(question[1], dict)):
        return None
    if len(question[1]) != 2:
        return None
    (model_1, response_1), (model_2, response_2) = question[1].items()
    values = {
        **{key: result.get(key, "") for key in ("worker_id", "question_set_id", "start_time", "end_time")},
        "place": str(place + 1),
        "question_id": question[0],
        **{"model_1": model_1, "model_2": model_2, "response_1": response_1, "response_2": response_2},
        "time": evaluation.get("time", ""),
        **{RESULT + key: value for key, value in evaluation["result"].items()},
    }
    return {key: cell_text(value) for key, value in values.items()}
