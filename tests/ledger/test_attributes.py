"""Attributes are kept by the export that gave them, each once."""

import pyarrow as pa
import pytest

from data_contracts.tables import ATTRIBUTES
from juryline.ledger.attributes import Attributes


@pytest.fixture
def attributes(study_dir, workspace) -> Attributes:
    return Attributes(study_dir, workspace)


def _rows(*subjects: str, kind: str = "rater", export: str = "profiles.csv") -> pa.Table:
    common = {"subject_kind": kind, "attribute": "group", "value": "x", "export_sha256": "e" * 64, "intake_digest": "d"}
    population = "crowd" if kind == "rater" else None
    rows = [common | {"subject": s, "population": population, "export_path": export} for s in subjects]
    return pa.Table.from_pylist(rows, schema=ATTRIBUTES.arrow_schema)


def test_equal_rows_count_once_within_and_between_exports(attributes):
    attributes.append(_rows("a", "a", "b"), "t1")
    attributes.append(_rows("b", "c"), "t2")

    assert attributes.read()["subject"].to_pylist() == ["a", "b", "c"]


def test_rows_without_a_population_are_known_again(attributes):
    attributes.append(_rows("case 1", kind="case"), "t1")
    attributes.append(_rows("case 1", "case 2", kind="case"), "t2")

    assert attributes.read()["subject"].to_pylist() == ["case 1", "case 2"]


def test_the_same_value_from_another_export_is_another_row(attributes):
    attributes.append(_rows("a"), "t1")
    attributes.append(_rows("a", export="other.csv"), "t2")

    assert attributes.read()["export_path"].to_pylist() == ["profiles.csv", "other.csv"]


def test_nothing_new_is_no_commit(attributes):
    first = attributes.append(_rows("a"), "t1")

    assert attributes.append(_rows("a"), "t2") is None
    assert attributes.append(_rows("a"), "t1") == first


def test_they_are_read_as_their_contract_has_them(attributes):
    attributes.append(_rows("a"), "t1")

    assert attributes.read().schema.equals(ATTRIBUTES.arrow_schema)
