import duckdb
import pytest

from data_contracts.errors import ContractError, SpecificationError
from data_contracts.vocabulary import Reason, Status
from juryline.analyses.agreement import agreement_rows

PAIRS = """
systems: [{id: x}, {id: y}]
rubric: {criteria: [{id: quality, protocol: pairwise}]}
raters: {populations: [{id: crowd, kind: human}]}
"""
LEVELS = """
systems: [{id: x}, {id: y}]
rubric:
  criteria:
    - {id: quality, protocol: rating, scale: {measure: ordinal, levels: [poor, fair, good]}}
    - {id: other, protocol: rating, scale: {measure: ordinal, levels: [poor, fair, good]}}
    - {id: stars, protocol: rating, scale: {measure: interval, min: 0, max: 100}}
    - {id: points, protocol: rating, scale: {measure: ordinal, levels: [1, 2, 3, 4, 5]}}
raters: {populations: [{id: crowd, kind: human}]}
"""
TWO_POPULATIONS = PAIRS.replace("kind: human}", "kind: human}, {id: judge, kind: model}")
ANALYSIS = "analyses: [{{id: a, method: agreement, rounds: 50, criterion: quality, {0}}}]"


@pytest.fixture
def run(specification, view):
    """Rows of the analysis of a specification over comparisons or ratings."""

    def rows(text, judgments, name="comparisons", assigned=()):
        spec = specification(text)
        views = {kind: view(kind, judgments if kind == name else []) for kind in ("comparisons", "ratings")}
        views["assignments"] = view("assignments", assigned)
        return agreement_rows(spec.analyses[0], spec, views)

    return rows


def games(*votes, **columns):
    """Votes (case, rater, shown first, shown second, sign) as comparisons: > < = x, or a state."""
    outcomes = {
        ">": ("answered", "system_1"),
        "<": ("answered", "system_2"),
        "=": ("tie", "tie"),
        "x": ("both_fail",) * 2,
    }
    rows = []
    for case, rater, first, second, sign in votes:
        state, outcome = outcomes.get(sign, (sign, None))
        shown = {"system_1": first, "system_2": second}
        rows.append({"case_id": case, "rater": rater, "state": state, "outcome": outcome} | shown | columns)
    return rows


def ratings(table, criterion="quality", **columns):
    """A table of labels, units x raters, as ratings of system x; a state stands for itself, None is no row."""
    return [
        {"case_id": f"c{case}", "rater": f"r{rater}", "system": "x", "criterion": criterion} | _answer(label) | columns
        for case, row in enumerate(table)
        for rater, label in enumerate(row, start=1)
        if label is not None
    ]


def _answer(label):
    if label in ("abstain", "unknown", "missing"):
        return {"state": label}
    number = {"value": float(label)} if not isinstance(label, str) else {}
    return {"state": "answered", "label": str(label)} | number


TWO_RATERS = games(
    # r says X X t Y of (X, Y), s says X Y t X; half of the games were shown the other way round
    ("1", "r", "x", "y", ">"),
    ("2", "r", "y", "x", "<"),
    ("3", "r", "x", "y", "="),
    ("4", "r", "y", "x", ">"),
    ("1", "s", "y", "x", "<"),
    ("2", "s", "x", "y", "<"),
    ("3", "s", "y", "x", "="),
    ("4", "s", "x", "y", ">"),
)


def test_the_label_of_a_pair_is_a_system_and_never_a_position(run, find):
    rows = run(PAIRS + ANALYSIS.format("coefficients: [raw_agreement, cohen_kappa], orientation: declared"), TWO_RATERS)

    assert find(rows, "raw_agreement").value == 0.5
    assert find(rows, "r/s/cohen_kappa").value == pytest.approx(0.2380952, abs=5e-8)
    assert find(rows, "r/s/cohen_kappa_oriented").value == pytest.approx(0.2, abs=5e-8)


def test_naming_the_systems_in_another_order_changes_no_symmetrised_coefficient(run, find):
    text = PAIRS + ANALYSIS.format("orientation: declared")
    turned = text.replace("[{id: x}, {id: y}]", "[{id: y}, {id: x}]")
    lopsided = TWO_RATERS + games(("5", "r", "x", "y", ">"), ("5", "s", "x", "y", "<"))

    one, other = run(text, lopsided), run(turned, lopsided)

    for name in ("raw_agreement", "r/s/cohen_kappa", "fleiss_kappa", "krippendorff_alpha"):
        assert find(one, name).value == pytest.approx(find(other, name).value, abs=1e-12), name


