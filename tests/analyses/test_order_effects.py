import duckdb
import pytest

from data_contracts.errors import SpecificationError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.order_effects import order_effects_rows

STUDY = """
systems: [{{id: b}}, {{id: a}}, {{id: c}}]
rubric: {{criteria: [{{id: quality, protocol: pairwise}}, {{id: best, protocol: ranking}}]}}
raters: {{populations: [{{id: crowd, kind: human}}, {{id: lab, kind: human{lab}}}, {{id: judge, kind: model}}]}}
assignment: {{{assignment}}}
{more}
analyses: [{{id: order, method: order_effects, criterion: {criterion}, population: {population}{options}}}]
"""
SHARES = ("first_share", "second_share", "tie_share", "both_fail_share")
WITHIN_RATERS = ("order_consistency", "flip_first", "flip_second", "flip_tie")


@pytest.fixture
def study(specification):
    def parse(
        options="", assignment="order: counterbalanced", lab="", population="crowd", criterion="quality", more=""
    ):
        text = STUDY.format(
            options=options, assignment=assignment, lab=lab, population=population, criterion=criterion, more=more
        )
        return specification(text)

    return parse


@pytest.fixture
def estimate(view):
    def run(spec, rows):
        estimates = order_effects_rows(spec.analyses[0], spec, view("comparisons", rows))
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.split("/all/", 1)[1]: e for e in estimates}

    return run


def shown(first, second, outcome, rater="r1", case="c1", **columns):
    """A comparison in the order shown; the outcome is the position that won: 1 or 2, `tie`, `both_fail`, a state."""
    won = {1: "system_1", 2: "system_2", "tie": "tie", "both_fail": "both_fail"}.get(outcome)
    state = "answered" if outcome in (1, 2) else outcome
    row = {"system_1": first, "system_2": second, "state": state, "outcome": won, "rater": rater, "case_id": case}
    return row | columns


def worked():
    """METHODS 8: a shown first 8 games and wins 6, b shown first 2 games and wins 1; a rater and case a game."""
    won = [("a", "b", 1)] * 6 + [("a", "b", 2)] * 2 + [("b", "a", 1), ("b", "a", 2)]
    return [shown(*game, f"r{k}", f"c{k}") for k, game in enumerate(won)]


def twice():
    """Raters who saw a pair in both orders: one place of METHODS 8 each, and one who saw it once."""
    answers = {"kept": (1, 2), "kept too": ("both_fail", "both_fail"), "first": (1, 1), "second": (2, 2)}
    answers |= {"tie": ("tie", 1), "neither": ("both_fail", 2), "torn": ("tie", "both_fail"), "still": ("tie", "tie")}
    rows = [
        shown(*pair, outcome, rater)
        for rater, outcomes in answers.items()
        for pair, outcome in zip((("a", "b"), ("b", "a")), outcomes)
    ]
    return [*rows, shown("a", "b", 1, "once"), shown("b", "a", "abstain", "once")]


def test_the_worked_example(study, estimate):
    rows = estimate(study(), worked())

    assert rows["all/first_share_decisive"].value == pytest.approx(0.7)
    assert rows["all/first_share_decisive_t"].p_value == pytest.approx(2 * 176 / 1024)
    assert rows["all/first_advantage"].value == pytest.approx(0.625)
    assert rows["all/first_share"].value + rows["all/second_share"].value == 1
    for name in ("first_share_decisive", "first_advantage"):
        row = rows[f"all/{name}"]
        assert (row.null_value, row.n_judgments, row.n_raters, row.n_cases, row.n_clusters) == (0.5, 10, 10, 10, 10)


def test_answers_in_both_orders_have_one_place_each(study, estimate):
    rows = estimate(study(), twice())

    assert [rows[f"all/{name}"].value for name in WITHIN_RATERS] == [3 / 8, 1 / 8, 1 / 8, 3 / 8]
    row = rows["all/order_consistency"]
    assert (row.n_units, row.n_judgments, row.n_raters, row.n_cases) == (8, 16, 8, 1)
    assert row.states[State.ABSTAIN] == 1


def test_a_question_is_one_case_one_pair_and_its_outputs(study, estimate):
    rows = [
        shown("a", "b", 1, output_1="a1", output_2="b1"),
        shown("b", "a", 1, output_1="b2", output_2="a1"),  # another output of b
        shown("b", "a", 1, case="c2", output_1="b1", output_2="a1"),  # another case
        shown("b", "a", 1, "r2", output_1="b1", output_2="a1"),  # another rater
        shown("c", "a", 1, output_1="c1", output_2="a1"),
    ]
    alone = estimate(study(), rows)["all/order_consistency"]
    beside = estimate(study(), [*rows, shown("b", "a", 1, output_1="b1", output_2="a1")])["all/flip_first"]

    assert (alone.status, alone.reason) == (Status.NOT_ESTIMABLE, (Reason.ONE_ORDER_ONLY,))
    assert (beside.value, beside.n_units, beside.n_judgments) == (1, 1, 2)


