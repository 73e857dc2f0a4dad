"""What records without answers say: enough to know one that comes again, and nothing of where it stands."""

import pytest

TABLE = {
    "format": "table",
    "read": {"as": "csv"},
    "columns": {
        **{"rater": "who", "case": "item", "candidate_1": "x", "candidate_2": "y", "candidate_order": "shown"},
        "labels": {"overall": "pick"},
    },
    "ignore": {"column": "status", "values": ["draft"]},
}
HEADER = "who,item,x,y,shown,pick,status\n"
GOOD, DRAFT = "ann,1,a,b,,left,done\n", "bob,2,a,b,,left,draft\n"
RAGGED, NO_LIST = "cyd,3,a\n", "dee,4,a,b,[a,left,done\n"


def contents(reading):
    by_row = {row["source_row"]: row["content"] for row in reading.contents.to_pylist()}
    without_answers = {*reading.ignored["source_row"].to_pylist(), *reading.refused["source_row"].to_pylist()}
    assert set(by_row) == without_answers
    return sorted(by_row.values())


def test_records_ignored_or_refused_say_the_same_in_any_order(read):
    first = read(HEADER + GOOD + DRAFT + RAGGED + NO_LIST, TABLE)
    other = read(HEADER + NO_LIST + RAGGED + GOOD + DRAFT, TABLE, name="other.csv")

    assert contents(first) == contents(other)
    assert len(set(contents(first))) == 3


def test_other_columns_of_a_file_do_not_change_what_a_record_says(read):
    export = {"format": "table", "read": {"as": "jsonl"}, "columns": TABLE["columns"], "ignore": TABLE["ignore"]}
    export["columns"] = {key: value for key, value in TABLE["columns"].items() if key != "candidate_order"}
    draft = '{"who": "bob", "item": "2", "x": "a", "y": "b", "pick": "left", "status": "draft"}\n'
    more = '{"status": "done", "who": "ann", "item": "1", "x": "a", "y": "b", "pick": "left", "note": "late"}\n'

    assert contents(read(draft, export, name="a.jsonl")) == contents(read(more + draft, export, name="b.jsonl"))


@pytest.mark.parametrize("broken", ["{", "[1]", '{"who": "ann", "who": "bob"}'])
def test_lines_that_are_no_record_say_their_text(read, broken):
    export = {"format": "table", "read": {"as": "jsonl"}, "columns": TABLE["columns"]}

    assert contents(read(broken + "\n", export, name="a.jsonl")) == [broken]


def test_records_that_a_query_forgets_or_leaves_out_say_their_cells(read):
    query = """
    SELECT source_row, who AS rater, item AS case_id, x AS candidate_1, y AS candidate_2, pick AS label,
           'overall' AS criterion, CASE WHEN status = 'draft' THEN 'a draft' END AS ignore_reason
    FROM export WHERE who <> 'ann'
    """
    reading = read(HEADER + GOOD + DRAFT, {"read": {"as": "csv"}}, query=query)

    assert ['"who": "ann"' in content for content in contents(reading)] == [True, False]
    assert reading.refused["rule"].to_pylist() == ["unmapped"]
