"""From the drop folder to the ledger: what lies there, what was accepted, what was refused."""

import dagster as dg

from assets.partitions import studies
from assets.stages import OWNERS, derived
from data_contracts.tables import JUDGMENTS, QUARANTINE
from juryline.study.run import Built, StudyRun

GROUP = "intake"


@dg.asset(group_name=GROUP, kinds={"file"}, owners=OWNERS, partitions_def=studies)
def raw_exports(study: dg.ResourceParam[StudyRun]) -> dg.MaterializeResult:
    """Files in the study's drop folder, each with the declaration that reads it."""
    from juryline.study.exports import look_into

    folder = look_into(study.exports, study.spec)
    return dg.MaterializeResult(
        metadata={
            "exports": dg.MetadataValue.json([found.name for found in folder.found]),
            "unmatched": dg.MetadataValue.json(list(folder.unmatched)),
        }
    )


@dg.asset(
    deps=[raw_exports],
    group_name=GROUP,
    kinds={"deltalake"},
    owners=OWNERS,
    partitions_def=studies,
)
def judgments(study: dg.ResourceParam[StudyRun]) -> dg.MaterializeResult:
    """The ledger: every accepted answer, once, with the way back to its export."""
    from data_contracts.rules import dagster_schema, record_rules
    from juryline.study.intake import take_in

    take_in(study)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(study.input_digest("judgments")),
        metadata={
            "dagster/row_count": study.ledger.n_rows,
            "dagster/column_schema": dagster_schema(JUDGMENTS, record_rules(study.spec)),
            "ledger_head": study.ledger.head,
            "deliveries": dg.MetadataValue.json(list(study.taken.deliveries)),
            "refused": dg.MetadataValue.json([str(error) for error in study.taken.refused]),
        },
    )


@derived(QUARANTINE, inputs=["judgments"], group=GROUP, kinds={"parquet"})
def quarantine(study: StudyRun) -> Built:
    """By the readings in force; mending the mapping and running again releases what it mends."""
    return study.readings.quarantine()
