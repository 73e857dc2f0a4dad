import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.miscmodels.ordinal_model import OrderedModel

from data_contracts.errors import ContractError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.likert import likert_rows

GOLDEN = Path(__file__).parents[1] / "golden"
PAIRS = json.loads((GOLDEN / "likert.json").read_text())["pairs"]
WINE = json.loads((GOLDEN / "ordinal.json").read_text())

STUDY = """
systems: {systems}
rubric: {{criteria: [{{id: quality, protocol: rating, scale: {scale}{criterion}}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
{more}
analyses: [{{id: likert, method: likert, criterion: quality, alpha: [0.2, 0.05]{options}}}]
"""
ORDINAL = "{measure: ordinal, levels: [1, 2, 3, 4, 5]}"
WORDS = "{measure: ordinal, levels: [poor, fair, excellent]}"
ALL = "likert/quality/crowd/all/"
ODDS = ("ordinal_log_odds", "ordinal_log_odds_conditional")


@pytest.fixture
def study(specification):
    def parse(options="", scale=ORDINAL, criterion="", more="", systems="xy"):
        named = "[" + ", ".join(f"{{id: {system}}}" for system in systems) + "]"
        return specification(STUDY.format(options=options, scale=scale, criterion=criterion, more=more, systems=named))

    return parse


@pytest.fixture
def estimate(view):
    def run(spec, rows):
        estimates = likert_rows(spec.analyses[0], spec, view("ratings", rows))
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.removeprefix(ALL): e for e in estimates}

    return run


def rated(rater, case, system, value, **columns):
    label = str(value) if isinstance(value, int) else value
    number = float(value) if isinstance(value, int) else None
    return {"rater": rater, "case_id": case, "system": system, "label": label, "value": number} | columns


def scored(rater, case, system, value):
    return rated(rater, case, system, None) | {"value": value}


def worked():
    cells = zip(PAIRS["rater"], PAIRS["case"], PAIRS["x"], PAIRS["y"])
    return [rated(r, c, s, v) for r, c, x, y in cells for s, v in (("x", x), ("y", y))]


def test_worked_pair(study, estimate):
    rows = estimate(study(), worked())

    difference, test, expected = rows["x/y/mean_difference"], rows["x/y/mean_difference_t"], PAIRS["expected"]
    assert difference.value == pytest.approx(expected["difference"], abs=5e-8)
    assert (difference.ci_low, difference.ci_high) == pytest.approx((expected["low"], expected["high"]), abs=5e-8)
    assert test.value == pytest.approx(expected["t"], abs=5e-7)
    assert test.p_value == pytest.approx(expected["p"], abs=5e-8)
    assert (test.correction, test.family, test.family_size) == ("holm", "likert/crowd", 1)
    assert rows["x/y/n_pairs"].value == 5
    assert rows["x/y/superiority"].value == pytest.approx(PAIRS["superiority"])
    assert rows["x/y/superiority"].null_value == 0.5
    assert (difference.n_units, difference.n_raters, difference.n_judgments, difference.n_cases) == (3, 3, 10, 2)


def test_means_weigh_judgments_or_cases(study, estimate):
    rows = estimate(study(), worked())

    assert rows["x/mean"].value == pytest.approx((5 + 4 + 2 + 3 + 4) / 5)
    assert rows["x/mean_case_weighted"].value == pytest.approx(((5 + 2 + 4) / 3 + (4 + 3) / 2) / 2)
    assert rows["x/mean"].n_clusters == 3


def test_every_declared_level_has_its_share_observed_or_not(study, estimate):
    rows = estimate(study(), worked())

    shares = [rows[f"x/share/label={level}"].value for level in range(1, 6)]
    assert shares == pytest.approx([0, 0.2, 0.2, 0.4, 0.2])


def test_means_of_an_ordinal_scale_carry_a_warning_and_shares_do_not(study, estimate):
    ordinal = estimate(study(), worked())
    interval = estimate(study(scale="{measure: interval, min: 0, max: 100}"), worked())

    for name in ("x/mean", "x/mean_case_weighted", "x/mean_z", "x/y/mean_difference", "x/y/mean_difference_z"):
        assert Reason.MEAN_OF_ORDINAL in ordinal[name].reason
        assert Reason.MEAN_OF_ORDINAL not in interval[name].reason
    assert ordinal["x/y/superiority"].reason == ()


