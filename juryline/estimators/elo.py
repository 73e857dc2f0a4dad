"""Elo ratings: the expectation over random game orders of the final sequential rating (METHODS 5).

Belongs here: the ratings, their Monte-Carlo error and their interval over resampled clusters. A
rating describes these games with this K; it is not a latent strength, which `bradley_terry` estimates.
"""

import math
import os
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.elo_interval import METHOD, Resample, contrast, elo_interval, resample
from juryline.estimators.games import Games, Outcome, TieRule
from juryline.estimators.orderings import LANES, SequentialPlay
from juryline.estimators.philox import key_of
from juryline.estimators.quantity import Interval, Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class EloRating:
    """A rating or a difference of two: the simulation's error of it, its spread over orders, its interval."""

    value: Quantity
    mc_error: Quantity
    order_sd: Quantity
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class EloResult:
    """Ratings in the order of system codes; differences, subject minus comparator, in the order asked for."""

    ratings: tuple[EloRating, ...]
    differences: tuple[EloRating, ...]
    n_games: tuple[int, ...]
    n_orderings: int


def elo_ratings(
    games: Games,
    *,
    k: float,
    start: float,
    ties: TieRule,
    orderings: int | None,
    pairs: Sequence[tuple[int, int]],
    rounds: int,
    level: float,
    seed: int,
    analysis: str,
    threads: int | None = None,
) -> EloResult:
    """Rate systems by Elo, over random orders of their games or in the one order given.

    Parameters
    ----------
    games : Games
        Sorted by a unique key of the judgments, so that the order of rows is irrelevant; for a single
        pass, as delivered.
    k, start : float
        Step and initial rating, in Elo points.
    ties : {'half', 'drop'}
        Half a point each, or not a game.
    orderings : int or None
        Random orders to average over; None plays the games once, in the order given.
    pairs : sequence of (subject, comparator)
        System codes of the differences asked for.
    rounds : int
        Bootstrap rounds, of ten fresh orderings each; two-way, in each of three bootstraps.
    level : float
        Confidence of the intervals, in (0, 1).
    seed, analysis : int, str
        What names the random streams.
    threads : int, optional
        At most this many; the results do not depend on it.

    Returns
    -------
    EloResult
        Value insufficient, no_games: a system has none. Value ok with undefeated_order_dependent: the system
        lost no game, and its rating grows with every further one. Monte-Carlo error and order spread
        insufficient, one_ordering. Interval not_estimable, order_as_delivered: a single pass is no function of
        a sample of games; not_estimable, bootstrap_rounds_failed: in more than 5 % of rounds a system has no
        game; insufficient, one_cluster; degenerate, zero_variance: the rounds differ by no more than their
        orders explain.

    Raises
    ------
    ValueError
        K or start not finite or K not positive, fewer than one ordering or two rounds, a pair of equal or
        unknown systems, more than 16,384 systems.

    Notes
    -----
    E_A = 1/(1 + 10^((R_B - R_A)/400)); R_A += K(S - E_A), R_B -= the same. The interval is value +- t_{G-1}
    sqrt V, V = G/(G-1) max(0, var_b(m_b) - mean_b(v_b)/10), with m_b and v_b the mean and variance over the
    orderings of round b: without the subtraction the noise of few orderings would count as sampling.

    References
    ----------
    Elo 1978; Cameron, Gelbach and Miller 2011.
    """
    if not (math.isfinite(k) and k > 0 and math.isfinite(start)):
        raise ValueError(f"k is {k}, start is {start}: must be finite, k positive")
    if (orderings is not None and orderings < 1) or rounds < 2:
        raise ValueError(f"{orderings} orderings, {rounds} rounds: at least 1 and 2")
    if any(one == other or not {one, other} <= set(range(games.n_systems)) for one, other in pairs):
        raise ValueError(f"pairs {list(pairs)}: each must be two of the {games.n_systems} systems")
    rated = games.rated(ties)
    play = SequentialPlay.of(rated, k=k, start=start)
    resamples: tuple[Resample, ...] = ()
    if orderings is None:
        finals = play.once()
    else:
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            finals = _headline(play, orderings, key_of(seed, analysis, "orderings"), pool)
            resamples = resample(rated, play, rounds=rounds, seed=seed, analysis=analysis, pool=pool)
    n_games = rated.of_each()
    n_losses = _losses(rated)

    def measure(*systems: int) -> EloRating:
        if not all(n_games[system] for system in systems):
            return _without_games(level)
        values = contrast(finals, systems)
        value = float(values.mean())
        flags = () if all(n_losses[system] for system in systems) else (Reason.UNDEFEATED_ORDER_DEPENDENT,)
        mc_error, order_sd = _spread(values)
        return EloRating(
            value=Quantity.of(value, *flags),
            mc_error=mc_error,
            order_sd=order_sd,
            interval=_no_interval(Status.NOT_ESTIMABLE, Reason.ORDER_AS_DELIVERED, level)
            if orderings is None
            else elo_interval(value, systems, resamples, level=level, seed=seed),
        )

    return EloResult(
        ratings=tuple(measure(system) for system in range(games.n_systems)),
        differences=tuple(measure(*pair) for pair in pairs),
        n_games=tuple(int(count) for count in n_games),
        n_orderings=len(finals),
    )


def _headline(play: SequentialPlay, orderings: int, key: int, pool: Executor) -> np.ndarray:
    blocks = [range(lowest, min(lowest + LANES, orderings)) for lowest in range(0, orderings, LANES)]
    return np.concatenate(list(pool.map(lambda block: play.shuffled(block, key=key), blocks)))


def _losses(rated: Games) -> np.ndarray:
    lost_second = rated.second[rated.outcome == Outcome.FIRST]
    lost_first = rated.first[rated.outcome == Outcome.SECOND]
    return np.bincount(np.concatenate([lost_first, lost_second]), minlength=rated.n_systems)


def _spread(values: np.ndarray) -> tuple[Quantity, Quantity]:
    if len(values) < 2:
        none = Quantity.missing(Status.INSUFFICIENT, Reason.ONE_ORDERING)
        return none, none
    sd = float(values.std(ddof=1))
    return Quantity.of(sd / math.sqrt(len(values))), Quantity.of(sd)


def _without_games(level: float) -> EloRating:
    none = Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)
    interval = _no_interval(Status.INSUFFICIENT, Reason.NO_GAMES, level)
    return EloRating(value=none, mc_error=none, order_sd=none, interval=interval)


def _no_interval(status: Status, reason: Reason, level: float) -> Interval:
    return Interval(status=status, level=level, method=METHOD, reason=(reason,))
