"""An event is written once by kind and key, read in order, and written again when a kill kept it away."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from data_contracts.vocabulary import EventKind
from juryline.ledger.events import Event, Events

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture
def events(study_dir, workspace) -> Events:
    return Events(study_dir, workspace)


def test_an_event_is_read_as_it_was_written(events, study_dir, workspace):
    payload = {"record_ids": ["b", "a"], "reason": "«mis-keyed»", "n": 3, "none": None}
    written = events.append(EventKind.RETRACT, "turn 1", payload, NOON)

    assert written == Event(seq=1, kind=EventKind.RETRACT, key="turn 1", payload=payload, at=NOON)
    assert Events(study_dir, workspace).read() == [written]


def test_the_first_of_a_kind_and_key_stays(events):
    first = events.append(EventKind.UNBLIND, "first_use", {"by": "report"}, NOON)
    second = events.append(EventKind.UNBLIND, "first_use", {"by": "another"}, NOON + timedelta(days=1))
    events.append(EventKind.REUSE, "first_use", {}, NOON)

    assert second == first
    assert [event.kind for event in events.read()] == [EventKind.UNBLIND, EventKind.REUSE]


def test_they_are_read_in_the_order_they_were_written_whatever_their_times(events):
    for number in range(12):
        events.append(EventKind.LOOK, str(number), {}, NOON - timedelta(days=number))

    assert [event.key for event in events.read()] == [str(number) for number in range(12)]
    assert [event.seq for event in events.read()] == list(range(1, 13))


def test_times_are_kept_in_utc(events):
    written = events.append(EventKind.FREEZE, "1", {}, NOON.astimezone(timezone(timedelta(hours=-5))))

    assert (written.at, written.at.utcoffset()) == (NOON, timedelta(0))


def test_a_time_without_a_zone_is_refused(events):
    with pytest.raises(ValueError, match="zone"):
        events.append(EventKind.FREEZE, "1", {}, NOON.replace(tzinfo=None))


def test_their_times_leave_the_head_of_judgments_alone(stored, judgments):
    head = stored.ledger.head
    stored.events.append(EventKind.LOOK, "1", {}, NOON)

    assert stored.ledger.head == head


def test_an_ingest_event_that_a_kill_kept_away_says_what_it_would_have(stored, judgments):
    killed = stored.ledger.append_judgments(judgments(range(60, 70)), "t9", "d", {"path": "votes-9.csv"})
    restored = stored.events.restore_ingests(stored.ledger.commits(), NOON)

    assert [(event.key, event.payload) for event in restored] == [("t9", killed.details)]
    assert stored.events.restore_ingests(stored.ledger.commits(), NOON) == []


def test_what_is_reinstated_is_retracted_no_more(events):
    events.append(EventKind.RETRACT, "turn 1", {"record_ids": ["a", "b", "c"]}, NOON)
    events.append(EventKind.REINSTATE, "turn 2", {"record_ids": ["a", "b"]}, NOON)
    events.append(EventKind.RETRACT, "turn 3", {"record_ids": ["b"]}, NOON)

    assert events.retracted() == {"b", "c"}
