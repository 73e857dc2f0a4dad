"""Davidson's model of ties inside one component: whether it has a maximum, the maximum, what each cluster does to it.

Belongs here: the likelihood of counts of wins and ties, jointly in the strengths and the tie parameter. Does not:
ties that count half or are dropped (`strengths`), nor any scale but log odds.
"""

import math
from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason
from juryline.estimators.cluster_variance import ClusterVariance
from juryline.estimators.games import PairTallies
from juryline.estimators.matrix_inverse import inverse_of
from juryline.estimators.newton import climb
from juryline.estimators.sandwich import Sandwich, sandwich_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DavidsonStrengths:
    """Strengths of the members of a component, summing to zero, and the tie parameter, in log odds.

    Parameters
    ----------
    theta : dict of int to float
        By system code.
    log_nu : float
        Logarithm beta of the tie parameter.
    influence : dict of int to ndarray of float, shape (n_members + 1,)
        By system code: error of theta by the scores of the members and of beta.
    influence_of_ties : ndarray of float, shape (n_members + 1,)
        The same of beta.
    sandwich : Sandwich
        Of the scores of the members and of beta, which comes last.
    """

    theta: dict[int, float]
    log_nu: float
    influence: dict[int, np.ndarray]
    influence_of_ties: np.ndarray
    sandwich: Sandwich

    def of(self, system: int) -> tuple[float, ClusterVariance]:
        """Strength of a system and its variance."""
        return self.theta[system], self.sandwich.variance(self.influence[system])

    def between(self, subject: int, comparator: int) -> tuple[float, ClusterVariance]:
        """Strength of one system minus that of another, and its variance."""
        contrast = self.influence[subject] - self.influence[comparator]
        return self.theta[subject] - self.theta[comparator], self.sandwich.variance(contrast)

    def of_ties(self) -> tuple[float, ClusterVariance]:
        """Logarithm of the tie parameter and its variance."""
        return self.log_nu, self.sandwich.variance(self.influence_of_ties)


def why_no_maximum(wins: np.ndarray, ties: np.ndarray) -> tuple[Reason, ...]:
    """Why Davidson's likelihood of a component with ties has no maximum; empty if it has one.

    Parameters
    ----------
    wins : ndarray of float, shape (n_members, n_members)
        Wins of the row's system over the column's. A win or a tie leads from every member to every other.
    ties : ndarray of float, shape (n_members, n_members)
        Symmetric, not all 0.

    Returns
    -------
    tuple of Reason
        no_decisive_game: no win, so that ever larger tie parameters fit ever better. tie_separation: there are d with
        d_i - d_j >= 2 for every win of i over j and |d_i - d_j| <= 2 for every tie; strengths that move along d,
        and beta with them, fit ever better.

    Notes
    -----
    A direction (d, b) along which no observed outcome loses has d_i - d_j >= max(0, 2b) for wins and |d_i - d_j| <= 2b
    for ties: b < 0 is excluded by a tie, b = 0 by the component, and b > 0 is scaled to 1. Such d are potentials
    of the graph with an arc i -> j of length -2 for a win and arcs both ways of length 2 for a tie: they exist
    unless a cycle of it has negative length.

    References
    ----------
    Davidson 1970; Albert and Anderson 1984.
    """
    if not wins.any():
        return (Reason.NO_DECISIVE_GAME,)
    won = wins > 0
    if (won & won.T).any():
        return ()
    length = np.where(won, -2.0, np.where(ties > 0, 2.0, np.inf))
    potential = np.zeros(len(wins))
    for _ in range(len(wins)):
        lower = np.minimum(potential, (potential[:, None] + length).min(axis=0))
        if np.array_equal(lower, potential):
            return (Reason.TIE_SEPARATION,)
        potential = lower
    return ()


