"""docs/specification.md is true: its examples load, and its tables are the model's keys and defaults."""

import inspect
import re
from pathlib import Path

import pytest
from pydantic_core import PydanticUndefined

from data_contracts import (
    specification,
    specification_analyses,
    specification_design,
    specification_exports,
    specification_rubric,
    specification_rules,
)
from data_contracts.built import refuse_unbuilt
from data_contracts.specification import parse_specification
from data_contracts.specification_digest import sections
from data_contracts.specification_part import Part

PAGE = (Path(__file__).parents[2] / "docs" / "specification.md").read_text(encoding="utf-8")
MODULES = (
    specification,
    specification_analyses,
    specification_design,
    specification_exports,
    specification_rubric,
    specification_rules,
)
PARTS = {
    name: part
    for module in MODULES
    for name, part in inspect.getmembers(module, inspect.isclass)
    if issubclass(part, Part) and part is not Part
}
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
NOT_DECLARED = "—"


def tables() -> dict[str, dict[str, str]]:
    """Default by key, of every part that the page has a table of (an empty one where it has no keys of its own)."""
    found = {}
    for name, text in re.findall(r"<!-- (\w+) -->(.*?)(?=<!-- |\Z)", PAGE, re.DOTALL):
        rows = re.findall(r"^\| `(\w+)` \|.*?(?<!\\)\| ([^|]*?) \| [^|]*(?:\\\|[^|]*)*\|$", text, re.MULTILINE)
        found[name] = dict(rows)
    return found


def own_defaults(part: type[Part]) -> dict[str, str]:
    inherited = {key for base in part.__mro__[1:] if issubclass(base, Part) for key in base.model_fields}
    fields = {key: field for key, field in part.model_fields.items() if key not in inherited | {"rule", "method"}}
    if part.__name__ == "Interval":
        fields["method"] = part.model_fields["method"]
    return {field.alias or key: _written(field.get_default(call_default_factory=True)) for key, field in fields.items()}


def _written(default) -> str:
    if default is PydanticUndefined:
        return "required"
    if default is None or isinstance(default, Part):
        return NOT_DECLARED
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return f"[{', '.join(map(str, default))}]"
    return str(default)


def test_the_page_has_a_table_of_every_part():
    assert set(tables()) == set(PARTS)


@pytest.mark.parametrize("name", sorted(PARTS))
def test_a_table_has_the_keys_and_defaults_of_its_part(name):
    assert tables()[name] == own_defaults(PARTS[name])


def test_the_short_study_has_twenty_lines_and_loads():
    assert len(EXAMPLES[0].splitlines()) <= 20
    assert parse_specification(EXAMPLES[0]).study == "two-writers"


def test_the_other_examples_together_are_one_study():
    study = parse_specification("".join(EXAMPLES[1:]))
    refuse_unbuilt(study)

    assert study.study == "story-quality"
    assert {analysis.method for analysis in study.analyses} == {
        "spa",
        "likert",
        "pass_rates",
        "win_rates",
        "elo",
        "bradley_terry",
        "agreement",
        "order_effects",
        "length_effects",
        "judge_agreement",
        "recalibration",
    }


def test_the_page_names_every_section_of_a_digest():
    listed = PAGE.split("- Sections: ")[1].split("\n- ")[0]
    named = re.findall(r"\b[a-z_]+\b", re.sub(r"\(.*?\)", "", listed, flags=re.DOTALL))

    assert named == list(sections(parse_specification(EXAMPLES[0])))
