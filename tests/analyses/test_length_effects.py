import duckdb
import pyarrow as pa
import pytest

from data_contracts.tables import OUTPUT_LENGTHS
from data_contracts.vocabulary import Reason, State, Status
from juryline.analyses.length_effects import length_effects_rows

STUDY = """
systems: [{{id: a}}, {{id: b}}, {{id: c}}]
rubric: {{criteria: [{{id: quality, protocol: pairwise}}, {{id: style, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
analyses: [{{id: length, method: length_effects, criterion: {criterion}{options}}}]
"""
ALL = "length/quality/crowd/all/"
CHANCES = ("p_win", "p_longer", "p_win_given_longer", "p_longer_given_win")


@pytest.fixture
def study(specification):
    return lambda options="", criterion="quality": specification(STUDY.format(options=options, criterion=criterion))


@pytest.fixture
def lengths():
    def table(*rows):
        columns = {name: [] for name in OUTPUT_LENGTHS.names}
        for case, system, length, *more in rows:
            output, alone = more or (None, True)
            for name, value in zip(OUTPUT_LENGTHS.names, (case, system, output, length, "words", alone)):
                columns[name].append(value)
        return pa.table(columns, OUTPUT_LENGTHS.arrow_schema)

    return table


@pytest.fixture
def estimate(view):
    import ibis

    def run(spec, rows, lengths):
        views = {"comparisons": view("comparisons", rows), "output_lengths": ibis.memtable(lengths)}
        estimates = length_effects_rows(spec.analyses[0], spec, views)
        assert len({e.estimate_id for e in estimates}) == len(estimates)
        return {e.estimate_id.removeprefix(ALL): e for e in estimates}

    return run


def game(case, one, sign, other, **columns):
    outcome = {">": "system_1", "<": "system_2", "=": "tie", "x": "both_fail"}.get(sign)
    state = "answered" if sign in "<>" else outcome or sign
    given = {"case_id": case, "system_1": one, "system_2": other, "state": state, "outcome": outcome}
    return given | {"rater": f"r{case}"} | columns


def worked_example():
    """METHODS 9, for `a`: ten games, one a rater; `b` writes three words, and `a` four in the first five cases."""
    wins = [1, 1, 1, 0, 1, 0, 0, 1, 0, 0]
    games = [game(f"c{n}", "a", ">" if won else "<", "b") for n, won in enumerate(wins)]
    written = [(f"c{n}", "a", 4 if n < 5 else 2) for n in range(10)] + [(f"c{n}", "b", 3) for n in range(10)]
    return games, written


def test_the_worked_example(study, estimate, lengths):
    games, written = worked_example()

    rows = estimate(study(), games, lengths(*written))

    assert [rows[f"a/{name}"].value for name in CHANCES] == [0.5, 0.5, 0.8, 0.8]
    assert [rows[f"b/{name}"].value for name in CHANCES] == [0.5, 0.5, 0.8, 0.8]
    seed, contrast = rows["a/length_t_seed"], rows["a/length_contrast_t"]
    assert (seed.value, seed.df, seed.p_value) == pytest.approx((-1.152332, 9.457498, 0.277480), abs=5e-7)
    assert (contrast.value, contrast.df, contrast.p_value) == pytest.approx((2.121320, 8, 0.066688), abs=5e-7)
    assert rows["a/length_contrast"].value == pytest.approx(0.6)
    assert (rows["all/longer_wins"].value, rows["all/longer_wins"].null_value) == (0.8, 0.5)
    assert rows["all/longer_wins"].ci_method == "wilson"
    assert rows["a/length_unknown"].value == rows["all/length_unknown"].value == 0
    assert [rows[f"a/{name}"].n_units for name in CHANCES] == [10, 10, 5, 5]


def test_a_system_without_a_game_has_no_number(study, estimate, lengths):
    games, written = worked_example()

    row = estimate(study(), games, lengths(*written))["c/p_win"]

    assert (row.status, row.reason, row.n_judgments) == (Status.INSUFFICIENT, (Reason.NO_GAMES,), 0)


def test_holm_runs_over_all_declared_systems_and_criteria_and_the_seeds_test_is_not_in_it(study, estimate, lengths):
    games, written = worked_example()

    one = estimate(study(), games, lengths(*written))["a/length_contrast_t"]
    both = estimate(study(criterion="all"), games, lengths(*written))["a/length_contrast_t"]
    none = estimate(study(", correction: none"), games, lengths(*written))["a/length_contrast_t"]

    assert (one.family_size, one.p_adjusted) == (3, pytest.approx(3 * 0.066688, abs=2e-6))
    assert (both.family_size, both.p_adjusted) == (6, pytest.approx(6 * 0.066688, abs=3e-6))
    assert none.p_adjusted == none.p_value
    assert estimate(study(), games, lengths(*written))["a/length_t_seed"].p_adjusted is None


def test_a_game_with_a_length_that_is_not_known_is_out_and_counted(study, estimate, lengths):
    games, written = worked_example()
    unknown = [
        game("c10", "a", ">", "b"),
        game("c11", "a", ">", "b"),
        game("c0", "a", ">", "c"),
        game("c1", "a", "=", "c"),
    ]

    rows = estimate(study(), games + unknown, lengths(*written, ("c10", "a", None), ("c10", "b", 3), ("c11", "a", 9)))

    assert rows["a/p_win"].value == 0.5
    assert (rows["a/length_unknown"].value, rows["c/length_unknown"].value, rows["all/length_unknown"].value) == (
        4,
        2,
        4,
    )
    assert (rows["a/p_win"].n_judgments, rows["a/p_win"].n_units) == (10, 10)
    assert rows["a/p_win"].states == {State.ANSWERED: 13, State.TIE: 1}
    for name in ("c/p_win", "c/length_contrast", "c/length_contrast_t", "c/length_t_seed"):
        assert (rows[name].status, rows[name].reason) == (Status.NOT_ESTIMABLE, (Reason.LENGTH_NOT_RECORDED,))