def test_the_order_shown_is_part_of_the_unit_only_where_declared(run, find):
    text = PAIRS + ANALYSIS.format("coefficients: [raw_agreement], unit: presentation")

    rows = run(text, TWO_RATERS)

    assert find(rows, "all/units").value == 8
    assert find(rows, "raw_agreement").status is Status.UNDEFINED
    assert find(run(text.replace("presentation", "game"), TWO_RATERS), "all/units").value == 4


def test_a_presentation_whose_order_nobody_recorded_is_not_estimable(run, find):
    text = PAIRS + ANALYSIS.format("coefficients: [raw_agreement], unit: presentation")

    unknown = [vote | {"order_collected": False} for vote in TWO_RATERS]

    for order, reason in (
        ("counterbalanced", Reason.ORDER_NOT_RECORDED),
        ("not_recorded", Reason.ORDER_NOT_RECORDED),
        (None, Reason.ORDER_NOT_DECLARED),
    ):
        rows = run(text + (f"\nassignment: {{order: {order}}}" if order else ""), unknown)
        assert find(rows, "all/ratings").value == len(TWO_RATERS)
        of_units = ("units", "pairable_units", "missing_share", "confusion/label=first/label2=first")
        for name in ("raw_agreement", "response_agreement", *(f"all/{name}" for name in of_units)):
            assert (find(rows, name).status, find(rows, name).reason) == (Status.NOT_ESTIMABLE, (reason,))


def test_presentations_of_two_populations_need_the_order_shown_too(run, find):
    text = TWO_POPULATIONS + ANALYSIS.format("between: [crowd, judge], unit: presentation")
    judge = [vote | {"population": "judge", "rater": "j", "rater_kind": "model"} for vote in TWO_RATERS[:4]]

    rows = run(text, [vote | {"order_collected": False} for vote in TWO_RATERS + judge])

    for name in ("population_kappa", "population_agreement", "units", "pairable_units", "response_agreement"):
        row = find(rows, f"crowd/judge/{name}")
        assert (row.status, row.reason) == (Status.NOT_ESTIMABLE, (Reason.ORDER_NOT_DECLARED,))


def test_different_outputs_of_one_system_never_become_one_unit(run, find):
    text = PAIRS + ANALYSIS.format("coefficients: [raw_agreement]")
    votes = games(("1", "r", "x", "y", ">"), ("1", "s", "y", "x", "<"))
    same = [votes[0] | {"output_1": "p", "output_2": "q"}, votes[1] | {"output_1": "q", "output_2": "p"}]
    other = [same[0], same[1] | {"output_2": "p2"}]

    assert find(run(text, same), "all/units").value == 1
    assert find(run(text, other), "all/units").value == 2


def test_a_non_answer_is_an_empty_cell_and_is_counted(run, find):
    table = [["poor", "poor", "fair"], ["good", "abstain", "good"], ["fair", "good", "unknown"], ["poor", "poor", None]]
    empty = [[None if label in ("abstain", "unknown") else label for label in row] for row in table]
    text = LEVELS + ANALYSIS.format("coefficients: [raw_agreement, fleiss_kappa, krippendorff_alpha, light_kappa]")

    with_states, without = run(text, ratings(table), "ratings"), run(text, ratings(empty), "ratings")

    for name in ("raw_agreement", "fleiss_kappa", "krippendorff_alpha", "light_kappa"):
        row = find(with_states, f"all/{name}")
        assert row.value == find(without, f"all/{name}").value
        assert row.row()["n_abstain"] == row.row()["n_unknown"] == 1
        assert row.n_judgments == 9
    assert find(with_states, "missing_share").value == pytest.approx(3 / 12)
    # States of the four units: all answered; 1 of 3 pairs; 1 of 3 pairs; all answered.
    assert find(with_states, "response_agreement").value == pytest.approx((1 + 1 / 3 + 1 / 3 + 1) / 4)
    assert find(without, "response_agreement").value == 1


