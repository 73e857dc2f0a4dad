import pytest

from data_contracts.errors import ContractError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.pass_rates import pass_rates_rows

STUDY = """
systems: [{{id: x}}, {{id: y}}]
rubric:
  criteria:
    - {{id: ending, protocol: checklist, scale: {{measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}}}}
    - {{id: plot, protocol: checklist, scale: {{measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}}}}
    - {{id: genre, protocol: rating, scale: {{measure: nominal, levels: [crime, comedy, other]}}}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
{more}
analyses: [{{id: tests, method: pass_rates, criterion: [ending, plot]{options}}}]
"""
# rater, criterion, answer of x, answer of y
SHEETS = [
    ("a", "ending", "Yes", "No"),
    ("a", "plot", "Yes", "No"),
    ("b", "ending", "Yes", "Yes"),
    ("b", "plot", "No", "No"),
    ("c", "ending", "Yes", "No"),
    ("c", "plot", "No", "Yes"),
]


@pytest.fixture
def study(specification):
    return lambda options="", more="": specification(STUDY.format(options=options, more=more))


@pytest.fixture
def estimate(view):
    def run(spec, rows):
        estimates = pass_rates_rows(spec.analyses[0], spec, view("ratings", rows))
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.removeprefix("tests/").replace("/crowd/all", "", 1): e for e in estimates}

    return run


def answered(rater, criterion, system, label, **columns):
    judged = {"rater": rater, "case_id": "1", "criterion": criterion, "system": system, "label": label}
    return judged | {"protocol": "checklist"} | columns


def sheets():
    return [answered(r, c, s, label) for r, c, x, y in SHEETS for s, label in (("x", x), ("y", y))]


def test_shares_are_of_the_answers(study, estimate):
    silent = [answered("d", "ending", "x", None, state=state) for state in ("unknown", "missing")]

    rows = estimate(study(), sheets() + silent)

    assert rows["ending/x/pass_rate"].value == 1
    assert rows["plot/x/pass_rate"].value == pytest.approx(1 / 3)
    assert rows["plot/x/share/label=No"].value == pytest.approx(2 / 3)
    assert rows["ending/x/share/label=No"].value == 0
    assert rows["ending/x/pass_rate"].n_judgments == 3
    assert rows["ending/x/pass_rate"].states[State.UNKNOWN] == 1


def test_difference_of_shares_is_a_t_test_over_raters(study, estimate):
    rows = estimate(study(), sheets())

    difference, test = rows["ending/x/y/share_difference/label=Yes"], rows["ending/x/y/share_difference_t/label=Yes"]
    # By hand: d = 1, 0, 1: mean 2/3, s = .57735, t = 2 with 2 df.
    assert difference.value == pytest.approx(2 / 3)
    assert test.value == pytest.approx(2)
    assert test.p_value == pytest.approx(0.1835034, abs=5e-8)
    assert rows["ending/x/y/share_difference/label=No"].value == pytest.approx(-2 / 3)
    assert rows["ending/x/y/n_pairs"].value == 3


def test_a_family_is_a_label_over_criteria_and_pairs(study, estimate):
    rows = estimate(study(), sheets())

    for label in ("Yes", "No"):
        test = rows[f"ending/x/y/share_difference_t/label={label}"]
        assert test.p_adjusted == pytest.approx(2 * 0.1835034, abs=1e-7)
        assert (test.family, test.family_size) == (f"tests/crowd/label={label}", 2)


def test_pooling_adds_a_criterion_of_all_judgments(study, estimate):
    rows = estimate(study(", pool: true"), sheets())

    assert rows["*/x/pass_rate"].value == pytest.approx(4 / 6)
    assert rows["*/x/pass_rate"].n_clusters == 3
    # Raters: (1 + 1)/2, (0 + 0)/2, (1 - 1)/2.
    assert rows["*/x/y/share_difference/label=Yes"].value == pytest.approx(1 / 3)
    assert rows["*/x/y/n_pairs"].value == 6
    assert rows["ending/x/y/share_difference_t/label=Yes"].family_size == 3
    assert not [name for name in rows if "checklist_total" in name]


def test_without_pooling_there_is_no_pooled_criterion(study, estimate):
    assert not [name for name in estimate(study(), sheets()) if name.startswith("*")]


def test_total_is_given_only_where_declared_and_of_whole_checklists(study, estimate):
    incomplete = [answered("d", "ending", "x", "Yes"), answered("d", "plot", "x", None, state="abstain")]

    rows = estimate(study(", total: true"), sheets() + incomplete)

    total = rows["*/x/checklist_total"]
    assert total.value == pytest.approx((2 + 1 + 1) / 3)
    assert (total.n_units, total.n_judgments) == (3, 6)
    assert total.reason == (Reason.INCOMPLETE_LEFT_OUT,)
    assert rows["*/y/checklist_total"].value == pytest.approx((0 + 1 + 1) / 3)
    assert rows["ending/x/pass_rate"].value == 1
    assert "*/x/pass_rate" not in rows


def test_a_nominal_rating_has_shares_and_no_pass_rate(specification, estimate):
    spec = specification(STUDY.format(options="", more="").replace("[ending, plot]", "genre"))
    rows = [answered(r, "genre", "x", label) for r, label in (("a", "comedy"), ("b", "comedy"), ("c", "crime"))]

    estimates = estimate(spec, rows)

    assert [estimates[f"genre/x/share/label={label}"].value for label in ("crime", "comedy", "other")] == pytest.approx(
        [1 / 3, 2 / 3, 0]
    )
    assert (estimates["genre/x/pass_rate"].status, estimates["genre/x/pass_rate"].reason) == (
        Status.NOT_ESTIMABLE,
        (Reason.NOT_DECLARED,),
    )


def test_no_answer_at_all_is_insufficient(study, estimate):
    rows = estimate(study(", pool: true, total: true"), [])

    assert {row.status for row in rows.values() if row.statistic != "n_pairs"} == {Status.INSUFFICIENT}


def test_equal_answers_keep_a_share_and_lose_the_test(study, estimate):
    rows = [
        answered(r, c, s, label) for r in "abc" for c in ("ending", "plot") for s, label in (("x", "Yes"), ("y", "No"))
    ]

    estimates = estimate(study(), rows)

    assert estimates["ending/x/pass_rate"].value == 1
    assert estimates["ending/x/pass_rate"].ci_status is Status.OK
    assert estimates["ending/x/y/share_difference/label=Yes"].value == 1
    assert estimates["ending/x/y/share_difference_t/label=Yes"].status is Status.DEGENERATE


def test_expectations_are_counted_by_passing_labels(study, estimate):
    rows = estimate(study(", pool: true, alpha: 0.6", "expectations: [{better: [x, y]}]"), sheets())

    recovered = {name: row.value for name, row in rows.items() if "expected_recovered" in name}
    assert recovered == {
        "ending/all/expected_recovered/label=Yes/alpha=0.6": 1,
        "plot/all/expected_recovered/label=Yes/alpha=0.6": 0,
        "*/all/expected_recovered/label=Yes/alpha=0.6": 0,
    }


def test_a_label_that_is_not_declared_is_a_broken_contract(study, estimate):
    with pytest.raises(ContractError, match="1 judgments with a value outside"):
        estimate(study(), [*sheets(), answered("d", "plot", "x", "Maybe")])
