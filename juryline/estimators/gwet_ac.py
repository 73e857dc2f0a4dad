"""Gwet's AC1 and AC2: chance agreement that shrinks as one label prevails.

Belongs here: AC1 for nominal labels, AC2 with agreement weights on level values, and those weights.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import beyond_chance, observed, prevalence, ratio, symmetrised
from juryline.estimators.agreement_units import Ratings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GwetAC:
    """AC2 = (P_a - P_e)/(1 - P_e) with agreement weights W; identity weights give AC1.

    Parameters
    ----------
    weights : ndarray of float, shape (n_labels, n_labels)
        Agreement of two labels in [0, 1]; 1 on the diagonal. See `agreement_weights`.
    mirror : ndarray of int, shape (n_labels,), or None
        As for `FleissKappa`.

    Notes
    -----
    P_a = mean_u sum_kl W_kl o_ukl/(r_u (r_u - 1)), which with one judgment a rater is
    sum_k n_uk (n*_uk - 1)/(r_u (r_u - 1)), n* = W n. P_e = sum(W) sum_k pi_k (1 - pi_k)/(q (q - 1)), pi as in
    `FleissKappa`. One observed label gives 1 if q >= 2; q = 1 has no value.

    References
    ----------
    Gwet 2008; Gwet 2014.
    """

    lowest: ClassVar[float | None] = None
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    weights: np.ndarray
    mirror: np.ndarray | None

    def sums(self, ratings: Ratings) -> Any:
        count, agreement = observed(ratings)
        if not np.array_equal(self.weights, np.eye(len(self.weights))):
            pairs = ratings.coincidences
            raters = ratings.raters_per_unit[pairs.unit]
            weight = self.weights[pairs.first, pairs.second]
            several = raters >= 2
            agreement = (
                pairs.unit[several],
                1,
                (weight * pairs.count)[several] / (raters * (raters - 1))[several],
            )
        shares = prevalence(ratings, first_column=2)
        return ratings.columns(count, agreement, *shares, n_columns=3 + ratings.n_labels)

    def value(self, totals: np.ndarray) -> np.ndarray:
        q = len(self.weights)
        if q < 2:
            return np.full(totals.shape[:-1], np.nan)
        shares = symmetrised(ratio(totals[..., 3:], totals[..., 2, np.newaxis]), self.mirror)
        expected = self.weights.sum() * (shares * (1 - shares)).sum(axis=-1) / (q * (q - 1))
        return beyond_chance(ratio(totals[..., 1], totals[..., 0]), expected)


def agreement_weights(values: np.ndarray, *, power: int) -> np.ndarray:
    """Weights 1 - (|v_k - v_l|/(v_max - v_min))^power: linear with power 1, quadratic with 2.

    Raises
    ------
    ValueError
        Fewer than two values, or values that are all the same.
    """
    values = np.asarray(values, dtype=float)
    if len(values) < 2 or np.ptp(values) == 0:
        raise ValueError("weights need at least two levels that differ")
    return 1 - (np.abs(values[:, np.newaxis] - values) / np.ptp(values)) ** power
