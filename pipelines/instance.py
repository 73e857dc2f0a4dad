"""The Dagster instance of a run in this process: the workspace's own, with the files of its event log kept open.

Belongs here: how such a run writes its events. Does not: what else the instance is set to, which its dagster.yaml says.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import dagster as dg
import sqlalchemy as sql
from dagster._core.instance.ref import InstanceRef
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData

from juryline.ledger.workspace import Workspace


@contextmanager
def open_instance(workspace: Workspace) -> Iterator[dg.DagsterInstance]:
    """The instance of a workspace. Only where its events lie in SQLite, as they do by default, it differs."""
    home = os.environ["DAGSTER_HOME"] = str(workspace.dagster_home)
    ref = InstanceRef.from_dir(home)
    stored = ref.event_storage_data
    if stored is not None and stored.class_name == SqliteEventLogStorage.__name__:
        kept_open = ConfigurableClassData(__name__, KeptOpenEventLog.__name__, stored.config_yaml)
        ref = ref._replace(event_storage_data=kept_open, storage_data=None)
    with dg.DagsterInstance.from_ref(ref) as instance:
        yield instance


class KeptOpenEventLog(SqliteEventLogStorage):
    """Dagster's event log in SQLite, with every file it writes opened once.

    Notes
    -----
    Dagster opens and closes a file for each of some 1,500 queries of a run, which was half of what a small run cost.
    Nor does a commit wait for the disk here: that breaks no file, and of a machine that went down under a run the last
    events may be missing. Which tables exist is said by stamps, not by events.
    """

    def __init__(self, *args: Any, **settings: Any):
        self._engines: dict[str, sql.Engine] = {}
        super().__init__(*args, **settings)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> "KeptOpenEventLog":
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def run_connection(self, run_id: str | None = None) -> Iterator[sql.Connection]:
        file = self.conn_string_for_shard(str(run_id))
        if file not in self._engines:
            with super().run_connection(run_id):  # makes it, and the tables in it
                self._engines.setdefault(file, _opened(file))
        with self._engines[file].begin() as connection:
            yield connection
        # Who watches a run looks at this file, and commits go to another beside it.
        os.utime(self.path_for_shard(str(run_id)))

    def index_connection(self) -> AbstractContextManager[sql.Connection]:
        return self.run_connection(INDEX_SHARD_NAME)

    def has_table(self, table_name: str) -> bool:
        with self.index_connection() as connection:
            return sql.inspect(connection).has_table(table_name)

    def wipe(self) -> None:
        self._close()
        super().wipe()

    def dispose(self) -> None:
        self._close()
        super().dispose()

    def _close(self) -> None:
        while self._engines:
            self._engines.popitem()[1].dispose()


def _opened(file: str) -> sql.Engine:
    engine = sql.create_engine(file, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})
    sql.event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous = NORMAL"))
    return engine
