import duckdb
import pytest

from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.win_rates import win_rates_rows

STUDY = """
systems: [{{id: a}}, {{id: b}}, {{id: c}}]
rubric: {{criteria: [{{id: quality, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}, {{id: judge, kind: model}}]}}
{more}
analyses: [{{id: wins, method: win_rates, criterion: quality, population: crowd{options}}}]
"""
ALL = "wins/quality/crowd/all/"


@pytest.fixture
def study(specification):
    return lambda options="", more="": specification(STUDY.format(options=options, more=more))


@pytest.fixture
def estimate(view):
    def run(spec, rows):
        estimates = win_rates_rows(spec.analyses[0], spec, view("comparisons", rows))
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.removeprefix(ALL): e for e in estimates}

    return run


def game(one, sign, other, rater="r1", case="c1", **columns):
    outcome = {">": "system_1", "<": "system_2", "=": "tie", "x": "both_fail"}.get(sign)
    state = "answered" if sign in "<>" else outcome or sign
    return {
        "system_1": one,
        "system_2": other,
        "state": state,
        "outcome": outcome,
        "rater": rater,
        "case_id": case,
    } | columns


def four_raters():
    """METHODS 4: four raters who prefer `a` in 3, 1, 4 and 2 of four games."""
    return [
        game("a", ">", "b", f"r{rater}", f"c{case}") if case < wins else game("b", ">", "a", f"r{rater}", f"c{case}")
        for rater, wins in enumerate((3, 1, 4, 2))
        for case in range(4)
    ]


def test_the_worked_example_by_system_and_by_pair(study, estimate):
    rows = estimate(study(), four_raters())

    for name in ("a/win_rate", "a/b/win_rate"):
        assert rows[name].value == 0.625
        assert (rows[name].ci_low, rows[name].ci_high) == pytest.approx((0.200375, 0.917253), abs=5e-7)
        assert (rows[name].n_clusters, rows[name].n_raters, rows[name].n_cases) == (4, 4, 4)
        assert (rows[name].n_judgments, rows[name].n_units) == (16, 16)
    assert rows["b/win_rate"].value == 0.375
    assert (rows["a/wins"].value, rows["a/losses"].value, rows["a/games"].value) == (10, 6, 16)
    assert (rows["a/rank"].value, rows["b/rank"].value) == (1, 2)


def test_the_independent_unit_decides_the_clusters(study, estimate):
    once = [game("a", ">" if rater < 7 else "<", "b", f"r{rater}", f"c{rater % 2}") for rater in range(10)]

    by_rater, by_case = (estimate(study(f", independent_unit: [{unit}]"), once) for unit in ("rater", "case"))
    both = estimate(study(more="claim: {independent_unit: [rater, case]}"), once)

    assert [rows["a/win_rate"].n_clusters for rows in (by_rater, by_case, both)] == [10, 2, 2]
    assert by_rater["a/win_rate"].ci_method == "wilson"
    assert both["a/win_rate"].std_error >= by_rater["a/win_rate"].std_error


def test_every_state_is_counted_where_it_could_have_entered(study, estimate):
    others = [game("a", state, "b") for state in ("abstain", "missing", "missing", "invalid", "unknown")]
    rows = [game("a", ">", "b"), game("b", "=", "a", "r2"), game("a", "x", "b", "r3"), game("b", "<", "c"), *others]

    found = estimate(study(), rows)

    expected = {"answered": 1, "tie": 1, "both_fail": 1, "abstain": 1, "missing": 2, "invalid": 1, "unknown": 1}
    assert found["a/b/win_rate"].states == {State(state): n for state, n in expected.items()}
    assert found["a/win_rate"].states == found["a/b/win_rate"].states
    assert found["b/win_rate"].states[State.ANSWERED] == 2
    assert found["a/win_rate"].value == pytest.approx(1 / 3)
    assert (found["a/win_rate"].n_units, found["a/win_rate_decisive"].n_units, found["a/win_rate_half"].n_units) == (
        3,
        1,
        2,
    )


def test_abstentions_change_no_rate(study, estimate):
    others = [game("b", state, "a", f"r{n}") for n, state in enumerate(("abstain", "not_applicable", "missing"))]

    one, other = estimate(study(), four_raters()), estimate(study(), four_raters() + others)

    assert {name: (e.value, e.ci_low, e.ci_high) for name, e in one.items()} == {
        name: (e.value, e.ci_low, e.ci_high) for name, e in other.items()
    }


def test_a_pair_never_played_has_no_rate_and_a_system_without_games_no_rank(study, estimate):
    rows = estimate(study(), four_raters())

    assert (rows["a/c/win_rate"].status, rows["a/c/win_rate"].value) == (Status.INSUFFICIENT, None)
    assert rows["c/rank"].reason == (Reason.NO_GAMES,)
    assert rows["a/c/games"].value == 0


def test_equal_rates_share_the_best_rank(study, estimate):
    rows = [game("a", ">", "b"), game("b", ">", "a", "r2"), game("c", "=", "a", "r3"), game("c", "=", "b", "r4")]

    found = estimate(study(), rows)

    assert [found[f"{system}/rank"].value for system in "abc"] == [1, 1, 3]


def test_other_populations_and_item_kinds_stay_out(study, estimate):
    others = [game("b", ">", "a", population="judge"), game("b", ">", "a", item_kind="control")]

    assert estimate(study(), four_raters() + others)["a/win_rate"].value == 0.625


def test_no_judgments_at_all_are_insufficient(study, estimate):
    row = estimate(study(), [])["a/win_rate"]

    assert (row.status, row.reason, row.n_judgments) == (Status.INSUFFICIENT, (Reason.NO_GAMES,), 0)


def test_the_order_of_rows_changes_nothing(study, estimate):
    spec = study(", independent_unit: [rater, case]")

    assert estimate(spec, four_raters()[::-1]) == estimate(spec, four_raters())


def test_the_source_gives_the_records_behind_a_number(study, view):
    rows = [*four_raters(), game("b", ">", "c"), game("a", "abstain", "b"), game("b", "x", "a", item_kind="gold")]
    spec = study()
    comparisons = view("comparisons", rows).to_pyarrow()
    estimates = win_rates_rows(spec.analyses[0], spec, view("comparisons", rows))

    for estimate in estimates:
        with duckdb.connect() as connection:
            connection.register("comparisons", comparisons)
            assert len(connection.execute(estimate.source).fetchall()) == estimate.n_judgments
