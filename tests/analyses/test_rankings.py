"""Rankings as wholes: mean ranks of `bradley_terry` and Kendall's W of `agreement` (METHODS 6 and 7.7)."""

from itertools import combinations

import duckdb
import numpy as np
import pytest
from scipy import stats

from data_contracts.errors import SpecificationError
from data_contracts.vocabulary import Reason, Status
from juryline.analyses.agreement import agreement_rows
from juryline.analyses.bradley_terry import bradley_terry_rows

STUDY = """
systems: [{{id: a}}, {{id: b}}, {{id: c}}]
rubric: {{criteria: [{{id: quality, protocol: ranking}}, {{id: other, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
claim: {{independent_unit: {unit}}}
{more}
analyses: [{{id: x, method: {method}, criterion: quality, rounds: 100{options}}}]
"""
THREE_RATERS = [("c1", "r1", "123"), ("c1", "r2", "132"), ("c1", "r3", "213")]


@pytest.fixture
def study(specification):
    def build(method, options="", unit="[rater]", more=""):
        return specification(STUDY.format(method=method, options=options, unit=unit, more=more))

    return build


@pytest.fixture
def ranked(view):
    """Both views of rankings (case, rater, ranks of a, b, c): a `-` has no rank, a space is not shown."""

    def build(rankings, **columns):
        pairs, ranks = [], []
        for number, (case, rater, given) in enumerate(rankings):
            shared = {"case_id": case, "rater": rater, "protocol": "ranking", "judgment_id": f"j{number}"} | columns
            rows = [
                shared | _rank(f"{number}{system}", system, rank) for system, rank in zip("abc", given) if rank > " "
            ]
            ranks += rows
            pairs += [shared | _pair(one, other) for one, other in combinations(rows, 2)]
        return {"comparisons": view("comparisons", pairs), "ratings": view("ratings", ranks)}

    return build


def _rank(record, system, rank):
    answer = {"state": "abstain"} if rank == "-" else {"state": "answered", "label": rank, "value": float(rank)}
    return {"record_id": record, "system": system} | answer


def _pair(one, other):
    shown = {"record_id": one["record_id"], "system_1": one["system"], "system_2": other["system"]}
    if "value" not in one or "value" not in other:
        return shown | {"state": "abstain"}
    if one["value"] == other["value"]:
        return shown | {"state": "tie", "outcome": "tie"}
    return shown | {"state": "answered", "outcome": "system_1" if one["value"] < other["value"] else "system_2"}


def mean_ranks(spec, views):
    rows = bradley_terry_rows(spec.analyses[0], spec, views["comparisons"])
    return {row.subject: row for row in rows if row.statistic == "mean_rank"}


def concordance(spec, views):
    (row,) = [row for row in agreement_rows(spec.analyses[0], spec, views) if row.statistic == "kendall_w"]
    return row


# --- mean ranks -----------------------------------------------------------------------------------------


def test_a_mean_rank_is_the_mean_over_rankings_with_the_t_interval_of_independent_raters(study, ranked):
    rankings = [*THREE_RATERS, ("c2", "r4", "112"), ("c2", "r5", "321")]

    rows = mean_ranks(study("bradley_terry"), ranked(rankings))

    table = np.array([stats.rankdata([int(rank) for rank in ranks]) for _, _, ranks in rankings])
    for system, ranks in zip("abc", table.T):
        low, high = stats.t.interval(0.95, 4, ranks.mean(), stats.sem(ranks))
        assert rows[system].value == pytest.approx(ranks.mean())
        assert (rows[system].ci_low, rows[system].ci_high) == pytest.approx((max(low, 1), min(high, 3)))
        assert (rows[system].unit, rows[system].n_judgments, rows[system].n_clusters) == ("rank", 5, 5)


def test_equal_ranks_share_the_mean_of_their_places_whatever_numbers_they_were_given(study, ranked):
    views = ranked([("c1", "r1", "115"), ("c1", "r2", "882")])

    rows = mean_ranks(study("bradley_terry"), views)

    assert [rows[system].value for system in "abc"] == [2.0, 2.0, 2.0]


