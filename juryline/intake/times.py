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
EPOCHS = {"epoch_s": (1_000_000, 12), "epoch_ms": (1_000, 15)}  # microseconds of one, and most digits

_ISO = (
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)"
    r" ?(Z|UTC|GMT|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?$"
)
# A time outside these years is another number read as a time, or a tool's word for none, as 0001-01-01 is.
_FIRST_YEAR, _LAST_YEAR = 1970, 2100

PERIODS = pa.schema([("local_from", pa.timestamp("us")), ("offset_s", pa.int64()), ("kind", pa.string())])


def zone_periods(zone: str | None) -> pa.Table:
    """Local time of a zone cut where its clocks change; empty where no zone is declared."""
    return PERIODS.empty_table() if zone is None else _periods(zone)


@lru_cache
def _periods(zone: str) -> pa.Table:
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


def taken_apart(column: str, time_format: str) -> str:
    """SQL of the parts of one exported time, a struct of texts, so that a text is matched once."""
    if time_format == ISO:
        return f"regexp_extract(nullif({column}, ''), '{_ISO}', ['day', 'clock', 'zone'])"
    return f"{{'text': nullif({column}, '')}}"


def parsed_time(parts: str, time_format: str) -> dict[str, str]:
    """SQL expressions of one exported time: its local wall time, and its offset in seconds if it has one.

    Parameters
    ----------
    parts : str
        SQL name of what `taken_apart` gives.
    time_format : str
        `iso`, `epoch_s`, `epoch_ms` or a strptime pattern; `%z` in a pattern reads an offset.
    """
    text = f"{parts}.text"
    if time_format in EPOCHS:
        per_unit, digits = EPOCHS[time_format]
        plain = f"regexp_full_match({text}, '[0-9]{{1,{digits}}}([.][0-9]+)?')"
        micros = f"(TRY_CAST({text} AS DECIMAL(28, 6)) * {per_unit})::BIGINT"
        return {"local": f"CASE WHEN {plain} THEN make_timestamp({micros}) END", "offset": "0"}
    if time_format == ISO:
        zone = f"{parts}.zone"
        minutes = f"(CASE WHEN length({zone}) > 3 THEN right({zone}, 2)::INT ELSE 0 END)"
        seconds = f"(left({zone}, 1) || '1')::INT * (substr({zone}, 2, 2)::INT * 3600 + {minutes} * 60)"
        return {
            # Instants are kept to the microsecond.
            "local": f"TRY_CAST({parts}.day || ' ' || left({parts}.clock, 15) AS TIMESTAMP)",
            "offset": f"CASE WHEN {zone} = '' THEN NULL WHEN {zone} IN ('Z', 'UTC', 'GMT') THEN 0 ELSE {seconds} END",
        }
    pattern = "'" + time_format.replace("'", "''") + "'"
    local = f"TRY_CAST(try_strptime({text}, {pattern}) AS TIMESTAMP)"
    return {"local": local, "offset": "0" if "%z" in time_format else "NULL::INT"}


def periods_of(names: tuple[str, ...], periods: pa.Table) -> str:
    """SQL that joins to each local time the period of its zone that it falls in, as `{name}_period`.

    Without a zone, and in one that never changes its clocks, no time has to be looked up.
    """
    if periods.num_rows > 1:
        return "\n".join(
            f"ASOF LEFT JOIN periods AS {name}_period ON {name}_local >= {name}_period.local_from" for name in names
        )
    kind, offset = ("NULL", "NULL") if periods.num_rows == 0 else ("'once'", str(periods["offset_s"][0]))
    only = f"(SELECT {kind} AS kind, {offset} AS offset_s)"
    return "\n".join(f"CROSS JOIN {only} AS {name}_period" for name in names)


def instant(name: str) -> dict[str, str]:
    """SQL of the instant and of its problem, from columns `{name}_local`, `_offset`, `_text` and the period's."""
    local, offset, text = f"{name}_local", f"{name}_offset", f"{name}_text"
    placed = f"coalesce({offset}, CASE WHEN {name}_period.kind = 'once' THEN {name}_period.offset_s END)"
    is_known = f"{local} >= TIMESTAMP '{_FIRST_YEAR}-01-01' AND {local} < TIMESTAMP '{_LAST_YEAR}-01-01'"
    return {
        name: f"make_timestamptz(epoch_us({local}) - {placed}::BIGINT * 1000000)",
        f"{name}_problem": f"""CASE WHEN {text} IS NULL THEN NULL
            WHEN ({is_known}) IS NOT TRUE THEN 'unreadable'
            WHEN {offset} IS NOT NULL THEN NULL
            WHEN {name}_period.kind IS NULL THEN 'no_offset'
            WHEN {name}_period.kind <> 'once' THEN {name}_period.kind END""",
    }
