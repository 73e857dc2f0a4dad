"""Codes without gaps, and how many there are, by counting where that is cheaper than sorting."""

import numpy as np


def dense_codes(codes: np.ndarray) -> np.ndarray:
    """Codes renumbered from 0 without gaps, in their order."""
    if not _countable(codes):
        return np.unique(codes, return_inverse=True)[1]
    return (np.cumsum(np.bincount(codes) > 0) - 1)[codes]


def n_distinct(codes: np.ndarray) -> int:
    """How many different codes there are."""
    if _countable(codes):
        return int(np.count_nonzero(np.bincount(codes)))
    return int(np.count_nonzero(np.diff(np.sort(codes)))) + (len(codes) > 0)


def first_places(dense: np.ndarray) -> np.ndarray:
    """First place of each of the codes that `dense_codes` gives."""
    first = np.zeros(int(dense.max(initial=-1)) + 1, dtype=np.int64)
    first[dense[::-1]] = np.arange(len(dense))[::-1]  # of a repeated index, the last value stays
    return first


def _countable(codes: np.ndarray) -> bool:
    """Whether there are not many more codes than judgments: counting is then a tenth of the time of sorting."""
    return len(codes) > 0 and codes.min() >= 0 and codes.max() <= 8 * len(codes)
