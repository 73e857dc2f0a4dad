"""Versions, retractions and aliases."""

import ibis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_contracts.errors import GateError
from data_contracts.tables import HISTORY
from juryline.derivations.history import check_corrections, conflicting_versions, judgment_history

THREE = [
    {"judgment_key": "k", "judgment_id": "v1", "at": 10, "label": "candidate_1"},
    {"judgment_key": "k", "judgment_id": "v2", "at": 30, "label": "candidate_2"},
    {"judgment_key": "k", "judgment_id": "v3", "at": 20, "label": "candidate_1"},
    {"at": 5, "label": "candidate_1"},
]


@pytest.fixture(scope="module")
def history(ledger, ids, study):
    def derive(rows, more="", retracted=(), withdrawn=()):
        return judgment_history(ledger(rows), ids(*retracted), ids(*withdrawn), study(more))

    return derive


def test_the_history_has_exactly_the_declared_columns(history):
    schema = history(THREE).schema()

    assert schema.names == tuple(HISTORY.names)
    wanted = ibis.Schema.from_pyarrow(HISTORY.arrow_schema)
    assert [t.copy(nullable=True) for t in schema.types] == [t.copy(nullable=True) for t in wanted.types]


@pytest.mark.parametrize(
    ("corrections", "statuses", "supersedes"),
    [
        ("last", ["superseded", "current", "superseded", "current"], [None, "rec-002", "rec-000", None]),
        ("first", ["current", "superseded", "superseded", "current"], ["rec-002", None, "rec-001", None]),
    ],
)
def test_corrections_take_the_last_or_the_first_by_submission_time(history, rows_of, corrections, statuses, supersedes):
    derived = history(THREE, f"corrections: {corrections}")

    assert rows_of(derived, "history_status") == statuses
    assert rows_of(derived, "current") == [status == "current" for status in statuses]
    assert rows_of(derived, "supersedes") == supersedes


def test_arrival_never_decides_which_version_counts(history, rows_of):
    early = {"judgment_key": "k", "judgment_id": "v1", "at": 10, "ledger_seq": 9}
    late = {"judgment_key": "k", "judgment_id": "v2", "at": 20, "ledger_seq": 1}

    assert rows_of(history([early, late]), "history_status") == ["superseded", "current"]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ({"export_path": "a.csv", "source_row": 9}, {"export_path": "b.csv", "source_row": 1}),
        ({"source_row": 9}, {"source_row": 10}),
        ({"source_row": 9, "source_path": "/0"}, {"source_row": 9, "source_path": "/1"}),
        ({"at": None, "source_row": 9}, {"at": 0, "source_row": 1}),
    ],
)
def test_equal_or_unknown_times_fall_back_on_path_row_and_place_in_the_row(history, rows_of, earlier, later):
    rows = [{"judgment_key": "k", "judgment_id": "v2"} | later, {"judgment_key": "k", "judgment_id": "v1"} | earlier]

    assert rows_of(history(rows), "history_status") == ["current", "superseded"]


def test_the_rows_of_a_ranking_move_together(history, rows_of):
    def ranking(version, at, first_row, ranks):
        return [
            {
                **{"criterion": "best", "judgment_key": "k", "judgment_id": version, "at": at},
                **{"candidate_1": candidate, "value": float(rank), "label": str(rank), "source_row": first_row + place},
            }
            for place, (candidate, rank) in enumerate(ranks)
        ]

    old = ranking("v1", 10, 1, [("z-1", 1), ("m-2", 2), ("a-3", 3)])
    new = ranking("v2", 20, 4, [("z-1", 2), ("m-2", 1), ("a-3", 3)])

    derived = history(old + new)
    assert rows_of(derived, "history_status") == ["superseded"] * 3 + ["current"] * 3
    assert rows_of(derived, "supersedes") == [None] * 3 + ["rec-000", "rec-001", "rec-002"]


def test_a_ranking_whose_rows_interleave_with_a_correction_stays_whole(history, rows_of):
    def row(version, candidate, source_row):
        key = {"criterion": "best", "judgment_key": "k", "judgment_id": version}
        return key | {"candidate_1": candidate, "source_row": source_row, "value": 1.0}

    rows = [row("v1", "z-1", 1), row("v2", "z-1", 2), row("v2", "m-2", 3), row("v1", "m-2", 4)]

    assert rows_of(history(rows), "history_status") == ["superseded", "current", "current", "superseded"]


