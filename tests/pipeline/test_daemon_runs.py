"""Runs as the daemon starts them: the run's own resource opens the study, under its lock."""

import dagster as dg
import pytest

GATES = {
    ("judgment_history", "unique_raters"),
    ("judgment_history", "corrections"),
    ("record_flow", "row_accounting"),
    ("comparisons", "attributes"),
    ("raw_exports", "every_file_has_a_reader"),
    ("judgments", "exports_accepted"),
    ("judgments", "contract"),
}


def checked(result):
    """Verdicts of a run: (asset, check) to evaluation."""
    evaluations = result.get_asset_check_evaluations()
    assert evaluations, "no check was evaluated"
    return {(evaluation.asset_key.to_user_string(), evaluation.check_name): evaluation for evaluation in evaluations}


def stored_tables(daemon, slug):
    return {path.stem for path in (daemon.place.workspace.root / slug / "tables").glob("*.json")}


def test_the_resource_of_a_run_opens_the_study_of_its_partition(finished, daemon):
    report = daemon.place.workspace.root / "voted" / "reports" / "voted.html"

    assert finished.success
    assert "davinci" in report.read_text(encoding="utf-8")


def test_every_materialization_is_of_the_study(finished):
    events = [event for event in finished.all_events if event.is_step_materialization]

    assert {event.partition for event in events} == {"voted"}
    assert len(events) > 15


def test_every_table_proves_its_contract_in_the_run(finished):
    made = [event for event in finished.all_events if event.is_step_materialization]
    stamped = {e.asset_key.to_user_string() for e in made if "stamp" in e.materialization.metadata}
    proved = {asset for asset, check in checked(finished) if check == "contract"}

    assert len(stamped) > 15
    assert proved == stamped | {"judgments"}


def test_every_check_passes_and_is_recorded_with_the_study(finished):
    evaluations = checked(finished)

    assert evaluations.keys() >= GATES
    assert all(evaluation.passed for evaluation in evaluations.values())
    assert {evaluation.partition for evaluation in evaluations.values()} == {"voted"}


def test_a_table_is_described_by_its_rows_and_its_digest(finished, daemon):
    from juryline.ledger.stamps import read_stamp

    event = next(e for e in finished.asset_materializations_for_node("judgment_history"))
    stamp = read_stamp(daemon.place.workspace.root / "voted", "judgment_history")

    assert event.metadata["dagster/row_count"].value == 3
    assert event.tags["dagster/data_version"] == stamp.content_digest


def test_columns_are_described_by_the_contract(finished):
    shown = {
        event.asset_key.to_user_string(): event.materialization.metadata["dagster/column_schema"].schema
        for event in finished.all_events
        if event.is_step_materialization and "dagster/column_schema" in event.materialization.metadata
    }
    label = next(column for column in shown["judgments"].columns if column.name == "label")

    assert [column.name for column in shown["record_flow"].columns] == ["step", "reason", "n"]
    assert label.description == "declared response; null for non-answers"
    assert label.constraints.nullable


@pytest.fixture(scope="module")
def refused(daemon, votes):
    """A run of a study whose raters are declared unique, and one of them handed in twice."""
    daemon.place.study("twice", votes(("ann", "h1", "left"), ("bob", "h2", "right"), ("ann", "h3", "left")))
    return daemon.run("twice")


def test_a_gate_that_does_not_hold_is_recorded_as_failed_with_what_to_do(refused):
    gate = checked(refused)["judgment_history", "unique_raters"]

    assert not refused.success
    assert not gate.passed
    assert gate.partition == "twice"
    assert "1 submitted more than once" in gate.metadata["broken"].value
    assert "repeat_submission" in gate.metadata["fix"].value


def test_a_gate_that_does_not_hold_stops_the_table_and_all_that_is_made_of_it(refused, daemon):
    made = {event.asset_key.to_user_string() for event in refused.all_events if event.is_step_materialization}

    assert "judgments" in made
    assert made.isdisjoint({"judgment_history", "analysis_set", "comparisons", "estimates", "study_report"})
    assert stored_tables(daemon, "twice").isdisjoint({"judgment_history", "estimates"})
    assert not (daemon.place.workspace.root / "twice" / "reports").exists()


def test_the_failure_of_a_run_says_what_broke_and_how_to_mend_it(refused):
    failures = [event for event in refused.all_events if event.is_step_failure]
    told = str(failures[0].event_specific_data.error_display_string)

    assert [event.step_key for event in failures] == ["judgment_history"]
    assert "raters are declared unique" in told
    assert "declare a `repeat_submission` exclusion" in told


def test_a_study_whose_specification_is_broken_fails_its_own_run_only(daemon):
    daemon.place.study("broken", specification="juryline: 1\nstudy: broken\nsystms: []\n")

    failed = daemon.run("broken")

    assert not failed.success
    assert "systms" in str([event.event_specific_data for event in failed.all_events if event.is_failure])


def test_a_run_without_a_study_is_refused(daemon, monkeypatch):
    from dagster._core.errors import DagsterResourceFunctionError

    from pipelines.resources import study_resource

    monkeypatch.setenv("JURYLINE_WORKSPACE", str(daemon.place.workspace.root))

    with pytest.raises(DagsterResourceFunctionError) as refusal, dg.build_resources({"study": study_resource}):
        pass

    assert "choose a partition" in str(refusal.value.__cause__)
