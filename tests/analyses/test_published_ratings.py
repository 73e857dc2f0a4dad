"""Figures of published studies, through the analyses, from the exports that lie beside the checkout."""

import csv
import json
from pathlib import Path

import pytest

from juryline.analyses.likert import likert_rows
from juryline.analyses.pass_rates import pass_rates_rows

DATA = Path(__file__).parents[3] / "shared" / "data"
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "pass_rates.json").read_text())

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no published exports at {DATA}")


def test_ttcw_shares_of_yes(specification, view):
    verdicts = json.loads((DATA / "checklist_experts_ttcw" / "ttcw_annotations.json").read_text())
    tests = sorted({f"t{verdict['ttcw_idx']}" for verdict in verdicts})
    scale = '{measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}'
    spec = specification(
        "systems: [{id: NewYorker}, {id: Claude}, {id: GPT4}, {id: GPT3.5}]\n"
        f"rubric: {{criteria: [{', '.join(f'{{id: {t}, protocol: checklist, scale: {scale}}}' for t in tests)}]}}\n"
        "raters: {populations: [{id: crowd, kind: human}]}\n"
        "claim: {independent_unit: case}\n"
        "analyses: [{id: tests, method: pass_rates, criterion: all, pool: true}]"
    )
    rows = [
        {
            "rater": f"e{verdict['expert_idx']}",
            "case_id": str(verdict["story_idx"]),
            "system": verdict["story_id"].split("_", 1)[1],
            "criterion": f"t{verdict['ttcw_idx']}",
            "protocol": "checklist",
            "label": verdict["binary_verdict"],
        }
        for verdict in verdicts
    ]

    estimates = {e.estimate_id: e for e in pass_rates_rows(spec.analyses[0], spec, view("ratings", rows))}

    for system, share in GOLDEN["ttcw"]["share_yes"].items():
        row = estimates[f"tests/*/crowd/all/{system}/share/label=Yes"]
        assert row.value == pytest.approx(share, abs=GOLDEN["ttcw"]["tolerance"])
        assert (row.n_judgments, row.n_clusters) == (504, 12)
        assert row.ci_low < row.value < row.ci_high


def test_squality_means(specification, view):
    lines = (DATA / "rating_and_rank_squality" / "all-responses.jsonl").read_text().splitlines()
    criteria = ("correctness", "coverage", "overall")
    exported = dict(zip(criteria, ("correctness-rating", "selection-rating", "overall-rating")))
    scale = "{measure: interval, min: 0, max: 100}"
    spec = specification(
        "systems: [{id: bart}, {id: bart-dpr}, {id: human, reference: true}]\n"
        f"rubric: {{criteria: [{', '.join(f'{{id: {c}, protocol: rating, scale: {scale}}}' for c in criteria)}]}}\n"
        "raters: {populations: [{id: crowd, kind: human}]}\n"
        "claim: {independent_unit: [rater, passage]}\n"
        "analyses: [{id: means, method: likert, criterion: all}]"
    )
    rows = [
        {
            "rater": str(review["worker_id"]),
            "case_id": f"{passage['passage-id']}/{question}",
            "case_attributes": [("passage", passage["passage-id"])],
            "system": system,
            "criterion": criterion,
            "value": float(review[exported[criterion]]),
        }
        for passage in map(json.loads, lines)
        for question, systems in passage["questions"].items()
        for system, judged in systems.items()
        for review in judged["reviews"]
        for criterion in criteria
    ]

    estimates = {e.estimate_id: e for e in likert_rows(spec.analyses[0], spec, view("ratings", rows))}

    published = {"correctness": (34.8, 45.4, 94.1), "coverage": (15.6, 24.3, 88.8), "overall": (18.1, 27.9, 91.3)}
    for criterion, means in published.items():
        for system, mean in zip(("bart", "bart-dpr", "human"), means):
            assert estimates[f"means/{criterion}/crowd/all/{system}/mean"].value == pytest.approx(mean, abs=0.05)
    assert estimates["means/overall/crowd/all/bart/human/mean_difference"].value < -50
    assert estimates["means/overall/crowd/all/bart/mean"].n_clusters == 4


def test_scratchplot_mean_coherence(specification, view):
    with (DATA / "rating_toloka_scratchplot" / "coherence" / "full-annotation-result.tsv").open(newline="") as file:
        exported = list(csv.DictReader(file, delimiter="\t"))
    spec = specification(
        "systems: [{id: scratchplot}, {id: gpt2}, {id: fusion}, {id: progen}]\n"
        "rubric: {criteria: [{id: quality, protocol: rating, scale: {measure: ordinal, levels: [1, 2, 3, 4, 5]}}]}\n"
        "raters: {populations: [{id: crowd, kind: human}]}\n"
        "analyses: [{id: means, method: likert, criterion: quality}]"
    )
    rows = [
        {
            "rater": row["ASSIGNMENT:worker_id"],
            "case_id": row["INPUT:content_plan_id"],
            "system": row["INPUT:system"],
            "label": row["OUTPUT:category"],
            "value": float(row["OUTPUT:category"]),
        }
        for row in exported
    ]

    estimates = {e.estimate_id: e for e in likert_rows(spec.analyses[0], spec, view("ratings", rows))}

    means = {"scratchplot": 3.99, "gpt2": 3.41, "fusion": 1.89, "progen": 1.88}
    for system, mean in means.items():
        assert estimates[f"means/quality/crowd/all/{system}/mean"].value == pytest.approx(mean, abs=0.005)
