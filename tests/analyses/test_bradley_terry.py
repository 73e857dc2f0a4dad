import math

import duckdb
import pytest

from data_contracts.errors import SpecificationError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.bradley_terry import bradley_terry_rows

STUDY = """
systems: [{{id: a}}, {{id: b}}, {{id: c}}, {{id: d}}]
rubric: {{criteria: [{{id: quality, protocol: {protocol}}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
{more}
analyses: [{{id: bt, method: bradley_terry, criterion: quality{options}}}]
"""
ALL = "bt/quality/crowd/all/"
ELO_PER_LOG_ODDS = 400 / math.log(10)


@pytest.fixture
def study(specification):
    def build(options="", more="", protocol="pairwise"):
        return specification(STUDY.format(options=options, more=more, protocol=protocol))

    return build


@pytest.fixture
def estimate(view):
    def run(spec, rows):
        estimates = bradley_terry_rows(spec.analyses[0], spec, view("comparisons", rows))
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.removeprefix(ALL): e for e in estimates}

    return run


def games(*rows):
    """Games (first, sign, second, rater); each a case of its own."""
    outcomes = {">": "system_1", "<": "system_2", "=": "tie", "x": "both_fail"}
    return [
        {
            "system_1": one,
            "system_2": other,
            "state": "answered" if sign in "<>" else outcomes.get(sign, sign),
            "outcome": outcomes.get(sign),
            "rater": f"r{rater}",
            "case_id": f"c{place}",
        }
        for place, (one, sign, other, rater) in enumerate(rows)
    ]


def worked():
    """METHODS 6: three wins, one loss and four ties, one game a rater."""
    return games(*[("a", sign, "b", rater) for rater, sign in enumerate(">>><====")])


def circle(*more):
    rows = [
        (one, sign, other, rater) for rater in range(12) for one, other in ("ab", "bc", "cd", "da") for sign in "><="
    ]
    return games(*(row for place, row in enumerate(rows) if place % 5), *more)


def test_the_worked_example(study, estimate):
    half, drop = (estimate(study(f", ties: {ties}"), worked()) for ties in ("half", "drop"))

    assert half["a/b/rating_difference"].value == pytest.approx(88.7395, abs=5e-5)
    assert half["a/b/rating_difference"].std_error == pytest.approx(0.533333 * ELO_PER_LOG_ODDS, abs=1e-4)
    assert half["a/rating"].value + half["b/rating"].value == pytest.approx(2000)
    assert drop["a/b/rating_difference"].value == pytest.approx(190.8485, abs=5e-5)
    assert drop["a/b/win_probability"].value == pytest.approx(0.75)
    assert [rows["a/b/rating_difference"].n_judgments for rows in (half, drop)] == [8, 4]
    assert half["c/rating"].reason == half["c/component"].reason == (Reason.NO_GAMES,)


def test_davidsons_ties_have_a_parameter_of_the_whole_study(study, estimate):
    rows = estimate(study(", ties: davidson"), worked())

    nu, difference = rows["all/tie_parameter"], rows["a/b/rating_difference"]
    assert nu.value == pytest.approx(2.309401, abs=5e-7)
    assert (nu.unit, nu.subject_kind, nu.ci_method, nu.n_clusters) == ("ratio", "study", "sandwich_t", 8)
    assert nu.ci_low < nu.value < nu.ci_high
    assert difference.value == pytest.approx(190.8485, abs=5e-5)
    assert (difference.n_judgments, nu.n_judgments) == (8, 8)
    assert rows["a/b/win_probability"].value == pytest.approx(0.75)
    assert rows["a/games"].value == 8
    assert "all/tie_parameter" not in estimate(study(), worked())


def test_wins_and_ties_that_separate_leave_no_rating_no_difference_and_no_test(study, estimate):
    rows = estimate(study(", ties: davidson"), [row for row in worked() if row["outcome"] != "system_2"])

    for name in ("a/rating", "a/b/rating_difference", "a/b/rating_difference_t", "all/tie_parameter"):
        assert (rows[name].status, rows[name].reason) == (Status.NOT_ESTIMABLE, (Reason.TIE_SEPARATION,))
    assert rows["a/b/rating_difference_t"].p_adjusted is None
    assert rows["a/component"].value == rows["b/component"].value == 1


