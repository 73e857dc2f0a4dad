import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_contracts.errors import ExportRefusedError, SpecificationError
from data_contracts.tables import INTAKE

RANK = {"id": "rank", "protocol": "ranking"}
NESTED = '{"item": 1, "z": {"who": "r1", "pick": "left"}}\n{"item": 2, "z": {"who": "r2", "pick": null}}\n'
PLAIN = """
SELECT source_row, filename, record->>'item' AS case_id, record->'z'->>'who' AS rater, 'overall' AS criterion,
       'a' AS candidate_1, 'b' AS candidate_2, record->'z'->>'pick' AS label
FROM export
"""


@pytest.fixture
def read_sql(read):
    def reading(content: str | bytes, query: str, kind: str = "jsonl", **export):
        criteria = export.pop("criteria_declared", ({"id": "overall", "protocol": "pairwise"},))
        if "missing" in export:
            export["query"] = export.pop("missing")
        return read(content, {"read": {"as": kind}} | export, name=f"votes.{kind}", query=query, criteria=criteria)

    return reading


def refusal(read_sql, content, query, **export) -> ExportRefusedError:
    with pytest.raises(ExportRefusedError) as error:
        read_sql(content, query, **export)
    return error.value


def test_a_query_gives_intake_rows_in_the_order_of_records(read_sql, closes):
    reading = read_sql(NESTED, PLAIN + "ORDER BY source_row DESC")

    assert reading.rows.schema.equals(INTAKE.arrow_schema)
    assert reading.rows["source_row"].to_pylist() == [1, 2]
    assert reading.rows["rater"].to_pylist() == ["r1", "r2"]
    assert reading.rows["label"].to_pylist() == ["left", ""]
    assert reading.found["query"] == "mapping.sql"
    assert closes(reading)


def test_a_record_that_no_row_carries_is_refused_as_unmapped(read_sql, closes):
    reading = read_sql(NESTED, PLAIN + "WHERE record->'z'->>'pick' = 'left'")

    assert reading.rows["source_row"].to_pylist() == [1]
    assert [(r["source_row"], r["rule"]) for r in reading.refused.to_pylist()] == [(2, "unmapped")]
    assert "mapping.sql" in reading.refused["fix"].to_pylist()[0]
    assert closes(reading)


def test_a_record_may_be_left_out_with_a_reason_whole_or_in_part(read_sql, closes):
    query = """
    SELECT source_row, unnest(['overall', 'overall']) AS criterion, unnest(['a', 'c']) AS candidate_1,
           'b' AS candidate_2, 'x' AS label,
           CASE WHEN source_row = 1 OR candidate_1 = 'c' THEN 'pilot' END AS ignore_reason
    FROM export
    """
    reading = read_sql(NESTED, query)

    assert reading.ignored.to_pylist() == [{"source_row": 1, "reason": "pilot"}]
    assert reading.rows["ignore_reason"].to_pylist() == [None, "pilot"]
    assert closes(reading)


def test_the_record_is_the_text_of_the_export_itself(read_sql):
    content = ' [ {"id": 12345678901234567890, "score": 0.10, "b": 1, "a": 2} ,\n "x" ] '
    query = "SELECT source_row, record AS label, 'overall' AS criterion FROM export"

    reading = read_sql(content, query, kind="json")

    assert reading.rows["label"].to_pylist() == ['{"id": 12345678901234567890, "score": 0.10, "b": 1, "a": 2}', '"x"']


def test_the_order_of_keys_is_seen(read_sql):
    query = "SELECT source_row, json_keys(record)[1] AS label FROM export"

    reading = read_sql('{"b": 1, "a": 2}\n{"a": 1, "b": 2}\n', query)

    assert reading.rows["label"].to_pylist() == ["b", "a"]
    assert reading.rows["criterion"].to_pylist() == ["overall", "overall"]  # the rubric has no other


def test_lines_and_columns_and_parquet_are_seen_as_text(read_sql):
    lines = read_sql("vote: left\n\nvote: right\n", "SELECT source_row, line[7:] AS label FROM export", kind="lines")
    cells = read_sql("pick,n\nleft,007\n", "SELECT source_row, pick || n AS label FROM export", kind="csv")
    buffer = io.BytesIO()
    pq.write_table(pa.table({"pick": [1, None]}), buffer)
    parquet = read_sql(
        buffer.getvalue(), "SELECT source_row, typeof(pick) || pick AS label FROM export", kind="parquet"
    )

    assert lines.rows["label"].to_pylist() == ["left", "right"]
    assert cells.rows["label"].to_pylist() == ["left007"]
    assert parquet.rows["label"].to_pylist() == ["VARCHAR1", "VARCHAR"]


def test_columns_of_the_export_may_have_the_names_juryline_gives(read_sql):
    reading = read_sql(
        "source_row,filename,pick\n9,other,left\n",
        "SELECT source_row, filename, pick || exported_source_row || exported_filename AS label FROM export",
        kind="csv",
    )

    assert reading.rows.to_pylist()[0]["label"] == "left9other"
    assert reading.rows.to_pylist()[0]["source_row"] == 1


