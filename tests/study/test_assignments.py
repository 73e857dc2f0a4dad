"""A manifest is read as text, whole or not at all."""

import pytest

from data_contracts.errors import GateError
from data_contracts.specification import parse_specification
from juryline.study.assignments import read_manifest

STUDY = """
juryline: 1
study: assigned
systems: [{{id: a}}, {{id: b}}]
rubric: {{criteria: [{{id: overall, protocol: pairwise}}]}}
raters: {{populations: [{{id: crowd, kind: human}}{more}]}}
exports: [{{match: a.csv, format: sql, query: a.sql, population: crowd}}]
analyses: [{{id: wins, method: win_rates, criterion: overall}}]
"""


@pytest.fixture
def read(tmp_path):
    def written(content, more=""):
        path = tmp_path / "assigned.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_manifest(path, parse_specification(STUDY.format(more=more))).to_pylist()

    return written


def test_what_is_empty_or_not_there_is_null_and_ids_stay_text(read):
    rows = read("case,rater,criterion,seat\n007,1e3,,2\n008,x,overall,3\n")

    nothing = {"candidate_1": None, "candidate_2": None}
    assert rows == [
        {"rater": "1e3", "case": "007", "population": "crowd", "criterion": None} | nothing,
        {"rater": "x", "case": "008", "population": "crowd", "criterion": "overall"} | nothing,
    ]


def test_an_adjudicator_makes_no_second_population_of_raters(read):
    assert read("rater,case\nx,1\n", ", {id: md, kind: human, role: adjudicator}")[0]["population"] == "crowd"


@pytest.mark.parametrize(
    ("content", "more", "message"),
    [
        ("rater,item\nx,1\n", "", "it has no column case"),
        ("rater,case\nx,1\n,2\n", "", "1 rows have no rater"),
        ("rater,case\nx,1\n", ", {id: judge, kind: model}", "1 rows have no population"),
        ("rater,case,population\nx,1,crew\n", "", "there is no population crew"),
        ("rater,case,criterion\nx,1,tone\n", "", "there is no criterion tone"),
        ("rater,case\nx,1,2\n", "", "it is no CSV table"),
        (b"rater,case\n\xff,1\n", "", "it is no CSV table"),
        ("", "", "it is no CSV table"),
    ],
)
def test_a_manifest_that_cannot_be_counted_is_refused(read, content, more, message):
    with pytest.raises(GateError, match=message) as refused:
        read(content, more)

    assert (refused.value.code, refused.value.where) == ("assignments", "assigned.csv")
