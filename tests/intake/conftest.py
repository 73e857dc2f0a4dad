"""A small study of every protocol, and intake rows as an adapter gives them, judged by it."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from data_contracts.specification import StudySpec, parse_specification
from data_contracts.tables import INTAKE
from juryline.intake.delivery import Delivery, IntakeResult
from juryline.intake.records import judgment_records

Row = dict[str, Any]
Judge = Callable[..., IntakeResult]

KEY = bytes(range(32))
SENT = {"export_sha256": "e" * 64, "export_path": "votes.csv", "adapter": "table/1", "intake_digest": "m" * 64}

STUDY = {
    "juryline": 1,
    "study": "demo",
    "systems": [{"id": "large", "blinded": "a"}, {"id": "small", "blinded": "b"}, {"id": "human", "blinded": "c"}],
    "rubric": {
        "revision": "r2",
        "earlier": [{"revision": "r1", "criteria": [{"id": "overall", "protocol": "pairwise"}]}],
        "criteria": [
            {"id": "overall", "protocol": "pairwise"},
            {"id": "coherence", "protocol": "rating", "scale": {"measure": "ordinal", "levels": [1, 2, 3, 4, 5]}},
            {"id": "length", "protocol": "rating", "scale": {"measure": "ratio", "min": 0, "max": 10000}},
            {"id": "style", "protocol": "rating", "scale": {"measure": "nominal", "levels": ["None", "NA", "plain"]}},
            {"id": "ending", "protocol": "checklist", "scale": {"measure": "nominal", "levels": ["Yes", "No"]}},
            {"id": "chance", "protocol": "spa", "scale": {"measure": "probability", "min": 0, "max": 100}},
            {"id": "rank", "protocol": "ranking"},
        ],
    },
    "claim": {"independent_unit": ["rater"]},
    "assignment": {"exposure": [1, 5]},
    "interface": {"revision": "ui-2", "earlier": ["ui-1"]},
    "raters": {"populations": [{"id": "crowd", "kind": "human"}, {"id": "gpt", "kind": "model"}]},
    "analyses": [{"id": "wins", "method": "win_rates", "criterion": "overall"}],
}
EXPORT = {
    "match": "*.csv",
    "format": "table",
    "read": {"as": "csv"},
    "population": "crowd",
    "timezone": "Europe/Berlin",
    "columns": {
        "rater": "who",
        "case": "item",
        "candidate_1": "left",
        "candidate_2": "right",
        "criterion": "question",
        "label": "answer",
        "started_at": "t0",
        "submitted_at": "t1",
    },
    "labels": {
        "overall": {"left": "candidate_1", "right": "candidate_2", "same": "tie", "bad": "both_fail", "": "missing"},
        "coherence": {"?": "unknown", "n/a": "not_applicable", "": "missing", "best": 5},
    },
}
ROW = {
    "filename": "votes.csv",
    "rater": "ann@example.org",
    "case_id": "case 1",
    "criterion": "overall",
    "candidate_1": "a",
    "candidate_2": "b",
    "label": "left",
    "started_at": "2026-03-01 10:00:00",
    "submitted_at": "2026-03-01 10:01:00",
}
# What is shown, and a good answer, by criterion.
GOOD = {
    "overall": {},
    "coherence": {"candidate_2": None, "label": "3"},
    "length": {"candidate_2": None, "label": "120"},
    "style": {"candidate_2": None, "label": "plain"},
    "ending": {"candidate_2": None, "label": "Yes"},
    "chance": {"case_id": None, "label": "60"},
    "rank": {"candidate_2": None, "label": "1"},
}


def spec_of(export: Row, *others: Row, **study: Any) -> StudySpec:
    """The study with its one export, changed where told, and others beside it."""
    return _parsed(json.dumps({**STUDY, **study, "exports": [{**EXPORT, **export}, *others]}))


@cache
def _parsed(text: str) -> StudySpec:
    return parse_specification(text)


def row(number: int = 1, criterion: str = "overall", **said: Any) -> Row:
    """An intake row: a good answer, changed where told."""
    return dict.fromkeys(INTAKE.names) | ROW | {"source_row": number, "criterion": criterion} | GOOD[criterion] | said


def table_of(rows: Iterable[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=INTAKE.arrow_schema)


@pytest.fixture(scope="session")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def judge(con: duckdb.DuckDBPyConnection) -> Judge:
    """Judge intake rows by an export of the study; `sent` changes what is known of the file, `study` the study."""

    def judging(
        *rows: Row, export: Row | None = None, sent: Row | None = None, key: bytes = KEY, **study: Any
    ) -> IntakeResult:
        spec = spec_of(export or {}, **study)
        delivery = Delivery(**SENT | {"study_spec_hash": "s" * 64} | (sent or {}))
        return judgment_records(table_of(rows), spec.exports[0], spec, delivery, key=key, con=con)

    return judging


@pytest.fixture(scope="session", name="row")
def row_fixture() -> Callable[..., Row]:
    return row


@pytest.fixture(scope="session", name="spec_of")
def spec_of_fixture() -> Callable[..., StudySpec]:
    return spec_of
