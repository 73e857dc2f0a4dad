"""The columns of a judgment record, typed by declaration, beside the text they were read from: one SQL query.

Nothing is coerced: a text that is not plainly a number, a time or a declared response stays without a
value, and a rule says so.
"""

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from data_contracts.vocabulary import CandidateOrder, ItemKind, Protocol, RaterKind, State
from juryline.intake import times
from juryline.intake.delivery import Delivery, quoted

TIMES = ("started_at", "submitted_at")
PLAIN_NUMBER = "[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)"


def typed_rows(export: Export, spec: StudySpec, delivery: Delivery) -> str:
    """SQL of every column of the record, typed, beside the text it was read from."""
    ((population_id, _),) = spec.rater_spaces(export)
    population = spec.population(population_id)
    decimal = "." if export.read is None else export.read.decimal
    model = population.kind == RaterKind.MODEL
    pseudonym = f"coalesce(nullif(intake.rater, ''), {quoted(population.id)})" if model else "raters.pseudonym"
    collected = spec.order_of(population.id, export) is not CandidateOrder.NOT_RECORDED
    swapped = "FALSE" if collected else f"(protocol = '{Protocol.PAIRWISE}' AND candidate_1 > candidate_2)"
    kinds = " ".join(f"WHEN {quoted(k)} THEN {quoted(v)}" for k, v in export.item_kinds.items())
    item_kind = f"CASE coalesce(item_kind, '') {kinds} WHEN '' THEN '{ItemKind.SCORED}' ELSE item_kind END"
    interface = "NULL" if spec.interface is None else quoted(spec.interface.revision)
    clocks = {name: times.parsed_time(f"{name}_parts", export.time_format) for name in TIMES}
    instants = ", ".join(f"{sql} AS placed_{name}" for time in TIMES for name, sql in times.instant(time).items())
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
            {_number("label", decimal)} AS number, {_number("gold_label", decimal)} AS gold_number,
            {", ".join(f"{times.taken_apart(name, export.time_format)} AS {name}_parts" for name in TIMES)},
            nullif(started_at, '') AS started_at_text, nullif(submitted_at, '') AS submitted_at_text
        FROM intake LEFT JOIN criteria ON criteria.exported = intake.criterion
        LEFT JOIN raters ON raters.rater = intake.rater
        WHERE ignore_reason IS NULL
    ),
    answered AS (
        SELECT source.*,
            {", ".join(f"{part} AS {name}_{what}" for name, parts in clocks.items() for what, part in parts.items())},
            {_number_text("number")} AS number_text, {swapped} AS swapped,
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
        SELECT answered.*, {instants}
        FROM answered
        {times.periods_of(TIMES, times.zone_periods(export.timezone))}
    )
    SELECT
        {quoted(delivery.study_spec_hash)} AS study_spec_hash,
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
        coalesce(nullif(rubric_revision, ''), {quoted(spec.rubric.revision)}) AS rubric_revision,
        coalesce(nullif(interface_revision, ''), {interface}) AS interface_revision,
        {quoted(spec.phase_of(export))} AS phase, {item_kind} AS item_kind,
        {_flipped("gold_response")} AS gold_label, gold_label AS raw_gold_label,
        rater_pseudonym, {quoted(population.id)} AS population, {quoted(population.kind)} AS rater_kind,
        {quoted(population.qualification)} AS qualification,
        nullif(submission_id, '') AS submission_id, nullif(assignment_block, '') AS assignment_block,
        {_whole("exposure")} AS exposure, {_whole("sequence")} AS sequence,
        nullif(exposure, '') AS raw_exposure, nullif(sequence, '') AS raw_sequence,
        nullif(rationale, '') AS rationale, evidence_refs,
        placed_started_at AS started_at, placed_submitted_at AS submitted_at,
        placed_started_at_problem AS started_at_problem, placed_submitted_at_problem AS submitted_at_problem,
        coalesce(quality_flags, []) AS quality_flags,
        {quoted(delivery.export_sha256)} AS export_sha256, {quoted(delivery.export_path)} AS export_path,
        source_row, source_path, intake_row, {quoted(delivery.adapter)} AS adapter,
        native_id, getvariable('delivery')::VARCHAR AS delivery, case_attributes, rater_attributes,
        started_at_text, submitted_at_text
    FROM placed"""


def _number(column: str, decimal: str) -> str:
    # With a decimal comma, a point groups thousands; how many it groups is not said, so such a text is no number.
    text = column if decimal == "." else f"replace(CASE WHEN NOT contains({column}, '.') THEN {column} END, ',', '.')"
    is_plain = f"regexp_full_match({text}, '{PLAIN_NUMBER}')"
    return f'CASE WHEN "numeric" AND {is_plain} THEN TRY_CAST({text} AS DOUBLE) + 0.0 END'


def _number_text(number: str) -> str:
    return f"regexp_replace({number}::VARCHAR, '[.]0$', '')"


def _whole(column: str) -> str:
    return f"CASE WHEN regexp_full_match({column}, '[0-9]{{1,18}}') THEN {column}::BIGINT END"


def _flipped(label: str) -> str:
    return (
        f"CASE WHEN swapped THEN CASE {label} WHEN 'candidate_1' THEN 'candidate_2' "
        f"WHEN 'candidate_2' THEN 'candidate_1' ELSE {label} END ELSE {label} END"
    )
