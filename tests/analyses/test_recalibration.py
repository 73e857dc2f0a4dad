import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from data_contracts.errors import SpecificationError
from data_contracts.tables import OUTPUT_LENGTHS
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.recalibration import recalibration_rows

STUDY = """
systems: [{id: a}, {id: b}, {id: c}, {id: d}]
rubric: {criteria: [{id: quality, protocol: pairwise}]}
raters:
  populations: [{id: crowd, kind: human}, {id: students, kind: human}, {id: judge, kind: model}, {id: md, kind: human}]
slices: [language]
seed: 5
analyses:
  - {id: recal, method: recalibration, criterion: all, judge: judge, reference: [crowd, students], rounds: 40OPTIONS}
"""
SYSTEMS = "abcd"
CASES = [f"c{n}" for n in range(6)]
HUMANS, JUDGE = "recal/quality/crowd+students/all/", "recal/quality/judge/all/"
LENGTHS = dict(zip(SYSTEMS, (9, 7, 5, 3)))


@pytest.fixture
def study(specification):
    return lambda options="": specification(STUDY.replace("OPTIONS", options))


@pytest.fixture
def estimate(view):
    def run(spec, rows, lengths):
        views = {"comparisons": view("comparisons", rows), "output_lengths": ibis.memtable(lengths)}
        estimates = recalibration_rows(spec.analyses[0], spec, views)
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id: e for e in estimates}

    return run


def game(population, case, one, other, winner, **columns):
    outcome = {one: "system_1", other: "system_2", "=": "tie"}.get(winner)
    return {
        "population": population,
        "case_id": case,
        "system_1": one,
        "system_2": other,
        "outcome": outcome,
        "state": {"=": "tie", None: "abstain"}.get(winner, "answered"),
        "rater": "judge" if population == "judge" else f"r{case}",
    } | columns


def length_of(system, case):
    """Turned round in the last case."""
    return 12 - LENGTHS[system] if case == CASES[-1] else LENGTHS[system]


def lengths(left_out=()):
    rows = [
        {"case_id": case, "system": s, "output": None, "length": length_of(s, case), "unit": "words", "alone": True}
        for case in CASES
        for s in SYSTEMS
        if (case, s) not in left_out
    ]
    return pa.Table.from_pylist(rows, OUTPUT_LENGTHS.arrow_schema)


def invented(seed=2):
    """Every pair of systems, judged by humans in one order and by the judge in the other."""
    generator = np.random.default_rng(seed)
    pairs = [(one, other) for place, one in enumerate(SYSTEMS) for other in SYSTEMS[place + 1 :]]
    rows = []
    for case in CASES:
        for one, other in pairs:
            population = "crowd" if case in CASES[:3] else "students"
            rows.append(game(population, case, one, other, generator.choice([one, one, other, "="])))
            rows.append(game("judge", case, other, one, generator.choice([one, other])))
    return rows


def shares(rows, system, judge):
    chosen = [r for r in rows if (r["population"] == "judge") == judge and system in (r["system_1"], r["system_2"])]
    won = [r["outcome"] == ("system_1" if r["system_1"] == system else "system_2") for r in chosen]
    longer = [
        length_of(system, r["case_id"])
        > length_of(r["system_2"] if r["system_1"] == system else r["system_1"], r["case_id"])
        for r in chosen
    ]
    return np.mean(won), np.mean(longer)


def test_factor_score_and_correlations_are_those_of_the_shared_games(study, estimate):
    rows = invented()

    found = estimate(study(), rows, lengths())

    humans, judge = (np.array([shares(rows, s, judge) for s in SYSTEMS]) for judge in (False, True))
    beta = humans[:, 0] / humans[:, 1]
    for place, system in enumerate(SYSTEMS):
        assert found[f"{HUMANS}{system}/p_win"].value == pytest.approx(humans[place, 0])
        assert found[f"{HUMANS}{system}/p_longer"].value == pytest.approx(humans[place, 1])
        assert found[f"{JUDGE}{system}/p_win"].value == pytest.approx(judge[place, 0])
        assert found[f"{JUDGE}{system}/beta"].value == pytest.approx(beta[place])
        score = found[f"{JUDGE}{system}/adjusted_judge_score"]
        assert (score.value, score.unit) == (pytest.approx(judge[place, 0] * beta[place]), "score")
        assert (score.n_cases, score.n_clusters) == (6, 6)
    for name, other in (("before", judge[:, 0]), ("after", judge[:, 0] * beta), ("beta_only", beta)):
        row = found[f"{JUDGE}all/spearman_{name}"]
        assert row.value == pytest.approx(stats.spearmanr(humans[:, 0], other).statistic)
        assert (row.n_units, row.n_boot, row.seed) == (4, 40, 5)


