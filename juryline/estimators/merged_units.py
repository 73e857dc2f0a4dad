"""Units that were rated alike as one, so that what is computed of units costs what their patterns do.

Belongs here: what was merged into what, and how many units each merged one stands for. Does not: how patterns are
numbered (`rating_patterns`).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from juryline.estimators.agreement_units import Ratings
from juryline.estimators.rating_patterns import Patterns


@dataclass(frozen=True, kw_only=True, eq=False)
class Merged:
    """One unit for all that were rated alike.

    Parameters
    ----------
    ratings : Ratings
        Of the merged units.
    count : ndarray of int, shape (n_merged,)
        Units that each stands for.
    steps : tuple of Patterns
        What was merged into what.
    """

    ratings: Ratings
    count: np.ndarray
    steps: tuple[Patterns, ...]

    @cached_property
    def place(self) -> np.ndarray:
        """The merged unit that each unit became, shape (n_units,)."""
        place = np.arange(len(self.count)) if not self.steps else self.steps[0].place
        for step in self.steps[1:]:
            place = step.place[place]
        return place

    @classmethod
    def of(cls, patterns: Patterns, count: np.ndarray, steps: tuple[Patterns, ...]) -> "Merged":
        """One unit of each pattern."""
        ratings = Ratings(
            ordered=patterns.distinct_codes(),
            shares=None,
            n_units=len(patterns.count),
            n_raters=patterns.n_raters,
            n_labels=patterns.n_labels,
            patterns=None,
        )
        return cls(ratings=ratings, count=count, steps=steps)

    def nameless(self) -> "Merged":
        """Merged further, whoever the raters were."""
        patterns = self.steps[-1].nameless() if self.steps else self.ratings.nameless().patterns
        if patterns is None:
            return self
        count = np.bincount(patterns.place, weights=self.count).astype(np.int64)
        return Merged.of(patterns, count, (*self.steps, patterns))


def merged_units(ratings: Ratings, *, named: bool) -> Merged:
    """One unit for all that were rated alike: by the same raters or, not `named`, by whomever.

    What is computed of units then costs what their patterns do. Ratings that are vectors of shares, or of too many
    raters to number their patterns, are left as they are.
    """
    if ratings.patterns is None:
        merged = Merged(ratings=ratings, count=np.ones(ratings.n_units, dtype=np.int64), steps=())
    else:
        merged = Merged.of(ratings.patterns, ratings.patterns.count, (ratings.patterns,))
    return merged if named else merged.nameless()
