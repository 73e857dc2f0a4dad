"""Agreement of raters with themselves, over the units that one rater judged more than once.

Belongs here: the mean over raters, and the turning of repeats into raters. Each rater's own value is
`RawAgreement` of that rater's repeats. Does not: agreement between raters.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from juryline.estimators.agreement_coefficient import ratio
from juryline.estimators.agreement_units import Ratings, tally_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfAgreement:
    """Mean, over the raters with a repeat, of each one's agreement with itself.

    Parameters
    ----------
    places : int
        Most judgments of one unit by one rater: a code of `repeats_as_ratings` is rater x places + place.

    Notes
    -----
    A rater's value is the mean over its repeated units of sum_k n_k (n_k - 1)/(m (m - 1)), m judgments.
    """

    lowest: ClassVar[float | None] = 0.0
    names_raters: ClassVar[bool] = True
    raters_are_sample: ClassVar[bool] = False

    places: int

    def sums(self, ratings: Ratings) -> Any:
        n_owners = ratings.n_raters // self.places
        unit = np.arange(ratings.n_units)
        owner = _owners(ratings, self.places)
        judgments = ratings.raters_per_unit
        one = np.ones(len(unit))
        return ratings.columns(
            (unit, 0, one),
            (unit, 1 + owner, one),
            (unit, 1 + n_owners + owner, ratings.matches / (judgments * (judgments - 1))),
            n_columns=1 + 2 * n_owners,
        )

    def value(self, totals: np.ndarray) -> np.ndarray:
        units, agreement = np.split(totals[..., 1:], 2, axis=-1)
        return ratio(np.nan_to_num(ratio(agreement, units)).sum(axis=-1), (units > 0).sum(axis=-1))


def repeats_as_ratings(
    unit: np.ndarray, rater: np.ndarray, label: np.ndarray, count: np.ndarray, *, n_labels: int
) -> tuple[Ratings, np.ndarray, int]:
    """Each rater's judgments of a unit as if by raters of their own, where there are two or more.

    Parameters
    ----------
    unit, rater, label, count : ndarray of int, shape (n,)
        As for `tally_ratings`.

    Returns
    -------
    tuple of Ratings, ndarray of int, shape (n_repeated,), and int
        Ratings whose units are the repeated pairs of unit and rater, the unit of each, and the places that
        `SelfAgreement` takes.
    """
    order = np.lexsort((label, rater, unit))
    order = np.repeat(order, count[order])
    n_raters = int(rater.max(initial=-1)) + 1
    pair, cell, judgments = np.unique(unit[order] * n_raters + rater[order], return_inverse=True, return_counts=True)
    place = np.arange(len(order)) - (np.cumsum(judgments) - judgments)[cell]
    places = max(2, int(judgments.max(initial=0)))
    repeated = judgments >= 2
    kept = repeated[cell]
    ratings = tally_ratings(
        (np.cumsum(repeated) - 1)[cell[kept]],
        rater[order][kept] * places + place[kept],
        label[order][kept],
        np.ones(kept.sum(), dtype=np.int64),
        n_units=int(repeated.sum()),
        n_raters=n_raters * places,
        n_labels=n_labels,
    )
    return ratings, pair[repeated] // max(n_raters, 1), places


def repeats_by_rater(repeats: Ratings, places: int) -> dict[int, Ratings]:
    """The repeated ratings of each rater who has any, by the rater's code, from what `repeats_as_ratings` gives."""
    owner = _owners(repeats, places)
    order = np.argsort(owner, kind="stable")
    raters, first = np.unique(owner[order], return_index=True)
    return {int(rater): repeats.of_units(np.sort(units)) for rater, units in zip(raters, np.split(order, first[1:]))}


def _owners(repeats: Ratings, places: int) -> np.ndarray:
    """The rater of each unit."""
    return repeats.rater[np.searchsorted(repeats.unit, np.arange(repeats.n_units))] // places
