"""The chart that suits each method, drawn from its rows of estimates.

Belongs here: which numbers a method's chart shows, on which axis. Does not: how a chart is drawn (`charts`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from data_contracts.estimates import ALL
from data_contracts.vocabulary import Statistic, Unit
from juryline.reports.charts import Axis, Bar, Mark, Segment, Strip, interval_chart, stacked_bars
from juryline.reports.method_views import BETWEEN_POPULATIONS, COEFFICIENTS, CORRELATIONS
from juryline.reports.numbers import number_text
from juryline.reports.plain_words import spoken
from juryline.reports.reading import Reading, group_heading, pair_label, statistic_label, subject_label
from juryline.reports.reported import Reported
from juryline.reports.svg import element, marker

Rows = Sequence[Reported]
SHADES = 9  # of the ordered palette q0 ... q8
MOST_SERIES = 6  # shapes that can be told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart with its caption and what its colours mean: (swatch, words)."""

    caption: str
    drawing: Markup
    legend: tuple[tuple[Markup, str], ...] = ()


def figures(reading: Reading, method: str, rows: Rows) -> list[Figure]:
    """The chart of a method: of its unsliced rows, in the order given; none where there is nothing to draw."""
    return [figure for figure in _CHARTS.get(method, _any_method)(reading, rows) if figure is not None]


