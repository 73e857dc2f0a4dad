"""The page on formats keeps its word: its examples are read, its rules are those there are."""

import re
from pathlib import Path

import duckdb
import pytest

from data_contracts.specification import parse_specification
from juryline.adapters.query_check import problem_of
from juryline.adapters.registry import formats

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
SCALE = "{measure: ordinal, levels: [1, 2, 3, 4, 5]}"


def blocks(language: str) -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found, f"no example in {language}"
    return found


@pytest.mark.parametrize("example", blocks("yaml"))
def test_an_example_is_an_export_of_a_study(example):
    study = f"""
juryline: 1
study: page
systems: [{{id: a}}, {{id: b}}]
rubric:
  criteria:
    - {{id: overall, protocol: pairwise}}
    - {{id: coherence, protocol: rating, scale: {SCALE}}}
    - {{id: fluency, protocol: rating, scale: {SCALE}}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
analyses: [{{id: wins, method: win_rates, criterion: overall}}]
exports:
{example}"""

    spec = parse_specification(study)

    assert len(spec.exports) == 1


@pytest.mark.parametrize("query", blocks("sql"))
def test_an_example_of_a_query_may_run(query):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE export AS SELECT '{}' AS record, 1 AS source_row, 'f' AS filename")

        assert problem_of(connection, query, ["record", "source_row", "filename"]) is None
        assert connection.execute(query).fetchall() == []


def test_every_format_has_its_section():
    assert set(re.findall(r"`format: (\w+)`", PAGE)) == {name for name, _, _ in formats()}


def test_every_rule_that_refuses_a_record_is_told():
    told = set(re.findall(r"`(\w+)`", PAGE.split("| rule | the record |")[1]))
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "juryline" / "adapters").glob("*.py"))
    rules = set(re.findall(r'rule="(\w+)"', source)) | set(re.findall(r'refuse\(\s*[\w.]+,\s*"(\w+)"', source))
    rules |= {"duplicate_key", "not_text", "nested_too_deeply"}

    assert "ragged_row" in rules
    assert rules <= told
