"""A table of a report before it is HTML: headings, groups of rows, cells, and how many rows are elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

MOST_ROWS = 120  # shown of one table; estimates.csv has all
MOST_OPEN_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    text: str
    number: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """`absent` marks words where a number would be; `estimate_id` makes the cell an anchor; `stars` keep their room."""

    text: str = ""
    absent: bool = False
    stars: str | None = None
    estimate_id: str | None = None
    style: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`ids` are the estimates shown, by which they can be traced; `anchor` is the row's own, `note` stands below it."""

    cells: Sequence[Cell]
    anchor: str | None = None
    ids: Sequence[str] = ()
    note: str = ""
    primary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows under a heading; an empty heading is not shown. `note` holds for every row of it."""

    heading: str
    rows: Sequence[Row]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    caption: str
    headings: Sequence[Heading]
    groups: Sequence[Group]
    notes: Sequence[str] = ()
    file: str = "estimates.csv"
    omitted: int = 0

    @property
    def traced(self) -> bool:
        return any(row.ids for group in self.groups for row in group.rows)

    @property
    def width(self) -> int:
        return len(self.headings) + (1 if self.traced else 0)

    @property
    def long(self) -> bool:
        """Whether it is folded on the page; a table with the primary result never is."""
        return self.shown > MOST_OPEN_ROWS and not any(row.primary for group in self.groups for row in group.rows)

    @property
    def shown(self) -> int:
        return sum(len(group.rows) for group in self.groups)


def capped(groups: Sequence[Group], most: int = MOST_ROWS) -> tuple[list[Group], int]:
    """The first `most` rows in their groups, and how many were left out."""
    kept: list[Group] = []
    room = most
    for group in groups:
        if room > 0:
            kept.append(replace(group, rows=group.rows[:room]))
            room -= len(kept[-1].rows)
    return kept, sum(len(group.rows) for group in groups) - sum(len(group.rows) for group in kept)


def plain_table(
    caption: str, headings: Sequence[str | Heading], rows: Sequence[Sequence[str | Cell]], *, file: str,
    notes: Sequence[str] = (),
) -> TableView:  # fmt: skip
    """A table of words and counts, of which nothing is an estimate."""
    body = [Row(cells=[cell if isinstance(cell, Cell) else Cell(text=cell) for cell in row]) for row in rows]
    groups, omitted = capped([Group(heading="", rows=body)])
    return TableView(
        caption=caption,
        headings=[h if isinstance(h, Heading) else Heading(text=h) for h in headings],
        groups=groups,
        notes=notes,
        file=file,
        omitted=omitted,
    )
