"""A YAML file as values whose every part knows its line.

YAML is composed into nodes by PyYAML, and scalars are read here by the core schema of YAML 1.2.2
(section 10.3.2), since PyYAML itself speaks YAML 1.1, where `no` is false, `010` is eight and
`1_000` a thousand. A key of a mapping is always the text as written, for the keys of label maps are
labels. Mappings become dicts, sequences tuples. What cannot mean one thing only is refused: keys given
twice, tags, several documents, aliases that unfold without end.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from data_contracts.errors import SpecificationError

Address = tuple[str | int, ...]

MAX_BYTES = 1_000_000
MAX_NODES = 100_000  # unfolded aliases included: a nine-line file of aliases can mean a billion nodes
MAX_DEPTH = 40
MAX_NUMBER = 100  # characters; int() is quadratic in them

_NULL = re.compile(r"(null|Null|NULL|~|)")
_TRUE = re.compile(r"(true|True|TRUE)")
_FALSE = re.compile(r"(false|False|FALSE)")
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN = re.compile(r"\.(nan|NaN|NAN)")


@dataclass(frozen=True, slots=True)
class Position:
    """Where a value stands, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class YamlSource:
    """The values of a file, and where each was written (a mapping's entry: where its key is)."""

    name: str
    data: Any
    positions: Mapping[Address, Position]

    def position(self, address: Address) -> Position:
        """Where the value at an address is, or the nearest thing around it that was written."""
        while address not in self.positions:
            address = address[:-1]
        return self.positions[address]


def read_yaml(path: Path) -> YamlSource:
    """Read one YAML file.

    Raises
    ------
    SpecificationError
        The file is missing, not UTF-8, not one YAML document, or holds what `parse_yaml` refuses.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise SpecificationError(
            f"there is no {path.name}.",
            where=str(path),
            fix="`juryline new STUDY` writes one; or correct the path.",
            code="no_specification",
        ) from None
    return parse_yaml(content, path.name)


def parse_yaml(content: bytes | str, name: str) -> YamlSource:
    """Values and positions of one YAML document.

    Raises
    ------
    SpecificationError
        Names line, column and mend.
    """
    text = _decode(content, name) if isinstance(content, bytes) else content
    try:
        root = yaml.compose(text, Loader=_PlainLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
        raise _refused(name, where, _explain(error), _mend(text, where)) from None
    except yaml.reader.ReaderError as error:
        where = _position(text, error.position)
        code = ord(error.character) if isinstance(error.character, str) else error.character
        raise _refused(name, where, f"the character U+{code:04X} is not allowed in YAML", "remove it.") from None
    except RecursionError:
        raise _refused(name, Position(1, 1), "values are nested too deeply", "flatten them.") from None
    if root is None:
        raise _refused(name, Position(1, 1), "the file is empty", "`juryline new STUDY` writes a commented one.")
    reader = _Reader(name)
    return YamlSource(name, reader.value(root, ()), reader.positions)


class _PlainLoader(yaml.SafeLoader):
    """Composes nodes only; leaves every plain scalar as text and refuses tags."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (PyYAML's own attribute)
    _in_plain_text = False

    def scan_plain(self) -> Any:
        self._in_plain_text = True
        try:
            return super().scan_plain()
        finally:
            self._in_plain_text = False

    def peek(self, index: int = 0) -> str:
        # {question: Which is better?} is YAML 1.2 (section 7.3.3), but PyYAML ends plain text at a `?`
        # between braces. It only looks at characters with `peek`, and takes the text with `prefix`.
        character = super().peek(index)
        return "x" if character == "?" and self._in_plain_text else character

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if getattr(event, "tag", None) is not None:
            raise yaml.composer.ComposerError(None, None, f"the tag {event.tag} is not read here", event.start_mark)
        return super().compose_node(parent, index)


class _Reader:
    def __init__(self, name: str):
        self.name = name
        self.positions: dict[Address, Position] = {}
        self.nodes = 0

    def value(self, node: yaml.Node, address: Address) -> Any:
        self.positions.setdefault(address, _start(node))
        self.nodes += 1
        if self.nodes > MAX_NODES or len(address) > MAX_DEPTH:
            raise _refused(self.name, _start(node), "aliases unfold without end", "write the values out.")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, address)
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.value(child, (*address, i)) for i, child in enumerate(node.value))
        assert isinstance(node, yaml.ScalarNode)
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, address: Address) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _refused(self.name, _start(key_node), "a key must be text", "quote it, or leave the `?` away.")
            key = key_node.value
            below = (*address, key)
            if key in values:
                first = self.positions[below].line
                raise _refused(
                    self.name,
                    _start(key_node),
                    f"the key {key!r} is given twice, first on line {first}",
                    "keep one of the two.",
                )
            self.positions[below] = _start(key_node)
            values[key] = self.value(value_node, below)
        return values

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text = node.value
        if node.style is not None:
            return text
        numeric = any(pattern.fullmatch(text) for pattern in (_INT, _OCTAL, _HEX, _FLOAT))
        if numeric and len(text) > MAX_NUMBER:
            raise _refused(self.name, _start(node), f"a number of {len(text)} characters", "quote it if it is text.")
        return resolve(text)


def resolve(text: str) -> bool | int | float | str | None:
    """A plain scalar by the core schema of YAML 1.2.2.

    Examples
    --------
    >>> [resolve(text) for text in ("yes", "010", "0x1F", "1_000", "1e3", "~", "2026-03-01")]
    ['yes', 10, 31, '1_000', 1000.0, None, '2026-03-01']

    Only `true` and `false` are truth values, and a date is text.
    """
    if _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    if _INT.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return float("-inf") if text.startswith("-") else float("inf")
    if _NAN.fullmatch(text):
        return float("nan")
    return text


def _decode(content: bytes, name: str) -> str:
    if len(content) > MAX_BYTES:
        raise _refused(name, Position(1, 1), f"the file has {len(content)} bytes", f"keep it below {MAX_BYTES}.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise _refused(
            name, Position(line, column), "the file is not UTF-8", "save it with the encoding UTF-8."
        ) from None


def _explain(error: yaml.MarkedYAMLError) -> str:
    problem = (error.problem or "this is not YAML").replace("but found another document", "a second document starts")
    return f"{error.context}: {problem}" if error.context else problem


def _mend(text: str, where: Position) -> str:
    lines = text.splitlines()
    line = lines[where.line - 1] if where.line <= len(lines) else ""
    if "\t" in line[: where.column]:
        return "indent with spaces; YAML allows no tabs there."
    if line.startswith("---"):
        return "keep one document: remove the `---` and what follows."
    return "quote text that holds : # { } [ ] , & * ! | > ' \" % @ or `."


def _position(text: str, index: int) -> Position:
    return Position(text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))


def _start(node: yaml.Node) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)


def _refused(name: str, where: Position, what: str, fix: str) -> SpecificationError:
    return SpecificationError(
        f"{name} cannot be read: {what}.",
        where=f"{name}, line {where.line}, column {where.column}",
        fix=fix,
        code="yaml",
    )
