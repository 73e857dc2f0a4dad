from datetime import UTC, datetime

import duckdb
import pytest

from data_contracts.errors import SpecificationError
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.judge_agreement import judge_agreement_rows

STUDY = """
systems: [{{id: x}}, {{id: y}}, {{id: z}}]
rubric:
  criteria:
    - {{id: quality, protocol: pairwise}}
    - {{id: tone, protocol: rating, scale: {{measure: ordinal, levels: [bad, fair, good]}}}}
raters:
  populations: [{{id: crowd, kind: human}}, {{id: lab, kind: human}}, {{id: gpt, kind: model}}, {{id: md, kind: human}}]
{more}
analyses: [{{id: held, method: judge_agreement, rounds: 50, criterion: {criterion}, judge: gpt,
  reference: {reference}{options}}}]
"""
SHARES = ("judge_agreement", "human_agreement", "judge_minus_human", "population_kappa", "coverage")


@pytest.fixture
def study(specification):
    return lambda options="", criterion="quality", reference="crowd", more="": specification(
        STUDY.format(options=options, criterion=criterion, reference=reference, more=more)
    )


@pytest.fixture
def run(view):
    def estimates(spec, comparisons=(), ratings=(), settled=()):
        views = {"comparisons": view("comparisons", comparisons), "ratings": view("ratings", ratings)}
        views |= {"scenario_comparisons": view("scenario_comparisons", settled)}
        rows = judge_agreement_rows(spec.analyses[0], spec, views)
        assert len({row.estimate_id for row in rows}) == len(rows)
        return rows

    return estimates


@pytest.fixture
def estimate(run):
    """Estimates of one criterion by what stands after its population in the id."""
    return lambda *args: {row.estimate_id.split("/gpt/", 1)[1].removeprefix("all/all/"): row for row in run(*args)}


def game(case, rater, sign, first="x", second="y", population=None, **columns):
    """A comparison: > < = x for both fail, or a state; the rater `gpt` is the judge."""
    outcome = {">": "system_1", "<": "system_2", "=": "tie", "x": "both_fail"}.get(sign)
    row = {"system_1": first, "system_2": second, "case_id": case, "rater": rater, "outcome": outcome}
    row["state"] = "answered" if sign in "<>" else outcome or sign
    row["population"] = population or ("gpt" if rater == "gpt" else "crowd")
    return row | columns


WORKED = [
    # c1: the judge says x, shown the other way round, as two of three humans do. 2/3; humans 1/3
    *(game("c1", "a", ">"), game("c1", "b", "<", "y", "x"), game("c1", "c", "<"), game("c1", "gpt", "<", "y", "x")),
    # c2: a tie, against y of both humans. 0; humans 1
    *(game("c2", "a", "<"), game("c2", "b", "<"), game("c2", "gpt", "=")),
    # c3: one human, and the judge agrees. 1
    *(game("c3", "a", "x"), game("c3", "gpt", "x"), game("c3", "b", "abstain")),
    # c4: the judge abstains; c5: it failed; c6: it was not asked; c7: no human was
    *(game("c4", "a", ">"), game("c4", "gpt", "abstain")),
    *(game("c5", "a", ">"), game("c5", "b", ">"), game("c5", "gpt", "invalid")),
    *(game("c6", "a", ">"), game("c6", "b", ">")),
    *(game("c7", "gpt", ">"), game("c7", "a", "missing")),
]


def test_the_worked_example(study, estimate):
    rows = estimate(study(), WORKED)

    assert set(rows) == set(SHARES)
    assert (rows["judge_agreement"].value, rows["judge_agreement"].n_units) == (pytest.approx(5 / 9), 3)
    assert (rows["human_agreement"].value, rows["human_agreement"].n_units) == (pytest.approx(2 / 3), 2)
    assert (rows["judge_minus_human"].value, rows["judge_minus_human"].n_units) == (pytest.approx(-1 / 3), 2)
    # Of the five units that a human rated and the judge was asked, it labelled three.
    assert (rows["coverage"].value, rows["coverage"].n_units) == (0.6, 5)
    assert rows["coverage"].states == {State.ANSWERED: 1, State.TIE: 1, State.BOTH_FAIL: 1} | {
        State.ABSTAIN: 1,
        State.INVALID: 1,
    }