def test_levels_that_are_words_have_shares_and_superiority_but_no_mean(study, estimate):
    words = [
        rated(r, "1", s, w)
        for r, x, y in (("a", "excellent", "poor"), ("b", "fair", "fair"))
        for s, w in (("x", x), ("y", y))
    ]

    rows = estimate(study(scale=WORDS), words)

    for name in ("x/mean", "x/mean_case_weighted", "x/mean_z", "x/y/mean_difference", "x/y/mean_difference_t"):
        assert (rows[name].value, rows[name].status, rows[name].reason) == (
            None,
            Status.NOT_ESTIMABLE,
            (Reason.NOT_NUMERIC,),
        )
    assert rows["x/y/superiority"].value == pytest.approx(0.75)
    assert rows["x/share/label=excellent"].value == 0.5
    assert rows["x/y/reversal_possible"].reason == (Reason.NOT_NUMERIC,)


def test_words_keep_their_declared_order(study, estimate):
    # Alphabetically, excellent comes before fair.
    words = [rated(r, "1", s, w) for r in "ab" for s, w in (("x", "excellent"), ("y", "fair"))]

    assert estimate(study(scale=WORDS), words)["x/y/superiority"].value == 1


@pytest.mark.parametrize(
    ("scale", "reason"),
    [
        ("{measure: interval, min: 1, max: 5}", Reason.NOT_ORDINAL),
        ("{measure: ordinal, levels: [1, 2, 3, 4, 5, 9]}", Reason.UNEQUAL_STEPS),
    ],
)
def test_reversal_speaks_of_ordinal_scales_with_equal_steps(study, estimate, scale, reason):
    rows = estimate(study(scale=scale), worked())

    for name in ("x/y/reversal_possible", "x/y/reversal_excluded"):
        assert (rows[name].status, rows[name].reason) == (Status.NOT_ESTIMABLE, (reason,))


def test_a_difference_below_one_step_may_be_reversed(study, estimate):
    rows = estimate(
        study(", independent_unit: [rater, case]"), [*worked(), rated("c", "2", "x", 1), rated("c", "2", "y", 2)]
    )

    assert rows["x/y/mean_difference"].value == pytest.approx(4 / 6)
    assert rows["x/y/reversal_possible"].value == 1
    assert rows["x/y/reversal_excluded"].value == 0


def test_the_unit_of_a_pair_may_be_raters_cases_or_both(study, estimate):
    by_case = estimate(study(", unit: case"), worked())
    by_both = estimate(study(", unit: both"), worked())

    # Cases: mean of (2, -1, 2) and of (0, 2).
    assert by_case["x/y/mean_difference"].value == pytest.approx(1.0)
    assert by_case["x/y/mean_difference"].n_units == 2
    assert by_case["x/mean"].n_clusters == 3
    assert by_both["x/y/mean_difference"].value == pytest.approx(1.0)
    assert by_both["x/y/mean_difference_t"].df == 1


def test_the_unit_follows_the_independent_unit(study, estimate):
    passages = [row | {"case_attributes": [("passage", "p" + row["case_id"])]} for row in worked()]

    rows = estimate(study(", independent_unit: [passage]"), passages)

    assert rows["x/y/mean_difference"].n_units == 2
    assert rows["x/mean"].n_clusters == 2


@pytest.mark.parametrize("options", ["", ", unit: rater", ", unit: both"])
def test_adjudicated_labels_are_compared_over_cases_since_they_have_no_rater(study, estimate, options):
    x, y = [5, 4, 4, 2, 3, 5], [3, 4, 2, 2, 1, 3]
    rows = [
        {"rater": "middle", "case_id": f"c{case}", "system": system, "value": float(score), "label": str(score)}
        for system, scores in (("x", x), ("y", y))
        for case, score in enumerate(scores)
    ]

    found = estimate(study(f", labels: middle{options}"), rows)

    expected = stats.ttest_rel(x, y)
    test, difference = found["x/y/mean_difference_t"], found["x/y/mean_difference"]
    assert (test.value, test.p_value) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert (difference.ci_low, difference.ci_high) == pytest.approx(expected.confidence_interval(0.95))
    assert found["x/mean"].n_clusters == 6


