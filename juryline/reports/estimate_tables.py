"""Estimates as tables: value, interval, test, counts, and in words why a number is not there.

Belongs here: which columns a table of estimates has and how its cells read. Does not: which estimates a
method shows together (`method_views`).
"""

from collections.abc import Callable, Sequence

from data_contracts.vocabulary import Statistic
from juryline.reports.numbers import count_text, p_text, plain_text
from juryline.reports.plain_words import spoken
from juryline.reports.reading import STARS, Reading
from juryline.reports.reported import Reported
from juryline.reports.safe_text import LONGEST_LABEL, shortened
from juryline.reports.table_view import Cell, Group, Heading, Row, TableView, capped

_COUNTS = (("judgments", "n_judgments"), ("units", "n_units"), ("raters", "n_raters"), ("cases", "n_cases"))


def estimate_table(
    reading: Reading,
    caption: str,
    groups: Sequence[tuple[str, Sequence[Reported]]],
    *,
    subject: str,
    value: str,
    label: Callable[[Reported], str],
    beside: Sequence[tuple[Statistic, str]] = (),
    counts: bool = True,
) -> TableView:
    """A row an estimate, with its interval, its test and others of its numbers beside it.

    Parameters
    ----------
    groups : sequence of (heading, rows)
        Rows in the order shown.
    subject, value : str
        Headings of the first two columns.
    label : callable
        Names the row.
    beside : sequence of (statistic, heading)
        Further numbers of the same subject and dimensions, a column each.
    counts : bool
        Whether judgments, units, raters and cases have columns.
    """
    rows = [row for _, members in groups for row in members]
    columns = _Columns(reading, rows, [pair for pair in beside if _tells(reading, rows, pair[0])], counts=counts)
    headings = [Heading(text=subject), Heading(text=value, number=True), *columns.headings()]
    kept, omitted = capped([columns.group(heading, members, label) for heading, members in groups])
    return TableView(caption=caption, headings=headings, groups=kept, notes=columns.remarks(), omitted=omitted)


