import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

from data_contracts.errors import ContractError, SpecificationError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.likert import likert_rows

PAIRS = json.loads((Path(__file__).parents[1] / "golden" / "likert.json").read_text())["pairs"]

STUDY = """
systems: [{{id: x}}, {{id: y}}]
rubric: {{criteria: [{{id: quality, protocol: rating, scale: {scale}{criterion}}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
{more}
analyses: [{{id: likert, method: likert, criterion: quality, alpha: [0.2, 0.05]{options}}}]
"""
ORDINAL = "{measure: ordinal, levels: [1, 2, 3, 4, 5]}"
WORDS = "{measure: ordinal, levels: [poor, fair, excellent]}"
ALL = "likert/quality/crowd/all/"


@pytest.fixture
def study(specification):
    def parse(options="", scale=ORDINAL, criterion="", more=""):
        return specification(STUDY.format(options=options, scale=scale, criterion=criterion, more=more))

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


def test_no_ordinal_model_is_given_yet(study, estimate):
    assert not [name for name in estimate(study(), worked()) if "ordinal_log_odds" in name]


@pytest.mark.parametrize("state", ["tie", "both_fail"])
def test_a_tie_is_no_rating(study, estimate, state):
    with pytest.raises(ContractError, match="1 ratings of quality are ties"):
        estimate(study(), [*worked(), rated("d", "1", "x", None, state=state)])


def test_an_answer_without_a_number_is_a_broken_contract(study, estimate):
    with pytest.raises(ContractError, match="1 answers to quality have no number"):
        estimate(study(), [*worked(), rated("d", "1", "x", 3) | {"value": None}])


def test_an_interval_method_is_refused_by_name(study, estimate):
    with pytest.raises(SpecificationError, match="interval: bootstrap is not in this version"):
        estimate(study(", interval: {method: bootstrap}"), worked())


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