def test_no_shared_case_needs_a_declared_pairing(study, estimate):
    apart = [
        rated(r, f"{r}{s}", s, v)
        for r, x, y in (("a", 5, 3), ("b", 4, 3), ("c", 4, 1))
        for s, v in (("x", x), ("y", y))
    ]

    by_cells, by_raters = estimate(study(), apart), estimate(study(", pairing: rater"), apart)

    assert by_cells["x/y/mean_difference"].status is Status.INSUFFICIENT
    assert by_cells["x/y/mean_difference"].reason == (Reason.MEAN_OF_ORDINAL, Reason.NO_MATCHED_PAIRS)
    assert by_cells["x/y/mean_difference_t"].p_value is None
    assert by_cells["x/y/n_pairs"].value == 0
    assert by_cells["x/y/n_pairs"].n_judgments == 0
    assert by_raters["x/y/mean_difference"].value == pytest.approx(2)
    assert by_raters["x/y/n_pairs"].value == 3


def test_between_designs_have_a_difference_and_no_superiority(study, estimate):
    apart = [
        rated(f"{s}{i}", "1", s, v) for s, values in (("x", [5, 4, 4]), ("y", [2, 3, 1])) for i, v in enumerate(values)
    ]

    rows = estimate(study(", pairing: none"), apart)

    assert rows["x/y/mean_difference"].value == pytest.approx(13 / 3 - 2)
    assert rows["x/y/mean_difference"].ci_method == "welch_t"
    assert rows["x/y/superiority"].reason == (Reason.NO_MATCHED_PAIRS,)


def test_ratings_are_also_compared_in_each_raters_own_spread(study, estimate):
    scores = {"a": (1, 3, 5), "b": (2, 2, 2), "c": (4,)}
    rows = [rated(r, str(i), "xy"[i % 2], v) for r, values in scores.items() for i, v in enumerate(values)]

    z = estimate(study(), rows)["x/mean_z"]

    assert z.value == pytest.approx(0)
    assert (z.n_judgments, z.n_raters) == (2, 1)
    assert z.reason == (Reason.MEAN_OF_ORDINAL, Reason.RATERS_LEFT_OUT)


def test_the_difference_of_standard_scores_is_tested_outside_the_family(study, estimate):
    rows = estimate(study(), worked())

    # By hand: s_a = sqrt(2/3), s_b = sqrt(11/12), s_c = sqrt 2; d_r = 1/s_a, .5/s_b, 2/s_c.
    d = [1 / (2 / 3) ** 0.5, 0.5 / (11 / 12) ** 0.5, 2**0.5]
    assert rows["x/y/mean_difference_z"].value == pytest.approx(np.mean(d))
    test = rows["x/y/mean_difference_z_t"]
    assert test.value == pytest.approx(np.mean(d) / (np.std(d, ddof=1) / 3**0.5))
    assert (test.p_adjusted, test.family) == (None, None)


def test_what_was_not_answered_is_counted_and_is_no_level(study, estimate):
    silent = [rated("d", "1", "x", None, state=state) for state in ("abstain", "not_applicable", "missing", "invalid")]

    rows = estimate(study(), worked() + silent)

    assert rows["x/mean"].value == pytest.approx(3.6)
    assert rows["x/mean"].n_judgments == 5
    assert rows["x/mean"].states[State.ABSTAIN] == 1
    assert rows["x/mean"].states[State.ANSWERED] == 5
    assert rows["x/y/mean_difference"].states[State.INVALID] == 1


def test_equal_ratings_have_no_p_value(study, estimate):
    rows = estimate(study(), [rated(r, "1", s, v) for r in "abcd" for s, v in (("x", 4), ("y", 3))])

    assert rows["x/y/mean_difference"].value == 1
    assert rows["x/y/mean_difference"].ci_status is Status.DEGENERATE
    assert (rows["x/y/mean_difference_t"].status, rows["x/y/mean_difference_t"].p_value) == (Status.DEGENERATE, None)
    assert rows["x/y/reversal_excluded"].status is Status.DEGENERATE


