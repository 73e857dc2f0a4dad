"""What must never happen (DESIGN 8), tried on a study that was run whole and on bad input."""

import html
import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest

WORKERS = ("ann.lee@example.org", "W-77310-KQ", "Zoë Ünal")  # of the whole study
OTHERS = ("bo.stray@example.org", "W-99241-XT", "Åse Grøn", "eve+x@example.org", "W-55120-JJ")
GAMES = "wins/overall/crowd/all/large/small/games"
TIMES = "2026-03-02 11:00:00,2026-03-02 11:00:40"

# Raw ids where they do not belong, in rows that are refused for as many reasons.
STRAY = {
    "votes-stray.csv": f"""worker,story,left,right,pick,hit,form,why,t0,t1
{OTHERS[0]},s1,A,B,perhaps,h1,r2,,{TIMES}
{OTHERS[1]},s2,{OTHERS[1]},B,left,h2,r2,,{TIMES}
{OTHERS[2]},s3,A,B,{OTHERS[2]},h3,r2,,{TIMES}
{OTHERS[2]},s4,A,B,left,h3,{OTHERS[2]},,{TIMES}
{OTHERS[2]},s5,A,B,left,h3,r2,,2026-03-02 11:00:00,{OTHERS[2]}
{OTHERS[3]},s6,A,B,left
s7,A,B,{OTHERS[3]},left,h4,r2,,{TIMES}
s8,A,B,left,{OTHERS[3]},h4,r2,,{TIMES}
""",
    "ratings-stray.csv": f"""worker,story,writer,score,id,nr,kind
{OTHERS[4]},s1,A,{OTHERS[4]},k1,1,
{OTHERS[4]},s1,A,3,k2,{OTHERS[4]},
{OTHERS[4]},s1,A,3,k3,1,{OTHERS[4]}
{OTHERS[4]},s1,A,3,{OTHERS[4]},1,
""",
    "answers-stray.jsonl": f'{{"worker": "{OTHERS[1]}", "worker": "{OTHERS[0]}", "earned": "yes"}}\n["{OTHERS[0]}"]\n',
    # refused whole: a file without its header, whose first row is a rater's; and one whose quotes break
    "votes-headless.csv": f"{OTHERS[0]},s1,A,B,left,h1,r2,,{TIMES}\n",
    "votes-quotes.csv": f'worker,story,left,right,pick,hit,form,why,t0,t1\n"{OTHERS[1]}"x,s1,A,B,left,h1,r2,,{TIMES}\n',
    "workers-stray.csv": f"worker,language\n{OTHERS[0]},English\n,English\n{OTHERS[3]}\n",
}


@pytest.fixture(scope="module")
def stray(copy_of_whole, tmp_path_factory):
    """The study with stray ids, and all that commands print and write of it, as text."""
    desk = copy_of_whole("stray ids")
    for name, content in STRAY.items():
        desk.drop(name, content)
    folder = tmp_path_factory.mktemp("exported")
    commands = ["check stories", "check stories --json", "run stories", "run stories --json", "verify stories"]
    commands += [f"export stories --to {folder / form} --format {form}" for form in ("csv", "parquet")]
    said = {}
    for command in commands:
        said[command] = desk.juryline(*command.split())
    vote = next(row for row in desk.table("judgment_history") if row["export_path"] == "votes-1.csv")
    for id in (vote["judgment_id"], "hasty", desk.table("estimates")[0]["estimate_id"]):
        said[f"trace {id}"] = desk.juryline("trace", "stories", id)
    assert {each.status for each in said.values()} <= {0, 1}
    return SimpleNamespace(
        desk=desk,
        said={command: each.out + each.err for command, each in said.items()},
        written=written_below(desk.root),
        exported=written_below(folder),
    )


def spellings(text: str) -> set[str]:
    """A text as itself, and as JSON, HTML and addresses write it."""
    escaped = html.escape(text)
    return {text, json.dumps(text)[1:-1], escaped, escaped.encode("ascii", "xmlcharrefreplace").decode(), quote(text)}


def texts_of(path: Path) -> Iterator[str]:
    """All that a file says: its bytes, and what they hold packed."""
    content = path.read_bytes()
    yield content.decode("utf-8", "replace")
    if content.startswith(b"PAR1"):
        yield str(pq.ParquetFile(path).read().to_pylist())
    if content.startswith(b"SQLite format 3"):
        with sqlite3.connect(path) as database:
            yield from database.iterdump()
        database.close()


def written_below(root: Path) -> dict[str, str]:
    """What every file below a folder says, by its path; but for exports, as they were dropped and as they are kept."""
    files = {path.relative_to(root): path for path in sorted(root.rglob("*")) if path.is_file()}
    outside = {below: path for below, path in files.items() if below.parts[1:2] not in (("raw",), ("exports",))}
    return {str(below): "\n".join([str(below), *texts_of(path)]) for below, path in outside.items()}


