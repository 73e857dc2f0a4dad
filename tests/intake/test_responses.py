"""Labels: what an exported answer means, by declaration; whatever else it says is refused and never guessed."""

import pytest

from data_contracts.specification_rubric import level_text
from data_contracts.vocabulary import State

REFUSED = "label_in_response_set"
TWO_DECIMALS = {"read": {"as": "csv", "delimiter": ";", "decimal": ","}}


@pytest.fixture(scope="module")
def meaning(judge, row):
    """State, label and value of each exported label of a criterion, or the rule that it breaks."""

    def means(criterion, labels, export=None, **study):
        rows = [row(n, criterion, label=label, case_id=f"case {n}") for n, label in enumerate(labels, 1)]
        rows = [r | {"case_id": None} if criterion == "chance" else r for r in rows]
        ranked_beside = [r | {"candidate_1": "b", "label": "1"} for r in rows if criterion == "rank"]
        result = judge(*rows, *ranked_beside, export=export, **study)
        judgments = [r for r in result.judgments.to_pylist() if r["candidate_1"] == "a"]
        said = {r["source_row"]: (r["state"], r["label"], r["value"]) for r in judgments}
        broken = {r["source_row"]: r["rule"] for r in result.quarantine.to_pylist() if r["rule"] != "ranking_whole"}
        raw = {r["source_row"]: r["raw_label"] for r in judgments}
        assert all(raw[n] == labels[n - 1] for n in raw)
        return {label: (said | broken)[n] for n, label in enumerate(labels, 1)}

    return means


def test_a_pairwise_label_is_a_position_a_state_or_refused(meaning):
    labels = [
        "left",
        "right",
        "candidate_1",
        "same",
        "bad",
        "",
        "Left",
        " left",
        "tie",
        "draw",
        "NA",
        "None",
        "null",
        "a",
    ]

    assert meaning("overall", labels) == {
        "left": ("answered", "candidate_1", None),
        "right": ("answered", "candidate_2", None),
        "candidate_1": ("answered", "candidate_1", None),
        "same": ("tie", None, None),
        "bad": ("both_fail", None, None),
        "": ("missing", None, None),
    } | dict.fromkeys(["Left", " left", "tie", "draw", "NA", "None", "null", "a"], REFUSED)


def test_a_level_is_a_number_and_never_what_looks_like_one(meaning):
    answered = dict.fromkeys(("3", "3.0", "3.00", "+3", "03"), ("answered", "3", 3.0))
    others = [
        "3.7",
        "0",
        "6",
        "-3",
        "3,0",
        "3e0",
        " 3",
        "3 ",
        "three",
        "True",
        "true",
        "NaN",
        "nan",
        "inf",
        "3/5",
        "３",
        "٣",
    ]

    assert meaning("coherence", [*answered, *others]) == answered | dict.fromkeys(others, REFUSED)


def test_a_label_that_is_mapped_is_what_the_mapping_says(meaning):
    assert meaning("coherence", ["?", "n/a", "", "best"]) == {
        "?": ("unknown", None, None),
        "n/a": ("not_applicable", None, None),
        "": ("missing", None, None),
        "best": ("answered", "5", 5.0),
    }


def test_a_mapping_comes_before_the_level_of_the_same_name(meaning):
    turned = {"labels": {"coherence": {str(level): 6 - level for level in range(1, 6)}}}

    said = meaning("coherence", ["1", "2", "5"], export=turned)

    assert said == {"1": ("answered", "5", 5.0), "2": ("answered", "4", 4.0), "5": ("answered", "1", 1.0)}


def test_words_for_nothing_are_labels_like_any_other(meaning):
    assert meaning("style", ["None", "NA", "plain", "none", "null", "", "N/A"]) == {
        "None": ("answered", "None", None),
        "NA": ("answered", "NA", None),
        "plain": ("answered", "plain", None),
    } | dict.fromkeys(["none", "null", "", "N/A"], REFUSED)


def test_a_checklist_asks_for_its_levels_to_the_letter(meaning):
    assert meaning("ending", ["Yes", "No", "yes", "YES", "true", "1"]) == {
        "Yes": ("answered", "Yes", None),
        "No": ("answered", "No", None),
    } | dict.fromkeys(["yes", "YES", "true", "1"], REFUSED)