def test_rows_count_the_judgments_they_are_of(study, estimate):
    rows = estimate(study(), WORKED)

    counted = {name: (row.n_judgments, row.n_cases, row.n_raters) for name, row in rows.items()}
    assert counted == {
        "judge_agreement": (9, 3, 4),
        "human_agreement": (5, 2, 3),
        "judge_minus_human": (7, 2, 4),
        "population_kappa": (9, 3, 4),
        "coverage": (5, 5, 1),
    }
    # Of the units that both were given, whatever became of the question.
    assert rows["judge_agreement"].states == {
        State.ANSWERED: 10,
        State.TIE: 1,
        State.BOTH_FAIL: 2,
        State.ABSTAIN: 2,
        State.INVALID: 1,
        State.MISSING: 1,
    }


def test_agreement_beyond_chance_is_that_of_the_two_populations(study, estimate, specification, view):
    from juryline.analyses.agreement import agreement_rows

    text = STUDY.format(options="", criterion="quality", reference="crowd", more="")
    between = specification(
        text[: text.index("analyses")]
        + "analyses: [{id: held, method: agreement, rounds: 50, criterion: quality, between: [gpt, crowd]}]"
    )
    views = {"comparisons": view("comparisons", WORKED), "ratings": view("ratings", [])}
    other = {row.statistic: row for row in agreement_rows(between.analyses[0], between, views)}

    rows = estimate(study(), WORKED)

    for name, same in (("population_kappa", "population_kappa"), ("judge_agreement", "population_agreement")):
        assert rows[name].value == pytest.approx(other[same].value)
    assert rows["population_kappa"].ci_low == pytest.approx(other["population_kappa"].ci_low)


def test_both_orders_of_a_pair_are_one_unit_unless_presentations_are(study, estimate):
    rows = [game("c1", "a", ">"), game("c1", "gpt", ">"), game("c1", "gpt", ">", "y", "x")]

    of_game, of_presentation = (estimate(study(options), rows) for options in ("", ", unit: presentation"))

    assert (of_game["judge_agreement"].value, of_game["judge_agreement"].n_judgments) == (0.5, 3)
    assert (of_presentation["judge_agreement"].value, of_presentation["judge_agreement"].n_judgments) == (1, 2)


def test_presentations_need_the_order_shown(study, estimate):
    rows = [game("c1", "a", ">", order_collected=False), game("c1", "gpt", ">")]

    for order, reason in (("randomized", Reason.ORDER_NOT_RECORDED), ("", Reason.ORDER_NOT_DECLARED)):
        more = f"assignment: {{order: {order}}}" if order else ""
        found = estimate(study(", unit: presentation, batches: month", more=more), rows)
        assert set(found) == {*SHARES, "drift", "drift_t"}
        for row in found.values():
            assert (row.status, row.reason) == (Status.NOT_ESTIMABLE, (reason,))


def test_ratings_are_held_by_case_system_and_output(study, estimate):
    def rating(case, rater, label, **columns):
        population = "gpt" if rater == "gpt" else "crowd"
        row = {"criterion": "tone", "case_id": case, "rater": rater, "label": label, "population": population}
        return row | {"system": "x"} | columns

    rows = [
        *(rating("c1", rater, label) for rater, label in (("a", "good"), ("b", "fair"), ("gpt", "good"))),
        *(rating("c1", rater, "bad", output="second") for rater in ("a", "gpt")),
        *(rating("c1", "a", "bad", system="y"), rating("c1", "gpt", "bad", system="z")),
    ]
    found = estimate(study(criterion="tone"), [], rows)

    assert (found["judge_agreement"].value, found["judge_agreement"].n_units) == (0.75, 2)
    assert found["human_agreement"].value == 0


def test_a_person_of_two_pooled_populations_is_one_rater(study, estimate):
    rows = [game("c1", "a", ">"), game("c1", "a", ">", population="lab"), game("c1", "gpt", ">")]

    found = estimate(study(reference="[crowd, lab]"), rows)

    assert found["human_agreement"].reason == (Reason.NO_SHARED_UNIT,)
    assert found["judge_agreement"].n_judgments == 3


