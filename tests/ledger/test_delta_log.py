"""An append is one compare and swap: who comes second starts again on what the first left."""

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from data_contracts.errors import ConflictError
from data_contracts.tables import TEXT, Table, must
from juryline.ledger import delta_log
from juryline.ledger.chain import checkpoint_path
from juryline.ledger.delta_log import CHECKPOINT_EVERY, ChainedTable, Draft
from juryline.ledger.log_digests import digests_path, listed_digests
from juryline.ledger.row_files import CHAINED

NOTES = Table("notes", "What tests write", (must("id", TEXT, "name"), *CHAINED), ("id",))


@pytest.fixture
def notes(study_dir, workspace):
    """Opens the table of notes anew, as another process would."""
    return lambda: ChainedTable(study_dir / "ledger" / "notes", NOTES, workspace)


@pytest.fixture
def no_waiting(monkeypatch):
    monkeypatch.setattr(delta_log, "_BACKOFF", 0)


def _draft(*ids: str) -> Draft:
    return Draft(rows=pa.table({"id": list(ids)}))


def _ids(table: ChainedTable) -> list[str]:
    return table.read()["id"].to_pylist()


@pytest.mark.parametrize("before", [0, 1], ids=["as it is made", "later"])
def test_who_comes_second_builds_again_on_what_the_first_left(notes, no_waiting, before):
    table, other = notes(), notes()
    if before:
        table.append("before", lambda _: _draft("before"))
    seen = []

    def build(snapshot):
        seen.append(snapshot.seq)
        if len(seen) == 1:
            other.append("first", lambda _: _draft("a"))
        return _draft("b")

    commit = table.append("second", build)

    assert seen == [before, before + 1]
    assert commit.prev == other.commits()[before].head
    assert _ids(notes())[before:] == ["a", "b"]


def test_a_transaction_that_another_writer_commits_meanwhile_is_not_doubled(notes, no_waiting):
    table, other = notes(), notes()

    def build(_):
        other.append("same", lambda _: _draft("a"))
        return _draft("a")

    assert table.append("same", build) == other.commits()[0]
    assert _ids(notes()) == ["a"]


def test_a_writer_that_never_comes_first_gives_up_and_writes_nothing(notes, no_waiting, monkeypatch):
    monkeypatch.setattr(delta_log, "_ATTEMPTS", 3)
    table, other, taken = notes(), notes(), iter("abcdef")

    def build(_):
        id = next(taken)
        other.append(id, lambda _: _draft(id))
        return _draft("mine")

    with pytest.raises(ConflictError, match="3 times another writer") as refused:
        table.append("mine", build)

    assert refused.value.exit_status == 3
    assert _ids(notes()) == ["a", "b", "c"]


def test_no_rows_are_no_commit(notes):
    table = notes()

    assert table.append("nothing", lambda _: None) is None
    assert table.append("nothing", lambda _: Draft(rows=pa.table({"id": pa.array([], TEXT)}))) is None
    assert not table.path.exists()


def test_what_was_listed_late_is_listed_by_the_next_writer(notes):
    notes().append("first", lambda _: _draft("a"))
    whole = digests_path(notes().path).read_text()
    digests_path(notes().path).write_text(whole.splitlines(keepends=True)[0])
    notes().append("first", lambda _: _draft("a"))

    assert digests_path(notes().path).read_text() == whole


def test_a_listed_digest_is_never_made_anew(notes):
    notes().append("first", lambda _: _draft("a"))
    listing = digests_path(notes().path)
    listing.write_text(listing.read_text().replace(listed_digests(notes().path)[1][1], "0" * 64))
    notes().append("second", lambda _: _draft("b"))

    assert listed_digests(notes().path)[1][1] == "0" * 64


def test_checkpoints_are_listed_and_any_reader_agrees_with_them(notes):
    table = notes()
    for n in range(CHECKPOINT_EVERY + 2):
        table.append(str(n), lambda _, n=n: _draft(str(n)))

    listed = [name.split("/")[-1] for name, _ in listed_digests(table.path)]
    assert checkpoint_path(table.path, CHECKPOINT_EVERY).name in listed
    assert not (table.path / "_delta_log" / "_last_checkpoint").exists()
    assert len(DeltaTable(str(table.path)).file_uris()) == len(notes().files()) == CHECKPOINT_EVERY + 2
