"""What an agreement coefficient is: sums over units, and a function of these sums.

Belongs here: the shape every coefficient has, the sums that several share, and the correction for chance.
Does not: any one coefficient, or how it is resampled.

Because each coefficient is a function of sums over units, resampling is a product of weights of units and a
(unit x column) matrix, and a coefficient never sees which round it is computed for.
"""

from typing import Any, ClassVar, Protocol

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.agreement_units import Ratings
from juryline.estimators.merged_units import merged_units
from juryline.estimators.quantity import Quantity

CHANCE_TOLERANCE = 1e-12  # expected agreement this near 1, or disagreement this near 0, leaves 0/0 (METHODS 7.2)
FEW_UNITS = 30

Part = tuple[np.ndarray, Any, np.ndarray]


class Coefficient(Protocol):
    """A coefficient of agreement, by its sums and their function.

    Attributes
    ----------
    lowest : float or None
        Smallest possible value; None where there is none: chance over units that one rater judged can leave as little
        room above it as one likes. The largest is 1.
    names_raters : bool
        Whether it matters who gave a label, and not only how many did.
    raters_are_sample : bool
        Whether its raters may stand for others; not where it is of two named raters or populations.
    """

    lowest: ClassVar[float | None]
    names_raters: ClassVar[bool]
    raters_are_sample: ClassVar[bool]

    def sums(self, ratings: Ratings) -> Any:
        """What is summed over units: csr_array, shape (n_units, n_columns); column 0 counts units it rests on."""

    def value(self, totals: np.ndarray) -> np.ndarray:
        """Coefficient of totals, shape (..., n_columns); NaN where it has no value."""


def estimate_coefficient(coefficient: Coefficient, ratings: Ratings) -> Quantity:
    """Value of a coefficient.

    Returns
    -------
    Quantity
        undefined, no_shared_unit: no unit has the ratings it needs. undefined, one_category: chance leaves no room
        for disagreement. ok with unit_count_below_30: it rests on fewer than 30 units.
    """
    merged = merged_units(ratings, named=coefficient.names_raters)
    return quantity_of(coefficient, totals_of(coefficient.sums(merged.ratings), merged.count[np.newaxis])[0])


def quantity_of(coefficient: Coefficient, totals: np.ndarray) -> Quantity:
    """Value of a coefficient from its totals, shape (n_columns,), or why it has none."""
    if totals[0] == 0:
        return Quantity.missing(Status.UNDEFINED, Reason.NO_SHARED_UNIT)
    value = float(coefficient.value(totals))
    if np.isnan(value):
        return Quantity.missing(Status.UNDEFINED, Reason.ONE_CATEGORY)
    return Quantity.of(value, *([Reason.UNIT_COUNT_BELOW_30] if totals[0] < FEW_UNITS else []))


def totals_of(sums: Any, weights: np.ndarray) -> np.ndarray:
    """Weighted sums over the rows of a sparse matrix, shape (n_rounds, n_columns), weights (n_rounds, n_rows).

    The product is scipy's, in one order of summation: a BLAS product may differ in its last bit with its threads.
    """
    return (sums.T @ weights.T).T


def observed(ratings: Ratings) -> list[Part]:
    """Columns 0 and 1: pairable units, and the sum of their agreement sum_k o_ukk/(r_u (r_u - 1))."""
    unit = np.flatnonzero(ratings.raters_per_unit >= 2)
    raters = ratings.raters_per_unit[unit]
    return [
        (unit, 0, np.ones(len(unit))),
        (unit, 1, ratings.matches[unit] / (raters * (raters - 1))),
    ]


def prevalence(ratings: Ratings, *, first_column: int) -> list[Part]:
    """One column for the units with a rating, then one a label: the sum of label shares n_uk/r_u."""
    counts = ratings.counts
    return [
        (np.arange(ratings.n_units), first_column, np.ones(ratings.n_units)),
        (counts.unit, first_column + 1 + counts.label, counts.count / ratings.raters_per_unit[counts.unit]),
    ]


def ratio(numerator: np.ndarray, denominator: np.ndarray, *, tolerance: float = 0.0) -> np.ndarray:
    """Quotient, NaN where the denominator is not above the tolerance."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    quotient = np.full(denominator.shape, np.nan)
    return np.divide(numerator, denominator, out=quotient, where=denominator > tolerance)


def beyond_chance(agreement: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """(P_a - P_e)/(1 - P_e), NaN where P_e is 1."""
    return ratio(agreement - expected, 1 - expected, tolerance=CHANCE_TOLERANCE)


def symmetrised(marginals: np.ndarray, mirror: np.ndarray | None) -> np.ndarray:
    """Marginals, shape (..., n_labels), averaged with those under mirrored labels; as they are without a mirror."""
    return marginals if mirror is None else (marginals + marginals[..., mirror]) / 2
