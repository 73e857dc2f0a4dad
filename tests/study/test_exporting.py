"""Cells of an exported CSV: what a spreadsheet would run, nested values, times."""

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.csv as csv
import pytest

from juryline.study.exporting import csv_bytes


def exported(column: pa.Array) -> list[str]:
    """Cells of one column after a round trip through CSV, as text."""
    as_text = csv.ConvertOptions(column_types={"c": pa.string()}, strings_can_be_null=False)
    parsing = csv.ParseOptions(newlines_in_values=True)
    return csv.read_csv(
        pa.BufferReader(csv_bytes(pa.table({"c": column}))), convert_options=as_text, parse_options=parsing
    )["c"].to_pylist()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\t=1", "  =1+1", "\n=1"])
def test_a_text_that_a_spreadsheet_would_run_stays_text(text: str) -> None:
    assert exported(pa.array([text])) == ["'" + text]


def test_numbers_keep_their_sign() -> None:
    assert exported(pa.array([-1.5, 2.0])) == ["-1.5", "2"]


def test_lists_and_maps_are_json() -> None:
    assert exported(pa.array([["a", "b"]])) == ['["a", "b"]']
    assert exported(pa.array([[("lang", "en")]], pa.map_(pa.string(), pa.string()))) == ['{"lang": "en"}']


def test_times_are_utc_and_say_so() -> None:
    instant = datetime(2026, 3, 1, 12, 30, 15, 250000, tzinfo=UTC)

    assert exported(pa.array([instant], pa.timestamp("us", tz="UTC"))) == ["2026-03-01T12:30:15.250000Z"]
