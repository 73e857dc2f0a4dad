"""The jobs: everything a study gives, and its audit."""

import dagster as dg

study_job = dg.define_asset_job(
    "study",
    selection=dg.AssetSelection.all() - dg.AssetSelection.groups("audit"),
    description="From the drop folder of a study to its report.",
)

audit_job = dg.define_asset_job(
    "audit",
    selection=dg.AssetSelection.groups("audit"),
    description="How a study's collection went, judged by Great Expectations; imports take seconds, so only on demand.",
)
