"""A digest is of meaning: writing changes nothing, a value or a byte of a named file exactly its own section."""

import json
import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_contracts.errors import SpecificationError
from data_contracts.specification import load_specification, parse_specification
from data_contracts.specification_digest import (
    EXEMPT,
    canonical_json,
    intake_digest,
    section_digests,
    study_spec_hash,
)
from data_contracts.yaml_source import parse_yaml

HERE = Path(__file__).parent
WHOLE = (HERE / "whole.yaml").read_text()
MINIMAL = (HERE / "minimal.yaml").read_text()

SECTIONS_OF_DESIGN = [
    "phase",
    "claim",
    "planned",
    "systems",
    "rubric",
    "interface",
    "outputs",
    "raters",
    "assignment",
    "intake",
    "corrections",
    "exclusions",
    "adjudication",
    "expectations",
    "analyses",
    "slices",
    "sensitivity",
]


@pytest.fixture
def study(tmp_path) -> Path:
    (tmp_path / "exports").mkdir()
    (tmp_path / "design").mkdir()
    (tmp_path / "exports" / "outputs.jsonl").write_text('{"prompt_id": 1}\n')
    (tmp_path / "design" / "assigned.csv").write_text("rater,case\n")
    (tmp_path / "verdicts.sql").write_text("SELECT 1\n")
    (tmp_path / "key.csv").write_text("c,k,s\n")
    return tmp_path


parsed = cache(parse_specification)


def digests(text: str, study: Path) -> dict[str, str]:
    return section_digests(parsed(text), study)


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before if before[name] != after[name]}


def replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"{old!r} stands {text.count(old)} times")
    return text.replace(old, new)


def test_every_section_of_the_design_has_a_digest(study):
    assert set(SECTIONS_OF_DESIGN) <= set(digests(WHOLE, study))


@settings(max_examples=15, deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_the_order_of_keys_changes_no_digest(tmp_path_factory, random):
    def shuffled(value):
        if isinstance(value, dict):
            keys = sorted(value)
            random.shuffle(keys)
            return {key: shuffled(value[key]) for key in keys}
        return [shuffled(below) for below in value] if isinstance(value, tuple) else value

    folder = tmp_path_factory.getbasetemp()
    as_json = json.dumps(shuffled(parse_yaml(MINIMAL, "study.yaml").data))

    assert section_digests(parse_specification(as_json), folder) == digests(MINIMAL, folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("juryline: 1\n", "# a comment\njuryline:   1\n"),
        ("study: two-writers", 'study: "two-writers"'),
        (
            "study: two-writers",
            "study: two-writers\nphase: exploratory\ncorrections: last\nseed: 0\nslices: []\ntitle:",
        ),
        ("{id: davinci}", "{id: davinci, blinded: davinci, reference: false}"),
        ("kind: human}", "kind: human, role: rater, pay: null}"),
        (
            "read: {as: csv}",
            "read: {as: csv, delimiter: ',', quote: '\"', header: true, encoding: utf-8, decimal: '.'}",
        ),
        ("    population: crowd\n", "    population: crowd\n    phase: exploratory\n    delivery: cumulative\n"),
        ("{rater: worker,", "{rater: {column: worker},"),
        (
            "method: win_rates, criterion: overall",
            "method: win_rates, criterion: [overall], population: [crowd], seed: 0",
        ),
        ("method: win_rates, criterion: overall", "method: win_rates, criterion: all, include: [scored], labels: raw"),
        (
            "method: win_rates, criterion: overall",
            "method: win_rates, criterion: overall, confidence: 0.950, rounds: 1000",
        ),
        ("rubric:\n", "rubric:\n  revision: '1'\n"),
        ("systems:", "claim: {}\nassignment: {}\ngovernance: {}\nplanned: null\nsystems:"),
    ],
)
def test_writing_the_same_study_otherwise_changes_no_digest(study, old, new):
    assert digests(replaced(MINIMAL, old, new), study) == digests(MINIMAL, study)


