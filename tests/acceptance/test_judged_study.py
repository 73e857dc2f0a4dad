"""An invented study of a judge beside human raters, from its exports to its report and back from its numbers."""

import csv
import io
import json
import random
from itertools import combinations

import pytest

pytestmark = pytest.mark.slow

SYSTEMS = ("amber", "birch")
CASES = [f"c{n:02}" for n in range(24)]
HUMANS = ("ann", "bob", "cem")
COLUMNS = ("rater", "case", "left", "right", "winner", "at")
SPECIFICATION = """
juryline: 1
study: judged
title: A judge beside human raters
phase: exploratory
claim: {independent_unit: [case]}
systems: [{id: amber}, {id: birch}]
rubric: {criteria: [{id: overall, protocol: pairwise, question: Which is better?}]}
raters: {populations: [{id: crowd, kind: human}, {id: judge, kind: model}]}
exports:
  - &votes
    match: crowd.csv
    format: table
    read: {as: csv}
    population: crowd
    timezone: UTC
    columns:
      {rater: rater, case: case, candidate_1: left, candidate_2: right, labels: {overall: winner}, submitted_at: at}
    labels: {overall: {left: candidate_1, right: candidate_2, tie: tie, unsure: abstain}}
    not_collected: [started_at]
  - match: judge.csv
    format: table
    read: {as: csv}
    population: judge
    timezone: UTC
    columns:
      {rater: rater, case: case, candidate_1: left, candidate_2: right, labels: {overall: winner}, submitted_at: at}
    labels: {overall: {left: candidate_1, right: candidate_2, tie: tie, unsure: abstain}}
    not_collected: [started_at]
adjudication:
  - {id: most, rule: majority, criterion: overall, min_votes: 3}
assignment: {order: counterbalanced, manifest: assigned.csv}
analyses:
  - {id: agreed, method: agreement, criterion: overall, population: crowd, coefficients: [raw_agreement], rounds: 200}
  - {id: order, method: order_effects, criterion: overall}
  - {id: held, method: judge_agreement, criterion: overall, judge: judge, reference: crowd, batches: month, rounds: 200}
"""


def votes():
    """Rows of both exports: humans saw one order of each case, the judge both, half of the cases a month later."""
    draw = random.Random(11)
    crowd, judge = [], []
    for n, case in enumerate(CASES):
        orders = [SYSTEMS, SYSTEMS[::-1]]
        for rater in HUMANS:
            said = draw.choice(["left", "left", "right", "tie"])
            crowd.append([rater, case, *draw.choice(orders), said, f"2026-01-{1 + n:02}T09:00:00"])
        for place, order in enumerate(orders):
            said = draw.choice(["left", "left", "left", "right", "tie"])
            if (n, place) in ((3, 0), (5, 0), (5, 1)):
                said = "unsure"
            judge.append(["judge-1", case, *order, said, f"2026-0{2 + (n >= 12)}-01T12:{n:02}:0{place}"])
    return crowd, judge


def manifest():
    """Each human was assigned every case, and dan, who never came, one; bob's first was taken from him."""
    cells = [(rater, case) for rater in HUMANS for case in CASES if (rater, case) != ("bob", CASES[0])]
    return [["crowd", rater, case, *SYSTEMS] for rater, case in [*cells, ("dan", CASES[0])]]


def written(rows, columns=COLUMNS):
    text = io.StringIO()
    csv.writer(text).writerows([columns, *rows])
    return text.getvalue()


def label(row):
    _, _, left, right, said, _ = row
    return {"left": left, "right": right}.get(said, said)


def share(hits):
    hits = list(hits)
    return sum(hits) / len(hits)


@pytest.fixture(scope="module")
def judged(workspaces):
    crowd, judge = votes()
    assigned = written(manifest(), ("population", "rater", "case", "candidate_1", "candidate_2"))
    study = workspaces("judged", {"study.yaml": SPECIFICATION, "assigned.csv": assigned})
    study.deliver({"crowd.csv": written(crowd).encode(), "judge.csv": written(judge).encode()})
    study.juryline("check")
    study.freeze().run()
    return study


def in_case(rows, case):
    return [label(row) for row in rows if row[1] == case and row[4] != "unsure"]


def agreements(case):
    crowd, judge = (in_case(rows, case) for rows in votes())
    with_judge = share(a == b for a in crowd for b in judge)
    return with_judge, share(a == b for a, b in combinations(crowd, 2))


