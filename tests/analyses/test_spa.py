import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

from data_contracts.errors import ContractError, SpecificationError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.spa import spa_rows

WORKED = json.loads((Path(__file__).parents[1] / "golden" / "spa.json").read_text())["worked"]

STUDY = """
systems: [{{id: x}}, {{id: y}}, {{id: z}}]
rubric: {{criteria: [{{id: quality, protocol: spa, scale: {{measure: probability, min: 0, max: 100}}}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
{more}
analyses: [{{id: spa, method: spa, criterion: quality, alpha: [0.10, 0.05]{options}}}]
"""
ALL = "spa/quality/crowd/all/"


@pytest.fixture
def study(specification):
    return lambda options="", more="": specification(STUDY.format(options=options, more=more))


@pytest.fixture
def estimate(view):
    def run(spec, rows):
        estimates = spa_rows(spec.analyses[0], spec, view("spa_answers", rows))
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.removeprefix(ALL): e for e in estimates}

    return run


def answers(x="x", y="y", chances=WORKED["x_over_y"], **columns):
    return [
        {"rater": f"r{i}", "system_x": x, "system_y": y, "value": chance / 100} | columns
        for i, chance in enumerate(chances)
    ]


def worked():
    return answers() + answers("y", "x", WORKED["y_over_x"])


def test_both_directions_are_used_where_both_were_asked(study, estimate):
    rows = estimate(study(", pairs: [[x, y]]"), worked())

    assert rows["x/y/spa_preference"].value == pytest.approx(0.625)
    assert rows["x/y/spa_t"].p_value == pytest.approx(WORKED["mean_of_both"]["p"], abs=5e-8)
    assert rows["x/y/spa_t"].null_value == 0.5
    assert rows["x/y/complement_sum"].value == pytest.approx(0.99)
    assert rows["x/y/question_order_t"].value == pytest.approx(WORKED["question_order"]["t"], abs=5e-7)
    assert rows["x/y/spa_preference"].n_judgments == 10
    assert rows["x/y/spa_preference"].n_raters == 5


def test_diagnostics_count_the_answers_they_are_made_of(study, estimate):
    once, both = answers()[:2], [*answers()[2:], *answers("y", "x", WORKED["y_over_x"])[2:]]
    more = [row | {"exposure": 4} for row in once + both] + [row | {"exposure": 1} for row in (once + both)[1:4]]
    spec = study(", pairs: [[x, y]], answers: either", "assignment: {exposure: [1, 4]}")

    rows = estimate(spec, more)

    # At 4 the first two raters were asked one way and three both ways; at 1 the second to fourth were, one way.
    counted = {"complement_sum": 6, "complement_sum_t": 6, "question_order": 6, "question_order_t": 6}
    counted |= {"exposure_preference/exposure=4": 8, "exposure_certainty/exposure=4": 8}
    counted |= {"exposure_preference/exposure=1": 3, "exposure_change/exposure=4": 3 + 5}
    assert {name: rows[f"x/y/{name}"].n_judgments for name in counted} == counted


def test_the_source_of_a_change_holds_the_answers_at_both_exposures(study, estimate):
    rows = estimate(
        study(", pairs: [[x, y]]", "assignment: {exposure: [1, 2, 4]}"),
        [row for exposure in (1, 2, 4) for row in answers(exposure=exposure)],
    )

    assert "IN (2, 4)" in rows["x/y/exposure_change/exposure=4"].source
    assert "IN (4)" in rows["x/y/exposure_preference/exposure=4"].source


def asked(places):
    """The worked answers, each rater asked about y first, but of those whose place about x is told."""
    by_rater = [places.get(rater, 2) for rater in range(5)]
    about_x = [row | {"sequence": place} for row, place in zip(answers(), by_rater)]
    return about_x + [row | {"sequence": 1} for row in answers("y", "x", WORKED["y_over_x"])]


