"""The page of estimates is made of the vocabulary; run this file to write it anew."""

import inspect
import re
from pathlib import Path

import pytest

from data_contracts import vocabulary
from data_contracts.statistics import EVERY_UNIT, FAMILIES, SENSITIVITY, UNITS, unit_of
from data_contracts.tables import ESTIMATES
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.reports.plain_words import REASONS, STATISTICS, STATUSES, spoken
from juryline.study.methods import READS

PAGE = Path(__file__).parents[2] / "docs" / "estimates.md"
HEAD = """\
# What `estimates` says

Every number of a study is a row of `estimates` (`juryline export STUDY --to DIR` writes it as a CSV, with
its codebook). This page lists the words that its columns `statistic`, `unit`, `status` and `reason` may
hold. It is generated; `name@x` and `name:label` of the literature are dimensions in the id, as in
`/alpha=0.1` or `/label=Yes`, and no part of a name.
"""


def page() -> str:
    """The page, from the vocabulary and its words."""
    parts = [HEAD, "## Columns", "", "| column | meaning |", "|---|---|"]
    parts += [f"| `{column.name}` | {column.meaning} |" for column in ESTIMATES]
    parts += [
        "",
        "## Statuses",
        "",
        "In the order in which they are decided; a row has a value only if it is `ok`.",
        "",
    ]
    parts += ["| status | meaning |", "|---|---|", *(f"| `{status}` | {STATUSES[status]} |" for status in Status)]
    parts += ["", "## Units", "", "| unit | meaning |", "|---|---|"]
    parts += [f"| `{unit}` | {_unit_words(unit)} |" for unit in Unit]
    parts += ["", "## Statistics"]
    for method, units in UNITS.items():
        parts += ["", f"### {method if method in (FAMILIES, SENSITIVITY) else f'`{method}`'}", ""]
        parts += ["| statistic | unit | in words |", "|---|---|---|"]
        parts += [f"| `{name}` | {unit} | {_cell(spoken(name, STATISTICS))} |" for name, unit in units.items()]
        if method == SENSITIVITY:
            parts += [f"| `{name}` | of the number | {spoken(name, STATISTICS)} |" for name in EVERY_UNIT]
    parts += ["", "## Reasons", "", "Why there is no value, test or interval, or what a reader must know of one.", ""]
    parts += ["| reason | meaning |", "|---|---|", *(f"| `{reason}` | {_cell(REASONS[reason])} |" for reason in Reason)]
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _unit_words(unit: Unit) -> str:
    """What the vocabulary says below a unit; a unit that needs no words has none."""
    source = inspect.getsource(vocabulary.Unit)
    said = re.search(rf'^    {unit.name} = .*\n    """(.*?)"""', source, re.MULTILINE)
    return said[1] if said else str(unit)


def test_the_page_is_the_vocabulary():
    assert PAGE.read_text(encoding="utf-8") == page(), f"write it anew: python {Path(__file__).name}"


def test_every_statistic_is_given_by_a_method():
    given = {name for units in UNITS.values() for name in units} | set(EVERY_UNIT)
    assert given == set(Statistic)


def test_every_reason_and_status_has_words():
    assert set(REASONS) == set(Reason)
    assert set(STATUSES) == set(Status)


def test_every_method_has_its_statistics():
    assert set(UNITS) - {FAMILIES, SENSITIVITY} == set(READS)


def test_a_statistic_of_another_method_is_refused():
    with pytest.raises(ValueError, match="elo gives no spa_preference"):
        unit_of("elo", Statistic.SPA_PREFERENCE)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
