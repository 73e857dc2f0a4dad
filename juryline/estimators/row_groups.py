"""Rows brought together by integer codes, by counting where numpy would sort.

Belongs here: the order that puts rows of one code beside each other. Does not: what is summed over them.
"""

import numpy as np

from juryline.estimators.dense_codes import dense_codes
from juryline.estimators.machine_code import compiled

_MOST_CODES_A_ROW = 8  # counting more takes longer than numbering those that occur


def group_rows(codes: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the order of their codes and, within one, in the order given; and where each group starts.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,)
    order : ndarray of int, shape (n_rows,)
        Rows.

    Returns
    -------
    grouped : ndarray of int, shape (n_rows,)
    starts : ndarray of int, shape (n_groups + 1,)
        Places in `grouped`; the last is n_rows.

    Examples
    --------
    >>> group_rows(np.array([1, 0, 1]), np.arange(3))
    (array([1, 0, 2]), array([0, 1, 3]))
    """
    if codes.min(initial=0) < 0 or codes.max(initial=0) > _MOST_CODES_A_ROW * len(codes):
        codes = dense_codes(codes)
    starts = np.zeros(int(codes.max(initial=-1)) + 2, dtype=np.int64)
    grouped = np.empty_like(order)
    compiled(place_by_code)(codes, order, starts, grouped)
    return grouped, starts[np.diff(starts, append=len(order) + 1) > 0]


def place_by_code(codes: np.ndarray, order: np.ndarray, starts: np.ndarray, grouped: np.ndarray) -> None:
    """Kernel: fill `grouped` with `order` by code, and `starts`, given as zeros, with where each code starts."""
    for code in codes:
        starts[code + 1] += 1
    for code in range(1, len(starts)):
        starts[code] += starts[code - 1]
    places = starts.copy()
    for row in order:
        code = codes[row]
        grouped[places[code]] = row
        places[code] += 1
