from dataclasses import replace

import duckdb
import pytest

from data_contracts.errors import ContractError, SpecificationError
from data_contracts.specification_exports import Export
from juryline.analyses.cuts import (
    cluster_codes,
    codes,
    criteria,
    cuts,
    declared_pairs,
    independent_unit,
    level_labels,
    source_query,
    unit_columns,
)

STUDY = """
systems: [{id: zeta}, {id: alpha}, {id: mid}]
rubric:
  criteria:
    - {id: ending, protocol: checklist, scale: {measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}}
    - {id: plot, protocol: checklist, scale: {measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}}
    - {id: genre, protocol: rating, scale: {measure: nominal, levels: [crime, comedy]}}
    - {id: style, protocol: rating, scale: {measure: ordinal, levels: [poor, fair, excellent]}}
raters:
  populations:
    - {id: experts, kind: human, independent_unit: [case]}
    - {id: crowd, kind: human}
    - {id: judge-1, kind: model}
    - {id: chief, kind: human, role: adjudicator}
slices: [language, [language, age]]
"""


@pytest.fixture
def study(specification):
    return lambda analysis: specification(f"{STUDY}\nanalyses: [{analysis}]")


def names(spec, view):
    return [(c.criterion, c.population, c.slice, c.slice_value) for c, _ in cuts(spec.analyses[0], spec, view)]


def test_cuts_follow_the_specification_and_slices_the_text_of_their_values(study, view):
    spec = study("{id: a, method: pass_rates, criterion: [plot, ending], pool: true, population: crowd}")
    attributes = [[("language", "nl"), ("age", "30")], [("language", "de"), ("age", "40")], []]
    rows = [
        {"criterion": "ending", "rater": f"r{i}", "system": "mid", "rater_attributes": a}
        for i, a in enumerate(attributes)
    ]

    found = names(spec, view("ratings", rows))

    sliced = [
        ("all", "all"),
        ("language", "de"),
        ("language", "nl"),
        ("language*age", "de*40"),
        ("language*age", "nl*30"),
    ]
    expected = [("plot", "crowd", "all", "all")]
    expected += [(criterion, "crowd", *value) for criterion in ("ending", "*") for value in sliced]
    assert found == expected


def test_an_analysis_takes_each_rater_population_by_itself(study, view):
    spec = study("{id: a, method: likert, criterion: style}")

    assert [population for _, population, *_ in names(spec, view("ratings", []))] == ["experts", "crowd", "judge-1"]


@pytest.mark.parametrize("named", [True, False])
def test_a_population_that_was_never_asked_is_in_no_cut_unless_it_is_named(study, view, named):
    spec = study("{id: a, method: likert, criterion: style" + (", population: crowd}" if named else "}"))
    pairs_only = Export.model_validate(
        {"match": "b.csv", "format": "table", "population": "crowd", "columns": {"labels": {"overall": "winner"}}}
    )
    spec = spec.model_copy(update={"exports": (pairs_only,)})

    found = [population for _, population, *_ in names(spec, view("ratings", []))]

    assert found == (["crowd"] if named else ["experts", "judge-1"])


def test_declared_populations_are_pooled_under_both_names(study, view):
    spec = study("{id: a, method: likert, criterion: style, population: [crowd, experts]}")
    rows = [
        {"criterion": "style", "population": population, "rater": "r", "system": "mid", "item_kind": kind}
        for population in ("crowd", "experts", "judge-1")
        for kind in ("scored", "repeat")
    ]

    [(cut, judgments)] = cuts(spec.analyses[0], spec, view("ratings", rows))

    assert cut.population == "crowd+experts"
    assert judgments.count().to_pyarrow().as_py() == 2


