"""What tests of derivations share: a study, and tables from rows that give only the columns that matter."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pytest

from data_contracts.specification import StudySpec, parse_specification
from data_contracts.tables import ATTRIBUTES, HISTORY, JUDGMENTS, QUARANTINE, Table

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

STUDY = """\
juryline: 1
study: derivations
{phase}
systems: [{{id: alpha, blinded: z-1}}, {{id: beta, blinded: m-2}}, {{id: gamma, blinded: a-3}}]
rubric:
  revision: r2
  earlier: [{{revision: r1, criteria: [{{id: overall, protocol: pairwise}}]}}]
  criteria:
    - {{id: overall, protocol: pairwise}}
    - {{id: quality, protocol: rating, scale: {{measure: ordinal, levels: [poor, fair, good, excellent]}}}}
    - {{id: chance, protocol: spa, scale: {{measure: probability, min: 0, max: 100}}}}
    - {{id: ending, protocol: checklist, scale: {{measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}}}}
    - {{id: best, protocol: ranking}}
interface: {{revision: ui-2, earlier: [ui-1]}}
raters:
  populations:
    - {{id: crowd, kind: human}}
    - {{id: experts, kind: human}}
    - {{id: md, kind: human, role: adjudicator}}
    - {{id: judge, kind: model}}
exports:
  - match: "*.csv"
    format: table
    read: {{as: csv}}
    population: crowd
    columns: {{rater: who, case: item, candidate_1: left, candidate_2: right, labels: {{overall: winner}}}}
    labels: {{overall: {{left: candidate_1, right: candidate_2, same: tie}}}}
    attributes: {{case: [topic], rater: [language]}}
    not_collected: [started_at, submitted_at]
analyses: [{{id: wins, method: win_rates, criterion: overall}}]
"""

PROTOCOL = {"overall": "pairwise", "quality": "rating", "chance": "spa", "ending": "checklist", "best": "ranking"}


@pytest.fixture(scope="session")
def study() -> Callable[..., StudySpec]:
    """The study above with more keys, as YAML; every rule of the specification holds."""

    def build(more: str = "", phase: str = "phase: exploratory") -> StudySpec:
        return parse_specification(STUDY.format(phase=phase) + more)

    return build


@pytest.fixture(scope="session")
def engine() -> Any:
    connection = ibis.duckdb.connect()
    connection.raw_sql("SET TimeZone = 'UTC'")
    return connection


@pytest.fixture(scope="session")
def stored(engine: Any) -> Callable[[pa.Table], ir.Table]:
    """An Arrow table as a table of the engine."""
    numbers = count()

    def store(data: pa.Table) -> ir.Table:
        name = f"stored_{next(numbers)}"
        engine.con.register(name, data)
        return engine.table(name)

    return store


@pytest.fixture(scope="session")
def ledger(stored: Callable[[pa.Table], ir.Table]) -> Callable[[Iterable[dict[str, Any]]], ir.Table]:
    """JUDGMENTS; `at` is seconds after noon, `took` the seconds since the start, `rater` the pseudonym."""

    def build(rows: Iterable[dict[str, Any]]) -> ir.Table:
        return stored(_filled(JUDGMENTS, (_judgment(place, row) for place, row in enumerate(rows))))

    return build


@pytest.fixture(scope="session")
def past(stored: Callable[[pa.Table], ir.Table]) -> Callable[[Iterable[dict[str, Any]]], ir.Table]:
    """HISTORY of rows that are all current, for tests of what comes after it; the alias is the pseudonym."""

    def build(rows: Iterable[dict[str, Any]]) -> ir.Table:
        whole = [_judgment(place, row) for place, row in enumerate(rows)]
        standing = {"current": True, "history_status": "current"}
        return stored(_filled(HISTORY, ({"rater": row["rater_pseudonym"]} | standing | row for row in whole)))

    return build


@pytest.fixture(scope="session")
def attributes(stored: Callable[[pa.Table], ir.Table]) -> Callable[..., ir.Table]:
    """ATTRIBUTES from (subject_kind, subject, attribute, value)."""

    def build(*rows: tuple[str, str, str, str]) -> ir.Table:
        names = ("subject_kind", "subject", "attribute", "value")
        where = {"export_sha256": "f", "export_path": "profiles.csv", "intake_digest": "d"}
        return stored(_filled(ATTRIBUTES, (dict(zip(names, row)) | where for row in rows)))

    return build


@pytest.fixture(scope="session")
def quarantine(stored: Callable[[pa.Table], ir.Table]) -> Callable[..., ir.Table]:
    """QUARANTINE from (source_row, criterion, rule)."""

    def build(*rows: tuple[int, str | None, str]) -> ir.Table:
        where = {"export_sha256": "f", "export_path": "a.csv", "column": "label", "fix": "mend it"}
        named = (dict(zip(("source_row", "criterion", "rule"), row)) | where for row in rows)
        return stored(_filled(QUARANTINE, named))

    return build


@pytest.fixture(scope="session")
def ids(stored: Callable[[pa.Table], ir.Table]) -> Callable[..., ir.Table]:
    """A table of record ids."""
    return lambda *records: stored(pa.table({"record_id": pa.array(records, pa.string())}))


@pytest.fixture(scope="session")
def rows_of() -> Callable[..., list[dict[str, Any]]]:
    """The rows of an expression in the order of some columns, cut to some columns."""

    def fetch(expression: ir.Table, *columns: str, by: tuple[str, ...] = ("record_id",)) -> list[Any]:
        rows = expression.to_pyarrow().to_pylist()
        rows.sort(key=lambda row: tuple(str(row[name]) for name in by))
        if not columns:
            return rows
        return [row[columns[0]] if len(columns) == 1 else tuple(row[c] for c in columns) for row in rows]

    return fetch


def _judgment(place: int, row: dict[str, Any]) -> dict[str, Any]:
    criterion = row.get("criterion", "overall")
    protocol = PROTOCOL[criterion]
    defaults = {
        "record_id": f"rec-{place:03d}",
        "judgment_key": f"key-{place:03d}",
        "judgment_id": f"jud-{place:03d}",
        "study_spec_hash": "spec",
        "case_id": None if protocol == "spa" else "case-1",
        "candidate_1": "z-1",
        "candidate_2": "m-2" if protocol in ("pairwise", "spa") else None,
        "order_collected": True,
        "criterion": criterion,
        "protocol": protocol,
        "state": "answered",
        "raw_label": str(row.get("label", "")),
        "rubric_revision": "r2",
        "interface_revision": "ui-2",
        "phase": "exploratory",
        "item_kind": "scored",
        "rater_pseudonym": row.get("rater", "p-1"),
        "population": "crowd",
        "rater_kind": "model" if row.get("population") == "judge" else "human",
        "quality_flags": [],
        "export_sha256": "f",
        "export_path": "a.csv",
        "source_row": place + 1,
        "adapter": "table/1",
        "ledger_seq": place,
        "row_sha256": f"sha-{place}",
    }
    if row.get("at") is not None:
        defaults["submitted_at"] = NOON + timedelta(seconds=row["at"])
        if row.get("took") is not None:
            defaults["started_at"] = defaults["submitted_at"] - timedelta(seconds=row["took"])
    return defaults | {name: value for name, value in row.items() if name in HISTORY.names}


def _filled(table: Table, rows: Iterable[dict[str, Any]]) -> pa.Table:
    columns: dict[str, list[Any]] = {column.name: [] for column in table}
    for row in rows:
        for column in table:
            columns[column.name].append(row.get(column.name))
    return pa.table(columns, schema=table.arrow_schema)
