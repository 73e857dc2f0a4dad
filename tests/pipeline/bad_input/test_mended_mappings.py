"""A mapping that is changed releases, retracts and reinstates: no answer is lost or counted twice on the way."""

from unittest import mock

import pytest

from juryline.study import intake

pytestmark = pytest.mark.slow

DERIVED = ("--select", "+key:record_flow or key:quarantine")
VOTES = """worker,story,left,right,pick,hit,form,why,t0,t1
W-1,s5,A,B,draw,h1,r2,,2026-03-02 10:00:00,2026-03-02 10:00:40
W-1,s6,A,B,draw,h2,r2,,2026-03-02 10:01:00,2026-03-02 10:01:40
W-1,s7,A,B,left,h3,r2,,2026-03-02 10:02:00,2026-03-02 10:02:40
"""
UNMAPPED = "overall: {left: candidate_1, right: candidate_2, tie: tie, skip: abstain}"
MAPPED = "overall: {left: candidate_1, right: candidate_2, tie: tie, skip: abstain, draw: tie}"
TURNED = "overall: {left: candidate_2, right: candidate_1, tie: tie, skip: abstain, draw: tie}"
N_RECORDS = 23 + 3


@pytest.fixture(scope="module")
def runs(copy_of_whole):
    """What stands in the study after a run under each mapping, one after another."""
    desk = copy_of_whole("mended mappings")
    desk.drop("votes-draws.csv", VOTES)
    seen, before = [], UNMAPPED
    for mapping in (UNMAPPED, MAPPED, UNMAPPED, MAPPED, TURNED, MAPPED):
        if mapping != before:
            desk.edit("study.yaml", before, mapping)
        before = mapping
        said = desk.run(*DERIVED)
        assert said.status == 0, said.err
        seen.append(
            {
                "history": {row["record_id"]: row for row in desk.table("judgment_history")},
                "quarantine": desk.table("quarantine"),
                "flow": {(row["step"], row["reason"]): row["n"] for row in desk.table("record_flow")},
                "digests": {name: desk.digests()[name] for name in ("judgment_history", "quarantine", "record_flow")},
                "head": desk.head(),
                "events": [event.kind for event in desk.events() if event.kind in ("retract", "reinstate")],
            }
        )
    return dict(zip(("unmapped", "mapped", "unmapped again", "mapped again", "turned", "turned back"), seen))


def drawn(run):
    return [(row["state"], row["history_status"]) for row in run["history"].values() if row["raw_label"] == "draw"]


def test_a_label_that_is_not_mapped_is_in_quarantine(runs):
    assert [row["value"] for row in runs["unmapped"]["quarantine"]] == ["draw", "draw"]
    assert drawn(runs["unmapped"]) == []


def test_mending_the_mapping_releases_it(runs):
    assert runs["mapped"]["quarantine"] == []
    assert drawn(runs["mapped"]) == [("tie", "current")] * 2


def test_a_row_that_a_mapping_takes_out_is_retracted_and_stays_in_the_ledger(runs):
    assert len(runs["unmapped again"]["quarantine"]) == 2
    assert drawn(runs["unmapped again"]) == [("tie", "retracted")] * 2
    assert runs["unmapped again"]["head"] == runs["mapped"]["head"]
    assert runs["unmapped again"]["events"] == ["retract"]


def test_putting_the_mapping_back_reinstates_it(runs):
    assert runs["mapped again"]["events"] == ["retract", "reinstate"]
    assert runs["mapped again"]["head"] == runs["mapped"]["head"]
    assert runs["mapped again"]["digests"] == runs["mapped"]["digests"]


def test_another_meaning_of_a_label_is_a_new_version_and_the_old_one_is_retracted(runs):
    turned = [row for row in runs["turned"]["history"].values() if row["raw_label"] in ("left", "right")]
    by_status = {
        status: [r["label"] for r in turned if r["history_status"] == status] for status in ("current", "retracted")
    }

    assert by_status == {
        "current": [{"left": "candidate_2", "right": "candidate_1"}[r["raw_label"]] for r in turned if r["current"]],
        "retracted": [
            {"left": "candidate_1", "right": "candidate_2"}[r["raw_label"]] for r in turned if not r["current"]
        ],
    }
    assert len(by_status["current"]) == len(by_status["retracted"]) == 7


def test_the_first_meaning_put_back_counts_again(runs):
    def current(run):
        return {id for id, row in run["history"].items() if row["current"]}

    assert current(runs["turned back"]) == current(runs["mapped"])


@pytest.mark.parametrize(
    ("mapping", "mapped", "quarantined"),
    [
        ("unmapped", N_RECORDS - 2, 2),
        ("mapped", N_RECORDS, 0),
        ("unmapped again", N_RECORDS - 2, 2),
        ("mapped again", N_RECORDS, 0),
        ("turned", N_RECORDS, 0),
        ("turned back", N_RECORDS, 0),
    ],
)
def test_every_record_and_answer_is_counted_once_under_any_mapping(runs, mapping, mapped, quarantined):
    flow = runs[mapping]["flow"]

    for step in ("export_rows", "answers"):
        assert flow[step, "total"] == N_RECORDS, step
        assert flow[step, "quarantined"] == quarantined, step
    assert flow["export_rows", "mapped"] == mapped
    assert flow["current", "total"] == mapped


def test_an_export_that_a_new_mapping_cannot_read_keeps_its_records(desk):
    before = desk.digests()
    desk.edit("study.yaml", "labels: {overall: pick}", "labels: {overall: choice}")

    said = desk.run(*DERIVED)

    assert said.status == 1
    assert "the export has no column 'choice'" in said.err
    history = desk.table("judgment_history")
    assert {row["history_status"] for row in history} == {"current"}
    assert desk.digests()["judgment_history"] == before["judgment_history"]


def test_what_a_mapping_took_out_is_settled_once(desk):
    def n_read():
        with mock.patch.object(intake, "read_pending", side_effect=intake.read_pending) as reading:
            assert desk.run(*DERIVED).status == 0
        return reading.call_count

    desk.drop("votes-draws.csv", VOTES)
    desk.edit("study.yaml", UNMAPPED, MAPPED)
    n_read()
    desk.edit("study.yaml", MAPPED, UNMAPPED)
    n_read()
    settled = desk.digests()
    assert n_read() > 0
    assert n_read() == 0

    (desk.workspace.cache / "stories.settled").unlink()
    assert n_read() > 0
    assert desk.digests() == settled
