"""The engine of one run: a DuckDB connection in process, out of core, in UTC, that never reaches outside."""

import signal
import socket
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import ibis
import ibis.expr.types as ir
import pyarrow as pa

MEMORY_LIMIT = "1GB"  # the default is 80 % of the machine for every connection; a run shares it with others
THREADS = 2
_OPEN: "weakref.WeakSet[duckdb.DuckDBPyConnection]" = weakref.WeakSet()


def connect(scratch: Path) -> duckdb.DuckDBPyConnection:
    """A connection that spills into `scratch` and loads no extension from outside.

    Notes
    -----
    Two threads whatever the machine: the engine counts and joins and never sums doubles, so threads
    change no result, but they do change the memory a limit leaves for each.
    """
    con = duckdb.connect(
        config={
            "memory_limit": MEMORY_LIMIT,
            "threads": str(THREADS),
            "temp_directory": str(scratch),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    con.execute("SET TimeZone = 'UTC'")
    con.execute("SET preserve_insertion_order = true")
    con.execute("SET enable_progress_bar = false")
    _OPEN.add(con)
    return con


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an interrupt be one: DuckDB 2.0 looks at signals seldom, and raises an error of its own where it does."""
    try:
        with _interrupts_passed_on():
            yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


@contextmanager
def _interrupts_passed_on() -> Iterator[None]:
    """Tell the open connections of an interrupt from a thread of its own: the main one may be deep in a query."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is told of signals
        return
    told, heard = socket.socketpair()
    told.setblocking(False)
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    listener = threading.Thread(target=_listen, args=[heard], daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        told.close()
        listener.join()
        heard.close()


def _listen(heard: socket.socket) -> None:
    while received := heard.recv(1):
        if received[0] == signal.SIGINT:
            for con in list(_OPEN):
                with suppress(duckdb.ConnectionException):  # closed by now
                    con.interrupt()


class Engine:
    """Tables of a study as Ibis expressions over one connection."""

    def __init__(self, scratch: Path):
        self.con = connect(scratch)
        self.backend = ibis.duckdb.from_connection(self.con)
        self._views: dict[str, tuple[str, ir.Table]] = {}

    def parquet(self, name: str, files: list[str], schema: pa.Schema) -> ir.Table:
        """A view over Parquet files, or an empty table of the schema where there are none."""
        if not files:
            return self.memory(name, schema.empty_table())
        listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        columns = ", ".join(f'"{column}"' for column in schema.names)
        return self.query(name, f"SELECT {columns} FROM read_parquet([{listed}])")

    def memory(self, name: str, table: pa.Table) -> ir.Table:
        """A view over an Arrow table."""
        self._views.pop(name, None)
        self.con.register(name, table)
        return self.backend.table(name)

    def view(self, name: str, expression: ir.Table) -> ir.Table:
        """An expression as a table of its own, for those that can only look at a table, such as pandera."""
        return self.query(name, self.backend.compile(expression))

    def query(self, name: str, sql: str) -> ir.Table:
        """A view over a query of tables that are there already; made, and its columns looked up, when it changes."""
        made, view = self._views.get(name, ("", None))
        if view is None or made != sql:
            self.con.unregister(name)  # a table in memory would hide the view
            self.con.execute(f'CREATE OR REPLACE VIEW "{name}" AS {sql}')
            view = self.backend.table(name)
            self._views[name] = (sql, view)
        return view

    def close(self) -> None:
        self.con.close()