def maximise_davidson(wins: np.ndarray, ties: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strengths and log tie parameter at the maximum of the likelihood, and the inverse information there.

    Parameters
    ----------
    wins, ties : ndarray of float, shape (n_members, n_members)
        As for `why_no_maximum`, which finds nothing.

    Returns
    -------
    tuple of ndarray of float, shapes (n_members + 1,) and (n_members + 1, n_members + 1)
        theta, summing to zero, then beta; the inverse on the sum-zero space.

    Notes
    -----
    P(i) : P(j) : P(tie) = e^((theta_i - theta_j)/2) : e^((theta_j - theta_i)/2) : e^beta. The likelihood is concave.
    """
    size = len(wins)
    games = wins + wins.T + ties
    share = ties.sum() / games.sum()
    at = climb(
        np.append(np.zeros(size), math.log(2 * share / (1 - share))),
        lambda at: _log_likelihood(wins, ties, at),
        lambda at: (_inverse(*_information(games, at)) * _score(wins, ties, at)).sum(axis=1),
    )
    at[:size] -= at[:size].mean()
    return at, _inverse(*_information(games, at))


def fit_davidson(tallies: PairTallies, members: np.ndarray) -> DavidsonStrengths:
    """Fit the systems of one component to the games among them.

    Parameters
    ----------
    tallies : PairTallies
    members : ndarray of int, shape (n_members,)
        Two or more systems, with a tie among them and a likelihood that has a maximum.

    Notes
    -----
    The score of a row of n games is (w - l - n (p_i - p_j))/2 (1_i - 1_j) in theta and t - n p_tie in beta.
    """
    wins, ties = outcome_matrices(tallies)
    inside = np.ix_(members, members)
    at, inverse = maximise_davidson(wins[inside], ties[inside])
    place = np.full(tallies.n_systems, -1)
    place[members] = np.arange(len(members))
    n_games = tallies.wins + tallies.losses + tallies.ties
    rows = (place[tallies.first] >= 0) & (place[tallies.second] >= 0) & (n_games > 0)
    first, second = place[tallies.first[rows]], place[tallies.second[rows]]
    chance, reverse, tie = (table[first, second] for table in _chances(_half_differences(at), at[-1]))
    won = (tallies.wins[rows] - tallies.losses[rows] - n_games[rows] * (chance - reverse)) / 2
    tied = tallies.ties[rows] - n_games[rows] * tie
    return DavidsonStrengths(
        theta=dict(zip(members.tolist(), at[:-1].tolist())),
        log_nu=float(at[-1]),
        influence=dict(zip(members.tolist(), inverse)),
        influence_of_ties=inverse[-1],
        sandwich=sandwich_of(
            (first, second, np.full_like(first, len(members))),
            (won, -won, tied),
            tuple(codes[rows] for codes in tallies.clusters),
            len(members) + 1,
        ),
    )


def outcome_matrices(tallies: PairTallies) -> tuple[np.ndarray, np.ndarray]:
    """Wins of the row's system over the column's, and ties of both, shape (n_systems, n_systems) each."""
    n = tallies.n_systems
    forth, back = tallies.first * n + tallies.second, tallies.second * n + tallies.first

    def matrix(when_first: np.ndarray, when_second: np.ndarray) -> np.ndarray:
        counts = np.bincount(forth, when_first, minlength=n * n) + np.bincount(back, when_second, minlength=n * n)
        return counts.reshape(n, n)

    return matrix(tallies.wins, tallies.losses), matrix(tallies.ties, tallies.ties)


def _half_differences(at: np.ndarray) -> np.ndarray:
    return (at[:-1, None] - at[None, :-1]) / 2


def _log_likelihood(wins: np.ndarray, ties: np.ndarray, at: np.ndarray) -> float:
    half, beta = _half_differences(at), at[-1]
    total = np.logaddexp(np.logaddexp(half, -half), beta)
    return float(np.sum(wins * (half - total)) + np.sum(ties * (beta - total)) / 2)


def _chances(half: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chances of a win, a loss and a tie, from half the difference of strengths."""
    total = np.logaddexp(np.logaddexp(half, -half), beta)
    return np.exp(half - total), np.exp(-half - total), np.exp(beta - total)


def _score(wins: np.ndarray, ties: np.ndarray, at: np.ndarray) -> np.ndarray:
    chance, reverse, tie = _chances(_half_differences(at), at[-1])
    games = wins + wins.T + ties
    of_theta = (wins - wins.T - games * (chance - reverse)).sum(axis=1) / 2
    return np.append(of_theta, (ties - games * tie).sum() / 2)


def _information(games: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Blocks of the information: of theta, of theta with beta, of beta."""
    chance, reverse, tie = _chances(_half_differences(at), at[-1])
    decisive = chance + reverse
    weight = games * (decisive * tie / 4 + chance * reverse)  # variance of (1_win - 1_loss)/2, without cancellation
    return (
        np.diag(weight.sum(axis=1)) - weight,
        -(games * tie * (chance - reverse)).sum(axis=1) / 2,
        float((games * tie * decisive).sum() / 2),
    )


def _inverse(theta: np.ndarray, cross: np.ndarray, beta: float) -> np.ndarray:
    """Inverse on the sum-zero space: the direction of the mean, of which nothing is known, is filled and taken out."""
    size = len(theta)
    scale = np.trace(theta) / size
    filled = np.empty((size + 1, size + 1))
    filled[:size, :size] = theta + scale / size
    filled[:size, size] = filled[size, :size] = cross
    filled[size, size] = beta
    inverse = inverse_of(filled)
    inverse[:size, :size] -= 1 / (scale * size)
    return inverse
