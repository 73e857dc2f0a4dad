"""The published JSON Schema is that of the model, and agrees with it on what has a shape."""

import json
from pathlib import Path

import jsonschema
import pytest

from data_contracts.specification_schema import SCHEMA, schema_text, study_schema, write_schema
from data_contracts.yaml_source import parse_yaml

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def validator():
    return jsonschema.Draft202012Validator(study_schema())


def as_json(text: str):
    return json.loads(json.dumps(parse_yaml(text, "study.yaml").data))


def test_the_published_schema_is_current():
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), "run: python -m data_contracts.specification_schema"


def test_the_generator_writes_what_is_published(tmp_path):
    write_schema(tmp_path / "study.schema.json")

    assert (tmp_path / "study.schema.json").read_bytes() == SCHEMA.read_bytes()


def test_the_schema_is_one(validator):
    jsonschema.Draft202012Validator.check_schema(validator.schema)

    assert validator.schema["title"] == "Juryline study specification"


@pytest.mark.parametrize("name", ["whole.yaml", "minimal.yaml"])
def test_a_study_that_loads_is_valid(validator, name):
    errors = list(validator.iter_errors(as_json((HERE / name).read_text())))

    assert errors == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("study: two-writers", "study: Two Writers"),
        ("juryline: 1", "juryline: 2"),
        ("kind: human", "kind: humans"),
        ("method: win_rates", "method: winrates"),
        ("method: win_rates", "method: win_rates, k: 32"),
        ("read: {as: csv}", "read: {as: excel}"),
        ("rater: worker", "rater: {kolumn: worker}"),
        ("systems: [{id: davinci}, {id: curie}]\n", ""),
        ("not_collected: [started_at", "not_collected: [started"),
    ],
)
def test_a_study_out_of_shape_is_invalid(validator, old, new):
    text = (HERE / "minimal.yaml").read_text()
    assert text.count(old) == 1

    assert not validator.is_valid(as_json(text.replace(old, new)))


def test_every_key_says_what_it_is_for(validator):
    unsaid = [
        f"{name}.{key}"
        for name, part in {"StudySpec": validator.schema, **validator.schema["$defs"]}.items()
        for key, about in part.get("properties", {}).items()
        if not {"description", "$ref"} & about.keys() and key not in ("rule", "method")
    ]

    assert unsaid == []
