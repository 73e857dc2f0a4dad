"""Protocol views: included judgments, unblinded, in the one shape their protocol is analysed in; and their states."""

from assets.stages import Gate, derived
from data_contracts.tables import (
    COMPARISONS,
    RATINGS,
    RESPONSE_STATES,
    SCENARIO_COMPARISONS,
    SCENARIO_RATINGS,
    SCENARIO_SPA_ANSWERS,
    SPA_ANSWERS,
)
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


@derived(SCENARIO_COMPARISONS, inputs=["comparisons", *INPUTS], group=GROUP, kinds=KINDS)
def scenario_comparisons(study: StudyRun) -> Built:
    """Empty where no analysis is repeated and none reads adjudicated labels."""
    from juryline.derivations.views import comparisons
    from juryline.study.scenarios import scenario_view

    return scenario_view(study, COMPARISONS, comparisons)


@derived(SCENARIO_RATINGS, inputs=["ratings", *INPUTS], group=GROUP, kinds=KINDS)
def scenario_ratings(study: StudyRun) -> Built:
    """Empty where no analysis is repeated and none reads adjudicated labels."""
    from juryline.derivations.views import ratings
    from juryline.study.scenarios import scenario_view

    return scenario_view(study, RATINGS, ratings)


@derived(SCENARIO_SPA_ANSWERS, inputs=["spa_answers", *INPUTS], group=GROUP, kinds=KINDS)
def scenario_spa_answers(study: StudyRun) -> Built:
    """Empty where no analysis is repeated."""
    from juryline.derivations.views import spa_answers
    from juryline.study.scenarios import scenario_view

    return scenario_view(study, SPA_ANSWERS, spa_answers)
