"""The one resource: the study that a run is over, opened once a run and locked until the run is done."""

import os
from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from juryline.ledger.workspace import Workspace
from juryline.study.run import StudyRun, open_run

PARTITION_TAG = "dagster/partition"
WORKSPACE_VARIABLE = "JURYLINE_WORKSPACE"
LOCK_WAIT = 600.0  # seconds: a daemon's run waits for one begun by hand, for it would not be started again


def open_workspace() -> Workspace:
    """The workspace that this process serves: the one named by the environment, else the one it stands in.

    It is looked for when a run or a tick needs it, never when the code location loads.
    """
    named = os.environ.get(WORKSPACE_VARIABLE)
    return Workspace(Path(named)) if named else Workspace.find(Path.cwd())


@dg.resource(description="The study of this run, under its lock: specification, ledger, engine, stamped tables.")
def study_resource(context: dg.InitResourceContext) -> Iterator[StudyRun]:
    """Open the study that the run's partition names."""
    run = context.run
    slug = None if run is None else run.tags.get(PARTITION_TAG)
    if slug is None:
        raise dg.Failure("A run is over one study: choose a partition. Ranges of studies are one run a study.")
    with open_run(open_workspace(), slug, wait=LOCK_WAIT) as study:
        yield study


def fixed_study(run: StudyRun) -> dg.ResourceDefinition:
    """A study that is open already, for runs in this process."""
    return dg.ResourceDefinition.hardcoded_resource(run)
