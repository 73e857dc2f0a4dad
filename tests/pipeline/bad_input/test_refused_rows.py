"""Rows that break the contract: quarantined one by one with where, what and the mend, and the run goes on."""

import csv
from types import SimpleNamespace

import pytest

TIMES = "2026-03-02 10:00:00,2026-03-02 10:00:40"
ANSWER = '"story": "s1", "writer": "A"'
NOT_A_LABEL = ("label_in_response_set", "raw_label")

# Bad rows of each export, in their order behind one good row: rule, column and the value told.
VOTES = {
    "W-1,s5,A,B": ("ragged_row", "*", "4 cells, 10 columns"),
    f"W-1,s5,A,B,left,h,r2,,{TIMES},,": ("ragged_row", "*", "12 cells, 10 columns"),
    f"W-1,s5,A,B,draw,h,r2,,{TIMES}": (*NOT_A_LABEL, "draw"),
    f"W-1,s6,A,B,Tie,h,r2,,{TIMES}": (*NOT_A_LABEL, "Tie"),
    f"W-1,s7,A,B,left ,h,r2,,{TIMES}": (*NOT_A_LABEL, "left "),
    f"W-1,s8,A,B,,h,r2,,{TIMES}": (*NOT_A_LABEL, ""),
    f"W-1,s9,A,B,NA,h,r2,,{TIMES}": (*NOT_A_LABEL, "NA"),
    f"W-1,t1,A,B,candidate1,h,r2,,{TIMES}": (*NOT_A_LABEL, "candidate1"),
    "W-1,t2,A,B,left,h,r2,,2026-03-02 10:00:40,2026-03-02 10:00:00": (
        "submitted_after_start",
        "submitted_at",
        "2026-03-02 10:00:00",
    ),
    "W-1,t3,A,B,left,h,r2,,2026-10-25 01:30:00,2026-10-25 02:30:00": (
        "submitted_at_unambiguous",
        "submitted_at",
        "2026-10-25 02:30:00",
    ),
    "W-1,t4,A,B,left,h,r2,,2026-03-29 02:30:00,2026-03-29 03:30:00": (
        "started_at_unambiguous",
        "started_at",
        "2026-03-29 02:30:00",
    ),
    "W-1,t5,A,B,left,h,r2,,2026-03-02 10:00:00,02.03.2026 10:00": (
        "submitted_at_readable",
        "submitted_at",
        "02.03.2026 10:00",
    ),
    "W-1,t6,A,B,left,h,r2,,2026-03-02 10:00:00,": ("submitted_at_given", "submitted_at", None),
    f",t7,A,B,left,h,r2,,{TIMES}": ("rater_given", "rater", None),
    f"W-1,t8,A,C,left,h,r2,,{TIMES}": ("candidate_known", "candidate_2", "C"),
    f"W-1,t9,large,B,left,h,r2,,{TIMES}": ("candidate_known", "candidate_1", "large"),
    f"W-1,u1,A,A,left,h,r2,,{TIMES}": ("candidates_differ", "candidate_2", "A"),
    f"W-1,u2,A,,left,h,r2,,{TIMES}": ("two_candidates", "candidate_2", None),
    f"W-1,u3,A,B,left,h,r3,,{TIMES}": ("rubric_revision_declared", "rubric_revision", "r3"),
    f"W-1,,A,B,left,h,r2,,{TIMES}": ("case_given", "case_id", None),
}
RATINGS = {
    "W-1,s5,A,3.7,n1,1,": (*NOT_A_LABEL, "3.7"),
    "W-1,s5,A,6,n2,1,": (*NOT_A_LABEL, "6"),
    "W-1,s5,A,NaN,n3,1,": (*NOT_A_LABEL, "NaN"),
    "W-1,s5,A,inf,n4,1,": (*NOT_A_LABEL, "inf"),
    "W-1,s5,A,True,n5,1,": (*NOT_A_LABEL, "True"),
    "W-1,s5,A,null,n6,1,": (*NOT_A_LABEL, "null"),
    "W-1,s5,A,３,n7,1,": (*NOT_A_LABEL, "３"),
    'W-1,s5,A,"3,0",n8,1,': (*NOT_A_LABEL, "3,0"),
    "W-1,s5,A,3,1.23457E+15,1,": ("native_id_not_mangled", "native_id", "1.23457E+15"),
    'W-1,s5,A,3,n9,"1,234",': ("sequence_whole", "sequence", "1,234"),
    "W-1,s5,A,3,m1,1.0E+15,": ("sequence_whole", "sequence", "1.0E+15"),
    "W-1,s5,A,3,m2,1,warmup": ("item_kind_declared", "item_kind", "warmup"),
}
ANSWERS = {
    f'{{"worker": "W-1", {ANSWER}, "earned": true}}': (*NOT_A_LABEL, "true"),
    f'{{"worker": "W-1", {ANSWER}, "earned": 1}}': (*NOT_A_LABEL, "1"),
    f'{{"worker": "W-1", "worker": "W-2", {ANSWER}, "earned": "yes"}}': ("duplicate_key", "*", None),
    f'{{"worker": "W-1", {ANSWER}, "earned": "yes", "earned": "no"}}': ("duplicate_key", "*", None),
    f'{{"worker": "W-1", {ANSWER}': ("not_json", "*", None),
    '["W-1", "s1", "A", "yes"]': ("not_an_object", "*", None),
}
VERDICTS = {'{"story": "s5", "winner": "unparsed"}': ("unmapped", "*", None)}