@pytest.mark.parametrize(
    "rows",
    [
        [game("c1", "a", ">"), game("c1", "b", "<")],
        [game("c1", "gpt", ">")],
        [game("c1", "gpt", ">"), game("c2", "a", ">")],
        [],
    ],
    ids=["judge saw no unit", "no human saw one", "different ones", "nothing at all"],
)
def test_no_shared_unit_is_undefined(study, estimate, rows):
    found = estimate(study(), rows)

    for name in SHARES:
        row = found[name]
        assert (row.status, row.reason, row.n_judgments) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,), 0), name


def test_a_judge_that_never_answers_has_coverage_zero(study, estimate):
    rows = estimate(
        study(), [game(f"c{n}", who, sign) for n in range(3) for who, sign in (("a", ">"), ("gpt", "abstain"))]
    )

    assert (rows["coverage"].value, rows["coverage"].ci_status) == (0, Status.OK)
    assert rows["judge_agreement"].reason == (Reason.NO_SHARED_UNIT,)


def test_one_category_has_agreement_and_no_kappa(study, estimate):
    rows = estimate(study(), [game(f"c{n}", who, ">") for n in range(4) for who in ("a", "b", "gpt")])

    assert [rows[name].value for name in SHARES[:3]] == [1, 1, 0]
    # The labels of pairs are symmetrised over the two systems, so that chance agreement is not 1.
    assert rows["population_kappa"].value == 1
    ties = estimate(study(), [game(f"c{n}", who, "=") for n in range(4) for who in ("a", "b", "gpt")])
    assert (ties["population_kappa"].status, ties["population_kappa"].reason) == (
        Status.UNDEFINED,
        (Reason.ONE_CATEGORY,),
    )


def test_slices_are_of_the_reference_and_the_judge_follows(study, estimate):
    english, french = ({"rater_attributes": [("language", name)]} for name in ("en", "fr"))
    rows = [
        *(game("c1", "a", ">", **english), game("c1", "b", "<", **french), game("c1", "gpt", ">")),
        *(game("c2", "b", "<", **french), game("c2", "gpt", ">")),
    ]

    found = estimate(study(more="slices: [language]"), rows)

    assert found["judge_agreement"].value == 0.25
    assert (found["language=en/all/judge_agreement"].value, found["language=en/all/judge_agreement"].n_units) == (1, 1)
    assert (found["language=fr/all/judge_agreement"].value, found["language=fr/all/judge_agreement"].n_units) == (0, 2)
    assert found["language=en/all/coverage"].n_units == 1


SETTLED = "adjudication: [{id: most, rule: majority, criterion: quality}, {id: tones, rule: median, criterion: tone}]"


def label(case, sign, *sources, id="most", **columns):
    """An adjudicated label as the view under scenarios has it, of the pair in the order of `systems`."""
    whose = {"scenario": f"exclusions=all;adjudication={id}", "population": "crowd+lab+md", "rater": id}
    made = {"sources": list(sources), "record_id": f"label {id} {case}", "order_collected": False}
    return game(case, id, sign) | whose | made | columns


LABELS = [
    label("c1", ">", "j000000", "j000001", "j000002"),
    label("c2", "<", "j000004", "j000005"),
    label("c3", "missing", "j000007"),
    label("c6", ">", "j000014", "j000015"),
    # of another adjudication or system
    label("c1", "<", "j000000", id="other"),
    label("c1", "<", "j000000", system_2="z"),
]


@pytest.mark.parametrize("unit", ["game", "presentation"])
def test_settled_labels_stand_beside_the_raw_ones(study, estimate, unit):
    rows = estimate(study(f", unit: {unit}", more=SETTLED), WORKED, [], LABELS)

    # Of the judge's three labels, one is of a unit that nobody settled; x is the settled label of c1, y that of c2.
    row = rows["judge_agreement_adjudicated/adjudication=most"]
    assert (row.value, row.n_units, row.n_judgments) == (0.5, 2, 7)
    assert row.n_cases == 2
    assert set(rows) == {*SHARES, "judge_agreement_adjudicated/adjudication=most"}