@pytest.mark.parametrize(
    ("rows", "value", "n_raters", "reason"),
    [
        (asked({}), 0.03, 5, ()),
        (asked({0: None}), 0.05, 4, (Reason.QUESTIONS_UNPLACED,)),
        (asked({0: 1}), 0.05, 4, (Reason.QUESTIONS_UNPLACED,)),
        (asked(dict.fromkeys(range(5), 1)), -0.03, 5, (Reason.QUESTIONS_BY_SUBJECT,)),
        (worked(), -0.03, 5, (Reason.QUESTIONS_BY_SUBJECT,)),
    ],
    ids=["all", "all but one", "one at the same place", "all on one page", "none"],
)
def test_the_order_of_questions_is_each_rater_s_own(study, estimate, rows, value, n_raters, reason):
    found = estimate(study(", pairs: [[x, y]]"), rows)

    for name in ("question_order", "question_order_t"):
        row = found[f"x/y/{name}"]
        assert (row.n_raters, row.reason) == (n_raters, reason)
    assert found["x/y/question_order"].value == pytest.approx(value)
    assert found["x/y/complement_sum"].n_raters == 5


def test_forward_is_used_only_where_it_is_declared(study, estimate):
    rows = estimate(study(", pairs: [[x, y]], answers: forward"), worked())

    assert rows["x/y/spa_preference"].value == pytest.approx(0.62)
    assert rows["x/y/spa_preference"].ci_low == pytest.approx(WORKED["forward"]["low"], abs=1e-7)


def test_either_is_used_where_each_rater_was_asked_one_way_and_says_what_it_assumes(study, estimate):
    rows = estimate(study(", pairs: [[x, y]]"), answers()[:3] + answers("y", "x", WORKED["y_over_x"])[3:])

    assert rows["x/y/spa_preference"].value == pytest.approx((0.6 + 0.7 + 0.55 + 0.9 + 0.4) / 5)
    assert rows["x/y/spa_preference"].reason == (Reason.COMPLEMENTARITY_ASSUMED,)
    assert rows["x/y/complement_sum"].status is Status.INSUFFICIENT
    assert rows["x/y/complement_unchecked"].value == 5
    assert rows["all/complement_unchecked"].value == 5


def test_a_question_that_was_not_answered_still_shows_that_both_were_asked(study, estimate):
    unanswered = answers("y", "x", [0] * 5, state="abstain", value=None)

    rows = estimate(study(", pairs: [[x, y]]"), answers() + unanswered)

    assert rows["x/y/spa_preference"].status is Status.INSUFFICIENT
    assert rows["x/y/spa_preference"].states[State.ABSTAIN] == 5
    assert rows["x/y/spa_preference"].states[State.ANSWERED] == 5


def test_a_pair_nobody_was_asked_about_is_insufficient_and_keeps_its_place_in_the_family(study, estimate):
    rows = estimate(study(), worked())

    nobody = rows["x/z/spa_preference"]
    assert (nobody.value, nobody.status, nobody.reason) == (None, Status.INSUFFICIENT, (Reason.NO_JUDGMENTS,))
    assert rows["x/z/spa_t"].p_adjusted is None
    assert rows["x/y/spa_t"].p_adjusted == pytest.approx(3 * WORKED["mean_of_both"]["p"], abs=2e-7)
    assert rows["x/y/spa_t"].family_size == 3