def test_states_counted_as_categories_are_nominal_labels(run, find):
    table = [["poor", "abstain"], ["abstain", "abstain"], ["good", "good"]]
    text = LEVELS + ANALYSIS.format(
        "as_category: [abstain], coefficients: [raw_agreement, krippendorff_alpha, brennan_prediger]"
    )

    rows = run(text, ratings(table), "ratings")

    assert find(rows, "raw_agreement").value == pytest.approx(2 / 3)
    assert find(rows, "brennan_prediger").value == pytest.approx((2 / 3 - 1 / 4) / (3 / 4))
    assert find(rows, "prevalence/label=abstain").value == pytest.approx(3 / 6)
    # Coincidences: poor-abstain 1 each way, abstain 2, good 2; n 1, 3, 2: D_o 2/6, D_e (36 - 14)/30.
    assert find(rows, "krippendorff_alpha_nominal").value == pytest.approx(1 - (2 / 6) / (22 / 30))
    assert not [row for row in rows if row.statistic == "krippendorff_alpha"]


def test_the_order_of_levels_is_the_specifications_and_not_the_alphabets(run, find):
    table = [["poor", "fair"], ["good", "good"], ["fair", "fair"], ["poor", "poor"]]
    text = LEVELS + ANALYSIS.format("coefficients: [cohen_kappa_quadratic]")

    near = find(run(text, ratings(table), "ratings"), "r1/r2/cohen_kappa_quadratic")
    far = find(run(text, ratings([["poor", "good"], *table[1:]]), "ratings"), "r1/r2/cohen_kappa_quadratic")

    # By hand: v = 1/4 for neighbours; marginals (2, 1, 1) and (1, 2, 1) of 4.
    expected = (2 * 2 + 2 * 1 * 4 + 1 * 1 + 1 * 1 + 1 * 1 * 4 + 1 * 2) / 4 / 16
    assert near.value == pytest.approx(1 - (1 / 4 / 4) / expected)
    assert far.value < near.value


def test_numbers_without_levels_have_alpha_only_unless_more_is_declared(run, find):
    table = [[10, 12], [50, 49.5], [90, 90], [30, 10]]
    text = LEVELS + ANALYSIS.format("").replace("criterion: quality, ", "criterion: stars")
    declared = text.replace("criterion: stars", "criterion: stars, coefficients: [raw_agreement, krippendorff_alpha]")

    rows, more = (run(asked, ratings(table, "stars"), "ratings") for asked in (text, declared))

    assert {row.statistic for row in rows if row.unit in ("coefficient", "share")} == {
        "krippendorff_alpha",
        "missing_share",
        "response_agreement",
        "self_agreement",
    }
    assert find(more, "raw_agreement").value == 0.25
    # By hand: D_o = sum of squared differences / 4, D_e = 2 (8 S2 - S1^2)/56.
    numbers = [number for row in table for number in row]
    seen = (4 + 0.25 + 0 + 400) / 4
    expected = 2 * (8 * sum(n * n for n in numbers) - sum(numbers) ** 2) / 56
    assert find(rows, "krippendorff_alpha").value == pytest.approx(1 - seen / expected)


def test_a_further_metric_of_alpha_has_its_own_name(run, find):
    table = [[1, 2], [5, 5], [3, 3], [2, 4]]
    text = LEVELS + ANALYSIS.format("metrics: [nominal, interval, ratio, ordinal], coefficients: [krippendorff_alpha]")

    rows = run(text.replace("criterion: quality", "criterion: points"), ratings(table, "points"), "ratings")

    names = [row.statistic for row in rows if row.statistic.startswith("krippendorff")]
    assert names == [f"krippendorff_alpha{end}" for end in ("", "_nominal", "_interval", "_ratio")]
    assert len({find(rows, f"all/{name}").value for name in names}) == 4


def test_pooled_criteria_keep_their_units_apart_and_their_cases_together(run, find):
    text = LEVELS + ANALYSIS.format("pool: true, coefficients: [raw_agreement]").replace(
        "quality,", "[quality, other],"
    )
    one, other = ratings([["poor", "poor"]] * 2), ratings([["poor", "good"]] * 2, "other")

    rows = run(text, one + other, "ratings")

    pooled = find(rows, "*/crowd/all/all/raw_agreement")
    assert (pooled.value, pooled.n_units, pooled.n_clusters) == (0.5, 4, 2)
    assert find(rows, "quality/crowd/all/all/raw_agreement").value == 1
    assert find(rows, "other/crowd/all/all/raw_agreement").value == 0


def test_criteria_of_different_labels_are_not_pooled(run):
    text = LEVELS + ANALYSIS.format("pool: true").replace("quality,", "[quality, points],")

    with pytest.raises(SpecificationError, match="different labels"):
        run(text, ratings([["poor", "poor"]]), "ratings")


