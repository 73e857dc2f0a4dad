"""Where every row of the real exports went, against counts made here of the files themselves."""

import csv
import json
import re
from collections import Counter
from zipfile import ZipFile

import pytest

from data_contracts.vocabulary import State

pytestmark = pytest.mark.slow

STUDIES = ["qlora", "food", "simple", "slam", "scratchplot", "squality", "pandalm", "ttcw"]
FAILED = "'-1"  # an exported text that a spreadsheet would take for a formula has an apostrophe before it
PARTS_OF_SQUALITY = ("correctness", "selection", "overall")


def counted(name, exports):
    """Records of the files of a study, and its answers by state."""
    read = {
        "qlora": verdicts_of_a_judge,
        "food": matches,
        "simple": matches,
        "slam": positions,
        "scratchplot": rated_stories,
        "squality": reviews,
        "pandalm": votes,
        "ttcw": checked_stories,
    }[name]
    files = [read(path) for path in exports.values()]
    return sum(records for records, _ in files), sum((states for _, states in files), Counter())


def verdicts_of_a_judge(path):
    scores = [json.loads(line)["score"] for line in path.read_text(encoding="utf-8").splitlines()]
    meanings = {1: State.ANSWERED, 2: State.ANSWERED, 3: State.TIE}
    return len(scores), Counter(meanings.get(score, State.INVALID) for score in scores)


def matches(path):
    with path.open(encoding="utf-8") as file:
        winners = [row["winner"] for row in csv.DictReader(file)]
    return len(winners), Counter(State.TIE if winner == "tie" else State.ANSWERED for winner in winners)


def positions(path):
    with ZipFile(path) as archive:
        results = [json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")]
    verdicts = [evaluation["result"]["overall"] for result in results for evaluation in result["evals"]]
    states = [State.TIE if verdict == "About the Same" else State.ANSWERED for verdict in verdicts]
    return len(verdicts), Counter(states)


def rated_stories(path):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return len(rows), Counter(State.ANSWERED for row in rows if row["OUTPUT:category"] in "12345")


def reviews(path):
    passages = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    given = [
        review[f"{criterion}-{answer}"]
        for passage in passages
        for systems in passage["questions"].values()
        for shown in systems.values()
        for review in shown["reviews"]
        for criterion in PARTS_OF_SQUALITY
        for answer in ("rating", "rank")
    ]
    return len(passages), Counter(State.ANSWERED for answer in given if 0 <= int(answer) <= 100)


def votes(path):
    comparisons = json.loads(path.read_text(encoding="utf-8"))
    given = [comparison[f"annotator{rater}"] for comparison in comparisons for rater in (1, 2, 3)]
    return len(comparisons), Counter(State.TIE if vote == 0 else State.ANSWERED for vote in given)


def checked_stories(path):
    verdicts = json.loads(path.read_text(encoding="utf-8"))
    return len(verdicts), Counter(State.ANSWERED for verdict in verdicts if verdict["binary_verdict"] in ("Yes", "No"))


@pytest.mark.parametrize("name", STUDIES)
def test_every_row_of_the_files_is_mapped_and_every_answer_included(real, exports_of, name):
    records, states = counted(name, exports_of(name))

    flow = flow_of(real(name))

    assert flow["export_rows"] == {"mapped": records, "total": records}
    assert flow["answers"] == {"new": states.total(), "total": states.total()}
    assert flow["judgments"] == {"current": states.total(), "total": states.total()}
    assert flow["current"] == {"included": states.total(), "total": states.total()}
    assert not real(name).table("quarantine")
    assert not real(name).table("exclusion_decisions")


@pytest.mark.parametrize("name", STUDIES)
def test_states_are_those_of_the_files(real, exports_of, name):
    _, states = counted(name, exports_of(name))

    assert Counter(row["state"] for row in real(name).table("judgments")) == states


@pytest.mark.parametrize("name", STUDIES)
def test_the_run_prints_a_flow_that_closes_and_is_the_exported_one(real, name):
    printed = {
        step.replace(" ", "_"): (int(total), {reason: int(n) for n, reason in re.findall(r"(\d+) (\S+)", parts)})
        for total, step, parts in re.findall(r"^ *(\d+) ([a-z ]+) = (.*)$", real.finished(name).ran.err, re.MULTILINE)
    }

    assert all(sum(parts.values()) == total for total, parts in printed.values())
    assert {step: parts | {"total": total} for step, (total, parts) in printed.items()} == flow_of(real(name))


@pytest.mark.parametrize("name", STUDIES)
def test_check_said_before_what_the_run_would_accept(real, exports_of, name):
    records, states = counted(name, exports_of(name))
    said = real.finished(name).checked.err

    assert "Nothing would be refused." in said
    assert sum(map(int, re.findall(r"(\d+) mapped", said))) == records
    assert sum(map(int, re.findall(r"(\d+) answers accepted", said))) == states.total()


def test_the_thirteen_failed_verdicts_are_invalid_and_no_ties(real):
    judgments = real("qlora").table("judgments")
    failed = [row for row in judgments if row["raw_label"] == FAILED]
    ties = [row for row in judgments if row["state"] == State.TIE]

    assert len(failed) == 13
    assert {(row["state"], row["label"], row["value"]) for row in failed} == {(State.INVALID, "", "")}
    assert {row["raw_label"] for row in ties} == {"3"}
    outcomes = {row["record_id"]: row["outcome"] for row in real("qlora").table("comparisons")}
    assert {outcomes[row["record_id"]] for row in failed} == {""}
    games = real("qlora").estimates("games", analysis="wins", comparator="")
    assert games["gpt4"] == sum("answer-gpt4" in pair(row) and row["raw_label"] != FAILED for row in judgments)


def test_no_raw_id_of_a_rater_is_written_outside_the_stored_exports(real, exports_of):
    study = real("scratchplot")
    raw_ids = set()
    for path in exports_of("scratchplot").values():
        with path.open(encoding="utf-8", newline="") as file:
            raw_ids |= {row["ASSIGNMENT:worker_id"].encode() for row in csv.DictReader(file, delimiter="\t")}
    kept_as_exported = (study.exports, study.folder / "raw")
    written = [
        path
        for path in study.root.rglob("*")
        if path.is_file() and not any(path.is_relative_to(folder) for folder in kept_as_exported)
    ]

    assert len(raw_ids) > 10
    assert any(path.suffix == ".csv" for path in written)
    assert any(path.suffix == ".html" for path in written)
    assert not [path for path in written if any(raw_id in path.read_bytes() for raw_id in raw_ids)]


def flow_of(study):
    """The exported record flow without reasons that nothing has."""
    flow = {}
    for row in study.table("record_flow"):
        if int(row["n"]):
            flow.setdefault(row["step"], {})[row["reason"]] = int(row["n"])
    return flow


def pair(row):
    return row["candidate_1"], row["candidate_2"]