@pytest.mark.parametrize(
    ("written", "otherwise"),
    [
        ("k: 32,", "k: 32.0,"),
        ("start: 1000,", "start: 1e3,"),
        ("levels: [1, 2, 3, 4, 5]", "levels: [1.0, 2, 3, 4, 5]"),
        ("alpha: [0.10, 0.05, 0.01]", "alpha: [0.1, 5e-2, .01]"),
        (
            "{id: twice, rule: repeat_submission",
            "{id: twice, population: [students, crowd], rule: repeat_submission",
        ),
        ("tau: 1.1", "tau: 1.1, criterion: preference"),
        ("rounds: 500", "rounds: 500, pairs: [[davinci, curie], [davinci, human], [curie, human]]"),
        ("rater: {age: age_band}", "rater: {age: 'age_band'}"),
        ("case: [category]", "case: {category: category}"),
    ],
)
def test_one_meaning_has_one_digest(study, written, otherwise):
    assert digests(replaced(WHOLE, written, otherwise), study) == digests(WHOLE, study)


@pytest.mark.parametrize(
    ("section", "old", "new"),
    [
        ("title", "title: Story quality of five writers", "title: Story quality"),
        ("claim", "construct: overall story quality", "construct: plot"),
        ("claim", "statistic: spa_preference", "statistic: spa_t"),
        ("claim_notes", "decision: Ship the larger model", "decision: Ship the smaller model"),
        ("claim_notes", "not_supported: quality in other languages", "not_supported: anything else"),
        ("planned", "planned: {raters: 100}", "planned: {raters: 50}"),
        ("systems", "blinded: writer-D", "blinded: writer-X"),
        ("rubric", "How coherent is the story?", "How coherent is the plot?"),
        ("rubric", "levels: [bad, good]", "levels: [bad, good, best]"),
        ("interface", "revision: ui-2", "revision: ui-3"),
        ("raters", "98% approval", "99% approval"),
        ("recruitment", "recruitment: MTurk", "recruitment: Prolific"),
        ("recruitment", 'pay: "15 USD/h"', 'pay: "20 USD/h"'),
        ("assignment", "judgments_per_rater: 10", "judgments_per_rater: 12"),
        ("intake", "tie: tie", "tie: both_fail"),
        ("intake", "votes-*.csv", "vote-*.csv"),
        ("outputs", "text: output", "text: story"),
        ("corrections", "corrections: last", "corrections: first"),
        ("exclusions", "seconds: 20", "seconds: 21"),
        ("adjudication", "min_votes: 3", "min_votes: 5"),
        ("expectations", "similar: [human, davinci]", "better: [human, davinci]"),
        ("analyses", "k: 32", "k: 16"),
        ("analyses", "seed: 20260301", "seed: 1"),
        ("slices", "[category, age]", "category, age"),
        ("sensitivity", "[half, drop, davidson]", "[half]"),
        ("governance", "five years", "ten years"),
        ("reuse", "a leaderboard", "another leaderboard"),
    ],
)
def test_an_edit_changes_its_own_section_only(study, section, old, new):
    assert changed(digests(WHOLE, study), digests(replaced(WHOLE, old, new), study)) == {section}


def test_the_order_of_exclusions_counts(study):
    lines = [line for line in WHOLE.splitlines(keepends=True) if "id: twice" in line or "id: unfinished" in line]
    text = WHOLE.replace("".join(lines), "".join(reversed(lines)))

    assert changed(digests(WHOLE, study), digests(text, study)) == {"exclusions"}


@pytest.mark.parametrize(
    ("file", "section"),
    [
        ("verdicts.sql", "intake"),
        ("design/assigned.csv", "assignment"),
        ("exports/outputs.jsonl", "outputs"),
    ],
)
def test_a_byte_of_a_named_file_changes_exactly_its_section(study, file, section):
    before = digests(WHOLE, study)

    (study / file).write_bytes((study / file).read_bytes() + b"\n")

    assert changed(before, digests(WHOLE, study)) == {section}


def test_a_byte_of_the_blinding_table_changes_the_systems(study):
    text = MINIMAL + "blinding: {file: key.csv, columns: {case: c, candidate: k, system: s}}\n"
    before = digests(text, study)

    (study / "key.csv").write_text("c,k,s\n1,A,davinci\n")

    assert changed(before, digests(text, study)) == {"systems"}


def test_an_export_is_no_part_of_any_digest(study):
    before = digests(WHOLE, study)

    (study / "exports" / "votes-1.csv").write_text("worker;prompt\n")

    assert digests(WHOLE, study) == before