def test_every_row_counts_the_judgments_and_raters_it_is_made_of(study, estimate):
    found = estimate(study(), invented(), lengths())

    # A system is in three pairs, each judged once a case by a human rater of the case and once by the judge.
    human, judge, both = (18, 6), (18, 1), (36, 7)
    of_system = {"beta": human, "p_win": judge, "adjusted_judge_score": both}
    assert {name: _rests_on(found[f"{JUDGE}a/{name}"]) for name in of_system} == of_system
    assert {name: _rests_on(found[f"{HUMANS}a/{name}"]) for name in ("p_win", "p_longer")} == dict.fromkeys(
        ("p_win", "p_longer"), human
    )
    assert _rests_on(found[f"{JUDGE}all/spearman_beta_only"]) == (36, 6)
    for name in ("before", "after", "after_crossfit"):
        assert _rests_on(found[f"{JUDGE}all/spearman_{name}"]) == (72, 7)
    assert found[f"{JUDGE}a/p_win"].states == {State.ANSWERED: 18}


def _rests_on(row):
    return row.n_judgments, row.n_raters


def test_every_row_says_development_and_those_with_the_leak_say_so(study, estimate):
    found = estimate(study(), invented(), lengths())

    assert all(Reason.DEVELOPMENT in row.reason for row in found.values())
    leaking = {name.removeprefix(JUDGE) for name, row in found.items() if Reason.FACTOR_HOLDS_OUTCOME in row.reason}
    assert leaking == {"all/spearman_after", "all/spearman_beta_only", "all/spearman_p/of=spearman_after"}


def test_the_p_value_is_by_permutation_and_has_a_row_of_its_own(study, estimate):
    found = estimate(study(), invented(), lengths())

    for name in ("before", "after"):
        row, p = found[f"{JUDGE}all/spearman_{name}"], found[f"{JUDGE}all/spearman_p/of=spearman_{name}"]
        assert row.p_value == p.value == p.p_value
        assert row.null_value == 0
        assert p.value * 24 == round(p.value * 24)  # of 4! permutations
    assert found[f"{JUDGE}all/spearman_beta_only"].p_value is None
    crossfit = found[f"{JUDGE}all/spearman_after_crossfit"]
    assert (crossfit.n_boot, crossfit.ci_status) == (20, None)


def test_games_that_only_one_of_both_judged_or_whose_lengths_are_not_known_are_out(study, estimate):
    rows, known = invented(), lengths(left_out={("c0", "d")})
    more = [
        game("crowd", "c9", "a", "b", "a"),
        game("judge", "c8", "a", "b", "b"),
        game("judge", "c1", "a", "b", None),
        game("md", "c1", "a", "b", "a"),
    ]

    one, other = estimate(study(), rows + more, known), estimate(study(), rows, known)

    for name, row in one.items():
        if "length_unknown" not in name:
            assert (row.value, row.ci_low, row.n_judgments) == (
                other[name].value,
                other[name].ci_low,
                other[name].n_judgments,
            )
    assert one[f"{JUDGE}d/adjusted_judge_score"].n_judgments == 30
    assert (one[f"{JUDGE}d/length_unknown"].value, other[f"{JUDGE}d/length_unknown"].value) == (6, 6)
    assert one[f"{JUDGE}a/length_unknown"].value == 4
    assert one[f"{JUDGE}a/p_win"].states[State.ABSTAIN] == 1
    assert State.ABSTAIN not in one[f"{JUDGE}a/beta"].states


