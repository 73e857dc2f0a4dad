"""A whole and a minimal study are read as declared, and give what others ask of them."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from data_contracts.specification import StudySpec, load_specification, parse_specification
from data_contracts.specification_rubric import level_text
from data_contracts.vocabulary import CandidateOrder, ItemKind, Measure, Phase, Protocol, RaterKind, State
from data_contracts.yaml_source import parse_yaml

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def whole() -> StudySpec:
    return load_specification(HERE / "whole.yaml")


@pytest.fixture(scope="module")
def minimal() -> StudySpec:
    return load_specification(HERE / "minimal.yaml")


def test_words_are_read_as_members_of_the_vocabulary(whole):
    assert whole.phase is Phase.CONFIRMATORY
    assert whole.criterion("coherence").protocol is Protocol.RATING
    assert whole.criterion("coherence").scale.measure is Measure.ORDINAL
    assert whole.population("gpt-4").kind is RaterKind.MODEL
    assert whole.exports[0].item_kinds["again"] is ItemKind.REPEAT
    assert whole.analysis("agreement").as_category == (State.UNKNOWN,)


def test_keys_of_label_maps_are_text_and_levels_keep_their_type(whole):
    labels = whole.exports[0].labels["overall"]

    assert labels["1"] == "candidate_1"
    assert labels["yes"] == "unknown"
    assert labels["~"] == "invalid"
    assert labels["NA"] == labels[""] == "missing"
    assert whole.exports[1].labels["coherence"]["low"] == 1


def test_a_column_and_a_constant_are_told_apart(whole):
    columns = whole.exports[0].columns

    assert (columns.rater.column, columns.rater.constant) == ("worker", None)
    assert (columns.exposure.column, columns.exposure.constant) == (None, 5)
    assert list(columns.cells()) == [
        "rater",
        "case",
        "candidate_1",
        "candidate_2",
        "native_id",
        "submission_id",
        "sequence",
        "exposure",
        "item_kind",
        "gold_label",
        "started_at",
        "submitted_at",
    ]


def test_attributes_are_columns_of_their_name_unless_mapped(whole):
    assert whole.exports[0].attributes.case == {"category": "category"}
    assert whole.exports[0].attributes.rater == {"age": "age_band"}
    assert whole.rater_attributes == {"age", "native_language"}
    assert whole.case_attributes == {"category"}


def test_one_value_may_stand_for_a_list_of_one(whole):
    assert whole.analysis("wins").criterion == ("overall",)
    assert whole.slices == (("native_language",), ("category", "age"))
    assert whole.exports[0].ignore[0].values == ("draft", "")
    assert whole.analysis("humans-judge").reference == ("crowd",)


def test_python_keywords_are_written_with_an_underscore(whole):
    assert whole.exports[0].read.as_ == "csv"
    assert whole.criterion("ending").scale.pass_ == ("Yes",)
    assert whole.adjudication[3].else_ == "unresolved"
    assert whole.claim.construct_ == "overall story quality"


def test_what_is_left_out_is_not_declared(minimal):
    assert minimal.phase is Phase.EXPLORATORY
    assert minimal.claim.independent_unit is None
    assert minimal.planned is None
    assert minimal.interface is None
    assert minimal.order_of("crowd") is None
    assert minimal.reference is None
    assert minimal.independent_unit_of(minimal.analyses[0], "crowd") is None


def test_blinded_ids_default_to_ids(whole, minimal):
    assert whole.system_of_blinded == {"writer-D": "davinci", "writer-C": "curie", "writer-E": "human"}
    assert minimal.system_of_blinded == {"davinci": "davinci", "curie": "curie"}
    assert whole.reference == "human"


def test_order_is_the_exports_then_the_populations_then_the_assignments(whole):
    assert whole.order_of("gpt-4", whole.exports[1]) is CandidateOrder.NOT_RECORDED
    assert whole.order_of("students") is CandidateOrder.FIXED
    assert whole.order_of("crowd", whole.exports[0]) is CandidateOrder.COUNTERBALANCED
    assert whole.orders_of("gpt-4") == {CandidateOrder.NOT_RECORDED}
    assert whole.orders_of("students") == {CandidateOrder.FIXED}


def test_an_order_that_nothing_declares_is_none_of_the_four(minimal):
    assert minimal.orders_of("crowd") == {None}


@pytest.mark.parametrize(
    ("declared", "unit"),
    [
        (None, ("case",)),
        (("rater",), ("case",)),
        (("rater", "case"), ("case",)),
        (("rater", "category"), ("category",)),
        (("category",), ("category",)),
    ],
)
def test_the_independent_unit_of_adjudicated_labels_is_never_the_rater(whole, declared, unit):
    claim = whole.claim.model_copy(update={"independent_unit": declared})
    raw = whole.analysis("tests").model_copy(update={"labels": "raw"})
    spec = whole.model_copy(update={"claim": claim})

    assert spec.independent_unit_of(raw, "students") == declared
    assert spec.independent_unit_of(raw.model_copy(update={"labels": "all-agree"}), "students") == unit


def test_independent_unit_is_the_analysis_then_the_populations_then_the_claims(whole):
    assert whole.independent_unit_of(whole.analysis("bt"), "crowd") == ("rater",)
    assert whole.independent_unit_of(whole.analysis("spa"), "crowd") == ("rater", "case")
    assert whole.independent_unit_of(whole.analysis("spa"), "students") == ("rater",)


def test_profiles_without_a_population_are_of_all_humans_each_in_the_namespace_of_its_judgments(whole):
    votes, _, _, profiles, _ = whole.exports

    assert whole.rater_spaces(votes) == (("crowd", "platform"),)
    assert whole.rater_spaces(profiles) == (("crowd", "platform"), ("students", "students"), ("md", "md"))


def test_all_criteria_are_those_the_method_can_read(whole):
    assert [criterion.id for criterion in whole.criteria_of(whole.analysis("tests"))] == ["ending"]


def test_populations_run_one_at_a_time_without_adjudicators(whole):
    assert whole.populations_of(whole.analysis("spa")) == (("crowd",), ("students",), ("gpt-4",))
    assert whole.populations_of(whole.analysis("likert")) == (("crowd",),)


def test_pairs_are_declared_or_all_oriented_as_in_systems(whole):
    assert whole.pairs_of(whole.analysis("spa")) == (("davinci", "curie"), ("human", "davinci"))
    assert whole.pairs_of(whole.analysis("bt")) == (("davinci", "curie"), ("davinci", "human"), ("curie", "human"))


def test_seed_is_the_analysis_then_the_studys(whole):
    assert whole.seed_of(whole.analysis("elo")) == 7
    assert whole.seed_of(whole.analysis("bt")) == 20260301


def test_a_criterion_of_an_earlier_revision_is_known_behind_those_in_force(whole):
    assert list(whole.criteria_of_revision) == ["r2", "r1"]
    assert list(whole.criteria_of_revision["r1"]) == ["overall", "coherence-r1"]
    assert list(whole.criteria_ever) == [*whole.criteria, "coherence-r1"]
    assert whole.criteria_ever["overall"].question == "Which story is better?"


def test_levels_keep_the_declared_order_and_3_is_3_point_0(whole):
    scale = whole.criterion("ending").scale

    assert scale.level_index == {"Yes": 0, "No": 1}
    assert level_text(3.0) == level_text(3) == "3"
    assert not scale.numeric


def test_bounds_are_of_levels_or_as_declared(whole, minimal):
    assert whole.criterion("coherence").bounds == (1.0, 5.0)
    assert whole.criterion("fluency").bounds == (0.0, 10.0)
    assert whole.criterion("preference").bounds == (0.0, 100.0)
    assert whole.criterion("ending").bounds == (None, None)
    assert minimal.criterion("overall").bounds == (None, None)


def test_a_file_is_read_by_its_ending_where_it_is_not_declared(whole):
    reading = [export.reading for export in whole.exports]

    assert [None if read is None else read.as_ for read in reading] == ["csv", "jsonl", "tsv", "csv", "json"]
    assert [read.separator for read in reading[:3]] == [";", ",", "\t"]


def test_a_specification_never_changes(minimal):
    with pytest.raises(ValidationError, match="frozen"):
        minimal.study = "other"


def test_a_folder_is_read_through_its_study_yaml(tmp_path):
    (tmp_path / "study.yaml").write_bytes((HERE / "minimal.yaml").read_bytes())

    assert load_specification(tmp_path).study == "two-writers"


def test_text_is_read_like_a_file():
    assert parse_specification((HERE / "minimal.yaml").read_text()).source.name == "study.yaml"


def test_an_interval_rating_without_levels_needs_no_ends():
    text = (HERE / "minimal.yaml").read_text()
    text = text.replace(
        "protocol: pairwise, question: Which story is better?", "protocol: rating, scale: {measure: ratio}"
    )
    text = text.replace(", candidate_2: right", "").replace("method: win_rates", "method: likert")
    text = text.replace("{left: candidate_1, right: candidate_2, same: tie, ", "{")

    assert parse_specification(text).criterion("overall").bounds == (None, None)


WIDE = "columns: {labels: {overall: winner}}"


@pytest.mark.parametrize(
    ("exports", "may"),
    [
        ([f"format: table, {WIDE}"], {"overall"}),
        (["format: table, columns: {criterion: {constant: tone}, label: answer}"], {"tone"}),
        (["format: table, columns: {criterion: {constant: '1'}, label: answer}, criteria: {'1': tone}"], {"tone"}),
        (["format: table, columns: {label: answer}"], {"overall", "tone"}),
        (["format: table, columns: {criterion: asked, label: answer}"], {"overall", "tone"}),
        (["format: sql, query: a.sql"], {"overall", "tone"}),
        ([f"format: table, {WIDE}", "format: sql, query: a.sql"], {"overall", "tone"}),
        ([f"format: table, {WIDE}", "format: rater_attributes"], {"overall"}),
        ([], {"overall", "tone"}),
    ],
)
def test_what_a_population_can_have_judged_is_known_of_tables_and_not_of_queries(exports, may):
    declared = ", ".join(f"{{match: '{n}.csv', population: crowd, {text}}}" for n, text in enumerate(exports))
    spec = StudySpec.model_validate(
        parse_yaml(
            "juryline: 1\nstudy: s\nsystems: [{id: a}]\nanalyses: [{id: w, method: win_rates, criterion: overall}]\n"
            "rubric: {criteria: [{id: overall, protocol: pairwise}, {id: tone, protocol: pairwise}]}\n"
            "raters: {populations: [{id: crowd, kind: human}, {id: lab, kind: human}]}\n"
            f"exports: [{declared or '{match: b.csv, format: sql, query: b.sql, population: lab}'}]\n",
            "study.yaml",
        ).data
    )

    assert {criterion for criterion in ("overall", "tone") if spec.may_judge("crowd", criterion)} == may
