"""Shares of games with their intervals, from tallies by cluster (METHODS 4).

Belongs here: what every share of games has in common, whatever counts as a point. Does not: which points and which
games a method counts (`win_rates`, `order_effects`).
"""

from dataclasses import dataclass

import numpy as np

from juryline.estimators.cluster_variance import ClusterVariance, cluster_variance
from juryline.estimators.quantity import Interval, Quantity
from juryline.estimators.wilson import wilson_effective


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of games and its interval; `variance` is None where there is no game."""

    rate: Quantity
    interval: Interval
    n_games: int
    variance: ClusterVariance | None = None


def rate_of_games(
    points: np.ndarray,
    games: np.ndarray,
    clusters: tuple[np.ndarray, ...],
    *,
    without: Quantity,
    level: float,
    squares: np.ndarray | None = None,
) -> Rate:
    """Share of games that are points.

    Parameters
    ----------
    points, games : ndarray of int or float, shape (n_rows,)
        Counts by row of a tally, which no cluster crosses; 0 <= points <= games.
    clusters : tuple of one or two ndarray of int, shape (n_rows,)
        Cluster of each row in each dimension.
    without : Quantity
        What the rate is where there is no game.
    level : float
        Confidence of the interval, in (0, 1).
    squares : ndarray of float, shape (n_rows,), optional
        Sum of the squares of each game's points, where a game can be a part of one.

    Returns
    -------
    Rate
        `without`, whose status and reason the interval has too: no row has a game. Intervals as `wilson_effective`.

    Notes
    -----
    p = sum of points / sum of games; psi of a row = (points - p games)/n. Rows without a game are no cluster.
    """
    n_games = int(games.sum())
    if not n_games:
        nothing = Interval(status=without.status, level=level, method="wilson_effective", reason=without.reason)
        return Rate(rate=without, interval=nothing, n_games=0)
    rate = float(points.sum()) / n_games
    counted = games > 0
    psi = (points[counted] - rate * games[counted]) / n_games
    variance = cluster_variance(psi, tuple(codes[counted] for codes in clusters))
    spread = None if squares is None else max(0.0, float(squares.sum()) / n_games - rate**2)
    interval = wilson_effective(rate, n_games, variance, level=level, spread=spread)
    return Rate(rate=Quantity.of(rate), interval=interval, n_games=n_games, variance=variance)
