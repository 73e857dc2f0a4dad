"""Included, set aside or excluded."""

import pytest

from data_contracts.tables import ANALYSIS_SET
from juryline.derivations.analysis import analysis_set
from juryline.derivations.exclusions import exclusion_decisions

RULES = """\
exclusions:
  - {id: hasty, rule: min_duration, seconds: 20, scope: judgment}
  - {id: outage, rule: sql, scope: judgment, where: "true"}
"""
NONE = "exclusions: []"


@pytest.fixture
def standing(past, attributes, study, rows_of):
    """(included, set_aside_reason, exclusion_id) of each row; `outage` hits what is in `out`."""

    def derive(rows, out=(), more=RULES, without=(), phase="phase: exploratory"):
        spec = study(more, phase)
        history = past([{"at": 100, "took": 50} | row for row in rows])
        decisions = exclusion_decisions(history, attributes(), spec, sql_hits=lambda rule: out)
        kept = decisions.filter(decisions.exclusion_id.notin(list(without)))
        table = analysis_set(history, kept, spec)
        assert table.schema().names == tuple(ANALYSIS_SET.names)
        return rows_of(table, "included", "set_aside_reason", "exclusion_id")

    return derive


def test_a_judgment_nothing_speaks_against_is_included(standing):
    assert standing([{}, {"state": "missing"}]) == [(True, None, None)] * 2


def test_versions_that_do_not_count_are_in_no_set(standing):
    assert standing([{"current": False, "history_status": "retracted"}]) == []


def test_the_rule_declared_first_names_the_reason(standing):
    assert standing([{"took": 5}, {"took": 5}, {}], out=["rec-001", "rec-002"]) == [
        (False, None, "hasty"),
        (False, None, "hasty"),
        (False, None, "outage"),
    ]


def test_without_a_rule_the_next_one_that_hit_names_the_reason(standing):
    assert standing([{"took": 5}, {"took": 5}], out=["rec-001"], without=["hasty"]) == [
        (True, None, None),
        (False, None, "outage"),
    ]


def test_being_set_aside_comes_first_in_a_fixed_order(standing):
    everything = {"phase": "pilot", "rubric_revision": "r1", "population": "md", "item_kind": "gold"}
    by_interface = everything | {"phase": "exploratory", "rubric_revision": "r2", "interface_revision": "ui-1"}

    assert standing(
        [
            everything,
            everything | {"phase": "exploratory"},
            by_interface,
            by_interface | {"interface_revision": None},
            by_interface | {"interface_revision": None, "population": "crowd"},
            *({"item_kind": kind} for kind in ("repeat", "control", "training")),
        ],
        more=NONE,
    ) == [
        (False, "pilot", None),
        (False, "earlier_revision", None),
        (False, "earlier_revision", None),
        (False, "adjudicator", None),
        *[(False, "not_scored", None)] * 4,
    ]


def test_a_set_aside_judgment_keeps_its_reason_when_a_rule_hits_it(standing):
    assert standing([{"item_kind": "repeat", "took": 5}]) == [(False, "not_scored", "hasty")]


def test_a_pilot_study_analyses_its_pilot(standing):
    assert standing([{"phase": "pilot"}], more=NONE, phase="phase: pilot") == [(True, None, None)]


def test_excluding_nothing_equals_no_exclusion_step(standing):
    rows = [{}, {"item_kind": "gold", "gold_label": "tie"}, {"phase": "pilot"}, {"state": "abstain"}]

    assert standing(rows) == standing(rows, more=NONE)
    assert standing(rows, out=["rec-000"], without=["hasty", "outage"]) == standing(rows, more=NONE)
