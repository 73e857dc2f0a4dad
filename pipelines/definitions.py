"""The code location: everything Dagster is told, put together once."""

import dagster as dg

from assets import audit, derivation, intake, measurement, reporting, views
from checks import contracts, drop_folder, profile
from pipelines.jobs import audit_job, study_job
from pipelines.resources import study_resource
from pipelines.schedules import daily
from pipelines.sensors import drop_folders


def build_defs(**resources: dg.ResourceDefinition) -> dg.Definitions:
    """The definitions, with resources of the caller's own where it has them.

    Notes
    -----
    A process a step costs seconds for milliseconds of work, so the steps of a run share a process.
    """
    return dg.Definitions(
        assets=dg.load_assets_from_modules([intake, derivation, views, measurement, reporting, audit]),
        asset_checks=dg.load_asset_checks_from_modules([contracts, drop_folder, profile]),
        jobs=[study_job, audit_job],
        sensors=[drop_folders],
        schedules=[daily],
        resources={"study": study_resource} | resources,
        executor=dg.in_process_executor,
    )


defs = build_defs()
