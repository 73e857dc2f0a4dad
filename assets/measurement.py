"""Results: one asset a method, and all their rows as `estimates`."""

from dataclasses import replace

import dagster as dg
import pyarrow as pa

from assets.stages import derived
from data_contracts.tables import ESTIMATES
from juryline.study.methods import READS
from juryline.study.run import Built, StudyRun

GROUP = "measurement"
KINDS = {"numpy"}
SCENARIOS = ["scenario_comparisons", "scenario_ratings", "scenario_spa_answers"]


def results_of(method: str, meaning: str, says: str) -> dg.AssetsDefinition:
    """The asset of one method's estimates."""

    def build(study: StudyRun) -> Built:
        from juryline.study.estimates import estimates_of

        return estimates_of(study, method)

    build.__doc__ = says
    table = replace(ESTIMATES, name=method, meaning=meaning)
    scenarios = [name for name in SCENARIOS if name.removeprefix("scenario_") in READS[method]]
    return derived(table, inputs=list(dict.fromkeys([*READS[method], *scenarios])), group=GROUP, kinds=KINDS)(build)


METHODS = [
    results_of(
        "spa",
        "System-level probabilistic assessment",
        "Mean stated chance that one system is preferred to another, tested against one half.",
    ),
    results_of(
        "likert",
        "Ratings on a scale",
        "Means, level shares and paired differences, with what an ordinal scale does not support said beside them.",
    ),
    results_of("pass_rates", "Checklist criteria", "Pass rates and label shares per criterion, not only in total."),
    results_of(
        "win_rates",
        "Wins, losses and ties",
        "Shares of games won, with ties and joint failures counted as what they are.",
    ),
    results_of(
        "elo",
        "Elo ratings",
        "Mean final rating over random orders of the games: a description of these games, not a strength.",
    ),
    results_of("bradley_terry", "Bradley-Terry ratings", "Maximum likelihood strengths, refused where none exists."),
    results_of(
        "agreement",
        "Agreement of independent raw judgments",
        "Coefficients with what they must be read beside: prevalence, confusion, missing ratings.",
    ),
    results_of(
        "order_effects",
        "Effects of the order shown",
        "Whether the one shown first is preferred, with systems balanced, and whether raters keep their answer.",
    ),
    results_of(
        "length_effects",
        "Whether the longer output wins",
        "Associations of winning with length, which nobody randomised; a test as published, and one that holds.",
    ),
    results_of(
        "judge_agreement",
        "A judge against human raters",
        "How often a judge gives a human's label, beside how often humans do on the same units, and whether it drifts.",
    ),
    results_of(
        "recalibration",
        "A judge adjusted for length preference",
        "Development, never a result: the factor holds what it is compared with, and the controls stand beside it.",
    ),
]
METHOD_NAMES = [asset.key.to_user_string() for asset in METHODS]


@derived(
    replace(
        ESTIMATES, name="sensitivity", meaning="Estimates under declared scenarios, and what becomes of each contrast"
    ),
    inputs=[*METHOD_NAMES, *SCENARIOS, "output_lengths", "assignments", "exclusion_decisions"],
    group=GROUP,
    kinds=KINDS,
)
def sensitivity(study: StudyRun) -> Built:
    """Other exclusions, adjudicated labels, other tie rules; the declared analysis stays the one that counts."""
    from juryline.study.sensitivity import sensitivity

    return sensitivity(study)


@derived(ESTIMATES, inputs=[*METHOD_NAMES, "sensitivity"], group=GROUP, kinds={"parquet"})
def estimates(study: StudyRun) -> Built:
    """Making estimates is a look at the data; looks are counted."""
    from juryline.study.standing import record_look

    record_look(study)
    return pa.concat_tables([study.rows(name) for name in (*METHOD_NAMES, "sensitivity")])
