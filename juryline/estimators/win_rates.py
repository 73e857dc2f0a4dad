"""Win rates: the share of games that a system won, three ways, for three treatments of ties (METHODS 4).

Belongs here: the rates of one system, against all others or against one, and ranks. Does not: strength of
opposition, for which see `elo` and `bradley_terry`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.games import Side
from juryline.estimators.quantity import Quantity
from juryline.estimators.rates import Rate, rate_of_games


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
        none = rate_of_games(side.wins, all_games, side.clusters, without=no_games, level=level)
        return WinRatesResult(wins=0, losses=0, ties=0, both_fail=0, win_rate=none, decisive=none, half=none)
    undecided = Quantity.missing(Status.UNDEFINED, Reason.NO_DECISIVE_GAME)
    unscored = Quantity.missing(Status.UNDEFINED, Reason.ZERO_DENOMINATOR)
    return WinRatesResult(
        wins=int(side.wins.sum()),
        losses=int(side.losses.sum()),
        ties=int(side.ties.sum()),
        both_fail=int(side.both_fail.sum()),
        win_rate=rate_of_games(side.wins, all_games, side.clusters, without=no_games, level=level),
        decisive=rate_of_games(side.wins, decided, side.clusters, without=undecided, level=level),
        half=rate_of_games(
            side.wins + side.ties / 2,
            decided + side.ties,
            side.clusters,
            without=unscored,
            level=level,
            squares=side.wins + side.ties / 4,
        ),
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
