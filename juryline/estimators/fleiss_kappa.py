"""Fleiss' kappa for any number of raters a unit.

Belongs here: chance agreement from the pooled label shares. Does not: chance by rater (`conger_kappa`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import beyond_chance, observed, prevalence, ratio, symmetrised
from juryline.estimators.agreement_units import Ratings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FleissKappa:
    """(P_a - P_e)/(1 - P_e) with P_e = sum_k pi_k^2.

    Parameters
    ----------
    mirror : ndarray of int, shape (n_labels,), or None
        Label that each becomes when the two systems of a pair swap names; None for labels that are not of pairs.

    Notes
    -----
    P_a as `RawAgreement`; pi_k = mean over all units with a rating of n_uk/r_u, so that a unit rated once
    still says how common its label is (the convention of irrCAC).

    References
    ----------
    Fleiss 1971; Gwet 2014.
    """

    lowest: ClassVar[float | None] = None
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    mirror: np.ndarray | None

    def sums(self, ratings: Ratings) -> Any:
        return ratings.columns(*observed(ratings), *prevalence(ratings, first_column=2), n_columns=3 + ratings.n_labels)

    def value(self, totals: np.ndarray) -> np.ndarray:
        shares = symmetrised(ratio(totals[..., 3:], totals[..., 2, np.newaxis]), self.mirror)
        return beyond_chance(ratio(totals[..., 1], totals[..., 0]), (shares**2).sum(axis=-1))