def test_a_system_never_longer_has_no_score(study, estimate):
    flat = lengths().set_column(
        3, OUTPUT_LENGTHS.arrow_schema.field("length"), pa.array([{"d": 1}.get(s, 9) for s in SYSTEMS] * 6)
    )

    found = estimate(study(", threshold: 2"), invented(), flat)

    row = found[f"{JUDGE}d/adjusted_judge_score"]
    assert (row.status, row.reason) == (Status.UNDEFINED, (Reason.DEVELOPMENT, Reason.NEVER_LONGER))
    assert found[f"{JUDGE}a/beta"].status is Status.OK
    before = found[f"{JUDGE}all/spearman_before"]
    assert (before.status, before.reason) == (Status.INSUFFICIENT, (Reason.DEVELOPMENT, Reason.TOO_FEW_SYSTEMS))
    assert before.n_units == 3


def test_without_lengths_nothing_is_estimable(study, estimate):
    found = estimate(study(), invented(), lengths().slice(0, 0))

    for name in ("a/beta", "a/adjusted_judge_score", "all/spearman_after", "all/spearman_p/of=spearman_before"):
        assert found[JUDGE + name].status is Status.NOT_ESTIMABLE
        assert Reason.LENGTH_NOT_RECORDED in found[JUDGE + name].reason
    assert found[f"{JUDGE}a/length_unknown"].value == 36


def test_without_a_judgment_nothing_is_there(study, estimate):
    found = estimate(study(), [], lengths())

    assert found[f"{JUDGE}a/beta"].reason == (Reason.DEVELOPMENT, Reason.NO_GAMES)
    assert found[f"{JUDGE}all/spearman_after"].status is Status.INSUFFICIENT


@pytest.mark.parametrize("left_out", [(), [(case, system) for case in CASES for system in SYSTEMS]])
def test_where_judge_and_humans_share_no_unit_that_is_why_whatever_the_lengths(study, estimate, left_out):
    rows = [row for row in invented() if (row["population"] == "judge") == (row["case_id"] < "c3")]

    found = estimate(study(), rows, lengths(left_out))

    for name, row in found.items():
        if not name.endswith("length_unknown"):
            assert row.status is Status.UNDEFINED
            assert Reason.NO_SHARED_UNIT in row.reason
            assert not {Reason.LENGTH_NOT_RECORDED, Reason.NO_GAMES} & {*row.reason, *row.ci_reason}
            assert row.n_judgments == 0


def test_a_slice_is_of_the_humans_and_the_judge_is_held_against_it_whole(study, estimate):
    rows = [
        row
        | (
            {}
            if row["population"] == "judge"
            else {"rater_attributes": [("language", "en" if row["case_id"] < "c3" else "fr")]}
        )
        for row in invented()
    ]

    row = estimate(study(), rows, lengths())["recal/quality/judge/language=en/a/adjusted_judge_score"]

    assert (row.n_judgments, row.n_cases) == (18, 3)


def test_the_source_gives_the_records_behind_a_number(study, view):
    table, spec = lengths(left_out={("c0", "d")}), study()
    comparisons = view(
        "comparisons", [*invented(), game("judge", "c8", "a", "b", "b"), game("crowd", "c1", "a", "b", "b")]
    )
    estimates = recalibration_rows(
        spec.analyses[0], spec, {"comparisons": comparisons, "output_lengths": ibis.memtable(table)}
    )

    with duckdb.connect() as connection:
        connection.register("comparisons", comparisons.to_pyarrow())
        connection.register("output_lengths", table)
        for estimate in estimates:
            assert len(connection.execute(estimate.source).fetchall()) == estimate.n_judgments


def test_the_order_of_rows_changes_nothing(study, estimate):
    assert estimate(study(), invented()[::-1], lengths().take(list(range(23, -1, -1)))) == estimate(
        study(), invented(), lengths()
    )


def test_populations_with_different_clusters_are_refused(specification, estimate):
    text = STUDY.replace("OPTIONS", "").replace(
        "id: crowd, kind: human", "id: crowd, kind: human, independent_unit: [topic]"
    )

    with pytest.raises(SpecificationError, match="declare different independent units"):
        estimate(specification(text), [], lengths())


def test_percentiles_are_given_where_they_are_declared(study, estimate):
    row = estimate(study(", interval: {method: percentile}"), invented(), lengths())[f"{JUDGE}all/spearman_before"]

    assert row.ci_method == "bootstrap_percentile"
