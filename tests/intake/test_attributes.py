"""Attributes of raters and cases: by pseudonym, from answers and from tables of raters."""

import pyarrow as pa
import pytest

from data_contracts.tables import ATTRIBUTES
from juryline.intake.attributes import attribute_rows
from juryline.intake.delivery import Delivery

DELIVERY = Delivery(export_sha256="e", export_path="p.csv", adapter="a/1", intake_digest="m", study_spec_hash="s")
KEY = bytes(range(32))
PROFILE = pa.schema(
    [("source_row", pa.int64()), ("rater", pa.string()), ("rater_attributes", pa.map_(pa.string(), pa.string()))]
)


def told(result):
    return {(r["subject_kind"], r["population"], r["subject"], r["attribute"], r["value"]) for r in result.to_pylist()}


def test_attributes_of_answers_are_of_the_case_and_of_the_rater(judge, row):
    result = judge(
        row(1, case_attributes={"topic": "war"}, rater_attributes={"age": "30s", "tongue": None}),
        row(2, case_attributes={"topic": "war"}, rater_attributes={"age": "30s", "tongue": "fr"}),
    )

    rater = result.judgments["rater_pseudonym"][0].as_py()
    assert told(result.attributes) == {
        ("case", None, "case 1", "topic", "war"),
        ("rater", "crowd", rater, "age", "30s"),
        ("rater", "crowd", rater, "tongue", "fr"),
    }
    assert result.attributes.schema.equals(ATTRIBUTES.arrow_schema)


def test_attributes_of_a_row_without_case_or_rater_are_of_nobody(judge, row):
    result = judge(row(1, rater="", case_id="", case_attributes={"topic": "war"}, rater_attributes={"age": "30s"}))

    assert told(result.attributes) == set()


@pytest.fixture
def profiles(con, spec_of):
    """What a table of raters says, beside an export of judgments."""

    def read(*given, namespace="platform", **declared):
        columns = {"rater": "who", "attributes": ["age"]}
        declared = {"match": "p.tsv", "format": "rater_attributes", "columns": columns} | declared
        spec = spec_of({"rater_namespace": namespace}, declared)
        rows = [{"source_row": n, "rater": rater, "rater_attributes": said} for n, (rater, said) in enumerate(given, 1)]
        return attribute_rows(
            pa.Table.from_pylist(rows, schema=PROFILE), spec.exports[1], spec, DELIVERY, key=KEY, con=con
        )

    return read


def test_a_profile_is_of_the_pseudonym_that_the_raters_judgments_have(judge, row, profiles):
    judged = judge(row(rater="ann"), export={"rater_namespace": "platform"}).judgments["rater_pseudonym"][0].as_py()

    result = profiles(("ann", [("age", "30s")]))

    assert told(result.attributes) == {("rater", "crowd", judged, "age", "30s")}
    assert (result.n_records, result.n_answers, result.judgments.num_rows) == (1, 0, 0)


def test_a_namespace_that_is_declared_is_the_one_used(judge, row, profiles):
    judged = judge(row(rater="ann"), export={"rater_namespace": "panel"}).judgments["rater_pseudonym"][0].as_py()

    result = profiles(("ann", [("age", "30s")]), rater_namespace="panel")

    assert told(result.attributes) == {("rater", "crowd", judged, "age", "30s")}


def test_an_attribute_without_a_value_is_none_and_the_same_twice_is_one(profiles):
    result = profiles(
        ("ann", [("age", None)]), ("bo", [("age", "30s")]), ("bo", [("age", "30s")]), ("bo", [("age", "40s")])
    )

    assert sorted(value for *_, value in told(result.attributes)) == ["30s", "40s"]
    assert result.attributes.num_rows == 2
    assert result.n_records == 4