def swatch(style: str) -> Markup:
    """The colour of a part of a bar, for a legend."""
    return element("svg", element("rect", width=14, height=14, rx=2, class_=f"part {style}"),
                   viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")  # fmt: skip


def shade(place: int, of: int) -> str:
    """Class of an ordered level: from the lightest to the darkest."""
    return f"q{round(place * (SHADES - 1) / max(of - 1, 1))}"


def _spa(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    axis = Axis(title="Stated chance that the first system is better", low=0, high=1, reference=0.5,
                reference_label="no preference")  # fmt: skip
    yield _dots(reading, _only(rows, Statistic.SPA_PREFERENCE), pair_label("over"), axis, "Stated preference by pair")


def _likert(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    means = _only(rows, Statistic.MEAN, pairs=False)
    bounds = [reading.spec.criteria[row.criterion].bounds for row in means if row.criterion in reading.spec.criteria]
    lows, highs = [low for low, _ in bounds if low is not None], [high for _, high in bounds if high is not None]
    axis = Axis(title="Mean rating", low=min(lows, default=None), high=max(highs, default=None))
    yield _dots(reading, means, subject_label, axis, "Mean ratings")
    yield _level_shares(reading, _only(rows, Statistic.SHARE, pairs=False))


def _pass_rates(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    rates = _only(rows, Statistic.PASS_RATE, pairs=False) or _only(rows, Statistic.SHARE, pairs=False)
    passing = bool(rates) and rates[0].statistic == Statistic.PASS_RATE
    axis = Axis(title="Share passed" if passing else "Share of answers", low=0, high=1)
    caption = "Pass rate by criterion and system" if passing else "Share of each label by system"
    yield _series(reading, rates, axis, caption)


def _win_rates(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    rates = _only(rows, Statistic.WIN_RATE, pairs=False)
    axis = Axis(title="Win rate", low=0, high=1)
    yield _dots(reading, _best_first(rates), subject_label, axis, "Win rates")
    yield _outcomes(reading, _best_first(rates))


def _ratings(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    ratings = _only(rows, Statistic.RATING, pairs=False)
    yield _dots(reading, _best_first(ratings), subject_label, Axis(title="Rating"), "Ratings, best first")


def _agreement(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    shown = [row for row in rows if row.statistic in COEFFICIENTS and row.comparator is None and row.subject == ALL]
    shown.sort(key=lambda row: COEFFICIENTS.index(Statistic(row.statistic)))
    shown += [row for row in rows if row.statistic in BETWEEN_POPULATIONS]
    axis = Axis(title="Coefficient", low=0, high=1)
    yield _dots(reading, _by_group(shown), statistic_label, axis, "Agreement")


def _length_effects(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    axis = Axis(title="P(win | longer) − P(win | not longer)", low=-1, high=1, reference=0, reference_label="no effect")
    caption = "Winning with the longer output"
    yield _dots(reading, _only(rows, Statistic.LENGTH_CONTRAST), subject_label, axis, caption)


def _recalibration(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    # The control stands on the same axis: without it a change would look like an improvement.
    shown = [row for row in rows if row.statistic in CORRELATIONS]
    shown.sort(key=lambda row: list(CORRELATIONS).index(Statistic(row.statistic)))
    axis = Axis(title="Spearman's correlation", low=-1, high=1, reference=0, reference_label="none")
    caption = "Rank correlation of the judge with human win rates"
    yield _dots(reading, _by_group(shown), lambda row: CORRELATIONS[Statistic(row.statistic)], axis, caption)


def _any_method(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    """What is a share, a probability or a coefficient and has an interval goes on one axis."""
    units = (Unit.SHARE, Unit.PROBABILITY, Unit.COEFFICIENT)
    shown = [row for row in rows if row.unit in units and row.ci_low is not None]
    yield _dots(reading, shown, statistic_label, Axis(title="Value", low=0, high=1), "Estimates with intervals")


_CHARTS: dict[str, Callable[[Reading, Rows], Iterable[Figure | None]]] = {
    "spa": _spa,
    "likert": _likert,
    "pass_rates": _pass_rates,
    "win_rates": _win_rates,
    "elo": _ratings,
    "bradley_terry": _ratings,
    "agreement": _agreement,
    "length_effects": _length_effects,
    "recalibration": _recalibration,
}


def _dots(
    reading: Reading, rows: Rows, label: Callable[[Reported], str], axis: Axis, caption: str
) -> Figure | None:  # fmt: skip
    if not rows:
        return None
    strips: list[Strip] = []
    for heading, members in _headed(reading, rows):
        strips += [Strip(label=heading)] if heading else []
        strips += [Strip(label=label(row), marks=(_mark(reading, row),)) for row in members]
    said = "A dot is an estimate, the line through it its interval."
    return Figure(caption=caption, drawing=interval_chart(strips, axis, title=caption, description=said))


def _series(reading: Reading, rows: Rows, axis: Axis, caption: str) -> Figure | None:
    """A strip a criterion and label, in it a mark a system; a strip a system where there are many systems."""
    systems = list(dict.fromkeys(row.subject for row in rows))
    if not 1 < len(systems) <= MOST_SERIES:
        return _dots(reading, rows, subject_label, axis, caption)
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


def _level_shares(reading: Reading, shares: Rows) -> Figure | None:
    if not shares:
        return None
    bars: list[Bar] = []
    levels = list(dict.fromkeys(str(row.dimensions.get("label")) for row in _in_level_order(reading, shares)))
    for heading, members in _headed(reading, shares):
        bars += [Bar(label=heading)] if heading else []
        for system in dict.fromkeys(row.subject for row in members):
            of = [row for row in _in_level_order(reading, members) if row.subject == system]
            bars.append(Bar(label=system, segments=tuple(_share_segment(row, levels) for row in of)))
    legend = tuple((swatch(shade(i, len(levels))), level) for i, level in enumerate(levels))
    caption = "How often each level was given"
    said = f"Levels from left to right: {', '.join(levels)}."
    return Figure(caption=caption, drawing=stacked_bars(bars, title=caption, description=said), legend=legend)


def _share_segment(row: Reported, levels: Sequence[str]) -> Segment:
    level = str(row.dimensions.get("label"))
    text = number_text(row.value, row.unit, 2) if row.value is not None else ""
    return Segment(name=level, size=row.value or 0, text=text, style=shade(levels.index(level), len(levels)))


_OUTCOMES = (
    (Statistic.WINS, "wins", "win"),
    (Statistic.TIES, "ties", "tie"),
    (Statistic.BOTH_FAIL, "both fail", "fail"),
    (Statistic.LOSSES, "losses", "loss"),
)


def _outcomes(reading: Reading, rates: Rows) -> Figure | None:
    bars: list[Bar] = []
    for heading, members in _headed(reading, rates):
        bars += [Bar(label=heading)] if heading else []
        for row in members:
            found = [(reading.numbers.beside(row, statistic), name, style) for statistic, name, style in _OUTCOMES]
            segments = tuple(
                Segment(name=name, size=count.value, text=number_text(count.value, Unit.COUNT), style=style)
                for count, name, style in found
                if count is not None and count.value is not None
            )
            bars += [Bar(label=row.subject, segments=segments)] if segments else []
    if not any(bar.segments for bar in bars):
        return None
    caption = "Wins, ties and losses"
    said = "From left to right: wins, ties, both fail, losses; numbers are comparisons."
    drawn = {segment.name for bar in bars for segment in bar.segments if segment.size}
    legend = tuple((swatch(style), name) for _, name, style in _OUTCOMES if name in drawn)
    return Figure(caption=caption, drawing=stacked_bars(bars, title=caption, description=said), legend=legend)


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


def _only(rows: Rows, statistic: Statistic, pairs: bool | None = None) -> list[Reported]:
    kept = [row for row in rows if row.statistic == statistic]
    return [row for row in kept if pairs in (None, row.comparator is not None)]


def _by_group(rows: Rows) -> list[Reported]:
    groups = list(dict.fromkeys(row.group for row in rows))
    return sorted(rows, key=lambda row: groups.index(row.group))


def _best_first(rows: Rows) -> list[Reported]:
    """Within each group, systems by value; those without one last."""
    groups = list(dict.fromkeys(row.group for row in rows))
    return sorted(rows, key=lambda row: (groups.index(row.group), row.value is None, -(row.value or 0)))


def _headed(reading: Reading, rows: Rows) -> list[tuple[str, list[Reported]]]:
    """Rows by group, with a heading where there is more than one."""
    groups: dict[tuple[str, ...], list[Reported]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    single = len(groups) == 1
    return [("" if single else group_heading(reading.spec, members[0]), members) for members in groups.values()]


def _in_level_order(reading: Reading, rows: Rows) -> list[Reported]:
    def place(row: Reported) -> tuple[int, str]:
        criterion = reading.spec.criteria.get(row.criterion)
        index = criterion.scale.level_index if criterion is not None and criterion.scale is not None else {}
        label = str(row.dimensions.get("label"))
        return index.get(label, len(index)), label

    return sorted(rows, key=place)
