"""Rows as text that can be hashed: the same values give the same text on any machine, for ever.

A value is its length, a colon and its characters; a null is `-`. So no two different rows share a
text. Numbers are written with 17 significant digits, instants as microseconds since 1970, lists as
the text of their elements in brackets, maps as that of their entries, sorted, in braces. Everything
here is a DuckDB SQL expression, since hashing a million rows one by one in Python takes longer than
everything else intake does.
"""

from collections.abc import Iterable

import pyarrow as pa

from data_contracts.tables import Column

_BLOCK = 64  # SHA-256's block, which HMAC pads its key to (RFC 2104)


def canonical_text(columns: Iterable[Column]) -> str:
    """SQL expression of the canonical text of a row of these columns."""
    # One concat of many parts: a chain of || copies the growing text at each step, and takes twice as long.
    return f"concat({', '.join(canonical_value(_name(column.name), column.type) for column in columns)})"


def canonical_value(expression: str, type: pa.DataType) -> str:
    """SQL expression of the canonical text of one value of an Arrow type."""
    if pa.types.is_list(type):
        element = canonical_value("element", type.value_type)
        inner = f"'[' || array_to_string(list_transform({expression}, lambda element: {element}), '') || ']'"
        return f"coalesce({inner}, '-')"
    if pa.types.is_map(type):
        key, item = canonical_value("entry.key", type.key_type), canonical_value("entry.value", type.item_type)
        entries = f"list_sort(list_transform(map_entries({expression}), lambda entry: {key} || {item}))"
        return f"coalesce('{{' || array_to_string({entries}, '') || '}}', '-')"
    text = _text(expression, type)
    return f"coalesce(strlen({text})::VARCHAR || ':' || {text}, '-')"


def hmac_sha256(key: bytes, message: str) -> str:
    """SQL expression of the HMAC-SHA256, in hexadecimal, of a text expression (RFC 2104)."""
    if len(key) > _BLOCK:
        raise ValueError(f"key of {len(key)} bytes: at most {_BLOCK}")
    padded = key.ljust(_BLOCK, b"\0")
    inner, outer = (_blob(bytes(byte ^ pad for byte in padded)) for pad in (0x36, 0x5C))
    return f"sha256({outer} || unhex(sha256({inner} || encode({message}))))"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _text(expression: str, type: pa.DataType) -> str:
    if pa.types.is_floating(type):
        return f"format('{{:.17g}}', {expression})"
    if pa.types.is_timestamp(type):
        return f"epoch_us({expression})::VARCHAR"
    if pa.types.is_string(type):
        return expression
    return f"({expression})::VARCHAR"


def _blob(data: bytes) -> str:
    return "'" + "".join(f"\\x{byte:02X}" for byte in data) + "'::BLOB"
