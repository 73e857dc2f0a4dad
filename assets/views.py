"""Protocol views: included judgments, unblinded, in the one shape their protocol is analysed in."""

from assets.stages import derived
from data_contracts.tables import COMPARISONS, RATINGS, SPA_ANSWERS
from juryline.study.run import StudyRun

GROUP = "views"
KINDS = {"duckdb", "ibis"}
INPUTS = ["judgments", "judgment_history", "exclusion_decisions", "analysis_set"]


@derived(COMPARISONS, inputs=INPUTS, group=GROUP, kinds=KINDS)
def comparisons(study: StudyRun):
    """Positions become systems here, and nowhere before."""
    from juryline.derivations.views import comparisons
    from juryline.study.unblinding import viewed

    return viewed(study, comparisons)


@derived(RATINGS, inputs=INPUTS, group=GROUP, kinds=KINDS)
def ratings(study: StudyRun):
    """One output at a time."""
    from juryline.derivations.views import ratings
    from juryline.study.unblinding import viewed

    return viewed(study, ratings)


@derived(SPA_ANSWERS, inputs=INPUTS, group=GROUP, kinds=KINDS)
def spa_answers(study: StudyRun):
    """X of P[X > Y] is the system named first in the question."""
    from juryline.derivations.views import spa_answers
    from juryline.study.unblinding import viewed

    return viewed(study, spa_answers)
