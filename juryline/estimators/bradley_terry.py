"""Bradley-Terry ratings: latent log odds of being preferred, from counts of games (METHODS 6).

Belongs here: what can be estimated from which games, the Elo scale, intervals and tests, for ties that
count half or are dropped. Does not: Davidson's tie parameter, which this version does not have.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.comparison_graph import ComparisonGraph, comparison_graph
from juryline.estimators.games import PairTallies, TieRule
from juryline.estimators.inference import ClusterVariance, t_interval, t_test
from juryline.estimators.quantity import Interval, Quantity, Test
from juryline.estimators.strengths import Points, fit_strengths

CENTRE = 1000.0
ELO_PER_LOG_ODDS = 400.0 / math.log(10.0)

_METHOD = "sandwich_t"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthRating:
    """Rating of one system on the Elo scale; the mean over rated systems is 1000."""

    rating: Quantity
    interval: Interval
    n_games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthDifference:
    """Subject minus comparator, in Elo points and as the chance that the subject is preferred."""

    difference: Quantity
    interval: Interval
    test: Test
    win_probability: Quantity
    win_probability_interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class BradleyTerryResult:
    """Ratings in the order of system codes, differences in the order of the pairs asked for."""

    ratings: tuple[StrengthRating, ...]
    differences: tuple[StrengthDifference, ...]
    graph: ComparisonGraph


def bradley_terry(
    tallies: PairTallies, *, ties: TieRule, pairs: Sequence[tuple[int, int]], level: float
) -> BradleyTerryResult:
    """Estimate strengths by maximum likelihood, with intervals over clusters.

    Parameters
    ----------
    tallies : PairTallies
        Games in which both failed are none here.
    ties : {'half', 'drop'}
        Half a win for each, or not a game. Their strengths are on different scales.
    pairs : sequence of (subject, comparator)
        System codes of the differences asked for.
    level : float
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    BradleyTerryResult
        Rating or difference insufficient, no_games: a system has none. Rating not_estimable,
        not_strongly_connected: some systems never met the others (disconnected), or won or lost every game against
        them (ordered); a difference then has a value only inside a component, from the games inside it. Interval
        insufficient, one_cluster, and test insufficient, too_few_units; either degenerate, zero_variance: no
        cluster departs from the fit.

    Raises
    ------
    ValueError
        A pair of equal or unknown systems, or a tie rule that is not one of the two.

    Notes
    -----
    theta_i - theta_j = log odds that i is preferred; theta sums to 0 over the rated systems; rating = 1000 +
    400/ln 10 theta. Variance H^+ M H^+, M the sum over clusters of outer products of scores, G/(G-1), two ways as in
    METHODS 0.3. The interval of the probability is that of the difference, transformed.

    References
    ----------
    Bradley and Terry 1952; Ford 1957; Liang and Zeger 1986.
    """
    if any(one == other or not {one, other} <= set(range(tallies.n_systems)) for one, other in pairs):
        raise ValueError(f"pairs {list(pairs)}: each must be two of the {tallies.n_systems} systems")
    points = Points.of(tallies, ties)
    matrix = points.matrix()
    graph = comparison_graph(matrix)
    members = {number: graph.members(number) for number in range(1, graph.n_components + 1)}
    fits = {number: fit_strengths(points, systems) for number, systems in members.items() if len(systems) > 1}
    n_games = (matrix + matrix.T).sum(axis=1)

    def rating(system: int) -> StrengthRating:
        missing = _missing(graph, (system,), graph.split())
        if missing is not None:
            return StrengthRating(rating=missing, interval=_no_interval(missing, level), n_games=int(n_games[system]))
        theta, variance = fits[1].of(system)
        value = CENTRE + ELO_PER_LOG_ODDS * theta
        return StrengthRating(
            rating=Quantity.of(value),
            interval=t_interval(value, _in_elo(variance), level=level, method=_METHOD),
            n_games=int(n_games[system]),
        )

    def difference(subject: int, comparator: int) -> StrengthDifference:
        missing = _missing(graph, (subject, comparator), graph.split((subject, comparator)))
        if missing is not None:
            interval = _no_interval(missing, level)
            return StrengthDifference(
                difference=missing,
                interval=interval,
                test=Test(statistic=missing, null_value=0.0),
                win_probability=missing,
                win_probability_interval=interval,
            )
        theta, variance = fits[int(graph.component[subject])].between(subject, comparator)
        value, variance = ELO_PER_LOG_ODDS * theta, _in_elo(variance)
        interval = t_interval(value, variance, level=level, method=_METHOD)
        return StrengthDifference(
            difference=Quantity.of(value),
            interval=interval,
            test=t_test(value, 0.0, variance),
            win_probability=Quantity.of(_chance(value)),
            win_probability_interval=_as_chance(interval),
        )

    return BradleyTerryResult(
        ratings=tuple(rating(system) for system in range(tallies.n_systems)),
        differences=tuple(difference(*pair) for pair in pairs),
        graph=graph,
    )


def _missing(graph: ComparisonGraph, systems: tuple[int, ...], split: tuple[Reason, ...]) -> Quantity | None:
    if not all(graph.component[list(systems)]):
        return Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)
    return Quantity.missing(Status.NOT_ESTIMABLE, *split) if split else None


def _no_interval(missing: Quantity, level: float) -> Interval:
    return Interval(status=missing.status, level=level, method=_METHOD, reason=missing.reason)


def _in_elo(variance: ClusterVariance) -> ClusterVariance:
    if variance.variance is None:
        return variance
    return replace(variance, variance=variance.variance * ELO_PER_LOG_ODDS**2)


def _as_chance(interval: Interval) -> Interval:
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=_chance(interval.low), high=_chance(interval.high), std_error=None)


def _chance(elo: float) -> float:
    return 1 / (1 + math.exp(-elo / ELO_PER_LOG_ODDS))
