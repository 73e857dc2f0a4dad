"""What follows from the ledger by declared rules: versions, exclusions, adjudication, and the sums over them."""

from assets.stages import Gate, derived
from data_contracts.tables import (
    ADJUDICATED_LABELS,
    ADJUDICATION_SOURCES,
    ANALYSIS_SET,
    ASSIGNMENTS,
    EXCLUSION_DECISIONS,
    HISTORY,
    OUTPUT_LENGTHS,
    RECORD_FLOW,
)
from juryline.study.run import Built, StudyRun

GROUP = "derivation"
KINDS = {"duckdb", "ibis"}

UNIQUE_RATERS = Gate(
    check="unique_raters",
    code="repeat_raters",
    says="Where raters are declared unique, who submits twice needs a `repeat_submission` rule.",
)
CORRECTIONS = Gate(
    check="corrections",
    code="conflicting_versions",
    says="Under `corrections: reject` no judgment has versions with different answers.",
)
ROW_ACCOUNTING = Gate(check="row_accounting", code="row_accounting", says="Every sum of the record flow closes.")

ASSIGNED = Gate(
    check="assignments",
    code="assignments",
    says="A manifest names rater and case in every row, and only populations and criteria that the study has.",
)
OUTPUTS = Gate(
    check="outputs",
    code="outputs",
    says="Declared outputs name case and system, have whole numbers of tokens, and no output has two texts.",
)


@derived(HISTORY, inputs=["judgments"], group=GROUP, kinds=KINDS, gates=[CORRECTIONS, UNIQUE_RATERS])
def judgment_history(study: StudyRun) -> Built:
    """Corrections are new versions; which one counts follows from submission times, never from arrival."""
    from juryline.derivations.gates import check_unique
    from juryline.derivations.history import check_corrections, judgment_history

    history = judgment_history(study.judgments(), study.readings.retracted(), study.readings.withdrawn(), study.spec)
    check_corrections(history, study.spec)
    check_unique(history, study.spec)
    return history


@derived(EXCLUSION_DECISIONS, inputs=["judgments", "judgment_history"], group=GROUP, kinds=KINDS)
def exclusion_decisions(study: StudyRun) -> Built:
    """A decision stands beside the record and never changes it."""
    from juryline.derivations.exclusions import exclusion_decisions
    from juryline.study.conditions import sql_hits

    history = study.table("judgment_history")
    return exclusion_decisions(history, study.readings.attributes(), study.spec, sql_hits=sql_hits(study, history))


@derived(ANALYSIS_SET, inputs=["judgment_history", "exclusion_decisions"], group=GROUP, kinds=KINDS)
def analysis_set(study: StudyRun) -> Built:
    """Setting aside comes first: such a judgment is never counted excluded."""
    from juryline.derivations.analysis import analysis_set

    return analysis_set(study.table("judgment_history"), study.table("exclusion_decisions"), study.spec)


@derived(ADJUDICATED_LABELS, inputs=["judgment_history", "analysis_set"], group=GROUP, kinds=KINDS)
def adjudicated_labels(study: StudyRun) -> Built:
    """Agreement never reads these."""
    from juryline.derivations.adjudication import adjudicated_labels

    return adjudicated_labels(study.table("judgment_history"), study.table("analysis_set"), study.spec)


@derived(
    ADJUDICATION_SOURCES, inputs=["judgment_history", "analysis_set", "adjudicated_labels"], group=GROUP, kinds=KINDS
)
def adjudication_sources(study: StudyRun) -> Built:
    """The way from an adjudicated label back to the answers it was made of."""
    from juryline.derivations.adjudication import adjudication_sources

    history, standing = study.table("judgment_history"), study.table("analysis_set")
    return adjudication_sources(history, standing, study.table("adjudicated_labels"), study.spec)


@derived(
    RECORD_FLOW,
    inputs=["judgments", "judgment_history", "analysis_set"],
    group=GROUP,
    kinds=KINDS,
    gates=[ROW_ACCOUNTING],
)
def record_flow(study: StudyRun) -> Built:
    """A step whose sum does not close stops the study."""
    from juryline.study.accounting import closed_flow

    return closed_flow(study)


@derived(OUTPUT_LENGTHS, inputs=[], after=["raw_exports"], group=GROUP, kinds=KINDS, gates=[OUTPUTS])
def output_lengths(study: StudyRun) -> Built:
    """Read from the declared files below `exports/`, whose bytes are frozen with the specification."""
    from juryline.study.outputs import lengths_of_outputs

    return lengths_of_outputs(study)


@derived(ASSIGNMENTS, inputs=["judgments", "judgment_history"], group=GROUP, kinds=KINDS, gates=[ASSIGNED])
def assignments(study: StudyRun) -> Built:
    """Read from the manifest, whose bytes are frozen with the specification; raw ids of raters become pseudonyms."""
    from juryline.study.assignments import assignments_of

    return assignments_of(study)
