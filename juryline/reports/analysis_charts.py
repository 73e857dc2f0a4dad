"""The charts that suit each method, drawn from its rows of estimates.

Belongs here: which numbers a method's charts show, in which order, on which axis. Does not: what a figure is made of
(`figures`), nor how a chart is drawn (`charts`).
"""

from collections.abc import Callable, Iterable

from data_contracts.estimates import ALL
from data_contracts.vocabulary import Statistic
from juryline.reports.charts import Axis
from juryline.reports.figures import (
    Figure,
    Part,
    Rows,
    best_first,
    dots,
    in_order,
    level_shares,
    only,
    part_bars,
    series,
)
from juryline.reports.method_views import BETWEEN_POPULATIONS, COEFFICIENTS, CORRELATIONS
from juryline.reports.numbers import plain_text
from juryline.reports.reading import Reading, pair_label, statistic_label, subject_label
from juryline.reports.reported import Reported

S = Statistic


def figures(reading: Reading, method: str, rows: Rows) -> list[Figure]:
    """The charts of a method: of its unsliced rows, in the order given; none where there is nothing to draw."""
    drawn = _CHARTS[method](reading, rows) if method in _CHARTS else ()
    return [figure for figure in drawn if figure is not None]


def _spa(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    axis = Axis(title="Stated chance that the first system is better", low=0, high=1, reference=0.5,
                reference_label="no preference")  # fmt: skip
    yield dots(reading, only(rows, S.SPA_PREFERENCE), pair_label("over"), axis, "Stated preference by pair")


def _likert(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    means = only(rows, S.MEAN, pairs=False)
    bounds = [reading.spec.criteria[row.criterion].bounds for row in means if row.criterion in reading.spec.criteria]
    lows, highs = [low for low, _ in bounds if low is not None], [high for _, high in bounds if high is not None]
    axis = Axis(title="Mean rating", low=min(lows, default=None), high=max(highs, default=None))
    yield dots(reading, means, subject_label, axis, "Mean ratings")
    yield from level_shares(reading, only(rows, S.SHARE, pairs=False))


def _pass_rates(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    rates = only(rows, S.PASS_RATE, pairs=False) or only(rows, S.SHARE, pairs=False)
    passing = bool(rates) and rates[0].statistic == S.PASS_RATE
    axis = Axis(title="Share passed" if passing else "Share of answers", low=0, high=1)
    caption = "Pass rate by criterion and system" if passing else "Share of each label by system"
    yield series(reading, rates, axis, caption)


def _win_rates(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    rates = only(rows, S.WIN_RATE, pairs=False)
    axis = Axis(title="Win rate", low=0, high=1)
    yield dots(reading, best_first(rates), subject_label, axis, "Win rates")
    yield part_bars(reading, best_first(rates), _OUTCOMES, "Wins, ties and losses")


def _ratings(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    ratings = only(rows, S.RATING, pairs=False)
    yield dots(reading, best_first(ratings), subject_label, Axis(title="Rating"), "Ratings, best first")


def _agreement(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    shown = in_order(rows, COEFFICIENTS) or [row for row in rows if row.statistic in BETWEEN_POPULATIONS]
    yield dots(reading, shown, statistic_label, Axis(title="Coefficient", low=0, high=1), "Agreement")


def _order_effects(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    preferred = in_order(rows, (S.FIRST_ADVANTAGE, S.FIRST_SHARE_DECISIVE))
    axis = Axis(title="Share in which the one shown first won", low=0, high=1, reference=0.5,
                reference_label="no preference")  # fmt: skip
    yield dots(reading, preferred, statistic_label, axis, "Preference for the one shown first")
    whole = [row for row in rows if row.subject == ALL]
    yield part_bars(reading, only(whole, S.FIRST_SHARE), _POSITIONS, "Which position won", of_groups=True)
    consistent = only(whole, S.ORDER_CONSISTENCY)
    yield part_bars(reading, consistent, _BOTH_ORDERS, "One rater, both orders", of_groups=True)


def _judge_agreement(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    shares = in_order(rows, (S.JUDGE_AGREEMENT, S.HUMAN_AGREEMENT, S.JUDGE_AGREEMENT_ADJUDICATED))
    axis = Axis(title="Share of labels alike", low=0, high=1)
    yield dots(reading, shares, _judge_label, axis, "Agreement of the judge with humans, and among humans")
    differences = in_order(rows, (S.JUDGE_MINUS_HUMAN, S.DRIFT))
    axis = Axis(title="Difference of shares", reference=0, reference_label="no difference")
    yield dots(reading, differences, _judge_label, axis, "Judge minus humans, and change over batches")


def _judge_label(row: Reported) -> str:
    named = ", ".join(plain_text(value) for value in row.dimensions.values())
    return {
        S.JUDGE_AGREEMENT: f"judge and humans, {named}" if named else "judge and humans",
        S.HUMAN_AGREEMENT: "humans among themselves",
        S.JUDGE_AGREEMENT_ADJUDICATED: f"judge and labels by {named}",
        S.DRIFT: f"{named} minus the first batch",
    }.get(S(row.statistic), statistic_label(row))


def _length_effects(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    axis = Axis(title="P(win | longer) − P(win | not longer)", low=-1, high=1, reference=0, reference_label="no effect")
    caption = "Winning with the longer output"
    yield dots(reading, only(rows, S.LENGTH_CONTRAST), subject_label, axis, caption)


def _recalibration(reading: Reading, rows: Rows) -> Iterable[Figure | None]:
    # The control stands on the same axis: without it a change would look like an improvement.
    shown = in_order(rows, tuple(CORRELATIONS))
    axis = Axis(title="Spearman's correlation", low=-1, high=1, reference=0, reference_label="no correlation")
    caption = "Rank correlation of the judge with human win rates"
    yield dots(reading, shown, lambda row: CORRELATIONS[Statistic(row.statistic)], axis, caption)


_OUTCOMES: tuple[Part, ...] = (
    (S.WINS, "wins", "win"),
    (S.TIES, "ties", "tie"),
    (S.BOTH_FAIL, "both fail", "fail"),
    (S.LOSSES, "losses", "loss"),
)
_POSITIONS: tuple[Part, ...] = (
    (S.FIRST_SHARE, "first shown won", "win"),
    (S.TIE_SHARE, "ties", "tie"),
    (S.BOTH_FAIL_SHARE, "both fail", "fail"),
    (S.SECOND_SHARE, "second shown won", "loss"),
)
_BOTH_ORDERS: tuple[Part, ...] = (
    (S.ORDER_CONSISTENCY, "same answer in both orders", "win"),
    (S.FLIP_TIE, "a tie or both fail once", "tie"),
    (S.FLIP_FIRST, "first shown chosen both times", "fail"),
    (S.FLIP_SECOND, "second shown chosen both times", "loss"),
)

_CHARTS: dict[str, Callable[[Reading, Rows], Iterable[Figure | None]]] = {
    "spa": _spa,
    "likert": _likert,
    "pass_rates": _pass_rates,
    "win_rates": _win_rates,
    "elo": _ratings,
    "bradley_terry": _ratings,
    "agreement": _agreement,
    "order_effects": _order_effects,
    "judge_agreement": _judge_agreement,
    "length_effects": _length_effects,
    "recalibration": _recalibration,
}
