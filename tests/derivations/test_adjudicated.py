"""Adjudicated labels in the protocol views: one judgment a label, whatever the number of votes."""

import pytest

from data_contracts.tables import EXCLUSION_DECISIONS
from juryline.derivations.adjudicated import labels_as_judgments
from juryline.derivations.adjudication import adjudicated_labels, adjudication_sources
from juryline.derivations.analysis import analysis_set
from juryline.derivations.shape import no_rows
from juryline.derivations.views import comparisons, ratings

PAIRS = "id: p, rule: majority, criterion: overall, min_votes: 1"


@pytest.fixture
def viewed(past, stored, study, rows_of, attributes):
    """Rows of a view of the labels of one adjudication."""

    def derive(rows, rule, view):
        spec = study(f"adjudication: [{{{rule}}}]")
        history = past(rows)
        standing = stored(analysis_set(history, no_rows(EXCLUSION_DECISIONS), spec).to_pyarrow())
        labels = adjudicated_labels(history, standing, spec)
        sources = adjudication_sources(history, standing, labels, spec)
        given = labels_as_judgments(labels, sources, history, spec)
        return rows_of(view(*given, attributes(), None, spec), by=("case_id", "population"))

    return derive


def votes(*labels, **more):
    return [{"rater": f"p-{n}", "label": label, "at": n} | more for n, label in enumerate(labels)]


def test_a_settled_rating_has_the_number_that_its_label_has(viewed):
    numbers = {"poor": 1.0, "good": 3.0}
    rows = [row | {"value": numbers[row["label"]]} for row in votes("poor", "good", "good", criterion="quality")]
    (row,) = viewed(rows, "id: d, rule: majority, criterion: quality, min_votes: 2", ratings)
    assert (row["rater"], row["state"], row["label"], row["value"]) == ("d", "answered", "good", 3.0)


def test_a_pair_is_won_by_the_system_that_the_label_names(viewed):
    pair = {"criterion": "overall", "candidate_1": "m-2", "candidate_2": "z-1"}
    (row,) = viewed(votes("candidate_2", "candidate_2", **pair), PAIRS, comparisons)
    winner = row[row["outcome"]]
    assert (winner, row["order_collected"]) == ("alpha", False)


def test_what_is_not_settled_is_missing_and_not_a_tie(viewed):
    pair = {"criterion": "overall", "candidate_1": "z-1", "candidate_2": "m-2"}
    (row,) = viewed(votes("candidate_1", "candidate_2", **pair), PAIRS, comparisons)
    assert (row["state"], row["outcome"]) == ("missing", None)


def test_a_label_stands_once_and_is_of_all_that_vote(viewed):
    rows = votes("Yes", "Yes", criterion="ending") + votes("Yes", criterion="ending", population="experts")
    rows[-1]["rater"] = "e-1"
    found = viewed(rows, "id: m, rule: majority, criterion: ending, min_votes: 1", ratings)
    assert [(row["population"], row["label"]) for row in found] == [("crowd+experts", "Yes")]
