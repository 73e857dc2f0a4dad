"""Quarantine: every answer is accepted or refused, each once, with where, what and the mend."""

from collections import Counter
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_contracts.rules import prove, record_rules
from juryline.intake.delivery import ACCEPTED, REFUSED

# --- any export -------------------------------------------------------------------------------------------

SAID = {
    "rater": ["ann", "bo", "", None],
    "case_id": ["1", "2", "", None],
    "criterion": ["overall", "coherence", "style", "chance", "rank", "taste"],
    "candidate_1": ["a", "b", "z", "", None],
    "candidate_2": ["a", "b", "z", "", None],
    "label": ["left", "same", "3", "3.0", "3.7", "NA", "None", "50", "1", "2", "", "NaN", "'", "é\n"],
    "started_at": ["2026-03-01 10:00:00", "2026-03-29 02:30:00", "", None],
    "submitted_at": ["2026-03-01 10:00:00", "2026-03-01T09:00:00Z", "2026-10-25 02:30:00", "soon", None],
    "native_id": [None, None, None, "v1", "1.5E+10"],
    "sequence": [None, "1", "1.0"],
    "gold_label": [None, None, "left", "4"],
    "item_kind": [None, "gold", "odd"],
    "rubric_revision": [None, None, "r1", "r9"],
    "rationale": [None, "because"],
    "source_path": [None, "/1"],
}
ANSWERS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in SAID.items()})
RECORDS = st.lists(st.lists(ANSWERS, min_size=1, max_size=3), max_size=5)  # a record holds some answers
slowly = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


def rows_of(row, records):
    return [row(n) | answer for n, answers in enumerate(records, 1) for answer in answers]


@slowly
@given(records=RECORDS, delivery=st.sampled_from(["cumulative", "incremental"]))
def test_every_answer_is_accepted_or_refused_and_only_one_of_these(judge, row, records, delivery):
    rows = rows_of(row, records)

    result = judge(*rows, export={"delivery": delivery})

    refused = result.quarantine.to_pylist()
    answers = Counter(r["source_row"] for r in rows)
    accepted = Counter(result.judgments["source_row"].to_pylist())
    broken = {n: {r["answer_digest"] for r in refused if r["source_row"] == n} for n in answers}
    assert answers == Counter({n: accepted[n] + len(broken[n]) for n in answers})
    assert result.n_answers == len(rows) == result.judgments.num_rows + result.n_quarantined
    assert result.n_records == len(accepted)
    assert result.n_records + result.n_records_quarantined == len(answers)
    assert {r["source_row"] for r in refused if r["whole"]} == set(answers) - set(accepted)
    assert len({r["answer_digest"] for r in refused}) == result.n_quarantined
    assert len({r["record_digest"] for r in refused if r["whole"]}) == result.n_records_quarantined


@slowly
@given(records=RECORDS, random=st.randoms(use_true_random=False))
def test_records_in_another_order_are_accepted_and_refused_alike(judge, row, records, random):
    shuffled = random.sample(records, len(records))

    first, again = judge(*rows_of(row, records)), judge(*rows_of(row, shuffled))

    for name in ("record_id", "submitted_at", "label"):
        assert sorted(map(str, first.judgments[name].to_pylist())) == sorted(
            map(str, again.judgments[name].to_pylist())
        )
    known = ("rule", "column", "value", "answer_digest", "record_digest", "whole")
    told = [sorted(str([r[n] for n in known]) for r in result.quarantine.to_pylist()) for result in (first, again)]
    assert told[0] == told[1]


@settings(slowly, max_examples=3)
@given(records=RECORDS)
def test_what_is_accepted_keeps_the_contract(judge, row, con, spec_of, records):
    import ibis

    con.register("accepted", judge(*rows_of(row, records)).judgments)

    prove(ibis.duckdb.from_connection(con).table("accepted"), ACCEPTED, record_rules(spec_of({})))


def test_an_export_without_an_answer_gives_empty_tables(judge):
    result = judge()

    assert result.judgments.schema.equals(ACCEPTED.arrow_schema)
    assert result.quarantine.schema.equals(REFUSED.arrow_schema)
    assert (result.n_answers, result.n_records, result.n_records_quarantined) == (0, 0, 0)


# --- one answer and its record ----------------------------------------------------------------------------


def refused(result):
    return sorted((r["source_row"], r["criterion"], r["rule"], r["whole"]) for r in result.quarantine.to_pylist())


