"""What the work on rows costs beside SQL written by hand, in one process, as a ratio: machines differ, ratios less."""

from collections.abc import Iterator
from pathlib import Path

import ibis.expr.types as ir

from benchmarks.generator import votes, write_study
from benchmarks.measured import Measured, best
from juryline.study.engine import Engine


def measure() -> Iterator[Measured]:
    """The figures, one after the other."""
    yield _row_work()


# The same history by hand: which version counts, and raters by alias.
BY_HAND = """
    WITH aliases AS (
        SELECT rater_pseudonym,
            'r' || lpad(row_number() OVER (ORDER BY min(submitted_at), rater_pseudonym)::VARCHAR, 3, '0') AS rater
        FROM judgments GROUP BY rater_pseudonym
    ),
    contested AS (SELECT judgment_key FROM judgments GROUP BY judgment_key HAVING count(*) > 1),
    places AS (
        SELECT record_id,
            row_number() OVER (PARTITION BY judgment_key ORDER BY submitted_at DESC, record_id) = 1 AS stands
        FROM judgments SEMI JOIN contested USING (judgment_key)
    )
    SELECT judgments.*, rater, coalesce(stands, true) AS current
    FROM judgments LEFT JOIN places USING (record_id) JOIN aliases USING (rater_pseudonym)
"""


def _row_work(n_rows: int = 300_000) -> Measured:
    import tempfile

    from data_contracts.specification import load_specification
    from juryline.derivations.history import judgment_history

    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Path(folder))
        judgments, spec = _ledger(engine, n_rows, Path(folder))
        none = judgments.filter(judgments.record_id == "").select("record_id")
        expression = engine.backend.compile(judgment_history(judgments, none, none, load_specification(spec)))

        def counted(sql: str) -> None:
            engine.con.execute(f"CREATE OR REPLACE TEMP TABLE result AS {sql}")

        ratio = best(lambda: counted(expression)) / best(lambda: counted(BY_HAND))
        engine.close()
    return Measured(what=f"history of {n_rows:,} judgments, beside SQL by hand", value=ratio, unit="x", most=1.25)


def _ledger(engine: Engine, n_rows: int, folder: Path) -> tuple[ir.Table, Path]:
    """Judgments of the generator as a table of the engine, and the folder of their specification."""
    import pyarrow.parquet as pq

    from data_contracts.tables import JUDGMENTS

    write_study(folder / "study", 10)
    rows = votes(n_rows, seed=3)
    engine.memory("votes", rows)
    given = {
        "record_id": "md5(vote)", "judgment_key": "md5('k' || vote)", "judgment_id": "md5('j' || vote)",
        "case_id": "prompt", "candidate_1": '"left"', "candidate_2": '"right"', "rater_pseudonym": "md5(worker)",
        "submission_id": "hit", "raw_label": "winner", "state": "'answered'", "label": "winner",
        "rater_kind": "'human'", "population": "'crowd'", "criterion": "'overall'", "protocol": "'pairwise'",
        "submitted_at": "submitted::TIMESTAMPTZ", "started_at": "started::TIMESTAMPTZ", "rationale": "why",
        "quality_flags": "[]::VARCHAR[]", "order_collected": "true", "source_row": "row_number() OVER ()",
        "ledger_seq": "1",
    }  # fmt: skip
    columns = ", ".join(f'{given.get(c.name, "NULL" if c.nullable else "$$$$")} AS "{c.name}"' for c in JUDGMENTS)
    table = engine.con.sql(f"SELECT {columns} FROM votes").to_arrow_table()
    file = folder / "judgments.parquet"
    pq.write_table(table.cast(JUDGMENTS.arrow_schema), file)
    return engine.parquet("judgments", [str(file)], JUDGMENTS.arrow_schema), folder / "study"