def test_retracted_and_withdrawn_versions_do_not_compete(history, rows_of):
    derived = history(THREE, retracted=["rec-001", "rec-003"], withdrawn=["rec-003"])

    assert rows_of(derived, "history_status") == ["superseded", "retracted", "current", "withdrawn"]
    assert rows_of(derived, "supersedes") == [None, None, "rec-000", None]


def test_aliases_are_numbered_by_earliest_submission_then_pseudonym_over_all_rows(history, rows_of):
    rows = [
        {"rater": "p-late", "at": 50},
        {"rater": "p-never-b"},
        {"rater": "p-early", "at": 90},
        {"rater": "p-never-a"},
        {"rater": "p-early", "at": 10},
        {"rater": "p-tied", "at": 50, "population": "experts"},
        {"rater": "judge", "population": "judge", "at": 0},
    ]

    # p-early keeps r001 although the row that makes it the earliest is retracted.
    derived = history(rows, retracted=["rec-004"])
    assert rows_of(derived, "rater") == ["r002", "r005", "r001", "r004", "r001", "r003", "judge"]


def test_aliases_grow_past_three_digits(history, rows_of):
    derived = history([{"rater": f"p-{n:04d}", "at": n} for n in range(1001)])

    assert rows_of(derived, "rater", by=("rater_pseudonym",))[-2:] == ["r1000", "r1001"]
    assert rows_of(derived, "rater", by=("rater_pseudonym",))[0] == "r001"


def test_reject_lists_versions_that_differ_and_stops(history, study, rows_of):
    same = [{"judgment_key": "same", "judgment_id": f"s{n}", "label": "candidate_1"} for n in range(2)]
    derived = history(THREE + same, "corrections: reject")

    assert rows_of(conflicting_versions(derived), "record_id") == ["rec-000", "rec-001", "rec-002"]
    with pytest.raises(GateError, match="1 judgments have versions with different answers") as refused:
        check_corrections(derived, study("corrections: reject"))
    assert "a.csv, row 1" in str(refused.value)
    assert "p-1" not in str(refused.value)


@pytest.mark.parametrize("more", ["corrections: last", "corrections: first"])
def test_only_reject_stops_at_different_answers(history, study, more):
    assert check_corrections(history(THREE, more), study(more)) is None


def test_equal_votes_of_one_file_are_no_conflict_but_a_new_rationale_is(history, study, rows_of):
    key = {"judgment_key": "k", "label": "candidate_1"}
    equal = history([key | {"judgment_id": "v1"}, key | {"judgment_id": "v2"}])
    reworded = history([key | {"judgment_id": "v1", "rationale": "a"}, key | {"judgment_id": "v2", "rationale": "b"}])

    assert rows_of(conflicting_versions(equal)) == []
    assert rows_of(conflicting_versions(reworded), "record_id") == ["rec-000", "rec-001"]


def test_a_retracted_version_is_no_conflict(history, rows_of):
    rows = [{"judgment_key": "k", "judgment_id": v, "label": f"candidate_{v}"} for v in ("1", "2")]

    assert rows_of(conflicting_versions(history(rows, retracted=["rec-001"]))) == []


def test_an_empty_ledger_has_an_empty_history(history):
    assert history([]).to_pyarrow().num_rows == 0


VERSIONS = [
    {"record_id": f"a{n}", "judgment_key": f"k{n % 2}", "judgment_id": f"v{n}", "at": (None, 3, 3, 7, 1, 7)[n]}
    | {"rater": f"p-{n % 2}", "source_row": n, "export_path": f"{n % 3}.csv", "label": f"candidate_{n % 2 + 1}"}
    for n in range(6)
]


@settings(max_examples=6, deadline=None)
@given(order=st.permutations(range(6)))
def test_any_order_of_deliveries_gives_the_same_history(history, rows_of, order):
    arrived = [VERSIONS[n] | {"ledger_seq": seq} for seq, n in enumerate(order)]
    derived = rows_of(history(arrived), "record_id", "history_status", "supersedes", "rater")

    # By hand: within k0 the times are none, 3, 1; within k1 3, 7 in 0.csv, 7 in 2.csv.
    assert derived == [
        ("a0", "superseded", None, "r001"),
        ("a1", "superseded", None, "r002"),
        ("a2", "current", "a4", "r001"),
        ("a3", "superseded", "a1", "r002"),
        ("a4", "superseded", "a0", "r001"),
        ("a5", "current", "a3", "r002"),
    ]
