"""The daily schedule: every study is brought up to date once a day, whether or not the sensor saw a change."""

import dagster as dg

from assets.partitions import studies
from pipelines.jobs import study_job


@dg.schedule(job=study_job, cron_schedule="0 5 * * *", execution_timezone="UTC")
def daily(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest]:
    """One run a study; what is up to date is left as it is."""
    day = context.scheduled_execution_time.date().isoformat()
    slugs = sorted(context.instance.get_dynamic_partitions(studies.name))
    return [dg.RunRequest(run_key=f"{slug}/{day}", partition_key=slug) for slug in slugs]
