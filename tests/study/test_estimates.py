"""Which row of estimates is the one that the claim rests on."""

from types import SimpleNamespace

import pytest

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import parse_specification
from data_contracts.vocabulary import Status
from juryline.study.estimates import estimates_table

STUDY = """
juryline: 1
study: claimed
systems: [{{id: a}}, {{id: b}}]
rubric: {{criteria: [{{id: overall, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}, {{id: gpt, kind: model}}]}}
claim: {{primary: {{analysis: x, {primary}}}}}
exports: [{{match: a.csv, format: sql, query: a.sql, population: crowd}}]
analyses: [{{id: x, method: {method}, criterion: overall}}]
"""


def primary_of(primary, method, rows):
    """Ids of the rows that are marked, of rows (population, subject kind, subject, comparator, statistic)."""
    spec = parse_specification(STUDY.format(primary=primary, method=method))
    run = SimpleNamespace(spec=spec, spec_hash="s", lock=None, input_digest=lambda view: "d" * 64)
    cut = {"analysis": "x", "method": spec.analyses[0].method, "criterion": "overall"}
    estimates = [
        Estimate(
            cut=Cut(**cut, population=population), subject_kind=kind, subject=subject, comparator=comparator,
            statistic=statistic, unit="share", status=Status.OK, value=0.5,
        )
        for population, kind, subject, comparator, statistic in rows
    ]  # fmt: skip
    marked = [row for row in estimates_table(run, estimates, []).to_pylist() if row["primary"]]
    return [row["estimate_id"].removeprefix("x/overall/") for row in marked]


@pytest.mark.parametrize("population", ["", ", population: crowd"])
def test_agreement_between_populations_can_be_what_the_claim_rests_on(population):
    rows = [
        ("crowd", "population", "crowd", "gpt", "population_kappa"),
        ("crowd", "population", "crowd", "gpt", "population_agreement"),
    ]

    found = primary_of(f"statistic: population_kappa{population}", "agreement, between: [crowd, gpt]", rows)

    assert found == ["crowd/all/crowd/gpt/population_kappa"]


def test_of_the_study_no_row_of_a_rater_or_of_two_is_primary():
    rows = [
        ("crowd", "study", "all", None, "raw_agreement"),
        ("crowd", "rater", "r001", "r002", "raw_agreement"),
        ("crowd", "rater", "r001", None, "raw_agreement"),
        ("gpt", "study", "all", None, "raw_agreement"),
    ]

    found = primary_of("statistic: raw_agreement, population: crowd", "agreement", rows)

    assert found == ["crowd/all/all/raw_agreement"]


def test_of_a_system_and_of_a_pair_only_the_one_named_is_primary():
    rows = [("crowd", "system", "a", comparator, "win_rate") for comparator in (None, "b")]
    rows += [("crowd", "system", "b", None, "win_rate")]

    of_system = primary_of("statistic: win_rate, population: crowd, system: a", "win_rates", rows)
    of_pair = primary_of("statistic: win_rate, population: crowd, pair: [a, b]", "win_rates", rows)

    assert of_system == ["crowd/all/a/win_rate"]
    assert of_pair == ["crowd/all/a/b/win_rate"]
