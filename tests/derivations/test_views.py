"""Protocol views: unblinded, with attributes, rankings taken apart."""

import ibis
import pyarrow as pa
import pytest

from data_contracts.errors import GateError
from data_contracts.tables import COMPARISONS, EXCLUSION_DECISIONS, RATINGS, SPA_ANSWERS
from juryline.derivations.analysis import analysis_set
from juryline.derivations.shape import declared_rows, no_rows
from juryline.derivations.views import comparisons, ratings, spa_answers

KEY = "blinding: {file: key.csv, columns: {case: c, candidate: code, system: s}}\n"


@pytest.fixture
def view(past, attributes, study):
    def derive(which, rows, facts=(), key=None, more="", decisions=None):
        spec = study(more)
        history = past(rows)
        standing = analysis_set(history, no_rows(EXCLUSION_DECISIONS) if decisions is None else decisions, spec)
        return which(history, standing, attributes(*facts), key, spec)

    return derive


@pytest.fixture
def key(stored):
    def build(*rows):
        return stored(pa.table({n: [r[i] for r in rows] for i, n in enumerate(("case", "candidate", "system"))}))

    return build


def ranking(ranks, **more):
    """Rows of one ranking from candidate to rank; None: missing."""
    rows = []
    for candidate, rank in ranks.items():
        answer = {"state": "missing"} if rank is None else {"label": str(rank), "value": float(rank)}
        rows.append({"criterion": "best", "judgment_id": "j", "candidate_1": candidate} | answer | more)
    return rows


@pytest.mark.parametrize(
    ("which", "table"), [(comparisons, COMPARISONS), (ratings, RATINGS), (spa_answers, SPA_ANSWERS)]
)
def test_views_have_exactly_the_declared_columns(view, which, table):
    schema = view(which, [{}]).schema()

    assert schema.names == tuple(table.names)
    wanted = ibis.Schema.from_pyarrow(table.arrow_schema)
    assert [str(t).replace("!", "") for t in schema.types] == [str(t).replace("!", "") for t in wanted.types]


def test_comparisons_name_systems_and_never_turn_a_state_into_an_outcome(view, rows_of):
    shown = {"candidate_1": "m-2", "candidate_2": "z-1", "output_1": "o-m", "output_2": "o-z"}
    states = ["tie", "both_fail", "unknown", "not_applicable", "abstain", "missing", "invalid"]
    rows = [shown | {"label": "candidate_1"}, shown | {"label": "candidate_2"}]
    rows += [shown | {"state": state} for state in states]

    table = view(comparisons, rows)
    assert rows_of(table, "outcome") == ["system_1", "system_2", "tie", "both_fail"] + [None] * 5
    assert rows_of(table, "state") == ["answered", "answered", *states]
    assert set(rows_of(table, "system_1", "system_2", "output_1", "output_2")) == {("beta", "alpha", "o-m", "o-z")}


def test_a_view_holds_what_is_included_and_what_is_only_not_scored(view, rows_of):
    rows = [
        {},
        {"item_kind": "control"},
        {"item_kind": "repeat"},
        {"phase": "pilot"},
        {"rubric_revision": "r1"},
        {"population": "md"},
        {"current": False, "history_status": "superseded"},
        {"criterion": "quality"},
        {},
    ]
    excluded = [("rec-002", "x", "sql", "judgment", True, "{}"), ("rec-008", "x", "sql", "judgment", True, "{}")]
    decisions = declared_rows([(c.name, c.type) for c in EXCLUSION_DECISIONS], excluded)
    more = 'exclusions: [{id: x, rule: sql, scope: judgment, where: "true"}]'

    table = view(comparisons, rows, decisions=decisions, more=more)
    assert rows_of(table, "record_id", "item_kind") == [("rec-000", "scored"), ("rec-001", "control")]


def test_ratings_hold_ratings_checklists_and_ranks(view, rows_of):
    rows = [
        {"criterion": "quality", "candidate_1": "a-3", "label": "good", "output_1": "o"},
        {"criterion": "ending", "candidate_1": "z-1", "label": "Yes"},
        {"criterion": "quality", "state": "abstain"},
        *ranking({"m-2": 2}),
        {},
    ]

    table = view(ratings, rows)
    assert rows_of(table, "system", "output", "label", "value", "protocol") == [
        ("gamma", "o", "good", None, "rating"),
        ("alpha", None, "Yes", None, "checklist"),
        ("alpha", None, None, None, "rating"),
        ("beta", None, "2", 2.0, "ranking"),
    ]


