"""The one partition dimension: a study of the workspace, by its slug."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

STUDY = "study"
studies = dg.DynamicPartitionsDefinition(name=STUDY)


@contextmanager
def checks_by_study() -> Iterator[None]:
    """Declare partitioned checks: Dagster 1.13 calls them a preview, and warns of every one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.PreviewWarning)
        yield
