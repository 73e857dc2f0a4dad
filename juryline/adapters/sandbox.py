"""Queries that a study brings along, run where they can do no harm: a child process with limits.

The child sees one table, called `export`, has no files, network or extensions, an empty environment,
and limits of address space and time. Data goes in and out as Parquet in a private folder that is
gone afterwards.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data_contracts.errors import RuleEvaluationError
from juryline.adapters.lossless_text import quoted
from juryline.adapters.query_server import ask

MEMORY = 2 << 30  # of the engine, which spills beyond it
ADDRESS_SPACE = 4 << 30  # of the process; what the engine does not count ends here
SPILL = 16 << 30
MOST_ROWS = 20_000_000
SECONDS = 60
SECONDS_A_GIGABYTE = 300


class QueryFailedError(Exception):
    """A query was refused, failed, or broke a limit. Holds no cell of the data."""

    def __init__(self, what: str, fix: str):
        super().__init__(what)
        self.what = what
        self.fix = fix


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a query may use: bytes of address space and of the engine's memory, seconds of wall time."""

    address_space: int = ADDRESS_SPACE
    memory: int = MEMORY
    seconds: float = SECONDS


def run_query(query: str, table: pa.Table, *, scratch: Path, limits: Limits | None = None) -> pa.Table:
    """The result of a query over `export`, every column text.

    Parameters
    ----------
    query : str
        One SELECT.
    table : pyarrow.Table
        What it sees as `export`.
    scratch : pathlib.Path
        Private folder for the data on its way.
    limits : Limits, optional
        Those of the size of the table unless given.

    Raises
    ------
    QueryFailedError
        What was wrong with the query or what limit it broke, and the mend.
    """
    limits = limits or Limits(seconds=SECONDS + SECONDS_A_GIGABYTE * table.nbytes / 1e9)
    with TemporaryDirectory(dir=scratch, prefix="query-") as folder:
        place = Path(folder)
        pq.write_table(table, place / "export.parquet", compression="lz4")
        request = {
            "query": query,
            "export": str(place / "export.parquet"),
            "result": str(place / "result.parquet"),
            "spill": str(place / "spill"),
            "spill_bytes": SPILL,
            "memory": limits.memory,
            "address_space": limits.address_space,
            # Should this process be killed, the child ends by itself.
            "cpu_seconds": int(limits.seconds) + 10,
        }
        _require_done(ask(request, seconds=limits.seconds))
        return _result(place / "result.parquet")


def matching_rows(table: pa.Table, where: str, key: str, *, scratch: Path, limits: Limits | None = None) -> list[Any]:
    """The keys of the rows for which a condition holds, in the order of the table; null is not holding.

    Parameters
    ----------
    table : pyarrow.Table
        What the condition is asked of; it may also be read as `export`.
    where : str
        An SQL condition.
    key : str
        Column whose values, as text, are given back.
    scratch : pathlib.Path
        Private folder for the data on its way.

    Raises
    ------
    RuleEvaluationError
        The condition was refused, failed, or broke a limit.
    """
    query = f"SELECT {quoted(key)} FROM export WHERE ({where}\n)"
    try:
        return run_query(query, table, scratch=scratch, limits=limits)[key].to_pylist()
    except QueryFailedError as failure:
        raise RuleEvaluationError(
            f"the condition cannot be evaluated: {failure.what}", where=f"where: {where}", fix=failure.fix
        ) from None


def _result(path: Path) -> pa.Table:
    n_rows = pq.read_metadata(path).num_rows
    if n_rows > MOST_ROWS:
        raise QueryFailedError(f"it gives {n_rows:,} rows, and at most {MOST_ROWS:,} are taken", _FIXES["memory"])
    return pq.read_table(path)


_FIXES = {
    "refused": "Write one SELECT over `export` whose result depends on nothing else.",
    "failed": "Correct the query; cast with TRY_CAST what may not be a number or a time.",
    "memory": "Write the query so that it keeps less at once, or split the export.",
    "time": "Write the query so that it ends, or split the export.",
}


def _require_done(answer: dict[str, str]) -> None:
    if answer["kind"] == "defect":
        raise RuntimeError(f"the query process cannot be set up: {answer['message']}")
    if answer["kind"] != "done":
        raise QueryFailedError(answer["message"], _FIXES[answer["kind"]])
