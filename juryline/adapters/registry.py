"""Every format that exports are read in: which adapter reads it, and how it is recognised."""

from pathlib import Path
from types import ModuleType

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import RATER_ATTRIBUTES, SQL, TABLE, Export
from juryline.adapters import label_studio, rater_attributes, slam, sql_export, table, toloka
from juryline.adapters.file_head import FileHead, file_head
from juryline.adapters.json_text import JsonReader
from juryline.adapters.reading import ExportReading, account_for

ADAPTERS: dict[str, ModuleType] = {
    TABLE: table,
    SQL: sql_export,
    "label_studio": label_studio,
    "toloka": toloka,
    "slam": slam,
    RATER_ATTRIBUTES: rater_attributes,
}


def read_export(
    path: Path, name: str, export: Export, spec: StudySpec, *, study_dir: Path, scratch: Path
) -> ExportReading:
    """Read an export by the adapter that its specification names.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    name : str
        Its path below `exports/`, with forward slashes.
    export : Export
        How it is declared to be read.
    spec : StudySpec
        The study.
    study_dir : pathlib.Path
        The study's folder, below which a mapping query is.
    scratch : pathlib.Path
        Private folder (0700) for what is expanded or handed to a query; left as it was.

    Returns
    -------
    ExportReading
        Every record as rows, ignored or refused, and only one of these. Rows of format rater_attributes
        are source_row, rater and rater_attributes; of all others, intake rows.

    Raises
    ------
    ExportRefusedError
        The export cannot be accepted whole.
    SpecificationError
        What the export declares cannot be followed.
    """
    if export.format == SQL:
        reading = sql_export.read(path, name, export, spec, study_dir=study_dir, scratch=scratch)
    else:
        reading = ADAPTERS[export.format].read(path, name, export, spec, scratch=scratch)
    return account_for(reading)


def adapter_version(export: Export) -> str:
    """The adapter and version that reads an export; a new version reads accepted exports again."""
    return ADAPTERS[export.format].VERSION


def formats() -> list[tuple[str, str, str]]:
    """Each format: its name, what it reads, how it is recognised."""
    return [(name, adapter.READS, adapter.RECOGNISED_BY) for name, adapter in ADAPTERS.items()]


def recognise(path: Path) -> str | None:
    """The format of a file by its content: an adapter, or csv, tsv, json, jsonl or parquet; None if it is none."""
    head = file_head(path)
    for name, adapter in ADAPTERS.items():
        if hasattr(adapter, "recognises") and adapter.recognises(head):
            return name
    return _kind(head)


def _kind(head: FileHead) -> str | None:
    if head.content.startswith(b"PAR1"):
        return "parquet"
    text = head.text.lstrip()
    if not text or "\0" in text:
        return None
    first = text.split("\n", 1)[0]
    if text[0] in "[{":
        return "jsonl" if text[0] == "{" and _is_json(first) and "\n" in text.rstrip() else "json"
    return "tsv" if "\t" in first else "csv" if "," in first or ";" in first else None


def _is_json(line: str) -> bool:
    try:
        JsonReader().value(line)
    except ValueError:
        return False
    return True
