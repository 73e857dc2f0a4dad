import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from juryline.reports.charts import (
    MOST_STRIPS,
    Axis,
    Bar,
    Mark,
    Segment,
    Strip,
    interval_chart,
    stacked_bars,
    ticks_between,
)
from juryline.reports.flow_chart import FlowStep, flow_chart
from juryline.reports.svg import coordinate

UNIT = Axis(title="share", low=0, high=1)
HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}\u202e'


def drawn(markup):
    """The wide and the narrow sheet, parsed as XML."""
    return list(ElementTree.fromstring(f"<figure>{markup}</figure>"))


def dots(sheet):
    return [float(circle.get("cx")) for circle in sheet.iter("circle")]


def lines(sheet, class_):
    return [line for line in sheet.iter("line") if class_ in line.get("class").split()]


def chart(*marks, axis=UNIT):
    strips = [Strip(label=f"system {place}", marks=(mark,)) for place, mark in enumerate(marks)]
    return interval_chart(strips, axis, title="Chart", description="Words.")


def test_equal_steps_of_value_are_equal_steps_on_paper():
    for sheet in drawn(chart(*(Mark(text="", value=value) for value in (0, 0.25, 0.5, 0.75, 1)))):
        positions = dots(sheet)
        steps = [b - a for a, b in pairwise(positions)]

        assert min(steps) > 0
        assert max(steps) - min(steps) < 0.03


def test_an_interval_runs_from_its_low_to_its_high_end_through_its_dot():
    (wide, _) = drawn(
        chart(Mark(text="0", value=0), Mark(text="x", value=0.5, low=0.25, high=1), Mark(text="1", value=1))
    )
    left, middle, right = dots(wide)
    (interval,) = lines(wide, "interval")

    assert float(interval.get("x1")) == pytest.approx(left + (right - left) / 4, abs=0.02)
    assert float(interval.get("x2")) == pytest.approx(right, abs=0.02)
    assert middle == pytest.approx((left + right) / 2, abs=0.02)


def test_a_missing_value_is_said_and_not_drawn():
    for sheet in drawn(chart(Mark(text="not estimable"), Mark(text="0.5", value=0.5))):
        assert len(dots(sheet)) == 1
        assert "not estimable" in [text.text for text in sheet.iter("text")]


def test_the_reference_line_stands_at_its_value():
    axis = Axis(title="chance", low=0, high=1, reference=0.5, reference_label="no preference")
    (wide, _) = drawn(chart(Mark(text="0.5", value=0.5), axis=axis))

    assert float(lines(wide, "reference")[0].get("x1")) == dots(wide)[0]


def test_an_axis_without_ends_holds_all_that_is_drawn():
    axis = Axis(title="rating")
    (wide, _) = drawn(chart(Mark(text="a", value=1031, low=1013, high=1049), Mark(text="b", value=899), axis=axis))
    grid = [float(line.get("x1")) for line in lines(wide, "grid")]
    ends = [float(line.get(end)) for line in lines(wide, "interval") for end in ("x1", "x2")]

    assert min(grid) <= min(*dots(wide), *ends)
    assert max(grid) >= max(*dots(wide), *ends)


def test_a_value_beyond_a_declared_axis_widens_it():
    (wide, _) = drawn(chart(Mark(text="a", value=1.3), Mark(text="b", value=0.2)))

    assert len(set(dots(wide))) == 2
    assert max(dots(wide)) < 760


def test_equal_values_still_have_an_axis():
    axis = Axis(title="rating")

    assert all(len(dots(sheet)) == 2 for sheet in drawn(chart(*[Mark(text="7", value=7.0)] * 2, axis=axis)))


