"""Inputs that give other tools a number they should not: here each gives a status and a reason in its row."""

import pytest
from scipy.stats import binomtest

from data_contracts.vocabulary import Reason, Status
from juryline.analyses.agreement import agreement_rows
from juryline.analyses.bradley_terry import bradley_terry_rows
from juryline.analyses.elo import elo_rows
from juryline.analyses.likert import likert_rows
from juryline.analyses.pass_rates import pass_rates_rows
from juryline.analyses.spa import spa_rows
from juryline.analyses.win_rates import win_rates_rows

STUDY = """
systems: [{{id: a}}, {{id: b}}, {{id: c}}, {{id: d}}]
rubric: {{criteria: [{{id: quality, protocol: {protocol}{scale}}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
analyses: [{{id: one, criterion: quality, method: {method}{options}}}]
"""
ROWS = {
    "spa": (spa_rows, "spa", ", scale: {measure: probability, min: 0, max: 100}", "spa_answers"),
    "likert": (likert_rows, "rating", ", scale: {measure: ordinal, levels: [1, 2, 3, 4, 5]}", "ratings"),
    "pass_rates": (
        pass_rates_rows,
        "checklist",
        ', scale: {measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}',
        "ratings",
    ),
    "agreement": (agreement_rows, "rating", ", scale: {measure: ordinal, levels: [poor, fair, good]}", "ratings"),
    "win_rates": (win_rates_rows, "pairwise", "", "comparisons"),
    "elo": (elo_rows, "pairwise", "", "comparisons"),
    "bradley_terry": (bradley_terry_rows, "pairwise", "", "comparisons"),
}
ZERO_VARIANCE = (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
OUTCOMES = {">": ("answered", "system_1"), "<": ("answered", "system_2"), "=": ("tie", "tie")}


@pytest.fixture
def rows_of(specification, view):
    """The rows of a method over judgments, by the end of their id; of all subjects together, without `all/`."""

    def run(method, judgments, options=""):
        rows, protocol, scale, name = ROWS[method]
        spec = specification(STUDY.format(method=method, protocol=protocol, scale=scale, options=options))
        table = view(name, judgments)
        views = {"ratings": table, "comparisons": view("comparisons", [])}
        found = rows(spec.analyses[0], spec, views if method == "agreement" else table)
        return {one.estimate_id.removeprefix("one/quality/crowd/all/"): one for one in found}

    return run


def answers(*chances):
    return [{"rater": f"r{n}", "system_x": "a", "system_y": "b", "value": chance} for n, chance in enumerate(chances)]


def ratings(table):
    """Labels of (rater, case, system); digits are numbers too."""
    return [
        {"rater": rater, "case_id": case, "system": system, "label": label}
        | ({"value": float(label)} if label.isdigit() else {})
        for (rater, case, system), label in table.items()
    ]


def games(*rows):
    """Games (first, sign, second, rater), each a case of its own."""
    return [
        {"system_1": one, "system_2": other, "rater": rater, "case_id": f"c{place}"}
        | dict(zip(("state", "outcome"), OUTCOMES[sign]))
        for place, (one, sign, other, rater) in enumerate(rows)
    ]


def verdict(row):
    return row.status, row.reason


def of_interval(row):
    return row.ci_status, row.ci_reason


# --- agreement ------------------------------------------------------------------------------------------


def test_one_category_only_is_undefined_and_raw_agreement_says_how_it_came(rows_of):
    found = rows_of(
        "agreement",
        ratings({(f"r{r}", f"c{c}", "a"): "fair" for r in range(3) for c in range(40)}),
        ", coefficients: [raw_agreement, cohen_kappa, fleiss_kappa, light_kappa, krippendorff_alpha, gwet_ac1,"
        " brennan_prediger]",
    )

    for name in ("all/fleiss_kappa", "all/light_kappa", "all/krippendorff_alpha", "r0/r1/cohen_kappa"):
        assert (found[name].value, *verdict(found[name])) == (None, Status.UNDEFINED, (Reason.ONE_CATEGORY,)), name
        assert found[name].ci_low is None
    for name in ("all/raw_agreement", "all/gwet_ac1", "all/brennan_prediger"):
        assert found[name].value == 1
        assert of_interval(found[name]) == (Status.DEGENERATE, (Reason.PERFECT_AGREEMENT,))


def test_raters_who_share_no_unit_agree_on_nothing_and_not_by_zero(rows_of):
    found = rows_of("agreement", ratings({(f"r{c}", f"c{c}", "a"): "fair" for c in range(5)}))

    coefficients = [row for row in found.values() if row.statistic in ("raw_agreement", "fleiss_kappa", "cohen_kappa")]
    assert len(coefficients) == 2 + 10
    for row in coefficients:
        assert (row.value, *verdict(row)) == (None, Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))


