"""A specification that is broken or edited since it was frozen, another key, wrong use: nothing runs or changes."""

import subprocess
import sys

import pytest

from juryline.ledger.lock import study_lock

OTHER_KEY = "5e" * 32

# Each edit of study.yaml: the key where it is told, what is told of it, and the mend.
BROKEN = {
    "an unknown key": ("title:", "titel:", "titel", "unknown key 'titel'.", "did you mean title?"),
    "two systems of one blinded id": (
        "small, blinded: B",
        "small, blinded: A",
        "systems[1].blinded",
        "the blinded id A is that of large too.",
        "give each system its own",
    ),
    "a label that means nothing": (
        "skip: abstain",
        "skip: abstained",
        "exports[0].labels.overall.skip",
        "abstained is no response of overall.",
        "did you mean abstain?",
    ),
    "a query that is not there": (
        "query: verdicts.sql",
        "query: verdict.sql",
        "exports[3].query",
        "there is no file verdict.sql in the study.",
        "correct the path",
    ),
    "the name of another study": (
        "study: stories",
        "study: novels",
        "study",
        "the study is called novels, and its folder stories.",
        "write `study: stories`",
    ),
    "an interval that no version makes yet": (
        "method: win_rates, criterion: overall",
        "method: win_rates, interval: {method: percentile}, criterion: overall",
        "analyses[0].interval",
        "interval: {method: percentile} for win_rates is not in this version.",
        "remove `interval`",
    ),
    "a raw id that would be kept": (
        "submission_id: hit",
        "submission_id: worker",
        "exports[0].columns.submission_id",
        "raw rater ids would be kept outside exports.",
        "name another column",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_specification_is_told_with_its_line_and_the_mend(desk, what):
    old, new, key, told, mend = BROKEN[what]
    desk.edit("study.yaml", old, new)
    line = 1 + desk.text("study.yaml").split(new)[0].count("\n")
    kept = desk.kept()

    for command in ("check", "run", "freeze"):
        said = desk.juryline(command, "stories")

        assert said.status == 2, command
        what_where_fix = said.err.splitlines()
        assert what_where_fix[0] == f"juryline: {told}"
        assert what_where_fix[1] == f"  where: study.yaml, line {line}, {key}"
        assert mend in what_where_fix[2]
        assert desk.kept() == kept


@pytest.mark.parametrize("command", ["check", "run"])
def test_two_exports_that_match_one_file_are_told(desk, command):
    desk.edit("study.yaml", "match: ratings-*.csv", "match: '*s-*.csv'")
    kept = desk.kept()

    said = desk.juryline(command, "stories")

    assert said.status == 2
    assert "2 files are matched by more than one export, such as votes-1.csv" in said.err
    assert "where: study.yaml, exports: votes-*.csv, *s-*.csv" in said.err
    assert "narrow one `match`" in said.err
    assert desk.kept() == kept


# An edit of a frozen study, and where it is told.
EDITS = {
    "the specification": ("study.yaml", "seconds: 5", "seconds: 4", "exclusions"),
    "the mapping query": ("verdicts.sql", "<> 'unparsed'", "<> 'garbled'", "verdicts.sql"),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_since_the_freeze_is_refused_until_it_is_amended(desk, what):
    file, old, new, told = EDITS[what]
    assert desk.juryline("freeze", "stories").status == 0
    desk.edit(file, old, new)
    kept = desk.kept()

    for command in ("check", "run", "freeze"):
        said = desk.juryline(command, "stories")

        assert said.status == 2, command
        assert told in said.err
        assert "juryline freeze stories --amend --reason" in said.err
        assert desk.kept() == kept
    assert desk.juryline("freeze", "stories", "--amend", "--reason", "mended").status == 0
    assert desk.check().status == 0


@pytest.mark.parametrize("command", ["check", "run", "freeze", "verify"])
def test_another_key_is_refused(desk, command):
    kept = desk.kept()

    said = desk.juryline(command, "stories", env={"JURYLINE_KEY": OTHER_KEY})

    assert said.status == 2
    assert "was written under another key" in said.err
    assert "put the workspace's own key back" in said.err
    assert OTHER_KEY not in said.err
    assert desk.kept() == kept


def test_a_missing_key_is_refused_and_never_made_again(desk):
    (desk.workspace.home / "key").unlink()
    kept = desk.kept()

    said = desk.run()

    assert said.status == 2
    assert "put back the key" in said.err
    assert desk.kept() == kept
    assert not (desk.workspace.home / "key").exists()


def test_a_study_that_is_being_run_is_not_run_again(desk):
    kept = desk.kept()
    with study_lock(desk.folder):
        said = desk.run()

    assert said.status == 3
    assert "wait, or stop process" in said.err
    assert desk.kept() == kept


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["check", "novels"], "juryline new novels"),
        (["run", "novels"], "there is: stories"),
        (["run", "../stories"], "there is no study ../stories"),
        (["run", "stories", "--selekt", "judgments"], "--selekt"),
        (["run", "stories", "--select", "judgements"], "selects no assets"),
        (["export", "stories", "--to", "out", "--format", "xlsx"], "use csv or parquet"),
        (["freeze", "stories", "--amend", "--reason", "none"], "was never frozen"),
    ],
)
def test_wrong_use_is_told(whole, words, told):
    said = whole.juryline(*words)

    assert said.status == 2
    assert told in said.err


def test_yes_is_a_label_like_any_other(whole):
    answers = [row for row in whole.table("judgment_history") if row["criterion"] == "ending"]

    assert [(row["raw_label"], row["state"], row["label"]) for row in answers] == [("yes", "answered", "earned")] * 3


def test_a_shell_sees_what_is_seen_here(desk):
    desk.drop("votes-empty.csv", b"")

    ended = subprocess.run(
        [sys.executable, "-m", "pipelines.command", "check", "stories"],
        cwd=desk.folder,
        capture_output=True,
        text=True,
        check=False,
    )

    here = desk.check()
    assert (ended.returncode, ended.stdout, ended.stderr) == (here.status, here.out, here.err)
    assert ended.returncode == 1


def test_an_analysis_that_can_give_no_number_is_told_by_a_check_that_finds_nothing_to_refuse(fresh, votes):
    fresh.drop("votes-1.csv", votes("s1"))
    declared = "  - {id: wins, method: win_rates, criterion: overall}\n"
    more = "  - {id: longer, method: length_effects, criterion: overall}\n"
    more += "  - {id: places, method: order_effects, criterion: overall}\n"
    fresh.edit("study.yaml", declared, declared + more)

    said = fresh.check()
    lengths, order = [line for line in said.err.splitlines() if line.startswith("hint: ")]

    assert said.status == 0
    assert "analysis longer compares lengths, and nothing is declared in `outputs`" in lengths
    assert "length_not_recorded" in lengths
    assert "analysis places compares positions, and how their order came about is not declared" in order
    assert "order_not_declared" in order
    assert "Nothing would be refused." in said.err
