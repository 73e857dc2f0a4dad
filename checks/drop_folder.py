"""Whether every dropped file was read; what else a study must pass, each asset proves before it writes."""

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
