"""The report of a study, from its stamped tables."""

import hashlib

from juryline.ledger.files import write_atomically
from juryline.reports.study_report import ReportMaterial, render_report
from juryline.study.engine import interruptible
from juryline.study.run import CODE_VERSION, CONTRACT_VERSION, StudyRun
from juryline.study.standing import study_standing

TABLES_SHOWN = (
    "estimates",
    "record_flow",
    "response_states",
    "exclusion_decisions",
    "analysis_set",
    "adjudicated_labels",
    "quarantine",
)


@interruptible()
def write_report(study: StudyRun) -> str:
    """Render and write the report.

    Returns
    -------
    str
        SHA-256 of its bytes.
    """
    history = study.table("judgment_history")
    material = ReportMaterial(
        spec=study.spec,
        standing=study_standing(study),
        lock=study.lock,
        study_spec_hash=study.spec_hash,
        head=study.ledger.head,
        versions={"juryline": CODE_VERSION, "contract": CONTRACT_VERSION},
        raters=study.engine.backend.to_pyarrow(history.filter(history.current).select("record_id", "rater")),
        **{name: study.rows(name) for name in TABLES_SHOWN},
    )
    page = render_report(material).encode()
    if not study.report.exists() or study.report.read_bytes() != page:
        write_atomically(study.report, page)
    return hashlib.sha256(page).hexdigest()
