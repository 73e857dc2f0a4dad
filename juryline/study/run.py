"""One run over one study, under its lock: specification, ledger, engine and stamped tables.

Belongs here: opening a study, reading its tables, and the one way a derived table comes to be
(`stage`). Does not: what any table holds.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.parquet as pq

from data_contracts.built import refuse_unbuilt
from data_contracts.errors import ExportRefusedError, UsageError
from data_contracts.lock import Lock, read_lock, require_unedited
from data_contracts.rules import Rule, prove
from data_contracts.specification import StudySpec, load_specification
from data_contracts.specification_digest import section_digests, study_spec_hash
from data_contracts.specification_problem import Problem, refusal
from data_contracts.tables import JUDGMENTS, TABLES, Table
from juryline.ledger.events import Events
from juryline.ledger.judgments import JudgmentLedger
from juryline.ledger.lock import study_lock
from juryline.ledger.stamps import (
    Stamp,
    is_fresh,
    read_stamp,
    remove_unstamped,
    require,
    stamp_path,
    write_stamped,
)
from juryline.ledger.workspace import Workspace
from juryline.study.engine import Engine, interruptible
from juryline.study.readings import Readings

CODE_VERSION = version("juryline")
CONTRACT_VERSION = "1"
ENGINE = "duckdb"

LEDGER_INPUTS = ("judgments",)  # an input that is the ledger itself, and no stamped table


Built: TypeAlias = pa.Table | ir.Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a run took in: the payload of each ingest event, and the exports refused whole."""

    deliveries: tuple[dict[str, Any], ...] = ()
    refused: tuple[ExportRefusedError, ...] = ()


class Study:
    """A study as it lies in its workspace: what it declares, what was frozen of it, and where things are.

    Raises
    ------
    SpecificationError
        As `declared`, or the specification was edited since it was frozen.
    """

    def __init__(self, workspace: Workspace, slug: str):
        self.workspace = workspace
        self.directory = workspace.study_dir(slug)
        self.spec = declared(self.directory)
        self.lock: Lock | None = read_lock(self.directory)
        if self.lock is not None:
            require_unedited(self.spec, self.directory, self.lock)
        self.spec_hash = study_spec_hash(section_digests(self.spec, self.directory))
        self.exports = self.directory / "exports"
        self.report = self.directory / "reports" / f"{slug}.html"
        self.scratch = workspace.scratch(slug)


