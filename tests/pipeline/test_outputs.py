"""A study that declares what its systems wrote, from the files to the numbers made of their lengths, and back."""

import json
import os
from itertools import combinations
from unittest import mock

import pytest

from data_contracts.errors import GateError, SpecificationError
from data_contracts.specification import parse_specification
from juryline.ledger.workspace import Workspace
from juryline.study.dry_run import dry_run
from juryline.study.exports import look_into
from juryline.study.run import StudyRun
from juryline.study.tracing import trace
from pipelines.runs import run_study

pytestmark = pytest.mark.slow

SYSTEMS = "abcde"
CASES = ("p1", "p2", "p3", "p4")
SPECIFICATION = """\
juryline: 1
study: lengths
systems: [{id: a, blinded: w1}, {id: b, blinded: w2}, {id: c, blinded: w3}, {id: d, blinded: w4}, {id: e, blinded: w5}]
rubric: {criteria: [{id: overall, protocol: pairwise}]}
raters: {populations: [{id: crowd, kind: human}, {id: judge, kind: model}]}
exports:
  - match: "votes.csv"
    format: table
    read: {as: csv}
    population: crowd
    columns: {rater: who, case: prompt, candidate_1: left, candidate_2: right, labels: {overall: pick}}
    labels: {overall: {left: candidate_1, right: candidate_2, same: tie}}
    not_collected: [started_at, submitted_at]
  - match: "verdicts.csv"
    format: table
    read: {as: csv}
    population: judge
    columns: {case: prompt, candidate_1: left, candidate_2: right, labels: {overall: pick}}
    labels: {overall: {left: candidate_1, right: candidate_2, same: tie}}
    not_collected: [started_at, submitted_at]
outputs: {match: "outputs.jsonl", columns: {case: prompt, system: writer, text: story}}
analyses:
  - {id: length, method: length_effects, criterion: overall}
  - {id: recal, method: recalibration, criterion: overall, judge: judge, reference: crowd}
"""
WORDS = {"a": 12, "b": 9, "c": 6, "d": 3, "e": 7}
SECRET = "unheard-of"


def story(system, case):
    """Long stories by `a`, short ones by `d`; case p4 turns it round."""
    n = 15 - WORDS[system] if case == "p4" else WORDS[system]
    return " ".join([SECRET] * n)


def picked(rater, case, left, right):
    """Raters like the longer one, but for one in four answers; the judge likes what comes first in the alphabet."""
    if rater == "judge":
        return "left" if left < right else "right"
    longer = "left" if len(story(left, case)) > len(story(right, case)) else "right"
    turned = (ord(left) + 3 * ord(right) + int(case[1]) + len(rater)) % 4 == 0
    return {"left": "right", "right": "left"}[longer] if turned else longer


def votes(*raters):
    rows = [
        f"{rater},{case},{blinded(left)},{blinded(right)},{picked(rater, case, left, right)}"
        for rater in raters
        for case in CASES
        for left, right in combinations(SYSTEMS, 2)
    ]
    return "who,prompt,left,right,pick\n" + "\n".join(rows) + "\n"


def blinded(system):
    return f"w{SYSTEMS.index(system) + 1}"


def outputs(*more):
    """A story of each system for each case but one, under either of its names, and one of a stranger."""
    written = [(case, system) for case in CASES for system in SYSTEMS if (case, system) != ("p3", "e")]
    rows = [
        {"prompt": case, "writer": system if case == "p1" else blinded(system), "story": story(system, case)}
        for case, system in written
    ]
    rows.append({"prompt": "p1", "writer": "f", "story": SECRET})
    return "".join(json.dumps(row) + "\n" for row in (*rows, *more))