@pytest.mark.parametrize("population", ["[crowd, judge-1]", "chief"])
def test_humans_with_models_and_adjudicators_are_refused(study, view, population):
    spec = study(f"{{id: a, method: likert, criterion: style, population: {population}}}")

    with pytest.raises(SpecificationError, match=r"pools humans with models|adjudicates"):
        names(spec, view("ratings", []))


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        ("{id: a, method: pass_rates, criterion: all}", ["ending", "plot", "genre"]),
        ("{id: a, method: likert, criterion: all}", ["style"]),
    ],
)
def test_all_means_every_criterion_that_the_method_reads(study, analysis, expected):
    spec = study(analysis)

    assert [criterion.id for criterion in criteria(spec.analyses[0], spec)] == expected


def test_a_criterion_that_the_method_cannot_read_is_refused(study):
    spec = study("{id: a, method: likert, criterion: [style, genre]}")

    with pytest.raises(SpecificationError, match="likert cannot read criterion genre"):
        criteria(spec.analyses[0], spec)


def test_pairs_are_oriented_as_systems_are_declared(study):
    spec = study("{id: a, method: likert, criterion: style}")

    assert declared_pairs(spec.analyses[0], spec) == [("zeta", "alpha"), ("zeta", "mid"), ("alpha", "mid")]


def test_independent_unit_is_the_analysis_then_the_population_then_the_rater(study):
    spec = study("{id: a, method: likert, criterion: style}")
    own = study("{id: a, method: likert, criterion: style, independent_unit: [rater, passage]}")

    assert independent_unit(spec.analyses[0], spec, "experts") == ("case",)
    assert independent_unit(spec.analyses[0], spec, "crowd") == ("rater",)
    assert independent_unit(own.analyses[0], own, "experts") == ("rater", "passage")


def test_codes_follow_the_declared_order_not_the_alphabet(study):
    spec = study("{id: a, method: likert, criterion: style}")

    assert codes(["excellent", None, "fair", "poor"], level_labels(spec.criterion("style"))).tolist() == [2, -1, 1, 0]


def test_a_value_outside_the_declared_order_is_a_broken_contract():
    with pytest.raises(ContractError, match="2 judgments"):
        codes(["Yes", "yes", "maybe", None], ["Yes", "No"])


def test_a_judgment_without_its_cluster_is_a_broken_contract():
    with pytest.raises(ContractError, match="1 judgments have no passage"):
        cluster_codes(["p1", None, "p1"], "passage")


def test_clusters_are_raters_cases_or_case_attributes(view):
    rows = [{"rater": "r1", "system": "mid", "case_id": "c1", "case_attributes": [("passage", "p9")]}]

    columns = unit_columns(view("ratings", rows), ("passage", "rater")).to_pyarrow()
    [row] = columns.select(["cluster_1", "cluster_2"]).to_pylist()

    assert row == {"cluster_1": "p9", "cluster_2": "r1"}


def test_the_source_of_a_cut_gives_its_judgments(study, view):
    spec = study("{id: a, method: pass_rates, criterion: [plot, ending], pool: true, population: crowd}")
    rows = [
        {
            "criterion": criterion,
            "rater": f"it's {i}",
            "system": "mid",
            "item_kind": "scored" if i < 5 else "gold",
            "rater_attributes": [("language", f"l'{i % 2}"), ("age", str(i % 3))],
        }
        for i in range(7)
        for criterion in ("plot", "ending", "genre")
    ]
    table = view("ratings", rows)
    ratings = table.to_pyarrow()
    con = duckdb.connect()
    con.register("ratings", ratings)

    for cut, judgments in cuts(spec.analyses[0], spec, table):
        query = source_query(cut, "ratings", spec.analyses[0], spec, "system = 'mid'")
        found = [record for (record,) in con.execute(query).fetchall()]

        assert found
        assert found == sorted(judgments.record_id.to_pyarrow().to_pylist())
        assert not [
            record
            for (record,) in con.execute(
                source_query(replace(cut, criterion="plot"), "ratings", spec.analyses[0], spec, "system = 'alpha'")
            ).fetchall()
        ]
