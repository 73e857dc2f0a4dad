"""Labels from votes, by hand (METHODS 11a)."""

import pytest

from data_contracts.tables import ADJUDICATED_LABELS, ADJUDICATION_SOURCES, EXCLUSION_DECISIONS
from juryline.derivations.adjudication import adjudicated_labels, adjudication_sources
from juryline.derivations.analysis import analysis_set
from juryline.derivations.shape import no_rows

MAJORITY = "id: m, rule: majority, criterion: ending, min_votes: 3"
UNANIMOUS = "id: u, rule: unanimous, criterion: ending, min_votes: 2"
MEDIAN = "id: d, rule: median, criterion: quality, min_votes: 2"
SETTLE = "id: s, rule: adjudicator, criterion: ending, population: md"
PAIRS = "id: p, rule: majority, criterion: overall, min_votes: 1"


@pytest.fixture
def adjudicate(past, stored, study, rows_of):
    """(labels, sources) of rows under one adjudication, each as its rows."""

    def derive(rows, rule):
        spec = study(f"adjudication: [{{{rule}}}]")
        history = past(rows)
        standing = stored(analysis_set(history, no_rows(EXCLUSION_DECISIONS), spec).to_pyarrow())
        labels = adjudicated_labels(history, standing, spec)
        sources = adjudication_sources(history, standing, labels, spec)
        assert labels.schema().names == tuple(ADJUDICATED_LABELS.names)
        assert sources.schema().names == tuple(ADJUDICATION_SOURCES.names)
        by_unit = ("case_id", "candidate_1", "candidate_2", "output_1", "output_2")
        return rows_of(labels, by=by_unit), rows_of(sources, by=("label_id", "record_id"))

    return derive


def votes(*labels, criterion="ending", **more):
    rows = enumerate(labels)
    return [{"criterion": criterion, "rater": f"p-{n}", "label": label, "at": n} | more for n, label in rows]


def verdict(labels):
    assert len(labels) == 1
    return labels[0]["label"], labels[0]["status"], labels[0]["n_votes"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Yes", "Yes", "No"], ("Yes", "majority", 3)),
        (["Yes", "Yes", "Yes"], ("Yes", "agreed", 3)),
        (["Yes", "Yes", "No", "No"], (None, "unresolved", 4)),
        (["Yes", "Yes"], (None, "insufficient_votes", 2)),
    ],
)
def test_majority_needs_more_votes_than_every_other_label(adjudicate, labels, expected):
    assert verdict(adjudicate(votes(*labels), MAJORITY)[0]) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Yes", "Yes"], ("Yes", "agreed", 2)),
        (["Yes", "Yes", "No"], (None, "unresolved", 3)),
        (["Yes"], (None, "insufficient_votes", 1)),
    ],
)
def test_unanimous_needs_all_votes_equal(adjudicate, labels, expected):
    assert verdict(adjudicate(votes(*labels), UNANIMOUS)[0]) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        # In alphabetical order these two would have the medians good and fair.
        (["poor", "fair", "good"], ("fair", "majority", 3)),
        (["good", "excellent", "fair"], ("good", "majority", 3)),
        (["excellent", "poor", "poor"], ("poor", "majority", 3)),
        (["fair", "good"], (None, "unresolved", 2)),
        (["poor", "good", "good", "excellent"], ("good", "majority", 4)),
        (["good", "good"], ("good", "agreed", 2)),
        (["good"], (None, "insufficient_votes", 1)),
    ],
)
def test_median_goes_by_the_declared_order_of_levels(adjudicate, labels, expected):
    assert verdict(adjudicate(votes(*labels, criterion="quality"), MEDIAN)[0]) == expected


def test_what_is_no_answer_is_no_vote_and_a_unit_without_votes_is_still_there(adjudicate):
    rows = votes("Yes", "Yes", "Yes") + votes(None, case_id="case-2", state="abstain")

    labels, sources = adjudicate(rows, MAJORITY)
    assert [(row["case_id"], row["label"], row["n_votes"]) for row in labels] == [
        ("case-1", "Yes", 3),
        ("case-2", None, 0),
    ]
    assert [source["record_id"] for source in sources] == ["rec-000", "rec-001", "rec-002"]


def test_of_several_votes_of_a_rater_the_latest_counts(adjudicate):
    rows = [
        {"criterion": "ending", "rater": "p-1", "label": "Yes", "at": 30},
        {"criterion": "ending", "rater": "p-1", "label": "No", "at": 20},
        {"criterion": "ending", "rater": "p-1", "state": "missing", "at": 40},
        {"criterion": "ending", "rater": "p-2", "label": "Yes", "at": 10},
    ]

    labels, sources = adjudicate(rows, UNANIMOUS)
    assert verdict(labels) == ("Yes", "agreed", 2)
    assert [source["record_id"] for source in sources] == ["rec-000", "rec-003"]


def test_set_aside_judgments_and_models_have_no_vote(adjudicate):
    rows = votes("Yes", "Yes")
    rows += [
        {"criterion": "ending", "rater": "p-8", "label": "No", "item_kind": "control"},
        {"criterion": "ending", "rater": "p-9", "label": "No", "population": "md"},
        {"criterion": "ending", "rater": "judge", "label": "No", "population": "judge"},
        {"criterion": "ending", "rater": "p-7", "label": "Yes", "population": "experts"},
    ]

    assert verdict(adjudicate(rows, UNANIMOUS)[0]) == ("Yes", "agreed", 3)


