"""Contract checks: every stored table is read back and proved against its declaration."""

import dagster as dg

from checks.study_checks import study_check
from data_contracts.errors import ContractError
from data_contracts.tables import (
    ADJUDICATED_LABELS,
    ADJUDICATION_SOURCES,
    ANALYSIS_SET,
    COMPARISONS,
    ESTIMATES,
    EXCLUSION_DECISIONS,
    HISTORY,
    QUARANTINE,
    RATINGS,
    RECORD_FLOW,
    RESPONSE_STATES,
    SPA_ANSWERS,
    Table,
)
from juryline.study.run import StudyRun


def contract_of(table: Table) -> dg.AssetChecksDefinition:
    """The check that a stored table keeps its contract."""

    @study_check(table.name, name="contract", blocking=True)
    def contract(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
        """The table is what its declaration says: columns, types, nulls, key and rules."""
        from data_contracts.rules import prove

        try:
            prove(study.table(table.name), table)
        except ContractError as error:
            return dg.AssetCheckResult(passed=False, metadata={"broken": error.what})
        return dg.AssetCheckResult(passed=True)

    return contract


tables = [
    contract_of(table)
    for table in (
        QUARANTINE,
        HISTORY,
        EXCLUSION_DECISIONS,
        ANALYSIS_SET,
        ADJUDICATED_LABELS,
        ADJUDICATION_SOURCES,
        RECORD_FLOW,
        RESPONSE_STATES,
        COMPARISONS,
        RATINGS,
        SPA_ANSWERS,
        ESTIMATES,
    )
]


@study_check("judgments", name="contract", blocking=True)
def judgments_contract(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
    """Every judgment of the ledger keeps the rules it came in under, but for those that the study has changed since."""
    from data_contracts.rules import prove, record_rules
    from data_contracts.tables import JUDGMENTS

    try:
        prove(study.live_judgments(), JUDGMENTS, record_rules(study.spec))
    except ContractError as error:
        return dg.AssetCheckResult(passed=False, metadata={"broken": error.what})
    return dg.AssetCheckResult(passed=True)