def test_spa_answers_keep_the_subject_first(view, rows_of):
    rows = [
        {"criterion": "chance", "candidate_1": "z-1", "candidate_2": "a-3", "value": 0.7, "raw_label": "70"}
        | {"exposure": 5, "assignment_block": "b-1"},
        {"criterion": "chance", "candidate_1": "a-3", "candidate_2": "z-1", "state": "abstain", "raw_label": "?"},
    ]

    table = view(spa_answers, rows)
    assert rows_of(table, "system_x", "system_y", "value", "raw_label", "exposure", "assignment_block") == [
        ("alpha", "gamma", 0.7, "70", 5, "b-1"),
        ("gamma", "alpha", None, "?", None, None),
    ]


def test_a_ranking_gives_every_pair_once_in_the_order_shown(view, rows_of):
    rows = ranking({"z-1": 2, "m-2": 1, "a-3": 2}, candidate_order=["a-3", "z-1", "m-2"])
    rows[1]["output_1"] = "o-m"

    table = view(comparisons, rows)
    columns = ("record_id", "system_1", "system_2", "outcome", "state", "order_collected", "output_2")
    assert rows_of(table, *columns, by=("system_1", "system_2")) == [
        ("rec-000", "alpha", "beta", "system_2", "answered", True, "o-m"),
        ("rec-002", "gamma", "alpha", "tie", "tie", True, None),
        ("rec-002", "gamma", "beta", "system_2", "answered", True, "o-m"),
    ]


def test_a_pair_without_a_rank_takes_that_state_and_has_no_outcome(view, rows_of):
    rows = ranking({"z-1": 1, "m-2": None, "a-3": None}, candidate_order=["z-1", "m-2", "a-3"])
    rows[2]["state"] = "abstain"

    table = view(comparisons, rows)
    assert rows_of(table, "system_1", "system_2", "state", "outcome", by=("system_1", "system_2")) == [
        ("alpha", "beta", "missing", None),
        ("alpha", "gamma", "abstain", None),
        ("beta", "gamma", "missing", None),
    ]


def test_where_the_order_shown_is_not_known_a_ranking_goes_by_blinded_id(view, rows_of):
    rows = ranking({"z-1": 1, "m-2": 2, "a-3": 3})

    table = view(comparisons, rows)
    assert rows_of(table, "system_1", "system_2", "outcome", "order_collected", by=("system_1", "system_2")) == [
        ("beta", "alpha", "system_2", False),
        ("gamma", "alpha", "system_2", False),
        ("gamma", "beta", "system_2", False),
    ]


def test_the_order_is_not_collected_where_the_judgment_says_so(view, rows_of):
    rows = [{"order_collected": False}, *ranking({"z-1": 1, "m-2": 2}, candidate_order=[], order_collected=False)]

    assert rows_of(view(comparisons, rows), "order_collected") == [False, False]


@pytest.mark.parametrize(
    ("declared", "row", "known"),
    [
        ("", {}, False),
        ("assignment: {design: within}", {}, False),
        ("assignment: {order: counterbalanced}", {}, True),
        ("assignment: {order: fixed}", {}, True),
        ("assignment: {order: randomized}", {"order_collected": False}, False),
        ("", {"candidate_order": ["z-1", "m-2"]}, True),
        ("", {"candidate_order": ["m-2", "z-1"]}, False),  # candidate_1 is not the one shown first
        ("", {"candidate_order": []}, False),
        ("assignment: {order: counterbalanced}", {"candidate_order": []}, True),
        ("assignment: {order: counterbalanced}", {"candidate_order": ["m-2", "z-1"]}, False),
    ],
)
def test_an_order_is_known_where_it_is_declared_or_the_judgment_holds_it(view, rows_of, declared, row, known):
    assert rows_of(view(comparisons, [row], more=declared), "order_collected") == [known]


