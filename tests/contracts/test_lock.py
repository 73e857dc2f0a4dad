"""A study is frozen once, amended with a reason, and refused when it was edited."""

import json
import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from data_contracts.errors import SpecificationError, UsageError
from data_contracts.lock import LOCK, LedgerFacts, amend, freeze, read_lock, require_unedited
from data_contracts.specification import StudySpec, load_specification
from data_contracts.specification_digest import section_digests, study_spec_hash

MINIMAL = (Path(__file__).parent / "minimal.yaml").read_text()
EMPTY = LedgerFacts()
FIRST = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
LATER = datetime(2026, 3, 5, 9, 30, tzinfo=UTC)


@pytest.fixture
def study(tmp_path) -> Path:
    text = MINIMAL.replace(
        "analyses:\n",
        "  - {match: model.jsonl, format: sql, query: verdicts.sql, population: crowd}\n"
        "assignment: {manifest: assigned.csv}\nanalyses:\n",
    )
    (tmp_path / "study.yaml").write_text(text)
    (tmp_path / "verdicts.sql").write_text("SELECT 1\n")
    (tmp_path / "assigned.csv").write_text("rater,case\n")
    return tmp_path


def spec_of(study: Path) -> StudySpec:
    return load_specification(study)


def edit(study: Path, old: str, new: str) -> None:
    text = (study / "study.yaml").read_text()
    if text.count(old) != 1:
        raise ValueError(f"{old!r} stands {text.count(old)} times")
    (study / "study.yaml").write_text(text.replace(old, new))


def test_a_study_without_a_lock_is_not_frozen(study):
    assert read_lock(study) is None


def test_a_freeze_writes_time_version_sections_and_files(study):
    freeze(study, spec_of(study), FIRST, LedgerFacts(head="abc", n_records=3))

    stored = json.loads((study / LOCK).read_text())
    digests = section_digests(spec_of(study), study)
    (entry,) = stored["history"]
    assert stored["study"] == "two-writers"
    assert entry["kind"] == "freeze"
    assert entry["frozen_at"] == "2026-03-01T12:00:00.123456Z"
    assert entry["version"].count(".") == 2
    assert (entry["ledger_head"], entry["n_records"]) == ("abc", 3)
    assert entry["sections"] == digests
    assert entry["study_spec_hash"] == study_spec_hash(digests)
    assert list(entry["files"]) == ["assignment", "intake"]
    assert list(entry["files"]["intake"]) == ["verdicts.sql"]


def test_equal_freezes_give_equal_bytes_in_any_zone(study):
    freeze(study, spec_of(study), FIRST, EMPTY)
    content = (study / LOCK).read_bytes()
    (study / LOCK).unlink()

    freeze(study, spec_of(study), FIRST.astimezone(timezone(timedelta(hours=9))), EMPTY)

    assert (study / LOCK).read_bytes() == content
    assert content.endswith(b"\n")


def test_a_frozen_study_is_read_back(study):
    written = freeze(study, spec_of(study), FIRST, EMPTY)

    assert read_lock(study) == written
    assert written.first.frozen_at == FIRST


def test_freezing_an_unedited_study_again_changes_nothing(study):
    first = freeze(study, spec_of(study), FIRST, EMPTY)
    content = (study / LOCK).read_bytes()

    again = freeze(study, spec_of(study), LATER, EMPTY)

    assert again == first
    assert (study / LOCK).read_bytes() == content


def test_a_comment_is_no_edit(study):
    lock = freeze(study, spec_of(study), FIRST, EMPTY)
    edit(study, "juryline: 1\n", "# written by hand\njuryline: 1\n")

    require_unedited(spec_of(study), study, lock)

    assert freeze(study, spec_of(study), LATER, EMPTY) == lock


def test_freezing_an_edited_study_is_refused_and_writes_nothing(study):
    freeze(study, spec_of(study), FIRST, EMPTY)
    content = (study / LOCK).read_bytes()
    edit(study, "same: tie", "same: both_fail")

    with pytest.raises(SpecificationError, match="edited since it was frozen"):
        freeze(study, spec_of(study), LATER, EMPTY)

    assert (study / LOCK).read_bytes() == content


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("study.yaml", "same: tie", "same: both_fail", "intake (study.yaml)"),
        ("study.yaml", "method: win_rates", "method: elo", "analyses (study.yaml)"),
        ("verdicts.sql", "SELECT 1", "SELECT 2", "intake (verdicts.sql)"),
        ("assigned.csv", "rater,case", "rater;case", "assignment (assigned.csv)"),
    ],
)
def test_an_edit_is_told_by_section_and_file_with_what_to_type(study, file, old, new, told):
    lock = freeze(study, spec_of(study), FIRST, EMPTY)
    text = (study / file).read_text()
    (study / file).write_text(text.replace(old, new))

    with pytest.raises(SpecificationError) as refused:
        require_unedited(spec_of(study), study, lock)

    assert refused.value.what == f"two-writers was edited since it was frozen: {told}."
    assert 'juryline freeze two-writers --amend --reason "..."' in refused.value.fix
    assert refused.value.exit_status == 2


