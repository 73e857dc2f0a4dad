"""Brennan and Prediger's kappa: chance agreement of labels drawn evenly.

Belongs here: the coefficient whose chance term knows only the number of declared labels.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import beyond_chance, observed, ratio
from juryline.estimators.agreement_units import Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class BrennanPrediger:
    """(P_a - 1/q)/(1 - 1/q) with q declared labels, observed or not.

    Notes
    -----
    One observed label gives 1 if q >= 2; q = 1 has no value.

    References
    ----------
    Brennan and Prediger 1981.
    """

    lowest: ClassVar[float | None] = -1.0
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    n_labels: int

    def sums(self, ratings: Ratings) -> Any:
        return ratings.columns(*observed(ratings), n_columns=2)

    def value(self, totals: np.ndarray) -> np.ndarray:
        agreement = ratio(totals[..., 1], totals[..., 0])
        return beyond_chance(agreement, np.full(agreement.shape, 1 / self.n_labels))
