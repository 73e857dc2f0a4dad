"""Real labels, read straight from their files: what the coefficients must be is in the data's own README."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from juryline.analyses.agreement import agreement_rows

DATA = Path(__file__).parents[3] / "shared" / "data"
POPULATION = "raters: {populations: [{id: crowd, kind: human}]}\n"
ANALYSIS = "analyses: [{{id: a, method: agreement, rounds: 100, criterion: quality, coefficients: [{0}]{1}}}]"


@pytest.fixture
def run(specification, view):
    def rows(text, judgments, name):
        spec = specification(text)
        views = {kind: view(kind, judgments if kind == name else []) for kind in ("comparisons", "ratings")}
        return agreement_rows(spec.analyses[0], spec, views)

    return rows


def read(path):
    file = DATA / path
    if not file.exists():
        pytest.skip(f"{file} is absent")
    return file.read_text(encoding="utf-8")


def test_pandalm_gives_its_kappas_whichever_system_is_named_first(run, find):
    outcomes = {1: ("answered", "system_1"), 2: ("answered", "system_2"), 0: ("tie", "tie")}
    votes = []
    for comparison in json.loads(read("pairwise_three_raters_pandalm/testset-v1.json")):
        first, second = comparison["cmp_key"].split("_")
        for rater in ("1", "2", "3"):
            state, outcome = outcomes[comparison[f"annotator{rater}"]]
            game = {"case_id": str(comparison["idx"]), "rater": rater, "system_1": first, "system_2": second}
            votes.append(game | {"state": state, "outcome": outcome})
    systems = sorted({vote[side] for vote in votes for side in ("system_1", "system_2")})
    rubric = "rubric: {criteria: [{id: quality, protocol: pairwise}]}\n"
    # Every comparison lists its systems in the order of their names.
    listed = "systems: [" + ", ".join(f"{{id: {system}}}" for system in systems) + "]\n"
    turned = "systems: [" + ", ".join(f"{{id: {system}}}" for system in reversed(systems)) + "]\n"
    analysis = ANALYSIS.format("cohen_kappa", ", orientation: declared")

    rows = run(listed + rubric + POPULATION + analysis, votes, "comparisons")
    other = run(turned + rubric + POPULATION + analysis, votes, "comparisons")

    for pair, symmetrised, oriented in (("1/2", 0.8523, 0.8520), ("1/3", 0.8793, 0.8789), ("2/3", 0.8620, 0.8617)):
        assert find(rows, f"{pair}/cohen_kappa").value == pytest.approx(symmetrised, abs=5e-5)
        assert find(other, f"{pair}/cohen_kappa").value == pytest.approx(symmetrised, abs=5e-5)
        assert find(rows, f"{pair}/cohen_kappa_oriented").value == pytest.approx(oriented, abs=5e-5)


def test_ttcw_experts_agree_as_published(run, find):
    verdicts = json.loads(read("checklist_experts_ttcw/ttcw_annotations.json"))
    tests = {verdict["ttcw_idx"] for verdict in verdicts}
    systems = {verdict["story_id"].split("_", 1)[1] for verdict in verdicts}
    scale = "{measure: nominal, levels: ['Yes', 'No']}"
    criteria = ", ".join(f"{{id: t{test}, protocol: checklist, scale: {scale}}}" for test in sorted(tests))
    text = f"systems: [{', '.join(f'{{id: {system}}}' for system in sorted(systems))}]\n"
    text += f"rubric: {{criteria: [{criteria}]}}\n" + POPULATION
    text += ANALYSIS.format("raw_agreement, fleiss_kappa, gwet_ac1", ", pool: true")
    rows = [
        {
            "criterion": f"t{verdict['ttcw_idx']}",
            "case_id": str(verdict["story_idx"]),
            "rater": f"r{verdict['expert_idx']:03d}",
            "system": verdict["story_id"].split("_", 1)[1],
            "label": verdict["binary_verdict"],
            "protocol": "checklist",
        }
        for verdict in verdicts
    ]

    found = run(text.replace("criterion: quality", "criterion: all"), rows, "ratings")

    for name, expected in (("raw_agreement", 0.7301587), ("fleiss_kappa", 0.4261387), ("gwet_ac1", 0.4906537)):
        assert find(found, f"*/crowd/all/all/{name}").value == pytest.approx(expected, abs=5e-8)


@pytest.mark.parametrize(("criterion", "alpha"), [("correctness", 0.459), ("selection", 0.781), ("overall", 0.798)])
def test_squality_ratings_give_alpha_on_moments(criterion, alpha, run, find):
    rows = [
        {
            "case_id": f"{passage['passage-id']}/{question}",
            "rater": str(review["worker_id"]),
            "system": system,
            "value": float(review[f"{criterion}-rating"]),
        }
        for passage in map(json.loads, read("rating_and_rank_squality/all-responses.jsonl").splitlines())
        for question, answers in passage["questions"].items()
        for system, answer in answers.items()
        for review in answer["reviews"]
    ]
    scale = "{measure: interval, min: 0, max: 100}"
    text = "systems: [{id: bart}, {id: bart-dpr}, {id: human}]\n"
    text += f"rubric: {{criteria: [{{id: quality, protocol: rating, scale: {scale}}}]}}\n" + POPULATION

    found = run(text + ANALYSIS.format("krippendorff_alpha", ""), rows, "ratings")

    assert find(found, "krippendorff_alpha").value == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize(
    ("question", "alpha"), [("informativeness", 0.811), ("naturalness", 0.024), ("quality", 0.009)]
)
def test_rankme_ratings_give_alpha_of_levels_that_hardly_vary(question, alpha, run, find):
    file = DATA / "rating_crowdflower_rankme" / "stp1_likert.zip"
    if not file.exists():
        pytest.skip(f"{file} is absent")
    with zipfile.ZipFile(file) as archive:
        text = archive.read("f1204299.csv").decode()
    rows = [
        {
            "case_id": row["mr_id"],
            "rater": row["_worker_id"],
            "system": row["team"],
            "label": row[question],
            "value": float(row[question]),
        }
        for row in csv.DictReader(io.StringIO(text))
    ]
    systems = ", ".join(f"{{id: {system}}}" for system in sorted({row["system"] for row in rows}))
    scale = "{measure: interval, levels: [1, 2, 3, 4, 5, 6]}"
    spec = f"systems: [{systems}]\nrubric: {{criteria: [{{id: quality, protocol: rating, scale: {scale}}}]}}\n"

    found = run(spec + POPULATION + ANALYSIS.format("krippendorff_alpha", ""), rows, "ratings")

    assert find(found, "krippendorff_alpha").value == pytest.approx(alpha, abs=5e-4)
