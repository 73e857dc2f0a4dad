"""The contract of the ledger, proved of the stored judgments; every derived table proves its own as it is made."""

import dagster as dg

from checks.study_checks import study_check
from juryline.study.run import StudyRun


@study_check("judgments", name="contract", blocking=True)
def judgments_contract(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
    """Every judgment of the ledger that an export still gives keeps the rules of the specification."""
    from data_contracts.errors import ContractError
    from data_contracts.rules import prove, record_rules
    from data_contracts.tables import JUDGMENTS

    try:
        prove(study.live_judgments(), JUDGMENTS, record_rules(study.spec))
    except ContractError as error:
        return dg.AssetCheckResult(passed=False, metadata={"broken": error.what})
    return dg.AssetCheckResult(passed=True)
