"""Every judgment is in the ledger once, whatever is delivered again and in whatever order."""

import hashlib
import hmac
import json
from pathlib import Path
from shutil import copytree

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from data_contracts.errors import ContractError, KeyMismatchError, UsageError, VerificationError
from juryline.ledger.chain import log_path
from juryline.ledger.judgments import JudgmentLedger, transaction_id
from juryline.ledger.workspace import Workspace


@pytest.fixture
def ledger(study_dir, workspace) -> JudgmentLedger:
    return JudgmentLedger(study_dir, workspace)


def _counts(result) -> tuple[int, int, int]:
    return result.n_new, result.n_new_versions, result.n_redelivered


def _ids(ledger: JudgmentLedger) -> list[str]:
    return [id for file in ledger.files() for id in pq.ParquetFile(file).read()["record_id"].to_pylist()]


def test_a_ledger_not_yet_written_is_an_empty_one(ledger, study_dir):
    assert (ledger.version, ledger.seq, ledger.files(), ledger.commits(), ledger.n_rows) == (0, 0, [], [], 0)
    assert not (study_dir / "ledger").exists()


def test_the_first_delivery_is_new_and_the_second_redelivered(ledger, judgments):
    first = ledger.append_judgments(judgments(range(10)), "t1", "d")
    second = ledger.append_judgments(judgments(range(5, 12)), "t2", "d")
    third = ledger.append_judgments(judgments(range(12)), "t3", "d")

    assert [_counts(result) for result in (first, second, third)] == [(10, 0, 0), (2, 0, 5), (0, 0, 12)]
    assert third.commit is None
    assert sorted(_ids(ledger)) == sorted(judgments(range(12))["record_id"].to_pylist())


def test_another_answer_to_the_same_question_is_a_new_version(ledger, judgments):
    ledger.append_judgments(judgments(range(10)), "t1", "d")
    again = pa.concat_tables([judgments(range(3), answer="tie"), judgments(range(3, 11))])

    assert _counts(ledger.append_judgments(again, "t2", "d")) == (1, 3, 7)


def test_of_two_versions_in_one_export_one_is_new(ledger, judgments):
    both = pa.concat_tables([judgments(range(4)), judgments(range(2), answer="tie")])

    assert _counts(ledger.append_judgments(both, "t1", "d")) == (4, 2, 0)


def test_a_transaction_is_committed_once_and_answers_as_it_did_then(ledger, judgments, study_dir, workspace):
    first = ledger.append_judgments(judgments(range(10)), "t1", "d", {"path": "votes.csv"})
    again = JudgmentLedger(study_dir, workspace).append_judgments(
        judgments(range(10)), "t1", "d", {"path": "votes.csv"}
    )

    assert again == first
    assert len(ledger.commits()) == 1


def test_details_carry_what_the_ingest_event_says(ledger, judgments):
    result = ledger.append_judgments(judgments(range(3)), "t1", "digest", {"path": "votes.csv", "found": {"bom": True}})

    said = {"path": "votes.csv", "found": {"bom": True}, "intake_digest": "digest"}
    assert result.details == said | {"n_new": 3, "n_new_versions": 0, "n_redelivered": 0}
    assert ledger.commits()[0].details == result.details


def test_rows_carry_their_commit_and_are_ordered_by_record(ledger, judgments):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    ledger.append_judgments(judgments(range(5, 9)), "t2", "d")
    rows = [pq.ParquetFile(file).read() for file in ledger.files()]

    assert [set(table["ledger_seq"].to_pylist()) for table in rows] == [{1}, {2}]
    assert all(ids == sorted(ids) for ids in (table["record_id"].to_pylist() for table in rows))


def test_order_and_chunks_of_the_rows_given_change_no_byte(ledger, judgments, study_dir, workspace):
    rows = judgments(range(200))
    shuffled = rows.take(np.random.default_rng(1).permutation(200))
    chunked = pa.concat_tables([shuffled.slice(start, 17) for start in range(0, 200, 17)])
    seen = set()
    for number, given in enumerate((rows, shuffled, chunked)):
        ledger = JudgmentLedger(study_dir, workspace)
        ledger.append_judgments(given, "t1", "d")
        seen.add((ledger.head, Path(ledger.files()[0]).name, Path(ledger.files()[0]).read_bytes()))
        (study_dir / "ledger").rename(workspace.tmp / f"aside-{number}")

    assert len(seen) == 1


def test_hash_of_a_row_is_salted_by_its_rater(ledger, judgments):
    ledger.append_judgments(judgments(range(8)), "t1", "d")
    with_hash = duckdb.sql(f"SELECT * FROM read_parquet('{ledger.files()[0]}')").to_arrow_table()
    salt_of = _salts_by_hand(ledger)

    for row in with_hash.to_pylist():
        text = salt_of(row["rater_pseudonym"]) + _canonical_by_hand(row)
        assert row["row_sha256"] == _sha256(text)


def _salts_by_hand(ledger):
    secret = bytes.fromhex(json.loads(ledger.salts.path.read_text())["secret"])
    return lambda rater: hmac.new(secret, rater.encode(), hashlib.sha256).hexdigest()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical_by_hand(row: dict) -> str:
    return "".join(_value(value) for name, value in row.items() if name not in ("ledger_seq", "row_sha256"))