def test_a_ranking_with_an_output_without_a_rank_is_left_out_and_said_to_be(study, ranked):
    whole = mean_ranks(study("bradley_terry"), ranked(THREE_RATERS))
    beside = mean_ranks(study("bradley_terry"), ranked([*THREE_RATERS, ("c2", "r9", "1-2")]))

    for system in "abc":
        assert beside[system].value == whole[system].value
        assert (beside[system].reason, whole[system].reason) == ((Reason.INCOMPLETE_LEFT_OUT,), ())
        assert beside[system].n_judgments == 3


def test_a_ranking_of_fewer_outputs_counts_for_those_in_it(study, ranked):
    rows = mean_ranks(study("bradley_terry"), ranked([("c1", "r1", "123"), ("c2", "r2", "21 ")]))

    assert [rows[system].value for system in "abc"] == [1.5, 1.5, 3.0]
    assert [rows[system].n_judgments for system in "abc"] == [2, 2, 1]


def test_clusters_are_those_of_the_independent_unit(study, ranked):
    rankings = [(f"c{number % 2}", f"r{number}", "123" if number % 2 else "213") for number in range(8)]

    row = mean_ranks(study("bradley_terry", unit="[case]"), ranked(rankings))["a"]

    # Two cases with means 2 and 1: psi of each -+1/4, V = 2/1 (1/16 + 1/16).
    assert (row.value, row.std_error, row.n_clusters) == (pytest.approx(1.5), pytest.approx(0.5), 2)


def test_no_complete_ranking_leaves_no_mean_rank(study, ranked):
    row = mean_ranks(study("bradley_terry"), ranked([("c1", "r1", "1-2")]))["a"]

    assert (row.status, row.reason) == (Status.INSUFFICIENT, (Reason.INCOMPLETE_LEFT_OUT, Reason.NO_JUDGMENTS))


def test_pairs_have_no_mean_rank(specification, view):
    text = STUDY.format(method="bradley_terry", options="", unit="[rater]", more="").replace(
        "criterion: quality", "criterion: other"
    )
    spec = specification(text)
    game = {"criterion": "other", "case_id": "c", "system_1": "a", "system_2": "b", "outcome": "system_1", "rater": "r"}

    assert mean_ranks(spec, {"comparisons": view("comparisons", [game])}) == {}


# --- concordance ----------------------------------------------------------------------------------------


def test_the_worked_example_of_w(study, ranked):
    row = concordance(study("agreement", ", coefficients: [kendall_w]"), ranked(THREE_RATERS))

    assert row.value == pytest.approx(0.4444444, abs=5e-8)
    assert (row.unit, row.reason) == ("coefficient", (Reason.UNIT_COUNT_BELOW_30,))
    assert (row.n_judgments, row.n_units, row.n_cases, row.n_raters) == (3, 1, 1, 3)
    assert row.ci_status is Status.INSUFFICIENT


@pytest.mark.parametrize("options", [", coefficients: [kendall_w]", ", coefficients: [kendall_w], ranks_as: interval"])
def test_w_is_the_mean_over_cases_of_friedmans_also_where_ranks_are_numbers(study, ranked, options):
    tables = [("123", "132", "213"), ("112", "321", "123"), ("131", "221", "312")]
    rankings = [
        (f"c{case}", f"r{rater}", ranks) for case, table in enumerate(tables) for rater, ranks in enumerate(table)
    ]

    row = concordance(study("agreement", options), ranked(rankings))

    of_cases = [
        stats.friedmanchisquare(*([int(ranks[place]) for ranks in table] for place in range(3))).statistic / 6
        for table in tables
    ]
    assert row.value == pytest.approx(np.mean(of_cases))
    assert (row.ci_method, row.n_clusters, row.n_boot) == ("bootstrap_t_log", 3, 100)
    assert row.ci_low < row.value < row.ci_high


