"""The sensor on the drop folders: a study whose content is not that of its newest run is run.

What was run is asked of the runs themselves and not remembered beside them: a study whose runs were
deleted is found again, and one that goes back to earlier content is run again. A run key dedupes for
ever, so it also names the run before; it keeps a tick that was cut off from starting one run twice.
"""

import re

import dagster as dg

from assets.partitions import STUDY, studies
from data_contracts.specification_part import SLUG_PATTERN
from pipelines.jobs import study_job
from pipelines.requests import CONTENT_TAG, contents, newest_run, request
from pipelines.resources import open_workspace

RUNS_A_TICK = 20  # a daemon's run costs seconds; more would keep the queue from everything else
SECONDS_BETWEEN_TICKS = 30
QUIET = 5.0  # seconds without a write, after which an export is taken for whole


@dg.sensor(
    job=study_job,
    minimum_interval_seconds=SECONDS_BETWEEN_TICKS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers new studies and runs those whose exports or specification changed, a few a tick.",
)
def drop_folders(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """What is new since the newest run of each study."""
    from juryline.study.content import seconds_unchanged

    workspace = open_workspace()
    slugs = [slug for slug in workspace.studies() if re.match(SLUG_PATTERN, slug)]
    # The cursor is the study requested last: a tick goes on where the one before stopped, round the workspace.
    cursor = context.cursor or ""
    round_trip = [slug for slug in slugs if slug > cursor] + [slug for slug in slugs if slug <= cursor]
    requests: list[dg.RunRequest] = []
    for slug, content in contents(workspace, round_trip, context.log):
        before = newest_run(context.instance, slug)
        if before is not None and before.tags.get(CONTENT_TAG) == content:
            continue
        if seconds_unchanged(workspace.study_dir(slug)) < QUIET:
            continue
        requests.append(request(slug, content, run_key=f"{content}/{'first' if before is None else before.run_id}"))
        cursor = slug
        if len(requests) == RUNS_A_TICK:
            break
    known = set(context.instance.get_dynamic_partitions(STUDY))
    added = [slug for slug in slugs if slug not in known]
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=[studies.build_add_request(added)] if added else [],
        skip_reason=None if requests or added else "No export or specification changed.",
        cursor=cursor,
    )
