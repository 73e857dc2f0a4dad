"""Cohen's kappa of two raters, plain and weighted, and its mean over all pairs (Light's kappa).

Belongs here: chance agreement from each of two raters' own label shares on the units both rated.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import CHANCE_TOLERANCE, ratio, symmetrised
from juryline.estimators.agreement_units import Ratings, aligned


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CohenKappa:
    """1 - sum v p/sum v p_e; with v = 1 off the diagonal this is (p_o - p_e)/(1 - p_e).

    Parameters
    ----------
    first, second : int
        The two raters.
    disagreement : ndarray of float, shape (n_labels, n_labels)
        v, see `disagreement_weights`.
    mirror : ndarray of int, shape (n_labels,), or None
        As for `FleissKappa`; each rater's own marginals are averaged with their mirror.

    Notes
    -----
    p, its marginals and p_e come from the units that both raters rated, and from no other.

    References
    ----------
    Cohen 1960; Cohen 1968.
    """

    lowest: ClassVar[float | None] = -1.0
    names_raters: ClassVar[bool] = True
    raters_are_sample: ClassVar[bool] = False

    first: int
    second: int
    disagreement: np.ndarray
    mirror: np.ndarray | None

    def sums(self, ratings: Ratings) -> Any:
        first, second = ratings.by_rater[self.first], ratings.by_rater[self.second]
        one, other = aligned(ratings.unit[first], ratings.unit[second])
        one, other = first[one], second[other]
        unit, q = ratings.unit[one], ratings.n_labels
        shared = np.unique(unit)
        return ratings.columns(
            (shared, 0, np.ones(len(shared))),
            (unit, 1 + ratings.label[one] * q + ratings.label[other], ratings.share[one] * ratings.share[other]),
            n_columns=1 + q * q,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        q = len(self.disagreement)
        return _kappa(totals[..., 1:].reshape(*totals.shape[:-1], q, q), self.disagreement, self.mirror)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LightKappa:
    """Mean of Cohen's kappa over the rater pairs that have one, weighted by shared units.

    References
    ----------
    Light 1971.
    """

    lowest: ClassVar[float | None] = -1.0
    names_raters: ClassVar[bool] = True
    raters_are_sample: ClassVar[bool] = True

    n_labels: int
    mirror: np.ndarray | None

    def sums(self, ratings: Ratings) -> Any:
        one, other = aligned(ratings.unit, ratings.unit)
        ordered = ratings.rater[one] < ratings.rater[other]
        one, other = one[ordered], other[ordered]
        _, pair = np.unique(ratings.rater[one] * ratings.n_raters + ratings.rater[other], return_inverse=True)
        q = ratings.n_labels
        column = 1 + (pair * q + ratings.label[one]) * q + ratings.label[other]
        pairable = np.flatnonzero(ratings.raters_per_unit >= 2)
        return ratings.columns(
            (pairable, 0, np.ones(len(pairable))),
            (ratings.unit[one], column, ratings.share[one] * ratings.share[other]),
            n_columns=1 + (int(pair.max(initial=-1)) + 1) * q * q,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        q = self.n_labels
        joint = totals[..., 1:].reshape(*totals.shape[:-1], -1, q, q)
        kappa = _kappa(joint, disagreement_weights(q, power=0), self.mirror)
        shared = np.where(np.isnan(kappa), 0, joint.sum(axis=(-2, -1)))
        return ratio((np.nan_to_num(kappa) * shared).sum(axis=-1), shared.sum(axis=-1))


def disagreement_weights(n_labels: int, *, power: int) -> np.ndarray:
    """Weights (|k - l|/(q - 1))^power on the declared level index: nominal with power 0, linear 1, quadratic 2."""
    index = np.arange(n_labels)
    steps = np.abs(index[:, np.newaxis] - index)
    return (steps > 0).astype(float) if power == 0 else (steps / max(n_labels - 1, 1)) ** power


def _kappa(joint: np.ndarray, disagreement: np.ndarray, mirror: np.ndarray | None) -> np.ndarray:
    shares = ratio(joint, joint.sum(axis=(-2, -1), keepdims=True))
    rows, columns = symmetrised(shares.sum(axis=-1), mirror), symmetrised(shares.sum(axis=-2), mirror)
    expected = rows[..., :, np.newaxis] * columns[..., np.newaxis, :]
    seen, chance = ((disagreement * table).sum(axis=(-2, -1)) for table in (shares, expected))
    return 1 - ratio(seen, chance, tolerance=CHANCE_TOLERANCE)
