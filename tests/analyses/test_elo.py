import pytest

from data_contracts.errors import ContractError, SpecificationError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.elo import elo_rows

STUDY = """
systems: [{{id: a}}, {{id: b{reference}}}, {{id: c}}]
rubric: {{criteria: [{{id: accuracy, protocol: pairwise}}, {{id: language, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
seed: 5
analyses: [{{id: elo, method: elo, criterion: {criterion}, rounds: 20{options}}}]
"""
ONE_PASS = ", orderings: as_delivered"
FEW = ", orderings: 100"


@pytest.fixture
def study(specification):
    def build(options=FEW, reference="", criterion="accuracy"):
        return specification(STUDY.format(options=options, reference=reference, criterion=criterion))

    return build


@pytest.fixture
def estimate(view):
    def run(spec, rows):
        estimates = elo_rows(spec.analyses[0], spec, view("comparisons", rows))
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.removeprefix("elo/").replace("crowd/all/", ""): e for e in estimates}

    return run


def game(one, sign, other, place, **columns):
    outcome = {">": "system_1", "<": "system_2", "=": "tie", "x": "both_fail"}.get(sign)
    return {
        "system_1": one,
        "system_2": other,
        "state": "answered" if sign in "<>" else outcome or sign,
        "outcome": outcome,
        "criterion": "accuracy",
        "rater": f"r{place}",
        "case_id": "c1",
        "judgment_id": f"j{place}",
        "record_id": f"k{place}",
        "source_row": place,
    } | columns


def some():
    signs = "><>=<>>=<><>"
    pairs = ["ab", "bc", "ac", "ab", "bc", "ac"] * 2
    return [game(pair[0], sign, pair[1], place) for place, (pair, sign) in enumerate(zip(pairs, signs))]


def test_one_win_moves_sixteen_points(study, estimate):
    rows = estimate(study(), [game("a", ">", "b", 1)])

    assert (rows["accuracy/a/rating"].value, rows["accuracy/b/rating"].value) == (1016, 984)
    assert rows["accuracy/a/rating"].reason == (Reason.UNDEFEATED_ORDER_DEPENDENT,)
    assert rows["accuracy/a/games"].value == 1
    assert (rows["accuracy/c/rating"].status, rows["accuracy/c/rating"].value) == (Status.INSUFFICIENT, None)
    assert rows["accuracy/a/rating"].unit == "elo"


def test_k_start_and_ties_are_those_declared(study, estimate):
    tie_then_win = [game("a", "=", "b", 1), game("a", ">", "b", 2)]

    half = estimate(study(ONE_PASS + ", k: 10, start: 0"), tie_then_win)
    drop = estimate(study(ONE_PASS + ", k: 10, start: 0, ties: drop"), tie_then_win)

    assert half["accuracy/a/rating"].value == drop["accuracy/a/rating"].value == 5
    assert (half["accuracy/a/games"].value, drop["accuracy/a/games"].value) == (2, 1)
    assert (half["accuracy/a/rating"].n_judgments, drop["accuracy/a/rating"].n_judgments) == (2, 1)


def test_a_single_pass_is_played_by_export_then_row_then_place_in_the_row(study, estimate):
    won_last = 1000 - 16 + 32 * (1 - 1 / (1 + 10 ** (32 / 400)))
    for late, early in (
        ({"export_path": "b.csv", "source_row": 1}, {"export_path": "a.csv", "source_row": 9}),
        ({"source_row": 10}, {"source_row": 9}),
        ({"source_row": 3, "source_path": "/b"}, {"source_row": 3, "source_path": "/a"}),
    ):
        rows = [game("a", ">", "b", 1, **late), game("a", "<", "b", 2, **early)]

        assert estimate(study(ONE_PASS), rows)["accuracy/a/rating"].value == pytest.approx(won_last)


def test_a_single_pass_gives_no_simulation_error_and_no_interval(study, estimate):
    rows = estimate(study(ONE_PASS), some())

    assert not [name for name in rows if "mc_error" in name or "order_sd" in name]
    assert rows["accuracy/a/rating"].ci_status is Status.NOT_ESTIMABLE
    assert rows["accuracy/a/rating"].ci_reason == (Reason.ORDER_AS_DELIVERED,)
    assert rows["accuracy/a/rating"].seed is None


def test_random_orders_carry_their_error_spread_seed_and_rounds(study, estimate):
    rows = estimate(study(), some())

    rating = rows["accuracy/a/rating"]
    assert (rating.seed, rating.n_boot, rating.n_clusters, rating.ci_status) == (5, 20, 12, Status.OK)
    assert rows["accuracy/a/rating_mc_error"].value == pytest.approx(rows["accuracy/a/rating_order_sd"].value / 10)
    assert estimate(study(FEW + ", seed: 6"), some())["accuracy/a/rating"].value != rating.value


def test_no_judgments_at_all_are_insufficient(study, estimate):
    row = estimate(study(), [])["accuracy/a/rating"]

    assert (row.status, row.reason, row.n_judgments) == (Status.INSUFFICIENT, (Reason.NO_GAMES,), 0)


def test_the_order_of_rows_changes_nothing_where_orders_are_random(study, estimate):
    assert estimate(study(), some()[::-1]) == estimate(study(), some())


def test_abstentions_change_no_rating_and_are_counted(study, estimate):
    others = [game("a", state, "b", place) for place, state in enumerate(("abstain", "missing", "invalid"), start=50)]

    one, other = (estimate(study(), rows)["accuracy/a/rating"] for rows in (some(), some() + others))

    assert (one.value, one.ci_low, one.n_judgments) == (other.value, other.ci_low, other.n_judgments)
    assert other.states[State.ABSTAIN] == other.states[State.MISSING] == other.states[State.INVALID] == 1


def test_differences_are_declared_or_to_the_reference_or_all(study, estimate):
    def differences(spec):
        return [name.removesuffix("/rating_difference") for name in estimate(spec, some()) if "difference" in name]

    assert differences(study()) == ["accuracy/a/b", "accuracy/a/c", "accuracy/b/c"]
    assert differences(study(reference=", reference: true")) == ["accuracy/a/b", "accuracy/c/b"]
    assert differences(study(FEW + ", pairs: [[c, a]]")) == ["accuracy/c/a"]


def test_a_difference_has_no_test(study, estimate):
    row = estimate(study(), some())["accuracy/a/b/rating_difference"]

    assert row.ci_status is Status.OK
    assert row.p_value is row.null_value is row.family is None


def test_each_criterion_has_its_own_ratings_and_none_is_a_mean_over_them(study, estimate):
    spec = study(criterion="[accuracy, language]")
    rows = [*some(), *(row | {"criterion": "language", "record_id": "l" + row["record_id"]} for row in some()[:5])]

    found = estimate(spec, rows)

    assert {name.split("/")[0] for name in found} == {"accuracy", "language"}
    assert found["accuracy/a/rating"].value == estimate(study(), some())["accuracy/a/rating"].value
    assert found["language/a/rating"].value == estimate(study(), some()[:5])["accuracy/a/rating"].value


def test_games_without_the_independent_unit_are_refused(study, estimate):
    rows = [row | {"case_id": None} for row in some()]

    with pytest.raises(ContractError, match="12 judgments have no case"):
        estimate(study(FEW + ", independent_unit: [case]"), rows)


def test_one_round_of_the_bootstrap_is_refused(specification, estimate):
    text = STUDY.replace(", rounds: 20", "").format(options=", rounds: 1", reference="", criterion="accuracy")

    with pytest.raises(SpecificationError, match="1 bootstrap round has no spread"):
        estimate(specification(text), some())
