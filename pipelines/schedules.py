"""The daily schedule: every study is brought up to date once a day, whether or not the sensor saw a change.

It is what tries again a run that the machine failed, and what applies a new version of the code.
"""

import dagster as dg

from assets.partitions import STUDY
from pipelines.jobs import study_job
from pipelines.requests import contents, request
from pipelines.resources import open_workspace


@dg.schedule(
    job=study_job,
    cron_schedule="0 5 * * *",
    execution_timezone="UTC",
    description="Brings every study up to date; what is up to date is left as it is. Off until somebody turns it on.",
)
def daily(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest]:
    """One run a study."""
    day = context.scheduled_execution_time.date().isoformat()
    workspace = open_workspace()
    known = set(context.instance.get_dynamic_partitions(STUDY))
    slugs = [slug for slug in workspace.studies() if slug in known]
    return [
        request(slug, content, run_key=f"{slug}/{day}") for slug, content in contents(workspace, slugs, context.log)
    ]