def test_a_single_rater_agrees_with_nobody(rows_of):
    found = rows_of("agreement", ratings({("r0", f"c{c}", "a"): "fair" for c in range(5)}))

    assert verdict(found["all/krippendorff_alpha"]) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))


def test_a_middle_level_nobody_used_still_stands_between_the_others(rows_of):
    labels = {("r0", f"c{c}", "a"): "good" if c % 2 else "poor" for c in range(8)}
    labels |= {("r1", f"c{c}", "a"): "good" if c % 3 else "poor" for c in range(8)}

    found = rows_of("agreement", ratings(labels), ", coefficients: [cohen_kappa, cohen_kappa_linear]")

    # With two levels in use, both ends, a weight is 0 or 1: linear weights give what none do.
    assert found["r0/r1/cohen_kappa_linear"].value == pytest.approx(found["r0/r1/cohen_kappa"].value)
    assert found["all/prevalence/label=fair"].value == 0


# --- answers and ratings --------------------------------------------------------------------------------


@pytest.mark.parametrize("chances", [[0.7] * 12, [0.5] * 12, [0.1 + 0.2, *[0.3] * 11]])
def test_equal_chances_have_a_preference_without_interval_and_test(rows_of, chances):
    found = rows_of("spa", answers(*chances))

    assert found["a/b/spa_preference"].value == pytest.approx(chances[1])
    assert of_interval(found["a/b/spa_preference"]) == ZERO_VARIANCE
    assert verdict(found["a/b/spa_t"]) == ZERO_VARIANCE
    assert (found["a/b/spa_t"].p_value, found["a/b/spa_t"].p_adjusted) == (None, None)


@pytest.mark.parametrize(
    ("method", "label", "other", "statistic"),
    [("likert", "4", "3", "mean_difference"), ("pass_rates", "Yes", "No", "share_difference")],
)
@pytest.mark.parametrize("identical", [True, False])
def test_pairs_that_are_identical_or_differ_alike_have_no_test(rows_of, method, label, other, statistic, identical):
    labels = {(f"r{r}", "c", s): label if s == "a" or identical else other for r in range(12) for s in "ab"}

    found = rows_of(method, ratings(labels))

    end = "" if method == "likert" else "/label=Yes"
    difference, test = found[f"a/b/{statistic}{end}"], found[f"a/b/{statistic}_t{end}"]
    assert difference.value == (0 if identical else 1)
    assert of_interval(difference) == ZERO_VARIANCE
    assert test.status is Status.DEGENERATE
    assert Reason.ZERO_VARIANCE in test.reason
    assert test.p_value is None
    if method == "likert":
        assert found["a/b/superiority"].value == (0.5 if identical else 1)


def test_one_rater_is_too_few_for_a_preference_and_a_difference(rows_of):
    spa = rows_of("spa", answers(0.9))
    likert = rows_of("likert", ratings({("r", f"c{c}", s): str(c + 1) for c in range(5) for s in "ab"}))

    assert verdict(spa["a/b/spa_preference"]) == (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,))
    assert verdict(spa["a/b/spa_t"]) == (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,))
    assert likert["a/b/mean_difference"].status is Status.INSUFFICIENT
    assert Reason.TOO_FEW_UNITS in likert["a/b/mean_difference"].reason
    assert likert["a/mean"].value == 3
    assert of_interval(likert["a/mean"]) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_raters_who_judged_no_item_of_both_systems_are_not_matched(rows_of):
    found = rows_of("likert", ratings({(f"r{r}", f"c{s}", s): "3" for r in range(12) for s in "ab"}))

    for name in ("mean_difference", "superiority"):
        assert found[f"a/b/{name}"].status is Status.INSUFFICIENT
        assert Reason.NO_MATCHED_PAIRS in found[f"a/b/{name}"].reason


def test_a_level_nobody_chose_is_a_share_of_zero_with_an_interval(rows_of):
    found = rows_of("likert", ratings({(f"r{r}", "c", "a"): "5" if r % 2 else "1" for r in range(12)}))

    middle = found["a/share/label=3"]
    assert (middle.value, middle.status, middle.ci_low) == (0, Status.OK, 0)
    assert middle.ci_high == pytest.approx(binomtest(0, 12).proportion_ci(method="wilson").high)


def test_levels_keep_the_order_of_the_specification_and_not_of_the_alphabet(rows_of):
    # Alphabetically, good stands between fair and poor, and (poor, good) would be neighbours.
    labels = {
        (f"r{r}", f"c{c}", "a"): ("poor", "fair", "good")[(c + r * (c == 0)) % 3] for r in range(2) for c in range(9)
    }
    far = labels | {("r1", "c0", "a"): "good"}

    near, apart = (
        rows_of("agreement", ratings(table), ", coefficients: [krippendorff_alpha]")["all/krippendorff_alpha"].value
        for table in (labels, far)
    )

    assert labels["r1", "c0", "a"] == "fair"
    assert apart < near


