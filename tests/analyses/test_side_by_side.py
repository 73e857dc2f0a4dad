import duckdb
import pytest

from data_contracts.estimates import Cut
from juryline.analyses.side_by_side import cuts_of_both, cuts_of_reference, judged_by_both, source_of_both

STUDY = """
systems: [{id: a}, {id: b}, {id: c}]
rubric: {criteria: [{id: quality, protocol: pairwise}]}
raters: {populations: [{id: crowd, kind: human}, {id: students, kind: human}, {id: judge, kind: model}]}
slices: [topic]
analyses: [{id: recal, method: recalibration, criterion: quality, judge: judge, reference: [crowd, students]}]
"""
HUMANS = ("crowd", "students")
WHOLE = Cut(analysis="recal", method="recalibration", criterion="quality", population="judge")


@pytest.fixture
def spec(specification):
    return specification(STUDY)


def game(population, one, other, case="c1", outcome="system_1", **columns):
    state = "answered" if outcome else "abstain"
    given = {"population": population, "system_1": one, "system_2": other, "case_id": case, "rater": population}
    return given | {"outcome": outcome, "state": state} | columns


ROWS = {
    "judged by both": game("judge", "a", "b"),
    "the other way round": game("crowd", "b", "a"),
    "by another human": game("students", "a", "b", outcome="tie"),
    "another case": game("crowd", "a", "b", case="c2"),
    "no game of the judge": game("judge", "a", "b", case="c2", outcome=None),
    "another pair": game("judge", "a", "c"),
    "one of two outputs": game("crowd", "a", "c", output_1="x"),
    "swapped outputs": game("judge", "b", "c", output_1="x", output_2="y"),
    "swapped outputs back": game("crowd", "c", "b", output_1="y", output_2="x"),
    "outputs of the others": game("crowd", "c", "b", output_1="x", output_2="y"),
    "not scored": game("judge", "a", "b", case="c2", item_kind="gold"),
}
SHARED = {
    "judge": {"judged by both", "swapped outputs"},
    "humans": {"the other way round", "by another human", "swapped outputs back"},
}


def named(rows):
    names = list(ROWS)
    return {names[int(row["record_id"][1:])] for row in rows}


def test_units_are_shared_whichever_output_was_shown_first_and_only_where_both_are_games(spec, view):
    [(cut, judge, humans)] = cuts_of_both(
        spec.analyses[0], spec, view("comparisons", ROWS.values()), ("judge",), HUMANS
    )

    judge, humans = judged_by_both(judge, humans)

    assert cut == WHOLE
    assert named(judge.to_pyarrow().to_pylist()) == SHARED["judge"]
    assert named(humans.to_pyarrow().to_pylist()) == SHARED["humans"]
    assert judge.columns == humans.columns == view("comparisons", []).columns


def test_the_source_is_the_judgments_of_both_populations(spec, view):
    source = source_of_both(
        WHOLE, "comparisons", spec.analyses[0], spec, ("judge",), HUMANS, ["'a' IN (system_1, system_2)"]
    )

    with duckdb.connect() as connection:
        connection.register("comparisons", view("comparisons", ROWS.values()).to_pyarrow())
        ids = [id for (id,) in connection.execute(source).fetchall()]

    assert ids == sorted(ids)
    assert named([{"record_id": id} for id in ids]) == {"judged by both", "the other way round", "by another human"}


def test_of_a_slice_value_that_one_population_lacks_it_has_no_judgments(spec, view):
    rows = [
        game("judge", "a", "b", case_attributes=[("topic", "news")]),
        game("crowd", "a", "b", case_attributes=[("topic", "news")]),
        game("crowd", "a", "b", case="c2", case_attributes=[("topic", "sport")]),
    ]

    found = {
        cut.slice_value: (judge.count().to_pyarrow().as_py(), humans.count().to_pyarrow().as_py())
        for cut, judge, humans in cuts_of_both(spec.analyses[0], spec, view("comparisons", rows), ("judge",), HUMANS)
    }

    assert found == {"all": (1, 2), "news": (1, 1), "sport": (0, 1)}


def test_a_slice_is_of_the_references_judgments_and_the_judges_are_those_of_the_same_units(spec, view):
    rows = [
        game("judge", "a", "b"),
        game("judge", "a", "c"),
        game("crowd", "a", "b", rater_attributes=[("topic", "news")]),
        game("crowd", "a", "c", rater_attributes=[("topic", "sport")]),
    ]
    comparisons = view("comparisons", rows)

    found = {
        cut.slice_value: (cut, judged_by_both(judge, humans))
        for cut, judge, humans in cuts_of_reference(spec.analyses[0], spec, comparisons, ("judge",), HUMANS)
    }

    ids = {
        value: sorted(id for side in sides for id in side.to_pyarrow()["record_id"].to_pylist())
        for value, (_, sides) in found.items()
    }
    assert ids == {
        "all": [f"j{n:06d}" for n in range(4)],
        "news": ["j000000", "j000002"],
        "sport": ["j000001", "j000003"],
    }
    with duckdb.connect() as connection:
        connection.register("comparisons", comparisons.to_pyarrow())
        for value, (cut, _) in found.items():
            source = source_of_both(cut, "comparisons", spec.analyses[0], spec, ("judge",), HUMANS, [])
            assert [id for (id,) in connection.execute(source).fetchall()] == ids[value]
