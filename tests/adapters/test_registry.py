import gzip
import io
import json
import subprocess
import sys
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_contracts.specification_exports import FORMATS
from juryline.adapters.reading import IGNORED, ExportReading, Refusal, account_for, refused_table
from juryline.adapters.registry import ADAPTERS, formats, recognise

TASKS = json.dumps([{"id": 1, "data": {}, "annotations": []}])
MINIMAL = json.dumps([{"id": 1, "annotator": 1, "annotation_id": 2}])
TOLOKA = "INPUT:a\tOUTPUT:b\tASSIGNMENT:worker_id\n1\t2\t3\n"


def slam() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("r/1.json", json.dumps({"worker_id": "w", "question_set_id": "s", "evals": []}))
    return buffer.getvalue()


def parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": [1]}), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (TASKS.encode(), "label_studio"),
        (MINIMAL.encode(), "label_studio"),
        (gzip.compress(TASKS.encode(), mtime=0), "label_studio"),
        (b"\xef\xbb\xbf" + TOLOKA.encode(), "toloka"),
        (slam(), "slam"),
        (parquet(), "parquet"),
        (b'[{"a": 1}]', "json"),
        (b'{"a": 1}', "json"),
        (b'{"a": 1}\n{"a": 2}\n', "jsonl"),
        (b"a,b\n1,2\n", "csv"),
        (b"a;b\r\n1;2\r\n", "csv"),
        (b"a\tb\n1\t2\n", "tsv"),
        (b"just words\n", None),
        (b"", None),
        (b"\x1f\x8bnot gzip", None),
        (b"PK\x03\x04not a zip", None),
        (b"\0\1\2,\3", None),
    ],
)
def test_a_format_is_recognised_by_content_whatever_the_name(tmp_path, content, format):
    path = tmp_path / "export.dat"
    path.write_bytes(content)

    assert recognise(path) == format


def test_every_format_of_the_specification_is_read_and_described():
    assert set(ADAPTERS) == set(FORMATS)
    assert [name for name, _, _ in formats()] == list(ADAPTERS)
    assert all(reads and recognised for _, reads, recognised in formats())


@pytest.mark.parametrize(
    ("rows", "ignored", "refused"), [([1, 2], [], []), ([1, 2], [2], [3]), ([1, 2, 4], [], [3]), ([1], [2], [3, 4])]
)
def test_a_reading_that_does_not_account_for_every_record_is_not_handed_on(rows, ignored, refused):
    reading = ExportReading(
        rows=pa.table({"source_row": pa.array(rows, pa.int64())}),
        n_rows=3,
        ignored=pa.table({"source_row": ignored, "reason": ["r"] * len(ignored)}, schema=IGNORED),
        refused=refused_table(Refusal(source_row=row, rule="r", fix="f") for row in refused),
        found={},
        adapter="test/1",
    )

    with pytest.raises(RuntimeError, match="3 records"):
        account_for(reading)


def test_the_adapters_load_no_heavy_package():
    heavy = "pandas, pandera, scipy, numba, great_expectations, dagster, ibis"
    code = f"import sys, juryline.adapters.registry; print([m for m in '{heavy}'.split(', ') if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)

    assert done.stdout.strip() == "[]"
