"""Any stored byte that changes is found and named; a head kept outside proves the ledger."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from data_contracts.errors import KeyMismatchError
from juryline.ledger.chain import checkpoint_path, log_path
from juryline.ledger.log_digests import digests_path, list_digests, listed_digests
from juryline.ledger.stamps import write_stamped
from juryline.ledger.verify import Verification, verify


def _verify(stored, head=None) -> Verification:
    return verify(stored.directory, stored.workspace, head)


def _stored_files(directory: Path) -> list[Path]:
    named = ("votes.sql", "assigned.csv", "exports/outputs.jsonl")
    kept = [directory / name for name in ("study.lock.json", "study.yaml", *named)]
    for folder in ("raw", "ledger", "tables"):
        kept += [path for path in (directory / folder).rglob("*") if path.is_file()]
    return sorted(kept)


def _change(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)


def test_untouched_study_is_consistent(stored):
    found = _verify(stored)

    assert found == Verification(
        consistent=True, proven=None, findings=(), notes=(), n_rows=50, head=stored.ledger.head
    )


def test_study_without_a_ledger_is_consistent(workspace, study_dir):
    found = verify(study_dir, workspace)

    assert (found.consistent, found.n_rows) == (True, 0)


@pytest.mark.parametrize("share", [0, 0.37, 0.81, 1])
def test_a_changed_byte_in_any_stored_file_is_found_and_named(stored, share):
    files = _stored_files(stored.directory)
    missed = []
    for path in files:
        whole = path.read_bytes()
        _change(path, round(share * (len(whole) - 1)))
        if not any(path.name in finding for finding in _verify(stored).findings):
            missed.append(str(path.relative_to(stored.directory)))
        path.write_bytes(whole)

    assert len(files) > 20
    assert missed == []
    assert _verify(stored).consistent


def test_a_missing_file_is_found_and_named(stored):
    missed = []
    for path in _stored_files(stored.directory):
        aside = path.rename(stored.workspace.tmp / "aside")
        named = [finding for finding in _verify(stored).findings if path.name in finding]
        # Without its list of digests a log still holds together, and without its stamp a table is none.
        if not named and path.suffix != ".sha256" and path.parent.name != "tables":
            missed.append(str(path.relative_to(stored.directory)))
        aside.rename(path)

    assert missed == []


def test_removing_the_last_commit_is_found(stored):
    last = stored.ledger.commits()[-1]
    log_path(stored.ledger.table.path, last.seq).unlink()
    (stored.ledger.table.path / last.files[0].name).unlink()

    findings = _verify(stored).findings

    assert (
        f"ledger/judgments/_delta_log/{last.seq:020}.json: the file is missing, and judgments.sha256 lists it"
        in findings
    )
    assert any("votes-2.csv" in finding for finding in findings)


def test_two_data_files_swapped_are_found(stored):
    first, second = (stored.ledger.table.path / commit.files[0].name for commit in stored.ledger.commits())
    aside = first.rename(first.with_suffix(".aside"))
    second.rename(first)
    aside.rename(second)

    findings = _verify(stored).findings

    assert [finding.split(":")[0] for finding in findings] == [
        f"ledger/judgments/{first.name}",
        f"ledger/judgments/{second.name}",
    ]


def test_a_commit_rewritten_with_all_its_digests_breaks_the_chain_after_it(stored):
    table = stored.ledger.table.path
    path = log_path(table, 1)
    path.write_text(path.read_text().replace('"n_rows":30', '"n_rows":29'))
    _forge_list(table)

    findings = _verify(stored).findings

    assert any("its head does not follow" in finding for finding in findings)
    assert any("it records other rows" in finding for finding in findings)


def test_a_forged_head_does_not_fit_the_next_commit(stored):
    table = stored.ledger.table.path
    path = log_path(table, 1)
    path.write_text(path.read_text().replace(stored.ledger.commits()[0].head, "0" * 64))
    _forge_list(table)

    findings = _verify(stored).findings

    assert any(log_path(table, 2).name in finding and "does not follow" in finding for finding in findings)


def test_details_that_differ_from_the_event_are_found(stored):
    table = stored.ledger.table.path
    path = log_path(table, 2)
    path.write_text(path.read_text().replace("votes-2.csv", "votes-3.csv"))
    _forge_list(table)

    findings = _verify(stored).findings

    assert findings == ("ledger/judgments: commit 2 and the event of votes-2.csv differ",)


def test_a_checkpoint_that_could_speak_for_commits_is_found(stored):
    DeltaTable(str(stored.ledger.table.path)).create_checkpoint()

    findings = _verify(stored).findings

    assert findings == (
        f"ledger/judgments/_delta_log/{2:020}.checkpoint.parquet: judgments.sha256 should list it, and does not",
    )


def test_a_changed_byte_in_a_checkpoint_is_found(stored, judgments):
    for n in range(3, 11):
        stored.ingest(f"votes-{n}.csv", judgments(range(50 + n, 51 + n)))
    checkpoint = checkpoint_path(stored.ledger.table.path, 10)
    untouched = _verify(stored)
    _change(checkpoint, checkpoint.stat().st_size // 3)

    assert untouched.consistent
    assert _verify(stored).findings == (
        f"ledger/judgments/_delta_log/{checkpoint.name}: its bytes differ from those listed in judgments.sha256",
    )


def test_a_commit_made_past_juryline_is_found(stored):
    DeltaTable(str(stored.ledger.table.path)).alter.set_table_properties({"delta.appendOnly": "false"})

    findings = _verify(stored).findings

    assert any("was not made by Juryline" in finding for finding in findings)


def test_orphans_of_a_killed_run_are_no_findings(stored):
    table = stored.ledger.table.path
    shutil.copy(table / stored.ledger.commits()[0].files[0].name, table / ("0" * 64 + ".parquet"))
    (table / "_delta_log" / f"{9:020}.json#1").write_text("{")
    (table / ".juryline-1-00000000.tmp").write_text("half")

    assert _verify(stored).consistent


def test_commits_without_list_or_event_are_notes(stored, judgments):
    stored.ledger.append_judgments(judgments(range(90, 95)), "killed", "d", {"path": "votes-9.csv", "sha256": "e"})
    lines = digests_path(stored.ledger.table.path)
    lines.write_text("".join(lines.read_text().splitlines(keepends=True)[:-1]))

    found = _verify(stored)

    assert found.consistent
    assert found.notes == (
        f"ledger/judgments/_delta_log/{3:020}.json: not listed in judgments.sha256 yet",
        "commit 3 of judgments has no event yet",
    )


def test_other_salts_are_named_and_not_taken_for_altered_rows(stored):
    path = stored.ledger.salts.path
    secret = json.loads(path.read_text())["secret"]
    path.chmod(0o600)
    path.write_text(path.read_text().replace(secret, "0" * 64))

    findings = _verify(stored).findings

    assert [finding.split(":")[0] for finding in findings] == [
        "the rows of ledger/judgments cannot be hashed again",
        "the rows of ledger/attributes cannot be hashed again",
    ]


def test_another_key_is_refused(stored, monkeypatch):
    monkeypatch.setenv("JURYLINE_KEY", "ab" * 32)

    with pytest.raises(KeyMismatchError, match="another key"):
        _verify(stored)


def test_a_table_made_from_another_ledger_is_found(stored, stamp_fields):
    write_stamped(stored.directory, "estimates", pa.table({"n": [1]}), **stamp_fields(ledger_head="f" * 64))

    findings = _verify(stored).findings

    assert findings == ("tables/estimates.json: it was made from a ledger that this one does not contain",)


@pytest.mark.parametrize("named", ["votes.sql", "assigned.csv", "exports/outputs.jsonl"])
def test_a_file_that_the_specification_names_is_held_to_the_lock(stored, named):
    _change(stored.directory / named, 0)

    (finding,) = _verify(stored).findings
    assert finding.startswith("study.yaml: story-quality was edited since it was frozen: ")
    assert f"({named})" in finding


def test_a_study_that_is_not_frozen_may_be_edited_and_is_told_which_tables_are_of_another(workspace, study_dir, stored):
    (study_dir / "study.lock.json").unlink()
    shutil.rmtree(study_dir / "ledger" / "events")
    (study_dir / "ledger" / "events.sha256").unlink()
    _change(study_dir / "assigned.csv", 0)

    found = verify(study_dir, workspace)

    assert found.consistent
    assert (
        "made with another specification, or other files it names, than there are now: tables/tallies.json"
        in found.notes
    )


def test_a_head_kept_outside_proves_the_ledger(stored):
    found = _verify(stored, stored.ledger.head)

    assert found.proven is True
    assert found.notes == ("the head given is that of judgments after commit 2",)


def test_an_older_head_proves_what_it_spoke_of_and_says_what_came_after(stored):
    found = _verify(stored, stored.ledger.commits()[0].head)

    assert found.proven is True
    assert found.notes == ("the head given is that of judgments after commit 1; 1 commits came after it",)


def test_a_head_of_another_ledger_proves_nothing(stored):
    found = _verify(stored, "0" * 64)

    assert (found.consistent, found.proven) == (False, False)


def test_a_truncated_ledger_with_everything_forged_is_consistent_but_not_proven(stored):
    head = stored.ledger.head
    _forget_last_export(stored)

    assert _verify(stored).consistent
    assert _verify(stored, head).proven is False


def _forget_last_export(stored) -> None:
    """Undo an export wherever it left a trace, as someone could who may write everything."""
    for name, seq in (("judgments", 2), ("events", 3)):
        table = stored.directory / "ledger" / name
        log_path(table, seq).unlink()
        lines = digests_path(table)
        lines.write_text("".join(lines.read_text().splitlines(keepends=True)[:-1]))
    shutil.rmtree(stored.directory / "tables")


def _forge_list(table: Path) -> None:
    n_commits = len(listed_digests(table))
    digests_path(table).unlink()
    list_digests(table, n_commits)
