"""Questions that one rater answered in both orders of a pair of outputs (METHODS 8).

Belongs here: which judgments these are, in Ibis and in the SQL of a source. Does not: any statistic.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import ibis.expr.types as ir
import numpy as np

from data_contracts.vocabulary import State
from juryline.analyses.comparisons import OUTCOMES, VIEW, Counts
from juryline.analyses.cuts import cluster_codes, unit_columns
from juryline.analyses.side_by_side import UNIT_OF_PAIR, UNIT_OF_PAIR_SQL, with_unit_of_pair

_ORDERS = (False, True)  # whether the two systems were shown in the other order than that of their ids
_OUTCOMES = tuple(OUTCOMES.values())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BothOrders:
    """Questions in the order of their keys.

    Attributes
    ----------
    answers : ndarray of int, shape (n_questions, 2, 4)
        How often each outcome was given in each order.
    clusters : tuple of ndarray of int, each of shape (n_questions,)
    counts : Counts
        The judgments behind them; the unit is a question.
    """

    answers: np.ndarray
    clusters: tuple[np.ndarray, ...]
    counts: Counts


def read_both_orders(judgments: ir.Table, units: Sequence[str], states: dict[State, int]) -> BothOrders:
    """The questions of a cut that a rater answered in both orders.

    A question is a rater, a case and a pair of outputs: a judgment without a case is of none.

    Parameters
    ----------
    judgments : ibis Table
        Comparisons of which the order shown is known.
    units : sequence of str
        Dimensions of the independent unit.
    states : mapping of State to int
        Of all judgments that could have entered.
    """
    clusters = [f"cluster_{place}" for place in range(1, len(units) + 1)]
    played = judgments.filter(judgments.outcome.notnull(), judgments.case_id.notnull())
    asked = with_unit_of_pair(unit_columns(played, units))
    asked = asked.mutate(turned=asked.system_1 > asked.system_2)
    counted = {
        f"{turned}_{outcome}": ((asked.turned == turned) & (asked.outcome == outcome)).sum()
        for turned in _ORDERS
        for outcome in _OUTCOMES
    }
    key = ["rater", *UNIT_OF_PAIR, *clusters]
    read = asked.group_by(key).agg(**counted).order_by(key).to_pyarrow()
    answers = np.stack([read[name].to_numpy() for name in counted], axis=1).reshape(-1, len(_ORDERS), len(_OUTCOMES))
    both = (answers.sum(axis=2) > 0).all(axis=1)
    behind, answers = read.filter(both), answers[both]
    return BothOrders(
        answers=answers,
        clusters=tuple(cluster_codes(behind[name], unit) for name, unit in zip(clusters, units)),
        counts=Counts(
            n_judgments=int(answers.sum()),
            n_games=len(answers),
            n_cases=len(set(behind["case_id"].to_pylist())),
            n_raters=len(set(behind["rater"].to_pylist())),
            states=states,
        ),
    )


def in_both_orders(conditions: Sequence[str]) -> str:
    """SQL condition of judgments of these questions, of which each of two judgments meets the conditions."""
    turned = f"SELECT rater, {UNIT_OF_PAIR_SQL}, system_2 FROM {VIEW} WHERE {' AND '.join(conditions)}"
    return f"(rater, {UNIT_OF_PAIR_SQL}, system_1) IN ({turned})"
