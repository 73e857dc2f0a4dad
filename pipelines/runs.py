"""A run of one study in this process, through Dagster, with its errors as they were raised."""

import logging
from typing import TYPE_CHECKING, Any

from data_contracts.errors import JurylineError, TryAgainError
from juryline.ledger.workspace import Workspace
from juryline.study.run import open_run
from juryline.study.summary import summary

if TYPE_CHECKING:
    from dagster import Definitions


def run_study(workspace: Workspace, slug: str, *, select: str | None = None) -> dict[str, Any]:
    """Materialise a study's assets, or some of them, and give the summary of the run.

    Raises
    ------
    JurylineError
        As the step raised it.
    TryAgainError
        The run was interrupted.
    """
    import dagster as dg

    from assets.partitions import STUDY
    from pipelines.definitions import build_defs
    from pipelines.instance import open_instance
    from pipelines.jobs import study_job
    from pipelines.resources import fixed_study

    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    with open_run(workspace, slug) as run, open_instance(workspace) as instance:
        instance.add_dynamic_partitions(STUDY, [slug])
        defs = build_defs(study=fixed_study(run))
        if select is None:
            job, chosen = defs.resolve_job_def(study_job.name), None
        else:  # of any asset, also those of the audit
            job, chosen = defs.resolve_implicit_global_asset_job_def(), _selected(defs, select)
        try:
            result = job.execute_in_process(
                instance=instance,
                partition_key=slug,
                asset_selection=chosen,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
        except dg.DagsterExecutionStepExecutionError as error:
            raise _as_raised(error) from None
        except dg.DagsterExecutionInterruptedError:  # Dagster handles signals while it runs
            raise TryAgainError("interrupted; nothing is half written", fix="run it again") from None
        if not result.success:
            raise RuntimeError(f"run {result.run_id} failed; `juryline ui` shows where")
        return summary(run)


def _selected(defs: "Definitions", select: str) -> list[Any]:
    import dagster as dg

    from data_contracts.errors import UsageError

    try:
        keys = dg.AssetSelection.from_string(select).resolve(defs.resolve_asset_graph())
    except Exception as error:  # noqa: BLE001 (Dagster's parser raises what it likes)
        raise UsageError(
            f"{select!r} selects no assets: {error}", where="--select", fix="name assets, as in `estimates`"
        ) from None
    return sorted(keys)


def _as_raised(error: Exception) -> Exception:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, JurylineError):
            return cause
        cause = cause.__cause__
    return error
