"""Assignments: aliases and declared systems in place of what the manifest says, each once."""

import pyarrow as pa
import pytest

from data_contracts.errors import GateError
from data_contracts.tables import ASSIGNMENTS
from juryline.derivations.assignments import assignments

COLUMNS = ("population", "rater_pseudonym", "case", "criterion", "candidate_1", "candidate_2")


@pytest.fixture
def assigned(past, attributes, study, stored, rows_of):
    def derive(*cells, facts=(), key=None, more=""):
        columns = {name: pa.array([cell[place] for cell in cells], pa.string()) for place, name in enumerate(COLUMNS)}
        history = past([{"rater_pseudonym": "p-one", "rater": "r001"}, {"rater_pseudonym": "p-two", "rater": "r002"}])
        table = assignments(stored(pa.table(columns)), history, attributes(*facts), key, study(more))
        assert table.schema().names == tuple(ASSIGNMENTS.names)
        return rows_of(table, *ASSIGNMENTS.names[:6], by=tuple(ASSIGNMENTS.names[:6]))

    return derive


def test_raters_stand_under_their_aliases_and_who_delivered_nothing_under_the_pseudonym(assigned):
    rows = assigned(("crowd", "p-two", "c1", None, None, None), ("crowd", "p-none", "c1", "overall", None, None))

    assert rows == [
        ("crowd", "p-none", "c1", "overall", None, None),
        ("crowd", "r002", "c1", None, None, None),
    ]


def test_pairs_are_systems_in_one_order_and_once(assigned):
    rows = assigned(
        ("crowd", "p-one", "c1", None, "z-1", "m-2"),
        ("crowd", "p-one", "c1", None, "m-2", "z-1"),
        ("crowd", "p-one", "c1", None, "a-3", None),
    )

    assert rows == [
        ("crowd", "r001", "c1", None, "alpha", "beta"),
        ("crowd", "r001", "c1", None, "gamma", None),
    ]


def test_an_id_that_no_system_has_is_refused(assigned):
    with pytest.raises(GateError, match="blinded ids that no system has: q"):
        assigned(("crowd", "p-one", "c1", None, "q", None))


def test_codes_of_a_key_are_unblinded_by_case(assigned, stored):
    key = stored(pa.table({"case": ["c1", "c2"], "candidate": ["one", "one"], "system": ["alpha", "beta"]}))
    blinding = "blinding: {file: key.csv, columns: {case: c, candidate: code, system: s}}\n"

    rows = assigned(*(("crowd", "p-one", case, None, "one", None) for case in ("c1", "c2")), key=key, more=blinding)

    assert [row[4] for row in rows] == ["alpha", "beta"]
