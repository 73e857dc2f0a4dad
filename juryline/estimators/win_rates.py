"""Win rates: the share of games that a system won, three ways, for three treatments of ties (METHODS 4).

Belongs here: the rates of one system, against all others or against one, and ranks. Does not: strength of
opposition, for which see `elo` and `bradley_terry`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.games import Side
from juryline.estimators.inference import cluster_variance, wilson_effective
from juryline.estimators.quantity import Interval, Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of games and its interval."""

    rate: Quantity
    interval: Interval
    n_games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRatesResult:
    """Counts of a system's games and the three rates made of them."""

    wins: int
    losses: int
    ties: int
    both_fail: int
    win_rate: Rate
    decisive: Rate
    half: Rate

    @property
    def n_games(self) -> int:
        return self.wins + self.losses + self.ties + self.both_fail


def win_rates(side: Side, *, level: float) -> WinRatesResult:
    """Count what came of a system's games, and the share of them that it won.

    Parameters
    ----------
    side : Side
        Games seen from the system, by cluster.
    level : float
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    WinRatesResult
        A rate insufficient, no_games: the system has no game. `decisive` undefined, no_decisive_game: all its
        games were ties or failures; `half` undefined, zero_denominator: all were failures. Intervals as
        `wilson_effective`.

    Notes
    -----
    win_rate W/N with N = W + L + T + F; decisive W/(W + L); half (W + T/2)/(W + L + T). Contributions are
    summed within the rows of the tally, which no cluster crosses: psi = (points - rate games)/n.

    References
    ----------
    Wilson 1927; Korn and Graubard 1998.
    """
    decided = side.wins + side.losses
    all_games = decided + side.ties + side.both_fail
    no_games = Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)
    if not all_games.sum():
        none = Rate(rate=no_games, interval=_no_interval(no_games, level), n_games=0)
        return WinRatesResult(wins=0, losses=0, ties=0, both_fail=0, win_rate=none, decisive=none, half=none)
    undecided = Quantity.missing(Status.UNDEFINED, Reason.NO_DECISIVE_GAME)
    unscored = Quantity.missing(Status.UNDEFINED, Reason.ZERO_DENOMINATOR)
    return WinRatesResult(
        wins=int(side.wins.sum()),
        losses=int(side.losses.sum()),
        ties=int(side.ties.sum()),
        both_fail=int(side.both_fail.sum()),
        win_rate=_rate(side.wins, all_games, side.clusters, no_games, level),
        decisive=_rate(side.wins, decided, side.clusters, undecided, level),
        half=_rate(side.wins + side.ties / 2, decided + side.ties, side.clusters, unscored, level),
    )


def competition_ranks(results: Sequence[WinRatesResult]) -> list[int | None]:
    """Rank systems by win rate, the best first; equal rates share the best rank (1, 2, 2, 4).

    Returns
    -------
    list of int or None
        None for a system without a game. Rates are compared as fractions: rounding ranks nobody.
    """
    rates = [Fraction(result.wins, result.n_games) if result.n_games else None for result in results]
    known = [rate for rate in rates if rate is not None]
    return [None if rate is None else 1 + sum(other > rate for other in known) for rate in rates]


def _rate(
    points: np.ndarray, games: np.ndarray, clusters: tuple[np.ndarray, ...], without: Quantity, level: float
) -> Rate:
    n_games = int(games.sum())
    if not n_games:
        return Rate(rate=without, interval=_no_interval(without, level), n_games=0)
    rate = float(points.sum()) / n_games
    counted = games > 0
    psi = (points[counted] - rate * games[counted]) / n_games
    variance = cluster_variance(psi, tuple(codes[counted] for codes in clusters))
    return Rate(
        rate=Quantity.of(rate), interval=wilson_effective(rate, n_games, variance, level=level), n_games=n_games
    )


def _no_interval(without: Quantity, level: float) -> Interval:
    return Interval(status=without.status, level=level, method="wilson_effective", reason=without.reason)