# --- games ----------------------------------------------------------------------------------------------

INSIDE = [("b", ">", "c", "r1"), ("c", ">", "b", "r2"), ("b", ">", "c", "r3")]
NO_STRENGTH = (Reason.NOT_STRONGLY_CONNECTED,)


@pytest.mark.parametrize(
    ("played", "split"),
    [
        ([("a", ">", "b", "r1"), ("a", ">", "c", "r2")], Reason.ORDERED),  # undefeated
        ([("b", ">", "a", "r1"), ("c", ">", "a", "r2")], Reason.ORDERED),  # winless
        ([("a", ">", "d", "r1"), ("d", ">", "a", "r2")], Reason.DISCONNECTED),
    ],
)
def test_systems_that_cannot_be_compared_have_no_strength_and_those_that_can_a_contrast(rows_of, played, split):
    found = rows_of("bradley_terry", games(*INSIDE, *played))

    for system in "abc":
        row = found[f"{system}/rating"]
        assert (row.value, *verdict(row)) == (None, Status.NOT_ESTIMABLE, tuple(sorted((*NO_STRENGTH, split))))
    across = found["a/b/rating_difference"]
    assert (across.status, across.reason) == (Status.NOT_ESTIMABLE, tuple(sorted((*NO_STRENGTH, split))))
    assert found["a/b/rating_difference_t"].p_value is None
    assert found["b/c/rating_difference"].status is Status.OK


def test_an_undefeated_system_has_an_elo_that_says_so(rows_of):
    found = rows_of("elo", games(*INSIDE, ("a", ">", "b", "r1")), ", orderings: 20, rounds: 20")

    assert found["a/rating"].status is Status.OK
    assert found["a/rating"].reason == (Reason.UNDEFEATED_ORDER_DEPENDENT,)
    assert found["b/rating"].reason == ()
    assert (found["d/rating"].value, *verdict(found["d/rating"])) == (None, Status.INSUFFICIENT, (Reason.NO_GAMES,))


def test_rounds_in_which_a_system_has_no_game_are_counted_and_take_its_interval(rows_of):
    usual = [("b", sign, "c", f"r{rater}") for rater in range(12) for sign in "><>"[: 2 + rater % 2]]
    seldom = [("a", ">", "b", "r0"), ("a", "<", "c", "r0")]

    found = rows_of("elo", games(*usual, *seldom), ", orderings: 20, rounds: 100")

    assert found["a/rating"].status is Status.OK
    assert of_interval(found["a/rating"]) == (Status.NOT_ESTIMABLE, (Reason.BOOTSTRAP_ROUNDS_FAILED,))
    assert 0 < found["a/rating"].n_boot_failed < found["a/rating"].n_boot == 100
    assert (found["b/rating"].ci_status, found["b/rating"].n_boot_failed) == (Status.OK, 0)


@pytest.mark.parametrize(
    ("method", "name", "value"),
    [("win_rates", "a/win_rate", 0.5), ("bradley_terry", "a/b/rating_difference", 0.0), ("elo", "a/rating", None)],
)
def test_games_of_one_rater_have_a_value_and_no_interval(rows_of, method, name, value):
    played = games(("a", ">", "b", "r"), ("b", ">", "a", "r"))
    options = ", orderings: 20, rounds: 20" if method == "elo" else ""

    row = rows_of(method, played, options)[name]

    assert row.status is Status.OK
    assert value is None or row.value == pytest.approx(value, abs=1e-9)
    assert of_interval(row) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_ties_only_are_no_decisive_rate_and_a_half_rate_of_one_half(rows_of):
    found = rows_of("win_rates", games(*[("a", "=", "b", f"r{rater}") for rater in range(12)]))

    decisive = found["a/win_rate_decisive"]
    assert (decisive.value, *verdict(decisive)) == (None, Status.UNDEFINED, (Reason.NO_DECISIVE_GAME,))
    assert (found["a/win_rate"].value, found["a/win_rate_half"].value) == (0, 0.5)


def test_a_family_keeps_a_member_without_a_p_value(rows_of):
    played = [("a", sign, "b", f"r{rater}") for rater in range(12) for sign in ">><"[rater % 2 :]]
    found = rows_of("bradley_terry", games(*played), ", pairs: [[a, b], [a, c], [a, d]]")

    with_p, without = found["a/b/rating_difference_t"], found["a/c/rating_difference_t"]
    assert with_p.p_adjusted == pytest.approx(min(1, 3 * with_p.p_value))
    assert (without.p_value, without.p_adjusted, without.family_size) == (None, None, 3)
    assert verdict(without) == (Status.INSUFFICIENT, (Reason.NO_GAMES,))
