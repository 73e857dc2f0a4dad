"""However exports are delivered, the tables are the same but for the way back to the bytes.

Files come again, their rows in another order, under another name, or first in part and then whole.
"""

import io
import json
from itertools import chain
from pathlib import PurePath
from zipfile import ZipFile

import pytest

from juryline.study.exporting import EXPORTED

pytestmark = pytest.mark.slow

# The way back to the bytes: columns that name the export and the commit that brought a row, and digests over these.
PROVENANCE = {"export_sha256", "export_path", "source_row", "source_path", "ledger_seq", "row_sha256", "data_version"}
ALL = ["qlora", "food", "simple", "slam", "scratchplot", "squality", "pandalm", "ttcw"]
OF_EACH_FORMAT = ["food", "slam", "scratchplot", "squality", "pandalm"]
SOME_OF_QLORA = "answer-gpt4-vs-"


@pytest.mark.parametrize("name", ALL)
def test_files_that_come_again_shuffled_and_under_another_name_change_no_table(real, exports_of, tmp_path, name):
    study = real(name).copy(tmp_path / "again")
    chosen = {file: path for file, path in exports_of(name).items() if name != "qlora" or SOME_OF_QLORA in file}
    files = {file: path.read_bytes() for file, path in chosen.items()}

    study.deliver({renamed(file): reversed_rows(file, content) for file, content in files.items()})
    said = study.run()

    assert said.err.count("later") == len(files)
    assert bytes_of_tables(study) == bytes_of_tables(real(name))
    study.juryline("verify")


@pytest.mark.parametrize("name", OF_EACH_FORMAT)
def test_a_first_half_and_then_the_whole_give_the_tables_of_the_whole(real, exports_of, tmp_path, name):
    study = real(name).copy(tmp_path / "halves", unrun=True).freeze()
    files = {file: path.read_bytes() for file, path in exports_of(name).items()}

    study.deliver({file: first_half(file, content) for file, content in files.items()})
    first = json.loads(study.juryline("run", "--select", "judgments", "--json").out)["deliveries"]
    study.deliver(files)
    study.run()

    assert all(delivery["n_new"] > 0 for delivery in first)
    assert len(first) == len(files)
    assert tables(study) == tables(real(name))


VOTES = """\
worker,prompt,left,right,overall,style,status,opened,sent
ann,p1,a,b,left,left,done,2026-03-01T10:00:00Z,2026-03-01T10:01:00Z
ann,p2,b,a,right,bogus,done,2026-03-01T10:01:00Z,2026-03-01T10:02:00Z
bob,p1,a,b,left,tie,draft,2026-03-01T11:00:00Z,2026-03-01T11:01:00Z
bob,p1,a,b,right,tie,done,2026-03-01T11:01:00Z,2026-03-01T11:02:00Z
bob,p2,a,b,NA,NA,done,2026-03-01T11:02:00Z,2026-03-01T11:03:00Z
bob,p3,a,b,left
#eve,p1,b,a,left,left,done,2026-03-01T12:00:00Z,2026-03-01T12:01:00Z
dee,p1,a,b,tie,tie,done,2026-03-01T13:00:00Z,2026-03-01T13:01:00Z
dee,p1,a,b,tie,tie,done,2026-03-01T13:00:00Z,2026-03-01T13:01:00Z
dee,p2,a,b,?,?,done,2026-03-01T13:01:00Z,2026-03-01T13:02:00Z
dee,p2,a,b,?,?,done,2026-03-01T13:01:00Z,2026-03-01T13:02:00Z
ann,p1,a,b,right,tie,done,2026-03-02T10:00:00Z,2026-03-02T10:01:00Z
cyd,p1,a,b,left,left,done,2026-03-01T10:00:00Z,yesterday
fay,p2,b,a,left,right,done,2026-03-01T14:00:00Z,2026-03-01T14:00:01Z
fay,p3,b,a,left,right,draft,2026-03-01T14:00:00Z,2026-03-01T14:00:01Z
fay,p3,b,a,left,right,draft,2026-03-01T14:00:00Z,2026-03-01T14:00:01Z
bob,p3,a,b,left
"""
STUDY = """\
juryline: 1
study: votes
systems: [{id: a}, {id: b}]
rubric:
  criteria:
    - {id: overall, protocol: pairwise}
    - {id: style, protocol: pairwise}
raters:
  populations: [{id: crowd, kind: human}]
exports:
  - match: "**/votes*.csv"
    format: table
    read: {as: csv}
    population: crowd
    columns:
      rater: worker
      case: prompt
      candidate_1: left
      candidate_2: right
      labels: {overall: overall, style: style}
      started_at: opened
      submitted_at: sent
    labels:
      overall: &said {left: candidate_1, right: candidate_2, tie: tie}
      style: *said
    ignore: {column: status, values: [draft]}
exclusions:
  - {id: hasty, rule: min_duration, seconds: 20, scope: judgment, on_missing: keep}
adjudication:
  - {id: majority, rule: majority, criterion: overall, min_votes: 2}
analyses:
  - {id: wins, method: win_rates, criterion: all}
  - {id: agreement, method: agreement, criterion: overall, rounds: 20, coefficients: [raw_agreement]}
"""
HEADER, *ROWS = VOTES.encode().splitlines()


