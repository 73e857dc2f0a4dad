"""Compilation of number-crunching kernels to machine code.

Belongs here: how a kernel is compiled, kept, and run on parts of the work. Does not: any kernel, nor numba at
import: what never crunches numbers does not wait for it.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

Result = TypeVar("Result")


@cache
def compiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Machine code of a kernel, kept on disk where a place for it can be found.

    Notes
    -----
    numba looks at NUMBA_CACHE_DIR, then beside the module, then in the user's own cache. Where none
    can be written it refuses to cache; then the kernel is compiled once a process. Kernels hold no lock of
    Python's: threads run them side by side.
    """
    from numba import njit

    try:
        return njit(nogil=True, cache=True)(kernel)
    except RuntimeError:
        return njit(nogil=True)(kernel)


def side_by_side(work: Callable[[int], Result], n_parts: int) -> list[Result]:
    """Results of each part of some work, in order, as many parts at a time as there are processors."""
    if n_parts == 1:
        return [work(0)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, range(n_parts)))
