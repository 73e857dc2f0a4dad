import pytest

from data_contracts.errors import ExportRefusedError

SCALE = {"measure": "ordinal", "levels": [1, 2, 3, 4, 5]}
COHERENCE = {"id": "coherence", "protocol": "rating", "scale": SCALE}
BEAUTY = {"id": "beauty", "protocol": "rating", "scale": SCALE}
HEADER = "INPUT:story\tINPUT:system\tINPUT:plan\tOUTPUT:coherence\tGOLDEN:coherence\tHINT:text\tASSIGNMENT:task_id"
HEADER += "\tASSIGNMENT:assignment_id\tASSIGNMENT:worker_id\tASSIGNMENT:started\n"
SHOWN = {"case": "INPUT:plan", "candidate_1": "INPUT:system"}


@pytest.fixture
def read_toloka(read):
    def reading(content: str, criteria=(COHERENCE,), **export):
        columns = SHOWN | export.pop("columns", {})
        return read(content, {"format": "toloka", "columns": columns} | export, name="pool.tsv", criteria=criteria)

    return reading


def test_an_assignment_is_mapped_without_columns_of_its_own(read_toloka, closes):
    reading = read_toloka(HEADER + '"a ""quoted"" story"\ta\t4\t5\t\t\tt1\ts1\tw1\t2026-03-01T10:00:00.459\n')
    row = reading.rows.to_pylist()[0]

    assert (row["rater"], row["submission_id"], row["started_at"]) == ("w1", "s1", "2026-03-01T10:00:00.459")
    assert (row["case_id"], row["candidate_1"], row["criterion"], row["label"]) == ("4", "a", "coherence", "5")
    assert (row["item_kind"], row["gold_label"], row["submitted_at"]) == (None, None, None)
    assert reading.found["delimiter"] == "\t"
    assert closes(reading)


def test_a_golden_answer_makes_a_gold_item(read_toloka):
    rows = "".join(f"s\ta\t{i}\t5\t{gold}\t\tt\ts1\tw1\t2026-03-01T10:00:00\n" for i, gold in enumerate(["", "4"]))

    reading = read_toloka(HEADER + rows)

    assert reading.rows["item_kind"].to_pylist() == [None, "gold"]
    assert reading.rows["gold_label"].to_pylist() == [None, "4"]


def test_a_submission_time_is_taken_where_there_is_one(read_toloka):
    header = HEADER.replace("ASSIGNMENT:started", "ASSIGNMENT:started\tASSIGNMENT:submitted")

    reading = read_toloka(header + "s\ta\t1\t5\t\t\tt\ts1\tw1\t2026-03-01T10:00:00\t2026-03-01T10:00:09\n")

    assert reading.rows["submitted_at"].to_pylist() == ["2026-03-01T10:00:09"]


@pytest.mark.parametrize("exported", ["category", "OUTPUT:category"])
def test_an_output_of_another_name_is_mapped_by_criteria(read, exported):
    header = HEADER.replace("OUTPUT:coherence", "OUTPUT:category").replace("GOLDEN:coherence", "GOLDEN:category")
    export = {"format": "toloka", "columns": SHOWN, "criteria": {exported: "beauty"}}

    reading = read(header + "s\ta\t1\t5\t3\t\tt\ts1\tw1\t\n", export, name="p.tsv", criteria=(COHERENCE, BEAUTY))

    assert [(r["criterion"], r["label"], r["gold_label"]) for r in reading.rows.to_pylist()] == [("beauty", "5", "3")]


def test_outputs_may_be_mapped_by_labels(read_toloka):
    header = HEADER.replace("OUTPUT:coherence", "OUTPUT:q1\tOUTPUT:q2")

    reading = read_toloka(
        header + "s\ta\t1\t5\t2\t\t\tt\ts1\tw1\t\n",
        criteria=(COHERENCE, BEAUTY),
        columns={"labels": {"coherence": "OUTPUT:q1", "beauty": "OUTPUT:q2"}},
    )

    assert [(r["criterion"], r["label"]) for r in reading.rows.to_pylist()] == [("beauty", "2"), ("coherence", "5")]


def test_blank_lines_between_suites_are_no_records(read_toloka, closes):
    row = "s\ta\t1\t5\t\t\tt\ts1\tw1\t\n"

    reading = read_toloka(HEADER + row + "\n" + row + "ragged\trow\n")

    assert reading.rows["source_row"].to_pylist() == [1, 2]
    assert reading.refused["rule"].to_pylist() == ["ragged_row"]
    assert closes(reading)


def test_rejected_assignments_are_left_out_by_declaration(read_toloka, closes):
    header = HEADER.replace("ASSIGNMENT:started", "ASSIGNMENT:started\tASSIGNMENT:status")
    rows = "s\ta\t1\t5\t\t\tt\ts1\tw1\t\tREJECTED\ns\ta\t1\t4\t\t\tt\ts2\tw2\t\tAPPROVED\n"

    reading = read_toloka(header + rows, ignore={"column": "ASSIGNMENT:status", "values": ["REJECTED"]})

    assert reading.ignored["reason"].to_pylist() == ["ASSIGNMENT:status=REJECTED"]
    assert closes(reading)


def test_another_table_is_refused(read_toloka):
    with pytest.raises(ExportRefusedError) as error:
        read_toloka("who\tpick\nr1\tleft\n")

    assert error.value.code == "not_this_format"
