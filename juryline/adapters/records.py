"""An export's records by the kind of file it is: as cells for a mapping by columns, or as a query sees them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from data_contracts.specification_exports import Read
from juryline.adapters.byte_source import plain_bytes
from juryline.adapters.cells import Cells
from juryline.adapters.delimited import read_delimited
from juryline.adapters.json_source import read_json_cells, read_json_texts, read_lines
from juryline.adapters.parquet_source import read_parquet
from juryline.adapters.text_source import text_source

DELIMITED = ("csv", "tsv")


def read_records(path: Path, name: str, read: Read, *, scratch: Path, for_query: bool = False) -> Cells:
    """Every record of a file, as text.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    name : str
        Its path below `exports/`, for messages.
    read : Read
        How it is declared to be cut into records.
    scratch : pathlib.Path
        Private folder in which a packed file may be expanded.
    for_query : bool
        JSON as one column `record` with each record's own text, instead of a column a key.

    Raises
    ------
    ExportRefusedError
        The file cannot be read.
    """
    with plain_bytes(path, name, scratch) as plain, _without_collector():
        cells = _cells(plain.path, name, read, for_query=for_query)
    packed = {key: value for key, value in plain.found.items() if value is not None}
    found = {"as": read.as_, **packed, **cells.found, "n_rows": cells.n_rows}
    return replace(cells, found=found)


@contextmanager
def _without_collector() -> Iterator[None]:
    # Reading makes millions of small objects and no cycle; looking for one takes half of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _cells(path: Path, name: str, read: Read, *, for_query: bool) -> Cells:
    if read.as_ == "parquet":
        return read_parquet(path, name)
    source = text_source(path, name, read.encoding)
    if read.as_ in DELIMITED:
        return read_delimited(source, delimiter=read.separator, quote=read.quote, header=read.header)
    if read.as_ == "lines":
        return read_lines(source)
    read_json = read_json_texts if for_query else read_json_cells
    return read_json(source, lines=read.as_ == "jsonl")
