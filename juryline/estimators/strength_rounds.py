"""How far strengths would move with other clusters: whole clusters resampled, the fit and its existence tried again.

Belongs here: the bootstrap of METHODS 6 inside one component, one way and two ways. Does not: the fit of the games
themselves (`strength_fits`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from juryline.estimators.bootstrap import (
    Rounds,
    bootstrap_interval,
    bootstrap_variance,
    interval_of_rounds,
    round_generator,
)
from juryline.estimators.cluster_variance import ClusterVariance, two_way
from juryline.estimators.comparison_graph import comparison_graph
from juryline.estimators.davidson import maximise_davidson, why_no_maximum
from juryline.estimators.dense_codes import dense_codes
from juryline.estimators.games import PairTallies
from juryline.estimators.quantity import Interval
from juryline.estimators.strengths import maximise_points

TieModel = Literal["half", "drop", "davidson"]

_NO_FIT = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How a bootstrap is made; every choice comes from the specification.

    Attributes
    ----------
    rounds : int
        At least 2; two-way, in each of three bootstraps.
    seed, analysis : int, str
        Name the random stream of each round.
    percentile : bool
        Percentiles of the rounds instead of a t interval; of one way only.
    """

    rounds: int
    seed: int
    analysis: str
    percentile: bool

    @property
    def method(self) -> str:
        """Name of the intervals."""
        return "bootstrap_percentile" if self.percentile else "bootstrap_t"

    def __post_init__(self) -> None:
        if self.rounds < 2:
            raise ValueError(f"{self.rounds} bootstrap rounds: at least 2")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StrengthRounds:
    """Rounds of the bootstrap over the clusters of one way, of the members of one component.

    Parameters
    ----------
    place : dict of int to int
        Column of each member, by system code.
    theta : ndarray of float, shape (n_rounds, n_members)
        Strengths in log odds, summing to zero within each component of the round.
    component : ndarray of int, shape (n_rounds, n_members)
        Component of the round in which a member has a strength; 0 for none.
    log_nu : ndarray of float, shape (n_rounds,)
        Logarithm of the tie parameter; NaN where the round has none.
    n_clusters : int
        With fewer than two there are no rounds.
    """

    place: dict[int, int]
    theta: np.ndarray
    component: np.ndarray
    log_nu: np.ndarray
    n_clusters: int

    def of(self, *systems: int) -> np.ndarray:
        """Strength of a system, or of one minus another, in the rounds in which it has a value."""
        return self._of_one(*systems) if len(systems) == 1 else self._between(*systems)

    def of_ties(self) -> np.ndarray:
        """Logarithm of the tie parameter, in the rounds that have one."""
        return self.log_nu[~np.isnan(self.log_nu)]

    def _of_one(self, system: int) -> np.ndarray:
        # Without all members the mean that a strength is measured from would be another one.
        together = (self.component != _NO_FIT) & (self.component == self.component[:, :1])
        return self.theta[together.all(axis=1), self.place[system]]

    def _between(self, subject: int, comparator: int) -> np.ndarray:
        one, other = self.place[subject], self.place[comparator]
        shared = (self.component[:, one] != _NO_FIT) & (self.component[:, one] == self.component[:, other])
        return self.theta[shared, one] - self.theta[shared, other]


def resample_strengths(
    tallies: PairTallies, members: np.ndarray, ties: TieModel, resampling: Resampling
) -> tuple[StrengthRounds, ...]:
    """Fit resamples of the clusters of a component; two-way, of each dimension and of their cells.

    Parameters
    ----------
    members : ndarray of int, shape (n_members,)
        Systems that have a fit.

    Raises
    ------
    ValueError
        Percentiles of a two-way bootstrap, whose three samples of rounds have none in common.

    Notes
    -----
    A round is drawn from its own stream, and counts are integers: neither threads nor the order of rows matter.
    """
    if resampling.percentile and len(tallies.clusters) > 1:
        raise ValueError("percentile intervals know clusters of one way only")
    place = np.full(tallies.n_systems, -1)
    place[members] = np.arange(len(members))
    n_games = tallies.wins + tallies.losses + (0 if ties == "drop" else tallies.ties)
    rows = (place[tallies.first] >= 0) & (place[tallies.second] >= 0) & (n_games > 0)
    first, second = place[tallies.first[rows]], place[tallies.second[rows]]
    counts = [counted[rows] for counted in (tallies.wins, tallies.losses, tallies.ties)]
    ways = [dense_codes(codes[rows]) for codes in tallies.clusters]
    if len(ways) == 2:
        ways.append(dense_codes(ways[0].astype(np.int64) * (int(ways[1].max()) + 1) + ways[1]))
    resamples = []
    for way, codes in enumerate(ways):
        n_clusters = int(codes.max()) + 1
        games = _by_cluster(codes, first, second, counts, len(members)) if n_clusters > 1 else None
        fits = (
            []
            if games is None
            else [
                _fit(*_drawn(games, n_clusters, len(members), way * resampling.rounds + number, resampling), ties)
                for number in range(resampling.rounds)
            ]
        )
        resamples.append(
            StrengthRounds(
                place=dict(zip(members.tolist(), range(len(members)))),
                theta=np.array([theta for theta, _, _ in fits]).reshape(-1, len(members)),
                component=np.array([component for _, component, _ in fits], dtype=int).reshape(-1, len(members)),
                log_nu=np.array([log_nu for _, _, log_nu in fits], dtype=float),
                n_clusters=n_clusters,
            )
        )
    return tuple(resamples)