class _Columns:
    """The columns that any of the rows has something for."""

    def __init__(
        self, reading: Reading, rows: Sequence[Reported], beside: Sequence[tuple[Statistic, str]], *, counts: bool
    ):
        self.reading = reading
        self.beside = beside
        self.tests = {row.estimate_id: reading.numbers.test_of(row) for row in rows}
        tests = [test for test in self.tests.values() if test is not None]
        self.has_test = any(test.value is not None or test.p_value is not None for test in tests)
        self.p_values = [t for t in (*tests, *rows) if t.p_value is not None]
        self.adjusted = [t for t in self.p_values if t.p_adjusted is not None]
        self.levels = {row.ci_level for row in rows if row.ci_low is not None and row.ci_level is not None}
        self.counts = _told_counts(rows) if counts else []

    def headings(self) -> list[Heading]:
        told = []
        if self.levels:
            level = f"{plain_text(100 * next(iter(self.levels)))} % " if len(self.levels) == 1 else ""
            told.append(Heading(text=f"{level}interval", number=True))
        if self.has_test:
            told.append(Heading(text="t (df)", number=True))
        if self.p_values:
            told.append(Heading(text="p", number=True))
        if self.adjusted:
            told.append(Heading(text="p adjusted", number=True))
        told += [Heading(text=heading, number=True) for _, heading in self.beside]
        told += [Heading(text=heading, number=True) for heading, _ in self.counts]
        return told

    def group(self, heading: str, rows: Sequence[Reported], label: Callable[[Reported], str]) -> Group:
        """Rows under their heading; what must be said of each of them is said once."""
        notes = [self._notes(row) for row in rows]
        with_interval = [note for row, note in zip(rows, notes) if row.ci_status is not None]
        shared = _shared(notes) + [note for note in _shared(with_interval) if note not in _shared(notes)]
        own = ["; ".join(note for note in noted if note not in shared) for noted in notes]
        body = [self._row(row, label(row), note) for row, note in zip(rows, own)]
        return Group(heading=heading, rows=body, note="; ".join(shared))

    def _row(self, row: Reported, label: str, note: str) -> Row:
        reading, test = self.reading, self.tests[row.estimate_id]
        tested = test or row
        ids = [row.estimate_id]
        cells = [
            Cell(text=shortened(label, LONGEST_LABEL * 2)),
            Cell(text=reading.value(row), absent=row.value is None),
        ]
        if self.levels:
            level = f" at {plain_text(100 * row.ci_level)} %" if len(self.levels) > 1 and row.ci_level else ""
            interval = reading.interval(row)
            absent = not interval and row.ci_status is not None
            cells.append(Cell(text="none" if absent else interval + level, absent=absent))
        if self.has_test:
            cells.append(self._test(test))
        if self.p_values:
            cells.append(_p(tested.p_value))
        if self.adjusted:
            cells.append(_p(tested.p_adjusted, reading.stars(tested) if reading.alpha else None))
        if test is not None:
            ids.append(test.estimate_id)
        for statistic, _ in self.beside:
            other = reading.numbers.beside(row, statistic)
            cells.append(self._other(other))
            ids += [other.estimate_id] if other else []
        for _, name in self.counts:
            n = getattr(row, name)
            cells.append(Cell(text="" if n is None else count_text(n)))
        return Row(cells=cells, anchor=reading.anchor(row), ids=ids, note=note, primary=row.primary)

    def remarks(self) -> list[str]:
        told = []
        corrections = sorted({(t.correction, t.family_size) for t in self.adjusted if t.correction and t.family_size})
        for correction, size in corrections:
            if correction == "none":
                told.append("p-values are not corrected for the number of tests, by declaration.")
                continue
            told.append(f"p adjusted: {correction.capitalize()} over {size} tests; intervals are not adjusted.")
        if self.adjusted and self.reading.stars_allowed and self.reading.alpha:
            stars = [f"{STARS * (i + 1)} below {plain_text(a)}" for i, a in enumerate(sorted(self.reading.alpha)[::-1])]
            told.append(f"Stars: adjusted p {', '.join(stars)}.")
        elif self.adjusted and not self.reading.stars_allowed:
            told.append("No stars: the study is interim.")
        return told

    def _test(self, test: Reported | None) -> Cell:
        if test is None:
            return Cell()
        if test.value is None:
            return Cell(text=spoken(test.status, {}), absent=True, estimate_id=self.reading.anchor(test))
        df = "" if test.df is None else f" ({plain_text(round(test.df, 1) if test.df % 1 else int(test.df))})"
        return Cell(text=self.reading.value(test) + df, estimate_id=self.reading.anchor(test))

    def _other(self, other: Reported | None) -> Cell:
        if other is None:
            return Cell()
        return Cell(text=self.reading.value(other), absent=other.value is None, estimate_id=self.reading.anchor(other))

    def _notes(self, row: Reported) -> list[str]:
        test = self.tests[row.estimate_id]
        told = self.reading.notes(row) + (self.reading.notes(test) if test else [])
        for statistic, _ in self.beside:
            other = self.reading.numbers.beside(row, statistic)
            told += self.reading.notes(other) if other is not None and other.value is None else []
        return list(dict.fromkeys(told))


def _shared(notes: Sequence[Sequence[str]]) -> list[str]:
    """What is said of every one of several rows."""
    return [note for note in notes[0] if all(note in other for other in notes)] if len(notes) > 1 else []


def _tells(reading: Reading, rows: Sequence[Reported], statistic: Statistic) -> bool:
    """Whether any row has this number; all systems in one connected group need no column for it."""
    found = [other for row in rows if (other := reading.numbers.beside(row, statistic)) is not None]
    return any(other.value != 1 for other in found) if statistic == Statistic.COMPONENT else bool(found)


def _told_counts(rows: Sequence[Reported]) -> list[tuple[str, str]]:
    """Counts that any row has; units only where they are neither the raters nor the cases."""
    told = [(heading, name) for heading, name in _COUNTS if any(getattr(row, name) is not None for row in rows)]
    names = [name for _, name in told]
    doubled = any(
        name in names and all(getattr(row, name) == row.n_units for row in rows)
        for name in ("n_raters", "n_cases", "n_judgments")
    )
    return [(heading, name) for heading, name in told if not (name == "n_units" and doubled)]


def _p(p: float | None, stars: str | None = None) -> Cell:
    return Cell(text="" if p is None else p_text(p), stars=stars)