def test_rater_pairs_are_given_up_to_twenty_raters(run):
    text = LEVELS + ANALYSIS.format("coefficients: [cohen_kappa]")
    twenty, more = ratings([["poor"] * 20, ["good"] * 20]), ratings([["poor"] * 21, ["good"] * 21])

    def pairs(rows):
        return len([row for row in rows if row.statistic == "cohen_kappa"])

    assert pairs(run(text, twenty, "ratings")) == 190
    assert pairs(run(text, more, "ratings")) == 0
    assert pairs(run(text.replace("[cohen_kappa]", "[cohen_kappa], rater_pairs: true"), more, "ratings")) == 210
    assert pairs(run(text.replace("[cohen_kappa]", "[cohen_kappa], rater_pairs: false"), twenty, "ratings")) == 0


MANIFEST = "assignment: {manifest: assigned.csv}\n"


def assigned(*cells, **columns):
    """Assignments (case, rater[, system[, system]]) of a manifest that names no criterion."""
    names = ("case_id", "rater", "system_1", "system_2")
    return [{"criterion": None} | dict(zip(names, cell)) | columns for cell in cells]


def test_what_is_missing_is_missing_of_what_was_assigned(run, find):
    table = [["poor", "poor", None], ["good", "abstain", None], ["fair", None, "good"]]
    # r1 was assigned all three cases, r2 the first two, r3 the first; r3's rating of the last was nobody's plan.
    given = assigned(("c0", "r1"), ("c1", "r1"), ("c2", "r1"), ("c0", "r2"), ("c1", "r2"), ("c0", "r3"), ("c0", "r3"))
    text = LEVELS + ANALYSIS.format("coefficients: [raw_agreement]")

    by_manifest = run(MANIFEST + text, ratings(table), "ratings", given)
    of_all = run(text, ratings(table), "ratings", given)

    assert find(by_manifest, "missing_share").value == pytest.approx(2 / 6)
    assert find(of_all, "missing_share").value == pytest.approx(4 / 9)


def test_a_manifest_may_name_outputs_and_criteria(run, find):
    text = MANIFEST + LEVELS + ANALYSIS.format("coefficients: [raw_agreement]")
    table = ratings([["poor", "good"]]) + ratings([["fair", None]], system="y")
    of_both = assigned(*(("c0", rater, system) for rater in ("r1", "r2") for system in "xy"))
    others = assigned(("c0", "r1", "z"), criterion="other") + assigned(("c0", "r1", "x"), population="lab")
    pair = assigned(("c0", "r1", "x", "y"))  # of criteria of pairs

    rows = run(text, table, "ratings", of_both + others + pair)

    assert find(rows, "missing_share").value == pytest.approx(1 / 4)


def test_an_assigned_pair_is_one_whichever_was_shown_first(run, find):
    text = MANIFEST + PAIRS + ANALYSIS.format("coefficients: [raw_agreement]")
    cells = assigned(*((case, rater, "x", "y") for case in "1234" for rater in "rst")) + assigned(("1", "r", "x"))

    assert find(run(text, TWO_RATERS, assigned=cells), "missing_share").value == pytest.approx(4 / 12)
    assert find(run(text, TWO_RATERS, assigned=assigned(("1", "r", "x", "z"))), "missing_share").value == 1


def test_two_populations_miss_what_either_was_assigned(run, find):
    text = MANIFEST + TWO_POPULATIONS + ANALYSIS.format("between: [crowd, judge]")
    votes = games(("1", "r", "x", "y", ">")) + games(("1", "m", "x", "y", ">"), population="judge")
    cells = assigned(("1", "r"), ("2", "r")) + assigned(("1", "m"), ("2", "m"), ("3", "m"), population="judge")

    assert find(run(text, votes, assigned=cells), "missing_share").value == pytest.approx(3 / 5)


def test_a_slice_misses_its_own_assignments(run, find):
    text = MANIFEST + "slices: [topic]\n" + PAIRS + ANALYSIS.format("coefficients: [raw_agreement]")
    law, art = ({"case_attributes": [("topic", topic)]} for topic in ("law", "art"))
    votes = games(("1", "r", "x", "y", ">"), **law) + games(("2", "r", "x", "y", ">"), **art)
    cells = assigned(("1", "r"), ("1", "s"), ("3", "r"), **law) + assigned(("2", "r"), **art)

    rows = run(text, votes, assigned=cells)

    assert find(rows, "topic=law/all/missing_share").value == pytest.approx(2 / 3)
    assert find(rows, "topic=art/all/missing_share").value == 0


