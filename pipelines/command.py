"""The `juryline` command: what one types, one function a command.

Results go to standard output, everything said about them to standard error. The exit status is the
one that `data_contracts.errors` gives each failure; an interrupted run is 3: run it again.
"""

import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from data_contracts.errors import JurylineError, TryAgainError, UsageError
from juryline.ledger.workspace import Workspace
from pipelines import printing

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Human-evaluation studies: raw annotation exports in, defensible numbers out.",
)

StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="Name of the study: its folder in the workspace.")]
Machine = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


@app.command()
def new(
    study: StudyName,
    exports: Annotated[
        list[Path] | None, typer.Option("--from", help="Exports to draft the specification from; they are copied.")
    ] = None,
) -> None:
    """Make a study folder with a commented specification, and a workspace if none is found."""
    from juryline.study.scaffold import make_study

    try:
        workspace = Workspace.find(Path.cwd())
    except UsageError:
        workspace = Workspace.create(Path.cwd())
        printing.say(f"Made a workspace here; keep {workspace.home / 'key'} safe: it names your raters.")
    folder = make_study(workspace, study, exports or [])
    printing.say(f"Made {_shown(folder)}. Next: edit study.yaml, drop exports into exports/, `juryline check {study}`.")
    print(folder / "study.yaml")


@app.command()
def check(study: StudyName, machine: Machine = False) -> None:
    """Try the specification and the exports dry: what would be accepted, what refused and why."""
    from juryline.study.dry_run import dry_run

    verdict = dry_run(_workspace(), study)
    printing.dry_run(verdict, machine=machine)
    if not verdict.clean:
        raise typer.Exit(1)


@app.command()
def freeze(
    study: StudyName,
    amend: Annotated[bool, typer.Option("--amend", help="Freeze an edited specification again.")] = False,
    reason: Annotated[str, typer.Option(help="Why it was edited; needed with --amend.")] = "",
    machine: Machine = False,
) -> None:
    """Freeze the specification and every file it names, so that later edits show."""
    from juryline.study.freezing import freeze_study

    now = datetime.now(UTC)
    lock = freeze_study(_workspace(), study, amend=amend, reason=reason, now=now)
    printing.lock(lock, anew=lock.current.frozen_at == now, machine=machine)


@app.command()
def run(
    study: StudyName,
    select: Annotated[str | None, typer.Option(help="Assets to materialise, as Dagster selects them.")] = None,
    machine: Machine = False,
) -> None:
    """Take in what was dropped and bring every table and the report up to date."""
    from pipelines.runs import run_study

    with printing.progress(f"Running {study}"):
        finished = run_study(_workspace(), study, select=select)
    printing.run(finished, machine=machine)
    if finished["refused"]:
        raise typer.Exit(1)


@app.command()
def export(
    study: StudyName,
    to: Annotated[Path, typer.Option(help="Folder to write to.")],
    format: Annotated[str, typer.Option(help="csv or parquet.")] = "csv",
    machine: Machine = False,
) -> None:
    """Write every table with its codebook."""
    from juryline.study.exporting import export_tables

    written = export_tables(_workspace(), study, to, format)
    printing.files(written, machine=machine)


@app.command()
def report(study: StudyName) -> None:
    """Build the report if it is stale, and print where it is."""
    from pipelines.runs import run_study

    with printing.progress(f"Bringing the report of {study} up to date"):
        finished = run_study(_workspace(), study)
    print(finished["report"])


@app.command()
def trace(
    study: StudyName,
    id: Annotated[str, typer.Argument(metavar="ID", help="Of an estimate, judgment, adjudicated label or exclusion.")],
    machine: Machine = False,
) -> None:
    """Walk from an id back to the rows of exports, and forward to the numbers it is part of."""
    from juryline.study.tracing import trace as trace_id

    printing.trace(trace_id(_workspace(), study, id), machine=machine)


@app.command()
def verify(
    study: StudyName,
    head: Annotated[str | None, typer.Option(help="A head kept outside the workspace, as in a report.")] = None,
    machine: Machine = False,
) -> None:
    """Hash everything a study keeps again, and name what differs."""
    from juryline.ledger.lock import study_lock
    from juryline.ledger.verify import verify as verify_study
    from juryline.study.run import require_study

    workspace = _workspace()
    require_study(workspace, study)
    with study_lock(workspace.study_dir(study)):
        verification = verify_study(workspace.study_dir(study), workspace, head)
    printing.verification(verification, machine=machine)
    if not verification.consistent or verification.proven is False:
        raise typer.Exit(1)


@app.command()
def formats(machine: Machine = False) -> None:
    """List the formats that exports are read in, and how each is recognised."""
    from juryline.adapters.registry import formats as known

    printing.formats(known(), machine=machine)


@app.command()
def demo(
    to: Annotated[Path, typer.Option(help="Folder for the demonstration's workspace.")] = Path("demo"),
) -> None:
    """Run the bundled example, from its exports to its report."""
    from juryline.study.freezing import freeze_study
    from juryline.study.scaffold import EXAMPLE, make_demo
    from pipelines.runs import run_study

    workspace = make_demo(to)
    freeze_study(workspace, EXAMPLE, amend=False, reason="", now=datetime.now(UTC))
    with printing.progress(f"Running {EXAMPLE}"):
        finished = run_study(workspace, EXAMPLE)
    printing.run(finished, machine=False)
    print(finished["report"])


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port of the web interface.")] = 3000,
    host: Annotated[str, typer.Option(help="Address it listens on.")] = "127.0.0.1",
) -> None:
    """Start Dagster's web interface and daemon on this workspace."""
    from pipelines.web_interface import serve

    serve(_workspace(), host=host, port=port)


def main() -> None:
    """Run the command and end with the exit status of DESIGN 6."""
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, _interrupted)
    try:
        app()
    except JurylineError as error:
        printing.error(error)
        sys.exit(error.exit_status)
    except OSError as error:
        printing.say(f"juryline: the machine failed: {error}. Nothing is half written; mend it and run again.")
        sys.exit(TryAgainError.exit_status)


def _interrupted(number: int, _: object) -> None:
    raise TryAgainError(f"interrupted by {signal.Signals(number).name}; nothing is half written", fix="run it again")


def _workspace() -> Workspace:
    from pipelines.resources import open_workspace

    return open_workspace()


def _shown(path: Path) -> str:
    return os.path.relpath(path)


if __name__ == "__main__":
    main()