def test_equal_answers_give_a_preference_and_no_p_value(study, estimate):
    rows = estimate(study(", pairs: [[x, y]]"), answers(chances=[70] * 12))

    preference, test = rows["x/y/spa_preference"], rows["x/y/spa_t"]
    assert (preference.value, preference.status) == (pytest.approx(0.7), Status.OK)
    assert (preference.ci_status, preference.ci_reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    assert (test.status, test.value, test.p_value, test.p_adjusted) == (Status.DEGENERATE, None, None, None)
    assert rows["x/y/power_observed/alpha=0.1"].status is Status.DEGENERATE


def test_the_headline_is_the_largest_declared_exposure(study, estimate):
    rows = estimate(
        study(", pairs: [[x, y]]", "assignment: {exposure: [1, 4]}"),
        answers(chances=[50, 50, 50, 90, 90], exposure=1) + answers(exposure=4),
    )

    assert rows["x/y/spa_preference"].value == pytest.approx(0.62)
    assert rows["x/y/exposure_preference/exposure=1"].value == pytest.approx(0.66)
    assert rows["x/y/exposure_certainty/exposure=1"].value == pytest.approx(0.16)
    assert rows["x/y/exposure_certainty/exposure=4"].value == pytest.approx((0.1 + 0.2 + 0.05 + 0.3 + 0.05) / 5)
    assert rows["x/y/exposure_change/exposure=4"].value == pytest.approx(0.62 - 0.66)
    assert rows["x/y/exposure_change/exposure=4/of=certainty"].value == pytest.approx(0.14 - 0.16)
    assert "x/y/exposure_change/exposure=1" not in rows
    assert "exposure" in rows["x/y/spa_preference"].source


def test_an_analysis_may_take_another_exposure(study, estimate):
    rows = estimate(
        study(", pairs: [[x, y]], exposure: 1", "assignment: {exposure: [1, 4]}"),
        answers(chances=[50, 50, 50, 90, 90], exposure=1) + answers(exposure=4),
    )

    assert rows["x/y/spa_preference"].value == pytest.approx(0.66)


@pytest.mark.parametrize(
    ("options", "more", "exposures", "told"),
    [
        ("", "", (1, 4), "1, 4 is not declared"),
        ("", "assignment: {exposure: [1, 4]}", (1, None), "some do not say at which"),
        ("", "assignment: {exposure: [1, 4]}", (2, 4), "2 is not declared"),
        (", exposure: 4", "", (2, 4), "2 is not declared"),
    ],
)
def test_several_exposures_are_never_mixed_and_none_is_lost(study, estimate, options, more, exposures, told):
    rows = [row for exposure in exposures for row in answers(exposure=exposure)]

    with pytest.raises(SpecificationError, match=f"several exposures, and {told}"):
        estimate(study(options, more), rows)


def test_one_declared_exposure_needs_no_column(study, estimate):
    rows = estimate(study(", pairs: [[x, y]]", "assignment: {exposure: 5}"), answers())

    assert rows["x/y/exposure_preference/exposure=5"].value == pytest.approx(0.62)


TAU = "exclusions: [{id: tau, rule: spa_complement, tau: 1.1, scope: rater}]"


def test_a_tau_rule_with_forward_answers_is_refused(study, estimate):
    with pytest.raises(SpecificationError, match="tau_biases_forward"):
        estimate(study(", answers: forward", TAU), worked())


def test_a_tau_rule_with_forward_answers_marks_every_row_once_acknowledged(study, estimate):
    options = ", answers: forward, acknowledge: tau_biases_forward, margin: 0.1, power: {effect: 0.1, sd: 0.3}"
    expected = "\nexpectations: [{better: [x, y]}, {similar: [x, z]}]"

    rows = estimate(study(options, TAU + expected), worked())

    assert {"all/expected_total", "all/expected_recovered/alpha=0.05", "all/complement_unchecked"} < set(rows)
    assert all(Reason.TAU_BIASES_FORWARD in row.reason for row in rows.values())


def test_a_tau_rule_with_both_answers_needs_no_word(study, estimate):
    rows = estimate(study(", pairs: [[x, y]], answers: mean_of_both", TAU), worked())

    assert rows["x/y/spa_preference"].reason == ()


def test_a_tie_is_no_stated_chance(study, estimate):
    with pytest.raises(ContractError, match="1 answers to quality are ties"):
        estimate(study(), [*worked(), *answers(chances=[50], state="tie", value=None)])


@pytest.mark.parametrize("unit", ["case", "[rater, case]"])
def test_one_shared_sample_is_said(study, estimate, unit):
    options = f", pairs: [[x, y]], margin: 0.1, independent_unit: {unit}"
    unnamed = estimate(study(options), worked())
    named = estimate(study(options), [row | {"assignment_block": "b1"} for row in worked()])

    for rows in (unnamed, named):
        assert Reason.ONE_CASE in rows["x/y/spa_preference"].ci_reason
        for name in ("spa_t", "spa_equivalence"):
            assert rows[f"x/y/{name}"].reason == (Reason.ONE_CASE,)
        assert rows["x/y/spa_preference"].n_clusters == 5


def test_samples_are_clusters_where_they_are_the_unit(study, estimate):
    rows = [row | {"assignment_block": f"b{int(row['rater'][1]) % 2}"} for row in worked()]

    estimates = estimate(study(", pairs: [[x, y]], independent_unit: [rater, case]"), rows)

    assert estimates["x/y/spa_preference"].n_clusters == 2
    assert estimates["x/y/spa_preference"].df == 1
    assert estimates["x/y/spa_t"].df == 1


def test_power_is_given_for_the_declared_effect_and_the_declared_correction(study, estimate):
    rng = np.random.default_rng(2)
    options = ", pairs: [[x, y], [x, z]], power: {effect: 0.03, sd: 0.1}"

    rows = estimate(study(options), answers(chances=rng.integers(0, 101, 90).tolist()))

    assert rows["x/y/power_declared/alpha=0.05"].value == pytest.approx(0.8037943, abs=5e-8)
    assert rows["all/required_raters/alpha=0.05"].value == 90
    assert rows["x/y/power_declared/alpha=0.1/adjust=bonferroni"].value == pytest.approx(0.8037943, abs=5e-8)
    assert rows["x/y/power_observed/alpha=0.05"].reason == (Reason.RESTATES_P_VALUE,)


def test_margin_adds_equivalence(study, estimate):
    rows = estimate(study(", pairs: [[x, y]], margin: 0.2, answers: forward"), worked())

    # By hand: (.62 - .7)/.0604152 = -1.324170 with 4 df.
    assert rows["x/y/spa_equivalence"].value == pytest.approx(-1.324170, abs=1e-6)
    assert rows["x/y/spa_equivalence"].p_value == pytest.approx(0.1280, abs=5e-5)
    assert rows["x/y/spa_equivalence"].p_adjusted is None


def test_slices_follow_the_mode_of_the_whole(study, estimate):
    def of(language, rows):
        return [row | {"rater_attributes": [("language", language)]} for row in rows]

    one_way = [row | {"rater": "n" + row["rater"]} for row in answers(chances=[90, 80])]
    rows = estimate(study(", pairs: [[x, y]]", "slices: [language]"), of("nl", worked()) + of("de", one_way))

    sliced = rows["spa/quality/crowd/language=de/x/y/spa_preference"]
    assert (sliced.status, sliced.n_raters) == (Status.INSUFFICIENT, 0)
    assert rows["spa/quality/crowd/language=nl/x/y/spa_preference"].value == pytest.approx(0.625)


def test_expectations_are_counted(study, estimate):
    more = "expectations: [{better: [x, y]}, {similar: [z, x]}]"
    rows = estimate(
        study(", pairs: [[x, y], [x, z]]", more),
        answers(chances=[80, 85, 90, 75, 80]) + answers("x", "z", [40, 60, 50, 45, 56]),
    )

    assert rows["all/expected_total"].value == 2
    assert rows["all/expected_recovered/alpha=0.05"].value == 2


def test_row_order_changes_nothing(study, view):
    spec = study()
    rng = np.random.default_rng(5)
    rows = [row for pair in ("xy", "yx", "xz") for row in answers(*pair, rng.integers(0, 101, 40).tolist())]
    numbered = [row | {"record_id": f"k{i}"} for i, row in enumerate(rows)]
    shuffled = [numbered[i] for i in rng.permutation(len(numbered))]

    one, other = (spa_rows(spec.analyses[0], spec, view("spa_answers", table)) for table in (numbered, shuffled))

    assert one == other


def test_the_source_of_a_pair_gives_its_judgments(study, estimate, view):
    rows = worked() + answers("x", "z")
    con = duckdb.connect()
    con.register("spa_answers", view("spa_answers", rows).to_pyarrow())

    found = con.execute(estimate(study(), rows)["x/y/spa_preference"].source).fetchall()

    assert len(found) == 10
