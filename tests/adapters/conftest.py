"""A study of one export, and the reading of a file by it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_contracts.specification import StudySpec, parse_specification
from juryline.adapters.reading import ExportReading
from juryline.adapters.registry import read_export

REAL_DATA = Path(__file__).parents[3] / "shared" / "data"

PAIRWISE = {"id": "overall", "protocol": "pairwise"}
COLUMNS = {"rater": "who", "case": "item", "candidate_1": "x", "candidate_2": "y", "labels": {"overall": "pick"}}


def make_spec(export: dict[str, Any], criteria: tuple[dict[str, Any], ...] = (PAIRWISE,)) -> StudySpec:
    criterion = criteria[0]["id"]
    study = {
        "juryline": 1,
        "study": "test",
        "systems": [{"id": "a"}, {"id": "b"}],
        "rubric": {"criteria": list(criteria)},
        "raters": {"populations": [{"id": "crowd", "kind": "human"}]},
        "exports": [{"match": "*", "population": "crowd", "not_collected": ["started_at", "submitted_at"]} | export],
        "analyses": [{"id": "raw", "method": "agreement", "criterion": criterion, "coefficients": ["raw_agreement"]}],
    }
    return parse_specification(json.dumps(study))  # JSON is YAML


@pytest.fixture(name="make_spec")
def make_spec_fixture() -> Callable[..., StudySpec]:
    return make_spec


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., ExportReading]:
    """Write a file below `exports/` and read it."""

    def reading(
        content: str | bytes,
        export: dict[str, Any],
        *,
        name: str = "votes.csv",
        criteria: tuple[dict[str, Any], ...] = (PAIRWISE,),
        query: str | None = None,
    ) -> ExportReading:
        path = tmp_path / "exports" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        if query is not None:
            (tmp_path / "mapping.sql").write_text(query)
            export = {"format": "sql", "query": "mapping.sql"} | export
        spec = make_spec(export, criteria)
        result = read_export(path, name, spec.exports[0], spec, study_dir=tmp_path, scratch=scratch)
        assert not list(scratch.iterdir()), "something was left in the scratch folder"
        assert json.loads(json.dumps(result.found)) == result.found, "what was found is not plain JSON"
        return result

    return reading


@pytest.fixture
def read_csv(read: Callable[..., ExportReading]) -> Callable[..., ExportReading]:
    """Read a CSV of pairwise votes with the columns who, item, x, y, pick."""

    def reading(content: str | bytes, *, how: dict[str, Any] | None = None, **export: Any) -> ExportReading:
        return read(content, {"format": "table", "read": {"as": "csv"} | (how or {}), "columns": COLUMNS} | export)

    return reading


@pytest.fixture
def real_data() -> Path:
    if not REAL_DATA.is_dir():
        pytest.skip(f"no real exports at {REAL_DATA}")
    return REAL_DATA


def mapped(reading: ExportReading) -> set[int]:
    return set(reading.rows["source_row"].to_pylist())


@pytest.fixture
def closes() -> Callable[[ExportReading], bool]:
    """Whether each record from 1 to n is exactly one of mapped, ignored and refused."""

    def holds(reading: ExportReading) -> bool:
        ignored = reading.ignored["source_row"].to_pylist()
        refused = sorted(set(reading.refused["source_row"].to_pylist()))
        return sorted([*mapped(reading), *ignored, *refused]) == list(range(1, reading.n_rows + 1))

    return holds
