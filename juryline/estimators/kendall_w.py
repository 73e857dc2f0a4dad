"""Kendall's coefficient of concordance: how far raters rank the same outputs alike (METHODS 7.7)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import ratio
from juryline.estimators.agreement_units import Ratings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KendallW:
    """W of each unit that two raters ranked, its mean over units.

    A label is a whole ranking, and a unit the outputs of one case that were ranked together.

    Parameters
    ----------
    centred : ndarray of float, shape (n_labels, n_systems)
        Mid-rank of each system in each ranking, less the mean of the ranking's; 0 for a system that is not in it.

    Notes
    -----
    W = S/(m sum_r s_r), S the sum of squares of the systems' total centred ranks over m raters, s_r that of the
    ranks of rater r. Without ties s_r = (k^3 - k)/12 and W = 12 S/(m^2 (k^3 - k)); with ties it is the tie-corrected
    12 S/(m^2 (k^3 - k) - m sum T). A unit in which every rater ranks all outputs equal has no W and is left out of
    the mean.

    References
    ----------
    Kendall and Babington Smith 1939; Siegel and Castellan 1988, section 9.3.
    """

    lowest: ClassVar[float | None] = 0.0
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    centred: np.ndarray

    def sums(self, ratings: Ratings) -> Any:
        counts, raters = ratings.counts, ratings.raters_per_unit
        total = np.zeros((ratings.n_units, self.centred.shape[1]))
        np.add.at(total, counts.unit, counts.count[:, np.newaxis] * self.centred[counts.label])
        squares = (self.centred**2).sum(axis=1)[counts.label]
        spread = raters * np.bincount(counts.unit, weights=counts.count * squares, minlength=ratings.n_units)
        pairable = np.flatnonzero(raters >= 2)
        ranked = pairable[spread[pairable] > 0]
        return ratings.columns(
            (pairable, 0, np.ones(len(pairable))),
            (ranked, 1, np.ones(len(ranked))),
            (ranked, 2, (total[ranked] ** 2).sum(axis=1) / spread[ranked]),
            n_columns=3,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        return ratio(totals[..., 2], totals[..., 1])
