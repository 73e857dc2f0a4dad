"""What each rater answered, as the thresholds that bound each answer, raters who answered alike taken together.

Belongs here: the data that a model with a level of its own for each rater is fitted to. Does not: the model.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

MOST_TERMS = 6_000  # of one part: what is computed of them at a time fits a processor's cache


@dataclass(frozen=True, kw_only=True, eq=False)
class RaterPatterns:
    """Answers of distinct raters, a term for each side on which a threshold bounds an answer.

    Parameters
    ----------
    pattern : ndarray of int, shape (n_terms,)
        Rater of each term, from 0, ascending, each with a term or more.
    cell, threshold : ndarray of int, shape (n_terms,)
    side : ndarray of int, shape (n_terms,)
        1 where the answer lies below the threshold, -1 where above.
    n : ndarray of int, shape (n_terms,)
        Answers that are alike.
    repeats : ndarray of int, shape (n_patterns,)
        Raters who answered so.
    """

    pattern: np.ndarray
    cell: np.ndarray
    threshold: np.ndarray
    side: np.ndarray
    n: np.ndarray
    repeats: np.ndarray

    @classmethod
    def of(cls, rater: np.ndarray, cell: np.ndarray, level: np.ndarray) -> "RaterPatterns":
        """Collect single answers.

        Parameters
        ----------
        rater, cell, level : ndarray of int, shape (n_answers,)
            Codes. Every level from 0 to the highest has answers, and there are two or more.

        Notes
        -----
        Patterns are put in the order of what was answered, so that who answered it changes nothing.
        """
        n_levels = int(level.max()) + 1
        n_kinds = int(cell.max() + 1) * n_levels
        coded, n = np.unique(rater.astype(np.int64) * n_kinds + cell * n_levels + level, return_counts=True)
        first = np.flatnonzero(np.diff(coded // n_kinds, prepend=-1))
        answers = np.split(np.column_stack([coded % n_kinds, n]), first[1:])
        distinct = sorted(Counter(tuple(map(tuple, of_rater.tolist())) for of_rater in answers).items())
        pattern = np.repeat(np.arange(len(distinct)), [len(answered) for answered, _ in distinct])
        what, times = np.array([answer for answered, _ in distinct for answer in answered]).T
        threshold = np.column_stack([what % n_levels, what % n_levels - 1])
        bounds = (threshold >= 0) & (threshold < n_levels - 1)
        return cls(
            pattern=np.column_stack([pattern, pattern])[bounds],
            cell=np.column_stack([what, what])[bounds] // n_levels,
            threshold=threshold[bounds],
            side=np.broadcast_to([1, -1], threshold.shape)[bounds],
            n=np.column_stack([times, times])[bounds],
            repeats=np.array([raters for _, raters in distinct]),
        )

    @cached_property
    def first(self) -> np.ndarray:
        """First term of each pattern."""
        return np.flatnonzero(np.diff(self.pattern, prepend=-1))

    def totals(self, of_terms: np.ndarray) -> np.ndarray:
        """Sums within each pattern of what there is of each term: shape (n_terms, ...) to (n_patterns, ...)."""
        return np.add.reduceat(of_terms, self.first, axis=0)

    def slopes(self, design: np.ndarray, n_thresholds: int) -> Any:
        """Derivative of each term's log odds by (theta, beta): a sparse matrix, shape (n_terms, n_parameters)."""
        from scipy.sparse import csr_array, hstack

        by_theta = csr_array(
            (np.ones(len(self.n)), (np.arange(len(self.n)), self.threshold)), (len(self.n), n_thresholds)
        )
        return csr_array(hstack([by_theta, csr_array(-design)[self.cell]]))

    def parts(self) -> Iterator["RaterPatterns"]:
        """The patterns in their order, a part at a time."""
        part = self.first // MOST_TERMS
        for number in np.unique(part):
            chosen = part == number
            terms = chosen[self.pattern]
            yield RaterPatterns(
                pattern=self.pattern[terms] - np.flatnonzero(chosen)[0],
                cell=self.cell[terms],
                threshold=self.threshold[terms],
                side=self.side[terms],
                n=self.n[terms],
                repeats=self.repeats[chosen],
            )
