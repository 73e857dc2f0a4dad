"""From any id of a study back to the rows of its exports, and forward to the numbers it is part of.

An id is that of an estimate, a judgment or one of its rows, an adjudicated label, or an exclusion.
Where a rater's own words or raw ids are needed, they are in the stored export, at the row named here.
"""

from collections.abc import Iterable
from typing import Any

from data_contracts.errors import UsageError
from juryline.ledger.raw import raw_path
from juryline.ledger.workspace import Workspace
from juryline.study.run import StudyRun, require_study

PLACE = ("record_id", "export_path", "source_row", "source_path", "stored")
SOURCES = tuple(f"{kind}{view}" for view in ("comparisons", "ratings", "spa_answers") for kind in ("", "scenario_"))
SOURCES += ("output_lengths", "exclusion_decisions")  # what the query of a source may name
SAID = ("criterion", "state", "label", "candidate_1", "candidate_2", "case_id", "rater", "history_status")


def trace(workspace: Workspace, slug: str, id: str) -> dict[str, Any]:
    """Everything a study knows of an id.

    Returns
    -------
    dict
        `kind` (estimate, judgment, adjudicated_label or exclusion), what it is, `records` (the rows of exports behind
        it) and, but for an estimate, `estimates` (the ids of the numbers it is part of).

    Raises
    ------
    UsageError
        The study has nothing of this id.
    """
    require_study(workspace, slug)
    study = StudyRun(workspace, slug)
    try:
        for look_up in (_estimate, _judgment, _adjudicated_label, _exclusion):
            found = look_up(study, id)
            if found is not None:
                return {"id": id, "study": slug, "study_spec_hash": study.spec_hash, **found}
    finally:
        study.engine.close()
    raise UsageError(
        f"{slug} has no estimate, judgment, adjudicated label or exclusion {id}",
        where="ID",
        fix=f"take an id from `juryline export {slug} --to DIR`, or from the report",
        code="unknown_id",
    )


def _estimate(study: StudyRun, id: str) -> dict[str, Any] | None:
    estimates = study.table("estimates")
    rows = _rows(study, estimates.filter(estimates.estimate_id == id))
    if not rows:
        return None
    shown = {name: value for name, value in rows[0].items() if value is not None and name != "estimate_id"}
    return {"kind": "estimate", "is": shown, "records": _records(study, _ids(study, rows[0]["source"]))}


def _judgment(study: StudyRun, id: str) -> dict[str, Any] | None:
    history = study.table("judgment_history")
    rows = _rows(study, history.filter((history.record_id == id) | (history.judgment_id == id)))
    if not rows:
        return None
    ids = [row["record_id"] for row in rows]
    versions = history.filter(history.judgment_key == rows[0]["judgment_key"])
    decided, decisions = study.table("analysis_set"), study.table("exclusion_decisions")
    sources = study.table("adjudication_sources")
    return {
        "kind": "judgment",
        "is": {name: rows[0][name] for name in ("judgment_id", *SAID, "supersedes", "ledger_seq", "row_sha256")},
        "analysis_set": _rows(study, decided.filter(decided.record_id.isin(ids))),
        "exclusion_decisions": _rows(study, decisions.filter(decisions.record_id.isin(ids))),
        "adjudicated_labels": _rows(study, sources.filter(sources.record_id.isin(ids)).select("label_id").distinct()),
        "records": _records(study, [row["record_id"] for row in _rows(study, versions)]),
        "estimates": _estimates_of(study, ids),
    }


def _adjudicated_label(study: StudyRun, id: str) -> dict[str, Any] | None:
    labels, sources = study.table("adjudicated_labels"), study.table("adjudication_sources")
    rows = _rows(study, labels.filter(labels.label_id == id))
    if not rows:
        return None
    ids = [row["record_id"] for row in _rows(study, sources.filter(sources.label_id == id))]
    of_adjudication = f";adjudication={rows[0]['adjudication_id']}'"
    return {
        "kind": "adjudicated_label",
        "is": rows[0],
        "records": _records(study, ids),
        "estimates": _estimates_of(study, ids, of_adjudication),
    }


def _exclusion(study: StudyRun, id: str) -> dict[str, Any] | None:
    rule = next((rule for rule in study.spec.exclusions if rule.id == id), None)
    if rule is None:
        return None
    decisions = study.table("exclusion_decisions")
    hits = _rows(study, decisions.filter(decisions.exclusion_id == id))
    return {
        "kind": "exclusion",
        "is": rule.model_dump(mode="json", by_alias=True),
        "exclusion_decisions": hits,
        "records": _records(study, [hit["record_id"] for hit in hits]),
        "estimates": [],
    }


def _estimates_of(study: StudyRun, ids: Iterable[str], naming: str = "") -> list[str]:
    """Ids of the estimates whose source names something and gives any of these records."""
    wanted = set(ids)
    by_source: dict[str, list[str]] = {}
    for row in _rows(study, study.table("estimates").select("estimate_id", "source")):
        if naming in row["source"]:
            by_source.setdefault(row["source"], []).append(row["estimate_id"])
    found = [names for source, names in by_source.items() if wanted & set(_ids(study, source))]
    return sorted(name for names in found for name in names)


def _ids(study: StudyRun, source: str) -> list[str]:
    for name in SOURCES:
        if name in source:
            study.table(name)
    return [id for (id,) in study.engine.con.execute(source).fetchall()]


def _records(study: StudyRun, ids: Iterable[str]) -> list[dict[str, Any]]:
    history = study.table("judgment_history")
    rows = _rows(study, history.filter(history.record_id.isin(sorted(set(ids)))))
    for row in rows:
        row["stored"] = str(raw_path(study.directory, row["export_sha256"]).relative_to(study.directory))
    ordered = sorted(rows, key=lambda row: (row["export_path"], row["source_row"], row["source_path"] or ""))
    return [{name: row[name] for name in (*PLACE, *SAID)} for row in ordered]


def _rows(study: StudyRun, expression: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = study.engine.backend.to_pyarrow(expression).to_pylist()
    return rows
