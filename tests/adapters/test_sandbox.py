import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from data_contracts.errors import RuleEvaluationError
from juryline.adapters import query_child, query_server, sandbox
from juryline.adapters.sandbox import Limits, QueryFailedError, matching_rows, run_query

EXPORT = pa.table(
    {
        "record": ['{"a": 1, "name": "Secret Name"}', '{"a": "Secret Name"}'],
        "user": ["u1", "u2"],
        "filename": ["f", "f"],
        "source_row": [1, 2],
    }
)
needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc to look a process up in")
FEW_SECONDS = Limits(seconds=10)


@pytest.fixture
def query(tmp_path):
    def run(text: str, limits: Limits = FEW_SECONDS) -> pa.Table:
        return run_query(text, EXPORT, scratch=tmp_path, limits=limits)

    return run


def refusal(query, text: str, limits: Limits = FEW_SECONDS) -> str:
    with pytest.raises(QueryFailedError) as error:
        query(text, limits)
    return error.value.what


@pytest.mark.parametrize(
    "text",
    [
        "SELECT source_row, record->>'a' AS a FROM export",
        "select source_row, record->>'a' as a from export; -- and a comment",
        "WITH r AS (SELECT * FROM export) SELECT source_row, record->>'a' AS a FROM r",
        "FROM export SELECT source_row, record->>'a' AS a",
        "(SELECT source_row, record->>'a' AS a FROM export)",
        "WITH r AS (SELECT source_row, unnest(json_keys(record)) AS k, record FROM export)"
        " SELECT source_row, record->>k AS a FROM r WHERE k = 'a'",
    ],
)
def test_one_select_over_export_runs(query, text):
    assert query(text).to_pydict() == {"source_row": ["1", "2"], "a": ["1", "Secret Name"]}


def test_a_result_is_text_that_loses_nothing(query):
    values = {
        "1": "1",
        "123456789012345678901234567890::HUGEINT": "123456789012345678901234567890",
        "0.1::DOUBLE + 0.2::DOUBLE": "0.30000000000000004",
        "3.0::DOUBLE": "3.0",
        "1.50::DECIMAL(5, 2)": "1.50",
        "TIMESTAMP '2026-03-01 10:00:00.5'": "2026-03-01T10:00:00.5",
        "TIMESTAMPTZ '2026-03-01 10:00:00+02'": "2026-03-01T08:00:00+00:00",
        "TIMESTAMPTZ_NS '2026-03-01 10:00:00.123456789+02'": "2026-03-01T08:00:00.123456789+00:00",
        "DATE '2026-03-01'": "2026-03-01",
        "[1, 2]": "[1,2]",
        "{'a': 'x'}": '{"a":"x"}',
        "true": "true",
        "NULL": None,
    }
    named = ", ".join(f"{expression} AS v{i}" for i, expression in enumerate(values))

    result = query(f"SELECT {named} FROM export LIMIT 1")

    assert [column.to_pylist() for column in result.columns] == [[text] for text in values.values()]


def test_a_query_that_is_not_one_select_over_export_does_not_run(query):
    assert "read_text()" in refusal(query, "SELECT * FROM read_text('/etc/passwd')")
    assert "not the same each time" in refusal(query, "SELECT now() AS t FROM export")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '{place}/secret.parquet'",
        "SELECT * FROM glob('{place}/*')",
        "COPY (SELECT 1) TO '{place}/out.csv'",
        "ATTACH '{place}/new.db'",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET memory_limit = '100GB'",
    ],
)
def test_the_engine_reads_and_writes_no_file_even_if_the_check_let_it(tmp_path, text):
    con = duckdb.connect()
    for name in ("export", "secret"):
        con.execute(f"COPY (SELECT 1 AS x) TO '{tmp_path}/{name}.parquet'")
    request = {"memory": 100_000_000, "spill": f"{tmp_path}/spill", "spill_bytes": 1_000_000}
    request |= {"export": f"{tmp_path}/export.parquet", "result": f"{tmp_path}/result.parquet"}
    child = query_child._connection(request)
    before = sorted(tmp_path.iterdir())

    assert child.execute("SELECT * FROM export").fetchall() == [(1,)]
    with pytest.raises(duckdb.Error, match=r"disabled|locked"):
        child.execute(text.replace("{place}", str(tmp_path))).fetchall()
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "text",
    [
        "SELECT record->>'a' AS a, CAST(record->>'a' AS INTEGER) AS n FROM export",
        "SELECT json(record || '\"Secret Name\"') FROM export",
        "SELECT strptime(record->>'a', '%Y') FROM export",
        "SELECT (record->>'a')::DATE FROM export",
        "SELECT list_transform([record], lambda x: x::INTEGER) FROM export",
        "SELECT map_from_entries([{'k': record->>'a', 'v': 1}, {'k': record->>'a', 'v': 2}]) FROM export",
    ],
)
def test_a_failure_shows_no_cell(query, text):
    assert "Secret" not in refusal(query, text).replace(text, "")


def test_a_failure_of_the_query_itself_says_where(query):
    what = refusal(query, "SELECT source_row,\n       recrod\nFROM export")

    assert '"recrod" not found' in what
    assert "LINE 2" in what


def test_a_query_that_never_ends_is_stopped(query):
    before = time.monotonic()

    what = refusal(query, "SELECT count(*) FROM range(1000000000000000000)", Limits(seconds=1))

    assert "1 s" in what
    assert time.monotonic() - before < 30


@pytest.mark.parametrize(
    "text",
    [
        "SELECT length(repeat('x', 4000000000)) FROM export",
        "SELECT string_agg(repeat(i::VARCHAR, 1000), '') FROM range(20000000) t(i)",
        "SELECT list(i) FROM range(3000000000) t(i)",
    ],
)
def test_a_query_without_bounds_ends_at_the_memory_limit(query, text):
    limits = Limits(seconds=60, memory=200 << 20, address_space=1 << 30)

    assert "memory" in refusal(query, text, limits) or "ended its process" in refusal(query, text, limits)


def test_more_rows_than_can_be_taken_are_refused(query, monkeypatch):
    monkeypatch.setattr(sandbox, "MOST_ROWS", 10)

    assert "11 rows" in refusal(query, "SELECT i FROM range(11) t(i)")


def test_nothing_is_left_behind_whatever_happens(query, tmp_path):
    query("SELECT 1 AS one")
    refusal(query, "SELECT count(*) FROM range(1000000000000000000)", Limits(seconds=1))

    assert list(tmp_path.iterdir()) == []


@needs_proc
def test_the_child_is_given_no_secret_and_no_folder(query, monkeypatch, tmp_path):
    monkeypatch.setenv("JURYLINE_KEY", "k3y")
    monkeypatch.chdir(tmp_path)
    query_server._end()
    query("SELECT 1 AS one")

    process = query_server._running()
    environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"k3y" not in environment
    assert Path(f"/proc/{process.pid}/cwd").readlink() == Path("/")


def test_one_child_serves_many_queries_and_is_replaced_when_it_is_stopped(query):
    query("SELECT 1 AS one")
    first = query_server._running()

    query("SELECT 1 AS one")
    assert query_server._running() is first
    refusal(query, "SELECT count(*) FROM range(1000000000000000000)", Limits(seconds=1))
    assert first.poll() is not None
    assert query("SELECT 2 AS two")["two"].to_pylist() == ["2"]
    assert query_server._running() is not first


def test_a_query_leaves_nothing_for_the_next(query):
    refusal(query, "SELECT length(repeat('x', 4000000000)) FROM export")
    query("SELECT 1 AS left_behind")

    assert "left_behind" in refusal(query, "SELECT left_behind FROM export")
    assert "result" in refusal(query, "SELECT * FROM result")


@needs_proc
def test_the_child_ends_with_its_parent():
    code = "from juryline.adapters import query_server as s; s._running(); print(s._running().pid, flush=True); input()"
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    with parent:
        child = int(parent.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        parent.kill()

    deadline = time.monotonic() + 20
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_condition_gives_the_keys_it_holds_for_in_order(tmp_path):
    table = pa.table({"id": ["c", "a", "b", "d"], "n": [3, None, 2, 0], "tags": [["x"], [], ["x"], None]})

    assert matching_rows(table, "n >= 2 -- null does not hold", "id", scratch=tmp_path) == ["c", "b"]
    assert matching_rows(table, "list_contains(tags, 'x') AND n < 3", "id", scratch=tmp_path) == ["b"]


def test_a_condition_compares_instants_in_utc(tmp_path):
    instants = pa.array([1_772_323_200_000_000 - 1, 1_772_323_200_000_000], pa.timestamp("us", "UTC"))  # 2026-03-01
    table = pa.table({"id": ["before", "after"], "submitted_at": instants})

    assert matching_rows(table, "submitted_at >= '2026-03-01'", "id", scratch=tmp_path) == ["after"]


@pytest.mark.parametrize("where", ["n >", "unknown = 1", "random() < 0.5", "n = (SELECT 1 FROM 'x.csv')", ""])
def test_a_condition_that_cannot_be_evaluated_is_an_error_of_its_own_kind(tmp_path, where):
    with pytest.raises(RuleEvaluationError):
        matching_rows(pa.table({"id": ["a"], "n": [1]}), where, "id", scratch=tmp_path)
