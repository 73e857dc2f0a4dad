"""Holm's adjustment of the p-values of a family of tests."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None], family_size: int) -> list[float | None]:
    """Holm-adjusted p-values of a family of tests, in the order given.

    Parameters
    ----------
    p_values : sequence of float or None
        None for a test that has no p-value: it stays in the family, ordered last.
    family_size : int
        Number of tests m that the specification declares, at least as many as are given.

    Notes
    -----
    p_(i)adj = max_{j<=i} min(1, (m-j+1) p_(j)).

    References
    ----------
    Holm 1979.
    """
    if family_size < len(p_values):
        raise ValueError(f"{len(p_values)} tests in a family of {family_size}")
    if any(p is not None and not 0 <= p <= 1 for p in p_values):
        raise ValueError("p-values must lie in [0, 1]")
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    with_p = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    for rank, (p, place) in enumerate(with_p):
        largest = max(largest, min(1.0, (family_size - rank) * p))
        adjusted[place] = largest
    return adjusted