def test_attributes_of_case_and_rater_come_as_maps(view, rows_of):
    facts = [
        ("case", "case-1", "topic", "love"),
        ("case", "case-1", "length", "short"),
        ("case", "case-2", "length", "long"),
        ("rater", "p-1", "language", "English"),
        ("rater", "p-1", "language", "English"),
    ]
    rows = [{}, {"case_id": "case-2", "rater": "p-2"}, {"case_id": "case-3"}]

    table = view(comparisons, rows, facts=facts)
    assert rows_of(table, "case_attributes", "rater_attributes") == [
        ([("length", "short"), ("topic", "love")], [("language", "English")]),
        ([("length", "long")], []),
        ([], [("language", "English")]),
    ]


def test_two_values_of_one_attribute_are_a_gate_that_names_the_exports(view):
    facts = [("case", "case-1", "topic", "love"), ("case", "case-1", "topic", "war")]

    with pytest.raises(GateError, match="topic of 1 cases") as refused:
        view(comparisons, [{}], facts=facts)
    assert "profiles.csv" in str(refused.value)


@pytest.mark.parametrize(
    ("which", "row"),
    [
        (comparisons, {"candidate_2": "q-9"}),
        (ratings, {"criterion": "quality", "candidate_1": "q-9"}),
        (spa_answers, {"criterion": "chance", "candidate_1": "q-9"}),
        (comparisons, {"criterion": "best", "candidate_1": "q-9"}),
    ],
)
def test_an_unknown_blinded_id_stops_the_study_and_is_named(view, which, row):
    with pytest.raises(GateError, match="no system has: q-9"):
        view(which, [row]).to_pyarrow()


class TestKeyByCase:
    PAIRS = (("case-1", "A", "alpha"), ("case-1", "B", "beta"), ("case-2", "A", "gamma"), ("case-2", "B", "alpha"))

    def test_a_code_means_what_the_key_says_of_its_case(self, view, key, rows_of):
        rows = [{"candidate_1": "A", "candidate_2": "B", "case_id": case} for case in ("case-1", "case-2")]

        table = view(comparisons, rows, key=key(*self.PAIRS), more=KEY)
        assert rows_of(table, "system_1", "system_2") == [("alpha", "beta"), ("gamma", "alpha")]

    def test_judgments_without_a_case_go_by_the_blinded_ids(self, view, key, rows_of):
        rows = [{"criterion": "chance", "candidate_1": "z-1", "candidate_2": "a-3", "value": 0.5}]

        table = view(spa_answers, rows, key=key(*self.PAIRS), more=KEY)
        assert rows_of(table, "system_x", "system_y") == [("alpha", "gamma")]

    def test_a_code_of_another_case_is_unknown(self, view, key):
        rows = [{"criterion": "quality", "candidate_1": "A", "case_id": "case-3"}]

        with pytest.raises(GateError, match="does not give for their case: A") as refused:
            view(ratings, rows, key=key(*self.PAIRS), more=KEY)
        assert "key.csv" in str(refused.value)

    def test_blinded_ids_of_the_study_do_not_stand_in_for_a_missing_code(self, view, key):
        with pytest.raises(GateError, match="does not give for their case: m-2, z-1"):
            view(comparisons, [{}], key=key(*self.PAIRS), more=KEY)

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            (("case-1", "A", "beta"), "A of case case-1"),
            (("case-1", "C", "omega"), "not declared: omega"),
        ],
    )
    def test_a_key_that_contradicts_itself_or_the_study_is_refused(self, view, key, row, message):
        rows = [{"candidate_1": "A", "candidate_2": "B"}]

        with pytest.raises(GateError, match=message):
            view(comparisons, rows, key=key(*self.PAIRS, row), more=KEY)

    def test_two_codes_of_one_system_are_no_comparison(self, view, key):
        same = key(("case-1", "A", "alpha"), ("case-1", "B", "alpha"))

        with pytest.raises(GateError, match="1 judgments compare a system with itself"):
            view(comparisons, [{"candidate_1": "A", "candidate_2": "B"}], key=same, more=KEY)

    def test_without_the_key_nothing_is_unblinded(self, view):
        with pytest.raises(GateError, match="key of the codes was not read"):
            view(comparisons, [{"candidate_1": "A", "candidate_2": "B"}], more=KEY)