@pytest.mark.parametrize(
    "scale", ["{measure: interval, min: 0, max: 1}", "{measure: interval}", "{measure: ratio, min: 0}"]
)
@pytest.mark.parametrize(
    "values", [pytest.param([0.7], id="0.7 everywhere"), pytest.param([0.3, 0.1 + 0.2], id="0.1 + 0.2 beside 0.3")]
)
def test_constant_answers_have_means_and_nothing_to_test_with(study, estimate, values, scale):
    ratings = [scored(f"r{i}", "1", s, values[(i + (s == "y")) % len(values)]) for i in range(6) for s in "xy"]

    rows = estimate(study(scale=scale), ratings)

    for name in ("x/mean", "y/mean_case_weighted", "x/y/mean_difference"):
        row = rows[name]
        assert row.value == pytest.approx(0 if "difference" in name else values[0], abs=1e-15)
        assert (row.status, row.ci_status, row.ci_reason) == (Status.OK, Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    test = rows["x/y/mean_difference_t"]
    assert (test.status, test.reason, test.p_value) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,), None)
    superiority = rows["x/y/superiority"]
    assert (superiority.value, superiority.ci_status) == (0.5, Status.DEGENERATE)
    z = rows["x/mean_z"]
    assert (z.status, z.reason) == (Status.INSUFFICIENT, (Reason.NO_JUDGMENTS, Reason.RATERS_LEFT_OUT))


def test_one_level_only_has_a_share_of_one_and_no_ordinal_model(study, estimate):
    rows = estimate(study(), [rated(f"r{i}", "1", s, 4) for i in range(6) for s in "xy"])

    assert rows["x/share/label=4"].value == 1
    assert rows["x/mean"].value == 4
    for name in ODDS:
        row = rows[f"x/y/{name}"]
        assert (row.value, row.status, row.reason) == (None, Status.NOT_ESTIMABLE, (Reason.SEPARATION,))


def test_one_rater_who_rated_once_has_means_and_nothing_else(study, estimate):
    rows = estimate(study(), [rated("a", "1", "x", 4), rated("a", "1", "y", 2)])

    assert (rows["x/mean"].value, rows["x/mean"].ci_status) == (4, Status.INSUFFICIENT)
    assert rows["x/mean"].ci_reason == (Reason.ONE_CLUSTER,)
    assert rows["x/y/mean_difference"].reason == (Reason.MEAN_OF_ORDINAL, Reason.TOO_FEW_UNITS)
    assert (rows["x/y/mean_difference_t"].status, rows["x/y/mean_difference_t"].p_value) == (Status.INSUFFICIENT, None)
    assert rows["x/y/superiority"].status is Status.INSUFFICIENT
    assert rows["x/y/n_pairs"].value == 1
    assert rows["x/y/ordinal_log_odds"].reason == (Reason.SEPARATION,)


def test_identical_pairs_do_not_differ_by_any_measure(study, estimate):
    ratings = [rated(f"r{i}", "1", s, 1 + i % 4) for i in range(8) for s in "xy"]

    rows = estimate(study(), ratings)

    for name, value in (("mean_difference", 0), ("superiority", 0.5), ("ordinal_log_odds", 0)):
        row = rows[f"x/y/{name}"]
        assert (row.status, row.value, row.ci_status, row.ci_reason) == (
            Status.OK,
            value,
            Status.DEGENERATE,
            (Reason.ZERO_VARIANCE,),
        )
    assert rows["x/y/mean_difference_t"].status is Status.DEGENERATE
    assert rows["x/y/reversal_possible"].value == 1
    # Each rater gave one level, so that raters' levels have no finite spread.
    assert rows["x/y/ordinal_log_odds_conditional"].reason == (Reason.SEPARATION,)


@pytest.mark.parametrize("options", ["", ", unit: case", ", unit: both", ", pairing: rater", ", pairing: none"])
def test_a_pair_turned_round_is_the_negative(study, estimate, options):
    ratings = [
        rated(f"r{i}", f"c{c}", s, 1 + (3 * i + c + 2 * i * (s == "x")) % 5)
        for i in range(7)
        for c in range(3)
        for s in "xy"
    ]

    there = estimate(study(options + ", pairs: [[x, y]]"), ratings)
    back = estimate(study(options + ", pairs: [[y, x]]"), ratings)

    for name in ("mean_difference", "mean_difference_z", "superiority", *ODDS):
        one, other, null = there[f"x/y/{name}"], back[f"y/x/{name}"], 0.5 if name == "superiority" else 0
        assert (one.status, one.reason, one.ci_status) == (other.status, other.reason, other.ci_status)
        if one.value is not None:
            assert one.value - null == pytest.approx(null - other.value, abs=1e-12)
            assert (one.ci_low - null, one.ci_high - null) == pytest.approx(
                (null - other.ci_high, null - other.ci_low), abs=1e-12
            )
    for name in ("mean_difference_t", "mean_difference_z_t"):
        one, other = there[f"x/y/{name}"], back[f"y/x/{name}"]
        assert one.value == pytest.approx(-other.value, abs=1e-12)
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
    for name in ("reversal_possible", "reversal_excluded", "n_pairs"):
        assert there[f"x/y/{name}"].value == back[f"y/x/{name}"].value