def test_refused_records_are_not_seen_and_stay_accounted_for(read_sql, closes):
    reading = read_sql(NESTED + 'broken\n{"a": 1, "a": 2}\n' + NESTED, PLAIN)

    assert reading.rows["source_row"].to_pylist() == [1, 2, 5, 6]
    assert reading.refused["rule"].to_pylist() == ["not_json", "duplicate_key"]
    assert closes(reading)


def test_a_ranking_is_a_row_a_candidate(read_sql):
    query = """
    SELECT source_row, 'r1' AS rater, 'rank' AS criterion, unnest(['a', 'b', 'c']) AS candidate_1,
           unnest([2, 1, 2]) AS label, ['c', 'a', 'b'] AS candidate_order
    FROM export
    """
    reading = read_sql("{}\n", query, criteria_declared=(RANK,))

    assert reading.rows.select(["candidate_1", "label"]).to_pydict() == {
        "candidate_1": ["a", "b", "c"],
        "label": ["2", "1", "2"],
    }
    assert reading.rows["candidate_order"].to_pylist() == [["c", "a", "b"]] * 3


def test_rows_of_one_record_and_key_are_told_apart(read_sql):
    query = """
    SELECT source_row, unnest(['r1', 'r2', 'r3']) AS rater, unnest(['a', 'a', 'b']) AS candidate_1, 'c' AS candidate_2,
           'left' AS label
    FROM export
    """
    reading = read_sql("{}\n{}\n", query)

    seen = [(r["source_row"], r["source_path"], r["rater"]) for r in reading.rows.to_pylist()]
    assert seen == [
        *[(1, "#1", "r1"), (1, "#2", "r2"), (1, None, "r3")],
        *[(2, "#1", "r1"), (2, "#2", "r2"), (2, None, "r3")],
    ]


def test_many_rows_of_one_key_are_numbered_so_that_they_sort(read_sql):
    query = "SELECT source_row, i::VARCHAR AS rater, 'left' AS label FROM export, range(12) t(i)"

    reading = read_sql("{}\n", query)

    assert reading.rows["rater"].to_pylist() == [str(i) for i in range(12)]
    assert reading.rows["source_path"].to_pylist()[8:10] == ["#09", "#10"]


def test_attributes_come_from_the_columns_declared(read_sql):
    query = PLAIN.replace("FROM export", ", 'poem' AS genre FROM export")

    reading = read_sql(NESTED, query, attributes={"case": ["genre"]})

    assert [dict(m) for m in reading.rows["case_attributes"].to_pylist()] == [{"genre": "poem"}] * 2


def test_criteria_are_renamed_and_records_ignored_as_for_tables(read_sql, closes):
    reading = read_sql(
        "q,pick,status\nQ1,left,\nQ1,right,draft\n",
        "SELECT source_row, q AS criterion, pick AS label FROM export",
        kind="csv",
        criteria={"Q1": "overall"},
        ignore={"column": "status", "values": ["draft"]},
    )

    assert reading.rows["criterion"].to_pylist() == ["overall"]
    assert reading.ignored.to_pylist() == [{"source_row": 2, "reason": "status=draft"}]
    assert closes(reading)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT source_row, 'x' AS labels FROM export", "'labels' (nearest: label"),
        ("SELECT source_row, 'x' AS label, 1 AS candidate1 FROM export", "nearest: candidate_1"),
        ("SELECT 'x' AS label FROM export", "does not return source_row"),
        ("SELECT source_row FROM export", "does not return label"),
        ("SELECT NULL AS source_row, 'x' AS label FROM export", "2 rows"),
        ("SELECT source_row + 1 AS source_row, 'x' AS label FROM export", "1 rows"),
        ("SELECT source_row / 2 AS source_row, 'x' AS label FROM export", "rows with a `source_row`"),
        ("SELECT source_row, 'f' AS filename, 'x' AS label FROM export", "changes `filename`"),
        ("SELECT source_row, 'x' AS label, map {'a': 'b'} AS case_attributes FROM export", "mean nothing here"),
        ("SELECT source_row, recrod AS label FROM export", '"recrod" not found'),
        ("SELECT source_row, now() AS label FROM export", "now()"),
        ("SELECT source_row, content AS label FROM export, read_text('/etc/passwd')", "read_text()"),
    ],
)
def test_a_query_that_cannot_be_followed_refuses_the_export(read_sql, query, told):
    error = refusal(read_sql, NESTED, query)

    assert error.code == "query"
    assert "mapping.sql" in error.what
    assert told in error.what


def test_an_export_without_a_record_has_no_rows(read_sql, closes):
    reading = read_sql("[]", PLAIN, kind="json")

    assert (reading.n_rows, reading.rows.num_rows) == (0, 0)
    assert reading.rows.schema.equals(INTAKE.arrow_schema)
    assert closes(reading)


def test_a_query_that_returns_nothing_leaves_every_record_unmapped(read_sql, closes):
    reading = read_sql(NESTED, PLAIN + "WHERE false")

    assert reading.refused["rule"].to_pylist() == ["unmapped", "unmapped"]
    assert closes(reading)


def test_a_query_that_is_not_there_is_an_error_of_the_specification(read_sql):
    with pytest.raises(SpecificationError) as error:
        read_sql(NESTED, PLAIN, missing="missing.sql")

    assert "missing.sql" in error.value.what