@pytest.fixture(scope="module")
def votes(workspaces):
    """A study with rows to map, to ignore, to refuse, to exclude and to correct, and rows that are equal."""
    study = workspaces("votes", {"study.yaml": STUDY})
    study.deliver({"votes.csv": VOTES.encode()})
    study.freeze().run()
    return study


def test_the_study_of_own_votes_has_rows_of_every_fate(votes):
    flow = {(row["step"], row["reason"]): int(row["n"]) for row in votes.table("record_flow") if row["n"] != "0"}

    assert flow == {
        ("export_rows", "total"): 17,
        ("export_rows", "mapped"): 8,
        ("export_rows", "ignored:status=draft"): 3,
        ("export_rows", "quarantined"): 6,
        ("answers", "total"): 24,
        ("answers", "new"): 11,
        ("answers", "new_version"): 4,
        ("answers", "quarantined"): 9,
        ("judgments", "total"): 15,
        ("judgments", "current"): 11,
        ("judgments", "superseded"): 4,
        ("current", "total"): 11,
        ("current", "included"): 9,
        ("current", "excluded:hasty"): 2,
    }


def of(*rows):
    return b"\n".join([HEADER, *rows]) + b"\n"


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"a votes copy/votes.csv": of(*ROWS)}, id="under-another-name"),
        pytest.param({"votes-later.csv": of(*ROWS[::-1])}, id="shuffled"),
        pytest.param({"votes-earlier.csv": of(*ROWS[:11])}, id="of-an-earlier-day"),
    ],
)
def test_rows_of_every_fate_that_come_again_change_no_table(votes, tmp_path, files):
    study = votes.copy(tmp_path / "again")

    study.deliver(files)
    said = study.run()

    assert next(iter(files)) in said.err
    assert tables(study) == tables(votes)


@pytest.mark.parametrize(
    "deliveries",
    [
        pytest.param([{"votes.csv": of(*ROWS[::-1])}], id="shuffled"),
        pytest.param([{"votes.csv": of(*ROWS[:11])}, {"votes.csv": of(*ROWS)}], id="cumulative"),
        # Rows that are equal come together, as only their number tells them apart.
        pytest.param([{"votes-2.csv": of(*ROWS[11:-1])}, {"votes-1.csv": of(*ROWS[:11], ROWS[-1])}], id="in-parts"),
    ],
)
def test_rows_of_every_fate_give_the_same_tables_however_they_come(votes, tmp_path, deliveries):
    study = votes.copy(tmp_path / "otherwise", unrun=True).freeze()

    for files in deliveries[:-1]:
        study.deliver(files)
        study.juryline("run", "--select", "judgments")
    study.deliver(deliveries[-1])
    study.run()

    assert tables(study) == tables(votes)


def bytes_of_tables(study):
    return {name: (study.tables / f"{name}.csv").read_bytes() for name in EXPORTED}


def tables(study):
    """Every exported table without provenance, in an order of its own."""
    return {name: sorted(map(without_provenance, study.table(name)), key=repr) for name in EXPORTED}


def without_provenance(row):
    return {column: value for column, value in row.items() if column not in PROVENANCE}


def renamed(file):
    path = PurePath(file)
    if path.suffix == ".jsonl" and "-vs-" in file:  # the name says which systems were shown
        return f"later/{file}"
    return path.with_name(f"{path.stem}-later{path.suffix}").as_posix()


def first_half(file, content):
    return with_rows(file, content, lambda rows: rows[: len(rows) // 2])


def reversed_rows(file, content):
    return with_rows(file, content, lambda rows: rows[::-1])


def with_rows(file, content, change):
    """The same file of other rows: lines of a table or of JSON, elements of an array, results in an archive."""
    if file.endswith(".zip"):
        with ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist() if name.endswith(".json")}
        packed = io.BytesIO()
        with ZipFile(packed, "w") as archive:
            for name in change(list(members)):
                archive.writestr(name, members[name])
        return packed.getvalue()
    if file.endswith(".json"):
        return json.dumps(change(json.loads(content)), ensure_ascii=False).encode()
    header, *rows = [b"", *content.splitlines()] if file.endswith(".jsonl") else content.splitlines()
    return b"\n".join(filter(None, chain([header], change(rows)))) + b"\n"
