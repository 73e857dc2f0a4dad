"""The few SVG elements that charts are drawn with, as escaped text with rounded coordinates.

Why no library: matplotlib writes a clock and random ids and takes a second to import, pygal is LGPL and
embeds random ids and a remote script, leather draws no intervals, altair needs a 60 MB renderer. What is
needed here are lines, dots, boxes and words, in the same bytes every time.

A chart is drawn twice, wide and narrow, since SVG text cannot wrap and a wide chart shrunk to a phone
cannot be read; the style sheet shows one of the two. Colours are classes (`s0` ...), so that light, dark
and print are decided there too.
"""

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from juryline.reports.safe_text import clipped, text_width, visible

CHARACTER: Final = 7.0  # width of an average character at the 13 px of chart text, on the wide side
LINE: Final = 15.0  # from one line of a label to the next
MOST_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class Sheet:
    """The paper a chart is drawn on: its width in pixels, and whether labels stand above instead of beside."""

    name: str
    width: int
    labels_above: bool


WIDE: Final = Sheet("wide", 760, labels_above=False)
NARROW: Final = Sheet("narrow", 340, labels_above=True)
SHEETS: Final = (WIDE, NARROW)


def element(tag: str, *children: Markup, **attributes: str | float | int) -> Markup:
    """One element; `class_` is class, an underscore in a name a hyphen, numbers are rounded to a hundredth."""
    written = Markup("").join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), _attribute(value))
        for name, value in attributes.items()
    )
    if not children:
        return Markup("<{}{}/>").format(Markup(tag), written)
    return Markup("<{}{}>{}</{}>").format(Markup(tag), written, Markup("").join(children), Markup(tag))


def words(x: float, y: float, text: str, class_: str = "", anchor: str = "start", limit: int | None = None) -> Markup:
    """Text at a baseline, cut to `limit` characters with the whole of it as its title."""
    shown = clipped(text, limit) if limit is not None else visible(text)
    children = [escape(shown)]
    if shown != visible(text):
        children.append(element("title", escape(clipped(text, 200))))
    return element("text", *children, x=x, y=y, class_=class_, text_anchor=anchor)


def label(x: float, y: float, text: str, class_: str, limit: int) -> list[Markup]:
    """Words around the middle of a strip: on several lines where one is too short for them."""
    lines = folded(text, limit)
    top = y - LINE * (len(lines) - 1) / 2
    return [words(x, top + LINE * place, text, class_, limit=limit) for place, text in enumerate(lines)]


def folded(text: str, limit: int, most: int = MOST_LINES) -> list[str]:
    """The text broken at spaces into at most three lines; each but the last is at most `limit` characters wide."""
    if most == 1 or text_width(visible(text)) <= limit:
        return [text]
    breaks = [place for place, c in enumerate(text) if c == " " and text_width(visible(text[:place])) <= limit]
    return [text[: breaks[-1]], *folded(text[breaks[-1] + 1 :], limit, most - 1)] if breaks else [text]


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def box(x: float, y: float, width: float, height: float, class_: str, *, radius: float = 0, title: str = "") -> Markup:
    children = (element("title", escape(clipped(title, 200))),) if title else ()
    return element("rect", *children, x=x, y=y, width=max(width, 0), height=height, rx=radius, class_=class_)


def marker(x: float, y: float, series: int, title: str = "") -> Markup:
    """A mark told apart by shape as well as by colour."""
    class_ = f"mark s{series % len(_SHAPES)}"
    children = (element("title", escape(clipped(title, 200))),) if title else ()
    shape = _SHAPES[series % len(_SHAPES)]
    if shape is None:
        return element("circle", *children, cx=x, cy=y, r=4.5, class_=class_)
    points = " ".join(f"{coordinate(x + dx)},{coordinate(y + dy)}" for dx, dy in shape)
    return element("polygon", *children, points=points, class_=class_)


def drawing(sheet: Sheet, height: float, title: str, description: str, *children: Markup) -> Markup:
    """The chart on one sheet, with the words that a screen reader says."""
    return element(
        "svg",
        element("title", escape(clipped(title, 200))),
        element("desc", escape(clipped(description, 600))),
        *children,
        viewBox=f"0 0 {sheet.width} {coordinate(height)}",
        width=sheet.width,
        height=height,
        class_=f"chart {sheet.name}",
        role="img",
    )


def coordinate(x: float) -> str:
    """A length rounded to a hundredth of a pixel, without a negative zero."""
    text = f"{x:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _attribute(value: str | float | int) -> str:
    return visible(value) if isinstance(value, str) else coordinate(value)


_SHAPES: Final[tuple[tuple[tuple[float, float], ...] | None, ...]] = (
    None,
    ((-4.2, -4.2), (4.2, -4.2), (4.2, 4.2), (-4.2, 4.2)),
    ((0, -5.8), (5.8, 0), (0, 5.8), (-5.8, 0)),
    ((0, -5.4), (5.2, 4), (-5.2, 4)),
    ((0, 5.4), (5.2, -4), (-5.2, -4)),
    ((-1.7, -5), (1.7, -5), (1.7, -1.7), (5, -1.7), (5, 1.7), (1.7, 1.7), (1.7, 5), (-1.7, 5), (-1.7, 1.7), (-5, 1.7),
     (-5, -1.7), (-1.7, -1.7)),
)  # fmt: skip
