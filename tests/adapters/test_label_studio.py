import json

import pytest

from data_contracts.errors import ExportRefusedError

SCALE = {"measure": "nominal", "levels": ["good", "bad"]}
QUALITY = {"id": "quality", "protocol": "rating", "scale": SCALE}
EFFORT = {"id": "effort", "protocol": "rating", "scale": SCALE}


def choice(name: str, *chosen: str) -> dict:
    return {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": list(chosen)}}


def annotation(id: int, *results: dict, **others) -> dict:
    plain = {"completed_by": 4, "created_at": "2026-03-01T10:00:30.500000Z", "was_cancelled": False}
    return {"id": id, "result": list(results), **plain, **others}


def task(id: int, *annotations: dict, **data) -> dict:
    drafts = [annotation(99, choice("quality", "bad"))]
    predictions = [{"id": 9, "result": [choice("quality", "bad")]}]
    data = {"prompt_id": f"p{id}", "model": "a", **data}
    return {"id": id, "annotations": list(annotations), "data": data, "drafts": drafts, "predictions": predictions}


@pytest.fixture
def read_tasks(read):
    def reading(content, criteria=(QUALITY,), **export):
        content = content if isinstance(content, str) else json.dumps(content)
        columns = {"candidate_1": "data.model"} | export.pop("columns", {})
        export = {"format": "label_studio", "columns": columns} | export
        return read(content, export, name="tasks.json", criteria=criteria)

    return reading


def test_an_annotation_is_a_record_with_its_rater_and_times(read_tasks, closes):
    reading = read_tasks([task(7, annotation(31, choice("quality", "good"), lead_time=30.25, unique_id="u"))])
    row = reading.rows.to_pylist()[0]

    assert (row["source_row"], row["source_path"]) == (1, "/0/annotations/0")
    assert (row["case_id"], row["native_id"], row["rater"], row["candidate_1"]) == ("7", "31", "4", "a")
    assert (row["criterion"], row["label"]) == ("quality", "good")
    assert row["submitted_at"] == "2026-03-01T10:00:30.500000Z"
    assert row["started_at"] == "2026-03-01T10:00:00.250000+00:00"
    assert closes(reading)


def test_without_a_lead_time_no_start_is_made_up(read_tasks):
    reading = read_tasks([task(1, annotation(1, choice("quality", "good"), lead_time=None))])

    assert reading.rows["started_at"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("given", "rater"),
    [(4, "4"), ({"id": 5, "email": "x@example.org"}, "5"), ({"email": "x@example.org"}, "x@example.org"), (None, None)],
)
def test_the_rater_is_an_id_or_else_an_address(read_tasks, given, rater):
    reading = read_tasks([task(1, annotation(1, choice("quality", "good"), completed_by=given))])

    assert reading.rows["rater"].to_pylist() == [rater]


@pytest.mark.parametrize(
    ("type", "value", "label"),
    [
        ("choices", {"choices": ["good"]}, "good"),
        ("choices", {"choices": ["good", "bad"]}, '["good", "bad"]'),
        ("rating", {"rating": 4}, "4"),
        ("number", {"number": 4.50}, "4.5"),
        ("pairwise", {"selected": "left"}, "left"),
        ("textarea", {"text": ["because"]}, "because"),
        ("textarea", {"text": ["one", "two"]}, '["one", "two"]'),
        ("taxonomy", {"taxonomy": [["a", "b"]]}, '[["a", "b"]]'),
        ("ranker", {"ranker": {"best": ["x", "y"]}}, '{"best": ["x", "y"]}'),
        ("future", {"unheard": "of"}, '{"unheard": "of"}'),
    ],
)
def test_the_answer_of_each_kind_of_control_is_its_label(read_tasks, type, value, label):
    result = {"from_name": "quality", "type": type, "value": value}

    reading = read_tasks([task(1, annotation(1, result))])

    assert reading.rows["label"].to_pylist() == [label]


def test_several_annotators_of_a_task_are_several_records(read_tasks, closes):
    reading = read_tasks(
        [
            task(1, annotation(1, choice("quality", "good")), annotation(2, choice("quality", "bad"), completed_by=5)),
            task(2),
            task(3, annotation(3, choice("quality", "good"))),
        ]
    )

    assert reading.rows["source_path"].to_pylist() == ["/0/annotations/0", "/0/annotations/1", "/2/annotations/0"]
    assert reading.rows["label"].to_pylist() == ["good", "bad", "good"]
    assert (reading.n_rows, reading.found["tasks"], reading.found["tasks_without_annotation"]) == (3, 3, 1)
    assert closes(reading)


def test_a_skipped_annotation_and_an_unanswered_question_stay_apart(read_tasks, closes):
    reading = read_tasks(
        [
            task(1, annotation(1, choice("quality", "good"), choice("effort", "bad"))),
            task(2, annotation(2, was_cancelled=True)),
            task(3, annotation(3, choice("effort", "good"))),
        ],
        criteria=(QUALITY, EFFORT),
    )

    answers = [(r["source_row"], r["criterion"], r["label"]) for r in reading.rows.to_pylist()]
    assert answers == [
        *[(1, "effort", "bad"), (1, "quality", "good")],
        *[(2, "effort", "skipped"), (2, "quality", "skipped")],
        *[(3, "effort", "good"), (3, "quality", "")],
    ]
    assert closes(reading)


def test_columns_override_the_defaults_and_reach_data_and_controls(read_tasks):
    reason = {"from_name": "why", "type": "textarea", "value": {"text": ["clear"]}}
    reading = read_tasks(
        [task(1, annotation(1, choice("quality", "good"), reason))],
        columns={"case": "data.prompt_id", "rationale": "why", "rater": {"constant": "gpt"}},
        attributes={"case": {"topic": "data.model"}},
    )
    row = reading.rows.to_pylist()[0]

    assert (row["case_id"], row["rationale"], row["rater"]) == ("p1", "clear", "gpt")
    assert dict(row["case_attributes"]) == {"topic": "a"}


def test_annotations_may_be_ignored_by_their_own_cells(read_tasks, closes):
    reading = read_tasks(
        [task(1, annotation(1, choice("quality", "good"), ground_truth=True), annotation(2, choice("quality", "bad")))],
        ignore={"column": "annotation.ground_truth", "values": ["true"]},
    )

    assert reading.ignored.to_pylist() == [{"source_row": 1, "reason": "annotation.ground_truth=true"}]
    assert closes(reading)


def test_a_control_of_another_name_is_asked_for_and_not_guessed(read_tasks):
    tasks = [task(1, annotation(1, choice("Quality?", "good")))]

    with pytest.raises(ExportRefusedError) as error:
        read_tasks(tasks)

    assert "answered is: Quality?" in error.value.what


def test_criteria_name_the_controls_that_an_export_asks(read):
    tasks = json.dumps([task(1, annotation(1, choice("Quality?", "good")))])
    export = {"format": "label_studio", "columns": {"candidate_1": "data.model"}}

    reading = read(tasks, export | {"criteria": {"Quality?": "quality"}}, name="t.json", criteria=(QUALITY, EFFORT))

    assert reading.rows["criterion"].to_pylist() == ["quality"]


def test_a_declared_question_that_nobody_answered_is_unanswered_but_a_near_name_is_a_mistake(read):
    tasks = json.dumps([task(1, annotation(1, choice("quality", "good")), annotation(2, choice("spans", "x")))])
    export = {"format": "label_studio", "columns": {"candidate_1": "data.model"}}
    asked = {"quality": "quality", "hard_work": "effort"}

    reading = read(tasks, export | {"criteria": asked}, name="t.json", criteria=(QUALITY, EFFORT))

    assert [(r["criterion"], r["label"]) for r in reading.rows.to_pylist()] == [
        *[("effort", ""), ("quality", "good")],
        *[("effort", ""), ("quality", "")],
    ]
    with pytest.raises(ExportRefusedError, match="nearest: spans"):
        read(tasks, export | {"criteria": {"span": "quality"}}, name="t.json", criteria=(QUALITY,))


def test_json_min_is_read_by_the_same_names(read_tasks, closes):
    flat = {"id": 7, "prompt_id": "p7", "model": "a", "quality": "good", "annotator": {"id": 4}, "annotation_id": 31}
    flat |= {"created_at": "2026-03-01T10:00:30.500000Z", "updated_at": "2026-03-01T10:01:00Z", "lead_time": 30.25}

    reading = read_tasks([flat], columns={"case": "data.prompt_id", "candidate_1": "data.model"})
    row = reading.rows.to_pylist()[0]

    assert (row["source_path"], row["native_id"], row["rater"], row["case_id"]) == ("/0", "31", "4", "p7")
    assert (row["label"], row["started_at"]) == ("good", "2026-03-01T10:00:00.250000+00:00")
    assert reading.found["as"] == "label_studio json-min"
    assert closes(reading)


def test_elements_that_cannot_be_read_are_refused_one_by_one(read_tasks, closes):
    good = json.dumps(task(1, annotation(1, choice("quality", "good"))))
    twice = good.replace('"id": 1,', '"id": 1, "id": 2,', 1)
    broken = json.dumps(task(1, {"id": 1, "result": None}))

    reading = read_tasks(f"[{good}, {twice}, 3, {{}}, {broken}, {good}]")

    assert reading.rows["source_row"].to_pylist() == [1, 6]
    assert reading.refused["rule"].to_pylist() == ["duplicate_key", "not_a_task", "not_a_task", "not_an_annotation"]
    assert reading.refused["source_path"].to_pylist() == ["/1", "/2", "/3", "/4/annotations/0"]
    assert closes(reading)


@pytest.mark.parametrize("content", ['[{"a": 1}]', "3"])
def test_other_json_is_refused(read_tasks, content):
    with pytest.raises(ExportRefusedError) as error:
        read_tasks(content)

    assert error.value.code == "not_this_format"


def test_an_export_without_a_task_has_no_records(read_tasks, closes):
    reading = read_tasks("[]")

    assert (reading.n_rows, reading.rows.num_rows) == (0, 0)
    assert closes(reading)
