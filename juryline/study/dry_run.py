"""What would happen: the specification and every export tried without writing anything."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.errors import ExportRefusedError, GateError
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import LengthEffects, OrderEffects, Recalibration
from data_contracts.tables import QUARANTINE
from data_contracts.vocabulary import CandidateOrder, Reason
from juryline.ledger.files import file_sha256
from juryline.ledger.workspace import Workspace
from juryline.study.assignments import read_manifest
from juryline.study.exports import look_into
from juryline.study.intake import Pending, read_pending
from juryline.study.outputs import count_outputs
from juryline.study.run import StudyRun, require_study

ROWS_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One export, tried: how it was read and what became of its rows, or why it was refused whole."""

    name: str
    match: str
    found: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    refused: str | None = None
    broken: tuple[dict[str, Any], ...] = ()  # rule, column, fix, n and the first rows of each


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What `juryline check` found."""

    study: str
    frozen: bool
    exports: tuple[Tried, ...]
    outputs: Tried | None  # the declared outputs of systems, all their files as one
    manifest: Tried | None  # who was assigned what
    unmatched: tuple[str, ...]
    unread: tuple[str, ...]  # declarations that match no file
    hints: tuple[str, ...]  # what would be accepted, and give no number

    @property
    def clean(self) -> bool:
        """Whether nothing would be refused."""
        tried = (*self.exports, self.outputs, self.manifest)
        return not any(one.refused or one.broken for one in tried if one is not None)


def dry_run(workspace: Workspace, slug: str) -> DryRun:
    """Try a study's exports under its specification.

    Raises
    ------
    SpecificationError
        The specification is broken, or was edited since it was frozen.
    KeyMismatchError
        The ledger was written under another key.
    """
    require_study(workspace, slug)
    study = StudyRun(workspace, slug)
    try:
        study.readings.taken()  # refuses a ledger of another key, under which nothing would be written
        folder = look_into(study.exports, study.spec)
        tried = []
        for found in folder.found:
            reading = study.readings.reading(found.name, file_sha256(found.path), found.export)
            tried.append(_try(study, Pending(reading=reading, export=found.export, file=found.path)))
        matched = {found.export.match for found in folder.found}
        return DryRun(
            study=slug,
            frozen=study.lock is not None,
            exports=tuple(tried),
            outputs=_try_outputs(study),
            manifest=_try_manifest(study),
            unmatched=folder.unmatched,
            unread=tuple(export.match for export in study.spec.exports if export.match not in matched),
            hints=tuple(_hints(study.spec)),
        )
    finally:
        study.engine.close()


def _hints(spec: StudySpec) -> Iterator[str]:
    for analysis in spec.analyses:
        if isinstance(analysis, LengthEffects | Recalibration) and spec.outputs is None:
            yield (
                f"analysis {analysis.id} compares lengths, and nothing is declared in `outputs`: its numbers would be "
                f"not estimable ({Reason.LENGTH_NOT_RECORDED}); declare the files of what the systems wrote"
            )
        if isinstance(analysis, OrderEffects):
            yield from _hints_on_order(analysis, spec)


def _hints_on_order(analysis: OrderEffects, spec: StudySpec) -> Iterator[str]:
    orders = {spec.order_of(id) for group in spec.populations_of(analysis) for id in group}
    if None in orders:
        yield (
            f"analysis {analysis.id} compares positions, and how their order came about is not declared: numbers would "
            f"be not estimable ({Reason.ORDER_NOT_DECLARED}), but of judgments with a `candidate_order`; declare "
            "assignment.order"
        )
    elif orders <= {CandidateOrder.NOT_RECORDED, CandidateOrder.FIXED}:
        yield (
            f"analysis {analysis.id} compares positions, and `order` is {' or '.join(sorted(map(str, orders)))}: "
            "its numbers would be not estimable"
        )


def _try(study: StudyRun, pending: Pending) -> Tried:
    name, match = pending.reading.path, pending.export.match
    try:
        exported, result = read_pending(study, pending)
    except ExportRefusedError as error:
        return Tried(name=name, match=match, refused=str(error))
    ignored = Counter(exported.ignored["reason"].to_pylist())
    return Tried(
        name=name,
        match=match,
        found=exported.found,
        counts={
            "rows": exported.n_rows,
            "mapped": result.n_records,
            **{f"ignored: {reason}": n for reason, n in sorted(ignored.items())},
            "quarantined": result.n_records_quarantined,
            "answers": result.n_answers,
            "answers accepted": result.judgments.num_rows,
            "answers quarantined": result.n_quarantined,
        },
        broken=tuple(_by_rule(result.quarantine)),
    )


def _try_outputs(study: StudyRun) -> Tried | None:
    outputs = study.spec.outputs
    if outputs is None:
        return None
    try:
        return Tried(name=outputs.match, match=outputs.match, counts=count_outputs(study))
    except (ExportRefusedError, GateError) as error:
        return Tried(name=outputs.match, match=outputs.match, refused=str(error))


def _try_manifest(study: StudyRun) -> Tried | None:
    name = study.spec.assignment.manifest
    if name is None:
        return None
    try:
        rows = read_manifest(study.directory / name, study.spec)
    except GateError as error:
        return Tried(name=name, match=name, refused=str(error))
    named = {f"{column}s": pc.count_distinct(rows[column]).as_py() for column in ("rater", "case")}
    return Tried(name=name, match=name, counts={"rows": rows.num_rows, **named})


def _by_rule(quarantine: pa.Table) -> list[dict[str, Any]]:
    """Each broken rule once, with how often and its first rows."""
    rules: dict[tuple[str, str], dict[str, Any]] = {}
    for row in quarantine.select(QUARANTINE.names).to_pylist():
        rule = rules.setdefault(
            (row["rule"], row["column"]),
            {"rule": row["rule"], "column": row["column"], "fix": row["fix"], "n": 0, "rows": []},
        )
        rule["n"] += 1
        if len(rule["rows"]) < ROWS_SHOWN:
            rule["rows"].append({"row": row["source_row"], "criterion": row["criterion"], "value": row["value"]})
    return [rules[key] for key in sorted(rules)]
