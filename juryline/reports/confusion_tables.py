"""Which labels two raters gave one unit: a table of pairs, shaded by how many there are."""

from collections.abc import Sequence

from data_contracts.vocabulary import State, Statistic
from juryline.reports.figures import shade
from juryline.reports.numbers import number_text
from juryline.reports.reading import POOLED, Reading, group_heading
from juryline.reports.reported import Reported
from juryline.reports.table_view import Cell, Group, Heading, Row, TableView

CONFUSIONS = "Which labels two raters gave"
MOST = 12  # tables of one analysis; estimates.csv has all
_SHADES = 9
_OF_PAIRS = ("first", "second", State.TIE, State.BOTH_FAIL)


def confusion_tables(reading: Reading, rows: Sequence[Reported]) -> list[TableView]:
    """A table for each criterion, population and pair of raters that has label counts."""
    blocks: dict[tuple[str, ...], list[Reported]] = {}
    for row in rows:
        if row.statistic == Statistic.CONFUSION and row.value is not None:
            blocks.setdefault((*row.group, row.subject, row.comparator or ""), []).append(row)
    return [_table(reading, members) for members in list(blocks.values())[:MOST]]


def _table(reading: Reading, rows: Sequence[Reported]) -> TableView:
    labels = _labels(reading, rows)
    by_pair = {(str(row.dimensions["label"]), str(row.dimensions["label2"])): row for row in rows}
    greatest = max((row.value for row in rows if row.value is not None), default=0) or 1
    body = []
    for first in labels:
        found = [by_pair.get((first, second)) for second in labels]
        cells = [Cell(text=first), *(_cell(reading, row, greatest) for row in found)]
        body.append(Row(cells=cells, ids=[row.estimate_id for row in found if row is not None]))
    headings = [Heading(text="one rater ↓ another →"), *(Heading(text=label, number=True) for label in labels)]
    caption = f"{CONFUSIONS}: {group_heading(reading.spec, rows[0])}"
    return TableView(caption=caption, headings=headings, groups=[Group(heading="", rows=body)])


def _cell(reading: Reading, row: Reported | None, greatest: float) -> Cell:
    if row is None or row.value is None:
        return Cell(style="heat")
    place = round((_SHADES - 1) * row.value / greatest)
    text = number_text(row.value, row.unit)
    return Cell(text=text, style=f"heat {shade(place, _SHADES)}", estimate_id=reading.anchor(row))


def _labels(reading: Reading, rows: Sequence[Reported]) -> list[str]:
    """Labels in the order of the specification, then the words for pairs, then any others."""
    criteria = reading.spec.criteria
    named = criteria.values() if rows[0].criterion == POOLED else filter(None, [criteria.get(rows[0].criterion)])
    levels = [level for criterion in named if criterion.scale is not None for level in criterion.scale.level_index]
    order = list(dict.fromkeys([*levels, *reading.spec.system_ids, *_OF_PAIRS]))
    seen = dict.fromkeys(str(row.dimensions[key]) for row in rows for key in ("label", "label2"))
    return sorted(seen, key=lambda label: (order.index(label) if label in order else len(order), label))
