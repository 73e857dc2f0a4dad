"""Gates of the protocol and the row accounting, as checks: the same verdicts by which the run itself refuses."""

import dagster as dg

from checks.study_checks import study_check
from juryline.study.run import StudyRun


@study_check("raw_exports", blocking=False)
def every_file_has_a_reader(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
    """No file of the drop folder is left unread."""
    from juryline.study.exports import look_into

    unmatched = look_into(study.exports, study.spec).unmatched
    return dg.AssetCheckResult(
        passed=not unmatched, severity=dg.AssetCheckSeverity.WARN, metadata={"unmatched": list(unmatched)}
    )


@study_check("judgments", blocking=False)
def exports_accepted(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
    """Every export was read; why one was refused whole is told by `juryline check`."""
    from juryline.study.intake import pending

    refused = [waiting.reading.path for waiting in pending(study)]
    return dg.AssetCheckResult(passed=not refused, metadata={"refused": refused})


@study_check("record_flow", blocking=True)
def row_accounting(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
    """Every sum of the record flow closes."""
    from juryline.derivations.flow import accounting_errors

    errors = accounting_errors(study.table("record_flow"))
    return dg.AssetCheckResult(passed=not errors, metadata={"errors": errors})


@study_check("judgment_history", blocking=True)
def unique_raters(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
    """Where raters are declared unique, who submits twice needs a `repeat_submission` rule."""
    from juryline.derivations.gates import repeat_raters

    repeated = repeat_raters(study.table("judgment_history"), study.spec)
    return dg.AssetCheckResult(passed=not repeated, metadata={"raters": repeated})