def test_judgments_without_a_case_are_in_no_question(study, estimate):
    rows = estimate(study(), [shown("a", "b", 1, case=None), shown("b", "a", 1, case=None)])

    assert rows["all/order_consistency"].reason == (Reason.ONE_ORDER_ONLY,)
    assert rows["all/first_share"].value == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"assignment": "order: not_recorded"}, Reason.ORDER_NOT_RECORDED),
        ({"assignment": "order: fixed"}, Reason.ORDER_CONFOUNDED_WITH_SYSTEM),
        ({"lab": ", order: fixed", "population": "[crowd, lab]"}, Reason.ORDER_CONFOUNDED_WITH_SYSTEM),
        ({"lab": ", order: not_recorded", "population": "lab"}, Reason.ORDER_NOT_RECORDED),
    ],
)
def test_a_position_that_means_nothing_gives_no_number(study, estimate, options, reason):
    population = "lab" if "lab" in options else "crowd"
    rows = estimate(study(**options), [game | {"population": population} for game in worked()])

    assert {*(f"all/{name}" for name in (*SHARES, *WITHIN_RATERS))} < set(rows)
    assert {"all/first_share_decisive", "all/first_share_decisive_t", "all/first_advantage"} < set(rows)
    for row in rows.values():
        assert (row.status, row.reason, row.value, row.n_judgments) == (Status.NOT_ESTIMABLE, (reason,), None, 10)


UNDECLARED = {"assignment": "design: within"}


def test_an_order_that_nothing_declares_is_not_guessed(study, estimate):
    unknown = [game | {"order_collected": False} for game in worked()]

    for spec in (study(**UNDECLARED), study(**UNDECLARED, population="[crowd, lab]")):
        for row in estimate(spec, unknown).values():
            assert (row.status, row.reason, row.n_judgments) == (
                Status.NOT_ESTIMABLE,
                (Reason.ORDER_NOT_DECLARED,),
                10,
            )
    assert {row.reason for row in estimate(study(**UNDECLARED), []).values()} == {(Reason.ORDER_NOT_DECLARED,)}


def test_judgments_that_hold_their_order_need_no_declaration(study, estimate):
    silent = [shown("a", "b", 1, f"u{n}", f"u{n}", order_collected=False) for n in range(5)]

    alone = estimate(study(**UNDECLARED), worked())["all/first_advantage"]
    beside = estimate(study(**UNDECLARED), worked() + silent)["all/first_advantage"]

    assert (alone.value, alone.reason) == (pytest.approx(0.625), ())
    assert (beside.value, beside.reason) == (pytest.approx(0.625), (Reason.ORDER_NOT_DECLARED,))


def test_pooled_with_a_declared_order_the_undeclared_one_is_left_out_and_that_is_said(study, estimate):
    spec = study(assignment="design: within", lab=", order: counterbalanced", population="[crowd, lab]")
    known = [game | {"population": "lab"} for game in worked()]

    row = estimate(spec, [*known, shown("a", "b", 2, "u", "u", order_collected=False)])["all/first_share_decisive"]

    assert (row.value, row.n_judgments, row.reason) == (pytest.approx(0.7), 10, (Reason.ORDER_NOT_DECLARED,))


def test_a_population_s_own_order_goes_before_the_assignment_s(study, estimate):
    spec = study(assignment="order: fixed", lab=", order: randomized", population="lab")

    assert estimate(spec, [game | {"population": "lab"} for game in worked()])["all/first_share_decisive"].value == 0.7


def test_games_without_a_known_order_are_left_out_and_that_is_said(study, estimate):
    unknown = [shown("a", "b", 1, f"u{n}", f"u{n}", order_collected=False) for n in range(5)]

    rows, plain = estimate(study(), worked() + unknown), estimate(study(), worked())

    assert {name: row.value for name, row in rows.items()} == {name: row.value for name, row in plain.items()}
    shares = rows["all/first_share_decisive"]
    assert (shares.reason, shares.n_judgments, shares.states[State.ANSWERED]) == ((Reason.ORDER_NOT_RECORDED,), 10, 15)
    alone = estimate(study(), unknown)
    assert {(row.status, row.reason) for row in alone.values()} == {
        (Status.NOT_ESTIMABLE, (Reason.ORDER_NOT_RECORDED,))
    }


