"""What tests of analyses share: a specification from its YAML, and protocol views from a few named columns."""

from collections.abc import Callable, Iterable
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pytest

from data_contracts.estimates import Estimate
from data_contracts.specification import StudySpec
from data_contracts.tables import TABLES
from data_contracts.yaml_source import parse_yaml


@pytest.fixture
def specification() -> Callable[[str], StudySpec]:
    """A specification from its YAML; `juryline`, `study` and `exports` are filled in.

    Only the shape is checked, not what holds between parts: analyses have refusals of their own.
    """

    def parse(text: str) -> StudySpec:
        frame = "juryline: 1\nstudy: test\nexports:\n  - {match: a.csv, format: sql, query: a.sql, population: crowd}\n"
        return StudySpec.model_validate(parse_yaml(frame + text, "study.yaml").data)

    return parse


@pytest.fixture
def view() -> Callable[[str, Iterable[dict[str, Any]]], ir.Table]:
    """A protocol view by name from rows that give only the columns that matter."""

    def build(name: str, rows: Iterable[dict[str, Any]]) -> ir.Table:
        table = TABLES[name]
        defaults = {
            "criterion": "quality",
            "population": "crowd",
            "rater_kind": "human",
            "item_kind": "scored",
            "state": "answered",
            "protocol": {"spa_answers": "spa", "ratings": "rating"}.get(name.removeprefix("scenario_"), "pairwise"),
            "export_path": "a.csv",
            "case_attributes": [],
            "rater_attributes": [],
            "order_collected": True,
        }
        columns: dict[str, list[Any]] = {column.name: [] for column in table}
        for place, row in enumerate(rows):
            identity = {"record_id": f"j{place:06d}", "judgment_id": f"j{place:06d}", "source_row": place + 1}
            whole = identity | defaults | row
            for column in table:
                columns[column.name].append(whole.get(column.name))
        return ibis.memtable(pa.table(columns, schema=table.arrow_schema))

    return build


@pytest.fixture
def find() -> Callable[..., Estimate]:
    """The one estimate of a list whose id ends so."""

    def one(estimates: Iterable[Estimate], id_end: str) -> Estimate:
        found = [estimate for estimate in estimates if estimate.estimate_id.endswith("/" + id_end)]
        assert len(found) == 1, f"{len(found)} estimates end with {id_end}"
        return found[0]

    return one