def test_a_pair_is_one_unit_in_either_order_and_oriented_as_in_systems(adjudicate):
    # Blinded ids are z-1, m-2, a-3 in declared order, the reverse of the alphabet.
    rows = [
        {"rater": "p-1", "candidate_1": "z-1", "candidate_2": "m-2", "label": "candidate_1", "output_2": "o-m"},
        {"rater": "p-2", "candidate_1": "m-2", "candidate_2": "z-1", "label": "candidate_2", "output_1": "o-m"},
        {"rater": "p-3", "candidate_1": "m-2", "candidate_2": "z-1", "label": "candidate_1", "output_1": "o-m"},
    ]

    labels, _ = adjudicate(rows, PAIRS)
    assert verdict(labels) == ("candidate_1", "majority", 3)
    assert {name: labels[0][name] for name in ("candidate_1", "candidate_2", "output_1", "output_2")} == {
        **{"candidate_1": "z-1", "candidate_2": "m-2", "output_1": None, "output_2": "o-m"}
    }


def test_ties_and_both_fail_are_labels_of_a_pair(adjudicate):
    rows = [{"rater": f"p-{n}", "state": state} for n, state in enumerate(["tie", "tie", "both_fail"])]

    assert verdict(adjudicate(rows, PAIRS)[0]) == ("tie", "majority", 3)


def test_different_outputs_of_one_system_are_different_units(adjudicate):
    rows = votes("Yes", output_1="o-1") + votes("No", output_1="o-2")

    assert len(adjudicate(rows, UNANIMOUS)[0]) == 2


class TestAdjudicator:
    def said(self, label, **more):
        return {"criterion": "ending", "population": "md", "rater": "p-md", "label": label, "at": 50} | more

    def test_decides_where_votes_differ(self, adjudicate):
        labels, sources = adjudicate([*votes("Yes", "No"), self.said("No")], SETTLE)

        assert verdict(labels) == ("No", "adjudicated", 2)
        assert [source["record_id"] for source in sources] == ["rec-000", "rec-001", "rec-002"]

    def test_is_not_asked_where_votes_agree(self, adjudicate):
        labels, sources = adjudicate([*votes("Yes", "Yes"), self.said("No")], SETTLE)

        assert verdict(labels) == ("Yes", "agreed", 2)
        assert [source["record_id"] for source in sources] == ["rec-000", "rec-001"]

    def test_without_a_label_the_unit_stays_unresolved(self, adjudicate):
        assert verdict(adjudicate([*votes("Yes", "No"), self.said(None, state="unknown")], SETTLE)[0]) == (
            None,
            "unresolved",
            2,
        )

    def test_the_latest_label_of_all_adjudicators_counts(self, adjudicate):
        rows = [*votes("Yes", "No"), self.said("No", at=70, rater="p-md2"), self.said("Yes", at=60)]

        assert verdict(adjudicate(rows, SETTLE)[0]) == ("No", "adjudicated", 2)

    def test_a_control_item_or_a_pilot_of_the_adjudicator_decides_nothing(self, adjudicate):
        rows = [*votes("Yes", "No"), self.said("No", item_kind="control"), self.said("Yes", phase="pilot")]

        assert verdict(adjudicate(rows, SETTLE)[0]) == (None, "unresolved", 2)

    def test_without_votes_there_is_nothing_to_settle(self, adjudicate):
        assert verdict(adjudicate([self.said("No")], SETTLE)[0]) == (None, "insufficient_votes", 0)

    def test_always_takes_its_label_or_none(self, adjudicate):
        always = SETTLE + ", when: always"

        assert verdict(adjudicate([*votes("Yes", "Yes"), self.said("No")], always)[0]) == ("No", "adjudicated", 2)
        assert verdict(adjudicate(votes("Yes", "Yes"), always)[0]) == (None, "unresolved", 2)
        assert verdict(adjudicate([self.said("No")], always)[0]) == ("No", "adjudicated", 0)


def test_ids_name_adjudication_and_unit_and_nothing_else(adjudicate):
    first, _ = adjudicate(votes("Yes", "No", "No"), MAJORITY)
    again, _ = adjudicate(votes("No", "Yes", "Yes"), MAJORITY)
    other, _ = adjudicate(votes("Yes", "No", "No"), MAJORITY.replace("id: m", "id: n"))
    case, _ = adjudicate(votes("Yes", "No", "No", case_id="case-2"), MAJORITY)

    assert first[0]["label_id"] == again[0]["label_id"]
    assert len({first[0]["label_id"], other[0]["label_id"], case[0]["label_id"]}) == 3


def test_several_adjudications_stand_beside_each_other(past, study, rows_of):
    spec = study(f"adjudication: [{{{MAJORITY}}}, {{{SETTLE}}}]")
    history = past(votes("Yes", "No", "No"))
    standing = analysis_set(history, no_rows(EXCLUSION_DECISIONS), spec)

    labels = adjudicated_labels(history, standing, spec)
    assert rows_of(labels, "adjudication_id", "label", by=("adjudication_id",)) == [("m", "No"), ("s", None)]
    assert len(rows_of(adjudication_sources(history, standing, labels, spec), by=("label_id",))) == 6


def test_no_adjudication_gives_no_labels(past, study):
    history = past(votes("Yes"))
    standing = analysis_set(history, no_rows(EXCLUSION_DECISIONS), study())

    labels = adjudicated_labels(history, standing, study())
    assert labels.to_pyarrow().num_rows == 0
    assert adjudication_sources(history, standing, labels, study()).to_pyarrow().num_rows == 0
