"""Real exports, read whole: every record is accounted for, and the figures known of them come out."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean
from zipfile import ZipFile

import pytest

from juryline.adapters.registry import read_export, recognise

LEVELS = {"measure": "ordinal", "levels": [1, 2, 3, 4, 5]}
YES_NO = {"measure": "nominal", "levels": ["Yes", "No"], "pass": ["Yes"]}
POINTS = {"measure": "interval", "min": 0, "max": 100}


@pytest.fixture
def read_real(real_data, tmp_path, closes, make_spec):
    def reading(path: str, export: dict, *criteria: dict, query: str | None = None):
        if query is not None:
            (tmp_path / "mapping.sql").write_text(query)
            export = {"format": "sql", "query": "mapping.sql"} | export
        spec = make_spec(export, criteria or ({"id": "overall", "protocol": "pairwise"},))
        file = real_data / path
        result = read_export(file, file.name, spec.exports[0], spec, study_dir=tmp_path, scratch=tmp_path)
        assert closes(result)
        assert result.refused.num_rows == 0
        return result

    return reading


def test_toloka_gives_the_mean_ratings_of_its_publication(read_real):
    reading = read_real(
        "rating_toloka_scratchplot/coherence/full-annotation-result.tsv",
        {
            "format": "toloka",
            "columns": {"case": "INPUT:content_plan_id", "candidate_1": "INPUT:system"},
            "criteria": {"category": "coherence"},
        },
        {"id": "coherence", "protocol": "rating", "scale": LEVELS},
    )

    ratings = defaultdict(list)
    for row in reading.rows.to_pylist():
        ratings[row["candidate_1"]].append(int(row["label"]))
    assert reading.n_rows == 600
    assert {system: round(fmean(given), 2) for system, given in ratings.items()} == {
        "scratchplot": 3.99,
        "gpt2": 3.41,
        "fusion": 1.89,
        "progen": 1.88,
    }


def test_slam_positions_follow_the_order_of_keys(read_real, real_data):
    reading = read_real("pairwise_slam/results.zip", {"format": "slam", "time_format": "epoch_s"})

    # Read again here by hand: the first key of a question, as written in the file, is the system shown as A.
    expected = []
    with ZipFile(real_data / "pairwise_slam/results.zip") as archive:
        for name in sorted(name for name in archive.namelist() if name.endswith(".json")):
            for evaluation in json.loads(archive.read(name))["evals"]:
                expected.append((next(iter(evaluation["question"][1])), evaluation["result"]["overall"]))
    rows = reading.rows.to_pylist()
    assert [(row["candidate_1"], row["label"]) for row in rows] == expected
    assert len(expected) == 16


def test_the_verdicts_of_a_judge_keep_their_failures(read_real, real_data):
    query = r"""
    SELECT source_row, filename, 'gpt-4' AS rater, record->>'question_id' AS case_id, 'overall' AS criterion,
           regexp_extract(filename, '^(.*?)-vs-(.*?)-gpt-4-reviewer', 1) AS candidate_1,
           regexp_extract(filename, '^(.*?)-vs-(.*?)-gpt-4-reviewer', 2) AS candidate_2,
           record->>'score' AS label, record->>'text' AS rationale
    FROM export
    """
    files = sorted((real_data / "pairwise_llm_judge_qlora").iterdir())[:4]
    assert len(files) == 4

    for file in files:
        reading = read_real(f"pairwise_llm_judge_qlora/{file.name}", {"read": {"as": "jsonl"}}, query=query)

        first, second = file.name.split("-gpt-4-reviewer")[0].split("-vs-")
        scores = [json.loads(line)["score"] for line in file.read_text().splitlines()]
        assert reading.rows["label"].to_pylist() == [str(score) for score in scores]
        assert set(reading.rows["candidate_1"].to_pylist()) == {first}
        assert set(reading.rows["candidate_2"].to_pylist()) == {second}


def test_three_raters_in_one_record_are_three_judgments(read_real):
    query = """
    SELECT source_row, record->>'idx' AS case_id, split_part(record->>'cmp_key', '_', 1) AS candidate_1,
           split_part(record->>'cmp_key', '_', 2) AS candidate_2, 'overall' AS criterion,
           unnest(['annotator1', 'annotator2', 'annotator3']) AS rater, record->>rater AS label
    FROM export
    """
    reading = read_real("pairwise_three_raters_pandalm/testset-v1.json", {"read": {"as": "json"}}, query=query)

    assert (reading.n_rows, reading.rows.num_rows) == (999, 2997)
    assert Counter(reading.rows["rater"].to_pylist()) == {f"annotator{i}": 999 for i in (1, 2, 3)}
    assert set(reading.rows["label"].to_pylist()) == {"0", "1", "2"}


def test_the_experts_checklist_gives_the_published_shares(read_real):
    query = """
    SELECT source_row, record->>'expert_idx' AS rater, record->>'story_idx' AS case_id,
           regexp_extract(record->>'story_id', '_(.*)', 1) AS candidate_1, 'passed' AS criterion,
           record->>'binary_verdict' AS label, record->>'explanation' AS rationale
    FROM export
    """
    reading = read_real(
        "checklist_experts_ttcw/ttcw_annotations.json",
        {"read": {"as": "json"}},
        {"id": "passed", "protocol": "checklist", "scale": YES_NO},
        query=query,
    )

    rows = reading.rows.to_pylist()
    passed = {system: [r["label"] == "Yes" for r in rows if r["candidate_1"] == system] for system in SHARES}
    assert reading.n_rows == 48 * 14 * 3
    assert {system: round(100 * fmean(hits), 1) for system, hits in passed.items()} == SHARES


SHARES = {"NewYorker": 84.7, "Claude": 30.0, "GPT4": 27.8, "GPT3.5": 8.7}


def test_ratings_four_levels_deep_give_the_published_means(read_real):
    query = """
    WITH questions AS (
        SELECT source_row, record->>'passage-id' AS passage, record->'questions' AS whole,
               unnest(json_keys(record->'questions')) AS question
        FROM export
    ), systems AS (
        SELECT *, whole->question AS shown, unnest(json_keys(whole->question)) AS system FROM questions
    ), reviews AS (
        SELECT *, unnest(json_extract(shown->system, '$.reviews[*]')) AS review FROM systems
    )
    SELECT source_row, passage || '/' || question AS case_id, system AS candidate_1, review->>'worker_id' AS rater,
           unnest(['correctness', 'selection', 'overall']) AS criterion, review->>(criterion || '-rating') AS label
    FROM reviews
    """
    criteria = [{"id": id, "protocol": "rating", "scale": POINTS} for id in ("correctness", "selection", "overall")]
    reading = read_real(
        "rating_and_rank_squality/all-responses.jsonl", {"read": {"as": "jsonl"}}, *criteria, query=query
    )

    ratings = defaultdict(list)
    for row in reading.rows.to_pylist():
        ratings[row["criterion"], row["candidate_1"]].append(float(row["label"]))
    means = {key: round(fmean(given), 1) for key, given in ratings.items()}
    assert means == {
        **{("correctness", "bart"): 34.8, ("correctness", "bart-dpr"): 45.4, ("correctness", "human"): 94.1},
        **{("selection", "bart"): 15.6, ("selection", "bart-dpr"): 24.3, ("selection", "human"): 88.8},
        **{("overall", "bart"): 18.1, ("overall", "bart-dpr"): 27.9, ("overall", "human"): 91.3},
    }


def test_a_csv_in_a_zip_is_read_with_quoted_cells(read_real):
    named = ("informativeness", "naturalness", "quality")
    criteria = [{"id": id, "protocol": "rating", "scale": POINTS} for id in named]
    reading = read_real(
        "rating_crowdflower_rankme/stp1_likert.zip",
        {
            "format": "table",
            "read": {"as": "csv"},
            "columns": {
                **{"rater": "_worker_id", "case": "mr_id", "candidate_1": "team", "submitted_at": "_created_at"},
                "labels": {id: id for id in named},
            },
            "not_collected": ["started_at"],
        },
        *criteria,
    )

    assert reading.found["member"] == "f1204299.csv"
    assert reading.rows.num_rows == 3 * reading.n_rows
    assert set(reading.rows["label"].to_pylist()) <= set("123456")


def test_a_file_without_a_header_is_read_by_declared_names(read_real):
    names = ["annotator", "system", "item", "kind", "source", "target", "score"]
    reading = read_real(
        "formats/appraise/example_direct.scores.csv.expected",
        {
            "format": "table",
            "read": {"as": "csv", "header": names},
            "columns": {"rater": "annotator", "case": "item", "candidate_1": "system", "labels": {"overall": "score"}},
        },
        {"id": "overall", "protocol": "rating", "scale": POINTS},
    )

    assert reading.rows["label"].to_pylist()[:3] == ["10", "20", "30"]


@pytest.mark.parametrize(
    ("file", "control", "labels"),
    [
        ("test_export_csv/csv_test.json", "label", ["Car", '["Car", "Car"]']),
        ("test_export_csv/csv_test_history.json", "sentiment", ["Positive"]),
        ("test_export_csv/csv_test_colliding_keys_mixed.json", "text", ["positive"]),
        ("test_export_json_min/data.json", "label", ["Airplane"]),
        ("test_export_json_min/data_repeater.json", "categories_0", ['[["Archaea"]]']),
    ],
)
def test_label_studio_exports_are_read(read_real, file, control, labels):
    reading = read_real(
        f"formats/label_studio/{file}",
        {"format": "label_studio", "columns": {"candidate_1": {"constant": "a"}, "labels": {"overall": control}}},
        {"id": "overall", "protocol": "rating", "scale": {"measure": "nominal", "levels": ["x", "y"]}},
    )

    assert reading.rows["label"].to_pylist() == labels
    assert None not in reading.rows["rater"].to_pylist()


def test_exports_are_recognised(real_data: Path):
    expected = {
        "rating_toloka_scratchplot/coherence/full-annotation-result.tsv": "toloka",
        "pairwise_slam/results.zip": "slam",
        "formats/label_studio/test_export_csv/csv_test.json": "label_studio",
        "formats/argilla/records.json": "json",
        "formats/prodigy/annotated_textcat.jsonl": "jsonl",
        "formats/qualtrics/sample.csv": "csv",
        "rating_crowdflower_rankme/stp1_likert.zip": "csv",
        "README.md": None,
    }

    assert {name: recognise(real_data / name) for name in expected} == expected
