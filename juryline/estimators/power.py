"""Power of the two-sided one-sample t-test, and how many units a power needs.

Belongs here: METHODS 1, power. Does not: which effect is assumed, which a specification declares.
"""

import math
from functools import cache

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.quantity import Quantity

ENOUGH = 0.8
MOST_UNITS = 10_000_000


def t_power(n_units: int, effect_size: float, alpha: float) -> float:
    """Probability that the t-test of n units rejects at alpha.

    Parameters
    ----------
    n_units : int
        At least 2.
    effect_size : float
        Distance of the mean from the null value, in standard deviations of the units.
    alpha : float
        In (0, 1).

    Notes
    -----
    F(n, d, alpha) = P(|T'_{n-1}(d sqrt n)| > t_{1-alpha/2, n-1}), T' noncentral t, as the mean over
    S = chi_df/sqrt(df) of Phi(delta - cS) + Phi(-delta - cS). `scipy.special.nctdtr` is not used: it gives NaN on
    scattered arguments.
    """
    from scipy.special import stdtrit

    if n_units < 2:
        raise ValueError(f"n_units is {n_units}: at least 2")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}: in (0, 1)")
    df = n_units - 1
    shift = abs(effect_size) * math.sqrt(n_units)
    return _beyond(float(stdtrit(df, 1 - alpha / 2)), df, shift)


def required_units(effect_size: float, alpha: float) -> Quantity:
    """Least number of units with a power of at least 0.8.

    Returns
    -------
    Quantity
        not_estimable, beyond_search: more than ten million, or an effect of zero.
    """
    if not effect_size or t_power(MOST_UNITS, effect_size, alpha) < ENOUGH:
        return Quantity.missing(Status.NOT_ESTIMABLE, Reason.BEYOND_SEARCH)
    too_few, enough = 1, 2
    while t_power(enough, effect_size, alpha) < ENOUGH:
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if t_power(middle, effect_size, alpha) < ENOUGH:
            too_few = middle
        else:
            enough = middle
    return Quantity.of(enough)


_NEGLIGIBLE = 1e-17  # tails of S left out, each
_STEP = 9.0  # standard deviations in which Phi goes from 0 to 1
_NODES = 100


def _beyond(critical: float, df: int, shift: float) -> float:
    from scipy.special import gammainccinv, gammaincinv, ndtr

    low = math.sqrt(2 * gammaincinv(df / 2, _NEGLIGIBLE) / df)
    high = math.sqrt(2 * gammainccinv(df / 2, _NEGLIGIBLE) / df)
    # Phi(delta - cS) can be a step much narrower than S is wide: nodes are put on both sides of it.
    steps = [(shift + side * _STEP) / critical for side in (-1, 0, 1)]
    ends = np.array(sorted({low, high, *(step for step in steps if low < step < high)}))
    nodes, weights = _legendre(_NODES)
    half = np.diff(ends)[:, None] / 2
    x = (ends[:-1, None] + half * (nodes + 1)).ravel() - 1
    log_density = (df - 1) * np.log1p(x) - df * (x + x**2 / 2)
    mass = (half * weights).ravel() * np.exp(log_density - log_density.max())
    rejected = ndtr(shift - critical * (1 + x)) + ndtr(-shift - critical * (1 + x))
    return min(1.0, float(mass @ rejected / mass.sum()))


@cache
def _legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights, whose making takes far longer than a sum over them."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights
