import duckdb
import pytest

from juryline.adapters.query_check import problem_of

COLUMNS = ("record", "user", "filename", "source_row")


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE export AS SELECT '' AS record, '' AS user, '' AS filename, 1 AS source_row")
        yield con


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM 'votes.csv'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT (SELECT content FROM read_text('/etc/hostname')) FROM export",
        "SELECT * FROM export WHERE exists (FROM 'x.parquet')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('export')",
        "SHOW TABLES",
        "SELECT * FROM (DESCRIBE export)",
        "COPY (SELECT 1) TO 'x.csv'",
        "CREATE TABLE t AS SELECT 1",
        "INSERT INTO export VALUES (1)",
        "ATTACH 'x.db'",
        "INSTALL httpfs",
        "SET threads = 8",
        "SELECT 1; SELECT 2",
        "SELECT $1",
        "SELECT",
        "",
        "not sql at all",
    ],
)
def test_what_is_not_one_select_over_export_is_refused(connection, text):
    assert problem_of(connection, text, COLUMNS)


@pytest.mark.parametrize(
    "expression",
    [
        "now()",
        "NOW()",
        "main.now()",
        "current_timestamp",
        "current_date",
        "localtime",
        "today()",
        "get_current_time()",
        "transaction_timestamp()",
        "ago(INTERVAL 1 DAY)",
        "age(TIMESTAMP '2026-01-01')",
        "random()",
        "uuid()",
        "gen_random_uuid()",
        "uuidv7()",
        "setseed(0.5)",
        "nextval('s')",
        "current_setting('memory_limit')",
        "getvariable('x')",
        "current_query()",
        "txid_current()",
        "pg_postmaster_start_time()",
        "error(record)",
        "sleep_ms(1)",
        "reservoir_quantile(source_row, 0.5)",
        "list_transform([1], lambda x: x + random())",
        "row_number() OVER (ORDER BY random())",
    ],
)
def test_what_is_not_the_same_each_time_is_refused(connection, expression):
    assert "not the same each time" in str(problem_of(connection, f"SELECT {expression} AS v FROM export", COLUMNS))


@pytest.mark.parametrize("sampled", ["export TABLESAMPLE 50%", "export USING SAMPLE 1"])
def test_a_sample_is_refused(connection, sampled):
    assert "sample" in str(problem_of(connection, f"SELECT * FROM {sampled}", COLUMNS))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT age(TIMESTAMP '2026-03-02', TIMESTAMP '2026-03-01') AS d",
        "SELECT strftime(TIMESTAMPTZ '2026-03-02 00:00+00', '%d') AS d, date_trunc('day', TIMESTAMP '2026-03-02') AS t",
        'SELECT "user" FROM export',
        "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 3) SELECT x FROM r, export",
        "SELECT e.key, e.value FROM export, json_each(record) AS e",
        "SELECT i, row_number() OVER (ORDER BY i) FROM range(3) t(i) JOIN (SELECT * FROM export) ON true",
        "SELECT * FROM (PIVOT export ON filename IN ('a', 'b') USING count(*))",
        "SELECT split_part(record, '_', 1), list_sum([1]), array_to_string(['a'], ','), nullif(record, '') FROM export",
        'SELECT unnest(from_json(record, \'[{"a": "VARCHAR"}]\')) FROM Export',
    ],
)
def test_a_select_whose_result_follows_from_the_export_is_free(connection, text):
    assert problem_of(connection, text, COLUMNS) is None


def test_a_column_called_like_the_clock_is_a_column(connection):
    assert problem_of(connection, "SELECT current_date FROM export", ["current_date"]) is None
