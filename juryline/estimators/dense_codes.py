"""Codes without gaps, by counting where that is cheaper than sorting."""

import numpy as np


def dense_codes(codes: np.ndarray) -> np.ndarray:
    """Codes renumbered from 0 without gaps, in their order."""
    if not len(codes) or codes.min() < 0 or codes.max() > 8 * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    # Counting is a tenth of the time of sorting, where there are not many more codes than judgments.
    return (np.cumsum(np.bincount(codes) > 0) - 1)[codes]


def first_places(dense: np.ndarray) -> np.ndarray:
    """First place of each of the codes that `dense_codes` gives."""
    first = np.zeros(int(dense.max(initial=-1)) + 1, dtype=np.int64)
    first[dense[::-1]] = np.arange(len(dense))[::-1]  # of a repeated index, the last value stays
    return first
