"""How far Elo ratings would move with other clusters: whole clusters resampled, the noise of orders taken out.

Belongs here: the bootstrap of METHODS 5 and the interval made of its rounds. Does not: the rating itself.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from juryline.estimators.bootstrap import Rounds, interval_of_rounds, round_generator
from juryline.estimators.cluster_variance import ClusterVariance, is_constant
from juryline.estimators.games import Games
from juryline.estimators.orderings import SequentialPlay
from juryline.estimators.philox import key_of
from juryline.estimators.quantity import Interval

ORDERINGS_PER_ROUND = 10
METHOD = "bootstrap_t"

_SCALE_RANGE = 400.0  # Elo points in which the odds grow tenfold: against it a variance counts as zero


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resample:
    """Rounds of the bootstrap over one dimension of the clusters.

    Parameters
    ----------
    finals : ndarray of float, shape (n_rounds, n_orderings, n_systems)
        Final ratings.
    has_game : ndarray of bool, shape (n_rounds, n_systems)
        Whether the system met anyone in the round: if not, its rating is no statistic.
    n_clusters : int
        With fewer than two there are no rounds.
    """

    finals: np.ndarray
    has_game: np.ndarray
    n_clusters: int


def resample(
    rated: Games, play: SequentialPlay, *, rounds: int, seed: int, analysis: str, pool: Executor
) -> tuple[Resample, ...]:
    """Play resamples of whole clusters; two-way, of each dimension and of their cells.

    Notes
    -----
    Clusters are numbered as they first appear, so that their names mean nothing.
    """
    ways = [_by_appearance(codes) for codes in rated.clusters]
    if len(ways) == 2:
        ways.append(_by_appearance(ways[0] * (ways[1].max(initial=0) + 1) + ways[1]))
    return tuple(_resample(rated, play, ways, way, rounds, seed, analysis, pool) for way in range(len(ways)))


def elo_interval(
    value: float, systems: tuple[int, ...], resamples: Sequence[Resample], *, level: float, seed: int
) -> Interval:
    """Interval of a system's rating, or of the difference between two systems.

    Returns
    -------
    Interval
        insufficient, one_cluster: fewer than two clusters. not_estimable, bootstrap_rounds_failed: in more
        than 5 % of rounds a system has no game. degenerate, zero_variance: the rounds differ by no more
        than their orders explain. ok with few_clusters: fewer than ten.
    """
    ways = []
    for way in resamples:
        has_value = np.asarray(way.has_game[:, list(systems)].all(axis=1))
        variance = _variance(contrast(way.finals[has_value], systems), way.n_clusters)
        n_boot = len(has_value)
        ways.append(Rounds(variance=variance, n_boot=n_boot, n_failed=n_boot - int(np.count_nonzero(has_value))))
    return interval_of_rounds(value, ways, level=level, seed=seed, method=METHOD)


def contrast(finals: np.ndarray, systems: tuple[int, ...]) -> np.ndarray:
    """Final ratings of one system, or of the first minus those of the second; the last axis goes."""
    if len(systems) == 1:
        return finals[..., systems[0]]
    subject, comparator = systems
    return finals[..., subject] - finals[..., comparator]


def _resample(
    rated: Games,
    play: SequentialPlay,
    ways: list[np.ndarray],
    way: int,
    rounds: int,
    seed: int,
    analysis: str,
    pool: Executor,
) -> Resample:
    codes = ways[way]
    n_clusters = int(codes.max(initial=-1)) + 1
    key = key_of(seed, analysis, "rounds")

    def one_round(number: int) -> tuple[np.ndarray, np.ndarray]:
        drawn = round_generator(seed, analysis, way * rounds + number).integers(n_clusters, size=n_clusters)
        copies = np.bincount(drawn, minlength=n_clusters)[codes]
        orderings = range(ORDERINGS_PER_ROUND)
        finals = play.shuffled(orderings, key=key, stream=number, substream=way, copies=copies)
        present = np.concatenate([rated.first[copies > 0], rated.second[copies > 0]])
        return finals, np.bincount(present, minlength=rated.n_systems) > 0

    played = list(pool.map(one_round, range(rounds))) if n_clusters > 1 else []
    return Resample(
        finals=np.array([finals for finals, _ in played]).reshape(-1, ORDERINGS_PER_ROUND, rated.n_systems),
        has_game=np.array([has_game for _, has_game in played], dtype=bool).reshape(-1, rated.n_systems),
        n_clusters=n_clusters,
    )


def _by_appearance(codes: np.ndarray) -> np.ndarray:
    _, first_place, dense = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first_place), dtype=np.int64)
    rank[np.argsort(first_place)] = np.arange(len(first_place))
    return rank[dense]


def _variance(rounds: np.ndarray, n_clusters: int) -> ClusterVariance:
    if n_clusters < 2 or len(rounds) < 2:
        return ClusterVariance(variance=None, n_clusters=n_clusters)
    means = rounds.mean(axis=1)
    if is_constant(means, _SCALE_RANGE):
        return ClusterVariance(variance=0.0, n_clusters=n_clusters)
    of_orders = float(np.mean(rounds.var(axis=1, ddof=1))) / rounds.shape[1]
    of_clusters = max(0.0, float(means.var(ddof=1)) - of_orders)
    return ClusterVariance(variance=n_clusters / (n_clusters - 1) * of_clusters, n_clusters=n_clusters)
