"""Times as exports write them, to instants in UTC, or the reason why one is none.

The engine silently drops an offset when it casts text, and silently resolves a local time that
exists twice or never. So text is taken apart here, and local times are placed by a table of the
periods of their zone.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import pyarrow as pa

ISO = "iso"
EPOCHS = {"epoch_s": 1_000_000, "epoch_ms": 1_000}

_ISO = (
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)"
    r" ?(Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?$"
)
_FIRST_YEAR, _LAST_YEAR = 1970, 2100

PERIODS = pa.schema([("local_from", pa.timestamp("us")), ("offset_s", pa.int64()), ("kind", pa.string())])


@lru_cache
def zone_periods(zone: str) -> pa.Table:
    """Local time of a zone cut where its clocks change.

    Returns
    -------
    pa.Table
        `local_from`, the offset from UTC in seconds from then on, and kind: `once`, `twice` (clocks
        went back) or `never` (clocks went forward).
    """
    info = ZoneInfo(zone)

    def offset(at: datetime) -> int:
        local = at.astimezone(info).utcoffset()
        assert local is not None
        return int(local.total_seconds())

    day = datetime(_FIRST_YEAR, 1, 1, tzinfo=UTC)
    rows = [(datetime.min, offset(day), "once")]  # noqa: DTZ901 (local time has no zone)
    while day.year < _LAST_YEAR:
        following = day + timedelta(days=1)
        before, after = offset(day), offset(following)
        if before != after:
            early, late = int(day.timestamp()), int(following.timestamp())
            while late - early > 1:
                middle = (early + late) // 2
                early, late = (
                    (middle, late) if offset(datetime.fromtimestamp(middle, UTC)) == before else (early, middle)
                )
            change = datetime.fromtimestamp(late, UTC).replace(tzinfo=None)
            first, last = sorted((change + timedelta(seconds=before), change + timedelta(seconds=after)))
            rows.append((first, after, "twice" if after < before else "never"))
            rows.append((last, after, "once"))
        day = following
    return pa.Table.from_pydict(dict(zip(PERIODS.names, zip(*rows))), schema=PERIODS)


def parsed_time(column: str, time_format: str) -> dict[str, str]:
    """SQL expressions of one exported time: its local wall time, and its offset in seconds if it has one.

    Parameters
    ----------
    column : str
        SQL name of the text.
    time_format : str
        `iso`, `epoch_s`, `epoch_ms` or a strptime pattern; `%z` in a pattern reads an offset.
    """
    if time_format in EPOCHS:
        plain = f"regexp_full_match({column}, '-?[0-9]+([.][0-9]+)?')"
        micros = f"(TRY_CAST({column} AS DECIMAL(28, 6)) * {EPOCHS[time_format]})::BIGINT"
        return {"local": f"CASE WHEN {plain} THEN make_timestamp({micros}) END", "offset": "0"}
    if time_format == ISO:
        day, clock, zone = (f"regexp_extract({column}, '{_ISO}', {part})" for part in (1, 2, 3))
        clock = f"left({clock}, 15)"  # instants are kept to the microsecond
        minutes = f"(CASE WHEN length({zone}) > 3 THEN right({zone}, 2)::INT ELSE 0 END)"
        seconds = f"(left({zone}, 1) || '1')::INT * (substr({zone}, 2, 2)::INT * 3600 + {minutes} * 60)"
        return {
            "local": f"TRY_CAST({day} || ' ' || {clock} AS TIMESTAMP)",
            "offset": f"CASE WHEN {zone} = '' THEN NULL WHEN {zone} IN ('Z', 'UTC', 'GMT') THEN 0 ELSE {seconds} END",
        }
    pattern = "'" + time_format.replace("'", "''") + "'"
    local = f"TRY_CAST(try_strptime({column}, {pattern}) AS TIMESTAMP)"
    return {"local": local, "offset": "0" if "%z" in time_format else "NULL::INT"}


def instant(name: str) -> dict[str, str]:
    """SQL of the instant and of its problem, from columns `{name}_local`, `_offset`, `_text` and the period's."""
    local, offset, text = f"{name}_local", f"{name}_offset", f"{name}_text"
    placed = f"coalesce({offset}, CASE WHEN {name}_period.kind = 'once' THEN {name}_period.offset_s END)"
    return {
        name: f"make_timestamptz(epoch_us({local}) - {placed} * 1000000)",
        f"{name}_problem": f"""CASE WHEN {text} IS NULL THEN NULL
            WHEN {local} IS NULL THEN 'unreadable'
            WHEN {offset} IS NOT NULL THEN NULL
            WHEN {name}_period.kind IS NULL THEN 'no_offset'
            WHEN {name}_period.kind <> 'once' THEN {name}_period.kind END""",
    }
