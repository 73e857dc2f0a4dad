"""Times: read by declaration, placed by the clock of their zone, never guessed."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

ONLY_SUBMITTED = {
    "rater": "who",
    "case": "item",
    "candidate_1": "left",
    "candidate_2": "right",
    "criterion": "question",
    "label": "answer",
    "submitted_at": "t1",
}


@pytest.fixture(scope="module")
def instants(judge, row):
    """The instant of each text, or the rule that it breaks, read as a zone and a format say."""

    def read(texts, **export):
        declared = {"not_collected": ["started_at"], "columns": ONLY_SUBMITTED, **export}
        rows = [row(n, started_at=None, submitted_at=given, case_id=f"case {n}") for n, given in enumerate(texts, 1)]
        result = judge(*rows, export=declared)
        read = {r["source_row"]: r["submitted_at"] for r in result.judgments.to_pylist()}
        broken = {r["source_row"]: r["rule"] for r in result.quarantine.to_pylist()}
        assert not read.keys() & broken.keys()
        return [(read | broken)[n] for n in range(1, len(texts) + 1)]

    return read


def by_the_clock(local, zone):
    """The instants at which the clocks of a zone show a local time: none, one or two (PEP 495)."""
    placed = (local.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC) for fold in (0, 1))
    return sorted({at for at in placed if at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == local})


def changes_of(zone, year):
    """When the clocks of a zone change in a year, with the offsets before and after."""
    start = datetime(year, 1, 1, tzinfo=UTC)
    hours = [start + timedelta(hours=hour) for hour in range(366 * 24)]
    offsets = [at.astimezone(ZoneInfo(zone)).utcoffset() for at in hours]
    return [(at, before, after) for at, before, after in zip(hours[1:], offsets, offsets[1:]) if before != after]


def around(changes):
    """Local times around changes: every ten minutes, and the last microsecond before each."""
    for at, *offsets in changes:
        for shown in {at.replace(tzinfo=None) + offset for offset in offsets}:
            for minutes in range(-180, 181, 10):
                yield shown + timedelta(minutes=minutes)
                yield shown + timedelta(minutes=minutes, microseconds=-1)


@pytest.mark.parametrize(
    ("zone", "year", "n_changes"),
    [
        ("Europe/Berlin", 2026, 2),
        ("America/New_York", 2026, 2),
        ("Australia/Lord_Howe", 2026, 2),  # half an hour
        ("Africa/Casablanca", 2026, 2),  # clocks go back for Ramadan
        ("America/Caracas", 2016, 1),  # half an hour, for good
        ("Pacific/Apia", 2011, 3),  # and a day that never was
        ("Asia/Tokyo", 2026, 0),
    ],
)
def test_a_local_time_is_placed_by_the_clock_or_refused(instants, zone, year, n_changes):
    changes = changes_of(zone, year)
    assert len(changes) == n_changes
    locals_ = sorted({*around(changes), *(datetime(year, month, 15, 12) for month in (1, 7))})  # noqa: DTZ001

    read = instants([local.isoformat(sep=" ") for local in locals_], timezone=zone)

    for local, got in zip(locals_, read):
        at = by_the_clock(local, zone)
        assert got == (at[0] if len(at) == 1 else "submitted_at_unambiguous"), local


@pytest.mark.parametrize(
    ("zone", "twice", "never"),
    [
        ("Europe/Berlin", "2026-10-25 02:30:00", "2026-03-29 02:30:00"),
        ("America/New_York", "2026-11-01 01:30:00", "2026-03-08 02:30:00"),
        ("Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-10-04 02:15:00"),
    ],
)
def test_a_time_that_exists_twice_or_never_needs_its_offset(instants, zone, twice, never):
    assert instants([twice, never], timezone=zone) == ["submitted_at_unambiguous"] * 2
    assert instants([twice + "+00:00", never + "Z"], timezone=zone) == [
        datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (twice, never)
    ]


TEN = datetime(2026, 3, 1, 10, tzinfo=UTC)
UNREADABLE = "submitted_at_readable"


ISO_TIMES = {
    "2026-03-01T10:00:00Z": TEN,
    "2026-03-01 10:00:00 UTC": TEN,
    "2026-03-01T10:00:00GMT": TEN,
    "2026-03-01T12:00:00+02:00": TEN,
    "2026-03-01T12:00:00+0200": TEN,
    "2026-03-01T12:00:00 +02": TEN,
    "2026-03-01T09:30:00-00:30": TEN,
    "2026-03-01T11:00:00": TEN,  # as declared: Europe/Berlin
    "2026-03-01 11:00": TEN,
    "2026-03-01T10:00:00.5Z": TEN + timedelta(milliseconds=500),
    "2026-03-01T10:00:00.123456789Z": TEN + timedelta(microseconds=123456),
    "2026-03-01T10:00:00 PDT": UNREADABLE,  # DuckDB would drop it
    "2026-03-01T10:00:00 Europe/Berlin": UNREADABLE,
    "2026-03-01T10:00:00+99:99": UNREADABLE,
    "2026-03-01T10:00:00+24:00": UNREADABLE,
    "2026-03-01": UNREADABLE,
    "10:00:00": UNREADABLE,
    "01.03.2026 10:00": UNREADABLE,
    "3/1/2026 10:00": UNREADABLE,
    "2026-02-30 10:00:00": UNREADABLE,
    "2026-03-01 25:00:00": UNREADABLE,
    " 2026-03-01 10:00:00": UNREADABLE,
    "1772362800": UNREADABLE,
    "46082.4166667": UNREADABLE,  # what a spreadsheet makes of it
    "now": UNREADABLE,
    "0001-01-01 00:00:00": UNREADABLE,  # what a tool writes for none
    "9999-12-31 00:00:00": UNREADABLE,
    "": "submitted_at_given",
    None: "submitted_at_given",
}


@pytest.fixture(scope="module")
def iso(instants):
    return dict(zip(ISO_TIMES, instants(ISO_TIMES)))


@pytest.mark.parametrize("text", ISO_TIMES)
def test_iso_times_are_read_as_written_or_refused(iso, text):
    assert iso[text] == ISO_TIMES[text]


def test_a_local_time_without_a_zone_is_refused(instants):
    assert instants(["2026-03-01 10:00:00", "2026-03-01 10:00:00Z"], timezone=None) == [UNREADABLE, TEN]


@pytest.mark.parametrize(
    ("time_format", "texts", "expected"),
    [
        (
            "epoch_s",
            ["1772359200", "1772359200.25", "1772359200123", "1.7723592E+09", "-1", "1,772,359,200", "9" * 40],
            [TEN, TEN + timedelta(milliseconds=250), *[UNREADABLE] * 5],
        ),
        (
            "epoch_ms",
            ["1772359200000", "1772359200000.5", "1772359200", "9" * 40],
            [TEN, TEN + timedelta(microseconds=500), datetime(1970, 1, 21, 12, 19, 19, 200000, tzinfo=UTC), UNREADABLE],
        ),
        ("%d.%m.%Y %H:%M", ["01.03.2026 11:00", "29.03.2026 02:30", "13/01/2026 11:00"], [
            TEN, "submitted_at_unambiguous", UNREADABLE]),
        ("%d.%m.%Y %H:%M %z", ["01.03.2026 12:00 +0200", "01.03.2026 12:00"], [TEN, UNREADABLE]),
        ("%H:%M", ["10:00"], [UNREADABLE]),
    ],
)  # fmt: skip
def test_other_formats_are_read_as_declared_or_refused(instants, time_format, texts, expected):
    assert instants(texts, time_format=time_format) == expected


def test_a_submission_at_its_start_is_fine_and_one_before_it_is_not(judge, row):
    result = judge(
        row(1, started_at="2026-03-01 10:00:00", submitted_at="2026-03-01 10:00:00"),
        row(2, started_at="2026-03-01 10:00:00", submitted_at="2026-03-01 09:59:59.999999"),
        row(3, started_at="2026-03-01T10:00:00+02:00", submitted_at="2026-03-01T09:00:00+01:00"),
    )

    assert {r["source_row"] for r in result.judgments.to_pylist()} == {1, 3}
    assert [r["rule"] for r in result.quarantine.to_pylist()] == ["submitted_after_start"]


def test_a_missing_time_is_refused_unless_it_is_declared_not_collected(judge, row):
    bare = row(started_at=None, submitted_at=None)
    uncollected = {
        "not_collected": ["started_at", "submitted_at"],
        "columns": {name: column for name, column in ONLY_SUBMITTED.items() if name != "submitted_at"},
    }

    assert {r["rule"] for r in judge(bare).quarantine.to_pylist()} == {"started_at_given", "submitted_at_given"}
    assert judge(bare, export=uncollected).judgments["submitted_at"].to_pylist() == [None]