def test_a_second_file_of_outputs_changes_their_section(study):
    text = replaced(WHOLE, 'match: "outputs.jsonl"', 'match: "outputs*.jsonl"')
    before = digests(text, study)

    (study / "exports" / "outputs-2.jsonl").write_text("{}\n")

    assert changed(before, digests(text, study)) == {"outputs"}


@pytest.mark.parametrize(("file", "key"), [("verdicts.sql", "query"), ("design/assigned.csv", "manifest")])
def test_a_named_file_that_is_not_there_is_told_with_its_line(study, file, key):
    (study / file).unlink()
    line = WHOLE[: WHOLE.index(f"{key}: {file}")].count("\n") + 1

    with pytest.raises(SpecificationError, match=f"there is no file {file} in the study") as refused:
        digests(WHOLE, study)

    assert refused.value.where.startswith(f"study.yaml, line {line}, ")


def test_outputs_that_match_no_file_are_told(study):
    (study / "exports" / "outputs.jsonl").unlink()

    with pytest.raises(SpecificationError, match="no file below exports/ matches"):
        digests(WHOLE, study)


def test_a_link_out_of_the_study_is_refused(study, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "verdicts.sql"
    outside.write_text("SELECT 1\n")
    (study / "verdicts.sql").unlink()
    os.symlink(outside, study / "verdicts.sql")

    with pytest.raises(SpecificationError, match=r"there is no file verdicts\.sql in the study"):
        digests(WHOLE, study)


def test_the_hash_of_a_study_is_over_all_sections(study):
    before = digests(WHOLE, study)

    for section in before:
        assert study_spec_hash(before | {section: "0" * 64}) != study_spec_hash(before)


def test_what_may_be_amended_has_sections_of_its_own(study):
    assert set(EXEMPT) == {"title", "governance", "reuse", "claim_notes", "recruitment"}
    assert set(EXEMPT) <= set(digests(WHOLE, study))


def test_canonical_json_is_sorted_compact_and_knows_one_way_to_write_a_number():
    assert canonical_json({"b": [1.0, 0.1, -2.5e-7], "a": None}) == '{"a":null,"b":[1,0.1,-2.5e-07]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


def test_an_intake_digest_follows_what_decides_how_an_export_is_read(study):
    def digest(text: str, export: int = 0, adapter: str = "table/1") -> str:
        spec = parsed(text)
        return intake_digest(spec, study, spec.exports[export], adapter)

    before, other = digest(WHOLE), digest(WHOLE, 1)

    assert digest(replaced(WHOLE, "tie: tie", "tie: both_fail")) != before
    assert digest(replaced(WHOLE, "tie: tie", "tie: both_fail"), 1) == other
    assert digest(replaced(WHOLE, "writer-D", "writer-X")) != before
    assert digest(replaced(WHOLE, "levels: [1, 2, 3, 4, 5]", "levels: [1, 2, 3, 4, 5, 6]")) != before
    assert digest(replaced(WHOLE, "exposure: [1, 5]", "exposure: [1, 4, 5]")) != before
    assert digest(WHOLE, adapter="table/2") != before
    assert digest(replaced(WHOLE, "rater_namespace: platform", "rater_namespace: app"), 3) != digest(WHOLE, 3)
    assert digest(replaced(WHOLE, "votes-*.csv", "vot*.csv")) == before
    assert digest(replaced(WHOLE, "k: 32", "k: 16")) == before
    assert digest(replaced(WHOLE, "How coherent is the story?", "How coherent is it?")) == before

    (study / "verdicts.sql").write_text("SELECT 2\n")

    assert digest(WHOLE) == before
    assert digest(WHOLE, 1) != other


def test_digests_do_not_depend_on_where_a_study_lies(study, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("a folder with spaces")
    for file in ("exports/outputs.jsonl", "design/assigned.csv", "verdicts.sql"):
        (elsewhere / file).parent.mkdir(exist_ok=True)
        (elsewhere / file).write_bytes((study / file).read_bytes())
    (elsewhere / "study.yaml").write_text(WHOLE)

    assert section_digests(load_specification(elsewhere), elsewhere) == digests(WHOLE, study)
