"""Every error of a specification is told with file, line, key, what is wrong and what to do."""

from pathlib import Path

import pytest
import yaml

from data_contracts.errors import SpecificationError
from data_contracts.specification import load_specification, parse_specification

HERE = Path(__file__).parent
WHOLE = (HERE / "whole.yaml").read_text()


def cases():
    groups = yaml.safe_load((HERE / "specification_errors.yaml").read_text())
    for group, edits in groups.items():
        if not edits:
            raise ValueError(f"no cases in {group}")
        for edit in edits:
            yield pytest.param(edit, id=f"{group}: {edit['what']}")


def edited(old: str, new: str) -> str:
    if WHOLE.count(old) != 1:
        raise ValueError(f"{old!r} stands {WHOLE.count(old)} times in whole.yaml")
    return WHOLE.replace(old, new)


def refusal(text: str) -> SpecificationError:
    with pytest.raises(SpecificationError) as refused:
        parse_specification(text)
    return refused.value


@pytest.mark.parametrize("case", list(cases()))
def test_an_error_is_told_with_line_key_and_mend(case):
    text = edited(case["edit"], case["into"])
    line = text[: text.index(case["at"])].count("\n") + 1

    told = [(p.line, p.key, p.what, p.fix) for p in refusal(text).problems]

    at_place = [(what, fix) for at, key, what, fix in told if (at, key) == (line, case["key"])]
    assert any(case["what"] in what and case["fix"] in fix for what, fix in at_place), told


def test_one_error_reads_as_what_where_and_fix():
    error = refusal(edited("blinded: writer-C", "blinded: writer-D"))

    assert str(error) == (
        "the blinded id writer-D is that of davinci too.\n"
        "  where: study.yaml, line 16, systems[1].blinded\n"
        "  fix:   give each system its own, or declare `blinding` if codes differ by case"
    )
    assert error.exit_status == 2


def test_all_errors_are_told_at_once_in_the_order_of_the_file():
    text = edited("blinded: writer-C", "blinded: writer-D").replace("labels: settle", "labels: settled")
    text = text.replace("query: verdicts.sql", "query: ../verdicts.sql")

    error = refusal(text)

    assert [problem.line for problem in error.problems] == [16, 80, 119]
    assert error.what.startswith("study.yaml has 3 errors:\n  line 16, systems[1].blinded: ")


def test_twenty_errors_are_shown_and_the_total_told():
    systems = "\n".join(f"  - {{id: davinci, blinded: w{i}}}" for i in range(30))
    text = edited("  - {id: curie, blinded: writer-C}", f"  - {{id: curie, blinded: writer-C}}\n{systems}")

    error = refusal(text)

    assert len(error.problems) == 30
    assert "has 30 errors, the first 20 are:" in error.what
    assert len(error.what.splitlines()) == 21


def test_an_unknown_key_and_a_wrong_value_are_told_together():
    text = edited("seed: 20260301", "sead: 1").replace("k: 32", "k: many")

    assert [problem.key for problem in refusal(text).problems] == ["analyses[4].k", "sead"]


def test_a_study_that_is_no_mapping_is_refused():
    assert refusal("- a\n- b\n").problems[0].what == "a list stands where a mapping belongs"


def test_a_text_of_the_file_is_cut_in_an_error():
    error = refusal(edited("juryline: 1", f"juryline: {'x' * 500}"))

    assert len(error.what) < 120


def test_blinded_ids_may_be_equal_where_a_table_tells_codes_apart():
    text = (HERE / "minimal.yaml").read_text()
    text = text.replace(
        "rubric:\n", "blinding: {file: key.csv, columns: {case: c, candidate: k, system: s}}\nrubric:\n"
    )

    assert parse_specification(text).blinding.file == "key.csv"


def test_a_blinded_id_beside_a_table_of_codes_is_refused():
    text = (HERE / "minimal.yaml").read_text().replace("{id: curie}", "{id: curie, blinded: B}")
    text = text.replace(
        "rubric:\n", "blinding: {file: key.csv, columns: {case: c, candidate: k, system: s}}\nrubric:\n"
    )

    assert [p.key for p in refusal(text).problems] == ["systems[1].blinded"]


def test_beside_a_table_of_codes_spa_is_blinded_by_one_id_a_system():
    text = WHOLE.replace(
        "rubric:\n", "blinding: {file: key.csv, columns: {case: c, candidate: k, system: s}}\nrubric:\n"
    )

    assert parse_specification(text).system_of_blinded["writer-D"] == "davinci"


def test_beside_a_table_of_codes_spa_needs_no_case():
    text = (HERE / "minimal.yaml").read_text()
    text = text.replace("protocol: pairwise", "protocol: spa, scale: {measure: probability, min: 0, max: 100}")
    text = text.replace("case: prompt, ", "").replace("{left: candidate_1, right: candidate_2, same: tie, ", "{")
    text = text.replace("method: win_rates", "method: spa").replace(
        "  - {id: agreement, method: agreement, criterion: overall}\n", ""
    )
    text = text.replace(
        "rubric:\n", "blinding: {file: key.csv, columns: {case: c, candidate: k, system: s}}\nrubric:\n"
    )

    assert parse_specification(text).blinding.file == "key.csv"


def test_a_ranking_without_an_independent_unit_is_refused():
    text = (HERE / "minimal.yaml").read_text()
    text = text.replace("protocol: pairwise", "protocol: ranking").replace(", candidate_2: right", "")
    text = text.replace("{left: candidate_1, right: candidate_2, same: tie, ", "{")

    problems = refusal(text).problems

    assert [p.key for p in problems] == ["analyses[0].independent_unit"]
    assert "the pairs of a ranking of overall are not independent" in problems[0].what


def test_answers_of_one_direction_with_a_tau_rule_are_allowed_once_acknowledged():
    text = edited("answers: mean_of_both", "answers: forward, acknowledge: tau_biases_forward")

    assert parse_specification(text).analyses[0].acknowledge == "tau_biases_forward"


def test_a_missing_study_is_told_with_its_path(tmp_path):
    with pytest.raises(SpecificationError) as refused:
        load_specification(tmp_path)

    assert refused.value.where == str(tmp_path / "study.yaml")
