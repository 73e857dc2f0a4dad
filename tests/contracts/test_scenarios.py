"""Which scenarios a specification crosses an analysis with."""

import pytest

from data_contracts.errors import SpecificationError
from data_contracts.scenarios import Scenario, data_scenarios, frozen_scenario, repeated_as, scenarios_of
from data_contracts.specification import StudySpec, parse_specification

STUDY = """\
juryline: 1
study: crossed
systems: [{id: a}, {id: b}]
rubric:
  criteria:
    - {id: overall, protocol: pairwise}
    - {id: fluency, protocol: rating, scale: {measure: ordinal, levels: [1, 2, 3]}}
    - {id: best, protocol: ranking}
raters: {populations: [{id: crowd, kind: human}]}
exports:
  - match: "*.csv"
    format: table
    read: {as: csv}
    population: crowd
    columns: {rater: who, case: item, candidate_1: left, candidate_2: right, labels: {overall: winner}}
    labels: {overall: {l: candidate_1, r: candidate_2, t: tie}}
    not_collected: [started_at, submitted_at]
exclusions:
  - {id: once, rule: sql, scope: judgment, where: "sequence > 9", on_missing: keep}
  - {id: twice, rule: repeat_submission, keep: none, scope: rater}
adjudication:
  - {id: vote, rule: majority, criterion: overall}
  - {id: middle, rule: median, criterion: fluency}
analyses:
  - {id: bt, method: bradley_terry, criterion: overall, ties: half}
  - {id: elo, method: elo, criterion: overall}
  - {id: wins, method: win_rates, criterion: overall}
  - {id: rate, method: likert, criterion: fluency}
  - {id: agree, method: agreement, criterion: overall}
  - {id: settled, method: win_rates, criterion: overall, labels: vote}
"""


def study(sensitivity: str = "") -> StudySpec:
    return parse_specification(STUDY + sensitivity)


def texts(spec: StudySpec, id: str) -> list[str]:
    analysis = next(analysis for analysis in spec.analyses if analysis.id == id)
    return [str(scenario) for scenario in scenarios_of(analysis, spec)]


def test_without_sensitivity_there_is_the_declared_scenario_alone():
    assert texts(study(), "bt") == ["exclusions=all;adjudication=raw;ties=half"]


def test_leave_one_out_is_all_rules_none_and_each_rule_left_out():
    spec = study("sensitivity: {analyses: [wins], exclusions: leave_one_out}")
    assert texts(spec, "wins") == [
        f"exclusions={exclusions};adjudication=raw" for exclusions in ("all", "none", "-once", "-twice")
    ]


def test_tie_rules_are_those_the_method_has():
    spec = study("sensitivity: {analyses: [bt, elo, wins, rate], ties: [half, drop, davidson]}")
    tried = {id: [text.partition("ties=")[2] for text in texts(spec, id)] for id in ("bt", "elo", "wins", "rate")}
    assert tried == {"bt": ["half", "drop", "davidson"], "elo": ["half", "drop"], "wins": [""], "rate": [""]}


def test_labels_are_those_of_the_criterion_and_never_of_agreement():
    spec = study("sensitivity: {analyses: [bt, rate, agree], adjudication: all}")
    read = {id: [text.split(";")[1] for text in texts(spec, id)] for id in ("bt", "rate", "agree")}
    assert read == {
        "bt": ["adjudication=raw", "adjudication=vote"],
        "rate": ["adjudication=raw", "adjudication=middle"],
        "agree": ["adjudication=raw"],
    }


def test_axes_are_crossed_and_the_declared_scenario_stands_first():
    spec = study("sensitivity: {analyses: [bt, settled], exclusions: leave_one_out, adjudication: all, ties: [drop]}")
    assert len(texts(spec, "bt")) == len(set(texts(spec, "bt"))) == 4 * 2 * 2
    assert texts(spec, "settled")[0] == "exclusions=all;adjudication=vote"


def test_judgments_are_needed_apart_from_the_views_only_where_they_differ():
    assert data_scenarios(study()) == [Scenario(labels="vote")]
    spec = study("sensitivity: {analyses: [bt], ties: [drop]}")
    assert data_scenarios(spec) == [Scenario(labels="vote")]
    assert frozen_scenario(spec.analyses[0]).is_view


def test_labels_are_of_all_humans_who_vote_pooled_whatever_else_judges():
    several = STUDY.replace(
        "[{id: crowd, kind: human}]",
        "[{id: crowd, kind: human}, {id: md, kind: human, role: adjudicator}, {id: lab, kind: human}, "
        "{id: gpt, kind: model}]",
    )
    spec = parse_specification(several)

    assert spec.populations_of(spec.analysis("settled")) == (("crowd", "lab"),)
    assert spec.populations_of(spec.analysis("wins")) == (("crowd",), ("lab",), ("gpt",))


def test_labels_are_of_models_where_no_human_judges():
    spec = parse_specification(STUDY.replace("{id: crowd, kind: human}", "{id: crowd, kind: model}"))

    assert spec.voters == ("crowd",)


@pytest.mark.parametrize(
    ("method", "measure", "rule"), [("likert", "ordinal", "median"), ("pass_rates", "nominal", "majority")]
)
def test_a_scenario_of_labels_leaves_out_what_is_declared_of_raters(method, measure, rule):
    by_raters = STUDY.replace(
        "likert, criterion: fluency", f"{method}, criterion: fluency, pairing: rater, unit: rater"
    )
    spec = parse_specification(
        by_raters.replace("measure: ordinal", f"measure: {measure}").replace("rule: median", f"rule: {rule}")
    )
    rate = next(analysis for analysis in spec.analyses if analysis.id == "rate")

    settled, raw = (repeated_as(rate, Scenario(labels=labels), spec) for labels in ("middle", "raw"))

    assert (settled.labels, settled.pairing, settled.unit) == ("middle", None, None)
    assert (raw.labels, raw.pairing, raw.unit) == ("raw", "rater", "rater")


def test_populations_that_a_scenario_pools_have_one_independent_unit():
    """Labels are of all voters, and held against their votes pooled, so that a check says what would stop a run."""
    two = STUDY.replace(
        "{id: crowd, kind: human}",
        "{id: crowd, kind: human, independent_unit: [rater]}, {id: lab, kind: human, independent_unit: [case]}",
    )

    parse_specification(two)
    with pytest.raises(SpecificationError, match="crowd and lab are pooled, and declare different independent units"):
        parse_specification(two + "sensitivity: {analyses: [settled], adjudication: all}\n")