def test_names_of_raters_and_cases_change_nothing(study, estimate):
    rng = np.random.default_rng(7)
    ratings = [(i % 9, i % 5, "xy"[i % 2], int(rng.integers(1, 6))) for i in range(180)]
    raters, cases = rng.permutation(9), rng.permutation(5)
    spec = study(", independent_unit: [rater, case]")

    before = estimate(spec, [rated(f"r{r}", f"c{c}", s, v) for r, c, s, v in ratings])
    after = estimate(spec, [rated(f"q{raters[r]}", f"d{cases[c]}", s, v) for r, c, s, v in ratings])

    assert before.keys() == after.keys()
    for name, row in before.items():
        assert (row.status, row.reason, row.ci_status) == (
            after[name].status,
            after[name].reason,
            after[name].ci_status,
        )
        for column in ("value", "ci_low", "ci_high", "p_value"):
            old, new = getattr(row, column), getattr(after[name], column)
            assert (old is None) == (new is None)
            assert old is None or old == pytest.approx(new, abs=1e-9)


def test_abstentions_change_nothing_but_their_count(study, estimate):
    silent = [rated(r, "9", s, None, state="abstain") for r in "abz" for s in "xy"]

    before, after = estimate(study(), worked()), estimate(study(), worked() + silent)

    assert before.keys() == after.keys()
    for name, row in before.items():
        assert (row.status, row.value, row.ci_low, row.p_value) == (
            after[name].status,
            after[name].value,
            after[name].ci_low,
            after[name].p_value,
        )
    assert after["x/y/ordinal_log_odds"].states[State.ABSTAIN] == 6


def test_a_system_nobody_rated_is_insufficient(study, estimate):
    rows = estimate(study(), [row for row in worked() if row["system"] == "x"])

    assert (rows["y/mean"].status, rows["y/mean"].reason) == (
        Status.INSUFFICIENT,
        (Reason.MEAN_OF_ORDINAL, Reason.NO_JUDGMENTS),
    )
    assert rows["y/share/label=1"].value is None
    assert rows["x/y/superiority"].status is Status.INSUFFICIENT


@pytest.mark.parametrize(
    ("declared", "value"), [(", extremum_equivalence: true", 1), (", extremum_equivalence: false", 0)]
)
def test_extremum_equivalence_is_what_was_declared(study, estimate, declared, value):
    assert estimate(study(criterion=declared), worked())["all/extremum_equivalence"].value == value


def test_extremum_equivalence_is_never_computed(study, estimate):
    row = estimate(study(), worked())["all/extremum_equivalence"]

    assert (row.status, row.reason) == (Status.NOT_ESTIMABLE, (Reason.NOT_DECLARED,))


def test_expectations_are_counted_by_the_difference_of_means(study, estimate):
    rows = estimate(study(more="expectations: [{better: [x, y]}]"), worked())

    assert rows["all/expected_recovered/alpha=0.2"].value == 1
    assert rows["all/expected_recovered/alpha=0.05"].value == 0


def wine():
    """Each treatment a system: two bottles of it rated by nine judges."""
    systems = [f"t{2 * warm + contact}" for warm, contact in zip(WINE["warm"], WINE["contact"])]
    return [
        rated(f"judge{judge}", f"bottle{bottle % 2}", systems[bottle], rating)
        for bottle, ratings in enumerate(WINE["ratings"])
        for judge, rating in enumerate(ratings)
    ]