def test_incomplete_rankings_and_other_outputs_are_never_compared_with_complete_ones(study, ranked):
    spec = study("agreement", ", coefficients: [kendall_w]")
    beside = [*THREE_RATERS, ("c1", "r4", "3-1"), ("c1", "r5", "12 ")]

    row = concordance(spec, ranked(beside))

    assert row.value == pytest.approx(0.4444444, abs=5e-8)
    assert row.reason == (Reason.INCOMPLETE_LEFT_OUT, Reason.UNIT_COUNT_BELOW_30)
    assert (row.n_judgments, row.n_units) == (4, 1)


def test_the_order_of_rows_and_the_names_of_raters_change_no_ranking(study, ranked):
    spec, strengths = study("agreement", ", coefficients: [kendall_w]"), study("bradley_terry")
    rankings = [*THREE_RATERS, ("c2", "r1", "321"), ("c2", "r2", "312")]
    renamed = [(case, rater.replace("r", "z"), ranks) for case, rater, ranks in rankings]

    for other in (rankings[::-1], renamed):
        assert concordance(spec, ranked(other)).value == concordance(spec, ranked(rankings)).value
        assert concordance(spec, ranked(other)).ci_low == concordance(spec, ranked(rankings)).ci_low
        one, two = (mean_ranks(strengths, ranked(given)) for given in (rankings, other))
        assert [row.value for row in one.values()] == [row.value for row in two.values()]


def test_no_two_rankings_of_a_case_are_nothing_to_agree_on(study, ranked):
    row = concordance(study("agreement", ", coefficients: [kendall_w]"), ranked([("c1", "r1", "123")]))
    nothing = concordance(study("agreement", ", coefficients: [kendall_w]"), ranked([]))

    assert (row.status, row.reason) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))
    assert (nothing.status, nothing.reason, nothing.n_judgments) == (Status.UNDEFINED, (Reason.NO_SHARED_UNIT,), 0)


@pytest.mark.parametrize("options", ["", ", ranks_as: interval"])
def test_agreement_counts_rankings_and_not_their_pairs_or_ranks(study, ranked, options):
    views = ranked([*THREE_RATERS, ("c1", "r4", "---"), ("c2", "r1", "12 ")])
    spec = study("agreement", options)

    (row,) = [row for row in agreement_rows(spec.analyses[0], spec, views) if row.statistic == "krippendorff_alpha"]

    assert (row.n_judgments, row.n_raters, row.n_cases) == (4, 3, 2)
    with duckdb.connect() as connection:
        for name, table in views.items():
            connection.register(name, table.to_pyarrow())
        name = "ratings" if options else "comparisons"
        told = f"SELECT count(DISTINCT judgment_id) FROM {name} WHERE record_id IN ({row.source})"
        assert connection.execute(told).fetchone() == (4,)


def test_every_number_of_rankings_names_the_ranks_it_is_of(study, ranked):
    views = ranked([*THREE_RATERS, ("c2", "r1", "1-2"), ("c2", "r2", "12 ")])
    rows = [*mean_ranks(study("bradley_terry"), views).values()]
    rows.append(concordance(study("agreement", ", coefficients: [kendall_w]"), views))
    with duckdb.connect() as connection:
        for name, table in views.items():
            connection.register(name, table.to_pyarrow())
        found = [[record for (record,) in connection.execute(row.source).fetchall()] for row in rows]

    of_systems = [["0a", "1a", "2a", "4a"], ["0b", "1b", "2b", "4b"], ["0c", "1c", "2c"]]
    assert found == [*of_systems, sorted(record for records in of_systems for record in records)]
    assert [row.n_judgments for row in rows] == [4, 4, 3, 4]


def test_w_of_pairs_is_refused(study, ranked):
    spec = study("agreement", ", coefficients: [kendall_w]")
    spec = spec.model_copy(update={"analyses": (spec.analyses[0].model_copy(update={"criterion": ("other",)}),)})

    with pytest.raises(SpecificationError, match="it is of rankings"):
        agreement_rows(spec.analyses[0], spec, ranked([]))
