"""YAML 1.2 core scalars, places, and everything that cannot mean one thing only."""

import math

import pytest

from data_contracts.errors import SpecificationError
from data_contracts.yaml_source import Position, parse_yaml, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [  # YAML 1.2.2, sections 10.2.1 and 10.3.2
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("tRUE", "tRUE"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("0X1F", "0X1F"),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("190:20:30", "190:20:30"),
        ("+12", 12),
        ("-0", 0),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-2.5E-1", -0.25),
        ("1e", "1e"),
        ("-.inf", -math.inf),
        (".INF", math.inf),
        ("~", None),
        ("null", None),
        ("nULL", "nULL"),
        ("NA", "NA"),
        ("2026-03-01", "2026-03-01"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
        ("=", "="),
        ("<<", "<<"),
        ("'010'", "010"),
        ('"~"', "~"),
        ("Which is better?", "Which is better?"),
    ],
)
def test_scalars_follow_the_core_schema_of_yaml_1_2(text, value):
    found = parse_yaml(f"key: {text}\n", "study.yaml").data["key"]

    assert found == value
    assert type(found) is type(value)


def test_nan_is_read_as_nan_and_not_as_text():
    assert math.isnan(parse_yaml("key: .nan\n", "study.yaml").data["key"])


def test_an_empty_value_is_null_and_an_empty_quoted_one_is_text():
    assert parse_yaml('a:\nb: ""\n', "study.yaml").data == {"a": None, "b": ""}


def test_keys_are_text_exactly_as_written():
    source = parse_yaml('{yes: 1, 010: 2, 1.0: 3, ~: 4, "": 5, NA: 6, true: 7, 0x1F: 8}', "study.yaml")

    assert list(source.data) == ["yes", "010", "1.0", "~", "", "NA", "true", "0x1F"]


def test_a_question_mark_ends_no_plain_text_between_braces():
    source = parse_yaml("{question: Which is better?, also: [really?, so]}", "study.yaml")

    assert source.data == {"question": "Which is better?", "also": ("really?", "so")}


def test_every_value_knows_its_line_and_an_unwritten_one_that_of_its_parent():
    source = parse_yaml("a:\n  - x\n  - {b: 1,\n     c: 2}\n", "study.yaml")

    assert source.position(("a",)) == Position(1, 1)
    assert source.position(("a", 1, "c")) == Position(4, 6)
    assert source.position(("a", 1, "missing", "below")) == Position(3, 5)


def test_an_alias_gives_the_same_value_in_both_places():
    assert parse_yaml("a: &pairs [[x, y]]\nb: *pairs\n", "study.yaml").data == {"a": (("x", "y"),), "b": (("x", "y"),)}


def test_a_merge_key_is_a_key_like_any_other():
    assert parse_yaml("a: &a {x: 1}\nb: {<<: *a}\n", "study.yaml").data["b"] == {"<<": {"x": 1}}


def test_crlf_and_a_byte_order_mark_change_nothing():
    content = b"\xef\xbb\xbfa: 1\r\nb: text\r\n"

    assert parse_yaml(content, "study.yaml").data == {"a": 1, "b": "text"}


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n" for before, name in zip("abcdefg", "bcdefgh")
)


@pytest.mark.parametrize(
    ("content", "line", "what", "fix"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "the key 'a' is given twice, first on line 1", "keep one"),
        ('a: {1: x, "1": y}\n', 1, "the key '1' is given twice", "keep one"),
        ("a: 1\nb:\n\t- 2\n", 3, "'\\t' that cannot start any token", "indent with spaces"),
        ("a: 1\n---\nb: 2\n", 2, "a second document starts", "keep one document"),
        ("a: !!str 5\n", 1, "the tag tag:yaml.org,2002:str is not read here", "quote"),
        ("a: !python/object:os.system x\n", 1, "the tag !python/object:os.system is not read here", "quote"),
        ("? [a, b]\n: 1\n", 1, "a key must be text", "quote it"),
        (BOMB, 1, "aliases unfold without end", "write the values out"),
        ("a: &a [*a]\n", 1, "aliases unfold without end", "write the values out"),
        ("a: *nowhere\n", 1, "undefined alias", "quote"),
        ("a: " + "[" * 5000, 1, "nested too deeply", "flatten"),
        ("a: " + "9" * 5000 + "\n", 1, "a number of 5000 characters", "quote it"),
        ("a: x: y\n", 1, "mapping values are not allowed here", "quote text"),
        ("a: [1, 2\nb: 3\n", 2, "while parsing a flow sequence", "quote text"),
        ("", 1, "the file is empty", "juryline new"),
        ("# nothing\n", 1, "the file is empty", "juryline new"),
        (b"a: 1\nb: caf\xe9\n", 2, "not UTF-8", "UTF-8"),
        ("a: 1\n".encode("utf-16"), 1, "not UTF-8", "UTF-8"),
        ("a: 1\nb: x\x07y\n", 2, "the character U+0007 is not allowed", "remove it"),
        (b"a: " + b"x" * 1_000_001, 1, "the file has 1000004 bytes", "below 1000000"),
    ],
    ids=lambda value: None if isinstance(value, int) else str(value)[:24],
)
def test_what_cannot_mean_one_thing_is_refused_with_line_and_mend(content, line, what, fix):
    with pytest.raises(SpecificationError) as refused:
        parse_yaml(content, "study.yaml")

    assert what in refused.value.what
    assert refused.value.where.startswith(f"study.yaml, line {line}, column ")
    assert fix in refused.value.fix
    assert refused.value.exit_status == 2


def test_a_missing_file_says_how_to_get_one(tmp_path):
    with pytest.raises(SpecificationError, match="juryline new") as refused:
        read_yaml(tmp_path / "study.yaml")

    assert refused.value.code == "no_specification"