def test_the_ordinal_model_has_all_systems_in_one_fit(study, estimate):
    systems = [f"t{place}" for place in range(4)]
    rows = estimate(study(systems=systems), wine())

    told = pd.DataFrame(wine())
    indicators = pd.get_dummies(told["system"], dtype=float).iloc[:, 1:]
    endog = pd.Series(pd.Categorical(told["label"], categories=list("12345"), ordered=True))
    oracle = OrderedModel(endog, indicators, distr="logit").fit(method="bfgs", gtol=1e-8, disp=False).params
    beta = {"t0": 0.0} | {system: oracle[system] for system in systems[1:]}
    for place, one in enumerate(systems):
        for other in systems[place + 1 :]:
            row = rows[f"{one}/{other}/ordinal_log_odds"]
            assert row.value == pytest.approx(beta[one] - beta[other], abs=1e-6)
            assert (row.unit, row.null_value, row.p_value, row.ci_method) == ("log_odds", 0, None, "sandwich_t")
            assert (row.n_judgments, row.n_raters, row.n_clusters, row.df) == (72, 9, 9, 8)
            assert row.ci_reason == (Reason.FEW_CLUSTERS,)
            within = rows[f"{one}/{other}/ordinal_log_odds_conditional"]
            assert abs(within.value) > abs(row.value)
            assert (within.ci_method, within.n_clusters, within.null_value) == ("wald", 9, 0)
    # The published fit has the two factors of the systems; four systems free of them fit closer still.
    assert rows["all/rater_level_sd"].value == pytest.approx(1.1348, abs=0.02)


def test_words_in_their_declared_order_are_modelled_as_numbers_are(study, estimate):
    # Alphabetically, excellent comes before fair.
    words = {1: "poor", 2: "fair", 3: "excellent"}
    ratings = [(f"r{i}", s, 1 + (i + (s == "x")) * (i + 2) % 3) for i in range(9) for s in "xy"]

    as_words = estimate(study(scale=WORDS), [rated(r, "1", s, words[v]) for r, s, v in ratings])
    as_numbers = estimate(
        study(scale="{measure: ordinal, levels: [1, 2, 3]}"), [rated(r, "1", s, v) for r, s, v in ratings]
    )

    for name in ODDS:
        row, other = as_words[f"x/y/{name}"], as_numbers[f"x/y/{name}"]
        assert row.status is Status.OK
        assert (row.value, row.ci_low, row.ci_high) == (other.value, other.ci_low, other.ci_high)


def test_a_middle_level_that_nobody_chose_has_a_share_of_nothing_and_no_threshold(study, estimate):
    ratings = [(f"r{i}", s, 1 + (i + (s == "x")) * (i + 2) % 3) for i in range(9) for s in "xy"]
    without = {1: 1, 2: 2, 3: 4}

    rows = estimate(
        study(scale="{measure: ordinal, levels: [1, 2, 3, 4]}"), [rated(r, "1", s, without[v]) for r, s, v in ratings]
    )
    merged = estimate(
        study(scale="{measure: ordinal, levels: [1, 2, 3]}"), [rated(r, "1", s, v) for r, s, v in ratings]
    )

    assert rows["x/share/label=3"].value == 0
    for name in ODDS:
        assert rows[f"x/y/{name}"].value == merged[f"x/y/{name}"].value


@pytest.mark.parametrize("scale", ["{measure: interval, min: 0, max: 10}", "{measure: ratio, levels: [1, 2, 3, 4, 5]}"])
def test_the_ordinal_model_is_of_ordinal_scales(study, estimate, scale):
    rows = estimate(study(scale=scale), worked())

    for name in ODDS:
        row = rows[f"x/y/{name}"]
        assert (row.value, row.status, row.reason) == (None, Status.NOT_ESTIMABLE, (Reason.NOT_ORDINAL,))
        assert row.ci_status is Status.NOT_ESTIMABLE
    assert rows["all/rater_level_sd"].reason == (Reason.NOT_ORDINAL,)


def test_the_model_within_raters_needs_five_of_them(study, estimate):
    rows = estimate(study(), worked())

    for name in ("x/y/ordinal_log_odds_conditional", "all/rater_level_sd"):
        row = rows[name]
        assert (row.status, row.reason) == (Status.INSUFFICIENT, (Reason.TOO_FEW_RATERS,))


def test_a_system_that_cannot_be_placed_takes_its_own_pairs_only(study, estimate):
    best = [rated(r, "1", "z", 5) for r in "abc"]
    rows = estimate(study(systems="xyz"), worked() + best)

    assert rows["x/y/ordinal_log_odds"].value == estimate(study(), worked())["x/y/ordinal_log_odds"].value
    assert rows["x/y/ordinal_log_odds"].n_judgments == 10
    for pair in ("x/z", "y/z"):
        row = rows[f"{pair}/ordinal_log_odds"]
        assert (row.status, row.reason) == (Status.NOT_ESTIMABLE, (Reason.SEPARATION,))
        assert row.n_judgments == 13


