"""Which rows break which rule, as rows of quarantine: where, what, and how to mend it."""

import duckdb
import ibis
import pyarrow as pa

from data_contracts.canonical import canonical_text
from data_contracts.rules import Rule, broken_rules, reading_rules, record_rules
from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from data_contracts.tables import INTAKE
from data_contracts.vocabulary import Protocol
from juryline.intake import identity
from juryline.intake.delivery import REFUSED, Delivery, quoted

VALUE_SHOWN = 200
HIDDEN = ("rater", "rationale", "evidence_refs")
# A raw id or an address may stray into any column; then its value is not shown.
ADDRESS = r"[^@\s]+@[^@\s]+[.][A-Za-z]{2,}"
COUNTING_NUMBER = "[0-9]{1,4}"  # equal to a rater's id by coincidence
WHERE_FOUND = ("filename", "source_row", "source_path")

# What an answer says, whatever file it stands in and wherever there: it tells equal deliveries apart from new ones.
CONTENT = canonical_text(column for column in INTAKE if column.name not in WHERE_FOUND)


def judged_rows(con: duckdb.DuckDBPyConnection, export: Export, spec: StudySpec) -> str:
    """SQL that adds to each named row the rules it breaks; a ranking stands or falls as one."""
    named = ibis.duckdb.from_connection(con).table("named")
    alone = ibis.to_sql(named.mutate(broken=broken_rules(named, rules_of(export, spec))), dialect="duckdb")
    if all(criterion.protocol is not Protocol.RANKING for criterion in spec.criteria_ever.values()):
        return str(alone)
    together = "bool_or(len(broken) > 0 OR copies > 1) OVER (PARTITION BY judgment_id)"
    return f"""
    WITH alone AS ({alone}),
    counted AS (SELECT *, count(*) OVER (PARTITION BY record_id) AS copies FROM alone),
    ranked AS (
        SELECT * EXCLUDE (copies) REPLACE (CASE
            WHEN copies > 1 THEN list_append(broken, 'candidate_once:candidate_1')
            WHEN count(*) OVER (PARTITION BY judgment_id) = 1 THEN list_append(broken, 'ranking_of_several:candidate_1')
            WHEN len(broken) = 0 AND {together} THEN ['ranking_whole:candidate_1']
            ELSE broken END AS broken)
        FROM counted WHERE protocol = '{Protocol.RANKING}'
    )
    SELECT * EXCLUDE (copies) FROM counted WHERE protocol IS DISTINCT FROM '{Protocol.RANKING}'
    UNION ALL BY NAME SELECT * FROM ranked"""


def quarantined_rows(con: duckdb.DuckDBPyConnection, export: Export, spec: StudySpec, delivery: Delivery) -> pa.Table:
    """REFUSED, of the rows in `judged`: one row a rule broken."""
    return con.sql(_quarantine(export, spec, delivery)).to_arrow_table().cast(REFUSED.arrow_schema)


def rules_of(export: Export, spec: StudySpec) -> tuple[Rule, ...]:
    """The rules that the answers of an export are under."""
    times = [column for column in ("started_at", "submitted_at") if column not in export.not_collected]
    return (*reading_rules(), *map(_given, times), *record_rules(spec))


def _given(column: str) -> Rule:
    return Rule(
        f"{column}_given",
        column,
        lambda t: t[f"{column}_text"].notnull(),
        f"map `columns.{column}`, or list it under `not_collected` of the export",
    )


def _quarantine(export: Export, spec: StudySpec, delivery: Delivery) -> str:
    own = {
        "candidate_once:candidate_1": "a candidate stands twice in one ranking; give each once",
        "ranking_of_several:candidate_1": "a ranking is one record with all of its candidates, and this one has "
        "only one; of a file with a line a candidate make one line a ranking",
        "ranking_whole:candidate_1": "another row of this ranking is refused; a ranking is taken whole or not at all",
    }
    fixes = own | {f"{rule.name}:{rule.column}": rule.fix for rule in rules_of(export, spec)}
    shown = {"criterion": "exported_criterion", "gold_label": "raw_gold_label", "sequence": "raw_sequence"}
    shown |= {"exposure": "raw_exposure", "started_at": "started_at_text", "submitted_at": "submitted_at_text"}
    columns = {mark.split(":")[1] for mark in fixes} - set(HIDDEN)
    values = " ".join(f"WHEN '{c}' THEN {shown.get(c, c)}::VARCHAR" for c in sorted(columns))
    mends = " ".join(f"WHEN {quoted(mark)} THEN {quoted(fix)}" for mark, fix in fixes.items())
    return f"""
    WITH refused AS (SELECT * FROM judged WHERE len(broken) > 0),
    contents AS (
        SELECT intake_row, source_row, {identity.keyed(CONTENT)} || coalesce(getvariable('delivery'), '') AS content
        FROM intake WHERE source_row IN (SELECT source_row FROM refused)
    ),
    records AS (
        SELECT source_row, string_agg(content, '' ORDER BY content) AS content FROM contents GROUP BY source_row
    ),
    record_digests AS (
        SELECT source_row, {_told_apart("content", "source_row")} AS record_digest FROM records
    ),
    digests AS (
        SELECT intake_row, source_row, record_digest,
            {_told_apart("content", "source_row, intake_row")} AS answer_digest
        FROM contents JOIN record_digests USING (source_row)
    ),
    marked AS (SELECT *, unnest(broken) AS mark FROM refused),
    told AS (SELECT *, CASE split_part(mark, ':', 2) {values} END AS told FROM marked)
    SELECT DISTINCT export_sha256, export_path, source_row, source_path,
        coalesce(criterion, exported_criterion) AS criterion, split_part(mark, ':', 2) AS "column",
        CASE WHEN NOT (regexp_matches(told, '{ADDRESS}')
            OR told IN (SELECT rater FROM raters) AND NOT regexp_full_match(told, '{COUNTING_NUMBER}'))
            THEN left(told, {VALUE_SHOWN}) END AS value,
        split_part(mark, ':', 1) AS rule, CASE mark {mends} END AS fix,
        {quoted(delivery.intake_digest)} AS intake_digest, record_digest, answer_digest,
        source_row NOT IN (SELECT source_row FROM judged WHERE len(broken) = 0) AS whole
    FROM told JOIN digests USING (intake_row, source_row)
    ORDER BY source_row, source_path NULLS FIRST, criterion, "column", rule, value, answer_digest"""


def _told_apart(content: str, place: str) -> str:
    """The digest of a content; equal ones of a file are told apart by their place, as equal judgments are."""
    return (
        f"left(sha256({content} || row_number() OVER (PARTITION BY {content} ORDER BY {place})), {identity.ID_LENGTH})"
    )
