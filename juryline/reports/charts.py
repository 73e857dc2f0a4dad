"""The charts of a report, one function a kind: stored numbers in, inline SVG out.

Lengths are made of the numbers given, and that is all that is done to them: no number is computed,
binned, smoothed or left out. Where a number does not exist, its place says why.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from juryline.reports.numbers import MINUS, count_text
from juryline.reports.safe_text import clipped, text_width
from juryline.reports.svg import (
    CHARACTER,
    LINE,
    NARROW,
    SHEETS,
    Sheet,
    box,
    drawing,
    folded,
    label,
    line,
    marker,
    words,
)

MOST_STRIPS = 80  # a chart longer than a page says less than its table


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A value with its interval, or the words for why there is none. `series` chooses shape and colour."""

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    series: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """One line of a chart: marks on one axis, or with none of them a heading."""

    label: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The scale of a chart; an end that is None is found from the numbers. `reference` is drawn as a line."""

    title: str
    low: float | None = None
    high: float | None = None
    reference: float | None = None
    reference_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a bar. `style` is the class of its colour, `text` what it says, `name` what it is."""

    name: str
    size: float
    text: str
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of parts that make a whole, or with none of them a heading."""

    label: str
    segments: tuple[Segment, ...] = ()


def interval_chart(strips: Sequence[Strip], axis: Axis, *, title: str, description: str) -> Markup:
    """Dots with their intervals on one axis, a strip a subject; several marks on a strip stand one below another."""
    shown = strips[:MOST_STRIPS]
    low, high, ticks = _scale([mark for strip in shown for mark in strip.marks], axis)
    described = f"{description} {_left_out(len(strips))}".strip()
    return Markup("").join(_intervals(sheet, shown, axis, low, high, ticks, title, described) for sheet in SHEETS)


def stacked_bars(bars: Sequence[Bar], *, title: str, description: str) -> Markup:
    """Bars of equal length whose parts are shares of their own total, a bar a subject."""
    shown = bars[:MOST_STRIPS]
    described = f"{description} {_left_out(len(bars))}".strip()
    return Markup("").join(_bars(sheet, shown, title, described) for sheet in SHEETS)


def ticks_between(low: float, high: float, most: int) -> list[float]:
    """At most `most` round numbers from `low` to `high`: steps of 1, 2, 2.5 or 5 times a power of ten."""
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(m * power for m in (1, 2, 2.5, 5, 10, 20) if (high - low) / (m * power) < most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _intervals(
    sheet: Sheet, strips: Sequence[Strip], axis: Axis, low: float, high: float, ticks: Sequence[float],
    title: str, description: str,
) -> Markup:  # fmt: skip
    left, right = _plot_sides(sheet, strips)

    def x(value: float) -> float:
        return left + (right - left) * (min(max(value, low), high) - low) / (high - low)

    top = 30.0 if axis.reference_label else 12.0
    ink: list[Markup] = []
    y = top
    for strip in strips:
        if not strip.marks:
            y += 10 if y > top else 0
            ink.append(words(0, y + 16, strip.label, "heading", limit=_fits(sheet.width)))
            y += 26
            continue
        if sheet.labels_above:
            single = strip.marks[0].text if len(strip.marks) == 1 and strip.marks[0].value is not None else ""
            room = _fits(sheet.width - CHARACTER * (text_width(_value_only(single)) + 1))
            above = LINE * (len(folded(strip.label, room)) - 1)
            ink += label(0, y + 15 + above / 2, strip.label, "label", room)
            ink += [words(sheet.width - 1, y + 15 + above, _value_only(single), "value", "end")] if single else []
            y += 16 + above
        height = 12 + 15 * len(strip.marks)
        if not sheet.labels_above:
            room = _fits(left - 12)
            height += max(0, 15 * (len(folded(strip.label, room)) - len(strip.marks)) - 4)
            ink += label(0, y + height / 2 + 4.5, strip.label, "label", room)
        ink.append(line(left, y + height, right, y + height, "rule"))
        for place, mark in enumerate(strip.marks):
            middle = y + height / 2 + 15 * (place - (len(strip.marks) - 1) / 2)
            if mark.value is None:
                ink.append(words(left + 4, middle + 4.5, mark.text, "absent", limit=_fits(right - left)))
                continue
            if mark.low is not None and mark.high is not None:
                ink.append(line(x(mark.low), middle, x(mark.high), middle, f"interval s{mark.series % 6}"))
            ink.append(marker(x(mark.value), middle, mark.series, f"{mark.name or strip.label}: {mark.text}"))
            if not sheet.labels_above:
                ink.append(words(sheet.width - 2, middle + 4.5, _value_only(mark.text), "value", "end", limit=12))
        y += height
    grid = [line(x(tick), top - 4, x(tick), y, "grid") for tick in _thinned(ticks, sheet)]
    numbers = [words(x(tick), y + 17, _tick_text(tick, ticks), "tick", "middle") for tick in _thinned(ticks, sheet)]
    if axis.reference is not None and low <= axis.reference <= high:
        at = x(axis.reference)
        grid.append(line(at, top - 8, at, y, "reference"))
        if axis.reference_label:
            grid.append(words(at, top - 13, axis.reference_label, "tick", _anchor(at, left + 70, right - 70)))
    caption = words((left + right) / 2, y + 36, axis.title, "axis", "middle", limit=_fits(sheet.width))
    return drawing(sheet, y + 44, title, description, *grid, *ink, *numbers, caption)


def _bars(sheet: Sheet, bars: Sequence[Bar], title: str, description: str) -> Markup:
    left = 0.0 if sheet.labels_above else _label_width(bars, sheet)
    ink: list[Markup] = []
    y = 2.0
    for bar in bars:
        if not bar.segments:
            y += 10 if y > 2 else 0
            ink.append(words(0, y + 16, bar.label, "heading", limit=_fits(sheet.width)))
            y += 26
            continue
        if sheet.labels_above:
            ink.append(words(0, y + 14, bar.label, "label", limit=_fits(sheet.width)))
            y += 19
        else:
            ink += label(0, y + 18, bar.label, "label", _fits(left - 12))
        ink.extend(_segments(bar, left, sheet.width - 1, y))
        y += 28 if sheet.labels_above else 30
    return drawing(sheet, y + 2, title, description, *ink)


def _segments(bar: Bar, left: float, right: float, y: float) -> Iterator[Markup]:
    whole = math.fsum(segment.size for segment in bar.segments)
    if whole <= 0:
        yield words(left + 4, y + 17, "none", "absent")
        return
    start = left
    for segment in bar.segments:
        width = (right - left) * segment.size / whole
        if segment.size > 0:
            yield box(start, y + 2, width, 22, f"part {segment.style}", title=f"{segment.name}: {segment.text}")
            if width >= CHARACTER * text_width(segment.text) + 6:
                yield words(start + width / 2, y + 17.5, segment.text, f"inside {segment.style}", "middle")
        start += width


def _scale(marks: Sequence[Mark], axis: Axis) -> tuple[float, float, list[float]]:
    """Ends of the axis and its ticks: as given, else round numbers around all that is drawn."""
    seen = [n for mark in marks for n in (mark.value, mark.low, mark.high, axis.reference) if n is not None]
    low = min([axis.low, *seen] if axis.low is not None else seen, default=0.0)
    high = max([axis.high, *seen] if axis.high is not None else seen, default=1.0)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    step = 0.0
    while (wider := _step(ticks_between(low, high, 8))) > step:  # round ends can ask for a wider step
        step = wider
        if axis.low is None or low < axis.low:
            low = math.floor(low / step + 1e-9) * step
        if axis.high is None or high > axis.high:
            high = math.ceil(high / step - 1e-9) * step
    return low, high, ticks_between(low, high, 8)


def _step(ticks: Sequence[float]) -> float:
    return ticks[1] - ticks[0] if len(ticks) > 1 else 1.0


def _thinned(ticks: Sequence[float], sheet: Sheet) -> Sequence[float]:
    return ticks[::2] if sheet is NARROW and len(ticks) > 6 else ticks


def _tick_text(tick: float, ticks: Sequence[float]) -> str:
    step = _step(ticks)
    decimals = 0
    while decimals < 6 and abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1
    text = f"{abs(tick):.{decimals}f}" if decimals else count_text(round(abs(tick)))
    return MINUS + text if tick < 0 and float(f"{tick:.{decimals}f}") != 0 else text


def _plot_sides(sheet: Sheet, strips: Sequence[Strip]) -> tuple[float, float]:
    if sheet.labels_above:
        return 16.0, sheet.width - 16.0
    widest = max((text_width(_value_only(m.text)) for s in strips for m in s.marks if m.value is not None), default=0)
    return _label_width(strips, sheet), sheet.width - min(widest, 12) * CHARACTER - 14


def _label_width(rows: Sequence[Strip] | Sequence[Bar], sheet: Sheet) -> float:
    labels = [r.label for r in rows if (r.marks if isinstance(r, Strip) else r.segments)]
    widest = max((text_width(clipped(label, 36)) for label in labels), default=0)
    return min(widest * CHARACTER + 14, sheet.width * 0.36)


def _fits(width: float) -> int:
    return max(int(width / CHARACTER), 4)


def _value_only(text: str) -> str:
    return text.split(" [", 1)[0]


def _anchor(x: float, left: float, right: float) -> str:
    return "start" if x < left + 8 else "end" if x > right - 8 else "middle"


def _left_out(n: int) -> str:
    return f"The first {MOST_STRIPS} of {n} lines are drawn; the table has the others." if n > MOST_STRIPS else ""
