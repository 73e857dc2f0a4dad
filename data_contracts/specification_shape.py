"""What pydantic finds wrong with the shape of a specification, in the words of the file.

Belongs here: which key or value breaks the declared model, the nearest known key, what to write instead.
Does not: what holds between keys; that is in `specification_checks`.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from data_contracts.specification import StudySpec
from data_contracts.specification_part import ID_PATTERN, SLUG_PATTERN
from data_contracts.specification_problem import Problem, listed, nearest
from data_contracts.yaml_source import Address, YamlSource

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
_PATTERNS = {
    ID_PATTERN: "write letters, digits, `.`, `_` and `-`, beginning with a letter or digit, 64 at most",
    SLUG_PATTERN: "write small letters, digits, `_` and `-`, beginning with a letter or digit, 63 at most",
}
_LIMITS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
_LIMIT_WORDS = {"gt": "greater than", "ge": "at least", "lt": "less than", "le": "at most"}
_SHOWN = 60


def shape_problems(source: YamlSource, error: ValidationError) -> list[Problem]:
    """One problem for each place; what the members of a union say of one value is one problem."""
    by_place: dict[Address, list[ErrorDetails]] = {}
    for details in error.errors(include_url=False):
        by_place.setdefault(_place(source.data, details), []).append(details)
    return [_problem(place, found) for place, found in by_place.items()]


def _place(data: Any, details: ErrorDetails) -> Address:
    """Where in the file: pydantic's path without the names of union members; a missing key's place is its own."""
    address: list[str | int] = []
    node = data
    for part in details["loc"]:
        if (isinstance(node, dict) and part in node) or (
            isinstance(node, tuple) and isinstance(part, int) and part < len(node)
        ):
            node = node[part]  # type: ignore[index]
            address.append(part)
    if details["type"] in ("missing", "union_tag_not_found"):
        address.append(_missing_key(details))
    return tuple(address)


def _missing_key(details: ErrorDetails) -> str | int:
    if details["type"] == "union_tag_not_found":
        return details["ctx"]["discriminator"].strip("'")
    return details["loc"][-1]


def _problem(place: Address, found: list[ErrorDetails]) -> Problem:
    if len(found) > 1:
        expected = [_KINDS[details["type"]] for details in found if details["type"] in _KINDS]
        if len(expected) == len(found):
            value = found[0]["input"]
            return Problem(place, f"{_shown(value)} stands where {listed(expected, 'or')} belongs", _retype(value))
    details = next((details for details in found if details["type"] not in _KINDS), found[0])
    return Problem(place, *_words(details))


def _words(details: ErrorDetails) -> tuple[str, str]:
    """What is wrong and what to do."""
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "extra_forbidden":
        key = str(details["loc"][-1])
        return f"unknown key {key!r}", nearest(key, sorted(_known_keys(details["loc"][:-1])))
    if kind in ("missing", "union_tag_not_found"):
        missing = _missing_key(details)
        if isinstance(missing, int):
            return f"a pair has two systems, here {len(value)}", "write [first, second]"
        return f"the key `{missing}` is missing", f"write `{missing}: ...`"
    if kind in _KINDS:
        return f"{_shown(value)} stands where {_KINDS[kind]} belongs", _retype(value)
    if kind in ("literal_error", "enum", "union_tag_invalid"):
        known = context.get("expected", context.get("expected_tags", ""))
        words = [word.strip(" '") for word in known.replace(" or ", ", ").split(",")]
        if kind == "union_tag_invalid":
            key, value = context["discriminator"].strip("'"), context["tag"]
            return f"there is no {key} {value!r}", nearest(str(value), words)
        return f"{_shown(value)} is not one of its values", nearest(str(value), words)
    if kind == "string_pattern_mismatch":
        return f"{_shown(value)} cannot be an id", _PATTERNS[context["pattern"]]
    if kind == "string_too_short":
        return "the text is empty", "write some, or remove the key"
    if kind == "string_too_long":
        return f"{_shown(value)} is too long", f"write {context['max_length']} character"
    if kind in ("too_short", "too_long"):
        few = kind == "too_short"
        bound = context["min_length" if few else "max_length"]
        return f"{context['actual_length']} is too {'few' if few else 'many'}", (
            f"write at {'least' if few else 'most'} {bound}"
        )
    if kind in _LIMITS:
        limit = _LIMITS[kind]
        return f"{_shown(value)} is out of range", f"write a number {_LIMIT_WORDS[limit]} {context[limit]}"
    if kind == "finite_number":
        return f"{_shown(value)} is no finite number", "write a number, or quote it if it is text"
    if kind == "value_error":
        what, _, fix = str(context["error"]).partition("; ")
        return what, fix
    return details["msg"].lower(), "see docs/specification.md"


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, tuple):
        return "a list"
    text = str(value)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def _retype(value: Any) -> str:
    if isinstance(value, bool):
        return f'quote it if it is text: "{str(value).lower()}"'
    if isinstance(value, int | float):
        return f'quote it if it is text: "{value}"'
    if value is None:
        return "write a value, or remove the key"
    if isinstance(value, str) and value.lower() in ("yes", "no", "on", "off"):
        return "write true or false; in YAML 1.2 `yes`, `no`, `on` and `off` are text"
    return "see docs/specification.md for what belongs here"


def _known_keys(path: tuple[int | str, ...]) -> set[str]:
    """Keys that a mapping at a pydantic path may hold."""
    schema = StudySpec.model_json_schema()
    nodes = list(_alternatives(schema, schema))
    for part in path:
        below = [child for node in nodes for child in _below(node, part)]
        nodes = [found for child in below for found in _alternatives(child, schema)] or nodes
    return {key for node in nodes for key in node.get("properties", {})}


def _alternatives(node: dict[str, Any], schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    yield node
    for choice in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _alternatives(choice, schema)


def _below(node: dict[str, Any], part: str | int) -> Iterator[dict[str, Any]]:
    tagged = node.get("discriminator", {}).get("mapping", {})
    if part in tagged:
        yield {"$ref": tagged[part]}
    if part in node.get("properties", {}):
        yield node["properties"][part]
    elif isinstance(part, int) and isinstance(node.get("items"), dict):
        yield node["items"]
    elif isinstance(node.get("additionalProperties"), dict):
        yield node["additionalProperties"]
