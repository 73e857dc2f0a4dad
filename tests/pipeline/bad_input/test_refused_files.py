"""Files that cannot be accepted whole: told with the mend, left where they lie, and no hindrance to others."""

import gzip
import hashlib
import re
from types import SimpleNamespace

import pytest

from juryline.adapters import sandbox

pytestmark = pytest.mark.slow

QUERIES = {
    # reads a file
    "peek": "SELECT source_row, 's1' AS case_id, 'A' AS candidate_1, 'B' AS candidate_2, 'overall' AS criterion,"
    " (SELECT max(content) FROM read_text('/etc/hostname')) AS label FROM export",
    # never ends
    "endless": "SELECT source_row, 's1' AS case_id, 'A' AS candidate_1, 'B' AS candidate_2, 'overall' AS criterion,"
    " (SELECT count(*)::VARCHAR FROM range(1000000000000000000)) AS label FROM export",
    # is another thing each time
    "dice": "SELECT source_row, 's1' AS case_id, 'A' AS candidate_1, 'B' AS candidate_2, 'overall' AS criterion,"
    " if(random() < 0.5, 'candidate_1', 'candidate_2') AS label FROM export",
    # loses the way back to the bytes
    "lost": "SELECT row_number() OVER () + 100 AS source_row, 's1' AS case_id, 'A' AS candidate_1, 'B' AS candidate_2,"
    " 'overall' AS criterion, record->>'winner' AS label FROM export",
}
READ_BY_QUERY = "".join(
    f"  - {{match: {name}-*.jsonl, format: sql, query: {name}.sql, population: gpt,"
    " not_collected: [started_at, submitted_at]}\n"
    for name in QUERIES
)
N_WHOLE = 23  # records with answers in the study as it was
VERDICT = b'{"winner": "candidate_1"}\n'

# Each file by its name: how good votes are spoiled, what is told of it, and the mend.
BAD = {
    "votes-empty.csv": (lambda _: b"", "the file is empty.", "Export it again, or remove it."),
    "votes-cut.csv": (lambda good: gzip.compress(good)[:-9], "the packed file is truncated.", "Copy it again"),
    "votes-utf16.csv": (
        lambda good: good.decode().encode("utf-16"),
        "the byte order mark says utf-16, but it would be read as utf-8.",
        "Declare `read: {encoding: utf-16}`",
    ),
    "votes-latin1.csv": (
        lambda good: good.decode().encode("latin-1"),
        "the bytes are not utf-8.",
        "declare what it is, as in `read: {encoding: cp1252}`",
    ),
    "votes-renamed.csv": (
        lambda good: good.replace(b"pick", b"picked"),
        "the export has no column 'pick' (nearest: picked)",
        "Correct `columns` of this export",
    ),
    "votes-headless.csv": (
        lambda good: good.split(b"\n", 1)[1],
        "no column 'worker'; 'story'",
        "declare `read.header`",
    ),
    "votes-quoted.csv": (lambda good: good + b'W-9,s9,A,B,"left', "a quote is opened and never closed.", "Double the"),
    "votes-semicolons.csv": (lambda good: good.replace(b",", b";"), "has no column 'worker'", 'delimiter: ";"'),
    "peek-1.jsonl": (lambda _: VERDICT, "it calls read_text(), and only `export` may be read", "Write one SELECT"),
    "endless-1.jsonl": (lambda _: VERDICT, "it ran for more than 2 s and was stopped", "so that it ends"),
    "dice-1.jsonl": (lambda _: VERDICT, "it calls random(), whose result is not the same each time", "one SELECT"),
    "lost-1.jsonl": (lambda _: VERDICT, "with a `source_row` that is none of the export's", "Pass `source_row` on"),
}


@pytest.fixture(scope="module")
def tried(copy_of_whole, votes):
    """Every bad file dropped at once, beside a good one and one that nothing matches, and then checked and run."""
    desk = copy_of_whole("refused files")
    before = desk.ledger()
    desk.edit("study.yaml", "exclusions:\n", READ_BY_QUERY + "exclusions:\n")
    for name, query in QUERIES.items():
        (desk.folder / f"{name}.sql").write_text(query)
    bad = {name: spoil(votes("s8").encode()) for name, (spoil, _, _) in BAD.items()}
    for name, content in bad.items():
        desk.drop(name, content)
    desk.drop("votes-good.csv", votes("s3", "s4"))
    desk.drop("notes/read me.txt", "nothing of the study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "SECONDS", 2)
        kept = desk.kept()
        checked = desk.check()
        assert desk.kept() == kept, "a dry run wrote something"
        ran = desk.run()
    return SimpleNamespace(desk=desk, before=before, bad=bad, checked=checked, ran=ran)


def test_a_refused_file_is_the_exit_status_1(tried):
    assert tried.checked.status == 1
    assert tried.ran.status == 1


@pytest.mark.parametrize("command", ["checked", "ran"])
@pytest.mark.parametrize("name", BAD)
def test_a_refused_file_is_told_with_where_what_and_the_mend(tried, name, command):
    _, what, fix = BAD[name]

    told = re.search(
        rf"refused whole: (?P<what>[^\n]*)\n *where: exports/{re.escape(name)}(, line \d+)?\n *fix: (?P<fix>[^\n]*)",
        getattr(tried, command).err,
        re.IGNORECASE,
    )

    assert told is not None
    assert what in told["what"]
    assert fix in told["fix"]
    assert told["fix"].endswith("Nothing was written.")


@pytest.mark.parametrize("name", BAD)
def test_a_refused_file_leaves_no_trace_and_stays_where_it_was_dropped(tried, name):
    content = tried.bad[name]
    sha256 = hashlib.sha256(content).hexdigest()
    ledger = tried.desk.ledger()

    assert (tried.desk.folder / "exports" / name).read_bytes() == content
    assert not list((tried.desk.folder / "raw").rglob(sha256))
    assert name not in ledger["export_path"].to_pylist()
    assert sha256 not in ledger["export_sha256"].to_pylist()
    assert name not in [row["export_path"] for row in tried.desk.table("quarantine")]
    assert name not in [event.payload.get("path") for event in tried.desk.events()]


def test_the_other_exports_are_taken_in(tried):
    ledger = tried.desk.ledger()

    assert ledger.slice(0, tried.before.num_rows).equals(tried.before)
    assert ledger.slice(tried.before.num_rows)["export_path"].to_pylist() == ["votes-good.csv"] * 6


def test_the_accounting_speaks_of_the_files_that_were_read(tried):
    flow = {(row["step"], row["reason"]): row["n"] for row in tried.desk.table("record_flow")}

    assert flow["export_rows", "total"] == N_WHOLE + 6
    assert flow["export_rows", "total"] == flow["export_rows", "mapped"]


@pytest.mark.parametrize("command", ["checked", "ran"])
def test_a_file_that_nothing_matches_is_reported(tried, command):
    assert re.search(r"exports/notes/read me\.txt: nothing in `exports` matches it", getattr(tried, command).err)


def test_a_mended_file_is_taken_in_by_the_next_run(tried, votes):
    desk = tried.desk
    for name in BAD:
        (desk.folder / "exports" / name).unlink()
    n_rows = desk.ledger().num_rows
    desk.drop("votes-cut.csv", gzip.compress(votes("s8").encode()))

    said = desk.run("--select", "judgments")

    assert said.status == 0, said.err
    assert desk.ledger().num_rows == n_rows + 3
