import io
import json
import zipfile

import pytest

from data_contracts.errors import ExportRefusedError


def evaluation(first: str, second: str, verdict: str, question: str = "q1") -> dict:
    shown = {first: f"{first}-answer", second: f"{second}-answer"}
    return {
        "result": {"overall": verdict, "feedback": "so"},
        "time": 1_710_944_329.9996138,
        "question": [question, shown],
    }


def result(*evaluations: dict, worker: str = "w1", question_set: str = "s1") -> str:
    whole = {"worker_id": worker, "question_set_id": question_set, "evals": list(evaluations)}
    return json.dumps(whole | {"start_time": 1, "end_time": 2, "question_index": len(evaluations)})


def archive(**members: str | bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.mkdir("results")
        for name, content in members.items():
            packed.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def read_slam(read):
    def reading(content: bytes, **export):
        return read(content, {"format": "slam", "time_format": "epoch_s"} | export, name="results.zip")

    return reading


def test_the_order_of_keys_is_the_order_on_the_screen(read_slam, closes):
    content = result(evaluation("zeta", "alpha", "Response A"), evaluation("alpha", "zeta", "Response A"))

    reading = read_slam(archive(**{"results/w1_s1.json": content}))

    seen = [(r["candidate_1"], r["output_1"], r["candidate_2"], r["label"]) for r in reading.rows.to_pylist()]
    assert seen == [
        ("zeta", "zeta-answer", "alpha", "Response A"),
        ("alpha", "alpha-answer", "zeta", "Response A"),
    ]
    assert closes(reading)


def test_an_evaluation_is_mapped_without_columns_of_its_own(read_slam):
    reading = read_slam(archive(**{"results/w1_s1.json": result(evaluation("a", "b", "About the Same"))}))
    row = reading.rows.to_pylist()[0]

    assert (row["rater"], row["submission_id"], row["sequence"], row["case_id"]) == ("w1", "s1", "1", "q1")
    assert (row["criterion"], row["label"], row["rationale"]) == ("overall", "About the Same", "so")
    assert row["submitted_at"] == "1710944329.9996138"
    assert row["source_path"] == "results/w1_s1.json#/evals/0"


def test_records_are_numbered_over_members_in_sorted_order(read_slam, closes):
    members = {
        "results/b.json": result(evaluation("a", "b", "Response A"), worker="w2"),
        "results/a.json": result(evaluation("a", "b", "Response B"), evaluation("b", "a", "Response B")),
        "notes.txt": "not read",
    }

    reading = read_slam(archive(**members))

    assert reading.rows["source_row"].to_pylist() == [1, 2, 3]
    assert reading.rows["rater"].to_pylist() == ["w1", "w1", "w2"]
    assert reading.found["members_not_read"] == ["notes.txt"]
    assert closes(reading)


def test_what_is_no_comparison_is_refused_and_counted(read_slam, closes):
    good = evaluation("a", "b", "Response A")
    three = {**good, "question": ["q1", {"a": "1", "b": "2", "c": "3"}]}
    with_itself = result(good).replace('"b": "b-answer"', '"a": "b-answer"')
    members = {
        "1.json": result(good, {**good, "result": None}, three, {**good, "question": "q1"}),
        "2.json": with_itself,
        "3.json": "{broken",
        "4.json": json.dumps({"config": 1}),
        "5.json": b"\xff\xfe",
    }

    reading = read_slam(archive(**members))

    assert reading.rows["source_row"].to_pylist() == [1]
    assert [(r["source_row"], r["source_path"], r["rule"]) for r in reading.refused.to_pylist()] == [
        (2, "1.json#/evals/1", "not_a_comparison"),
        (3, "1.json#/evals/2", "not_a_comparison"),
        (4, "1.json#/evals/3", "not_a_comparison"),
        (5, "2.json#/evals/0", "duplicate_key"),
        (6, "3.json", "not_json"),
        (7, "4.json", "not_a_result"),
        (8, "5.json", "not_json"),
    ]
    assert closes(reading)


def test_other_criteria_are_mapped_by_their_names(read):
    criteria = ({"id": "style", "protocol": "pairwise"}, {"id": "facts", "protocol": "pairwise"})
    judged = evaluation("a", "b", "Response A")
    judged["result"] = {"style": "Response B", "Factual?": "Response A"}
    export = {"format": "slam", "criteria": {"Factual?": "facts", "style": "style"}}

    reading = read(archive(**{"1.json": result(judged)}), export, name="r.zip", criteria=criteria)

    assert [(r["criterion"], r["label"]) for r in reading.rows.to_pylist()] == [
        ("facts", "Response A"),
        ("style", "Response B"),
    ]


@pytest.mark.parametrize("content", [b"who,pick\n", archive(**{"config.json": "{}"}), archive(**{"a.txt": "x"})])
def test_what_is_no_result_of_slam_is_refused(read_slam, content):
    with pytest.raises(ExportRefusedError) as error:
        read_slam(content)

    assert error.value.code == "not_this_format"


def test_a_bomb_among_the_members_is_refused(read_slam):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("results/1.json", b" " * (70 << 20))

    with pytest.raises(ExportRefusedError) as error:
        read_slam(buffer.getvalue())

    assert error.value.code == "expands_without_measure"