def test_a_system_without_answers_is_told_apart_from_one_that_cannot_be_placed(study, estimate):
    silent = [rated("a", "1", "z", None, state="abstain")]

    row = estimate(study(systems="xyz"), worked() + silent)["y/z/ordinal_log_odds"]

    assert (row.status, row.reason) == (Status.INSUFFICIENT, (Reason.NO_JUDGMENTS,))
    assert row.states[State.ABSTAIN] == 1


def test_the_source_of_the_ordinal_model_gives_all_that_it_is_made_of(study, estimate, view):
    rated_highest = [rated("a", "1", "z", 5)]
    ratings = worked() + rated_highest
    con = duckdb.connect()
    con.register("ratings", view("ratings", ratings).to_pyarrow())

    rows = estimate(study(systems="xyz"), ratings)
    inside, across = (con.execute(rows[f"{p}/ordinal_log_odds"].source).fetchall() for p in ("x/y", "x/z"))

    assert len(inside) == 10
    assert len(across) == 11


def test_two_raters_have_statuses_and_no_errors(study, estimate):
    bands = {"a": "young", "b": "young", "c": "old", "d": "old", "e": "alone"}
    ratings = [
        rated(r, "1", s, v, rater_attributes=[("band", bands[r])])
        for r, x, y in (("a", 5, 4), ("b", 2, 4), ("c", 3, 3), ("d", 3, 3), ("e", 1, 2))
        for s, v in (("x", x), ("y", y))
    ]

    rows = estimate(study(more="slices: [band]"), ratings)

    def of(band, name):
        row = rows[f"likert/quality/crowd/band={band}/x/y/{name}"]
        return row.status, row.reason, row.ci_status

    assert of("young", "ordinal_log_odds") == (Status.OK, (), Status.OK)
    assert of("old", "ordinal_log_odds") == (Status.NOT_ESTIMABLE, (Reason.SEPARATION,), Status.NOT_ESTIMABLE)
    assert of("alone", "ordinal_log_odds") == (Status.NOT_ESTIMABLE, (Reason.SEPARATION,), Status.NOT_ESTIMABLE)
    assert of("old", "mean_difference")[0] is Status.OK
    assert of("old", "mean_difference")[2] is Status.DEGENERATE
    assert of("alone", "mean_difference")[:2] == (
        Status.INSUFFICIENT,
        (Reason.MEAN_OF_ORDINAL, Reason.TOO_FEW_UNITS),
    )
    too_few = (Status.INSUFFICIENT, (Reason.TOO_FEW_RATERS,), Status.INSUFFICIENT)
    assert of("young", "ordinal_log_odds_conditional") == too_few


@pytest.mark.parametrize("state", ["tie", "both_fail"])
def test_a_tie_is_no_rating(study, estimate, state):
    with pytest.raises(ContractError, match="1 ratings of quality are ties"):
        estimate(study(), [*worked(), rated("d", "1", "x", None, state=state)])


def test_an_answer_without_a_number_is_a_broken_contract(study, estimate):
    with pytest.raises(ContractError, match="1 answers to quality have no number"):
        estimate(study(), [*worked(), rated("d", "1", "x", 3) | {"value": None}])


def test_row_order_changes_nothing(study, view):
    rng = np.random.default_rng(6)
    rows = [rated(f"r{i % 7}", f"c{i % 5}", "xy"[i % 2], int(rng.integers(1, 6))) for i in range(140)]
    numbered = [row | {"record_id": f"k{i}"} for i, row in enumerate(rows)]
    shuffled = [numbered[i] for i in rng.permutation(len(numbered))]
    spec = study(", independent_unit: [rater, case]")

    one, other = (likert_rows(spec.analyses[0], spec, view("ratings", table)) for table in (numbered, shuffled))

    assert one == other


def test_the_source_of_a_system_gives_its_judgments(study, estimate, view):
    con = duckdb.connect()
    con.register("ratings", view("ratings", worked()).to_pyarrow())

    found = con.execute(estimate(study(), worked())["x/mean"].source).fetchall()

    assert [record for (record,) in found] == ["j000000", "j000002", "j000004", "j000006", "j000008"]
