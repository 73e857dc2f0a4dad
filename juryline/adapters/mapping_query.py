"""Queries of a study over the records of one of its files, which they see as `export`."""

from pathlib import Path

import pyarrow as pa

from data_contracts.errors import SpecificationError
from juryline.adapters.cells import Cells
from juryline.adapters.reading import refuse_export
from juryline.adapters.sandbox import QueryFailedError, run_query

FILENAME, SOURCE_ROW = "filename", "source_row"


def query_text(query: str, study_dir: Path, where: str) -> str:
    """The text of a query.

    Parameters
    ----------
    query : str
        Its path below the study.
    where : str
        The declaration that names it.

    Raises
    ------
    SpecificationError
        The file is not there or not UTF-8.
    """
    try:
        return (study_dir / query).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise SpecificationError(
            f"the mapping query {query} cannot be read.",
            where=where,
            fix=f"Write it to {query} below the study, as UTF-8.",
        ) from None


def run_mapping_query(query: str, text: str, cells: Cells, name: str, *, scratch: Path) -> pa.Table:
    """What a query makes of the records of a file, every column text.

    Parameters
    ----------
    query, text : str
        Its path, for messages, and the query itself.
    cells : Cells
        The records, read `for_query`.
    name : str
        Path of the file below `exports/`.
    scratch : pathlib.Path
        Private folder for the data on its way.

    Raises
    ------
    ExportRefusedError
        The query was refused, failed, or broke a limit.
    """
    try:
        return run_query(text, _seen(cells, name), scratch=scratch)
    except QueryFailedError as failure:
        raise refuse_export(name, f"{query} cannot be run: {failure.what}", fix=failure.fix, code="query") from None


def _seen(cells: Cells, name: str) -> pa.Table:
    """The records as the query sees them; an exported column of a name that Juryline gives is moved aside."""
    names = [f"exported_{n}" if n.lower() in (FILENAME, SOURCE_ROW) else n for n in cells.table.column_names]
    table = cells.table.rename_columns(names)
    table = table.append_column(FILENAME, pa.repeat(pa.scalar(name, pa.string()), table.num_rows))
    return table.append_column(SOURCE_ROW, cells.source_row)
