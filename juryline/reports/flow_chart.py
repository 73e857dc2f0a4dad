"""The way of the records as a diagram: what stays goes down, what leaves goes to the side with its reason.

The form is that of the flow diagrams of clinical trials, which readers know. Counts are those of the
table `record_flow`; the bar in a box shows which part of it went on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from juryline.reports.numbers import count_text
from juryline.reports.safe_text import clipped
from juryline.reports.svg import CHARACTER, SHEETS, Sheet, box, drawing, element, line, words

_LINE = 19.0  # height of a line of reasons
_GAP = 34.0  # room of the arrow between two steps


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """A step: how many there were, how many of them went on, and what became of the others.

    `stayed` and `left` are (what, how many); together they are `total`.
    """

    name: str
    total: int
    stayed: tuple[tuple[str, int], ...]
    left: tuple[tuple[str, int], ...]


def flow_chart(steps: Sequence[FlowStep], last: FlowStep, *, title: str, description: str) -> Markup:
    """Steps from top to bottom, ending in `last`, which nothing leaves."""
    return Markup("").join(_flow(sheet, steps, last, title, description) for sheet in SHEETS)


def _flow(sheet: Sheet, steps: Sequence[FlowStep], last: FlowStep, title: str, description: str) -> Markup:
    width = sheet.width - 4.0 if sheet.labels_above else 330.0
    down = 22.0 if sheet.labels_above else 2 + width / 2
    ink: list[Markup] = []
    y = 2.0
    for step in steps:
        bottom = y + _station_height(step)
        ink.extend(_station(step, y, width, "station"))
        end = bottom
        if step.left:
            if sheet.labels_above:
                at, side_left, side_top = bottom + 24, 44.0, bottom + 10
                ink.append(line(down, at, side_left, at, "branch"))
            else:
                at, side_left, side_top = y + 26, width + 70, y
                ink.extend(_arrow(2 + width, at, side_left, at))
            ink.extend(_leaving(step, side_left, side_top, sheet.width - 2 - side_left))
            end = max(bottom, side_top + _leaving_height(step))
        ink.extend(_arrow(down, bottom, down, end + _GAP))
        y = end + _GAP
    ink.extend(_station(last, y, width, "station final"))
    return drawing(sheet, y + _station_height(last) + 2, title, description, *ink)


def _station(step: FlowStep, y: float, width: float, class_: str) -> Iterator[Markup]:
    height = _station_height(step)
    yield box(2, y, width, height, class_, radius=5)
    number = element("tspan", escape(count_text(step.total)), class_="total")
    name = element("tspan", escape(clipped(step.name, 40)), class_="step", dx=8)
    yield element("text", number, name, x=16, y=y + 32)
    for row, (what, n) in enumerate(step.stayed):
        yield words(16, y + 54 + _LINE * row, f"{count_text(n)} {what}", "stays", limit=int((width - 28) / CHARACTER))
    if step.total and step.stayed:
        went_on = sum(n for _, n in step.stayed)
        yield box(2, y + height - 4, width, 4, "track")
        yield box(2, y + height - 4, width * went_on / step.total, 4, "kept")


def _leaving(step: FlowStep, x: float, y: float, width: float) -> Iterator[Markup]:
    yield box(x, y, width, _leaving_height(step), "side", radius=5)
    for row, (what, n) in enumerate(step.left):
        baseline = y + 31 + _LINE * row - 5
        number = count_text(n)
        yield words(x + 64, baseline, number, "gone", "end")
        yield words(x + 72, baseline, what, "why", limit=int((width - 78) / CHARACTER))


def _station_height(step: FlowStep) -> float:
    return 48 + (_LINE * len(step.stayed) + 4 if step.stayed else 0)


def _leaving_height(step: FlowStep) -> float:
    return 16 + _LINE * len(step.left)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> tuple[Markup, Markup]:
    """A line that goes right or down, with its head."""
    tip = ((0, 0), (-8, -4.5), (-8, 4.5)) if y1 == y2 else ((0, 0), (-4.5, -8), (4.5, -8))
    points = " ".join(f"{x2 + dx:g},{y2 + dy:g}" for dx, dy in tip)
    return line(x1, y1, x2, y2, "branch"), element("polygon", points=points, class_="tip")
