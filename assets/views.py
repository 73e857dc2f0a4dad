"""Protocol views: included judgments, unblinded, in the one shape their protocol is analysed in; and their states."""

from assets.stages import Gate, derived
from data_contracts.tables import COMPARISONS, RATINGS, RESPONSE_STATES, SPA_ANSWERS
from juryline.study.run import Built, StudyRun

GROUP = "views"
KINDS = {"duckdb", "ibis"}
INPUTS = ["judgments", "judgment_history", "exclusion_decisions", "analysis_set"]
ATTRIBUTES = Gate(
    check="attributes", code="attribute_conflict", says="No rater and no case has two values of one attribute."
)


@derived(COMPARISONS, inputs=INPUTS, group=GROUP, kinds=KINDS, gates=[ATTRIBUTES])
def comparisons(study: StudyRun) -> Built:
    """Positions become systems here, and nowhere before."""
    from juryline.derivations.views import comparisons
    from juryline.study.unblinding import viewed

    return viewed(study, comparisons)


@derived(RATINGS, inputs=INPUTS, group=GROUP, kinds=KINDS, gates=[ATTRIBUTES])
def ratings(study: StudyRun) -> Built:
    """One output at a time."""
    from juryline.derivations.views import ratings
    from juryline.study.unblinding import viewed

    return viewed(study, ratings)


@derived(SPA_ANSWERS, inputs=INPUTS, group=GROUP, kinds=KINDS, gates=[ATTRIBUTES])
def spa_answers(study: StudyRun) -> Built:
    """X of P[X > Y] is the system named first in the question."""
    from juryline.derivations.views import spa_answers
    from juryline.study.unblinding import viewed

    return viewed(study, spa_answers)


@derived(RESPONSE_STATES, inputs=["comparisons", "ratings", "spa_answers"], group=GROUP, kinds=KINDS)
def response_states(study: StudyRun) -> Built:
    """Ties, abstentions and failures are kept apart, here as in every statistic."""
    from juryline.derivations.states import response_states

    return response_states(study.table("comparisons"), study.table("ratings"), study.table("spa_answers"))
