"""Requests for runs: each says, by a tag, what content of its study it is to take in."""

import logging
from collections.abc import Iterable, Iterator

import dagster as dg

from data_contracts.errors import JurylineError
from juryline.ledger.workspace import Workspace
from pipelines.jobs import study_job
from pipelines.resources import PARTITION_TAG

CONTENT_TAG = "juryline/content"


def contents(workspace: Workspace, slugs: Iterable[str], log: logging.Logger) -> Iterator[tuple[str, str]]:
    """Studies that have something to run, with the digest of it; one that cannot be read is told of and left out."""
    from juryline.study.content import content_key

    for slug in slugs:
        try:
            content = content_key(workspace.study_dir(slug), workspace.cache / "content")
        except (JurylineError, OSError) as error:
            log.error(f"{slug} is not run: {error}")
            continue
        if content is not None:
            yield slug, content


def request(slug: str, content: str, *, run_key: str) -> dg.RunRequest:
    """A run of a study, quiet where it was started from; what it does is told by its events."""
    quiet = {"loggers": {"console": {"config": {"log_level": "WARNING"}}}}
    # Tried again, if the machine failed, from the start: what is done is left as it is anyway.
    tags = {CONTENT_TAG: content, "dagster/retry_strategy": "ALL_STEPS"}
    return dg.RunRequest(run_key=run_key, partition_key=slug, tags=tags, run_config=quiet)


def newest_run(instance: dg.DagsterInstance, slug: str) -> dg.DagsterRun | None:
    """The newest run of a study, whoever started it and whatever became of it."""
    runs = instance.get_runs(dg.RunsFilter(job_name=study_job.name, tags={PARTITION_TAG: slug}), limit=1)
    return runs[0] if runs else None
