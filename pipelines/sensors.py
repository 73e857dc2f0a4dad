"""The sensor on the drop folders: what lies in `exports/` that no run has taken in yet starts one.

A run key dedupes for ever, so it is the digest of a study's drop folder and specification: the same
content never starts a second run, changed content always starts one.
"""

import dagster as dg

from assets.partitions import studies
from pipelines.jobs import study_job
from pipelines.resources import open_workspace

RUNS_A_TICK = 20  # a daemon run costs seconds; more would starve the tick
SECONDS_BETWEEN_TICKS = 30


@dg.sensor(job=study_job, minimum_interval_seconds=SECONDS_BETWEEN_TICKS, default_status=dg.DefaultSensorStatus.RUNNING)
def drop_folders(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Register new studies and run those whose exports or specification changed, a few a tick."""
    from juryline.study.content import content_key

    workspace = open_workspace()
    known = set(context.instance.get_dynamic_partitions(studies.name))
    slugs = workspace.studies()
    added = [slug for slug in slugs if slug not in known]
    requests = []
    cursor = context.cursor or ""
    # The cursor is the last slug looked at: a tick goes on where the one before stopped, round the workspace.
    for slug in [s for s in slugs if s > cursor] + [s for s in slugs if s <= cursor]:
        key = content_key(workspace.study_dir(slug))
        if key is not None and not context.instance.get_runs(
            dg.RunsFilter(tags={"dagster/run_key": key, "dagster/partition": slug}), limit=1
        ):
            requests.append(dg.RunRequest(run_key=key, partition_key=slug))
            cursor = slug
            if len(requests) == RUNS_A_TICK:
                break
    changes = [studies.build_add_request(added)] if added else []
    if not requests and not changes:
        return dg.SensorResult(skip_reason="No export or specification changed.", cursor=cursor)
    return dg.SensorResult(run_requests=requests, dynamic_partitions_requests=changes, cursor=cursor)
