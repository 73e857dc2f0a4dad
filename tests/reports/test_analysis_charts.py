"""What each method's charts show: in which order, against what, with which words; and when there is none."""

import re
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from data_contracts.estimates import Cut, Estimate
from data_contracts.tables import ESTIMATES
from data_contracts.vocabulary import Reason, Status, Unit
from juryline.reports.study_report import render_report

ORDER = {
    "both_fail_share": 0.03, "first_advantage": 0.58, "first_share": 0.54, "first_share_decisive": 0.59,
    "flip_first": 0.22, "flip_second": 0.09, "flip_tie": 0.17, "order_consistency": 0.52, "second_share": 0.37,
    "tie_share": 0.06,
}  # fmt: skip


@pytest.fixture
def drawn(material_of, row_of):
    """The wide charts of one analysis, parsed, from its estimates."""

    def draw(estimates, spec=None):
        table = pa.Table.from_pylist([row_of(estimate) for estimate in estimates], ESTIMATES.arrow_schema)
        html = render_report(material_of(estimates=table, **({} if spec is None else {"spec": spec})))
        id = estimates[0].cut.analysis
        part = html.split(f'<section id="analysis-{id}">')[1].split('<section id="')[0]
        figures = re.findall(r"<figure>(.*?)</figure>", part, re.DOTALL)
        return [ElementTree.fromstring(f"<figure>{figure}</figure>") for figure in figures]

    return draw


def estimate(statistic, value, *, analysis, method, criterion="overall", subject="all", kind="study", **columns):
    cut = Cut(analysis=analysis, method=method, criterion=criterion, population="crowd")
    status = {"status": Status.OK, "value": value}
    if value is None:
        status = {"status": Status.NOT_ESTIMABLE, "reason": (Reason.NOT_NUMERIC,)}
    unit = {"unit": Unit.SHARE}
    return Estimate(cut=cut, subject=subject, subject_kind=kind, statistic=statistic, **unit | status | columns)


def wide(figure):
    return next(sheet for sheet in figure.iter("svg") if "wide" in sheet.get("class", "").split())


def texts(figure, kind):
    return [text.text for text in wide(figure).iter("text") if kind in text.get("class", "").split()]


def lines(figure, kind):
    return [line for line in wide(figure).iter("line") if kind in line.get("class", "").split()]


def names(figure):
    """What the parts of each bar are, from left to right."""
    return [rect[0].text.split(":")[0] for rect in wide(figure).iter("rect") if len(rect)]


def test_preference_for_the_first_is_held_against_one_half_and_the_balanced_number_comes_first(drawn):
    rows = [estimate(name, value, analysis="order", method="order_effects") for name, value in ORDER.items()]

    preference, positions, both = drawn(rows)

    assert texts(preference, "label") == ["first shown won, systems balanced", "first shown won, of decisive games"]
    assert len(lines(preference, "reference")) == 1
    assert "no preference" in texts(preference, "tick")
    assert names(positions) == ["first shown won", "ties", "both fail", "second shown won"]
    assert names(both)[0] == "same answer in both orders"
    assert len(names(both)) == 4


def test_a_judge_stands_beside_humans_and_its_differences_against_zero(drawn):
    of = {"analysis": "held", "method": "judge_agreement"}
    rows = [
        estimate("coverage", 0.9, **of),
        estimate("drift", 0.1, dimensions={"batch": "2026-04"}, **of),
        estimate("human_agreement", 0.55, **of),
        estimate("judge_agreement", 0.5, **of),
        estimate("judge_agreement", 0.4, dimensions={"batch": "2026-03"}, **of),
        estimate("judge_agreement_adjudicated", 0.6, dimensions={"adjudication": "majority"}, **of),
        estimate("judge_minus_human", -0.05, **of),
        estimate("population_kappa", 0.2, unit=Unit.COEFFICIENT, **of),
    ]

    agreement, differences = drawn(rows)

    assert texts(agreement, "label") == [
        "judge and humans",
        "judge and humans, 2026-03",
        "humans among themselves",
        "judge and labels by majority",
    ]
    assert texts(differences, "label") == ["judge minus humans", "2026-04 minus the first batch"]
    (zero,) = lines(differences, "reference")
    at = float(zero.get("x1"))
    below, above = (float(dot.get("cx")) for dot in wide(differences).iter("circle"))
    assert below < at < above
    assert "no difference" in texts(differences, "tick")


def test_a_scale_of_words_has_no_chart_of_means_and_its_levels_a_figure_of_their_own(drawn, spec):
    of = {"analysis": "rate", "method": "likert", "subject": "davinci", "kind": "system"}
    rows = [estimate("mean", None, criterion="tone", unit=Unit.SCALE, **of)]
    rows += [estimate("share", 0.5, criterion="tone", dimensions={"label": label}, **of) for label in ("bad", "good")]

    (levels,) = drawn(rows)
    assert levels.find("figcaption").text == "How often each level was given"

    rows += [estimate("mean", 3.5, criterion="coherence", unit=Unit.SCALE, **of)]
    rows += [estimate("share", 0.2, criterion="coherence", dimensions={"label": str(n)}, **of) for n in range(1, 6)]
    captions = [figure.find("figcaption").text for figure in drawn(rows)]
    assert captions == [
        "Mean ratings",
        "How often each level was given: coherence",
        "How often each level was given: tone",
    ]
    means = drawn(rows)[0]
    assert texts(means, "heading") == ["coherence · crowd (human raters)"]
    assert texts(means, "absent") == []


def test_a_system_without_a_number_is_said_to_have_none_beside_those_that_have_one(drawn):
    of = {"analysis": "rate", "method": "likert", "criterion": "coherence", "unit": Unit.SCALE, "kind": "system"}
    rows = [estimate("mean", 3.5, subject="davinci", **of), estimate("mean", None, subject="curie", **of)]

    (means,) = drawn(rows)

    assert texts(means, "absent") == ["not estimable"]


@pytest.mark.parametrize(
    ("method", "statistic"),
    [
        ("spa", "spa_preference"),
        ("likert", "mean"),
        ("likert", "share"),
        ("pass_rates", "pass_rate"),
        ("win_rates", "win_rate"),
        ("elo", "rating"),
        ("agreement", "raw_agreement"),
        ("order_effects", "first_advantage"),
        ("order_effects", "first_share"),
        ("length_effects", "length_contrast"),
        ("judge_agreement", "judge_agreement"),
        ("recalibration", "spearman_before"),
    ],
)
def test_where_there_is_nothing_to_draw_no_chart_is_drawn(drawn, method, statistic):
    rows = [
        estimate(statistic, None, analysis="none", method=method, subject=subject, kind=kind, dimensions={"label": "x"})
        for subject, kind in (("all", "study"), ("davinci", "system"), ("curie", "system"))
    ]

    assert drawn(rows) == []


def test_a_long_label_is_folded_and_not_cut(drawn):
    of = {"analysis": "held", "method": "judge_agreement"}
    id = "majority-of-three-experts"
    rows = [estimate("judge_agreement_adjudicated", 0.6, dimensions={"adjudication": id}, **of)]

    (agreement,) = drawn(rows)

    assert texts(agreement, "label") == ["judge and labels by", id]
