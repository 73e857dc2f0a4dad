"""Adjudicated labels in analyses of a study whose raters are of two populations: whose the numbers are."""

import duckdb
import pytest

from juryline.study.exporting import export_tables
from juryline.study.run import open_run
from juryline.study.tracing import trace
from pipelines.runs import run_study

EXPORT = """
    format: table
    read: {as: csv}
    columns: {rater: who, case: p, candidate_1: left, candidate_2: right, labels: {overall: pick}}
    labels: {overall: {left: candidate_1, right: candidate_2}}
    not_collected: [started_at, submitted_at]"""
SPECIFICATION = f"""\
juryline: 1
study: settled
systems: [{{id: a}}, {{id: b}}]
rubric: {{criteria: [{{id: overall, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}, {{id: lab, kind: human}}, {{id: gpt, kind: model}}]}}
exports:
  - match: "crowd.csv"
    population: crowd{EXPORT}
  - match: "lab.csv"
    population: lab{EXPORT}
  - match: "gpt.csv"
    population: gpt{EXPORT}
adjudication: [{{id: most, rule: majority, criterion: overall, min_votes: 2}}]
analyses:
  - {{id: wins, method: win_rates, criterion: overall, labels: most}}
sensitivity: {{analyses: [wins], adjudication: all}}
"""
RAW = "@exclusions=all;adjudication=raw"
# Of three stories, a wins p1 with both populations, b wins p2 by one of each against one, and p3 is split.
VOTES = {
    "crowd": [("c1", "p1", "left"), ("c1", "p2", "left"), ("c2", "p2", "right"), ("c1", "p3", "left")],
    "lab": [("l1", "p1", "left"), ("l1", "p2", "right"), ("l1", "p3", "right")],
    "gpt": [("gpt", "p1", "right"), ("gpt", "p2", "right"), ("gpt", "p3", "right")],
}


@pytest.fixture(scope="module")
def place(place_of):
    place = place_of("settled labels")
    folder = place.study("settled", export=None, specification=SPECIFICATION.replace("{", "{{").replace("}", "}}"))
    for population, votes in VOTES.items():
        lines = [f"{rater},{case},a,b,{pick}\n" for rater, case, pick in votes]
        (folder / "exports" / f"{population}.csv").write_text("who,p,left,right,pick\n" + "".join(lines))
    with pytest.MonkeyPatch.context() as environment:
        for name in ("JURYLINE_KEY", "JURYLINE_KEY_FILE"):
            environment.delenv(name, raising=False)
        environment.setenv("DAGSTER_HOME", "")  # a run sets its own, which is undone with this
        run_study(place.workspace, "settled")
    return place


@pytest.fixture(scope="module")
def rows(place):
    with open_run(place.workspace, "settled") as run:
        table = run.engine.backend.to_pyarrow(run.table("estimates"))
    return {row["estimate_id"]: row for row in table.to_pylist()}


def test_rows_of_labels_are_of_the_populations_that_vote_pooled_and_stand_once(rows):
    assert {row["population"] for row in rows.values()} == {"crowd+lab"}
    assert rows["wins/overall/crowd+lab/all/a/win_rate"]["value"] == 1 / 2
    assert rows["wins/overall/crowd+lab/all/a/win_rate"]["n_missing"] == 1


def test_labels_are_clustered_by_case_and_raw_votes_as_declared(rows):
    of_labels, raw = (rows[f"wins/overall/crowd+lab/all/a/win_rate{scenario}"] for scenario in ("", RAW))

    assert (of_labels["n_clusters"], of_labels["n_cases"], of_labels["ci_status"]) == (2, 2, "ok")
    assert (raw["n_clusters"], raw["n_raters"]) == (3, 3)


def test_labels_are_held_against_the_raw_votes_of_the_same_populations(rows):
    raw = rows[f"wins/overall/crowd+lab/all/a/win_rate{RAW}"]

    assert (raw["value"], raw["n_judgments"]) == (4 / 7, 7)
    assert rows["wins/overall/crowd+lab/all/a/b/cells/of=win_rate_half"]["value"] == 2


def test_the_source_of_every_number_runs_over_an_export_and_gives_its_judgments(place, rows, tmp_path):
    export_tables(place.workspace, "settled", tmp_path, "parquet")

    with duckdb.connect() as connection:
        for file in tmp_path.glob("*.parquet"):
            connection.execute(f"CREATE VIEW {file.stem} AS FROM '{file}'")
        told = {
            id for (id,) in connection.execute("SELECT record_id FROM judgments WHERE population <> 'gpt'").fetchall()
        }
        given = {id: {r for (r,) in connection.execute(row["source"]).fetchall()} for id, row in rows.items()}
    assert set().union(*given.values()) == told
    assert len(given["wins/overall/crowd+lab/all/a/win_rate"]) == 5  # the votes of p1 and p2, which have a label
    assert given[f"wins/overall/crowd+lab/all/a/win_rate{RAW}"] == told


def test_a_label_is_traced_to_its_votes_and_forward_to_the_numbers_made_of_it_and_not_to_raw_ones(place):
    with open_run(place.workspace, "settled") as run:
        labels = run.engine.backend.to_pyarrow(run.table("adjudicated_labels")).to_pylist()
    (label,) = [label["label_id"] for label in labels if label["case_id"] == "p1"]

    told = trace(place.workspace, "settled", label)

    assert len(told["records"]) == 2
    assert "wins/overall/crowd+lab/all/a/win_rate" in told["estimates"]
    assert not any(id.endswith("adjudication=raw") for id in told["estimates"])
