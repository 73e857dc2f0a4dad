"""Whether the longer output wins: by system, and over all games (METHODS 9).

Belongs here: statistics of games whose lengths are known, from tallies by which side was longer. Does not: lengths, or
how much longer counts as longer.

Length is not randomised, so every number here is an association.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import ClusterVariance, added, cluster_variance
from juryline.estimators.inference import Bounds, t_interval, t_test, two_sided_p
from juryline.estimators.quantity import Interval, Quantity, Test
from juryline.estimators.rates import Rate, rate_of_games

NO_EFFECT = 0.0
NO_PREFERENCE = 0.5
FEWEST_GAMES = 2  # of the games in which a system is longer, and of the others
CONTRAST_BOUNDS: Bounds = (-1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GamesByLength:
    """Games of one system, counted by row of a tally; all games of a row have one length relation.

    Parameters
    ----------
    wins, games : ndarray of int, shape (n_rows,)
        Games that the system won, of those it played.
    longer : ndarray of bool, shape (n_rows,)
        Whether its output was the longer one.
    clusters : tuple of one or two ndarray of int, shape (n_rows,)
        Cluster of each row in each dimension.

    Raises
    ------
    ValueError
        Shapes differ, or a row has more wins than games.
    """

    wins: np.ndarray
    games: np.ndarray
    longer: np.ndarray
    clusters: tuple[np.ndarray, ...]

    def __post_init__(self) -> None:
        lengths = {len(array) for array in (self.wins, self.games, self.longer, *self.clusters)}
        if len(lengths) > 1:
            raise ValueError(f"arrays of different lengths: {sorted(lengths)}")
        if np.any(self.wins < 0) or np.any(self.wins > self.games):
            raise ValueError("a row has more wins than games, or fewer than none")


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthEffectsResult:
    """Chances of a system to win and to be longer, each given the other, and two contrasts of them.

    `seed_test` holds overlapping samples against each other, as first published; quote `contrast`.
    """

    p_win: Rate
    p_longer: Rate
    p_win_given_longer: Rate
    p_longer_given_win: Rate
    seed_test: Test
    contrast: Quantity
    contrast_interval: Interval
    contrast_test: Test


def length_effects(side: GamesByLength, *, level: float) -> LengthEffectsResult:
    """Whether a system wins more often where its output is the longer one.

    Parameters
    ----------
    side : GamesByLength
        Games seen from the system, by cluster.
    level : float
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    LengthEffectsResult
        Everything insufficient, no_games: the system has no game. `p_win_given_longer` undefined, never_longer;
        `p_longer_given_win` undefined, never_won. Both tests and the contrast insufficient, too_few_units: fewer than
        two games in which it was longer, or in which it was not. The seed's test degenerate, zero_variance: it won all
        its games, or none. Interval and test of the contrast as `t_interval` and `t_test`. Intervals of the chances as
        `wilson_effective`.

    Notes
    -----
    N games, T of them with the longer output, W wins; a tie and a joint failure are no win. contrast = W_T/T -
    W_R/R over the R = N - T others, psi = (x - p_T)/T and -(x - p_R)/R. Where no cluster has games of both kinds the
    two shares come from independent samples: their variances are added and the degrees of freedom are Welch's, which
    with one game a cluster is Welch's test. A share of games of one cluster has no known spread, so there is neither
    interval nor test where either has one. The seed's t is (p_N - p_T)/sqrt(s_N^2/N + s_T^2/T) although the T games
    are among the N: without an effect it rejects far too rarely, its variance being too large by (1 + f)/(1 - f) with
    f = T/N.

    References
    ----------
    Daynauth and Mars 2024, section 3.1. Welch 1947.
    """
    longer = side.longer.astype(bool)
    wins_longer, games_longer = np.where(longer, side.wins, 0), np.where(longer, side.games, 0)

    def chance(points: np.ndarray, of: np.ndarray, without: Reason) -> Rate:
        none = Quantity.missing(Status.UNDEFINED, without) if side.games.sum() else _NO_GAMES
        return rate_of_games(points, of, side.clusters, without=none, level=level)

    result = _contrast(side, longer, level)
    return LengthEffectsResult(
        p_win=chance(side.wins, side.games, Reason.NO_GAMES),
        p_longer=chance(games_longer, side.games, Reason.NO_GAMES),
        p_win_given_longer=chance(wins_longer, games_longer, Reason.NEVER_LONGER),
        p_longer_given_win=chance(wins_longer, side.wins, Reason.NEVER_WON),
        seed_test=_seed_test(side, longer),
        contrast=result[0],
        contrast_interval=result[1],
        contrast_test=result[2],
    )


def longer_wins(
    wins: np.ndarray, games: np.ndarray, clusters: tuple[np.ndarray, ...], *, n_known: int, level: float
) -> Rate:
    """Share of decisive games with a longer output that the longer one won.

    Parameters
    ----------
    wins, games : ndarray of int, shape (n_rows,)
        Games that the longer one won, of the decisive ones in which either was longer, by row of a tally.
    clusters : tuple of one or two ndarray of int, shape (n_rows,)
    n_known : int
        Games whose lengths are known, whatever came of them.
    level : float
        Confidence of the interval, in (0, 1).

    Returns
    -------
    Rate
        insufficient, no_games: no game. undefined, no_decisive_game: none of them was decided between outputs of
        different length. Interval as `wilson_effective`.
    """
    none = Quantity.missing(Status.UNDEFINED, Reason.NO_DECISIVE_GAME) if n_known else _NO_GAMES
    return rate_of_games(wins, games, clusters, without=none, level=level)


_NO_GAMES = Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)
_TOO_FEW = Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_UNITS)
_CONSTANT = Quantity.missing(Status.DEGENERATE, Reason.ZERO_VARIANCE)


def _too_few(side: GamesByLength, longer: np.ndarray) -> Quantity | None:
    if not side.games.sum():
        return _NO_GAMES
    n_longer = int(side.games[longer].sum())
    return _TOO_FEW if min(n_longer, int(side.games.sum()) - n_longer) < FEWEST_GAMES else None


def _seed_test(side: GamesByLength, longer: np.ndarray) -> Test:
    none = _too_few(side, longer)
    if none is not None:
        return Test(statistic=none, null_value=NO_EFFECT)
    shares, parts, sizes = [], [], []
    for chosen in (np.full(len(longer), True), longer):
        n, wins = int(side.games[chosen].sum()), int(side.wins[chosen].sum())
        shares.append(wins / n)
        parts.append(wins * (n - wins) / (n * n * (n - 1)))  # s^2/n of n answers of 0 and 1, with n - 1 in s
        sizes.append(n)
    if not any(parts):
        return Test(statistic=_CONSTANT, null_value=NO_EFFECT)
    t = (shares[0] - shares[1]) / sqrt(sum(parts))
    df = sum(parts) ** 2 / sum(part**2 / (n - 1) for part, n in zip(parts, sizes))
    return Test(statistic=Quantity.of(t), null_value=NO_EFFECT, df=df, p_value=two_sided_p(t, df))


def _contrast(side: GamesByLength, longer: np.ndarray, level: float) -> tuple[Quantity, Interval, Test]:
    none = _too_few(side, longer)
    if none is not None:
        interval = Interval(status=none.status, level=level, method="cluster_t", reason=none.reason)
        return none, interval, Test(statistic=none, null_value=NO_EFFECT)
    played = side.games > 0
    first, second = (_side(side, played & chosen) for chosen in (longer, ~longer))
    contrast = first.share - second.share
    apart = added(first.variance, second.variance)
    if apart.variance is None or not first.crosses(second):
        variance, method = apart, "welch_t"
    else:
        psi = np.concatenate([first.psi, -second.psi])
        clusters = tuple(np.concatenate(pair) for pair in zip(first.clusters, second.clusters))
        variance, method = cluster_variance(psi, clusters), "cluster_t"
    interval = t_interval(contrast, variance, level=level, bounds=CONTRAST_BOUNDS, method=method)
    return Quantity.of(contrast), interval, t_test(contrast, NO_EFFECT, variance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Share:
    """Share of wins among games of one kind, and what each row adds to its error."""

    share: float
    psi: np.ndarray
    clusters: tuple[np.ndarray, ...]

    @property
    def variance(self) -> ClusterVariance:
        return cluster_variance(self.psi, self.clusters)

    def crosses(self, other: "_Share") -> bool:
        """Whether a cluster of either dimension has games of both kinds."""
        return any(np.isin(mine, theirs).any() for mine, theirs in zip(self.clusters, other.clusters))


def _side(side: GamesByLength, chosen: np.ndarray) -> _Share:
    wins, games = side.wins[chosen], side.games[chosen]
    n = int(games.sum())
    share = int(wins.sum()) / n
    psi = (wins - share * games) / n
    return _Share(share=share, psi=psi, clusters=tuple(codes[chosen] for codes in side.clusters))
