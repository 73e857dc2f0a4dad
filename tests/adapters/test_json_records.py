import pytest

from data_contracts.errors import ExportRefusedError

COLUMNS = {"rater": "who", "case": "item", "candidate_1": "x", "candidate_2": "y", "labels": {"overall": "pick"}}
VOTE = '"who": "r1", "item": 1, "x": "a", "y": "b"'


@pytest.fixture
def read_json(read):
    def reading(content: str | bytes, kind: str = "json", **export):
        columns = export.pop("columns", COLUMNS)
        export = {"format": "table", "read": {"as": kind}, "columns": columns} | export
        return read(content, export, name=f"votes.{kind}")

    return reading


def rules(reading) -> list[tuple[int, str]]:
    return [(row["source_row"], row["rule"]) for row in reading.refused.to_pylist()]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("0.10", "0.10"),
        ("1E+15", "1E+15"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("-0", "-0"),
        ("3.0", "3.0"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("true", "true"),
        ("null", "null"),
        ('""', ""),
        ('"NA"', "NA"),
        ('"caf\\u00e9 \\ud83d\\ude00"', "café 😀"),
        ('{"b": [1.50, null, "x\\"y"], "a": true}', '{"b": [1.50, null, "x\\"y"], "a": true}'),
        ("[]", "[]"),
    ],
)
def test_a_value_keeps_the_text_it_is_written_in(read_json, written, text):
    reading = read_json(f'[{{{VOTE}, "pick": {written}}}]')

    assert reading.rows["label"].to_pylist() == [text]


def test_a_null_and_an_absent_key_differ_as_labels_and_are_no_value_elsewhere(read_json):
    reading = read_json(
        f'[{{{VOTE}, "pick": null, "id": null}}, {{{VOTE}, "id": "7"}}]', columns=COLUMNS | {"native_id": "id"}
    )

    assert reading.rows["label"].to_pylist() == ["null", ""]
    assert reading.rows["native_id"].to_pylist() == [None, "7"]


def test_an_object_with_one_key_twice_is_refused_at_any_depth(read_json, closes):
    reading = read_json(
        f'[{{{VOTE}, "pick": "left", "pick": "right"}}, {{{VOTE}, "pick": "tie", "m": {{"a": 1, "a": 1}}}},'
        f' {{{VOTE}, "pick": "left"}}]'
    )

    assert rules(reading) == [(1, "duplicate_key"), (2, "duplicate_key")]
    assert reading.rows["source_row"].to_pylist() == [3]
    assert closes(reading)


def test_half_a_character_is_refused(read_json, closes):
    reading = read_json(f'[{{{VOTE}, "pick": "\\ud83d"}}, {{{VOTE}, "pick": "left", "\\ude00": 1}}]')

    assert rules(reading) == [(1, "not_text"), (2, "not_text")]
    assert closes(reading)


def test_elements_that_are_no_objects_are_refused(read_json, closes):
    reading = read_json(f'[{{{VOTE}, "pick": "left"}}, 3, ["a"], null]')

    assert rules(reading) == [(2, "not_an_object"), (3, "not_an_object"), (4, "not_an_object")]
    assert closes(reading)


def test_a_file_that_is_no_array_is_one_record(read_json):
    reading = read_json(f'\n {{{VOTE}, "pick": "left"}} \n')

    assert (reading.n_rows, reading.rows["label"].to_pylist()) == (1, ["left"])


@pytest.mark.parametrize(
    "broken",
    ['[{"a": 1},', '[{"a": 1}', '[{"a": 1} {"a": 2}]', '[{"a": 1},]', "[,]", '{"a": 1} {"a": 2}', '[{"a": 1}] x', "[1"],
)
def test_a_file_that_is_not_json_is_refused_with_its_line(read_json, broken):
    with pytest.raises(ExportRefusedError) as error:
        read_json("\n\n" + broken)

    assert error.value.code == "not_json"
    assert error.value.where.endswith("line 3")


@pytest.mark.parametrize("opening", ["[", '{"a": '])
def test_json_nested_a_hundred_thousand_deep_is_refused(read_json, opening):
    with pytest.raises(ExportRefusedError) as error:
        read_json(opening * 100_000)

    assert error.value.code == "not_json"


def test_a_record_nested_too_deeply_is_refused_alone(read_json, closes):
    deep = "[" * 150 + "]" * 150
    bottomless = "[" * 100_000 + "]" * 100_000
    reading = read_json(
        f'{{{VOTE}, "pick": "left"}}\n{{{VOTE}, "pick": {deep}}}\n{{{VOTE}, "pick": {bottomless}}}\n', "jsonl"
    )

    assert rules(reading) == [(2, "nested_too_deeply"), (3, "not_json")]
    assert closes(reading)


def test_a_line_that_is_not_json_is_refused_alone(read_json, closes):
    reading = read_json(
        f'{{{VOTE}, "pick": "left"}}\n\nnot json\n{{{VOTE}, "pick": "tie"}} x\n{{{VOTE}, "pick": 1', "jsonl"
    )

    assert reading.rows["source_row"].to_pylist() == [1]
    assert rules(reading) == [(2, "not_json"), (3, "not_json"), (4, "not_json")]
    assert reading.found["blank_lines"] == 1
    assert closes(reading)


def test_a_line_separator_inside_a_text_ends_no_record(read_json):
    reading = read_json(f'{{{VOTE}, "pick": "one\u2028two\x85three"}}\r\n{{{VOTE}, "pick": "left"}}\r\n', "jsonl")

    assert reading.rows["label"].to_pylist() == ["one\u2028two\x85three", "left"]


def test_keys_that_come_late_are_absent_before(read_json, monkeypatch):
    monkeypatch.setattr("juryline.adapters.json_source.CHUNK", 2)
    lines = [f'{{{VOTE}, "pick": "left"}}'] * 3 + [f'{{{VOTE}, "pick": "tie", "why": "close"}}']

    reading = read_json("\n".join(lines), "jsonl", columns=COLUMNS | {"rationale": "why"})

    assert reading.rows["rationale"].to_pylist() == [None, None, None, "close"]
    assert reading.rows["source_row"].to_pylist() == [1, 2, 3, 4]


def test_more_keys_than_a_table_has_columns_are_refused(read_json):
    keys = ", ".join(f'"k{i}": 1' for i in range(10_001))

    with pytest.raises(ExportRefusedError) as error:
        read_json(f"[{{{keys}}}]")

    assert error.value.code == "too_many_columns"
