"""What a study may claim, from exports that were really taken in: times that no answer can have."""

from datetime import UTC, datetime, timedelta

import pytest

from data_contracts.vocabulary import StudyStatus
from juryline.study.freezing import freeze_study
from juryline.study.run import open_run
from juryline.study.standing import study_standing
from pipelines.runs import run_study

EXPORT = """
    format: table
    read: {as: csv}
    population: crowd
    columns: {rater: who, case: p, candidate_1: left, candidate_2: right, labels: {overall: pick}, submitted_at: at}
    labels: {overall: {left: candidate_1, right: candidate_2}}
    not_collected: [started_at]
"""
SPECIFICATION = f"""\
juryline: 1
study: votes
phase: confirmatory
planned: {{judgments: 2}}
systems: [{{id: a}}, {{id: b}}]
rubric: {{criteria: [{{id: overall, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}]}}
exports:
  - match: "pilot.csv"
    phase: pilot{EXPORT}
  - match: "votes.csv"{EXPORT}
analyses: [{{id: wins, method: win_rates, criterion: overall}}]
"""
FREEZE = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def standing_of(place_of, monkeypatch):
    """Freeze a study, take in votes submitted at some times, and tell what it may claim."""
    for name in ("JURYLINE_KEY", "JURYLINE_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DAGSTER_HOME", "")  # a run sets its own, which is undone with this

    def told(specification=SPECIFICATION, mended=None, **exports):
        place = place_of("submission times")
        folder = place.study("votes", export=None, specification=specification.replace("{", "{{").replace("}", "}}"))
        for name, times in exports.items():
            rows = [f"r{nr},p{nr},a,b,left,{at.isoformat()}\n" for nr, at in enumerate(times)]
            (folder / "exports" / f"{name}.csv").write_text("who,p,left,right,pick,at\n" + "".join(rows))
        freeze_study(place.workspace, "votes", amend=False, reason="", now=FREEZE)
        run_study(place.workspace, "votes", select="*analysis_set")
        if mended is not None:
            (folder / "study.yaml").write_text(mended)
            freeze_study(place.workspace, "votes", amend=True, reason="a test row", now=FREEZE)
            run_study(place.workspace, "votes", select="*analysis_set")
        with open_run(place.workspace, "votes") as run:
            return study_standing(run)

    return told


def test_times_between_the_freeze_and_the_intake_are_confirmatory(standing_of):
    found = standing_of(votes=[FREEZE + timedelta(hours=1), FREEZE + timedelta(days=2)])

    assert found.status is StudyStatus.CONFIRMATORY


def test_a_judgment_submitted_after_it_was_taken_in_is_not_confirmatory(standing_of):
    next_year = datetime.now(UTC) + timedelta(days=365)

    found = standing_of(votes=[FREEZE + timedelta(hours=1), next_year, next_year])

    assert found.status is StudyStatus.EXPLORATORY
    assert [clause.name for clause in found.failed] == ["submitted_before_ingest"]
    assert found.failed[0].text.startswith("2 judgments")


def test_a_judgment_that_was_taken_back_is_submitted_at_no_time(standing_of):
    next_year = datetime.now(UTC) + timedelta(days=365)
    ignoring = f"  - ignore: {{column: at, values: ['{next_year.isoformat()}']}}\n    match: \"votes.csv\""

    found = standing_of(
        mended=SPECIFICATION.replace('  - match: "votes.csv"', ignoring),
        votes=[FREEZE + timedelta(hours=1), FREEZE + timedelta(hours=2), next_year],
    )

    assert "submitted_before_ingest" not in [clause.name for clause in found.failed]


def test_what_a_pilot_says_of_its_times_does_not_count(standing_of):
    next_year = datetime.now(UTC) + timedelta(days=365)

    found = standing_of(votes=[FREEZE + timedelta(hours=1)] * 2, pilot=[next_year])

    assert found.status is StudyStatus.CONFIRMATORY


CROWD, JUDGE = "{id: crowd, kind: human}", "{id: judge, kind: model}"
OF_JUDGE = f'exports:\n  - match: "judge.csv"{EXPORT.replace("crowd", "judge")}'
JUDGED = SPECIFICATION.replace(CROWD, f"{CROWD}, {JUDGE}").replace("exports:\n", OF_JUDGE)
STOPS = {
    "raters": ("planned: {raters: 2}", "there are 1 (of humans; models do not count)"),
    "judgments": ("planned: {judgments: 2}", "there are 1 (of humans; models do not count)"),
    "until": ("planned: {until: 2026-03-03}", "of 2026-03-01T13:00:00Z (of humans; models do not count)"),
}


@pytest.mark.parametrize(("planned", "told"), STOPS.values(), ids=STOPS)
def test_a_model_judge_meets_no_stopping_rule_of_a_study_of_humans(standing_of, planned, told):
    declared = JUDGED.replace("planned: {judgments: 2}", planned)

    found = standing_of(declared, votes=[FREEZE + timedelta(hours=1)], judge=[FREEZE + timedelta(days=2)] * 9)

    assert found.status is StudyStatus.INTERIM
    assert [clause.name for clause in found.failed] == ["stopping_rule_met"]
    assert told in found.failed[0].text


def test_where_only_models_judge_they_are_what_a_stopping_rule_counts(standing_of):
    declared = SPECIFICATION.replace("kind: human", "kind: model")

    assert standing_of(declared, votes=[FREEZE + timedelta(hours=1)] * 2).status is StudyStatus.CONFIRMATORY