class StudyRun(Study):
    """A study that is being run; `open_run` gives one, and holds the study's lock."""

    def __init__(self, workspace: Workspace, slug: str):
        super().__init__(workspace, slug)
        if not os.access(Path(__file__).parents[1], os.W_OK):
            # numba keeps what it compiles beside the code; where it may not, here. It looks when it is imported.
            os.environ.setdefault("NUMBA_CACHE_DIR", str(workspace.cache / "numba"))
        self.engine = Engine(self.scratch)
        self.ledger = JudgmentLedger(self.directory, workspace)
        self.events = Events(self.directory, workspace)
        self.taken = Taken()  # so far
        self.readings = Readings(
            workspace, self.directory, self.spec, engine=self.engine, ledger=self.ledger, events=self.events
        )

    def judgments(self) -> ir.Table:
        """The ledger as it stands."""
        return self.engine.parquet("judgments", self.ledger.files(), JUDGMENTS.arrow_schema)

    def live_judgments(self) -> ir.Table:
        """The ledger without what was retracted or withdrawn."""
        gone = self.readings.retracted().union(self.readings.withdrawn())
        live = self.judgments().anti_join(gone, "record_id").select(*JUDGMENTS.names)
        return self.engine.view("live_judgments", live)

    def table(self, name: str) -> ir.Table:
        """A stamped table whose checks passed.

        Raises
        ------
        GateError
            It does not exist, or its stamp did not pass.
        """
        stamp = require(self.directory, name)
        return self.engine.parquet(name, [str(stamp.file)], _schema(name))

    def rows(self, name: str) -> pa.Table:
        """All rows of a stamped table whose checks passed, for whom the engine would do nothing else.

        Raises
        ------
        GateError
            As `table`.
        """
        with pq.ParquetFile(require(self.directory, name).file) as file:
            return file.read().cast(_schema(name))

    @interruptible()
    def stage(
        self,
        table: Table,
        inputs: Sequence[str],
        code_version: str,
        build: Callable[["StudyRun"], Built],
        rules: Sequence[Rule] = (),
    ) -> Stamp:
        """Bring one derived table up to date: nothing is done if its inputs, specification and code are the same.

        The table is put in the order of its key, proved against its contract, and only then written and stamped.
        """
        digests = {name: self.input_digest(name) for name in inputs}
        stamped_by: dict[str, Any] = {
            "inputs": digests,
            "study_spec_hash": self.spec_hash,
            "code_version": f"{CODE_VERSION}+{code_version}",
            "contract_version": f"{CONTRACT_VERSION}+{table.shape_digest}",
        }
        stamp = read_stamp(self.directory, table.name)
        if stamp is not None and is_fresh(stamp, **stamped_by):
            remove_unstamped(stamp)
            return stamp
        rows = self._in_order(build(self), table)
        if rows.num_rows:  # without a row there is nothing to prove beyond the names and types it was cast to
            prove(self.engine.memory(f"{table.name}_proved", rows), table, rules)
        return write_stamped(
            self.directory,
            table.name,
            rows,
            **stamped_by,
            engine=ENGINE,
            ledger_version=self.ledger.version,
            ledger_head=self.ledger.head,
            checks={"contract": True},
        )

    def input_digest(self, name: str) -> str:
        """What a table is made from, as one digest: of a stamped table, or of the ledger with what its readings say."""
        if name in LEDGER_INPUTS:
            return self.readings.digest()
        return require(self.directory, name).content_digest

    def stamp_path(self, name: str) -> Path:
        return stamp_path(self.directory, name)

    def _in_order(self, built: Built, table: Table) -> pa.Table:
        rows = built if isinstance(built, pa.Table) else self.engine.backend.to_pyarrow(built)
        ordered = rows.sort_by([(name, "ascending") for name in table.key])
        return ordered.select(table.names).cast(table.arrow_schema)


def _schema(name: str) -> pa.Schema:
    return TABLES.get(name, TABLES["estimates"]).arrow_schema


def declared(directory: Path) -> StudySpec:
    """The specification of a study's folder.

    Raises
    ------
    SpecificationError
        It is broken, declares what is not in this version, or is of a study of another name: folder, study
        and partition have one.
    """
    spec = load_specification(directory)
    refuse_unbuilt(spec)
    if spec.study != directory.name:
        what = f"the study is called {spec.study}, and its folder {directory.name}"
        fix = f"write `study: {directory.name}`, or rename the folder"
        raise refusal(spec.source, [Problem(("study",), what, fix, code="study_name")])
    return spec


def require_study(workspace: Workspace, slug: str) -> None:
    """Raise unless the workspace has a study of this name."""
    if slug not in workspace.studies():
        known = ", ".join(workspace.studies()) or "none yet"
        raise UsageError(
            f"there is no study {slug} in this workspace; there is: {known}",
            where=str(workspace.root),
            fix=f"juryline new {slug}",
            code="no_study",
        )


@contextmanager
def open_run(workspace: Workspace, slug: str, *, wait: float = 0) -> Iterator[StudyRun]:
    """Hold a study's lock and give its run.

    Raises
    ------
    LockHeldError
        Another run holds it.
    UsageError
        There is no such study.
    """
    require_study(workspace, slug)
    with study_lock(workspace.study_dir(slug), wait):
        workspace.clear_scratch(slug)
        run = StudyRun(workspace, slug)
        try:
            yield run
        finally:
            run.engine.close()
            workspace.clear_scratch(slug)
