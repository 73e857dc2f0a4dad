"""The digest that says whether a run would find anything new."""

import os
from pathlib import Path

import pytest

from data_contracts.errors import SpecificationError
from juryline.study import content
from juryline.study.content import content_key, seconds_unchanged

SPECIFICATION = """\
juryline: 1
study: two-writers
systems: [{id: davinci}, {id: curie}]
rubric:
  criteria: [{id: overall, protocol: pairwise}]
raters:
  populations: [{id: crowd, kind: human}]
exports:
  - {match: "*.jsonl", format: sql, read: {as: jsonl}, query: votes.sql, population: crowd,
     not_collected: [started_at, submitted_at]}
analyses:
  - {id: wins, method: win_rates, criterion: overall}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "two-writers"
    (folder / "exports" / "march").mkdir(parents=True)
    (folder / "study.yaml").write_text(SPECIFICATION)
    (folder / "votes.sql").write_text("SELECT 1")
    (folder / "exports" / "march" / "a.jsonl").write_text('{"winner": "davinci"}\n')
    return folder


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to remember in; what was just written counts as settled."""
    monkeypatch.setattr(content, "FRESH", -1.0)
    return tmp_path / "memory"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were read to be hashed."""
    names: list[str] = []
    hashed = content.file_sha256

    def file_sha256(path: Path) -> str:
        names.append(path.name)
        return hashed(path)

    monkeypatch.setattr(content, "file_sha256", file_sha256)
    return names


def test_equal_content_has_one_key_wherever_it_lies(study, tmp_path):
    key = content_key(study)
    moved = study.rename(tmp_path / "elsewhere")
    for path in moved.rglob("*"):
        os.utime(path, (0, 0))

    assert content_key(moved) == key


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("study.yaml", SPECIFICATION + "title: Another\n"),
        ("votes.sql", "SELECT 2"),
        ("study.lock.json", "{}"),
        ("exports/march/a.jsonl", '{"winner": "curie"}\n'),
        ("exports/march/b.jsonl", ""),
        ("exports/notes.txt", "nothing matches this file, which a run says"),
    ],
)
def test_whatever_decides_a_run_changes_the_key(study, name, text):
    before = content_key(study)
    (study / name).write_text(text)

    assert content_key(study) != before


def test_an_export_of_another_name_is_other_content(study):
    before = content_key(study)
    (study / "exports" / "march").rename(study / "exports" / "april")

    assert content_key(study) != before


@pytest.mark.parametrize("name", ["README.md", "tables/spa.json", "exports/.a.jsonl.part", "exports/.tmp/b.jsonl"])
def test_what_a_run_writes_or_never_reads_leaves_the_key(study, name):
    before = content_key(study)
    (study / name).parent.mkdir(exist_ok=True)
    (study / name).write_text("other")

    assert content_key(study) == before


def test_there_is_nothing_to_run_without_a_specification_or_exports(study):
    (study / "exports" / "march" / "a.jsonl").unlink()
    without_exports = content_key(study)
    (study / "study.yaml").unlink()

    assert without_exports is None
    assert content_key(study) is None


def test_a_broken_specification_is_an_error_that_names_its_line(study):
    (study / "study.yaml").write_text(SPECIFICATION + "tittle: Another\n")

    with pytest.raises(SpecificationError, match="tittle"):
        content_key(study)


def test_memory_changes_no_key(study, memory):
    key = content_key(study)

    assert content_key(study, memory) == content_key(study, memory) == key


def test_an_unchanged_file_is_read_once(study, memory, read):
    content_key(study, memory)
    first = list(read)
    content_key(study, memory)

    assert sorted(first) == ["a.jsonl", "votes.sql"]
    assert read == first


def test_only_what_changed_is_read_again(study, memory, read):
    content_key(study, memory)
    (study / "exports" / "march" / "b.jsonl").write_text("{}\n")
    read.clear()
    content_key(study, memory)

    assert read == ["b.jsonl"]


def test_a_specification_is_read_again_only_when_it_changed(study, memory, monkeypatch):
    content_key(study, memory)
    monkeypatch.setattr(content, "parse", lambda source: pytest.fail("the specification was read again"))

    assert content_key(study, memory) == content_key(study, memory)


def test_other_content_of_equal_size_and_time_is_seen(study, memory):
    export = study / "exports" / "march" / "a.jsonl"
    before, times = content_key(study, memory), (export.stat().st_atime_ns, export.stat().st_mtime_ns)
    export.write_text('{"winner": "DAVINCI"}\n')
    os.utime(export, ns=times)

    assert content_key(study, memory) != before


def test_what_was_just_written_is_not_remembered(study, memory, read, monkeypatch):
    # It may be written to again within the same step of the file system's clock.
    monkeypatch.setattr(content, "FRESH", 3600.0)
    content_key(study, memory)
    read.clear()
    content_key(study, memory)

    assert sorted(read) == ["a.jsonl", "votes.sql"]


@pytest.mark.parametrize(
    "broken", ["", "{", "[]", '{"specification": 1}', '{"specification": "", "named": [], "files": {"a": [1]}}']
)
def test_broken_memory_is_no_memory(study, memory, broken):
    key = content_key(study, memory)
    file = memory / "two-writers.json"
    assert file.exists()
    file.write_text(broken)

    assert content_key(study, memory) == key


def test_the_age_of_the_youngest_export_is_known(study, monkeypatch):
    written = (study / "exports" / "march" / "a.jsonl").stat().st_ctime
    monkeypatch.setattr(content.time, "time", lambda: written + 60)

    assert seconds_unchanged(study) == pytest.approx(60, abs=0.001)


def test_an_old_time_given_to_a_new_file_does_not_make_it_old(study):
    os.utime(study / "exports" / "march" / "a.jsonl", (0, 0))

    assert seconds_unchanged(study) < 3600
