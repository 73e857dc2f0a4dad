"""The row accounting, and response states."""

import re

import pytest

from data_contracts.tables import EXCLUSION_DECISIONS, RECORD_FLOW, RESPONSE_STATES
from juryline.derivations.analysis import analysis_set
from juryline.derivations.flow import accounting_errors, record_flow
from juryline.derivations.shape import declared_rows, no_rows
from juryline.derivations.states import response_states
from juryline.derivations.views import comparisons, ratings, spa_answers

INTAKE = {
    "export_rows": {"total": 10, "mapped": 6, "ignored:draft": 2, "ignored:test": 1, "quarantined": 1},
    "answers": {"total": 9, "new": 5, "redelivered": 2, "new_version": 1, "quarantined": 1},
}
ROWS = [
    {},
    {"phase": "pilot"},
    {"item_kind": "gold"},
    {"item_kind": "gold"},
    {},
    {"current": False, "history_status": "superseded"},
    {"current": False, "history_status": "withdrawn"},
]
RULE = 'exclusions: [{id: outage, rule: sql, scope: judgment, where: "true"}]'


@pytest.fixture
def flow(past, study, quarantine):
    """RECORD_FLOW of the rows above, where the rule hits one included and one gold row."""

    def derive(intake=INTAKE, refused=(), lost=()):
        spec = study(RULE)
        history = past(ROWS)
        hits = [(record, "outage", "sql", "judgment", True, "{}") for record in ("rec-003", "rec-004")]
        decisions = declared_rows([(c.name, c.type) for c in EXCLUSION_DECISIONS], hits)
        standing = analysis_set(history, decisions, spec)
        return record_flow(intake, history, standing.filter(standing.record_id.notin(list(lost))), quarantine(*refused))

    return derive


def test_every_row_is_counted_once_at_every_step(flow, rows_of):
    table = flow()

    assert table.schema().names == tuple(RECORD_FLOW.names)
    counted = {(r["step"], r["reason"]): r["n"] for r in rows_of(table, by=("step", "reason"))}
    assert counted == {
        **{("export_rows", reason): n for reason, n in INTAKE["export_rows"].items()},
        **{("answers", reason): n for reason, n in INTAKE["answers"].items()},
        **{("judgments", "total"): 7, ("judgments", "current"): 5, ("judgments", "superseded"): 1},
        **{("judgments", "retracted"): 0, ("judgments", "withdrawn"): 1},
        **{("current", "total"): 5, ("current", "included"): 1, ("current", "excluded:outage"): 1},
        **{("current", "set_aside:pilot"): 1, ("current", "set_aside:not_scored"): 2},
        **{("current", "set_aside:earlier_revision"): 0, ("current", "set_aside:adjudicator"): 0},
    }
    assert accounting_errors(table) == []


def test_quarantine_is_counted_from_its_table_where_intake_does_not_say(flow, rows_of):
    intake = {step: {r: n for r, n in parts.items() if r != "quarantined"} for step, parts in INTAKE.items()}
    refused = [(1, None, "unmapped"), (2, "overall", "label"), (2, "overall", "time"), (2, "quality", "label")]

    counted = {(r["step"], r["reason"]): r["n"] for r in rows_of(flow(intake, refused), by=("step", "reason"))}
    assert counted["export_rows", "quarantined"] == 1
    assert counted["answers", "quarantined"] == 2


@pytest.mark.parametrize(
    ("step", "reason", "n", "message"),
    [
        ("export_rows", "mapped", 5, "export_rows: total 10 is not 5 mapped .* 1 rows are unaccounted for"),
        ("answers", "new", 7, "answers: total 9 is not 7 new .* 2 rows are counted twice"),
        ("answers", "lost", 1, "answers: lost is no reason of this step"),
    ],
)
def test_an_equation_that_does_not_close_is_told_in_words(flow, step, reason, n, message):
    broken = INTAKE | {step: INTAKE[step] | {reason: n}}

    errors = accounting_errors(flow(broken))
    assert len(errors) == 1
    assert re.search(message, errors[0])


def test_a_current_judgment_that_is_in_no_set_is_missed(flow):
    assert accounting_errors(flow(lost=["rec-000"])) == [
        "current: total 5 is not 0 included + 3 set_aside + 1 excluded; 1 rows are unaccounted for"
    ]


def test_a_step_without_a_total_is_an_error(flow):
    assert accounting_errors(flow({"export_rows": INTAKE["export_rows"]})) == [
        "answers: no total was recorded, so nothing says whether a row was lost"
    ]


def test_response_states_count_each_scored_judgment_under_its_systems(past, attributes, study, rows_of):
    def rank(candidate, label):
        return {"criterion": "best", "judgment_id": "j", "candidate_1": candidate, "label": label, "value": 1.0}

    rows = [
        {"state": "tie"},
        {"label": "candidate_1", "candidate_2": "a-3"},
        {"state": "tie", "item_kind": "repeat"},
        {"criterion": "quality", "state": "abstain", "population": "experts"},
        {"criterion": "chance", "value": 0.5},
        rank("z-1", "1"),
        rank("m-2", "1"),
    ]
    spec = study()
    history = past(rows)
    given = (history, analysis_set(history, no_rows(EXCLUSION_DECISIONS), spec), attributes(), None, spec)

    states = response_states(comparisons(*given), ratings(*given), spa_answers(*given))
    assert states.schema().names == tuple(RESPONSE_STATES.names)
    assert rows_of(states, *RESPONSE_STATES.names, by=tuple(RESPONSE_STATES.names)) == [
        ("best", "crowd", "alpha", "answered", 1),
        ("best", "crowd", "beta", "answered", 1),
        ("chance", "crowd", "alpha", "answered", 1),
        ("chance", "crowd", "beta", "answered", 1),
        ("overall", "crowd", "alpha", "answered", 1),
        ("overall", "crowd", "alpha", "tie", 1),
        ("overall", "crowd", "beta", "tie", 1),
        ("overall", "crowd", "gamma", "answered", 1),
        ("quality", "experts", "alpha", "abstain", 1),
    ]
