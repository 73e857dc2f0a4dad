"""Runs that say they go on although nothing runs them: what a kill, or a machine that went down, leaves in Dagster."""

from data_contracts.errors import LockHeldError
from juryline.ledger.lock import study_lock
from juryline.ledger.workspace import Workspace
from pipelines.resources import PARTITION_TAG


def end_lost_runs(workspace: Workspace) -> list[str]:
    """Mark runs as failed whose studies nobody has locked, so that they hold up no other and are tried again.

    Returns
    -------
    list of str
        Their ids.

    Notes
    -----
    A run holds its study's lock from its first step to its last, and the kernel lets go of it with the
    process. Where no daemon runs, no run is about to ask for a lock either.
    """
    import dagster as dg

    going_on = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
    )
    with dg.DagsterInstance.from_config(str(workspace.dagster_home)) as instance:
        lost = [run for run in instance.get_runs(going_on) if not _is_locked(workspace, run.tags.get(PARTITION_TAG))]
        for run in lost:
            instance.report_run_failed(run, "The process of this run ended without a word, as by a kill.")
    return [run.run_id for run in lost]


def _is_locked(workspace: Workspace, slug: str | None) -> bool:
    if slug is None or slug not in workspace.studies():
        return False
    try:
        with study_lock(workspace.study_dir(slug)):
            return False
    except LockHeldError:
        return True
