"""Intake rows to judgment records: read every text by declaration, name every judgment, split off what breaks a rule.

Nothing is repaired and nothing dropped: each answer of an export comes out as a record or as rows
of quarantine that say which rule it breaks and how to mend it.
"""

import duckdb
import pyarrow as pa

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from juryline.intake import identity, responses, times
from juryline.intake.attributes import attributes_of_answers
from juryline.intake.delivery import ACCEPTED, Delivery, IntakeResult
from juryline.intake.refusals import CONTENT, judged_rows, quarantined_rows
from juryline.intake.typed import typed_rows


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
    _register(con, rows, export, spec, key)
    # Only what is read more than once is kept: each row is wide, and there may be millions.
    con.execute("CREATE OR REPLACE TEMP VIEW typed AS " + typed_rows(export, spec, delivery))
    con.execute("CREATE OR REPLACE TEMP TABLE keyed AS " + identity.judgment_keys(spec.study))
    con.execute("CREATE OR REPLACE TEMP VIEW named AS " + identity.judgment_ids())
    con.execute("CREATE OR REPLACE TEMP TABLE judged AS " + judged_rows(con, export, spec))
    con.execute("DROP TABLE keyed")
    good, bad = "len(broken) = 0", "len(broken) > 0"
    n_quarantined, n_records, n_all = con.execute(
        f"""SELECT count(*) FILTER ({bad}), count(DISTINCT source_row) FILTER ({good}), count(DISTINCT source_row)
        FROM judged"""
    ).fetchall()[0]
    columns = ", ".join(f'"{name}"' for name in ACCEPTED.names)
    accepted = con.sql(f"SELECT {columns} FROM judged WHERE {good} ORDER BY record_id").to_arrow_table()
    result = IntakeResult(
        judgments=accepted.cast(ACCEPTED.arrow_schema),
        attributes=attributes_of_answers(con, delivery),
        quarantine=quarantined_rows(con, export, spec, delivery),
        n_answers=rows.num_rows,
        n_quarantined=n_quarantined,
        n_records=n_records,
        n_records_quarantined=n_all - n_records,
    )
    con.execute("DROP TABLE judged")
    return result


def _register(con: duckdb.DuckDBPyConnection, rows: pa.Table, export: Export, spec: StudySpec, key: bytes) -> None:
    con.register("intake", rows.append_column("intake_row", pa.array(range(rows.num_rows), pa.int64())))
    con.register("criteria", responses.criteria_table(spec, export))
    con.register("responses", responses.responses_table(spec, export))
    con.register("periods", times.zone_periods(export.timezone))
    ((_, space),) = spec.rater_spaces(export)
    raters = con.execute("SELECT DISTINCT rater FROM intake WHERE nullif(rater, '') IS NOT NULL ORDER BY 1").fetchall()
    con.register("raters", identity.pseudonyms(key, [(space, raw) for (raw,) in raters]))
    inner, outer = identity.key_pads(key)
    con.execute("SET VARIABLE inner_pad = ?", [inner])
    con.execute("SET VARIABLE outer_pad = ?", [outer])
    incremental = export.delivery == "incremental"
    con.execute("SET VARIABLE delivery = ?", [_sorted_rows_digest(con) if incremental else None])


def _sorted_rows_digest(con: duckdb.DuckDBPyConnection) -> str:
    # Where equal rows of another file are new votes, a file is known by its rows, in any order.
    rows = f"SELECT sha256({CONTENT}) AS digest FROM intake"
    return con.execute(f"SELECT sha256(string_agg(digest, '' ORDER BY digest)) FROM ({rows})").fetchall()[0][0]
