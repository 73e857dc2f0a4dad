"""Conger's kappa: Cohen's kappa for more than two raters, each with label shares of their own.

Belongs here: chance agreement by rater. Does not: chance from pooled shares (`fleiss_kappa`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import beyond_chance, observed, ratio, symmetrised
from juryline.estimators.agreement_units import Ratings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CongerKappa:
    """(P_a - P_e)/(1 - P_e) with P_e = sum_k (pbar_k^2 - s_k^2/g) over g raters.

    Parameters
    ----------
    n_labels : int
        Declared labels.
    mirror : ndarray of int, shape (n_labels,), or None
        As for `FleissKappa`; each rater's own shares are averaged with their mirror.

    Notes
    -----
    P_a as `RawAgreement`. p_gk = share of label k among the units of rater g, pbar_k and s_k^2 their mean and
    variance (ddof 1) over the raters with a rating.

    References
    ----------
    Conger 1980; Gwet 2014.
    """

    lowest: ClassVar[float | None] = None
    names_raters: ClassVar[bool] = True
    raters_are_sample: ClassVar[bool] = True

    n_labels: int
    mirror: np.ndarray | None

    def sums(self, ratings: Ratings) -> Any:
        column = 2 + ratings.rater * ratings.n_labels + ratings.label
        n_columns = 2 + ratings.n_raters * ratings.n_labels
        return ratings.columns(*observed(ratings), (ratings.unit, column, ratings.share), n_columns=n_columns)

    def value(self, totals: np.ndarray) -> np.ndarray:
        given = totals[..., 2:].reshape(*totals.shape[:-1], -1, self.n_labels)
        rated = given.sum(axis=-1, keepdims=True)
        shares = symmetrised(np.nan_to_num(ratio(given, rated)), self.mirror)
        present = rated > 0
        raters = present.sum(axis=-2)
        mean = ratio(shares.sum(axis=-2), raters)
        spread = (((shares - mean[..., np.newaxis, :]) * present) ** 2).sum(axis=-2)
        expected = (mean**2 - ratio(spread, raters * (raters - 1))).sum(axis=-1)
        return beyond_chance(ratio(totals[..., 1], totals[..., 0]), expected)