def test_a_check_counts_what_was_assigned(judged):
    said = judged.juryline("check")

    assert "assignments  (match: assigned.csv)\n  72 rows, 4 raters, 24 cases\n" in said.out + said.err


def test_what_is_missing_is_missing_of_the_manifest(judged):
    assert judged.estimates("missing_share", analysis="agreed") == {"all": pytest.approx(1 / 72)}
    assigned = judged.table("assignments")
    assert len(assigned) == 72
    assert not {row["rater"] for row in assigned} & {*HUMANS, "dan"}
    assert len({row["rater"] for row in assigned} & {"r001", "r002", "r003"}) == 3


def test_the_judge_is_held_against_raw_labels(judged):
    held = {case: agreements(case) for case in CASES if in_case(votes()[1], case)}
    judge, humans = (share(values) for values in zip(*held.values()))

    assert len(held) == 23
    value = {name: judged.estimates(name, dimensions="{}")["all"] for name in ("judge_agreement", "human_agreement")}
    assert value == pytest.approx({"judge_agreement": judge, "human_agreement": humans})
    assert judged.estimates("judge_minus_human")["all"] == pytest.approx(judge - humans)
    assert judged.estimates("coverage")["all"] == pytest.approx((22 + 0.5) / 24)


def test_the_judge_is_held_against_settled_labels_beside(judged):
    crowd, judge = votes()
    held = []
    for case in CASES:
        said = in_case(crowd, case)
        settled = [answer for answer in set(said) if said.count(answer) > len(said) / 2 or len(set(said)) == 1]
        if settled and in_case(judge, case):
            held.append(share(answer == settled[0] for answer in in_case(judge, case)))

    assert judged.estimates("judge_agreement_adjudicated")["all"] == pytest.approx(share(held))
    (row,) = [row for row in judged.table("estimates") if row["statistic"] == "judge_agreement_adjudicated"]
    assert (json.loads(row["dimensions"]), int(row["n_units"])) == ({"adjudication": "most"}, len(held))
    assert 10 < len(held) < 23


def test_its_agreement_drifts_from_month_to_month(judged):
    february, march = (
        share(agreements(case)[0] for case in cases if in_case(votes()[1], case)) for cases in (CASES[:12], CASES[12:])
    )

    assert judged.estimates("drift")["all"] == pytest.approx(march - february)
    (test,) = [row for row in judged.table("estimates") if row["statistic"] == "drift_t"]
    assert (test["family_size"], test["correction"], test["p_adjusted"]) == ("1", "holm", test["p_value"])
    assert json.loads(test["dimensions"]) == {"batch": "2026-03"}


def test_the_judge_s_positions_are_counted(judged):
    _, judge = votes()
    said = [row[4] for row in judge if row[4] != "unsure"]
    both = [[row[4] for row in judge if row[1] == case] for case in CASES]
    both = [answers for answers in both if "unsure" not in answers]

    def of_judge(name):
        return judged.estimates(name, population="judge", subject="all")["all"]

    assert of_judge("first_share") == pytest.approx(share(answer == "left" for answer in said))
    assert of_judge("tie_share") == pytest.approx(share(answer == "tie" for answer in said))
    assert of_judge("flip_first") == pytest.approx(share(answers == ["left", "left"] for answers in both))
    kept = (["left", "right"], ["right", "left"], ["tie", "tie"])
    assert of_judge("order_consistency") == pytest.approx(share(answers in kept for answers in both))


def test_every_number_leads_to_the_rows_it_was_made_of(judged):
    rows = [row for row in judged.table("estimates") if row["n_judgments"]]

    assert {row["analysis"] for row in rows} == {"agreed", "order", "held"}
    for row in rows:
        if row["statistic"] in (
            "judge_minus_human",
            "drift",
            "coverage",
            "flip_tie",
            "first_advantage",
            "judge_agreement_adjudicated",
        ):
            said = judged.juryline("trace", row["estimate_id"], "--json")
            assert len(json.loads(said.out)["records"]) == int(row["n_judgments"]), row["estimate_id"]


def test_the_report_shows_them_in_words(judged):
    report = (judged.folder / "reports" / "judged.html").read_text(encoding="utf-8")

    for words in (
        "Judge against humans: held",
        "Order effects: order",
        "first shown won, systems balanced",
        "judge minus humans",
        "Drift from the first batch",
        "coverage",
    ):
        assert words in report
