"""Bradley-Terry strengths inside one component: the maximum of the likelihood and what each cluster does to it.

Belongs here: the likelihood of counts of points, and the contributions that the interval engine
needs. Does not: which systems can be compared, nor any scale but log odds.
"""

from dataclasses import dataclass

import numpy as np

from juryline.estimators.cluster_variance import ClusterVariance
from juryline.estimators.games import PairTallies, TieRule
from juryline.estimators.matrix_inverse import inverse_of
from juryline.estimators.newton import climb
from juryline.estimators.sandwich import Sandwich, sandwich_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Points:
    """Points that systems took from each other, a row a pair and cluster, rows without a rated game left out.

    Parameters
    ----------
    first, second : ndarray of int, shape (n_rows,)
    taken, given : ndarray of float, shape (n_rows,)
        Points of `first` and of `second`; their sum is the number of games.
    clusters : tuple of ndarray of int, each of shape (n_rows,)
    n_systems : int
    """

    first: np.ndarray
    second: np.ndarray
    taken: np.ndarray
    given: np.ndarray
    clusters: tuple[np.ndarray, ...]
    n_systems: int

    @classmethod
    def of(cls, tallies: PairTallies, ties: TieRule) -> "Points":
        taken, given = tallies.points(ties)
        rated = selected(taken + given > 0)
        return cls(
            first=tallies.first[rated],
            second=tallies.second[rated],
            taken=taken[rated],
            given=given[rated],
            clusters=tuple(codes[rated] for codes in tallies.clusters),
            n_systems=tallies.n_systems,
        )

    def matrix(self) -> np.ndarray:
        """Points that the row's system took from the column's, shape (n_systems, n_systems)."""
        n = self.n_systems
        pair = self.first * n + self.second
        taken, given = (np.bincount(pair, weights=points, minlength=n * n) for points in (self.taken, self.given))
        return taken.reshape(n, n) + given.reshape(n, n).T


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strengths:
    """Strengths of the members of a component, in log odds, summing to zero.

    Parameters
    ----------
    theta : dict of int to float
        By system code.
    influence : dict of int to ndarray of float, shape (n_members,)
        By system code: error of theta by the scores of the members.
    sandwich : Sandwich
        Of the scores of the members.
    """

    theta: dict[int, float]
    influence: dict[int, np.ndarray]
    sandwich: Sandwich

    def of(self, system: int) -> tuple[float, ClusterVariance]:
        """Strength of a system and its variance."""
        return self.theta[system], self.sandwich.variance(self.influence[system])

    def between(self, subject: int, comparator: int) -> tuple[float, ClusterVariance]:
        """Strength of one system minus that of another, and its variance."""
        contrast = self.influence[subject] - self.influence[comparator]
        return self.theta[subject] - self.theta[comparator], self.sandwich.variance(contrast)


def fit_strengths(points: Points, members: np.ndarray) -> Strengths:
    """Fit the systems of one component to the games among them.

    Parameters
    ----------
    points : Points
    members : ndarray of int, shape (n_members,)
        Two or more systems of a strongly connected component.

    Notes
    -----
    The score of a row is e (1_i - 1_j), e = points taken - games times p_ij; its contribution is H^+ times it, H
    the observed information on the sum-zero space.
    """
    theta, information = maximise_points(points.matrix()[np.ix_(members, members)])
    place = np.full(points.n_systems, -1)
    place[members] = np.arange(len(members))
    inside = selected((place[points.first] >= 0) & (place[points.second] >= 0))
    first, second = place[points.first[inside]], place[points.second[inside]]
    taken, given = points.taken[inside], points.given[inside]
    chance = _chance(theta[:, None] - theta[None, :])[first, second]
    error = taken - (taken + given) * chance
    return Strengths(
        theta=dict(zip(members.tolist(), theta.tolist())),
        influence=dict(zip(members.tolist(), _inverse(information))),
        sandwich=sandwich_of(
            (first, second), (error, -error), tuple(codes[inside] for codes in points.clusters), len(members)
        ),
    )


def selected(rows: np.ndarray) -> np.ndarray | slice:
    """Rows as an index, which copies nothing where all are selected."""
    return slice(None) if rows.all() else rows


def maximise_points(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strengths, summing to zero, at the maximum of sum_ij points_ij log p_ij, and the information there.

    Parameters
    ----------
    points : ndarray of float, shape (n_members, n_members)
        Points that the row's system took from the column's, of a strongly connected component.
    """
    games = points + points.T

    def step(theta: np.ndarray) -> np.ndarray:
        chance = _chance(theta[:, None] - theta[None, :])
        return (_inverse(_information(games, chance)) * (points - games * chance).sum(axis=1)).sum(axis=1)

    theta = climb(np.zeros(len(points)), lambda theta: _log_likelihood(points, theta), step)
    theta = theta - theta.mean()
    return theta, _information(games, _chance(theta[:, None] - theta[None, :]))


def _log_likelihood(points: np.ndarray, theta: np.ndarray) -> float:
    return -float(np.sum(points * np.logaddexp(0.0, theta[None, :] - theta[:, None])))


def _chance(difference: np.ndarray) -> np.ndarray:
    return np.exp(-np.logaddexp(0.0, -difference))


def _information(games: np.ndarray, chance: np.ndarray) -> np.ndarray:
    weight = games * chance * (1 - chance)
    return np.diag(weight.sum(axis=1)) - weight


def _inverse(information: np.ndarray) -> np.ndarray:
    """Inverse on the sum-zero space: the direction of the mean, of which nothing is known, is filled and taken out."""
    size = len(information)
    scale = np.trace(information) / size
    return inverse_of(information + scale / size) - 1 / (scale * size)
