"""Who a rater is, what a judgment is: pseudonyms, judgment keys and ids (DESIGN 4).

Nothing here can change once a ledger holds rows: a judgment delivered again must get the id it had.
File names, row numbers, times and raw rater ids are never part of an id.
"""

import hmac
from collections.abc import Iterable

import pyarrow as pa

from data_contracts.canonical import canonical_text, canonical_value
from data_contracts.tables import JUDGMENTS, TEXT, may
from data_contracts.vocabulary import Protocol

ID_LENGTH = 32  # hexadecimal digits: 128 bits, so that no two judgments ever share an id
ASKED = (
    "rater_pseudonym",
    "case_id",
    "submission_id",
    "assignment_block",
    "exposure",
    "item_kind",
    "phase",
    "rubric_revision",
    "interface_revision",
)
SHOWN = ("candidate_1", "output_1", "candidate_2", "output_2")
ANSWER = ("state", "label", "value", "rationale")

_COLUMNS = {column.name: column for column in (*JUDGMENTS, may("native_id", TEXT, "the tool's own id"))}


def pseudonyms(key: bytes, names: Iterable[tuple[str, str]]) -> pa.Table:
    """Pseudonyms of raters: HMAC-SHA256 under the workspace's key over namespace and raw id.

    Parameters
    ----------
    key : bytes
        The workspace's key.
    names : iterable of (namespace, raw id)
        A namespace is the population, or the `rater_namespace` of an export.
    """
    rows = [(space, raw, pseudonym(key, space, raw)) for space, raw in names]
    columns = list(zip(*rows)) or [(), (), ()]
    return pa.table({name: pa.array(c, pa.string()) for name, c in zip(("namespace", "rater", "pseudonym"), columns)})


def pseudonym(key: bytes, namespace: str, raw: str) -> str:
    """One rater's pseudonym."""
    return keyed_digest(key, namespace, raw)


def keyed_digest(key: bytes, first: str, second: str) -> str:
    """HMAC-SHA256 of two texts, none of which can run into the other."""
    message = f"{len(first)}:{first}{second}".encode()
    return hmac.digest(key, message, "sha256").hex()[:ID_LENGTH]


def judgment_keys(study: str) -> str:
    """SQL that adds judgment_key, and `said` (key and answer as one digest), to the view `typed`.

    Notes
    -----
    The rows of one ranking (one record, one question, one rater) are one judgment: its key covers all
    candidates shown, its digest all their ranks. `delivery` is the digest of the file's sorted rows
    where equal rows of another file are new votes, else null. An answer to a pair says which of those
    shown it names, so where the tool's own id stands for the pair, what was shown is part of the answer.
    """
    base = f"""CASE WHEN native_id IS NULL
        THEN 'asked' || {_text("population", "criterion", *ASKED)} || {canonical_value("delivery", TEXT)}
        ELSE 'native' || {_text("population", "criterion", "native_id")} END"""
    is_named = f"(native_id IS NOT NULL AND protocol = '{Protocol.PAIRWISE}')"
    shown = f"CASE WHEN {is_named} THEN '' ELSE {_text(*SHOWN)} END"
    answer = f"{_text(*ANSWER)} || CASE WHEN {is_named} THEN {_text(*SHOWN)} ELSE '' END"
    study_text = canonical_value("'" + study + "'", TEXT)
    return f"""
    WITH based AS (
        SELECT *, {study_text} || {base} AS base, {shown} AS shown, {answer} AS answer FROM typed
    ),
    whole AS (
        SELECT * FROM based WHERE protocol IS DISTINCT FROM '{Protocol.RANKING}'
        UNION ALL BY NAME
        SELECT * REPLACE (
            string_agg(shown, '' ORDER BY shown) OVER ranking AS shown,
            string_agg(answer, '' ORDER BY shown) OVER ranking AS answer
        )
        FROM based WHERE protocol = '{Protocol.RANKING}'
        WINDOW ranking AS (PARTITION BY source_row, base ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ),
    keyed AS (SELECT * EXCLUDE (base, shown), {keyed("base || shown")} AS judgment_key FROM whole)
    SELECT * EXCLUDE (answer), sha256(judgment_key || answer) AS said FROM keyed"""


def judgment_ids() -> str:
    """SQL that adds judgment_id and record_id to the table `keyed`.

    Notes
    -----
    Rows of one file that are equal in key and answer are told apart by their place among equals, so
    that no vote is lost: by their times, so that the same rows in another order get the same ids, and
    only then by where they stand. Few rows have an equal, and only those are sorted.
    """
    return f"""
    WITH equals AS (SELECT said FROM keyed GROUP BY said HAVING count(*) > 1),
    twins AS (
        SELECT rowid AS keyed_row, said, submitted_at, started_at, source_row,
            CASE WHEN protocol IS DISTINCT FROM '{Protocol.RANKING}' THEN intake_row END AS alone
        FROM keyed SEMI JOIN equals USING (said)
    ),
    timed AS (
        SELECT *, min(submitted_at) OVER judgment AS submitted, min(started_at) OVER judgment AS started
        FROM twins WINDOW judgment AS (PARTITION BY said, source_row, alone)
    ),
    places AS (
        SELECT keyed_row, dense_rank() OVER (
            PARTITION BY said ORDER BY submitted NULLS FIRST, started NULLS FIRST, source_row, alone
        ) AS place FROM timed
    ),
    identified AS (
        SELECT keyed.* EXCLUDE (said), left(sha256(said || coalesce(place, 1)::VARCHAR), {ID_LENGTH}) AS judgment_id
        FROM keyed LEFT JOIN places ON keyed.rowid = keyed_row
    )
    SELECT *, left(sha256({_text("judgment_id", "criterion", "candidate_1", "candidate_2")}), {ID_LENGTH}) AS record_id
    FROM identified"""


def key_pads(key: bytes) -> tuple[bytes, bytes]:
    """The two blocks that HMAC-SHA256 puts before what it hashes (RFC 2104)."""
    padded = key.ljust(64, b"\0")
    return bytes(b ^ 0x36 for b in padded), bytes(b ^ 0x5C for b in padded)


def keyed(message: str) -> str:
    """SQL of the keyed hash of a text: HMAC-SHA256 under the variables `inner_pad` and `outer_pad`."""
    # The key reaches SQL as two variables, never as text that an error message could repeat.
    inner = f"unhex(sha256(getvariable('inner_pad') || encode({message})))"
    return f"left(sha256(getvariable('outer_pad') || {inner}), {ID_LENGTH})"


def _text(*names: str) -> str:
    return canonical_text(_COLUMNS[name] for name in names)