def test_a_manifest_that_assigns_nothing_of_a_cut_leaves_no_share(run, find):
    row = find(run(MANIFEST + PAIRS + ANALYSIS.format(""), TWO_RATERS), "missing_share")

    assert (row.status, row.reason) == (Status.UNDEFINED, (Reason.NOTHING_ASSIGNED,))


def test_beside_every_coefficient_stand_its_units_raters_and_labels(run, find):
    table = [["poor", "fair", "poor"], ["good", "good", None], ["poor", None, None]]

    rows = run(LEVELS + ANALYSIS.format("coefficients: [fleiss_kappa]"), ratings(table), "ratings")

    expected = {
        "all/units": 3,
        "all/pairable_units": 2,
        "all/raters": 3,
        "all/ratings": 6,
        "missing_share": 1 / 3,
        "prevalence/label=poor": 3 / 6,
        "prevalence/label=fair": 1 / 6,
        "prevalence/label=good": 2 / 6,
        "confusion/label=poor/label2=poor": 1,
        "confusion/label=poor/label2=fair": 1,
        "confusion/label=fair/label2=poor": 1,
        "confusion/label=good/label2=good": 2,
        "confusion/label=good/label2=poor": 0,
    }
    assert {name: find(rows, name).value for name in expected} == pytest.approx(expected)
    assert find(rows, "fleiss_kappa").reason == (Reason.UNIT_COUNT_BELOW_30,)


def test_repeats_feed_self_agreement_and_nothing_else(run, find):
    scored = ratings([["poor", "fair"], ["good", "good"]])
    again = ratings([["poor", None], ["fair", None]], item_kind="repeat")
    text = LEVELS + ANALYSIS.format("coefficients: [raw_agreement]")

    rows, alone = run(text, scored + again, "ratings"), run(text, scored, "ratings")

    assert find(rows, "all/r1/self_agreement").value == 0.5
    assert find(rows, "all/all/self_agreement").value == 0.5
    assert find(rows, "raw_agreement").value == find(alone, "raw_agreement").value == 0.5
    assert find(rows, "all/ratings").value == 4
    none = find(alone, "self_agreement")
    assert (none.status, none.reason) == (Status.NOT_ESTIMABLE, (Reason.NO_REPEATS,))


def test_clusters_are_cases_whatever_the_claim_says_of_raters(run, find):
    table = [["poor", "fair"], ["good", "good"], ["fair", "fair"]]
    text = "claim: {independent_unit: [rater]}" + LEVELS + ANALYSIS.format("coefficients: [raw_agreement]")
    by_book = text.replace("[rater]", "[rater, book]")
    books = [
        rating | {"case_attributes": [("book", "b" if rating["case_id"] == "c0" else "d")]} for rating in ratings(table)
    ]

    assert find(run(text, ratings(table), "ratings"), "raw_agreement").n_clusters == 3
    assert find(run(by_book, books, "ratings"), "raw_agreement").n_clusters == 2


def test_no_judgments_give_rows_that_say_so(run, find):
    rows = run(TWO_POPULATIONS + ANALYSIS.format("population: judge"), TWO_RATERS)

    assert find(rows, "fleiss_kappa").reason == (Reason.NO_SHARED_UNIT,)
    assert find(rows, "all/units").value == 0
    assert find(rows, "missing_share").status is Status.UNDEFINED


def test_populations_are_held_against_each_other_without_pooling(run, find):
    # Two raters of crowd say XX, XY, YY; the judge X, X, Y. The judge's alias is one of crowd's too.
    crowd = games(
        ("1", "r1", "x", "y", ">"),
        ("2", "r1", "x", "y", ">"),
        ("3", "r1", "x", "y", "<"),
        ("1", "r2", "y", "x", "<"),
        ("2", "r2", "y", "x", ">"),
        ("3", "r2", "y", "x", ">"),
    )
    judge = games(
        ("1", "r1", "y", "x", "<"), ("2", "r1", "x", "y", ">"), ("3", "r1", "x", "y", "<"), population="judge"
    )

    rows = run(TWO_POPULATIONS + ANALYSIS.format("between: [crowd, judge], orientation: declared"), crowd + judge)

    assert find(rows, "crowd/judge/population_agreement").value == pytest.approx(0.8333333, abs=5e-8)
    assert find(rows, "crowd/judge/population_kappa_oriented").value == pytest.approx(0.6666667, abs=5e-8)
    assert find(rows, "crowd/judge/population_kappa").value == pytest.approx(0.6666667, abs=5e-8)
    assert find(rows, "crowd/judge/raters").value == 3
    assert find(rows, "judge/prevalence/label=first").value == pytest.approx(2 / 3)
    assert find(rows, "crowd/judge/confusion/label=second/label2=first").value == 0.5
    assert {row.cut.population for row in rows} == {"crowd"}