def interval_of_strength(
    estimate: float, ways: Sequence[tuple[np.ndarray, StrengthRounds]], *, level: float, resampling: Resampling
) -> tuple[ClusterVariance, Interval]:
    """Variance and interval of an estimate in log odds.

    Parameters
    ----------
    ways : sequence of (values, StrengthRounds)
        The estimate in the rounds of each way that have one.
    """
    variances = [bootstrap_variance(values, way.n_clusters) for values, way in ways]
    failed = [len(way.theta) - len(values) for values, way in ways]
    if len(ways) == 1:
        ((values, way),) = ways
        interval = bootstrap_interval(
            estimate,
            values,
            failed[0],
            way.n_clusters,
            level=level,
            seed=resampling.seed,
            percentile=resampling.percentile,
        )
        return variances[0], interval
    rounds = [
        Rounds(variance=variance, n_boot=len(way.theta), n_failed=n_failed)
        for variance, (_, way), n_failed in zip(variances, ways, failed)
    ]
    return two_way(*variances), interval_of_rounds(estimate, rounds, level=level, seed=resampling.seed)


def _by_cluster(
    codes: np.ndarray, first: np.ndarray, second: np.ndarray, counts: Sequence[np.ndarray], size: int
) -> Any:
    """Wins, then ties, of each ordered pair of members by cluster: csr_array, shape (2 size^2, n_clusters)."""
    from scipy.sparse import csr_array

    forth, back = first * size + second, second * size + first
    wins, losses, ties = counts
    pair = np.concatenate([forth, back, size**2 + forth, size**2 + back])
    value = np.concatenate([wins, losses, ties, ties]).astype(float)
    games = csr_array((value, (pair, np.tile(codes, 4))), shape=(2 * size**2, int(codes.max()) + 1))
    games.sum_duplicates()
    games.eliminate_zeros()
    return games


def _drawn(
    games: Any, n_clusters: int, size: int, number: int, resampling: Resampling
) -> tuple[np.ndarray, np.ndarray]:
    """Wins and ties of the round of this number, shape (size, size) each."""
    stream = round_generator(resampling.seed, resampling.analysis, number)
    copies = np.bincount(stream.integers(n_clusters, size=n_clusters), minlength=n_clusters)
    wins, ties = (games @ copies.astype(float)).reshape(2, size, size)
    return wins, ties


def _fit(wins: np.ndarray, ties: np.ndarray, rule: TieModel) -> tuple[np.ndarray, np.ndarray, float]:
    """Strengths, the component of each that has one, and the logarithm of the tie parameter, by METHODS 6."""
    points = wins if rule == "drop" else wins + ties / 2
    graph = comparison_graph(points)
    theta, component, log_nu = np.zeros(len(wins)), np.full(len(wins), _NO_FIT), np.nan
    for number in range(1, graph.n_components + 1):
        members = graph.members(number)
        inside = np.ix_(members, members)
        if len(members) < 2:
            continue
        if rule != "davidson" or not ties[inside].any():
            theta[members], _ = maximise_points(points[inside])
        elif not why_no_maximum(wins[inside], ties[inside]):
            at, _ = maximise_davidson(wins[inside], ties[inside])
            theta[members] = at[:-1]
            log_nu = float(at[-1]) if graph.n_components == 1 else np.nan
        else:
            continue
        component[members] = number
    return theta, component, log_nu
