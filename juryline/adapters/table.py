"""Exports that are tables already: CSV, TSV, JSON, JSON Lines and Parquet, mapped by their columns."""

from pathlib import Path

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from juryline.adapters.mapping import read_by_plan
from juryline.adapters.plan import declared_reading, plan_of
from juryline.adapters.reading import ExportReading
from juryline.adapters.records import read_records

VERSION = "table/1"
READS = "CSV, TSV, JSON, JSON Lines and Parquet, mapped by their columns"
RECOGNISED_BY = "the `read` that its export declares in study.yaml"


def read(path: Path, name: str, export: Export, spec: StudySpec, *, scratch: Path) -> ExportReading:
    """A table's records by the columns that the export maps."""
    cells = read_records(path, name, declared_reading(export), scratch=scratch)
    return read_by_plan(cells, plan_of(export, spec), export, name, VERSION)
