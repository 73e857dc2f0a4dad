"""Values of the engine as text that loses nothing, as SQL expressions over DuckDB.

Whole numbers have no fraction, floats the shortest text that reads back as the same number, instants
are ISO 8601 in UTC, nested values JSON, bytes hexadecimal. Used for Parquet exports and for the
results of mapping queries, so that both spell a value alike.
"""

import re

_NESTED = re.compile(r"(STRUCT|MAP|UNION|VARIANT)\b|.*\]$", re.DOTALL)


def text_of(expression: str, type: str) -> str:
    """SQL expression of the text of an expression of a DuckDB type."""
    if type == "VARCHAR" or type == "JSON":
        return f"({expression})::VARCHAR"
    if type.startswith("TIMESTAMP") and "TZ" in type.replace(" WITH TIME ZONE", "TZ"):
        return f"replace(({expression})::VARCHAR, ' ', 'T') || ':00'"
    if type.startswith("TIMESTAMP"):
        return f"replace(({expression})::VARCHAR, ' ', 'T')"
    if type == "BLOB":
        return f"hex({expression})"
    if _NESTED.match(type):
        return f"to_json({expression})::VARCHAR"
    return f"({expression})::VARCHAR"


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"