def test_parts_of_a_bar_are_as_long_as_their_shares_of_the_whole():
    segments = tuple(Segment(name=n, size=s, text=str(s), style="win") for n, s in (("a", 1), ("b", 3), ("c", 4)))
    for sheet in drawn(stacked_bars([Bar(label="x", segments=segments)], title="Bars", description="Words.")):
        widths = [float(rect.get("width")) for rect in sheet.iter("rect")]

        assert widths[1] == pytest.approx(3 * widths[0], abs=0.05)
        assert widths[2] == pytest.approx(4 * widths[0], abs=0.05)


def test_a_bar_of_nothing_says_so():
    empty = Bar(label="x", segments=(Segment(name="a", size=0, text="0", style="win"),))
    (wide, _) = drawn(stacked_bars([empty], title="Bars", description="Words."))

    assert not list(wide.iter("rect"))
    assert "none" in [text.text for text in wide.iter("text")]


def test_a_chart_says_how_much_of_it_is_left_out():
    strips = [Strip(label=str(n), marks=(Mark(text="0", value=0),)) for n in range(MOST_STRIPS + 5)]
    (wide, _) = drawn(interval_chart(strips, UNIT, title="Chart", description="Words."))

    assert len(dots(wide)) == MOST_STRIPS
    assert f"The first {MOST_STRIPS} of {MOST_STRIPS + 5}" in wide.find("desc").text


def test_every_chart_has_a_title_and_a_description_for_who_cannot_see_it():
    step = FlowStep(name="rows", total=3, stayed=(("mapped", 2),), left=(("ignored", 1),))
    last = FlowStep(name="analysed", total=2, stayed=(), left=())
    markup = chart(Mark(text="1", value=1)) + flow_chart([step], last, title="Flow", description="3 rows; 2 analysed")
    for sheet in drawn(markup):
        assert sheet.get("role") == "img"
        assert sheet.find("title").text
        assert sheet.find("desc").text


def test_hostile_labels_stay_text_in_every_kind_of_chart():
    strips = [Strip(label=HOSTILE), Strip(label=HOSTILE, marks=(Mark(text=HOSTILE, value=0.5, name=HOSTILE),))]
    bar = Bar(label=HOSTILE, segments=(Segment(name=HOSTILE, size=1, text=HOSTILE, style="win"),))
    step = FlowStep(name=HOSTILE, total=1, stayed=((HOSTILE, 1),), left=((HOSTILE, 1),))
    axis = Axis(title=HOSTILE, reference=0.5, reference_label=HOSTILE)
    markup = (
        interval_chart(strips, axis, title=HOSTILE, description=HOSTILE)
        + stacked_bars([bar], title=HOSTILE, description=HOSTILE)
        + flow_chart([step], step, title=HOSTILE, description=HOSTILE)
    )
    tags = {node.tag for sheet in drawn(markup) for node in sheet.iter()}

    assert tags <= {"svg", "title", "desc", "text", "line", "rect", "circle", "polygon", "tspan"}
    assert "\u202e" not in markup
    assert "alert" in markup


def test_the_flow_draws_every_count():
    step = FlowStep(name="rows", total=41, stayed=(("mapped", 30),), left=(("ignored", 7), ("quarantined", 4)))
    last = FlowStep(name="analysed", total=30, stayed=(), left=())
    for sheet in drawn(flow_chart([step], last, title="Flow", description="Words.")):
        told = " ".join(word for text in sheet.iter("text") for word in text.itertext())

        assert set(re.findall(r"\d+", told)) == {"41", "30", "7", "4"}


def test_coordinates_are_rounded_and_have_no_negative_zero():
    assert [coordinate(x) for x in (1 / 3, -0.001, 12.0, 2.5)] == ["0.33", "0", "12", "2.5"]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (1, 5, [1, 2, 3, 4, 5]),
        (850, 1100, [850, 900, 950, 1000, 1050, 1100]),
        (3, 3, [3]),
    ],
)
def test_ticks_are_round_numbers_within_the_ends(low, high, ticks):
    assert ticks_between(low, high, 8) == pytest.approx(ticks)