def _value(value) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return "[" + "".join(map(_value, value)) + "]"
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float):
        text = f"{value:.17g}"
    elif hasattr(value, "timestamp"):
        text = str(round(value.timestamp() * 1_000_000))
    else:
        text = str(value)
    return f"{len(text.encode())}:{text}"


def test_heads_follow_from_the_published_recipe(ledger, judgments):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    ledger.append_judgments(judgments(range(5, 9)), "t2", "d")
    prev = _head({"files": [], "n_rows": 0, "prev": "", "rows_sha256": _sha256(""), "seq": 0,
                  "transaction": "juryline judgments 1"})  # fmt: skip
    for seq, file in enumerate(ledger.files(), start=1):
        rows = pq.ParquetFile(file).read()
        prev = _head({"files": [_file_sha256(file)], "n_rows": rows.num_rows, "prev": prev,
                      "rows_sha256": _sha256("".join(rows["row_sha256"].to_pylist())), "seq": seq,
                      "transaction": f"t{seq}"})  # fmt: skip

    assert ledger.head == prev


def _head(record: dict) -> str:
    return _sha256(json.dumps(record, sort_keys=True, separators=(",", ":")))


def _file_sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_the_delta_table_is_append_only_and_keeps_its_log_for_ever(ledger, judgments):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    table = DeltaTable(str(ledger.table.path))
    properties = table.metadata().configuration

    assert properties["delta.appendOnly"] == "true"
    assert properties["delta.enableExpiredLogCleanup"] == "false"
    assert properties["delta.logRetentionDuration"] == "interval 36500 days"
    with pytest.raises(Exception, match=r"(?i)append"):
        table.delete()


def test_any_delta_reader_sees_the_rows(ledger, judgments):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    ledger.append_judgments(judgments(range(5, 9)), "t2", "d")
    table = DeltaTable(str(ledger.table.path))

    assert table.version() == ledger.version == 2
    assert [path.replace("%20", " ") for path in sorted(table.file_uris())] == sorted(ledger.files())


def test_neither_clock_nor_path_enters_the_head(ledger, judgments, tmp_path):
    ledger.salts.ensure()
    copytree(tmp_path / "a workspace", tmp_path / "elsewhere")
    moved = Workspace(tmp_path / "elsewhere")
    other = JudgmentLedger(moved.study_dir("story-quality"), moved)
    for each in (ledger, other):
        each.append_judgments(judgments(range(5)), "t1", "d")

    assert ledger.head == other.head


def test_another_key_is_refused_before_anything_is_written(ledger, judgments, study_dir, workspace, monkeypatch):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    monkeypatch.setenv("JURYLINE_KEY", "ab" * 32)

    with pytest.raises(KeyMismatchError, match="another key"):
        JudgmentLedger(study_dir, workspace).append_judgments(judgments(range(9)), "t2", "d")

    assert not log_path(ledger.table.path, 2).exists()


def test_lost_salts_are_not_made_again(ledger, judgments, study_dir, workspace):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    ledger.salts.path.unlink()

    with pytest.raises(VerificationError, match="salts"):
        JudgmentLedger(study_dir, workspace).append_judgments(judgments(range(9)), "t2", "d")

    assert not ledger.salts.path.exists()


def test_other_salts_are_refused(ledger, judgments, study_dir, workspace):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    ledger.salts.path.unlink()
    ledger.salts.path.write_text(json.dumps({"juryline": 1, "salts": {}, "secret": "0" * 64}))

    with pytest.raises(KeyMismatchError, match="salts"):
        JudgmentLedger(study_dir, workspace).append_judgments(judgments(range(9)), "t2", "d")


def test_a_newer_format_is_refused(ledger, judgments, study_dir, workspace):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    first = log_path(ledger.table.path, 0)
    first.write_text(first.read_text().replace('"juryline.format":"1"', '"juryline.format":"2"'))

    with pytest.raises(UsageError, match="newer one"):
        _ = JudgmentLedger(study_dir, workspace).head


def test_a_broken_commit_is_named(ledger, judgments, study_dir, workspace):
    ledger.append_judgments(judgments(range(5)), "t1", "d")
    log_path(ledger.table.path, 1).write_text("{")

    with pytest.raises(VerificationError, match="commit 1 of judgments cannot be read"):
        _ = JudgmentLedger(study_dir, workspace).head


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (lambda rows: pa.concat_tables([rows, rows]), "5 rows repeat the key"),
        (lambda rows: rows.drop_columns(["state"]), "state"),
        (lambda rows: rows.append_column("email", pa.array(["x"] * 5)), "email"),
        (lambda rows: rows.set_column(0, "record_id", pa.array([None] * 5, pa.string())), "without a value"),
    ],
    ids=["twice", "missing column", "unknown column", "null"],
)
def test_rows_that_break_the_contract_are_refused_whole(ledger, judgments, broken, words):
    with pytest.raises(ContractError, match=words):
        ledger.append_judgments(broken(judgments(range(5))), "t1", "d")

    assert ledger.n_rows == 0


def test_a_transaction_names_bytes_path_and_mapping():
    names = {transaction_id(*parts) for parts in (("a", "b", "c"), ("ab", "", "c"), ("a", "b", "d"), ("b", "a", "c"))}

    assert len(names) == 4
