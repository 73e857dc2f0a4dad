"""What this version does not compute is refused by name and line, never approximated."""

from pathlib import Path

import pytest

from data_contracts.built import refuse_unbuilt
from data_contracts.errors import SpecificationError
from data_contracts.specification import load_specification, parse_specification

HERE = Path(__file__).parent
MINIMAL = (HERE / "minimal.yaml").read_text()


def test_a_study_of_built_methods_is_not_refused():
    assert refuse_unbuilt(load_specification(HERE / "minimal.yaml")) is None


def test_everything_unbuilt_is_named_with_its_line():
    spec = load_specification(HERE / "whole.yaml")
    lines = (HERE / "whole.yaml").read_text().splitlines()

    with pytest.raises(SpecificationError) as refused:
        refuse_unbuilt(spec)

    told = {problem.what.removesuffix(" is not in this version"): problem.line for problem in refused.value.problems}
    assert {what: lines[line - 1].split(",")[0].strip() for what, line in told.items()} == {
        "interval: {method: percentile} for likert": "- {id: likert",
    }
    assert refused.value.code == "not_in_this_version"
    assert refused.value.exit_status == 2


RATED = {
    "spa": "probability, min: 0, max: 100",
    "likert": "ordinal, levels: [1, 2]",
    "pass_rates": "nominal, levels: [a, b]",
}


@pytest.mark.parametrize(
    ("method", "interval", "built"),
    [
        ("spa", "percentile", False),
        ("likert", "bootstrap", False),
        ("pass_rates", "percentile", False),
        ("win_rates", "bootstrap", False),
        ("order_effects", "bootstrap", False),
        ("length_effects", "bootstrap", False),
        ("judge_agreement", "percentile", False),
        ("elo", "percentile", False),
        ("elo", "bootstrap", True),
        ("bradley_terry", "bootstrap", True),
        ("bradley_terry", "percentile", True),
        ("agreement", "percentile", True),
        ("recalibration", "percentile", True),
    ],
)
def test_an_interval_is_made_as_declared_or_refused(method, interval, built):
    criterion = "overall"
    text = MINIMAL.replace("kind: human}]", "kind: human}, {id: judge, kind: model}]")
    if method in RATED:
        criterion = "rated"
        protocol = "spa" if method == "spa" else "rating"
        scale = f"{{measure: {RATED[method]}}}"
        text = text.replace("criteria:", f"criteria:\n    - {{id: rated, protocol: {protocol}, scale: {scale}}}", 1)
    if method in ("recalibration", "judge_agreement"):
        method += ", judge: judge, reference: crowd"
    declared = f"{method}, criterion: {criterion}, interval: {{method: {interval}}}"
    spec = parse_specification(text.replace("win_rates, criterion: overall", declared))

    if built:
        assert refuse_unbuilt(spec) is None
    else:
        told = rf"interval: .method: {interval}. for {spec.analyses[0].method} is not in this version"
        with pytest.raises(SpecificationError, match=told):
            refuse_unbuilt(spec)
