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


@pytest.mark.parametrize(
    ("method", "built"),
    [
        ("win_rates, interval: {method: bootstrap}", False),
        ("elo, interval: {method: bootstrap}", True),
        ("elo, interval: {method: percentile}", False),
        ("bradley_terry, ties: davidson", True),
        ("bradley_terry, interval: {method: bootstrap}", True),
        ("bradley_terry, interval: {method: percentile}", True),
        ("agreement, interval: {method: percentile}", True),
        ("length_effects, interval: {method: bootstrap}", False),
        ("recalibration, judge: judge, reference: crowd, interval: {method: percentile}", True),
    ],
)
def test_an_interval_is_made_as_declared_or_refused(method, built):
    text = MINIMAL.replace("kind: human}]", "kind: human}, {id: judge, kind: model}]")
    spec = parse_specification(text.replace("win_rates", method))

    if built:
        assert refuse_unbuilt(spec) is None
    else:
        with pytest.raises(SpecificationError, match="is not in this version"):
            refuse_unbuilt(spec)
