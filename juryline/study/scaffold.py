"""New study folders: from a commented template, from exports at hand, or the bundled example."""

import shutil
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import pyarrow.compute as pc

from data_contracts.errors import ExportRefusedError, UsageError
from data_contracts.specification import SPECIFICATION
from data_contracts.specification_exports import Read
from juryline.adapters.cells import Cells
from juryline.adapters.records import read_records
from juryline.adapters.registry import recognise
from juryline.ledger.files import write_atomically
from juryline.ledger.workspace import Workspace

EXAMPLE = "story-quality"
FILLED = "..."

_NO_EXPORT = """\
  - match: "*.csv"                # on the path below exports/
    format: table                 # table | sql | label_studio | toloka | slam
    read: {as: csv}
    population: crowd
    timezone: UTC                 # of times without an offset
    columns:
      rater: rater
      case: prompt
      candidate_1: left_system    # in the order shown
      candidate_2: right_system
      labels: {overall: winner}
      submitted_at: submitted_at
    labels:                       # every label that the export holds; what is not here is refused, never guessed
      overall: {left: candidate_1, right: candidate_2, tie: tie, "": missing}
    not_collected: [started_at]
"""


def make_study(workspace: Workspace, slug: str, exports: Sequence[Path]) -> Path:
    """Make a study's folder with a draft of its specification.

    Parameters
    ----------
    exports : sequence of Path
        Files to draft from: they are copied into `exports/`, and which columns they have stands in the draft.

    Raises
    ------
    UsageError
        There is such a folder already, or an export cannot be read.
    """
    import jinja2

    folder = workspace.study_dir(slug)
    if folder.exists():
        raise UsageError(
            f"{folder} is there already. Nothing was written.", where="STUDY", fix="choose another name", code="exists"
        )
    missing = [str(path) for path in exports if not path.is_file()]
    if missing:
        raise UsageError(f"no such file: {', '.join(missing)}", where="--from", fix="name files that are there")
    drafts = [_draft(path, workspace.scratch(slug)) for path in exports] or [_NO_EXPORT]
    template = files("juryline.study").joinpath("templates/study.yaml").read_text(encoding="utf-8")
    text = jinja2.Template(template, keep_trailing_newline=True).render(study=slug, exports=drafts)
    (folder / "exports").mkdir(parents=True)
    for path in exports:
        shutil.copyfile(path, folder / "exports" / path.name)
    write_atomically(folder / SPECIFICATION, text.encode())
    return folder


def make_demo(to: Path) -> Workspace:
    """A workspace with the bundled example in it; one that is there already is used again.

    Raises
    ------
    UsageError
        The folder is there and holds something else.
    """
    try:
        workspace = Workspace(to)
    except UsageError:
        if to.exists() and any(to.iterdir()):
            raise UsageError(
                f"{to} is there and is no workspace. Nothing was written.", where="--to", fix="name an empty folder"
            ) from None
        workspace = Workspace.create(to)
    folder = workspace.study_dir(EXAMPLE)
    if not (folder / SPECIFICATION).exists():
        example = _example_folder()
        shutil.copytree(example / "exports", folder / "exports", dirs_exist_ok=True)
        write_atomically(folder / SPECIFICATION, (example / SPECIFICATION).read_bytes())
    return workspace


def _example_folder() -> Path:
    package = Path(str(files("juryline")))
    installed, checkout = package / "examples" / EXAMPLE, package.parent / "examples" / EXAMPLE
    return installed if installed.exists() else checkout


def _draft(path: Path, scratch: Path) -> str:
    """An entry of `exports` for a file: what is certain as keys, what was found as comments."""
    kind = recognise(path)
    name = path.name.replace('"', '\\"')
    if kind is None:
        unknown = f"  # {name} is in no format that is known; see `juryline formats`"
        return f'{unknown}\n  - match: "{name}"\n    format: {FILLED}\n'
    if kind not in ("csv", "tsv", "json", "jsonl", "parquet"):
        return f'  - match: "{name}"\n    format: {kind}\n    population: crowd\n'
    try:
        cells = read_records(path, path.name, Read.model_validate({"as": kind}), scratch=scratch)
    except ExportRefusedError as error:
        raise UsageError(f"{path} cannot be read: {error.what}", where=error.where, fix=error.fix) from None
    return "\n".join(_table_draft(name, kind, cells)) + "\n"


def _table_draft(name: str, kind: str, cells: Cells) -> Iterator[str]:
    # Values are not repeated here: a column may hold who the raters are, and this file is what people hand on.
    yield f"  # {name}: {cells.n_rows} rows. Columns found, and how many different values each has:"
    for column in cells.table.column_names:
        yield f"  #   {column}: {pc.count_distinct(cells.table[column]).as_py()}"
    yield f'  - match: "{name}"'
    yield "    format: table"
    yield f"    read: {{as: {kind}}}"
    yield "    population: crowd"
    yield "    columns:                      # put your columns in the place of these names"
    yield "      rater: RATER_COLUMN"
    yield "      case: CASE_COLUMN"
    yield "      candidate_1: FIRST_SHOWN_COLUMN"
    yield "      candidate_2: SECOND_SHOWN_COLUMN"
    yield "      labels: {overall: ANSWER_COLUMN}"
    yield "    labels:"
    yield "      overall: {}                 # each label that the export holds: a response or a state"
    yield "    not_collected: [started_at, submitted_at]     # map them under columns instead, where they are"
