import pytest

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut, Estimate
from data_contracts.vocabulary import Statistic, Status, Unit
from juryline.analyses.families import expectation_rows, with_holm

STUDY = """
systems: [{id: x}, {id: y}, {id: z}]
rubric: {criteria: [{id: quality, protocol: spa}]}
raters: {populations: [{id: crowd, kind: human}]}
"""


@pytest.fixture
def study(specification):
    def parse(options="", expectations="[]"):
        analysis = f"{{id: a, method: spa, criterion: quality, alpha: [0.1, 0.05]{options}}}"
        return specification(f"{STUDY}expectations: {expectations}\nanalyses: [{analysis}]")

    return parse


def headline(pair, t, p, slice_value="all", statistic=Statistic.SPA_T, **columns):
    sliced = {} if slice_value == "all" else {"slice": "language", "slice_value": slice_value}
    return Estimate(
        cut=Cut(analysis="a", method="spa", criterion="quality", population="crowd", **sliced),
        subject=pair[0],
        subject_kind="system",
        comparator=pair[1],
        statistic=statistic,
        unit=Unit.T,
        status=Status.DEGENERATE if t is None else Status.OK,
        value=t,
        p_value=p,
        **columns,
    )


def test_a_family_is_one_population_and_slice_value(study):
    tests = [headline("xy", 2, 0.01), headline("xz", 3, 0.02), headline("xy", 2, 0.01, "nl")]

    adjusted = with_holm(tests, study().analyses[0], 3)

    assert [row.p_adjusted for row in adjusted] == pytest.approx([0.03, 0.04, 0.03])
    assert [row.family for row in adjusted] == ["a/crowd", "a/crowd", "a/crowd/language=nl"]
    assert [(row.correction, row.family_size) for row in adjusted] == [("holm", 3)] * 3


def test_with_slices_makes_one_family_of_all(study):
    tests = [headline("xy", 2, 0.01), headline("xy", 2, 0.02, "nl")]

    adjusted = with_holm(tests, study(", family: with_slices").analyses[0], 3)

    assert [row.p_adjusted for row in adjusted] == pytest.approx([0.06, 0.10])
    assert {row.family_size for row in adjusted} == {6}


def test_each_label_is_a_family_since_the_others_ask_the_same(study):
    tests = [
        headline("xy", t, 0.01, statistic=Statistic.SHARE_DIFFERENCE_T, dimensions={"label": label})
        for t, label in ((2, "Yes"), (-2, "No"))
    ]

    adjusted = with_holm(tests, study().analyses[0], 3)

    assert [row.p_adjusted for row in adjusted] == pytest.approx([0.03, 0.03])


def test_a_test_without_a_p_value_stays_in_the_family(study):
    adjusted = with_holm([headline("xy", None, None), headline("xz", 2, 0.02)], study().analyses[0], 2)

    assert [row.p_adjusted for row in adjusted] == [None, 0.04]


def test_other_statistics_are_not_adjusted(study):
    [row] = with_holm([headline("xy", 2, 0.02, statistic=Statistic.COMPLEMENT_SUM_T)], study().analyses[0], 3)

    assert (row.p_adjusted, row.correction, row.family) == (None, None, None)


def test_no_correction_leaves_the_p_value(study):
    [row] = with_holm([headline("xy", 2, 0.02)], study(", correction: none").analyses[0], 3)

    assert (row.p_adjusted, row.correction) == (0.02, "none")


def recovered(study, expectations, tests, options=""):
    spec = study(options, expectations)
    rows = expectation_rows(with_holm(tests, spec.analyses[0], len(tests)), spec.analyses[0], spec, lambda cut: "q")
    return {row.estimate_id.split("/all/all/")[1]: row.value for row in rows}


def test_expectations_are_counted_at_each_alpha(study):
    tests = [headline("xy", 2.5, 0.02), headline("xz", 0.5, 0.6), headline("yz", -4, 0.001)]

    counts = recovered(study, "[{better: [x, y]}, {similar: [x, z]}, {better: [y, z]}]", tests)

    # p adjusted .04, .60, .003: x over y at both levels, z over y is the wrong direction.
    assert counts == {"expected_total": 3, "expected_recovered/alpha=0.1": 2, "expected_recovered/alpha=0.05": 2}


def test_a_pair_expected_the_other_way_round_is_read_with_its_sign(study):
    tests = [headline("xy", -3, 0.01)]

    assert recovered(study, "[{better: [y, x]}]", tests)["expected_recovered/alpha=0.05"] == 1
    assert recovered(study, "[{better: [x, y]}]", tests)["expected_recovered/alpha=0.05"] == 0


def test_a_test_without_a_p_value_recovers_nothing(study):
    tests = [headline("xy", None, None), headline("xz", 9, 0.001)]

    assert recovered(study, "[{similar: [x, y]}, {better: [x, z]}]", tests)["expected_recovered/alpha=0.1"] == 1


def test_nothing_is_counted_where_no_test_has_a_p_value(study):
    tests = [headline("xy", None, None, reason=("zero_variance",))]

    counts = recovered(study, "[{similar: [x, y]}]", tests)

    assert counts == {"expected_total": 1, "expected_recovered/alpha=0.1": None, "expected_recovered/alpha=0.05": None}


def test_an_expected_pair_that_is_not_tested_is_refused(study):
    with pytest.raises(SpecificationError, match=r"does not test the expected pair \[y, z\]"):
        recovered(study, "[{better: [y, z]}]", [headline("xy", 2, 0.02)])


def test_no_expectations_give_no_rows(study):
    assert recovered(study, "[]", [headline("xy", 2, 0.02)]) == {}


@pytest.mark.parametrize(
    ("options", "statistic"),
    [("method: length_effects", Statistic.LENGTH_CONTRAST_T), ("method: judge_agreement", Statistic.DRIFT_T)],
)
def test_families_are_over_systems_or_batches_too(specification, options, statistic):
    held = ", judge: gpt, reference: crowd" if "judge" in options else ""
    spec = specification(f"{STUDY}analyses: [{{id: a, criterion: quality, {options}{held}}}]")
    tests = [headline("x_", 3, 0.01, statistic=statistic), headline("y_", 2, 0.03, statistic=statistic)]

    adjusted = with_holm(tests, spec.analyses[0], 3)

    assert [row.p_adjusted for row in adjusted] == pytest.approx([0.03, 0.06])
    assert {row.family_size for row in adjusted} == {3}