def test_without_a_tie_davidsons_ratings_are_those_of_dropped_ties(study, estimate):
    decisive = [row for row in circle() if row["outcome"] != "tie"]
    davidson, drop = (estimate(study(f", ties: {ties}"), decisive) for ties in ("davidson", "drop"))

    nu = davidson.pop("all/tie_parameter")
    assert (nu.status, nu.reason) == (Status.NOT_ESTIMABLE, (Reason.NO_TIES,))
    assert {name: (row.value, row.ci_low) for name, row in davidson.items()} == {
        name: (row.value, row.ci_low) for name, row in drop.items()
    }


def test_declared_pairs_are_tested_in_one_family_and_the_others_only_given(study, estimate):
    rows = estimate(study(", pairs: [[a, b], [c, a]]"), circle())

    tests = {name: row for name, row in rows.items() if name.endswith("rating_difference_t")}
    assert list(tests) == ["a/b/rating_difference_t", "c/a/rating_difference_t"]
    smaller, larger = sorted(test.p_value for test in tests.values())
    adjusted = sorted(test.p_adjusted for test in tests.values())
    assert adjusted == pytest.approx([min(1, 2 * smaller), max(min(1, 2 * smaller), larger)])
    assert {test.family_size for test in tests.values()} == {2}
    differences = [name.removesuffix("/rating_difference") for name in rows if name.endswith("rating_difference")]
    assert differences == ["a/b", "c/a", "a/d", "b/c", "b/d", "c/d"]


def test_a_test_is_the_difference_over_its_standard_error(study, estimate):
    rows = estimate(study(", correction: none"), circle())

    difference, test = rows["a/c/rating_difference"], rows["a/c/rating_difference_t"]
    assert test.value == pytest.approx(difference.value / difference.std_error)
    assert (test.df, test.n_clusters, test.null_value) == (11, 12, 0)
    assert test.p_adjusted == test.p_value


def test_expectations_are_counted(study, estimate):
    more = "expectations: [{better: [a, b]}, {similar: [a, b]}]"

    rows = estimate(study(", alpha: [0.5, 0.01], pairs: [[a, b]]", more), worked())

    assert 0.01 < rows["a/b/rating_difference_t"].p_adjusted < 0.5
    assert rows["all/expected_total"].value == 2
    assert rows["all/expected_recovered/alpha=0.5"].value == 1
    assert rows["all/expected_recovered/alpha=0.01"].value == 1


def test_an_undefeated_system_leaves_every_rating_without_a_value(study, estimate):
    rows = estimate(study(), games(("a", ">", "b", 1), ("b", ">", "c", 1), ("c", ">", "b", 2), ("b", ">", "c", 3)))

    for system in "abc":
        assert rows[f"{system}/rating"].status is Status.NOT_ESTIMABLE
        assert rows[f"{system}/rating"].reason == (Reason.NOT_STRONGLY_CONNECTED, Reason.ORDERED)
    assert [rows[f"{system}/component"].value for system in "abc"] == [1, 2, 2]
    assert rows["b/c/rating_difference"].value == pytest.approx(ELO_PER_LOG_ODDS * math.log(2))
    assert rows["a/b/rating_difference"].status is Status.NOT_ESTIMABLE
    assert rows["a/b/rating_difference_t"].p_adjusted is None
    assert rows["a/b/rating_difference_t"].family_size == 6
    assert rows["a/d/rating_difference"].status is Status.INSUFFICIENT


def test_a_contrast_inside_a_component_names_only_its_own_games(study, estimate, view):
    played = games(("a", ">", "b", 1), ("b", ">", "a", 2), ("c", ">", "d", 1), ("d", ">", "c", 2), ("c", "=", "d", 3))
    rows = estimate(study(), [*played, *games(("a", "abstain", "b", 9))])

    contrast = rows["c/d/rating_difference"]

    assert rows["a/rating"].reason == (Reason.DISCONNECTED, Reason.NOT_STRONGLY_CONNECTED)
    assert (contrast.n_judgments, contrast.states) == (3, {State.ANSWERED: 2, State.TIE: 1})
    with duckdb.connect() as connection:
        connection.register("comparisons", view("comparisons", played).to_pyarrow())
        found = [record for (record,) in connection.execute(contrast.source).fetchall()]
    assert found == ["j000002", "j000003", "j000004"]


