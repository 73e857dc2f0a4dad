"""What an audit looks over: a job of its own, for what judges it takes seconds to import."""

from assets.stages import derived
from data_contracts.tables import JUDGMENT_PROFILE
from juryline.study.run import Built, StudyRun

GROUP = "audit"


@derived(JUDGMENT_PROFILE, inputs=["judgment_history"], group=GROUP, kinds={"duckdb", "ibis"})
def judgment_profile(study: StudyRun) -> Built:
    """Also judgments that are set aside or excluded: it is collection that is looked at, not the sample."""
    from juryline.derivations.profile import judgment_profile

    return judgment_profile(study.table("judgment_history"))
