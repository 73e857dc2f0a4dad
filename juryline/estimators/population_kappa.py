"""Agreement between two populations of raters, each with its spread: never a majority label.

Belongs here: intergroup kappa and the agreement it starts from. Does not: agreement within a population.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import Part, beyond_chance, ratio, symmetrised
from juryline.estimators.agreement_units import Ratings, aligned


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PopulationAgreement:
    """p_o = mean over units rated in both of sum_k p_uAk p_uBk.

    Parameters
    ----------
    in_second : ndarray of bool, shape (n_raters,)
        Whether each rater is of population B.

    Notes
    -----
    p_uAk, p_uBk are label shares among the raters of each population; each unit counts the same, whatever the
    number of its raters.
    """

    lowest: ClassVar[float | None] = 0.0
    names_raters: ClassVar[bool] = True
    raters_are_sample: ClassVar[bool] = False

    in_second: np.ndarray

    def sums(self, ratings: Ratings) -> Any:
        return ratings.columns(*_shared(ratings, self.in_second), n_columns=2)

    def value(self, totals: np.ndarray) -> np.ndarray:
        return ratio(totals[..., 1], totals[..., 0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PopulationKappa:
    """(p_o - p_e)/(1 - p_e) with p_e = sum_k pbar_Ak pbar_Bk over units rated in both populations.

    Parameters
    ----------
    in_second : ndarray of bool, shape (n_raters,)
        Whether each rater is of population B.
    mirror : ndarray of int, shape (n_labels,), or None
        As for `FleissKappa`; each population's own shares are averaged with their mirror.

    Notes
    -----
    With one rater in each population this is Cohen's kappa.

    References
    ----------
    Schouten 1982; Vanbelle and Albert 2009.
    """

    lowest: ClassVar[float | None] = -1.0
    names_raters: ClassVar[bool] = True
    raters_are_sample: ClassVar[bool] = False

    in_second: np.ndarray
    mirror: np.ndarray | None

    def sums(self, ratings: Ratings) -> Any:
        places, share = _both(ratings, self.in_second)
        second = self.in_second[ratings.rater[places]]
        column = 2 + second * ratings.n_labels + ratings.label[places]
        return ratings.columns(
            *_shared(ratings, self.in_second),
            (ratings.unit[places], column, share),
            n_columns=2 + 2 * ratings.n_labels,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        units = totals[..., 0]
        shares = ratio(totals[..., 2:], units[..., np.newaxis]).reshape(*units.shape, 2, -1)
        expected = symmetrised(shares, self.mirror).prod(axis=-2).sum(axis=-1)
        return beyond_chance(ratio(totals[..., 1], units), expected)


def cross_table(ratings: Ratings, in_second: np.ndarray) -> np.ndarray:
    """Sums over units rated in both of p_uAk p_uBl, shape (n_labels, n_labels): rows are population A."""
    q = ratings.n_labels
    places, share = _both(ratings, in_second)
    second = in_second[ratings.rater[places]]
    one, other = aligned(ratings.unit[places[~second]], ratings.unit[places[second]])
    cell = ratings.label[places[~second]][one] * q + ratings.label[places[second]][other]
    product = share[~second][one] * share[second][other]
    return np.bincount(cell, weights=product, minlength=q * q).reshape(q, q)


def _both(ratings: Ratings, in_second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of the ratings of units rated in both, and the share of each within its unit and population."""
    side = ratings.unit * 2 + in_second[ratings.rater]
    rated = np.bincount(side, weights=ratings.share, minlength=2 * ratings.n_units)
    in_both = np.all(rated.reshape(-1, 2) > 0, axis=1)
    places = np.flatnonzero(np.asarray(in_both)[ratings.unit])
    return places, ratings.share[places] / rated[side[places]]


def _shared(ratings: Ratings, in_second: np.ndarray) -> list[Part]:
    places, share = _both(ratings, in_second)
    label = ratings.unit[places] * ratings.n_labels + ratings.label[places]
    second = in_second[ratings.rater[places]]
    order = np.argsort(label[second], kind="stable")
    one, other = aligned(label[~second], label[second][order])
    shared = np.unique(ratings.unit[places])
    return [
        (shared, 0, np.ones(len(shared))),
        (ratings.unit[places[~second]][one], 1, share[~second][one] * share[second][order][other]),
    ]