GOOD_ROWS = {
    "votes": f"#W-2,s5,B,A,right,h9,r2,,{TIMES}",  # no comment, but a row whose rater is called so
    "ratings": "W-1,s5,A,3.0,n0,1,scored",
    "answers": f'{{"worker": "W-1", {ANSWER}, "earned": null}}',
    "verdicts": '{"story": "s4", "winner": "candidate_2"}',
}
EXPORTS = {
    "votes-odd.csv": ("worker,story,left,right,pick,hit,form,why,t0,t1", GOOD_ROWS["votes"], VOTES),
    "ratings-odd.csv": ("worker,story,writer,score,id,nr,kind", GOOD_ROWS["ratings"], RATINGS),
    "answers-odd.jsonl": (None, GOOD_ROWS["answers"], ANSWERS),
    "verdicts-odd.jsonl": (None, GOOD_ROWS["verdicts"], VERDICTS),
}
CASES = [
    pytest.param(name, number, *broken, id=f"{name}-{number}-{broken[0]}")
    for name, (_, _, rows) in EXPORTS.items()
    for number, broken in enumerate(rows.values(), start=2)
]
N_WHOLE, N_GOOD = 23, len(EXPORTS)  # records of the study as it was, and those accepted here
# Records of which nothing could be read are no answers.
N_UNREAD = sum(column == "*" for _, _, rows in EXPORTS.values() for _, column, _ in rows.values())


@pytest.fixture(scope="module")
def spoiled(copy_of_whole, tmp_path_factory):
    """Every bad row dropped at once, then checked, run and exported."""
    desk = copy_of_whole("refused rows")
    before = desk.ledger()
    for name, (header, good, rows) in EXPORTS.items():
        lines = [header] if header else []
        desk.drop(name, "\n".join([*lines, good, *rows]) + "\n")
    checked = desk.check("--json")
    read = desk.check()
    ran = desk.run()
    folder = tmp_path_factory.mktemp("exported")
    assert desk.juryline("export", "stories", "--to", str(folder)).status == 0
    return SimpleNamespace(desk=desk, before=before, checked=checked, read=read, ran=ran, folder=folder)


def test_quarantined_rows_are_no_failure_of_a_run_but_a_verdict_of_a_check(spoiled):
    assert spoiled.ran.status == 0
    assert spoiled.checked.status == spoiled.read.status == 1


@pytest.mark.parametrize(("name", "row", "rule", "column", "value"), CASES)
def test_a_bad_row_is_in_quarantine_with_its_rule_and_the_mend(spoiled, name, row, rule, column, value):
    quarantine = spoiled.desk.table("quarantine")

    (refused,) = [r for r in quarantine if (r["export_path"], r["source_row"]) == (name, row)]
    assert (refused["rule"], refused["column"], refused["value"]) == (rule, column, value)
    assert refused["fix"]
    accepted = spoiled.desk.ledger().select(["export_path", "source_row"]).to_pylist()
    assert {"export_path": name, "source_row": row} not in accepted


@pytest.mark.parametrize(("name", "row", "rule", "column", "value"), CASES)
def test_a_check_tells_of_a_bad_row_beforehand(spoiled, name, row, rule, column, value):
    (tried,) = [tried for tried in spoiled.checked.told["exports"] if tried["name"] == name]

    (broken,) = [broken for broken in tried["broken"] if (broken["rule"], broken["column"]) == (rule, column)]
    same = [number for number, b in enumerate(EXPORTS[name][2].values(), start=2) if b[:2] == (rule, column)]
    assert broken["n"] == len(same)
    assert [shown["row"] for shown in broken["rows"]] == same[:3]
    assert f"{len(same)} x {rule} ({column})" in spoiled.read.err
    assert broken["fix"] in spoiled.read.err


@pytest.mark.parametrize("name", EXPORTS)
def test_the_good_row_beside_bad_ones_is_accepted(spoiled, name):
    rows = spoiled.desk.ledger().to_pylist()

    (accepted,) = [row for row in rows if row["export_path"] == name]
    assert accepted["source_row"] == 1


def test_the_ledger_grows_by_the_good_rows_alone(spoiled):
    ledger = spoiled.desk.ledger()

    assert ledger.slice(0, spoiled.before.num_rows).equals(spoiled.before)
    assert ledger.num_rows == spoiled.before.num_rows + N_GOOD


def test_the_accounting_closes_over_what_was_dropped(spoiled):
    flow = {(row["step"], row["reason"]): row["n"] for row in spoiled.desk.table("record_flow")}

    assert flow["export_rows", "total"] == N_WHOLE + N_GOOD + len(CASES)
    assert flow["export_rows", "quarantined"] == len(CASES)
    assert flow["answers", "total"] == N_WHOLE + N_GOOD + len(CASES) - N_UNREAD
    assert flow["answers", "quarantined"] == len(CASES) - N_UNREAD
    assert flow["current", "total"] == N_WHOLE + N_GOOD
    assert f"{len(CASES)} quarantined" in spoiled.ran.err


def test_no_unknown_label_became_a_tie(spoiled):
    states = {row["state"] for row in spoiled.desk.table("judgment_history")}

    assert states == {"answered", "missing"}  # the missing one is a null, which the specification calls so


def test_three_point_nought_is_level_three(spoiled):
    (rated,) = [row for row in spoiled.desk.table("ratings") if row["export_path"] == "ratings-odd.csv"]

    assert (rated["label"], rated["value"]) == ("3", 3.0)


def test_quarantine_is_exported_for_who_has_to_mend_it(spoiled):
    with (spoiled.folder / "quarantine.csv").open(encoding="utf-8", newline="") as stream:
        exported = list(csv.DictReader(stream))

    assert len(exported) == len(CASES)
    assert {row["rule"] for row in exported} == {
        rule for _, _, rows in EXPORTS.values() for rule, _, _ in rows.values()
    }
    assert all(row["fix"] for row in exported)
