"""JSON read so that nothing of it is lost: numbers keep the text they are written in, keys their order.

Some values are JSON and still cannot be taken: an object with one key twice means two things at
once, and every reader picks one silently; half of a surrogate pair is no character. Such a value has
a problem, by which its record is refused.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

DEEPEST = 100  # levels; beyond it a value is no record of judgments

PROBLEMS = {
    "duplicate_key": "an object has one key twice; name each key once, or export it again",
    "not_text": "a text holds half of a surrogate pair, which is no character; export it again",
    "nested_too_deeply": f"values are nested more than {DEEPEST} deep; flatten them in the tool",
}

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # escaped; as itself, no encoding lets one through
_SPACE = re.compile(r"[ \t\n\r]*")


class Number(str):
    """A number, or NaN or an infinity, as written."""

    __slots__ = ()


class JsonReader:
    """Reads JSON values; `problem` names what is wrong with the value read last, if anything."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._key_twice = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_int=Number, parse_float=Number, parse_constant=Number
        )

    def value(self, text: str) -> Any:
        """The value of a whole text.

        Raises
        ------
        ValueError
            The text is not JSON, or nested so deeply that it cannot be read at all.
        """
        value, end = self._value_at(text, _after_space(text, 0))
        if _after_space(text, end) != len(text):
            raise json.JSONDecodeError("text behind the value", text, end)
        return value

    def elements(self, text: str) -> Iterator[tuple[Any, str]]:
        """The elements of a top-level array, else the one value, each with its own text.

        Raises
        ------
        ValueError
            As `value`; elements before the break have been given by then.
        """
        at = _after_space(text, 0)
        if text[at : at + 1] != "[":
            yield self.value(text), text.strip(" \t\n\r")
            return
        at = _after_space(text, at + 1)
        if text[at : at + 1] != "]":
            at -= 1
        while text[at : at + 1] != "]":
            start = _after_space(text, at + 1)
            value, end = self._value_at(text, start)
            yield value, text[start:end]
            at = _after_space(text, end)
            if text[at : at + 1] not in (",", "]"):
                raise json.JSONDecodeError("expected a comma or the end of the array", text, at)
        if _after_space(text, at + 1) != len(text):
            raise json.JSONDecodeError("text behind the array", text, at + 1)

    def _value_at(self, text: str, start: int) -> tuple[Any, int]:
        self._key_twice = False
        try:
            value, end = self._decoder.raw_decode(text, start)
        except RecursionError:
            raise json.JSONDecodeError("values are nested too deeply", text, start) from None
        self.problem = "duplicate_key" if self._key_twice else _problem(value, text[start:end])
        return value, end

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            self._key_twice = True
        return value


def cell_text(value: Any) -> str | None:
    """A JSON value as a text cell: null is None, objects and arrays are JSON again."""
    if value is None:
        return None
    if isinstance(value, str):
        return str(value)
    return json_text(value)


def json_text(value: Any) -> str:
    """A value read by `JsonReader` as JSON, numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)}: {json_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return json.dumps(value)


def _problem(value: Any, text: str) -> str | None:
    # Looking into a value costs more than reading it did, so the text is asked first.
    if text.count("[") + text.count("{") > DEEPEST and any(depth > DEEPEST for _, depth in _parts(value)):
        return "nested_too_deeply"
    if _SURROGATE.search(text) and any(isinstance(part, str) and not _is_unicode(part) for part, _ in _parts(value)):
        return "not_text"
    return None


def _parts(value: Any) -> Iterator[tuple[Any, int]]:
    pending = [(value, 0)]
    while pending:
        part, depth = pending.pop()
        yield part, depth
        if isinstance(part, dict):
            pending += [(item, depth + 1) for pair in part.items() for item in pair]
        elif isinstance(part, list):
            pending += [(item, depth + 1) for item in part]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