@pytest.mark.parametrize("options", ["", ", ties: davidson"])
def test_abstentions_and_failures_of_both_change_no_rating_and_are_counted(study, estimate, options):
    others = [("a", "abstain", "b", 40), ("a", "x", "b", 41), ("b", "missing", "c", 1)]

    one, other = estimate(study(options), circle()), estimate(study(options), circle(*others))

    for name in ("a/rating", "a/c/rating_difference"):
        assert (one[name].value, one[name].ci_low) == (other[name].value, other[name].ci_low)
        assert one[name].n_judgments == other[name].n_judgments
        assert [other[name].states[state] for state in (State.ABSTAIN, State.BOTH_FAIL, State.MISSING)] == [1, 1, 1]


def test_no_judgments_at_all_are_insufficient(study, estimate):
    row = estimate(study(), [])["a/rating"]

    assert (row.status, row.reason, row.n_judgments) == (Status.INSUFFICIENT, (Reason.NO_GAMES,), 0)


@pytest.mark.parametrize("options", ["", ", ties: davidson"])
def test_the_order_of_rows_changes_nothing(study, estimate, options):
    assert estimate(study(options), circle()[::-1]) == estimate(study(options), circle())


@pytest.mark.parametrize("more", ["claim: {independent_unit: [case]}", "claim: {independent_unit: [rater]}"])
def test_a_ranking_is_one_judgment_in_one_cluster(study, estimate, more):
    ranking = [
        row | {"judgment_id": f"k{place // 3}", "case_id": f"c{place // 3}", "protocol": "ranking"}
        for place, row in enumerate(
            games(
                *[
                    (one, sign, other, rater)
                    for rater, signs in enumerate((">>>", ">><", "<<<", "=>>"))
                    for sign, (one, other) in zip(signs, ("ab", "ac", "bc"))
                ]
            )
        )
    ]

    row = estimate(study(more=more, protocol="ranking"), ranking)["a/b/rating_difference"]

    assert (row.n_clusters, row.n_judgments, row.n_units) == (4, 4, 12)


@pytest.mark.parametrize("method", ["bootstrap", "percentile"])
def test_intervals_are_of_resampled_clusters_where_declared(study, estimate, method):
    options = f", ties: davidson, interval: {{method: {method}}}, rounds: 40, seed: 5"
    rows = estimate(study(options), circle())

    named = {"bootstrap": "bootstrap_t", "percentile": "bootstrap_percentile"}[method]
    sandwich = estimate(study(", ties: davidson"), circle())
    for name in ("a/rating", "a/c/rating_difference", "a/c/win_probability", "all/tie_parameter"):
        row = rows[name]
        assert (row.ci_method, row.n_boot, row.n_boot_failed, row.seed) == (named, 40, 0, 5)
        assert row.value == sandwich[name].value
        assert row.ci_low < row.value < row.ci_high
    difference, test = rows["a/c/rating_difference"], rows["a/c/rating_difference_t"]
    assert test.value == pytest.approx(difference.value / difference.std_error)


def test_a_test_without_rounds_enough_stays_in_the_family_without_a_p_value(study, estimate):
    played = games(*[("a", sign, "b", rater) for rater in range(8) for sign in "><"], ("a", ">", "b", 3))
    met_once = [row | {"rater": "r5"} for row in games(("a", ">", "c", 5), ("c", ">", "a", 5))]

    rows = estimate(study(", interval: {method: bootstrap}, rounds: 40"), played + met_once)

    test = rows["a/c/rating_difference_t"]
    assert (test.status, test.reason) == (Status.NOT_ESTIMABLE, (Reason.BOOTSTRAP_ROUNDS_FAILED,))
    assert (test.p_adjusted, test.family_size) == (None, 6)
    assert rows["a/c/rating_difference"].ci_reason == (Reason.BOOTSTRAP_ROUNDS_FAILED,)
    assert rows["a/b/rating_difference_t"].p_value is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (", interval: {method: percentile}, independent_unit: [rater, case]", "have no percentiles in common"),
        (", interval: {method: bootstrap}, rounds: 1", "1 bootstrap round has no spread"),
    ],
)
def test_rounds_that_give_no_interval_are_refused(study, estimate, options, message):
    with pytest.raises(SpecificationError, match=message):
        estimate(study(options), worked())
