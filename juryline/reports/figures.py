"""What a figure of estimates is made of: strips of dots, bars of shares, groups of rows with their headings.

Belongs here: from rows to a figure, the same for every method. Does not: which numbers a method shows
(`analysis_charts`), nor how a chart is drawn (`charts`). What has no number is in the tables with its reason: a group
of rows in which none has one is not drawn, and a figure without any is none.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from data_contracts.estimates import ALL
from data_contracts.vocabulary import Statistic, Unit
from juryline.reports.charts import Axis, Bar, Mark, Segment, Strip, interval_chart, stacked_bars
from juryline.reports.numbers import number_text
from juryline.reports.plain_words import spoken
from juryline.reports.reading import Reading, group_heading, subject_label
from juryline.reports.reported import Reported
from juryline.reports.svg import element, marker

Rows = Sequence[Reported]
Part = tuple[Statistic, str, str]  # of a bar: what it shows, its name, its style
SHADES = 9  # of the ordered palette q0 ... q8
MOST_SERIES = 6  # shapes that can be told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart with its caption and what its colours mean: (swatch, words)."""

    caption: str
    drawing: Markup
    legend: tuple[tuple[Markup, str], ...] = ()


def swatch(style: str) -> Markup:
    """The colour of a part of a bar, for a legend."""
    return element("svg", element("rect", width=14, height=14, rx=2, class_=f"part {style}"),
                   viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")  # fmt: skip


def shade(place: int, of: int) -> str:
    """Class of an ordered level: from the lightest to the darkest."""
    return f"q{round(place * (SHADES - 1) / max(of - 1, 1))}"


def dots(
    reading: Reading, rows: Rows, label: Callable[[Reported], str], axis: Axis, caption: str
) -> Figure | None:  # fmt: skip
    """A strip a row, with a dot at its value and its interval."""
    strips: list[Strip] = []
    for heading, members in headed(reading, rows):
        strips += [Strip(label=heading)] if heading else []
        strips += [Strip(label=label(row), marks=(_mark(reading, row),)) for row in members]
    if not strips:
        return None
    said = "A dot is an estimate, the line through it its interval."
    return Figure(caption=caption, drawing=interval_chart(strips, axis, title=caption, description=said))


def series(reading: Reading, rows: Rows, axis: Axis, caption: str) -> Figure | None:
    """A strip a criterion and label, in it a mark a system; a strip a system where there are many systems."""
    rows = [row for _, members in headed(reading, rows) for row in members]
    systems = list(dict.fromkeys(row.subject for row in rows))
    if not 1 < len(systems) <= MOST_SERIES:
        return dots(reading, rows, subject_label, axis, caption)
    strips: list[Strip] = []
    several = len({row.population for row in rows}) > 1
    by_strip: dict[tuple[str, str], list[Reported]] = {}
    for row in rows:
        label = ", ".join([row.criterion.replace("*", "all pooled"), *(str(v) for v in row.dimensions.values())])
        by_strip.setdefault((row.population, label), []).append(row)
    population = None
    for (of, label), members in by_strip.items():
        if several and of != population:
            strips.append(Strip(label=of))
            population = of
        marks = tuple(_mark(reading, row, systems.index(row.subject), row.subject) for row in members)
        strips.append(Strip(label=label, marks=marks))
    legend = tuple((_marker_swatch(place), system) for place, system in enumerate(systems))
    said = f"Systems from top to bottom of each line: {', '.join(systems)}."
    return Figure(caption=caption, drawing=interval_chart(strips, axis, title=caption, description=said), legend=legend)


def level_shares(reading: Reading, shares: Rows) -> Iterator[Figure]:
    """A bar a system, of the shares of the levels; a figure a scale, for another has other levels."""
    scales: dict[tuple[str, ...], list[Reported]] = {}
    for criterion in dict.fromkeys(row.criterion for row in shares):
        rows = _in_level_order(reading, [row for row in shares if row.criterion == criterion])
        scales.setdefault(tuple(dict.fromkeys(str(row.dimensions.get("label")) for row in rows)), []).extend(rows)
    for levels, rows in scales.items():
        of = f": {', '.join(dict.fromkeys(row.criterion for row in rows))}" if len(scales) > 1 else ""
        figure = _level_bars(reading, rows, levels, f"How often each level was given{of}")
        if figure is not None:
            yield figure


def _level_bars(reading: Reading, shares: Rows, levels: Sequence[str], caption: str) -> Figure | None:
    bars: list[Bar] = []
    for heading, members in headed(reading, shares):
        bars += [Bar(label=heading)] if heading else []
        for system in dict.fromkeys(row.subject for row in members):
            of = [row for row in members if row.subject == system]
            bars.append(Bar(label=system, segments=tuple(_share_segment(row, levels) for row in of)))
    legend = tuple((swatch(shade(i, len(levels))), level) for i, level in enumerate(levels))
    if not bars:
        return None
    said = f"Levels from left to right: {', '.join(levels)}."
    return Figure(caption=caption, drawing=stacked_bars(bars, title=caption, description=said), legend=legend)


def _share_segment(row: Reported, levels: Sequence[str]) -> Segment:
    level = str(row.dimensions.get("label"))
    text = _inside(row.value, row.unit) if row.value is not None else ""
    return Segment(name=level, size=row.value or 0, text=text, style=shade(levels.index(level), len(levels)))


def part_bars(
    reading: Reading, rows: Rows, parts: Sequence[Part], caption: str, *, of_groups: bool = False
) -> Figure | None:
    """A bar a row, of the numbers that stand beside it; a bar a group of rows where each has one row."""
    bars: list[Bar] = []
    for heading, members in headed(reading, rows):
        drawn = [bar for row in members if (bar := _part_bar(reading, row, parts, of_groups=of_groups)).segments]
        bars += [Bar(label=heading)] if heading and drawn and not of_groups else []
        bars += drawn
    there = {segment.name for bar in bars for segment in bar.segments if segment.size}
    if not there:
        return None
    shown = [(name, style) for _, name, style in parts if name in there]
    said = f"From left to right: {', '.join(name for name, _ in shown)}."
    legend = tuple((swatch(style), name) for name, style in shown)
    return Figure(caption=caption, drawing=stacked_bars(bars, title=caption, description=said), legend=legend)


def _part_bar(reading: Reading, row: Reported, parts: Sequence[Part], *, of_groups: bool) -> Bar:
    found = [(reading.numbers.beside(row, statistic), name, style) for statistic, name, style in parts]
    segments = tuple(
        Segment(name=name, size=part.value, text=_inside(part.value, part.unit), style=style)
        for part, name, style in found
        if part is not None and part.value is not None
    )
    return Bar(label=group_heading(reading.spec, row) if of_groups else row.subject, segments=segments)


def _inside(value: float, unit: str) -> str:
    """What a part of a bar says: a count, or a share with the decimals there is room for."""
    return number_text(value, unit, None if unit == Unit.COUNT else 2)


def _mark(reading: Reading, row: Reported, series: int = 0, name: str = "") -> Mark:
    if row.value is None:
        return Mark(text=f"{name}: {spoken(row.status, {})}" if name else spoken(row.status, {}))
    interval = reading.interval(row)
    return Mark(
        text=reading.value(row) + (f" {interval}" if interval else ""),
        value=row.value,
        low=row.ci_low,
        high=row.ci_high,
        series=series,
        name=name,
    )


def _marker_swatch(series: int) -> Markup:
    return element("svg", marker(7, 7, series), viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")


def only(rows: Rows, statistic: Statistic, pairs: bool | None = None) -> list[Reported]:
    kept = [row for row in rows if row.statistic == statistic]
    return [row for row in kept if pairs in (None, row.comparator is not None)]


def in_order(rows: Rows, statistics: Sequence[Statistic]) -> list[Reported]:
    """Rows of the study with these statistics: group by group, in it in the order given."""
    groups = list(dict.fromkeys(row.group for row in rows))
    kept = [row for row in rows if row.statistic in statistics and row.subject == ALL]
    return sorted(kept, key=lambda row: (groups.index(row.group), statistics.index(Statistic(row.statistic))))


def best_first(rows: Rows) -> list[Reported]:
    """Within each group, systems by value; those without one last."""
    groups = list(dict.fromkeys(row.group for row in rows))
    return sorted(rows, key=lambda row: (groups.index(row.group), row.value is None, -(row.value or 0)))


def headed(reading: Reading, rows: Rows) -> list[tuple[str, list[Reported]]]:
    """Rows by group, with a heading where there is more than one; a group without a number is none."""
    groups: dict[tuple[str, ...], list[Reported]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    told = [members for members in groups.values() if any(row.value is not None for row in members)]
    return [("" if len(groups) == 1 else group_heading(reading.spec, members[0]), members) for members in told]


def _in_level_order(reading: Reading, rows: Rows) -> list[Reported]:
    def place(row: Reported) -> tuple[int, str]:
        criterion = reading.spec.criteria.get(row.criterion)
        index = criterion.scale.level_index if criterion is not None and criterion.scale is not None else {}
        label = str(row.dimensions.get("label"))
        return index.get(label, len(index)), label

    return sorted(rows, key=place)