def test_pairs_in_one_order_are_counted_and_left_out_of_the_advantage(study, estimate):
    once = [shown("c", "a", 1, f"x{n}", f"x{n}") for n in range(4)]

    rows = estimate(study(), worked() + once)

    assert (rows["all/n_pairs/orders=2"].value, rows["all/n_pairs/orders=1"].value) == (1, 1)
    assert (rows["all/first_advantage"].value, rows["all/first_advantage"].n_judgments) == (pytest.approx(0.625), 10)
    assert rows["all/first_advantage"].reason == (Reason.PAIRS_LEFT_OUT,)
    alone = estimate(study(), once)["all/first_advantage"]
    assert (alone.status, alone.reason) == (Status.NOT_ESTIMABLE, (Reason.ORDER_CONFOUNDED_WITH_SYSTEM,))


def test_raters_have_a_share_from_five_decisive_games_on(study, estimate):
    often = [shown("a", "b", 1 if n < 4 else 2, "often", f"c{n}") for n in range(5)]
    seldom = [shown("a", "b", outcome, "seldom", f"c{n}") for n, outcome in enumerate((1, 1, 1, 1, "tie", "both_fail"))]

    rows = estimate(study(), often + seldom)

    row = rows["often/first_share_decisive"]
    assert (row.value, row.n_judgments, row.subject_kind, row.p_value, row.ci_status) == (0.8, 5, "rater", None, None)
    assert not [name for name in rows if name.startswith("seldom")]


def test_no_judgments_are_insufficient_and_no_decision_undefined(study, estimate):
    nothing, undecided = (
        estimate(study(), []),
        estimate(study(), [shown("a", "b", "tie"), shown("b", "a", "tie", "r2")]),
    )

    for name in ("first_share", "first_share_decisive", "first_share_decisive_t", "first_advantage"):
        assert (nothing[f"all/{name}"].status, nothing[f"all/{name}"].reason) == (
            Status.INSUFFICIENT,
            (Reason.NO_GAMES,),
        )
    for name in ("first_share_decisive", "first_share_decisive_t", "first_advantage"):
        row = undecided[f"all/{name}"]
        assert (row.status, row.reason) == (Status.UNDEFINED, (Reason.NO_DECISIVE_GAME,))
    assert undecided["all/tie_share"].value == 1


def test_the_independent_unit_decides_the_clusters(study, estimate):
    games = [shown(*(("a", "b") if n % 2 else ("b", "a")), 1 + (n % 5 == 0), f"r{n % 4}", f"c{n}") for n in range(24)]

    by_rater, by_case = (estimate(study(f", independent_unit: [{unit}]"), games) for unit in ("rater", "case"))
    both = estimate(study(more="claim: {independent_unit: [rater, case]}"), games)

    for name in ("first_share_decisive", "first_advantage"):
        assert [rows[f"all/{name}"].n_clusters for rows in (by_rater, by_case, both)] == [4, 24, 4]
    assert (by_rater["all/first_share_decisive_t"].df, by_case["all/first_share_decisive_t"].df) == (3, None)


def test_the_order_of_rows_changes_nothing(study, estimate):
    rows = worked() + twice()

    assert estimate(study(), rows[::-1]) == estimate(study(), rows)


def test_the_source_gives_the_records_behind_a_number(study, view):
    others = [
        shown("c", "a", 1, "r1", "c9"),
        shown("a", "b", 1, "gold", item_kind="gold"),
        shown("b", "a", 1, "kept", population="lab"),
        shown("a", "c", 1, "u", order_collected=False),
        shown("c", "a", 1, "u"),
        *(shown("a", "b", 1, "often", f"o{n}") for n in range(5)),
    ]
    spec, rows = study(), worked() + twice() + others
    comparisons = view("comparisons", rows).to_pyarrow()
    estimates = order_effects_rows(spec.analyses[0], spec, view("comparisons", rows))

    assert len(estimates) == 14
    for estimate in estimates:
        with duckdb.connect() as connection:
            connection.register("comparisons", comparisons)
            assert len(connection.execute(estimate.source).fetchall()) == estimate.n_judgments, estimate.estimate_id


def test_rankings_have_no_order_effect(study, view):
    spec = study(criterion="best")

    with pytest.raises(SpecificationError, match="order_effects cannot read criterion best"):
        order_effects_rows(spec.analyses[0], spec, view("comparisons", []))
