"""Whether the one shown first is preferred: shares by position, balanced for systems, and within raters (METHODS 8).

Belongs here: statistics of games whose order on the screen is known. Does not: whether it is known.

In every tally `first` is the system shown first, so its wins are wins of the first position.
"""

from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import ClusterVariance, cluster_variance
from juryline.estimators.games import Outcome, PairTallies
from juryline.estimators.inference import UNIT_BOUNDS, sign_test, t_interval, t_test
from juryline.estimators.quantity import Interval, Quantity, Test
from juryline.estimators.rates import Rate, rate_of_games

NO_PREFERENCE = 0.5
FEWEST_GAMES_OF_A_RATER = 5

_NO_GAMES = Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)
_UNDECIDED = Quantity.missing(Status.UNDEFINED, Reason.NO_DECISIVE_GAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSharesResult:
    """Shares of games by what came of them, which sum to 1, and the first position's share of decisive ones."""

    first: Rate
    second: Rate
    ties: Rate
    both_fail: Rate
    decisive: Rate
    decisive_test: Test


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstAdvantageResult:
    """The first position's chance to win, with systems balanced; `pairs` enter, `left_out` were seen in one order."""

    advantage: Quantity
    interval: Interval
    pairs: tuple[tuple[int, int], ...]
    left_out: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyResult:
    """What became of questions that one rater answered in both orders; the four shares sum to 1."""

    consistent: Rate
    flip_first: Rate
    flip_second: Rate
    flip_tie: Rate


def position_shares(tallies: PairTallies, *, level: float) -> PositionSharesResult:
    """Share of games that the first position won, the second won, that were tied, and in which both failed.

    Parameters
    ----------
    tallies : PairTallies
        `first` shown first.
    level : float
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    PositionSharesResult
        insufficient, no_games: no game. `decisive` and its test undefined, no_decisive_game: none was won by either.
        The test insufficient, too_few_units: fewer than two clusters; degenerate, zero_variance: clusters of several
        games do not differ. Intervals as `wilson_effective`.

    Notes
    -----
    The test is t_{G-1} on (p - .5)/sqrt V. Where each cluster has one game it is the exact binomial, whose statistic
    is (2k - n)/sqrt n with no degrees of freedom. Shares mix position with who was put first: see `first_advantage`.
    """
    decisive_games = tallies.wins + tallies.losses
    games = decisive_games + tallies.ties + tallies.both_fail

    def share(points: np.ndarray, of: np.ndarray, without: Quantity) -> Rate:
        return rate_of_games(points, of, tallies.clusters, without=without, level=level)

    decisive = share(tallies.wins, decisive_games, _UNDECIDED if games.sum() else _NO_GAMES)
    return PositionSharesResult(
        first=share(tallies.wins, games, _NO_GAMES),
        second=share(tallies.losses, games, _NO_GAMES),
        ties=share(tallies.ties, games, _NO_GAMES),
        both_fail=share(tallies.both_fail, games, _NO_GAMES),
        decisive=decisive,
        decisive_test=_test(decisive, int(tallies.wins.sum())),
    )


def first_advantage(tallies: PairTallies, *, level: float) -> FirstAdvantageResult:
    """Chance that the first position wins a decisive game, with each system of a pair first half of the time.

    Parameters
    ----------
    tallies : PairTallies
        `first` shown first.
    level : float
        Confidence of the interval, in (0, 1).

    Returns
    -------
    FirstAdvantageResult
        insufficient, no_games: no game. undefined, no_decisive_game: none was won by either. not_estimable,
        order_confounded_with_system: every pair was seen in one order only. ok with pairs_left_out: some pairs were.
        Intervals as `t_interval`, clipped to [0, 1], over clusters with a game that enters; degenerate, zero_variance
        also where no order of a pair has two games.

    Notes
    -----
    Of a pair {i, j} with n_ij decisive games shown i first, of which p_ij were won by the first, a_ij = (p_ij +
    p_ji)/2 and w_ij = n_ij n_ji/(n_ij + n_ji), the inverse of the variance of a_ij but for a factor where there is no
    preference. The estimate is a = sum w a / sum w =: sum w a / W. A game shown i first, won by the first (x = 1) or
    not (x = 0), changes a_ij by (x - p_ij)/(2 n_ij) and w_ij by (n_ji/(n_ij + n_ji))^2, so that

        psi = (w_ij (x - p_ij)/(2 n_ij) + (a_ij - a) (n_ji/(n_ij + n_ji))^2) / W,

    the derivative of a by the game's weight. They sum to 0: the first terms within each order, the second since
    n_ij (n_ji/(n_ij + n_ji))^2 + n_ji (n_ij/(n_ij + n_ji))^2 = w_ij. Games are near the shares that they themselves
    set, so the variance is divided by 1 - K/N, K orders of pairs and N games: without, intervals of 10 clusters with
    about four games an order covered 92 %.
    """
    size = tallies.n_systems
    decisive = tallies.wins + tallies.losses
    order = tallies.first * size + tallies.second
    n, won = (
        np.bincount(order, weights=w, minlength=size * size).reshape(size, size) for w in (decisive, tallies.wins)
    )
    both = (n > 0) & (n.T > 0)
    pairs = _unordered(both)
    left_out = _unordered(((n > 0) | (n.T > 0)) & ~both)
    if not pairs:
        advantage = _without_pairs(tallies, bool(left_out))
        none = Interval(status=advantage.status, level=level, method="cluster_t", reason=advantage.reason)
        return FirstAdvantageResult(advantage=advantage, interval=none, pairs=(), left_out=left_out)
    share = np.divide(won, n, out=np.zeros_like(n), where=both)
    balanced = (share + share.T) / 2
    weight = np.divide(n * n.T, n + n.T, out=np.zeros_like(n), where=both)
    places = tuple(np.array(pairs).T)
    total = fsum(weight[places])
    estimate = fsum(weight[places] * balanced[places]) / total
    used = both[tallies.first, tallies.second] & (decisive > 0)
    one, other = tallies.first[used], tallies.second[used]
    games = decisive[used]
    within = weight[one, other] * (tallies.wins[used] - share[one, other] * games) / (2 * n[one, other])
    between = (balanced[one, other] - estimate) * (n[other, one] / (n[one, other] + n[other, one])) ** 2 * games
    freedom = games.sum() - np.count_nonzero(both)
    contributions = (within + between) * sqrt(games.sum() / freedom if freedom else 0.0) / total
    variance = cluster_variance(contributions, tuple(codes[used] for codes in tallies.clusters))
    return FirstAdvantageResult(
        advantage=Quantity.of(estimate, *([Reason.PAIRS_LEFT_OUT] if left_out else [])),
        interval=t_interval(estimate, variance, level=level, bounds=UNIT_BOUNDS),
        pairs=pairs,
        left_out=left_out,
    )


def order_consistency(answers: np.ndarray, clusters: tuple[np.ndarray, ...], *, level: float) -> ConsistencyResult:
    """Whether raters who saw one pair of outputs in both orders gave the same answer.

    Parameters
    ----------
    answers : ndarray of int, shape (n_questions, 2, 4)
        How often a rater gave each `Outcome`, seen from the position, in each of the two orders: at least once in
        both. A question is a rater, a case and an unordered pair of outputs.
    clusters : tuple of one or two ndarray of int, shape (n_questions,)
    level : float
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    ConsistencyResult
        not_estimable, one_order_only: no rater saw a pair in both orders. Intervals as `wilson_effective`.

    Raises
    ------
    ValueError
        A question without an answer in one of the orders.

    Notes
    -----
    Consistent: the same system both times, a tie both times, or both fail both times. flip_first and flip_second: the
    one shown first, or second, both times, which are two systems. flip_tie: two answers of which exactly one names a
    system, or a tie and a both-fail: no answer was kept and no position either. Of several answers in an order their
    shares are taken, as for agreement: every question counts the same.
    """
    answers = np.asarray(answers, dtype=float).reshape(-1, 2, len(Outcome))
    given = answers.sum(axis=2, keepdims=True)
    if (given <= 0).any():
        raise ValueError("every question needs an answer in both orders")
    one, other = np.moveaxis(answers / given, 1, 0)
    (first, second, tie, fail), (later_first, later_second, later_tie, later_fail) = one.T, other.T
    consistent = first * later_second + second * later_first + tie * later_tie + fail * later_fail
    decided, later_decided = first + second, later_first + later_second
    flip_tie = decided * (later_tie + later_fail) + (tie + fail) * later_decided + tie * later_fail + fail * later_tie
    points = (consistent, first * later_first, second * later_second, flip_tie)
    without = Quantity.missing(Status.NOT_ESTIMABLE, Reason.ONE_ORDER_ONLY)
    asked = np.ones(len(answers), dtype=np.int64)
    rates = [rate_of_games(p, asked, clusters, without=without, level=level, squares=p**2) for p in points]
    return ConsistencyResult(consistent=rates[0], flip_first=rates[1], flip_second=rates[2], flip_tie=rates[3])


def _unordered(chosen: np.ndarray) -> tuple[tuple[int, int], ...]:
    return tuple((int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(chosen, 1))))


def _without_pairs(tallies: PairTallies, any_decisive: bool) -> Quantity:
    if any_decisive:
        return Quantity.missing(Status.NOT_ESTIMABLE, Reason.ORDER_CONFOUNDED_WITH_SYSTEM)
    return _UNDECIDED if (tallies.ties + tallies.both_fail).any() else _NO_GAMES


def _test(decisive: Rate, wins: int) -> Test:
    variance: ClusterVariance | None = decisive.variance
    if decisive.rate.value is None or variance is None:
        return Test(statistic=decisive.rate, null_value=NO_PREFERENCE)
    if variance.variance is not None and variance.n_clusters == decisive.n_games:
        return sign_test(wins, decisive.n_games)
    return t_test(decisive.rate.value, NO_PREFERENCE, variance)