@pytest.fixture(scope="module", autouse=True)
def environment():
    """A run points DAGSTER_HOME at its own workspace: not for the tests of others."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("JURYLINE", "DAGSTER"))}
    with mock.patch.dict(os.environ, clean, clear=True):
        yield


@pytest.fixture(scope="module")
def workspace(place_of):
    workspace = place_of("outputs").workspace
    folder = workspace.root / "lengths" / "exports"
    folder.mkdir(parents=True)
    (workspace.root / "lengths" / "study.yaml").write_text(SPECIFICATION, encoding="utf-8")
    (folder / "votes.csv").write_text(votes("ann", "bert", "cleo-m"), encoding="utf-8")
    (folder / "verdicts.csv").write_text(votes("judge"), encoding="utf-8")
    (folder / "outputs.jsonl").write_text(outputs(), encoding="utf-8")
    return workspace


@pytest.fixture(scope="module")
def run(workspace):
    return run_study(workspace, "lengths")


def rows_of(workspace: Workspace, table: str) -> list[dict]:
    study = StudyRun(workspace, "lengths")
    try:
        return study.engine.backend.to_pyarrow(study.table(table)).to_pylist()
    finally:
        study.engine.close()


def estimates(workspace):
    return {row["estimate_id"]: row for row in rows_of(workspace, "estimates")}


def test_a_check_counts_the_outputs_and_writes_nothing(workspace):
    verdict = dry_run(workspace, "lengths")

    assert verdict.clean
    assert verdict.unmatched == ()
    assert verdict.outputs.counts == {
        "rows": 20,
        "outputs": 19,
        "without a length": 0,
        "of no system of the study: f": 1,
    }


def test_lengths_are_those_of_the_files(workspace, run):
    found = {(row["case_id"], row["system"]): row["length"] for row in rows_of(workspace, "output_lengths")}

    assert len(found) == 19
    assert (found["p1", "a"], found["p2", "d"], found["p4", "a"]) == (12, 3, 3)


def test_the_numbers_of_lengths_count_what_was_shown(workspace, run):
    found = estimates(workspace)
    prefix = "length/overall/crowd/all/"
    longer = sum(
        len(story("a", case)) > len(story(other, case))
        for case in CASES
        for other in "bcde"
        if (case, other) != ("p3", "e")
    )

    assert found[prefix + "a/p_longer"]["value"] == longer / 15
    assert found[prefix + "a/length_unknown"]["value"] == 3
    assert found[prefix + "all/length_unknown"]["value"] == 12
    assert found[prefix + "all/longer_wins"]["value"] > 0.6
    assert found[prefix + "a/length_contrast_t"]["family_size"] == 5
    assert run["estimates"]["total"] == len(found)


def test_a_number_is_traced_to_the_rows_it_is_made_of(workspace, run):
    id = "length/overall/crowd/all/a/length_contrast"

    told = trace(workspace, "lengths", id)

    assert len(told["records"]) == told["is"]["n_judgments"] == 45
    assert {row["export_path"] for row in told["records"]} == {"votes.csv"}
    one = trace(workspace, "lengths", told["records"][0]["record_id"])
    assert id in one["estimates"]


def test_a_recalibrated_judge_is_marked_as_development_and_traced_to_both_populations(workspace, run):
    found = estimates(workspace)
    rows = {id: row for id, row in found.items() if row["analysis"] == "recal"}
    judge, humans = (found[f"recal/overall/{population}/all/a/p_win"]["value"] for population in ("judge", "crowd"))
    beta = found["recal/overall/judge/all/a/beta"]["value"]

    told = trace(workspace, "lengths", "recal/overall/judge/all/a/adjusted_judge_score")

    assert {"development" in row["reason"] for row in rows.values()} == {True}
    assert beta == pytest.approx(humans / found["recal/overall/crowd/all/a/p_longer"]["value"])
    assert told["is"]["value"] == pytest.approx(judge * beta)
    assert len(told["records"]) == told["is"]["n_judgments"] == 60
    assert {row["export_path"] for row in told["records"]} == {"votes.csv", "verdicts.csv"}
    assert found["recal/overall/judge/all/all/spearman_after"]["n_units"] == 5


def test_the_report_tells_of_lengths_and_no_text_leaves_the_files(workspace, run):
    page = (workspace.root / "lengths" / "reports" / "lengths.html").read_text(encoding="utf-8")

    assert "Length effects: length" in page
    assert "Winning with the longer output" in page
    assert "Recalibration by length: recal" in page
    assert "Development, not a result" in page
    assert page.count("control: the factor alone, without a judge") > 1  # in the table, and in the chart
    assert SECRET not in page
    holding = [
        path
        for folder in ("tables", "ledger", "reports")
        for path in (workspace.root / "lengths" / folder).rglob("*")
        if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert holding == []


def test_a_file_of_outputs_that_an_export_matches_too_is_refused(workspace):
    spec = parse_specification(SPECIFICATION.replace('"outputs.jsonl"', '"*.csv"'))

    with pytest.raises(SpecificationError, match=r"verdicts\.csv is matched by an export and by `outputs`"):
        look_into(workspace.root / "lengths" / "exports", spec)


def test_two_texts_of_one_output_stop_the_run_and_are_told_by_a_check(workspace, run):
    file = workspace.root / "lengths" / "exports" / "outputs.jsonl"
    before = file.read_text(encoding="utf-8")
    file.write_text(outputs({"prompt": "p1", "writer": "w1", "story": "another"}), encoding="utf-8")
    try:
        verdict = dry_run(workspace, "lengths")
        with pytest.raises(GateError, match="two texts or two lengths, such as case p1, system a") as refused:
            run_study(workspace, "lengths")
    finally:
        file.write_text(before, encoding="utf-8")

    assert not verdict.clean
    assert verdict.outputs.refused == str(refused.value)
    assert refused.value.where == "exports/outputs.jsonl, row 1 and 21"