def test_all_edits_are_told_at_once(study):
    lock = freeze(study, spec_of(study), FIRST, EMPTY)
    edit(study, "same: tie", "same: both_fail")
    edit(study, "method: win_rates", "method: elo")
    (study / "verdicts.sql").write_text("SELECT 2\n")

    with pytest.raises(SpecificationError) as refused:
        require_unedited(spec_of(study), study, lock)

    assert "intake (study.yaml, verdicts.sql), analyses (study.yaml)" in refused.value.what


def test_a_named_file_that_was_deleted_is_an_error_of_its_own(study):
    lock = freeze(study, spec_of(study), FIRST, EMPTY)
    (study / "verdicts.sql").unlink()

    with pytest.raises(SpecificationError, match=r"there is no file verdicts\.sql"):
        require_unedited(spec_of(study), study, lock)


def test_an_amendment_keeps_the_history_and_names_what_changed(study):
    first = freeze(study, spec_of(study), FIRST, EMPTY)
    edit(study, "same: tie", "same: both_fail")

    lock = amend(study, spec_of(study), LATER, LedgerFacts(head="h", n_records=9), reason="  ties were no ties ")

    assert lock.history[0] == first.current
    assert lock.current.kind == "amend"
    assert lock.current.reason == "ties were no ties"
    assert lock.current.changed == ("intake",)
    assert lock.current.breaks_confirmation
    assert lock.study_spec_hash != first.study_spec_hash
    require_unedited(spec_of(study), study, lock)


@pytest.mark.parametrize(
    "edit_to",
    [
        ("systems:", "title: A title\nsystems:"),
        ("systems:", "governance: {ethics: approved}\nsystems:"),
        ("systems:", "reuse: [{artifact: a table, purpose: other}]\nsystems:"),
        ("systems:", "claim: {decision: none, not_supported: other languages}\nsystems:"),
        ("kind: human", "kind: human, recruitment: MTurk, pay: 15 USD"),
    ],
)
def test_what_says_nothing_of_the_measurement_may_be_amended(study, edit_to):
    freeze(study, spec_of(study), FIRST, EMPTY)
    edit(study, *edit_to)

    lock = amend(study, spec_of(study), LATER, EMPTY, reason="wording")

    assert len(lock.current.changed) == 1
    assert not lock.current.breaks_confirmation


def test_amending_an_unedited_study_changes_nothing(study):
    first = freeze(study, spec_of(study), FIRST, EMPTY)

    assert amend(study, spec_of(study), LATER, EMPTY, reason="nothing") == first


def test_an_amendment_needs_a_reason_and_a_freeze(study):
    with pytest.raises(UsageError, match="never frozen"):
        amend(study, spec_of(study), LATER, EMPTY, reason="first")
    freeze(study, spec_of(study), FIRST, EMPTY)
    edit(study, "same: tie", "same: both_fail")

    with pytest.raises(UsageError, match="needs a reason"):
        amend(study, spec_of(study), LATER, EMPTY, reason="  ")


def test_a_time_without_a_zone_is_refused(study):
    with pytest.raises(ValueError, match="now has no zone"):
        freeze(study, spec_of(study), datetime(2026, 3, 1), EMPTY)  # noqa: DTZ001 (what is refused)


def test_a_crash_before_the_rename_leaves_no_lock(study, monkeypatch):
    def crash(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", crash)

    with pytest.raises(KeyboardInterrupt):
        freeze(study, spec_of(study), FIRST, EMPTY)

    assert read_lock(study) is None


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "invalid json"),
        ('{"study": "x", "history": []}', "history: tuple should have at least 1"),
        ('{"study": "x", "history": [], "more": 1}', "history"),
    ],
)
def test_a_lock_that_is_none_is_refused(study, content, what):
    (study / LOCK).write_text(content)

    with pytest.raises(SpecificationError, match=what) as refused:
        read_lock(study)

    assert refused.value.code == "lock"


def test_a_lock_edited_by_hand_is_refused(study):
    freeze(study, spec_of(study), FIRST, EMPTY)
    stored = json.loads((study / LOCK).read_text())
    stored["history"][0]["sections"]["intake"] = "0" * 64
    (study / LOCK).write_text(json.dumps(stored))

    with pytest.raises(SpecificationError, match="entry 1: study_spec_hash is not that of its sections"):
        read_lock(study)


def test_the_lock_of_another_study_is_refused(study):
    lock = freeze(study, spec_of(study), FIRST, EMPTY)
    edit(study, "study: two-writers", "study: three-writers")

    with pytest.raises(SpecificationError, match="it is the lock of two-writers, not of three-writers"):
        require_unedited(spec_of(study), study, lock)