def test_rankings_agree_by_their_pairs_or_as_numbers_where_declared(run, find):
    text = PAIRS.replace("pairwise", "ranking") + ANALYSIS.format("ranks_as: interval")
    ranks = ratings([[1, 1], [2, 2], [1, 2]], protocol="ranking")

    numbers = run(text, ranks, "ratings")
    pairs = run(text.replace(", ranks_as: interval", ""), [v | {"protocol": "ranking"} for v in TWO_RATERS])

    # D_o (0 + 0 + 1)/3; D_e of numbers 1 1 2 2 1 2: 2 * (6 * 15 - 81)/30.
    assert find(numbers, "krippendorff_alpha").value == pytest.approx(1 - (1 / 3) / (18 / 30))
    assert find(pairs, "raw_agreement").value == 0.5


def test_every_coefficient_names_the_judgments_it_is_of(specification, view):
    unanswered = games(("5", "s", "x", "y", "abstain"), ("5", "t", "x", "y", "x"))
    judge = games(("1", "m", "x", "y", ">"), ("2", "m", "x", "y", "missing"), population="judge")
    spec = specification(TWO_POPULATIONS + "slices: [tongue]\n" + ANALYSIS.format(""))
    between = specification(TWO_POPULATIONS + ANALYSIS.format("between: [crowd, judge]"))
    spoken = [vote | {"rater_attributes": [("tongue", "en'" if vote["rater"] == "r" else "fr")]} for vote in TWO_RATERS]
    comparisons = view("comparisons", spoken + unanswered + judge)
    views = {"comparisons": comparisons, "ratings": view("ratings", [])}
    con = duckdb.connect()
    con.register("comparisons", comparisons.to_pyarrow())

    rows = agreement_rows(spec.analyses[0], spec, views) + agreement_rows(between.analyses[0], between, views)

    counted = [row for row in rows if row.n_judgments is not None]
    assert {row.cut.slice_value for row in counted} == {"all", "en'", "fr"}
    assert len(counted) > 10
    assert len({row.estimate_id for row in rows}) == len(rows)
    for row in rows:
        found = con.execute(row.source).fetchall()
        assert row.n_judgments in (None, len(found)), row.estimate_id


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("labels: majority", "never of adjudicated labels"),
        ("independent_unit: rater", "two copies of one rater agree"),
        ("coefficients: [kendall_w]", "kendall_w does not fit criterion quality: it is of rankings"),
        ("coefficients: [gwet_ac2_linear]", "its are nominal"),
        ("metrics: [interval]", "needs ordered labels"),
        ("as_category: [tie]", "a label of quality already"),
        ("raters: random, interval: {method: percentile}", "percentiles of the rounds have no place for it"),
        ("between: [crowd, judge], raters: random", "the spread over the raters of one population"),
        ("between: [crowd, judge], coefficients: [cohen_kappa]", "are of raters, not of two populations"),
        ("between: [crowd, judge], metrics: [nominal]", "no meaning between two populations"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(declared, message, run):
    with pytest.raises(SpecificationError, match=message) as refusal:
        run(TWO_POPULATIONS + ANALYSIS.format(declared), TWO_RATERS)

    assert "study.yaml" in str(refusal.value)


@pytest.mark.parametrize(
    ("criterion", "declared", "message"),
    [
        ("stars", "coefficients: [gwet_ac1]", "needs declared levels"),
        ("stars", "metrics: [probability]", "as a metric write interval"),
        ("quality", "metrics: [ratio]", "its levels are text"),
        ("quality", "as_category: [abstain], coefficients: [cohen_kappa_linear]", "its are nominal"),
    ],
)
def test_a_coefficient_that_does_not_fit_the_scale_is_refused_by_name(criterion, declared, message, run):
    text = LEVELS + ANALYSIS.format(declared).replace("criterion: quality", f"criterion: {criterion}")

    with pytest.raises(SpecificationError, match=message):
        run(text, [], "ratings")


def test_judgments_without_a_case_have_no_unit(run):
    with pytest.raises(ContractError, match="have no case"):
        run(PAIRS + ANALYSIS.format(""), [vote | {"case_id": None} for vote in TWO_RATERS])
