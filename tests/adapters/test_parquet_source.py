import io
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_contracts.errors import ExportRefusedError

COLUMNS = {"rater": "who", "case": "item", "candidate_1": "x", "candidate_2": "y", "labels": {"overall": "pick"}}


def parquet(pick: pa.Array, **others: pa.Array) -> bytes:
    n = len(pick)
    same = {"who": ["r1"] * n, "item": list(range(n)), "x": ["a"] * n, "y": ["b"] * n}
    buffer = io.BytesIO()
    pq.write_table(pa.table(same | others | {"pick": pick}), buffer)
    return buffer.getvalue()


@pytest.fixture
def read_parquet(read):
    def reading(content: bytes, **columns: str):
        export = {"format": "table", "read": {"as": "parquet"}, "columns": COLUMNS | columns}
        return read(content, export, name="votes.parquet")

    return reading


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([9_007_199_254_740_993, -1]), ["9007199254740993", "-1"]),
        (pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"]),
        (pa.array([0.1, 3.0, 1e-7, 1 / 3]), ["0.1", "3.0", "1e-07", "0.3333333333333333"]),
        (pa.array([0.1], pa.float32()), ["0.1"]),
        (pa.array([Decimal("1.50")], pa.decimal128(5, 2)), ["1.50"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array(["NA", "", None]), ["NA", "", ""]),
        (pa.array([date(2026, 3, 1)]), ["2026-03-01"]),
        (pa.array([1_772_359_200_123_456], pa.timestamp("us")), ["2026-03-01T10:00:00.123456"]),
        (pa.array([1_772_359_200_123_456_789], pa.timestamp("ns")), ["2026-03-01T10:00:00.123456789"]),
        (
            pa.array([datetime(2026, 3, 1, 10, tzinfo=UTC)], pa.timestamp("us", "America/New_York")),
            ["2026-03-01T10:00:00+00:00"],
        ),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array([["a", "b"], []]), ['["a","b"]', "[]"]),
        (pa.array([{"k": 1}]), ['{"k":1}']),
        (pa.array([b"\x00\xff"]), ["00FF"]),
    ],
)
def test_a_value_becomes_text_that_loses_nothing(read_parquet, closes, values, texts):
    reading = read_parquet(parquet(values))

    assert reading.rows["label"].to_pylist() == texts
    assert closes(reading)


def test_records_are_numbered_in_the_order_of_the_file(read_parquet):
    n = 300_000
    reading = read_parquet(parquet(pa.array(range(n))))

    assert reading.n_rows == n
    assert reading.rows["label"].to_pylist()[:: n // 3] == ["0", "100000", "200000"]
    assert reading.rows["source_row"].to_pylist()[:: n // 3] == [1, 100_001, 200_001]


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-20], lambda b: b"who,item\n", lambda b: b[:4] + b"\0" * 200 + b[204:]]
)
def test_a_file_that_is_no_parquet_is_refused(read_parquet, damage):
    with pytest.raises(ExportRefusedError) as error:
        read_parquet(damage(parquet(pa.array(["left"]))))

    assert error.value.code == "not_parquet"


def test_two_columns_of_one_name_are_refused(read_parquet):
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["pick", "pick"]), buffer)

    with pytest.raises(ExportRefusedError) as error:
        read_parquet(buffer.getvalue())

    assert error.value.code == "duplicate_header"
