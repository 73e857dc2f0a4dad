"""The page an analyst opens."""

import dagster as dg

from assets.partitions import studies
from assets.stages import OWNERS
from juryline.study.run import StudyRun


@dg.asset(
    deps=["estimates", "record_flow", "response_states", "adjudicated_labels", "adjudication_sources", "quarantine"],
    group_name="reporting",
    kinds={"html"},
    owners=OWNERS,
    partitions_def=studies,
)
def study_report(study: dg.ResourceParam[StudyRun]) -> dg.MaterializeResult:
    """One self-contained page: status, flow, results, agreement, exclusions, and the way back from each number."""
    from juryline.study.report import write_report

    digest = write_report(study)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(digest), metadata={"report": dg.MetadataValue.path(str(study.report))}
    )
