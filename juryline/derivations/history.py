"""Versions of one judgment, the one among them that counts, and the aliases of raters.

Belongs here: what a ledger of judgments says once corrections, retractions and withdrawals are taken into account.
Does not: exclusions and what is set aside, which are decisions about current judgments.
"""

from typing import Any

import ibis
import ibis.expr.types as ir

from data_contracts.errors import GateError
from data_contracts.specification import StudySpec
from data_contracts.tables import HISTORY
from data_contracts.vocabulary import HistoryStatus, Protocol, RaterKind
from juryline.derivations.shape import fetched, in_shape

ALIAS_WIDTH = 3
ANSWER = ("candidate_1", "candidate_2", "output_1", "output_2", "state", "label", "value", "rationale")
_VERSION = (
    *("record_id", "judgment_key", "judgment_id", "protocol", "candidate_1"),
    *("submitted_at", "export_path", "source_row", "source_path"),
)


def judgment_history(judgments: ir.Table, retracted: ir.Table, withdrawn: ir.Table, spec: StudySpec) -> ir.Table:
    """Every judgment of the ledger with its place among its versions.

    Parameters
    ----------
    judgments : ir.Table
        JUDGMENTS, as the ledger holds them.
    retracted, withdrawn : ir.Table
        One column `record_id`: rows that an export no longer gives, and rows of raters who withdrew. They are no
        version of anything; a row that is both is withdrawn.
    spec : StudySpec
        `corrections` says which version counts.

    Returns
    -------
    ir.Table
        HISTORY.

    Notes
    -----
    The versions of a `judgment_key` are its live `judgment_id`; the rows of a ranking move together. They are ordered
    by `submitted_at` (unknown times first), export path, row and place in the row, never by arrival. `last` and
    `reject` take the latest, `first` the earliest; whether `reject` may go on is `check_corrections`. `supersedes`
    names the version that a row stands before in that order, so that each superseded row is named exactly once.
    """
    fates = _fates(retracted, withdrawn)
    versions = _contested(judgments.select(*_VERSION).anti_join(fates, "record_id"), spec.corrections)
    marked = (
        judgments.left_join(fates, "record_id")
        .drop("record_id_right")
        .left_join(versions, "record_id")
        .drop("record_id_right")
        .left_join(_aliases(judgments), "rater_pseudonym")
    )
    current = marked.fate.isnull() & marked.stands.fill_null(True)
    standing = ibis.ifelse(current, str(HistoryStatus.CURRENT), str(HistoryStatus.SUPERSEDED))
    is_model = marked.rater_kind == str(RaterKind.MODEL)
    return in_shape(
        marked.mutate(
            rater=ibis.ifelse(is_model, marked.rater_pseudonym, marked.rater_alias),
            current=current,
            history_status=ibis.coalesce(marked.fate, standing),
        ),
        HISTORY,
    )


def by_time(table: ir.Table, *, latest_first: bool) -> list[Any]:
    """Sort keys of versions: submission time, unknown ones earliest, then place in the exports; a unique order."""
    columns = (table.submitted_at, table.export_path, table.source_row, table.source_path, table.record_id)
    if latest_first:
        return [column.desc(nulls_first=False) for column in columns]
    return [column.asc(nulls_first=True) for column in columns]


def conflicting_versions(history: ir.Table) -> ir.Table:
    """The live versions of every judgment whose versions do not all give the same answer.

    An answer is what DESIGN 4 hashes: candidates, state, label, value and rationale. Equal versions are no conflict.

    Returns
    -------
    ir.Table
        judgment_key, judgment_id, record_id, export_path, source_row, source_path.
    """
    live = [str(HistoryStatus.CURRENT), str(HistoryStatus.SUPERSEDED)]
    superseded = history.filter(history.history_status == str(HistoryStatus.SUPERSEDED))
    versions = history.filter(history.history_status.isin(live)).semi_join(superseded, "judgment_key")
    of_key = versions.group_by("judgment_key").agg(n_versions=versions.judgment_id.nunique())
    of_answer = versions.group_by("judgment_key", *ANSWER).agg(n_alike=versions.judgment_id.nunique())
    # An answer that all versions give is given as often as there are versions.
    differing = of_answer.inner_join(of_key, "judgment_key").filter(lambda t: t.n_alike < t.n_versions)
    return versions.semi_join(differing, "judgment_key").select(
        "judgment_key", "judgment_id", "record_id", "export_path", "source_row", "source_path"
    )


