"""What a query over `export` may be: one SELECT that reads nothing else and gives the same result always.

Looks at the query's own syntax tree, as the engine parsed it, so nothing is judged by its spelling.
Runs in the child process only, before the query does.
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

import duckdb

EXPORT = "export"

TABLE_FUNCTIONS = {"range", "generate_series", "unnest", "json_each", "json_tree"}
# Bound as functions of the clock where no column is so called, without brackets.
_CLOCK = {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
# Marked stable by the engine, but drawn at random.
_RANDOM = {"reservoir_quantile"}
_WORD = re.compile(r"[a-z_]\w*")


def problem_of(connection: duckdb.DuckDBPyConnection, query: str, columns: Collection[str]) -> str | None:
    """Why a query may not run; None if it may.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        Asked for the syntax tree and for which functions there are.
    query : str
        The query.
    columns : collection of str
        Columns of `export`.
    """
    rows = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchall()
    tree = json.loads(rows[0][0])
    if tree["error"]:
        if tree["error_type"] == "not implemented":
            return "it is not a SELECT"
        return tree["error_message"]
    if len(tree["statements"]) != 1:
        return f"it has {len(tree['statements'])} statements, not one"
    nodes = list(_nodes(tree["statements"]))
    return _reads_elsewhere(nodes) or _changes(nodes, _unstable(connection), {column.lower() for column in columns})


def _reads_elsewhere(nodes: list[dict[str, Any]]) -> str | None:
    known = {EXPORT} | {node["key"].lower() for node in nodes if isinstance(node.get("key"), str)}
    for node in nodes:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            path = node["qualified_name"]["path"]
            if len(path) != 1 or path[0].lower() not in known:
                return f"it reads {'.'.join(path)!r}, and only `export` is there"
        elif kind == "TABLE_FUNCTION":
            name = node["function"].get("function_name", "").lower()
            if name not in TABLE_FUNCTIONS:
                return f"it calls {name}(), and only `export` may be read"
        elif kind == "SHOW_REF":
            return "it asks for the catalog, and only `export` may be read"
        elif kind == "VALUE_PARAMETER":
            return "it has a parameter, and nothing is given for one"
    return None


def _changes(nodes: list[dict[str, Any]], unstable: Collection[str], columns: Collection[str]) -> str | None:
    for node in nodes:
        name = str(node.get("function_name", "")).lower()
        if name in unstable or (name == "age" and len(node.get("arguments", ())) == 1):
            return f"it calls {name}(), whose result is not the same each time, or is no fact of the export"
        if node.get("class") == "COLUMN_REF" and len(node["column_names"]) == 1:
            word = node["column_names"][0].lower()
            if word in _CLOCK and word not in columns:
                return f"it reads {word}, which is not the same each time"
        if node.get("sample"):
            return "it draws a sample, which is not the same each time"
    return None


def _unstable(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Functions that are never stable, and macros made of them or of the catalog."""
    functions = connection.execute(
        "SELECT DISTINCT function_name, function_type = 'scalar', stability, lower(macro_definition)"
        " FROM duckdb_functions()"
    ).fetchall()
    scalar = {name for name, is_scalar, _, _ in functions if is_scalar}
    stable = {name for name, is_scalar, stability, _ in functions if is_scalar and stability == "CONSISTENT"}
    unstable = (scalar - stable) | _RANDOM
    macros = [(name, set(_WORD.findall(definition))) for name, _, _, definition in functions if definition]
    before = -1
    while before != len(unstable):
        before = len(unstable)
        unstable |= {name for name, words in macros if words & (unstable | _CLOCK | {"select"}) - {name}}
    return unstable


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending += node.values()
        elif isinstance(node, list):
            pending += node
