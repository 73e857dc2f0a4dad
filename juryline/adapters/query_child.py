"""The child process in which queries run, each in a fork of its own with limits of memory and time.

Reads requests from standard input, a JSON a line, and writes an answer a line to standard output; the
result of a query is a Parquet file. It imports the engine once and nothing heavy, runs no thread,
and ends when its standard input does. `query_server` starts it.
"""

import json
import os
import resource
import sys
from typing import Any

import duckdb

from juryline.adapters.lossless_text import literal, quoted, text_of
from juryline.adapters.query_check import EXPORT, problem_of

# These speak of the query alone; messages of all others may quote cells.
_OF_THE_QUERY = (
    duckdb.ParserException,
    duckdb.SyntaxException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.PermissionException,
    duckdb.NotImplementedException,
)


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(_apart(json.loads(line))), flush=True)


def _apart(request: dict[str, Any]) -> dict[str, str]:
    """The answer of a fork, with which limits, and all that a query leaves behind, are gone."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _limit(request["address_space"], request["cpu_seconds"])
        with os.fdopen(writer, "w") as stream:
            json.dump(answer(request), stream)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        told = stream.read()
    os.waitpid(child, 0)
    return (
        json.loads(told)
        if told
        else {"kind": "memory", "message": "it ended its process, as a query without bounds does"}
    )


def answer(request: dict[str, Any]) -> dict[str, str]:
    """Run the request's query; `kind` says how it ended: done, refused, failed, memory, or defect, which is ours."""
    try:
        connection = _connection(request)
    except Exception as error:  # noqa: BLE001 (nothing the query did; the parent raises it)
        return {"kind": "defect", "message": repr(error)}
    try:
        columns = [row[0] for row in connection.execute(f"DESCRIBE {EXPORT}").fetchall()]
        problem = problem_of(connection, request["query"], columns)
        if problem is not None:
            return {"kind": "refused", "message": problem}
        # Behind CREATE, the query may end in a semicolon or a comment; on its first line, messages count lines right.
        connection.execute(f"CREATE TEMP TABLE result AS {request['query']}")
        _write(connection, request)
    except (MemoryError, duckdb.OutOfMemoryException):
        return {"kind": "memory", "message": "it needs more memory than a query may have"}
    except duckdb.Error as error:
        return {"kind": "failed", "message": _message(error)}
    return {"kind": "done", "message": ""}


def _limit(address_space: int, cpu_seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _connection(request: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    settings = {
        "threads": 1,  # rows keep the order of the export, and sums their last digit
        "memory_limit": f"{request['memory']}B",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,
        "temp_directory": request["spill"],
        "max_temp_directory_size": f"{request['spill_bytes']}B",
    }
    connection = duckdb.connect(config=settings)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"CREATE VIEW {EXPORT} AS SELECT * FROM read_parquet({literal(request['export'])})")
    allowed = ", ".join(literal(request[path]) for path in ("export", "result"))
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _write(connection: duckdb.DuckDBPyConnection, request: dict[str, Any]) -> None:
    """The result, every column text."""
    columns = [(column, type) for column, type, *_ in connection.execute("DESCRIBE result").fetchall()]
    cells = [f"{text_of(quoted(column), type)} AS {quoted(column)}" for column, type in columns]
    connection.execute(f"COPY (SELECT {', '.join(cells)} FROM result) TO {literal(request['result'])} (FORMAT parquet)")


def _message(error: duckdb.Error) -> str:
    message = str(error)
    if isinstance(error, _OF_THE_QUERY):
        return message
    # A cell may stand in quotes behind the first words; the place in the query comes last.
    at = message.rfind("\n\nLINE ")
    told = message if at < 0 else message[:at]
    quote = min((place for place in map(told.find, "\"'`") if place >= 0), default=len(told))
    return told[: min(quote, 200)].rstrip(" :") + ("" if at < 0 else message[at:])


if __name__ == "__main__":
    main()