def test_where_no_outputs_are_declared_nothing_is_estimable(study, estimate, lengths):
    rows = estimate(study(), worked_example()[0], lengths())

    assert {row.status for name, row in rows.items() if name.startswith("a/p_")} == {Status.NOT_ESTIMABLE}
    assert rows["all/longer_wins"].reason == (Reason.LENGTH_NOT_RECORDED,)
    assert rows["all/longer_wins"].ci_status is Status.NOT_ESTIMABLE
    assert rows["all/length_unknown"].value == 10


def test_equal_lengths_are_games_in_which_neither_is_longer(study, estimate, lengths):
    games = [game("c1", "a", ">", "b"), game("c2", "a", "<", "b"), game("c3", "a", ">", "b")]
    written = [("c1", "a", 5), ("c1", "b", 5), ("c2", "a", 6), ("c2", "b", 5), ("c3", "a", 5), ("c3", "b", 6)]

    rows = estimate(study(), games, lengths(*written))

    assert (rows["a/p_longer"].value, rows["b/p_longer"].value) == pytest.approx((1 / 3, 1 / 3))
    assert (rows["all/longer_wins"].value, rows["all/longer_wins"].n_units) == (0, 2)


def test_longer_is_longer_by_more_than_the_threshold(study, estimate, lengths):
    games, written = worked_example()

    assert estimate(study(", threshold: 0.5"), games, lengths(*written))["a/p_longer"].value == 0.5
    rows = estimate(study(", threshold: 1"), games, lengths(*written))
    assert rows["a/p_longer"].value == 0
    assert rows["a/p_win_given_longer"].reason == (Reason.NEVER_LONGER,)
    assert rows["all/longer_wins"].reason == (Reason.NO_DECISIVE_GAME,)


def test_ties_and_joint_failures_are_games_without_a_winner(study, estimate, lengths):
    games, written = worked_example()
    undecided = [game("c0", "a", "=", "b"), game("c1", "b", "x", "a"), game("c2", "a", "abstain", "b")]

    rows = estimate(study(), games + undecided, lengths(*written))

    assert (rows["a/p_win"].value, rows["a/p_win_given_longer"].value) == pytest.approx((5 / 12, 4 / 7))
    assert rows["all/longer_wins"].n_units == 10


def test_which_of_several_outputs_was_shown_decides_its_length(study, estimate, lengths):
    written = [("c1", "a", 9, "x", False), ("c1", "a", 1, "y", False), ("c1", "b", 5, "z", True)]
    shown = [
        game("c1", "a", ">", "b", output_1="x", output_2="z"),
        game("c1", "b", ">", "a", output_1="z", output_2="y"),
        game("c1", "a", "<", "b", output_1="x"),  # the one output of b
        game("c1", "a", ">", "b"),  # which of a's is not known
        game("c1", "a", ">", "b", output_1="w", output_2="z"),
    ]

    rows = estimate(study(), shown, lengths(*written))

    assert (rows["a/p_longer"].value, rows["a/p_longer"].n_units) == (pytest.approx(2 / 3), 3)
    assert rows["a/length_unknown"].value == 2


def test_the_source_gives_the_records_behind_a_number(study, view, lengths):
    import ibis

    games, written = worked_example()
    more = [
        game("c0", "a", ">", "c"),
        game("c1", "a", "abstain", "b"),
        game("c20", "a", ">", "b", output_1="x"),
        game("c20", "a", ">", "b", output_1="y"),
        game("c2", "a", ">", "b", item_kind="gold"),
    ]
    table = lengths(*written, ("c20", "a", 3, "x", True), ("c20", "b", 3, "z", True))
    spec, comparisons = study(), view("comparisons", games + more)
    estimates = length_effects_rows(
        spec.analyses[0], spec, {"comparisons": comparisons, "output_lengths": ibis.memtable(table)}
    )

    with duckdb.connect() as connection:
        connection.register("comparisons", comparisons.to_pyarrow())
        connection.register("output_lengths", table)
        for estimate in estimates:
            assert len(connection.execute(estimate.source).fetchall()) == estimate.n_judgments
    assert {e.n_judgments for e in estimates if e.subject == "a"} == {11}


def test_the_order_of_rows_changes_nothing(study, estimate, lengths):
    games, written = worked_example()
    spec = study(", independent_unit: [rater, case]")

    assert estimate(spec, games[::-1], lengths(*written[::-1])) == estimate(spec, games, lengths(*written))


def test_renaming_systems_changes_no_number(study, estimate, lengths, specification):
    games, written = worked_example()
    renamed = {"a": "z", "b": "y", "c": "x"}
    spec = specification(
        STUDY.format(options="", criterion="quality")
        .replace("id: a}", "id: z}")
        .replace("id: b}", "id: y}")
        .replace("id: c}", "id: x}")
    )
    other = [g | {name: renamed[g[name]] for name in ("system_1", "system_2")} for g in games]

    one = estimate(study(), games, lengths(*written))
    two = estimate(spec, other, lengths(*((case, renamed[system], n) for case, system, n in written)))

    assert {(renamed.get(e.subject, e.subject), e.statistic, e.value, e.p_adjusted) for e in one.values()} == {
        (e.subject, e.statistic, e.value, e.p_adjusted) for e in two.values()
    }