def test_settled_labels_lead_back_to_the_votes(study, view):
    spec = study(more=SETTLED + "\nslices: [language]")
    english = {"rater_attributes": [("language", "en")]}
    comparisons = [row | (english if row["rater"] == "a" else {}) for row in WORKED]
    tables = {"comparisons": comparisons, "scenario_comparisons": LABELS, "ratings": [], "scenario_ratings": []}
    views = {name: view(name, rows) for name, rows in tables.items()}

    rows = [row for row in judge_agreement_rows(spec.analyses[0], spec, views) if "adjudicated" in row.statistic]

    assert [row.cut.slice_value for row in rows] == ["all", "en"]
    for row in rows:
        with duckdb.connect() as connection:
            for name, table in views.items():
                connection.register(name, table.to_pyarrow())
            records = [id for (id,) in connection.execute(row.source).fetchall()]
        assert records == ["j000000", "j000001", "j000002", "j000003", "j000004", "j000005", "j000006"]
        assert row.n_judgments == 7


def test_no_settled_label_is_undefined(study, estimate):
    row = estimate(study(more=SETTLED), WORKED)["judge_agreement_adjudicated/adjudication=most"]

    assert (row.status, row.reason, row.n_judgments) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,), 0)


def monthly(month, agrees, n=12, first_case=0):
    """Units of a month of which the first `agrees` agree with their one human, who judged in January."""
    rows = []
    for case in range(first_case, first_case + n):
        when = datetime(2026, month, 1 + case % 28, tzinfo=UTC)
        rows.append(game(f"c{case}", "a", ">", submitted_at=datetime(2026, 1, 5, tzinfo=UTC)))
        rows.append(game(f"c{case}", "gpt", ">" if case - first_case < agrees else "<", submitted_at=when))
    return rows


def test_drift_is_each_later_month_of_the_judge_against_the_first(study, estimate):
    rows = monthly(3, 6, first_case=12) + monthly(1, 9) + monthly(2, 3, first_case=24) + monthly(4, 2, 3, first_case=40)

    found = estimate(study(", batches: month"), rows)

    by_month = {month: found[f"judge_agreement/batch=2026-{month}"].value for month in ("01", "02", "03", "04")}
    assert by_month == {"01": 0.75, "02": 0.25, "03": 0.5, "04": pytest.approx(2 / 3)}
    assert found["drift/batch=2026-02"].value == -0.5
    assert found["drift/batch=2026-03"].value == -0.25
    assert "drift/batch=2026-01" not in found
    small = found["drift_t/batch=2026-04"]
    assert (small.status, small.reason, small.n_units) == (Status.INSUFFICIENT, (Reason.TOO_FEW_UNITS,), 3)
    february = found["drift_t/batch=2026-02"]
    assert (february.df, february.family_size, february.correction) == (23, 3, "holm")
    assert february.p_adjusted == pytest.approx(3 * february.p_value)
    assert (small.p_adjusted, small.family_size) == (None, 3)


def test_the_same_cases_judged_again_are_one_cluster_each(study, estimate):
    again = [row for row in monthly(2, 3) if row["rater"] == "gpt"]

    found = estimate(study(", batches: month"), monthly(1, 9) + again)

    assert found["drift/batch=2026-02"].n_clusters == 12
    assert found["drift_t/batch=2026-02"].df == 11
    assert found["judge_agreement"].value == 0.5  # the judge's two answers of a unit are half an answer each


def test_batches_may_be_blocks_in_their_declared_order(study, estimate):
    def in_block(rows, name):
        return [row | {"assignment_block": name} if row["rater"] == "gpt" else row for row in rows]

    rows = in_block(monthly(1, 4), "v1") + in_block(monthly(1, 8, first_case=12), "v2")
    found = estimate(study(", batches: [v2, v1, v3]"), rows + in_block(monthly(1, 1, first_case=30), "other"))

    assert found["drift/batch=v1"].value == pytest.approx(-1 / 3)
    assert found["drift/batch=v3"].reason == (Reason.TOO_FEW_UNITS,)
    assert found["judge_agreement/batch=v3"].reason == (Reason.NO_SHARED_UNIT,)
    assert found["drift_t/batch=v1"].family_size == 2
    assert not [name for name in found if "other" in name]