def test_a_number_without_levels_is_written_plainly_and_within_its_scale(meaning):
    numbers = {"0": 0.0, "-0": 0.0, "120": 120.0, "120.5": 120.5, ".5": 0.5, "7.": 7.0, "10000": 10000.0}
    mangled = ["1,234", "1 234", "1.0E+15", "1e3", "1_000", "0x10", "Infinity", "NaN", "12%", "1.2.3", "--1", ""]

    said = meaning("length", [*numbers, *mangled, "10000.01", "-1"])

    assert {text: said[text][2] for text in numbers} == numbers
    assert {text: said[text] for text in mangled} == dict.fromkeys(mangled, REFUSED)
    assert said["10000.01"] == said["-1"] == "value_within_scale"


def test_a_decimal_comma_is_read_where_it_is_declared_and_a_point_no_longer(meaning):
    said = meaning("length", ["3,5", "1,234", "3", "3.5", "1.234", "1.234,5", "1,2,3"], export=TWO_DECIMALS)

    assert said == {
        "3,5": ("answered", "3.5", 3.5),
        "1,234": ("answered", "1.234", 1.234),
        "3": ("answered", "3", 3.0),
    } | dict.fromkeys(["3.5", "1.234", "1.234,5", "1,2,3"], REFUSED)


def test_an_expected_answer_is_read_as_answers_are(judge, row):
    given = [
        ("coherence", "best", "3"),
        ("coherence", "3,0", "2"),
        ("overall", "same", "left"),
        ("length", "3,5", "3,5"),
    ]

    judged = judge(
        *(row(n, c, gold_label=g, label=label) for n, (c, g, label) in enumerate(given, 1)), export=TWO_DECIMALS
    )

    assert {r["source_row"]: r["gold_label"] for r in judged.judgments.to_pylist()} == {
        1: "5",
        2: "3",
        3: "tie",
        4: "3.5",
    }


def test_a_chance_is_placed_between_the_ends_of_its_scale(meaning):
    labels = ["0", "30", "62.5", "100", "100.1", "-1", "0.3%", "likely"]

    said = meaning("chance", labels)

    assert {text: said[text] for text in labels[:4]} == {
        "0": ("answered", "0", 0.0),
        "30": ("answered", "30", 0.3),
        "62.5": ("answered", "62.5", 0.625),
        "100": ("answered", "100", 1.0),
    }
    assert [said[text] for text in labels[4:]] == ["value_within_scale"] * 2 + [REFUSED] * 2


def test_a_rank_is_a_whole_number_from_one(meaning):
    said = meaning("rank", ["1", "2.0", "1.5", "0", "-1", "first", ""])

    assert said == {
        "1": ("answered", "1", 1.0),
        "2.0": ("answered", "2", 2.0),
        "1.5": REFUSED,
        "0": "value_within_scale",
        "-1": "value_within_scale",
        "first": REFUSED,
        "": REFUSED,
    }


@pytest.mark.parametrize("level", [0.1, 2.5, 1e-05, 1000000, 123456789012, -1.25, 0.30000000000000004, 1e16, 1e22])
def test_every_way_to_write_a_level_finds_it(meaning, level):
    rubric = {
        "criteria": [
            {"id": "overall", "protocol": "pairwise"},
            {"id": "coherence", "protocol": "rating", "scale": {"measure": "ordinal", "levels": [-7, level]}},
        ]
    }
    rubric["criteria"][1]["scale"]["levels"].sort()
    plainly = f"{level:.25f}".rstrip("0").rstrip(".") if level < 1e20 else f"{level:.0f}"

    said = meaning("coherence", ["-7", plainly], export={"labels": {}}, rubric=rubric, interface=None)

    assert said[plainly] == ("answered", level_text(level), float(level))


@pytest.mark.parametrize("state", [state for state in State if state is not State.ANSWERED])
def test_a_mapping_query_may_give_a_state_by_its_name_and_no_other_format_may(meaning, state):
    by_query = {"format": "sql", "query": "votes.sql", "columns": {}, "labels": {}}

    assert meaning("overall", [state], export=by_query)[state] == (state, None, None)
    assert meaning("overall", [state], export={"labels": {}})[state] == REFUSED


@pytest.mark.parametrize("state", [State.TIE, State.BOTH_FAIL])
def test_only_a_comparison_ends_in_a_tie_or_in_both_failing(meaning, state):
    by_query = {"format": "sql", "query": "votes.sql", "columns": {}, "labels": {}}

    assert meaning("coherence", [state], export=by_query)[state] == "state_fits_protocol"


def test_an_answer_by_the_name_of_its_state_alone_is_none(meaning):
    by_query = {"format": "sql", "query": "votes.sql", "columns": {}, "labels": {}}

    assert meaning("coherence", ["answered"], export=by_query)["answered"] == REFUSED
