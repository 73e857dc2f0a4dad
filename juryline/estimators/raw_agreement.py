"""Raw agreement: the share of rater pairs with the same label, averaged over units.

Belongs here: observed agreement without correction for chance. Does not: any chance term.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import observed, ratio
from juryline.estimators.agreement_units import Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAgreement:
    """P_a = mean over pairable units of sum_k o_ukk/(r_u (r_u - 1)); each unit counts the same.

    Notes
    -----
    Weighting units by their pairs or by their ratings is another definition, with other values.
    """

    lowest: ClassVar[float | None] = 0.0
    names_raters: ClassVar[bool] = False
    raters_are_sample: ClassVar[bool] = True

    def sums(self, ratings: Ratings) -> Any:
        return ratings.columns(*observed(ratings), n_columns=2)

    def value(self, totals: np.ndarray) -> np.ndarray:
        return ratio(totals[..., 1], totals[..., 0])
