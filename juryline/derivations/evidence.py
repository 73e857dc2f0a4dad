"""Evidence of an exclusion: the figures a rule saw, as a JSON object that any engine writes alike."""

from collections.abc import Sequence

import ibis
import ibis.expr.types as ir

_ESCAPES = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


def json_object(table: ir.Table, columns: Sequence[str]) -> ir.StringValue:
    """A JSON object of the columns, in their order: text quoted, whole numbers and truth plain, null as null."""
    text = ibis.literal("{")
    for place, name in enumerate(columns):
        text = text.concat(("" if place == 0 else ", ") + f'"{name}": ', _json_value(table[name]))
    return text.concat("}")


def _json_value(value: ir.Value) -> ir.StringValue:
    if isinstance(value, ir.StringValue):
        for character, escape in _ESCAPES:
            value = value.replace(character, escape)
        plain = ibis.literal('"').concat(value.re_replace(r"[\x00-\x1f]", " "), '"')
    else:
        plain = value.cast("string").lower()
    return ibis.coalesce(plain, ibis.literal("null"))
