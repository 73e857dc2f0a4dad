"""The row accounting of a study: every answer delivered is somewhere, once; a sum that does not close stops the run."""

from collections import Counter

import ibis.expr.types as ir

from data_contracts.errors import GateError
from data_contracts.vocabulary import HistoryStatus
from juryline.derivations.flow import ANSWERS, EXPORT_ROWS, TOTAL, accounting_errors, record_flow
from juryline.study.run import StudyRun


def closed_flow(study: StudyRun) -> ir.Table:
    """The study's record flow, proved to close.

    Raises
    ------
    GateError
        A sum does not close.
    """
    history = study.table("judgment_history")
    flow = record_flow(_intake(study, history), history, study.table("analysis_set"), study.table("quarantine"))
    require_closed(flow, f"study {study.spec.study}")
    return flow


def require_closed(flow: ir.Table, where: str) -> None:
    """Raise unless every sum of a record flow closes."""
    errors = accounting_errors(flow)
    if errors:
        raise GateError(
            "the row accounting does not close: " + "; ".join(errors),
            where=where,
            fix="this is a defect in Juryline, not in your data: please report it. Nothing was written.",
            code="row_accounting",
        )


def _intake(study: StudyRun, history: ir.Table) -> dict[str, dict[str, int]]:
    """Records and answers of the exports, each counted once however often it was delivered.

    What an answer is delivered again as is in the ingest events, and no part of the tables: the same
    judgments give the same flow in whatever files, and however often, they come. What was retracted is
    no longer given by any export.
    """
    history = history.filter(history.history_status != HistoryStatus.RETRACTED)
    records = history.select("export_sha256", "export_path", "source_row").distinct().count()
    corrections = history.filter(history.supersedes.notnull()).count()
    count = study.engine.backend.execute
    n_records, n_versions, n_rows = int(count(records)), int(count(corrections)), int(count(history.count()))
    refused = study.readings.refusals()
    ignored = study.readings.ignored()
    export_rows = Counter(mapped=n_records, quarantined=refused.n_records, **ignored)
    answers = Counter(new=n_rows - n_versions, new_version=n_versions, quarantined=refused.n_answers)
    return {
        EXPORT_ROWS: {TOTAL: export_rows.total(), **export_rows},
        ANSWERS: {TOTAL: answers.total(), **answers},
    }
