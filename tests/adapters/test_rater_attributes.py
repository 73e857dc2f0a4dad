import pytest

from data_contracts.errors import ExportRefusedError

EXPORT = {"format": "rater_attributes", "read": {"as": "csv"}, "population": "crowd", "not_collected": []}


def test_a_profile_is_a_rater_with_attributes_and_no_judgment(read, closes):
    columns = {"rater": "participant", "attributes": {"native_language": "lang", "age": "Age"}}

    reading = read("participant,lang,Age\np1,English,30\n,French,20\np2,,\nragged\n", EXPORT | {"columns": columns})

    rows = [(r["source_row"], r["rater"], dict(r["rater_attributes"])) for r in reading.rows.to_pylist()]
    assert rows == [
        (1, "p1", {"native_language": "English", "age": "30"}),
        (3, "p2", {"native_language": None, "age": None}),
    ]
    assert [(r["source_row"], r["rule"]) for r in reading.refused.to_pylist()] == [
        (2, "rater_given"),
        (4, "ragged_row"),
    ]
    assert closes(reading)


def test_a_missing_attribute_column_is_refused(read):
    columns = {"rater": "participant", "attributes": ["language"]}

    with pytest.raises(ExportRefusedError, match="nearest: langage"):
        read("participant,langage\np1,English\n", EXPORT | {"columns": columns})