def standing_in(texts: Mapping[str, str], needles: set[str]) -> set[str]:
    """The texts in which one of the needles stands."""
    return {name for name, text in texts.items() if any(needle in text for needle in needles)}


@pytest.mark.parametrize("worker", WORKERS + OTHERS)
def test_a_raw_rater_id_stands_nowhere_but_in_exports(stray, worker):
    needles = spellings(worker)

    assert standing_in(stray.written, needles) == set()
    assert standing_in(stray.exported, needles) == set()
    assert standing_in(stray.said, needles) == set()


def test_the_search_finds_what_stands_there(stray):
    """Else the test above would prove nothing: paths of exports are in tables, ledger and Dagster's own databases."""
    found = standing_in(stray.written, {"votes-1.csv"})

    assert {path.split("/")[1] for path in found} == {"tables", "ledger", "dagster"}
    assert standing_in(stray.written, spellings("Two writers")) >= {
        "stories/study.yaml",
        "stories/reports/stories.html",
    }
    assert standing_in(stray.exported, {"votes-1.csv"}) >= {"csv/judgments.csv", "parquet/judgments.parquet"}
    assert standing_in(stray.said, {"votes-1.csv"}) >= {"check stories", "check stories --json"}


def test_every_stray_row_is_accounted_for(stray):
    refused = {(row["export_path"], row["source_row"]) for row in stray.desk.table("quarantine")}

    assert refused == {
        *(("votes-stray.csv", row) for row in range(1, 9)),
        *(("ratings-stray.csv", row) for row in range(1, 4)),
        *(("answers-stray.jsonl", row) for row in (1, 2)),
        *(("workers-stray.csv", row) for row in (2, 3)),
    }


def test_no_rating_of_an_undefeated_system_is_finite(whole):
    ratings = [
        row for row in whole.table("estimates") if row["analysis"] == "strength" and row["statistic"] == "rating"
    ]

    assert len(ratings) == 4
    assert {row["status"] for row in ratings} == {"not_estimable"}
    assert {row["value"] for row in ratings} == {None}


def test_no_p_value_comes_of_constant_answers(whole):
    id = "likert/coherence/crowd/all/large/small/mean_difference_t"
    (test,) = [row for row in whole.table("estimates") if row["estimate_id"] == id]

    assert (test["p_value"], test["status"], test["reason"]) == (None, "degenerate", "zero_variance")


def test_humans_and_models_are_never_pooled(whole):
    games = [r for r in whole.table("estimates") if r["statistic"] == "games" and r["comparator"] == "small"]

    assert {(row["population"], row["value"]) for row in games} == {("crowd", 6.0), ("gpt", 2.0)}


def test_no_estimate_is_nan_infinite_or_without_a_reason(whole):
    for row in whole.table("estimates"):
        assert (row["value"] is not None) == (row["status"] == "ok"), row["estimate_id"]
        assert row["status"] == "ok" or row["reason"], row["estimate_id"]
        assert all(v == v and abs(v) != float("inf") for v in row.values() if isinstance(v, float)), row["estimate_id"]


@pytest.mark.slow
def test_a_report_built_again_has_the_same_bytes(desk):
    before = {path.name: path.read_bytes() for path in (desk.folder / "reports").iterdir()}
    digests = desk.digests()
    shutil.rmtree(desk.folder / "reports")
    shutil.rmtree(desk.folder / "tables")

    assert desk.run().status == 0

    assert {path.name: path.read_bytes() for path in (desk.folder / "reports").iterdir()} == before
    assert desk.digests() == digests


@pytest.mark.slow
def test_an_earlier_revision_is_never_pooled(desk):
    def games():
        return [row["value"] for row in desk.table("estimates") if row["estimate_id"] == GAMES]

    before = games()
    desk.drop("votes-old.csv", f"worker,story,left,right,pick,hit,form,why,t0,t1\nW-1,s1,A,B,right,h,r1,,{TIMES}\n")

    assert desk.run().status == 0

    assert games() == before == [6.0]
    aside = [(r["included"], r["set_aside_reason"]) for r in desk.table("analysis_set") if r["set_aside_reason"]]
    assert aside == [(False, "earlier_revision")]


@pytest.mark.slow
def test_an_empty_study_is_whole(fresh):
    assert fresh.check().status == 0
    said = fresh.run()

    assert said.status == 0, said.err
    assert fresh.ledger().num_rows == 0
    assert {row["n"] for row in fresh.table("record_flow")} == {0}
    assert {row["value"] for row in fresh.table("estimates")} == {None, 0.0}  # counts of nothing are 0
    assert (fresh.folder / "reports" / "stories.html").exists()
    assert fresh.juryline("verify", "stories").status == 0
