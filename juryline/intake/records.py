"""Intake rows to judgment records: read every text by declaration, name every judgment, split off what breaks a rule.

Nothing is repaired and nothing dropped: each answer of an export comes out as a record or as rows
of quarantine that say which rule it breaks and how to mend it.
"""

from dataclasses import dataclass

import duckdb
import ibis
import pyarrow as pa

from data_contracts.canonical import canonical_text
from data_contracts.rules import Rule, broken_rules, reading_rules, record_rules
from data_contracts.specification import StudySpec
from data_contracts.specification_design import Population
from data_contracts.specification_exports import Export
from data_contracts.tables import ATTRIBUTES, INTAKE, JUDGMENTS, QUARANTINE_LOG
from data_contracts.vocabulary import CandidateOrder, ItemKind, Protocol, RaterKind, State
from juryline.intake import identity, responses, times

RECORD = [name for name in JUDGMENTS.names if name not in ("ledger_seq", "row_sha256")]
PLAIN_NUMBER = "[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)"
VALUE_SHOWN = 200
WHERE_FOUND = ("filename", "source_row", "source_path")
HIDDEN = ("rater", "rationale", "evidence_refs")

# What an answer says, whatever file it stands in and wherever there: it tells equal deliveries apart from new ones.
_CONTENT = canonical_text(column for column in INTAKE if column.name not in WHERE_FOUND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Which export the rows come from, and under which specification they come in."""

    export_sha256: str
    export_path: str
    adapter: str
    intake_digest: str
    study_spec_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeResult:
    """What an export's answers became."""

    judgments: pa.Table  # JUDGMENTS without ledger_seq and row_sha256, ordered by record_id
    attributes: pa.Table  # ATTRIBUTES
    quarantine: pa.Table  # QUARANTINE_LOG: one row a rule broken
    n_answers: int
    n_quarantined: int  # answers, not rules


def judgment_records(
    rows: pa.Table, export: Export, spec: StudySpec, delivery: Delivery, *, key: bytes, con: duckdb.DuckDBPyConnection
) -> IntakeResult:
    """Judgment records of the intake rows of one export.

    Parameters
    ----------
    rows : pa.Table
        Intake rows as an adapter gives them.
    export, spec, delivery
        How they are to be read, and where they come from.
    key : bytes
        The workspace's key, under which raters and judgments are named.
    con : duckdb.DuckDBPyConnection
        Connection whose zone is UTC; temporary tables are made in it and dropped.
    """
    population = spec.population(export.population)
    _register(con, rows, export, spec, delivery, key)
    con.execute("CREATE OR REPLACE TEMP TABLE typed AS " + _typed(export, spec, population, delivery))
    con.execute("CREATE OR REPLACE TEMP TABLE keyed AS " + identity.judgment_keys(spec.study))
    con.execute("CREATE OR REPLACE TEMP TABLE named AS " + identity.judgment_ids())
    con.execute("CREATE OR REPLACE TEMP TABLE judged AS " + _judged(con, export, spec))
    result = IntakeResult(
        judgments=_columns(con, RECORD, "judged WHERE len(broken) = 0 ORDER BY record_id"),
        attributes=_attributes(con, delivery),
        quarantine=con.sql(_quarantine(export, spec, delivery)).to_arrow_table().cast(QUARANTINE_LOG.arrow_schema),
        n_answers=rows.num_rows,
        n_quarantined=con.execute("SELECT count(*) FROM judged WHERE len(broken) > 0").fetchall()[0][0],
    )
    for table in ("typed", "keyed", "named", "judged"):
        con.execute(f"DROP TABLE {table}")
    return result


def _register(
    con: duckdb.DuckDBPyConnection, rows: pa.Table, export: Export, spec: StudySpec, delivery: Delivery, key: bytes
) -> None:
    con.register("intake", rows.append_column("intake_row", pa.array(range(rows.num_rows), pa.int64())))
    con.register("criteria", responses.criteria_table(spec, export))
    con.register("responses", responses.responses_table(spec, export))
    con.register("periods", times.zone_periods(export.timezone) if export.timezone else times.PERIODS.empty_table())
    space = export.rater_namespace or export.population
    raters = con.execute("SELECT DISTINCT rater FROM intake WHERE nullif(rater, '') IS NOT NULL ORDER BY 1").fetchall()
    con.register("raters", identity.pseudonyms(key, [(space, raw) for (raw,) in raters]))
    inner, outer = identity.key_pads(key)
    con.execute("SET VARIABLE inner_pad = ?", [inner])
    con.execute("SET VARIABLE outer_pad = ?", [outer])
    incremental = export.delivery == "incremental"
    con.execute("SET VARIABLE delivery = ?", [_sorted_rows_digest(con) if incremental else None])


def _sorted_rows_digest(con: duckdb.DuckDBPyConnection) -> str:
    # Where equal rows of another file are new votes, a file is known by its rows, in any order.
    rows = f"SELECT sha256({_CONTENT}) AS digest FROM intake"
    return con.execute(f"SELECT sha256(string_agg(digest, '' ORDER BY digest)) FROM ({rows})").fetchall()[0][0]


def _typed(export: Export, spec: StudySpec, population: Population, delivery: Delivery) -> str:
    """SQL of every column of the record, typed, beside the text it was read from."""
    decimal_comma = export.read is not None and export.read.decimal == ","
    plain = "replace(label, ',', '.')" if decimal_comma else "label"
    model = population.kind == RaterKind.MODEL
    pseudonym = f"coalesce(nullif(rater, ''), {_quoted(population.id)})" if model else "raters.pseudonym"
    collected = spec.order_of(population.id, export) is not CandidateOrder.NOT_RECORDED
    swapped = "FALSE" if collected else f"(protocol = '{Protocol.PAIRWISE}' AND candidate_1 > candidate_2)"
    kinds = " ".join(f"WHEN {_quoted(k)} THEN {_quoted(v)}" for k, v in export.item_kinds.items())
    item_kind = f"CASE coalesce(item_kind, '') {kinds} WHEN '' THEN '{ItemKind.SCORED}' ELSE item_kind END"
    interface = "NULL" if spec.interface is None else _quoted(spec.interface.revision)
    start, end = (times.instant(name) for name in ("started_at", "submitted_at"))
    clocks = {
        name: times.parsed_time(f"nullif({name}, '')", export.time_format) for name in ("started_at", "submitted_at")
    }
    return f"""
    WITH source AS (
        SELECT intake.* REPLACE (
                criteria.criterion AS criterion,
                nullif(case_id, '') AS case_id, nullif(candidate_1, '') AS candidate_1,
                nullif(candidate_2, '') AS candidate_2, nullif(output_1, '') AS output_1,
                nullif(output_2, '') AS output_2, nullif(gold_label, '') AS gold_label,
                nullif(native_id, '') AS native_id
            ), intake.criterion AS exported_criterion,
            protocol, "numeric", levelled, low, high, {pseudonym} AS rater_pseudonym,
            {_number("numeric", plain)} AS number, {_number("numeric", "gold_label")} AS gold_number,
            {", ".join(f"{part} AS {name}_{what}" for name, parts in clocks.items() for what, part in parts.items())},
            nullif(started_at, '') AS started_at_text, nullif(submitted_at, '') AS submitted_at_text
        FROM intake LEFT JOIN criteria ON criteria.exported = intake.criterion
        LEFT JOIN raters ON raters.rater = intake.rater
        WHERE ignore_reason IS NULL
    ),
    answered AS (
        SELECT source.*, {_number_text("number")} AS number_text, {swapped} AS swapped,
            coalesce(said.state, level.state, CASE WHEN NOT levelled AND number IS NOT NULL
                AND (protocol <> '{Protocol.RANKING}' OR number = floor(number)) THEN '{State.ANSWERED}' END) AS state,
            coalesce(said.label, level.label) AS response, coalesce(said.value, level.value) AS level_value,
            said.state IS NOT NULL AS is_said,
            coalesce(gold.label, gold.state, gold_level.label,
                CASE WHEN NOT levelled THEN {_number_text("gold_number")} END) AS gold_response
        FROM source
        LEFT JOIN responses AS said ON said.criterion = source.criterion AND said.exported = source.label
        LEFT JOIN responses AS level ON levelled AND level.criterion = source.criterion
            AND level.exported = {_number_text("number")}
        LEFT JOIN responses AS gold ON gold.criterion = source.criterion AND gold.exported = source.gold_label
        LEFT JOIN responses AS gold_level ON levelled AND gold_level.criterion = source.criterion
            AND gold_level.exported = {_number_text("gold_number")}
    ),
    placed AS (
        SELECT answered.*, {", ".join(f"{sql} AS placed_{name}" for part in (start, end) for name, sql in part.items())}
        FROM answered
        ASOF LEFT JOIN periods AS started_at_period ON answered.started_at_local >= started_at_period.local_from
        ASOF LEFT JOIN periods AS submitted_at_period ON answered.submitted_at_local >= submitted_at_period.local_from
    )
    SELECT
        {_quoted(delivery.study_spec_hash)} AS study_spec_hash,
        case_id, CASE WHEN swapped THEN candidate_2 ELSE candidate_1 END AS candidate_1,
        CASE WHEN swapped THEN candidate_1 ELSE candidate_2 END AS candidate_2,
        CASE WHEN swapped THEN output_2 ELSE output_1 END AS output_1,
        CASE WHEN swapped THEN output_1 ELSE output_2 END AS output_2,
        {"candidate_order" if collected else "NULL::VARCHAR[]"} AS candidate_order,
        {"TRUE" if collected else "FALSE"} AS order_collected,
        criterion, exported_criterion, protocol, state,
        CASE WHEN state = '{State.ANSWERED}' THEN {_flipped("coalesce(response, number_text)")} END AS label,
        CASE WHEN state = '{State.ANSWERED}' THEN coalesce(level_value, CASE WHEN is_said THEN NULL
            WHEN protocol = '{Protocol.SPA}' THEN (number - low) / (high - low) ELSE number END) END AS value,
        label AS raw_label,
        coalesce(nullif(rubric_revision, ''), {_quoted(spec.rubric.revision)}) AS rubric_revision,
        coalesce(nullif(interface_revision, ''), {interface}) AS interface_revision,
        {_quoted(spec.phase_of(export))} AS phase, {item_kind} AS item_kind,
        {_flipped("gold_response")} AS gold_label, gold_label AS raw_gold_label,
        rater_pseudonym, {_quoted(population.id)} AS population, {_quoted(population.kind)} AS rater_kind,
        {_quoted(population.qualification)} AS qualification,
        nullif(submission_id, '') AS submission_id, nullif(assignment_block, '') AS assignment_block,
        {_whole("exposure")} AS exposure, {_whole("sequence")} AS sequence,
        nullif(exposure, '') AS raw_exposure, nullif(sequence, '') AS raw_sequence,
        nullif(rationale, '') AS rationale, evidence_refs,
        placed_started_at AS started_at, placed_submitted_at AS submitted_at,
        placed_started_at_problem AS started_at_problem, placed_submitted_at_problem AS submitted_at_problem,
        coalesce(quality_flags, []) AS quality_flags,
        {_quoted(delivery.export_sha256)} AS export_sha256, {_quoted(delivery.export_path)} AS export_path,
        source_row, source_path, intake_row, {_quoted(delivery.adapter)} AS adapter,
        native_id, getvariable('delivery')::VARCHAR AS delivery, case_attributes, rater_attributes,
        started_at_text, submitted_at_text
    FROM placed"""


def _judged(con: duckdb.DuckDBPyConnection, export: Export, spec: StudySpec) -> str:
    """SQL that adds to each named row the rules it breaks; a ranking stands or falls as one."""
    backend = ibis.duckdb.from_connection(con)
    named = backend.table("named")
    marked = named.mutate(
        copies=ibis._.count().over(group_by=["record_id"]), broken_alone=broken_rules(named, _rules(export, spec))
    )
    once = ibis.ifelse(marked.copies > 1, ibis.array(["candidate_once:candidate_1"]), ibis.literal([], "array<string>"))
    rules = marked.mutate(broken_alone=marked.broken_alone.concat(once)).drop("copies")
    sql = ibis.to_sql(rules, dialect="duckdb")
    together = "bool_or(len(broken_alone) > 0) OVER (PARTITION BY judgment_id)"
    return f"""SELECT * EXCLUDE (broken_alone), CASE
        WHEN len(broken_alone) = 0 AND protocol = '{Protocol.RANKING}' AND {together} THEN ['ranking_whole:candidate_1']
        ELSE broken_alone END AS broken FROM ({sql})"""


def _rules(export: Export, spec: StudySpec) -> tuple[Rule, ...]:
    given = tuple(
        Rule(
            f"{column}_given",
            column,
            lambda t, column=column: t[f"{column}_text"].notnull(),
            f"map `columns.{column}`, or list it under `not_collected` of the export",
        )
        for column in ("started_at", "submitted_at")
        if column not in export.not_collected
    )
    return (*reading_rules(), *given, *record_rules(spec))


def _quarantine(export: Export, spec: StudySpec, delivery: Delivery) -> str:
    own = {
        "candidate_once:candidate_1": "a candidate stands twice in one ranking; give each once, or tell outputs apart",
        "ranking_whole:candidate_1": "another row of this ranking is refused; a ranking is taken whole or not at all",
    }
    fixes = own | {f"{rule.name}:{rule.column}": rule.fix for rule in _rules(export, spec)}
    shown = {"criterion": "exported_criterion", "gold_label": "raw_gold_label", "sequence": "raw_sequence"}
    shown |= {"exposure": "raw_exposure", "started_at": "started_at_text", "submitted_at": "submitted_at_text"}
    columns = {mark.split(":")[1] for mark in fixes} - set(HIDDEN)
    values = " ".join(f"WHEN '{c}' THEN {shown.get(c, c)}::VARCHAR" for c in sorted(columns))
    mends = " ".join(f"WHEN {_quoted(mark)} THEN {_quoted(fix)}" for mark, fix in fixes.items())
    return f"""
    WITH refused AS (SELECT * FROM judged WHERE len(broken) > 0),
    digested AS (
        SELECT intake_row, source_row, {identity.keyed(_CONTENT)} AS answer_digest
        FROM intake WHERE source_row IN (SELECT source_row FROM refused)
    ),
    digests AS (
        SELECT *, {identity.keyed("string_agg(answer_digest, '' ORDER BY answer_digest) OVER record")} AS record_digest
        FROM digested
        WINDOW record AS (PARTITION BY source_row ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    )
    SELECT export_sha256, export_path, source_row, source_path, coalesce(criterion, exported_criterion) AS criterion,
        split_part(mark, ':', 2) AS "column",
        left(CASE split_part(mark, ':', 2) {values} END, {VALUE_SHOWN}) AS value,
        split_part(mark, ':', 1) AS rule, CASE mark {mends} END AS fix,
        {_quoted(delivery.intake_digest)} AS intake_digest, record_digest, answer_digest,
        source_row NOT IN (SELECT source_row FROM judged WHERE len(broken) = 0) AS whole
    FROM (SELECT *, unnest(broken) AS mark FROM refused) JOIN digests USING (intake_row, source_row)
    ORDER BY source_row, source_path NULLS FIRST, criterion, "column", rule, value, intake_row"""


def _attributes(con: duckdb.DuckDBPyConnection, delivery: Delivery) -> pa.Table:
    tail = ", ".join(map(_quoted, (delivery.export_sha256, delivery.export_path, delivery.intake_digest)))
    given = con.sql(f"""
        WITH pairs AS (
            SELECT 'case' AS subject_kind, NULL AS population, case_id AS subject,
                unnest(map_entries(case_attributes)) AS pair
            FROM named WHERE case_id IS NOT NULL
            UNION ALL
            SELECT 'rater', population, rater_pseudonym, unnest(map_entries(rater_attributes))
            FROM named WHERE rater_pseudonym IS NOT NULL
        )
        SELECT DISTINCT subject_kind, population, subject, pair.key AS attribute, pair.value AS value, {tail}
        FROM pairs WHERE pair.value IS NOT NULL ORDER BY ALL""").to_arrow_table()
    return given.rename_columns(ATTRIBUTES.names).cast(ATTRIBUTES.arrow_schema)


def _columns(con: duckdb.DuckDBPyConnection, names: list[str], rest: str) -> pa.Table:
    fields = [JUDGMENTS.arrow_schema.field(name) for name in names]
    columns = ", ".join(f'"{name}"' for name in names)
    return con.sql(f"SELECT {columns} FROM {rest}").to_arrow_table().cast(pa.schema(fields))


def _number(flag: str, text: str) -> str:
    is_plain = f"regexp_full_match({text}, '{PLAIN_NUMBER}')"
    return f'CASE WHEN "{flag}" AND {is_plain} THEN TRY_CAST({text} AS DOUBLE) + 0.0 END'


def _number_text(number: str) -> str:
    return f"regexp_replace({number}::VARCHAR, '[.]0$', '')"


def _whole(column: str) -> str:
    return f"CASE WHEN regexp_full_match({column}, '[0-9]{{1,18}}') THEN {column}::BIGINT END"


def _flipped(label: str) -> str:
    return (
        f"CASE WHEN swapped THEN CASE {label} WHEN 'candidate_1' THEN 'candidate_2' "
        f"WHEN 'candidate_2' THEN 'candidate_1' ELSE {label} END ELSE {label} END"
    )


def _quoted(text: str | None) -> str:
    return "NULL" if text is None else "'" + str(text).replace("'", "''") + "'"
