"""Declared attributes of raters and cases, as rows that name the export they came from."""

import duckdb
import pyarrow as pa

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from data_contracts.tables import ATTRIBUTES
from juryline.intake import identity
from juryline.intake.delivery import Delivery, IntakeResult, quoted


def attributes_of_answers(con: duckdb.DuckDBPyConnection, delivery: Delivery) -> pa.Table:
    """ATTRIBUTES that the answers in table `judged` carry."""
    given = con.sql(f"""
        WITH pairs AS (
            SELECT 'case' AS subject_kind, NULL AS population, case_id AS subject,
                unnest(map_entries(case_attributes)) AS pair
            FROM judged WHERE case_id IS NOT NULL
            UNION ALL
            SELECT 'rater', population, rater_pseudonym, unnest(map_entries(rater_attributes))
            FROM judged WHERE rater_pseudonym IS NOT NULL
        )
        SELECT DISTINCT subject_kind, population, subject, pair.key, pair.value, {_source(delivery)}
        FROM pairs WHERE pair.value IS NOT NULL ORDER BY ALL""").to_arrow_table()
    return _shaped(given)


def attribute_rows(
    rows: pa.Table, export: Export, spec: StudySpec, delivery: Delivery, *, key: bytes, con: duckdb.DuckDBPyConnection
) -> IntakeResult:
    """What a table of raters says: attributes, and no judgment. Parameters as of `judgment_records`."""
    con.register("profiles", rows)
    raters = con.execute("SELECT DISTINCT rater FROM profiles ORDER BY 1").fetchall()
    spaces = spec.rater_spaces(export)
    con.register("raters", identity.pseudonyms(key, [(space, raw) for _, space in spaces for (raw,) in raters]))
    con.register("spaces", pa.table(dict(zip(("population", "namespace"), zip(*spaces)))))
    given = con.sql(f"""
        WITH pairs AS (SELECT rater, unnest(map_entries(rater_attributes)) AS pair FROM profiles)
        SELECT DISTINCT 'rater', population, pseudonym, pair.key, pair.value, {_source(delivery)}
        FROM pairs JOIN raters USING (rater) JOIN spaces USING (namespace)
        WHERE pair.value IS NOT NULL ORDER BY ALL""").to_arrow_table()
    n_records = con.execute("SELECT count(DISTINCT source_row) FROM profiles").fetchall()[0][0]
    return IntakeResult.of_attributes(_shaped(given), n_records)


def _source(delivery: Delivery) -> str:
    return ", ".join(map(quoted, (delivery.export_sha256, delivery.export_path, delivery.intake_digest)))


def _shaped(given: pa.Table) -> pa.Table:
    return given.rename_columns(ATTRIBUTES.names).cast(ATTRIBUTES.arrow_schema)
