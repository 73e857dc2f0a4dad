import pytest

from data_contracts.errors import SpecificationError
from data_contracts.tables import INTAKE

LEVELS = {"scale": {"measure": "ordinal", "levels": [1, 2, 3]}}
COHERENCE = {"id": "coherence", "protocol": "rating", **LEVELS}
BEAUTY = {"id": "beauty", "protocol": "rating", **LEVELS}
RATED = {"rater": "who", "case": "item", "candidate_1": "model"}


@pytest.fixture
def read_ratings(read):
    def reading(content: str, columns: dict, **export):
        export = {"format": "table", "read": {"as": "csv"}, "columns": RATED | columns} | export
        return read(content, export, criteria=(COHERENCE, BEAUTY))

    return reading


def answers(reading) -> list[tuple]:
    return [(row["source_row"], row["criterion"], row["label"]) for row in reading.rows.to_pylist()]


def test_rows_have_the_schema_of_intake(read_csv):
    reading = read_csv("who,item,x,y,pick\nr1,1,a,b,left\n")

    assert reading.rows.schema.equals(INTAKE.arrow_schema)


def test_a_wide_table_gives_a_row_for_each_criterion_in_order(read_ratings, monkeypatch, closes):
    monkeypatch.setattr("juryline.adapters.mapping.CHUNK", 2)
    reading = read_ratings(
        "who,item,model,c,b\nr1,1,a,1,2\nr2,1,a,3,\nr3,2,b,2,NA\n", {"labels": {"coherence": "c", "beauty": "b"}}
    )

    assert answers(reading) == [
        (1, "beauty", "2"),
        (1, "coherence", "1"),
        (2, "beauty", ""),
        (2, "coherence", "3"),
        (3, "beauty", "NA"),
        (3, "coherence", "2"),
    ]
    assert reading.rows["rater"].to_pylist() == ["r1", "r1", "r2", "r2", "r3", "r3"]
    assert closes(reading)


def test_a_long_table_names_its_criterion_which_may_be_renamed(read_ratings, closes):
    reading = read_ratings(
        "who,item,model,q,a\nr1,1,a,1,3\nr1,1,a,beauty,2\nr1,1,a,Q9,1\nr1,1,a,,1\n",
        {"criterion": "q", "label": "a"},
        criteria={"1": "coherence"},
    )

    assert answers(reading) == [(1, "coherence", "3"), (2, "beauty", "2"), (3, "Q9", "1"), (4, "", "1")]
    assert closes(reading)


def test_a_constant_stands_in_every_row(read_ratings):
    reading = read_ratings(
        "who,item,q,a\nr1,1,coherence,3\nr2,1,beauty,2\n",
        {"candidate_1": {"constant": "a"}, "exposure": {"constant": 5}, "criterion": "q", "label": "a"},
    )

    assert reading.rows["candidate_1"].to_pylist() == ["a", "a"]
    assert reading.rows["exposure"].to_pylist() == ["5", "5"]


def test_ignored_records_are_left_out_whole_with_their_reason(read_ratings, closes):
    reading = read_ratings(
        "who,item,model,c,b,status,kind\n"
        "r1,1,a,1,2,draft,real\nr2,1,a,1,2,done,real\nr3,1,a,1,2,,real\nr4,1,a,1,2,draft,test\nr5,1,a,1,2,done,test\n",
        {"labels": {"coherence": "c", "beauty": "b"}},
        ignore=[{"column": "status", "values": ["draft", ""]}, {"column": "kind", "values": ["test"]}],
    )

    assert reading.ignored.to_pylist() == [
        {"source_row": 1, "reason": "status=draft"},
        {"source_row": 3, "reason": "status="},
        {"source_row": 4, "reason": "status=draft"},
        {"source_row": 5, "reason": "kind=test"},
    ]
    assert [row[:2] for row in answers(reading)] == [(2, "beauty"), (2, "coherence")]
    assert closes(reading)


def test_attributes_are_kept_by_their_declared_names(read_ratings):
    reading = read_ratings(
        "who,item,model,c,b,cat,age,lang\nr1,1,a,1,2,x,30,English\nr2,2,b,3,3,,40,\n",
        {"labels": {"coherence": "c"}},
        attributes={"case": {"category": "cat"}, "rater": ["lang", "age"]},
    )

    assert [dict(m) for m in reading.rows["case_attributes"].to_pylist()] == [{"category": "x"}, {"category": None}]
    assert [dict(m) for m in reading.rows["rater_attributes"].to_pylist()] == [
        {"lang": "English", "age": "30"},
        {"lang": None, "age": "40"},
    ]


def test_lists_are_json_arrays_or_items_between_bars(read_csv, closes):
    columns = {"rater": "who", "case": "item", "candidate_1": "x", "candidate_2": "y", "labels": {"overall": "pick"}}
    reading = read_csv(
        "who,item,x,y,pick,shown,marks\n"
        "r1,1,a,b,left,a | b,\n"
        'r1,2,a,b,left,"[""b"", ""a""]",fast|copied\n'
        "r1,3,a,b,left,a,\n"
        "r1,4,a,b,left,,\n"
        'r1,5,a,b,left,"[""b"", ",\n',
        columns=columns | {"candidate_order": "shown", "quality_flags": "marks"},
    )

    assert reading.rows["candidate_order"].to_pylist() == [["a", "b"], ["b", "a"], ["a"], None]
    assert reading.rows["quality_flags"].to_pylist() == [None, ["fast", "copied"], None, None]
    refused = reading.refused.to_pylist()
    assert [(r["source_row"], r["column"], r["rule"]) for r in refused] == [(5, "candidate_order", "not_a_list")]
    assert closes(reading)


def test_two_ways_to_map_the_labels_are_refused_by_the_specification(read_csv):
    with pytest.raises(SpecificationError):
        read_csv("who\n", columns={"rater": "who"})
