"""The row accounting: where every row of an export and every judgment went, and whether the sums close (DESIGN 4)."""

from collections.abc import Mapping

import ibis.expr.types as ir

from data_contracts.tables import RECORD_FLOW, TEXT, WHOLE
from data_contracts.vocabulary import HistoryStatus, SetAside
from juryline.derivations.shape import declared_rows, fetched, in_shape

TOTAL, QUARANTINED = "total", "quarantined"
EXPORT_ROWS, ANSWERS, JUDGMENTS, CURRENT = "export_rows", "answers", "judgments", "current"
PARTS = {
    EXPORT_ROWS: ("mapped", "ignored", QUARANTINED),
    ANSWERS: ("new", "redelivered", "new_version", QUARANTINED),
    JUDGMENTS: tuple(str(status) for status in HistoryStatus),
    CURRENT: ("included", "set_aside", "excluded"),
}


def record_flow(
    intake: Mapping[str, Mapping[str, int]], history: ir.Table, analysis_set: ir.Table, quarantine: ir.Table
) -> ir.Table:
    """How many rows came to each step and what became of them.

    Parameters
    ----------
    intake : mapping of str to mapping of str to int
        Steps `export_rows` and `answers` of the ingest events: reason to count, `total` among them. A reason may be
        qualified, as in `ignored:draft`. Without `quarantined`, it is counted from the table.
    history, analysis_set : ir.Table
        HISTORY and ANALYSIS_SET; rows of the ledger are counted from here on, so a ranking of k outputs counts k.
    quarantine : ir.Table
        QUARANTINE. A row without a criterion is refused whole, others are single answers.

    Returns
    -------
    ir.Table
        RECORD_FLOW. Reasons of judgments and of set-aside rows stand there also where nothing has them.
    """
    refused = _quarantined(quarantine)
    rows = [
        (step, reason, n)
        for step in (EXPORT_ROWS, ANSWERS)
        for reason, n in ({QUARANTINED: refused[step]} | dict(intake.get(step, {}))).items()
    ]
    rows += [(JUDGMENTS, reason, n) for reason, n in _judgments(history).items()]
    rows += [(CURRENT, reason, n) for reason, n in _current(history, analysis_set).items()]
    return in_shape(declared_rows([("step", TEXT), ("reason", TEXT), ("n", WHOLE)], sorted(rows)), RECORD_FLOW)


def accounting_errors(flow: ir.Table) -> list[str]:
    """Each equation of the row accounting that does not hold, in words; an empty list where all four close.

    Export rows = mapped + ignored + quarantined. Answers = new + redelivered + new versions + quarantined.
    Judgments = current + superseded + retracted + withdrawn. Current = included + set aside + excluded.
    """
    counted = {(row["step"], row["reason"]): row["n"] for row in fetched(flow)}
    errors = []
    for step, parts in PARTS.items():
        total = counted.get((step, TOTAL))
        sums = {part: _sum_of(part, step, counted) for part in parts}
        stray = sorted(r for s, r in counted if s == step and r != TOTAL and r.partition(":")[0] not in parts)
        if total is None:
            errors.append(f"{step}: no total was recorded, so nothing says whether a row was lost")
        elif stray:
            errors.append(f"{step}: {', '.join(stray)} is no reason of this step")
        elif total != sum(sums.values()):
            listed = " + ".join(f"{n} {part}" for part, n in sums.items())
            off = total - sum(sums.values())
            fault = f"{off} rows are unaccounted for" if off > 0 else f"{-off} rows are counted twice"
            errors.append(f"{step}: total {total} is not {listed}; {fault}")
    return errors


def _sum_of(part: str, step: str, counted: Mapping[tuple[str, str], int]) -> int:
    return sum(n for (s, reason), n in counted.items() if s == step and reason.partition(":")[0] == part)


def _quarantined(quarantine: ir.Table) -> dict[str, int]:
    place = ("export_sha256", "export_path", "source_row", "source_path", "criterion")
    refused = quarantine.select(*place).distinct()
    whole = refused.filter(refused.criterion.isnull()).select("export_sha256", "export_path", "source_row").distinct()
    single = refused.filter(refused.criterion.notnull())
    return {
        EXPORT_ROWS: fetched(whole.agg(n=whole.count()))[0]["n"],
        ANSWERS: fetched(single.agg(n=single.count()))[0]["n"],
    }


def _judgments(history: ir.Table) -> dict[str, int]:
    found = {r["history_status"]: r["n"] for r in fetched(history.group_by("history_status").agg(n=history.count()))}
    total = fetched(history.agg(n=history.count()))[0]["n"]
    return {TOTAL: total} | {str(status): found.get(status, 0) for status in HistoryStatus}


def _current(history: ir.Table, analysis_set: ir.Table) -> dict[str, int]:
    by = ("included", "set_aside_reason", "exclusion_id")
    counts = fetched(analysis_set.group_by(*by).agg(n=analysis_set.count()))
    reasons = {"included": 0} | {f"set_aside:{reason}": 0 for reason in SetAside}
    for row in counts:
        if row["set_aside_reason"] is not None:
            reason = f"set_aside:{row['set_aside_reason']}"
        else:
            reason = "included" if row["included"] else f"excluded:{row['exclusion_id']}"
        reasons[reason] = reasons.get(reason, 0) + row["n"]
    current = history.filter(history.current)
    return {TOTAL: fetched(current.agg(n=current.count()))[0]["n"]} | reasons
