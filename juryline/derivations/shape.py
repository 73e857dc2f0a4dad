"""Expressions brought into the shape that a table's contract declares, and small answers fetched from the engine."""

from collections.abc import Iterable
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import pyarrow as pa

from data_contracts.tables import Table


def in_shape(expression: ir.Table, table: Table) -> ir.Table:
    """The declared columns of a table in their order, each of its declared type; other columns are dropped."""
    return expression.select(**{column.name: _typed(expression[column.name], column.type) for column in table})


def no_rows(table: Table) -> ir.Table:
    """The table without a row."""
    return ibis.memtable(table.arrow_schema.empty_table())


def declared_rows(schema: list[tuple[str, pa.DataType]], rows: Iterable[tuple[Any, ...]]) -> ir.Table:
    """A small table of what the specification or a mapping says, to join with."""
    columns = list(zip(*rows)) or [()] * len(schema)
    return ibis.memtable(pa.table({name: pa.array(c, type) for (name, type), c in zip(schema, columns)}))


def fetched(expression: ir.Table) -> list[dict[str, Any]]:
    """The rows of a small expression, now: for gates and for names that shape an expression, never for data."""
    return expression.to_pyarrow().to_pylist()


def _typed(value: ir.Value, type: Any) -> ir.Value:
    wanted = dt.DataType.from_pyarrow(type)
    return value if value.type().copy(nullable=True) == wanted else value.cast(wanted)