@pytest.mark.parametrize("rows", [monthly(1, 9), WORKED], ids=["one month", "no times"])
def test_fewer_than_two_months_have_no_drift(study, estimate, rows):
    found = estimate(study(", batches: month"), rows)

    for name in ("drift", "drift_t"):
        assert (found[name].status, found[name].reason) == (Status.NOT_ESTIMABLE, (Reason.NO_BATCHES,))


def test_the_family_is_of_all_criteria_and_batches(study, run):
    ratings = [
        {**row, "criterion": "tone", "system": "x", "label": "good" if row["outcome"] == "system_1" else "bad"}
        for row in monthly(1, 9) + monthly(2, 3, first_case=24)
    ]
    spec = study(", batches: month", criterion="all")

    tests = [
        row for row in run(spec, monthly(1, 9) + monthly(2, 3, first_case=24), ratings) if row.statistic == "drift_t"
    ]

    assert [row.cut.criterion for row in tests] == ["quality", "tone"]
    assert [row.family_size for row in tests] == [2, 2]
    assert [row.p_adjusted for row in tests] == pytest.approx([2 * tests[0].p_value] * 2)


def test_the_order_of_rows_and_the_names_of_systems_change_nothing(study, estimate):
    turned = study().model_copy(update={"systems": study().systems[::-1]})

    one, other, renamed = estimate(study(), WORKED), estimate(study(), WORKED[::-1]), estimate(turned, WORKED)

    assert one == other
    assert {name: row.value for name, row in one.items()} == pytest.approx({n: row.value for n, row in renamed.items()})


def test_the_source_gives_the_records_behind_a_number(study, view):
    english = {"rater_attributes": [("language", "en")]}
    dated = [row | english if row["rater"] == "a" else row for row in monthly(1, 9) + monthly(2, 3, first_case=24)]
    others = [
        game("c1", "a", ">", item_kind="gold"),
        game("c1", "b", "<", population="lab"),
        game("c1", "a", ">", output_1="again"),
        game("c1", "gpt", ">", "x", "z"),
    ]
    comparisons = [row | {"case_id": "w" + row["case_id"]} for row in WORKED + others] + dated
    tones = [
        {**row, "criterion": "tone", "system": "x", "label": "good"} for row in WORKED if row["state"] == "answered"
    ]
    for unit in ("game", "presentation"):
        spec = study(f", batches: month, unit: {unit}", criterion="all", more="slices: [language]")
        views = {"comparisons": view("comparisons", comparisons), "ratings": view("ratings", tones)}
        rows = judge_agreement_rows(spec.analyses[0], spec, views)
        with duckdb.connect() as connection:
            for name, table in views.items():
                connection.register(name, table.to_pyarrow())
            for row in rows:
                records = connection.execute(row.source).fetchall()
                if row.n_judgments is not None:
                    assert len(records) == len(set(records)) == row.n_judgments, row.estimate_id
        assert len(rows) == 25


@pytest.mark.parametrize(
    ("options", "more", "message"),
    [
        (", independent_unit: [rater, case]", "", "raters are never resampled"),
        (", labels: settled", "", "never of adjudicated labels"),
    ],
)
def test_what_is_not_meant_is_refused(study, run, options, more, message):
    with pytest.raises(SpecificationError, match=message):
        run(study(options, more=more), WORKED)


def test_populations_with_different_clusters_are_refused(study, run):
    spec = study()
    populations = [
        p.model_copy(update={"independent_unit": ("document",)}) if p.id == "crowd" else p
        for p in spec.raters.populations
    ]
    raters = spec.raters.model_copy(update={"populations": tuple(populations)})

    with pytest.raises(SpecificationError, match="different independent units"):
        run(spec.model_copy(update={"raters": raters}), WORKED)