def check_corrections(history: ir.Table, spec: StudySpec) -> None:
    """The gate of `corrections: reject`.

    Raises
    ------
    GateError
        Two live versions of one judgment give different answers.
    """
    if spec.corrections != "reject":
        return
    conflicts = conflicting_versions(history)
    judgments = fetched(conflicts.agg(n=conflicts.judgment_key.nunique()))[0]["n"]
    if not judgments:
        return
    rows = fetched(conflicts.order_by("export_path", "source_row", "source_path", "record_id").limit(5))
    raise GateError(
        f"{judgments} judgments have versions with different answers, which `corrections: reject` does not allow",
        where="; ".join(f"{row['export_path']}, row {row['source_row']}" for row in rows),
        fix="remove the wrong rows from the exports and run again, or set `corrections: last` or `first`",
        code="conflicting_versions",
    )


def _fates(retracted: ir.Table, withdrawn: ir.Table) -> ir.Table:
    gone = withdrawn.select("record_id").distinct()
    dropped = retracted.select("record_id").distinct().anti_join(gone, "record_id")
    return ibis.union(
        gone.mutate(fate=ibis.literal(str(HistoryStatus.WITHDRAWN))),
        dropped.mutate(fate=ibis.literal(str(HistoryStatus.RETRACTED))),
    )


def _contested(live: ir.Table, corrections: str) -> ir.Table:
    """record_id, stands, supersedes: only of judgments with several versions, which are few."""
    of_key = live.group_by("judgment_key").agg(least=live.judgment_id.min(), greatest=live.judgment_id.max())
    rows = live.semi_join(of_key.filter(of_key.least != of_key.greatest), "judgment_key")
    ranked = rows.inner_join(_places(rows, corrections), "judgment_id")
    candidate = ibis.ifelse(ranked.protocol == str(Protocol.RANKING), ranked.candidate_1, ibis.literal(""))
    versions = ibis.window(group_by=[ranked.judgment_key, candidate], order_by=[ranked.place, ranked.record_id])
    return ranked.select("record_id", stands=ranked.place == 0, supersedes=ranked.record_id.lead().over(versions))


def _places(rows: ir.Table, corrections: str) -> ir.Table:
    """judgment_id, place: a version stands where its earliest row stands; the version in place 0 counts."""
    of_judgment = ibis.window(group_by=rows.judgment_id, order_by=by_time(rows, latest_first=False))
    heads = rows.mutate(nth=ibis.row_number().over(of_judgment)).filter(lambda t: t.nth == 0)
    order = by_time(heads, latest_first=corrections != "first")
    of_key = ibis.window(group_by=heads.judgment_key, order_by=order)
    return heads.select("judgment_id", place=ibis.row_number().over(of_key))


def _aliases(judgments: ir.Table) -> ir.Table:
    """rater_pseudonym, rater_alias: over all rows of the ledger, so that a correction renames nobody."""
    humans = judgments.filter(judgments.rater_kind == str(RaterKind.HUMAN))
    raters = humans.group_by("rater_pseudonym").agg(earliest=humans.submitted_at.min())
    order = [raters.earliest.asc(nulls_first=False), raters.rater_pseudonym.asc()]
    numbered = raters.mutate(number=ibis.row_number().over(ibis.window(order_by=order)) + 1)
    text = numbered.number.cast("string")
    padded = ibis.ifelse(text.length() < ALIAS_WIDTH, text.lpad(ALIAS_WIDTH, "0"), text)
    return numbered.select("rater_pseudonym", rater_alias=ibis.literal("r").concat(padded))
