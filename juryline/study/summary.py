"""What a run did, in a few numbers: for the command's last words and for machines."""

from collections import Counter
from typing import Any

from juryline.ledger.stamps import read_stamp
from juryline.study.exports import look_into
from juryline.study.run import StudyRun
from juryline.study.standing import study_standing


def summary(run: StudyRun) -> dict[str, Any]:
    """The standing, the deliveries, the flow and the estimates of a run, as plain values."""
    has = {name: read_stamp(run.directory, name) is not None for name in ("record_flow", "estimates", "analysis_set")}
    standing = study_standing(run) if has["analysis_set"] else None
    flow = run.rows("record_flow").to_pylist() if has["record_flow"] else []
    statuses = run.rows("estimates")["status"].to_pylist() if has["estimates"] else []
    steps: dict[str, dict[str, int]] = {}
    for row in flow:
        steps.setdefault(row["step"], {})[row["reason"]] = row["n"]
    return {
        "study": run.spec.study,
        "status": standing.banner if standing else "not decided",
        "frozen": run.lock is not None,
        "failed_clauses": [clause.text for clause in standing.failed] if standing else [],
        "deliveries": [said | {"n_ignored": sum(said["ignored"].values())} for said in run.taken.deliveries],
        "refused": [str(error) for error in run.taken.refused],
        "unmatched": list(look_into(run.exports, run.spec).unmatched),
        "flow": {step: steps[step] for step in ("export_rows", "answers", "judgments", "current") if step in steps},
        "estimates": {"total": len(statuses), "by_status": dict(sorted(Counter(statuses).items()))},
        "ledger_head": run.ledger.head,
        "report": str(run.report) if run.report.exists() else None,
    }
