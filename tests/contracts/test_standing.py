"""METHODS 13, clause by clause: what may be claimed of a study, and the sentence on each clause."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from data_contracts.lock import LedgerFacts, Lock, amend, freeze
from data_contracts.specification import StudySpec, parse_specification
from data_contracts.standing import Standing, StudyFacts, standing
from data_contracts.vocabulary import StudyStatus

MINIMAL = (Path(__file__).parent / "minimal.yaml").read_text()
CONFIRMATORY = MINIMAL.replace("systems:", "phase: confirmatory\nplanned: {raters: 100}\nsystems:")
FROZEN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
COLLECTED = StudyFacts(
    earliest_submitted_at=FROZEN + SECOND,
    newest_submitted_at=datetime(2026, 4, 1, tzinfo=UTC),
    first_ingest_at=FROZEN + SECOND,
    first_unblinding_at=datetime(2026, 4, 2, tzinfo=UTC),
    n_raters=100,
    n_judgments=1000,
    n_looks=1,
)


@pytest.fixture
def spec() -> StudySpec:
    return parse_specification(CONFIRMATORY)


@pytest.fixture
def lock(spec, tmp_path) -> Lock:
    return freeze(tmp_path, spec, FROZEN, LedgerFacts())


def told(found: Standing) -> dict[str, str]:
    return {clause.name: clause.text for clause in found.failed}


def test_a_study_frozen_before_its_data_and_complete_is_confirmatory(spec, lock):
    found = standing(spec, lock, COLLECTED)

    assert found.status is StudyStatus.CONFIRMATORY
    assert found.failed == ()
    assert all(clause.text.endswith(".") for clause in found.clauses)


def test_its_time_is_self_declared_unless_anchored(spec, lock):
    assert standing(spec, lock, COLLECTED).banner == "confirmatory (time self-declared)"
    assert standing(spec, lock, replace(COLLECTED, anchored=True)).banner == "confirmatory"
    assert standing(spec, None, COLLECTED).banner == "exploratory"


@pytest.mark.parametrize("phase", ["pilot", "exploratory"])
def test_a_declared_pilot_or_exploration_is_exploratory(phase, tmp_path):
    spec = parse_specification(CONFIRMATORY.replace("phase: confirmatory", f"phase: {phase}"))
    lock = freeze(tmp_path, spec, FROZEN, LedgerFacts())

    found = standing(spec, lock, COLLECTED)

    assert found.status is StudyStatus.EXPLORATORY
    assert told(found) == {"phase_confirmatory": f"The declared phase is {phase}."}


def test_without_a_freeze_every_clause_on_time_fails(spec):
    found = standing(spec, None, COLLECTED)

    assert found.status is StudyStatus.EXPLORATORY
    assert set(told(found)) == {
        "frozen",
        "frozen_before_submission",
        "frozen_before_ingest",
        "frozen_before_unblinding",
    }
    assert told(found)["frozen"] == "The specification was never frozen."


@pytest.mark.parametrize(
    ("fact", "clause", "event"),
    [
        ("earliest_submitted_at", "frozen_before_submission", "the first judgment was submitted"),
        ("first_ingest_at", "frozen_before_ingest", "the first export was taken in"),
        ("first_unblinding_at", "frozen_before_unblinding", "the systems were unblinded"),
    ],
)
@pytest.mark.parametrize("early", [timedelta(0), SECOND])
def test_a_freeze_must_be_strictly_before_the_data(spec, lock, fact, clause, event, early):
    found = standing(spec, lock, replace(COLLECTED, **{fact: FROZEN - early}))

    assert found.status is StudyStatus.EXPLORATORY
    assert list(told(found)) == [clause]
    assert f"The freeze at 2026-03-01T12:00:00Z was not before {event}" in told(found)[clause]


def test_unknown_submission_times_cannot_be_checked(spec, lock):
    found = standing(spec, lock, replace(COLLECTED, earliest_submitted_at=None, submission_time_unknown=True))

    assert found.status is StudyStatus.EXPLORATORY
    assert "submission_time_unknown" in told(found)["submission_time_known"]


@pytest.mark.parametrize(("n", "told_of"), [(1, "1 judgment that is no pilot was"), (7, "7 judgments that are no")])
def test_a_submission_after_its_own_arrival_makes_times_unreliable(spec, lock, n, told_of):
    found = standing(spec, lock, replace(COLLECTED, n_submitted_after_ingest=n))

    assert found.status is StudyStatus.EXPLORATORY
    assert list(told(found)) == ["submitted_before_ingest"]
    assert told_of in told(found)["submitted_before_ingest"]


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("same: tie", "same: both_fail", StudyStatus.EXPLORATORY),
        ("raters: 100", "raters: 90", StudyStatus.EXPLORATORY),
        ("study: two-writers", "study: two-writers\ntitle: A title", StudyStatus.CONFIRMATORY),
        ("kind: human", "kind: human, pay: more", StudyStatus.CONFIRMATORY),
        ("systems:", "claim: {decision: another}\nsystems:", StudyStatus.CONFIRMATORY),
        ("systems:", "claim: {construct: another}\nsystems:", StudyStatus.EXPLORATORY),
    ],
)
def test_an_amendment_of_what_counts_ends_confirmation(spec, lock, tmp_path, old, new, status):
    amended = parse_specification(CONFIRMATORY.replace(old, new))
    lock = amend(tmp_path, amended, FROZEN + 2 * SECOND, LedgerFacts(), reason="second thoughts")

    found = standing(amended, lock, COLLECTED)

    assert found.status is status
    if status is StudyStatus.EXPLORATORY:
        assert told(found)["no_later_amendment"].endswith("at 2026-03-01T12:00:02Z: second thoughts.")


def test_without_a_stopping_rule_nothing_is_confirmatory(tmp_path):
    spec = parse_specification(CONFIRMATORY.replace("planned: {raters: 100}\n", ""))
    lock = freeze(tmp_path, spec, FROZEN, LedgerFacts())

    found = standing(spec, lock, COLLECTED)

    assert found.status is StudyStatus.EXPLORATORY
    assert "stopping_rule_declared" in told(found)


@pytest.mark.parametrize(
    ("planned", "facts", "met"),
    [
        ("raters: 100", {"n_raters": 99}, False),
        ("raters: 100", {"n_raters": 100}, True),
        ("raters: 100", {"n_raters": 101}, True),
        ("judgments: 1000", {"n_judgments": 999}, False),
        ("judgments: 1000", {"n_judgments": 1000}, True),
        ("until: 2026-04-01", {"newest_submitted_at": datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC)}, False),
        ("until: 2026-04-01", {"newest_submitted_at": datetime(2026, 4, 1, tzinfo=UTC)}, True),
        ("until: 2026-04-01", {"newest_submitted_at": None}, False),
        ("until: 2026-04-01T09:00:00+09:00", {"newest_submitted_at": datetime(2026, 4, 1, tzinfo=UTC)}, True),
    ],
)
def test_estimates_before_the_stopping_rule_are_interim(tmp_path, planned, facts, met):
    spec = parse_specification(CONFIRMATORY.replace("raters: 100", planned))
    lock = freeze(tmp_path, spec, FROZEN, LedgerFacts())

    found = standing(spec, lock, replace(COLLECTED, **facts))

    assert found.status is (StudyStatus.CONFIRMATORY if met else StudyStatus.INTERIM)
    assert list(told(found)) == ([] if met else ["stopping_rule_met"])


def test_a_stopping_rule_says_that_models_beside_humans_do_not_count(spec, lock):
    beside = "{id: crowd, kind: human}, {id: gpt, kind: model}"
    mixed = parse_specification(CONFIRMATORY.replace("{id: crowd, kind: human}", beside))
    text = "The stopping rule of 100 raters is met: there are 100"

    by_name = [
        next(clause.text for clause in standing(one, lock, COLLECTED).clauses if clause.name == "stopping_rule_met")
        for one in (spec, mixed)
    ]

    assert by_name == [f"{text}.", f"{text} (of humans; models do not count)."]


def test_an_interim_study_tells_its_looks(spec, lock):
    found = standing(spec, lock, replace(COLLECTED, n_raters=40, n_looks=21))

    assert told(found)["stopping_rule_met"] == (
        "The stopping rule of 100 raters is not met: there are 40; 21 looks so far."
    )


def test_a_study_without_data_is_interim(spec, lock):
    found = standing(spec, lock, StudyFacts())

    assert found.status is StudyStatus.INTERIM


def test_reuse_for_development_outranks_everything(spec, lock, tmp_path):
    by_event = standing(spec, lock, replace(COLLECTED, development_uses=("reward-model-3",)))
    declared = parse_specification(CONFIRMATORY + "reuse: [{artifact: judge-prompt}]\n")
    unfrozen = standing(declared, None, StudyFacts(n_raters=1))

    assert by_event.status is unfrozen.status is StudyStatus.DEVELOPMENT
    assert told(by_event)["no_development_reuse"] == "The judgments were used to develop reward-model-3."
    assert "judge-prompt" in told(unfrozen)["no_development_reuse"]


def test_another_use_changes_nothing(lock):
    spec = parse_specification(CONFIRMATORY + "reuse: [{artifact: a leaderboard, purpose: other}]\n")

    assert standing(spec, lock, COLLECTED).status is StudyStatus.CONFIRMATORY