def test_the_other_criteria_of_a_row_pass(judge, row):
    result = judge(row(1, "coherence"), row(1, "length", label="long"), row(2, "coherence", label="9"))

    assert [(r["source_row"], r["criterion"]) for r in result.judgments.to_pylist()] == [(1, "coherence")]
    assert refused(result) == [
        (1, "length", "label_in_response_set", False),
        (2, "coherence", "label_in_response_set", True),
    ]
    assert (result.n_records, result.n_records_quarantined) == (1, 1)


def test_an_answer_that_breaks_several_rules_is_told_of_each_and_counted_once(judge, row):
    result = judge(row(label="draw", candidate_1="z", submitted_at="soon"))

    assert {r["rule"] for r in result.quarantine.to_pylist()} == {
        "label_in_response_set",
        "candidate_known",
        "submitted_at_readable",
    }
    assert result.n_quarantined == 1


def test_equal_refused_rows_are_each_counted(judge, row):
    result = judge(*(row(n, label="draw") for n in (1, 2, 3)))

    assert [r["source_row"] for r in result.quarantine.to_pylist()] == [1, 2, 3]
    assert len({r["record_digest"] for r in result.quarantine.to_pylist()}) == 3


def test_a_refused_answer_delivered_again_is_known_again(judge, row):
    one, other = row(label="draw"), row(label="tie", case_id="case 2")

    first = judge(one | {"source_row": 1}, other | {"source_row": 2})
    again = judge(other | {"source_row": 1}, one | {"source_row": 2}, row(3), sent={"export_path": "again.csv"})

    digests = [
        {(r["value"], r["answer_digest"], r["record_digest"]) for r in x.quarantine.to_pylist()} for x in (first, again)
    ]
    assert digests[0] == digests[1]


def test_a_ranking_stands_or_falls_as_one(judge, row):
    whole = [row(1, "rank", candidate_1=c, label="1") for c in "ab"]
    broken = [row(2, "rank", candidate_1=c, label=label) for c, label in zip("abc", ("1", "second", "3"))]
    twice = [row(3, "rank", candidate_1="a", label=label) for label in ("1", "2")]

    result = judge(*whole, *broken, *twice)

    assert {r["source_row"] for r in result.judgments.to_pylist()} == {1}
    assert Counter((r["source_row"], r["rule"]) for r in result.quarantine.to_pylist()) == {
        (2, "label_in_response_set"): 1,
        (2, "ranking_whole"): 2,
        (3, "candidate_once"): 2,
    }


def test_a_record_that_ranks_one_candidate_is_no_ranking(judge, row):
    result = judge(*[row(n, "rank", candidate_1=c, label=str(n)) for n, c in enumerate("ab", 1)])

    assert result.judgments.num_rows == 0
    assert [(r["source_row"], r["rule"]) for r in result.quarantine.to_pylist()] == [
        (1, "ranking_of_several"),
        (2, "ranking_of_several"),
    ]
    assert all("one line a ranking" in r["fix"] for r in result.quarantine.to_pylist())


def test_an_unknown_criterion_is_told_by_its_exported_name(judge, row):
    (told,) = judge(row() | {"criterion": "taste"}).quarantine.to_pylist()

    assert (told["rule"], told["criterion"], told["value"]) == ("criterion_known", "taste", "taste")


# --- what is shown of it ----------------------------------------------------------------------------------


def test_a_raw_id_or_an_address_in_another_column_is_not_shown(judge, row):
    columns = ("label", "candidate_1", "submitted_at", "sequence", "item_kind", "gold_label")
    stray = ("ann@example.org", "W-1", "bo <bo@mail.example.org>", "see cy@example.org")
    rows = [row(n, **{column: value}) for n, (column, value) in enumerate(product(columns, stray), 1)]

    told = judge(*rows, row(99, rater="W-1")).quarantine.to_pylist()

    assert [r["source_row"] for r in told] == list(range(1, len(rows) + 1))
    assert {r["value"] for r in told} == {None}


def test_a_number_that_is_also_the_id_of_a_rater_is_shown(judge, row):
    (told,) = judge(row(1, "coherence", label="12", rater="12")).quarantine.to_pylist()

    assert told["value"] == "12"


def test_a_long_value_is_cut(judge, row):
    (told,) = judge(row(label="x" * 1000)).quarantine.to_pylist()

    assert told["value"] == "x" * 200


def test_words_of_a_rater_are_never_shown(judge, row):
    told = judge(row(label="draw", rationale="my secret", evidence_refs=["my secret"])).quarantine.to_pylist()

    assert "my secret" not in str(told)
