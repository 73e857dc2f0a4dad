"""Results: one asset a method, and all their rows as `estimates`."""

from dataclasses import replace

import pyarrow as pa

from assets.stages import derived
from data_contracts.tables import ESTIMATES, Table
from juryline.study.run import Built, StudyRun

GROUP = "measurement"
KINDS = {"numpy"}


def results_of(method: str, meaning: str) -> Table:
    """The table of one method's estimates."""
    return replace(ESTIMATES, name=method, meaning=meaning)


@derived(results_of("spa", "System-level probabilistic assessment"), inputs=["spa_answers"], group=GROUP, kinds=KINDS)
def spa(study: StudyRun) -> Built:
    """Mean stated chance that one system is preferred to another, tested against one half."""
    from juryline.analyses.spa import spa_rows
    from juryline.study.estimates import estimates_of

    return estimates_of(study, "spa", spa_rows, "spa_answers")


@derived(results_of("likert", "Ratings on a scale"), inputs=["ratings"], group=GROUP, kinds=KINDS)
def likert(study: StudyRun) -> Built:
    """Means, level shares and paired differences, with what an ordinal scale does not support said beside them."""
    from juryline.analyses.likert import likert_rows
    from juryline.study.estimates import estimates_of

    return estimates_of(study, "likert", likert_rows, "ratings")


@derived(results_of("pass_rates", "Checklist criteria"), inputs=["ratings"], group=GROUP, kinds=KINDS)
def pass_rates(study: StudyRun) -> Built:
    """Pass rates and label shares per criterion, not only in total."""
    from juryline.analyses.pass_rates import pass_rates_rows
    from juryline.study.estimates import estimates_of

    return estimates_of(study, "pass_rates", pass_rates_rows, "ratings")


@derived(results_of("win_rates", "Wins, losses and ties"), inputs=["comparisons"], group=GROUP, kinds=KINDS)
def win_rates(study: StudyRun) -> Built:
    """Shares of games won, with ties and joint failures counted as what they are."""
    from juryline.analyses.win_rates import win_rates_rows
    from juryline.study.estimates import estimates_of

    return estimates_of(study, "win_rates", win_rates_rows, "comparisons")


@derived(results_of("elo", "Elo ratings"), inputs=["comparisons"], group=GROUP, kinds=KINDS)
def elo(study: StudyRun) -> Built:
    """Mean final rating over random orders of the games: a description of these games, not a strength."""
    from juryline.analyses.elo import elo_rows
    from juryline.study.estimates import estimates_of

    return estimates_of(study, "elo", elo_rows, "comparisons")


@derived(results_of("bradley_terry", "Bradley-Terry ratings"), inputs=["comparisons"], group=GROUP, kinds=KINDS)
def bradley_terry(study: StudyRun) -> Built:
    """Maximum likelihood strengths, refused where none exists."""
    from juryline.analyses.bradley_terry import bradley_terry_rows
    from juryline.study.estimates import estimates_of

    return estimates_of(study, "bradley_terry", bradley_terry_rows, "comparisons")


@derived(
    results_of("agreement", "Agreement of independent raw judgments"),
    inputs=["comparisons", "ratings"],
    group=GROUP,
    kinds=KINDS,
)
def agreement(study: StudyRun) -> Built:
    """Coefficients with what they must be read beside: prevalence, confusion, missing ratings."""
    from juryline.analyses.agreement import agreement_rows
    from juryline.study.estimates import estimates_of

    return estimates_of(study, "agreement", agreement_rows, "comparisons", "ratings")


METHODS = [spa, likert, pass_rates, win_rates, elo, bradley_terry, agreement]
METHOD_NAMES = [asset.key.to_user_string() for asset in METHODS]


@derived(ESTIMATES, inputs=METHOD_NAMES, group=GROUP, kinds={"parquet"})
def estimates(study: StudyRun) -> Built:
    """Making estimates is a look at the data; looks are counted."""
    from juryline.study.standing import record_look

    record_look(study)
    return pa.concat_tables([study.table(name).to_pyarrow() for name in METHOD_NAMES])
