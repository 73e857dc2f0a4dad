"""Spearman's correlation of a few systems' ranks, and its p-value by permutation.

Belongs here: mid-ranks, their correlation over many rounds at once, exact and sampled permutations. Does not: what is
ranked.

Ranks are kept doubled, so that mid-ranks are whole numbers and equality is never a matter of rounding.
"""

from itertools import permutations
from math import factorial

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.bootstrap import round_generator
from juryline.estimators.quantity import Quantity

MOST_EXACT = 8  # systems, of which all 40,320 permutations are tried


def spearman(x: np.ndarray, y: np.ndarray) -> Quantity:
    """Spearman's correlation: Pearson's of mid-ranks.

    Parameters
    ----------
    x, y : ndarray of float, shape (n,)
        Finite.

    Returns
    -------
    Quantity
        In [-1, 1]. undefined, zero_variance: all values of one of the two are equal, or there is one.

    References
    ----------
    Spearman 1904.
    """
    value = float(spearman_of_rounds(np.asarray(x, dtype=float), np.asarray(y, dtype=float)))
    return Quantity.missing(Status.UNDEFINED, Reason.ZERO_VARIANCE) if np.isnan(value) else Quantity.of(value)


def spearman_of_rounds(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation along the last axis; NaN where a value is NaN, or all of one side are equal."""
    first, second = doubled_ranks(x), doubled_ranks(y)
    covariance = _covariance(first, second)
    variances = _covariance(first, first) * _covariance(second, second)
    known = (variances > 0) & ~np.isnan(x).any(axis=-1) & ~np.isnan(y).any(axis=-1)
    return np.divide(covariance, np.sqrt(variances), out=np.full(known.shape, np.nan), where=known)


def permutation_p(x: np.ndarray, y: np.ndarray, *, n_permutations: int, seed: int, analysis: str) -> Quantity:
    """Two-sided p-value of Spearman's correlation: how often shuffled ranks correlate as strongly.

    Parameters
    ----------
    x, y : ndarray of float, shape (n,)
        Finite.
    n_permutations : int
        Random permutations of more than eight systems.
    seed, analysis
        What the random permutations follow from.

    Returns
    -------
    Quantity
        In (0, 1]. undefined, zero_variance: there is no correlation to test.

    Notes
    -----
    To eight systems all permutations: p = k/n!. Beyond, p = (k + 1)/(B + 1) of B random ones (Phipson and Smyth 2010).
    k counts those with |correlation| at least the observed, compared as whole numbers.
    """
    none = spearman(x, y)
    if none.value is None:
        return none
    fixed, moved = doubled_ranks(x), doubled_ranks(y)
    observed = abs(_covariance(fixed, moved))
    if len(fixed) <= MOST_EXACT:
        orders = np.array(list(permutations(range(len(fixed)))))
        as_strong = np.count_nonzero(abs(_covariance(fixed, moved[orders])) >= observed)
        return Quantity.of(as_strong / factorial(len(fixed)))
    generator = round_generator(seed, f"{analysis}/permutations", 0)
    shuffled = generator.permuted(np.tile(moved, (n_permutations, 1)), axis=1)
    as_strong = np.count_nonzero(abs(_covariance(fixed, shuffled)) >= observed)
    return Quantity.of((as_strong + 1) / (n_permutations + 1))


def doubled_ranks(values: np.ndarray) -> np.ndarray:
    """Twice the mid-ranks along the last axis, whole numbers from 2: the smallest value first, equal ones sharing."""
    mine, others = values[..., :, np.newaxis], values[..., np.newaxis, :]
    return 2 * (others < mine).sum(axis=-1) + (others == mine).sum(axis=-1) + 1


def _covariance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """n^2 times the covariance of whole numbers along the last axis: a whole number."""
    return x.shape[-1] * (x * y).sum(axis=-1) - x.sum(axis=-1) * y.sum(axis=-1)
