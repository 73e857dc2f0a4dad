"""Bradley-Terry ratings: latent log odds of being preferred, from counts of games (METHODS 6).

Belongs here: what can be estimated from which games, the Elo scale, intervals and tests, for ties that
count half, are dropped, or have a parameter of their own. Does not: which strengths exist, and their fit
(`strength_fits`).
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from data_contracts.vocabulary import Status
from juryline.estimators.cluster_variance import ClusterVariance
from juryline.estimators.comparison_graph import ComparisonGraph
from juryline.estimators.games import PairTallies
from juryline.estimators.inference import t_test
from juryline.estimators.quantity import Interval, Quantity, Test
from juryline.estimators.strength_fits import StrengthFits, fit_components
from juryline.estimators.strength_rounds import Resampling, TieModel

CENTRE = 1000.0
ELO_PER_LOG_ODDS = 400.0 / math.log(10.0)

_BEFORE_OVERFLOW = math.log(sys.float_info.max)


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
class TieParameter:
    """Davidson's nu: for systems of equal strength, the odds of a tie are nu to 2."""

    nu: Quantity
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class BradleyTerryResult:
    """Ratings in the order of system codes, differences in the order of the pairs asked for.

    `tie_parameter` is None where ties count half or are dropped.
    """

    ratings: tuple[StrengthRating, ...]
    differences: tuple[StrengthDifference, ...]
    tie_parameter: TieParameter | None
    graph: ComparisonGraph


def bradley_terry(
    tallies: PairTallies,
    *,
    ties: TieModel,
    pairs: Sequence[tuple[int, int]],
    level: float,
    resampling: Resampling | None = None,
) -> BradleyTerryResult:
    """Estimate strengths by maximum likelihood, with intervals over clusters.

    Parameters
    ----------
    tallies : PairTallies
        Games in which both failed are none here.
    ties : {'half', 'drop', 'davidson'}
        Half a win for each, not a game, or an outcome with a parameter of its own. Their strengths are on different
        scales.
    pairs : sequence of (subject, comparator)
        System codes of the differences asked for.
    level : float
        Confidence of the intervals, in (0, 1).
    resampling : Resampling, optional
        Intervals and tests from resampled clusters, where declared, instead of the sandwich.

    Returns
    -------
    BradleyTerryResult
        Rating or difference insufficient, no_games: a system has none. Rating not_estimable,
        not_strongly_connected: some systems never met the others (disconnected), or won or lost every game against
        them (ordered); a difference then has a value only inside a component, from the games inside it.
        Davidson's: not_estimable, no_decisive_game or tie_separation as `why_no_maximum`; the tie parameter is
        not_estimable, no_ties without a tie, and strengths are then those of dropped ties; else it has the status
        of the ratings. Interval insufficient, one_cluster, and test insufficient, too_few_units; either degenerate,
        zero_variance: no cluster departs from the fit. Resampled: interval and test not_estimable,
        bootstrap_rounds_failed: in more than 5 % of rounds the estimate does not exist.

    Raises
    ------
    ValueError
        A pair of equal or unknown systems, or a tie rule that is not one of the three; percentiles two ways.

    Notes
    -----
    theta_i - theta_j = log odds that i is preferred, in Davidson's model given that it is no tie; theta sums to 0 over
    the rated systems; rating = 1000 + 400/ln 10 theta. Davidson: P(i) : P(j) : P(tie) = e^theta_i : e^theta_j :
    nu e^((theta_i + theta_j)/2). Variance H^+ M H^+, M the sum over clusters of outer products of scores, G/(G-1),
    two ways as in METHODS 0.3. The interval of the probability is that of the difference, transformed; that of nu
    is exp of the one of ln nu, and its standard error nu times that of ln nu. Existence is tested again in every round
    of a bootstrap; a rating has a value in those that rate the same systems, since it is measured from their mean.

    References
    ----------
    Bradley and Terry 1952; Ford 1957; Davidson 1970; Liang and Zeger 1986.
    """
    if any(one == other or not {one, other} <= set(range(tallies.n_systems)) for one, other in pairs):
        raise ValueError(f"pairs {list(pairs)}: each must be two of the {tallies.n_systems} systems")
    fits = fit_components(tallies, ties, level=level, resampling=resampling)
    return BradleyTerryResult(
        ratings=tuple(_rating(fits, system) for system in range(tallies.n_systems)),
        differences=tuple(_difference(fits, pair) for pair in pairs),
        tie_parameter=_tie_parameter(fits) if ties == "davidson" else None,
        graph=fits.graph,
    )


def _rating(fits: StrengthFits, system: int) -> StrengthRating:
    n_games = int(fits.n_games[system])
    missing = fits.no_rating(system)
    if missing is not None:
        return StrengthRating(rating=missing, interval=fits.no_interval(missing), n_games=n_games)
    theta, _, interval = fits.of(system)
    return StrengthRating(
        rating=Quantity.of(CENTRE + ELO_PER_LOG_ODDS * theta), interval=_in_elo(interval, CENTRE), n_games=n_games
    )


def _difference(fits: StrengthFits, pair: tuple[int, int]) -> StrengthDifference:
    missing = fits.no_difference(*pair)
    if missing is not None:
        interval = fits.no_interval(missing)
        return StrengthDifference(
            difference=missing,
            interval=interval,
            test=Test(statistic=missing, null_value=0.0),
            win_probability=missing,
            win_probability_interval=interval,
        )
    theta, variance, interval = fits.of(*pair)
    return StrengthDifference(
        difference=Quantity.of(ELO_PER_LOG_ODDS * theta),
        interval=_in_elo(interval, 0.0),
        test=_test(theta, variance, interval),
        win_probability=Quantity.of(_chance(theta)),
        win_probability_interval=_transformed(interval, _chance, None),
    )


def _tie_parameter(fits: StrengthFits) -> TieParameter:
    missing = fits.no_tie_parameter()
    if missing is not None:
        return TieParameter(nu=missing, interval=fits.no_interval(missing))
    log_nu, _, interval = fits.of_ties()
    nu = _odds(log_nu)
    std_error = None if interval.std_error is None else nu * interval.std_error
    return TieParameter(nu=Quantity.of(nu), interval=_transformed(interval, _odds, std_error))


def _test(theta: float, variance: ClusterVariance, interval: Interval) -> Test:
    if interval.status is Status.NOT_ESTIMABLE:  # too many rounds failed for their spread to be one
        return Test(statistic=Quantity.missing(interval.status, *interval.reason), null_value=0.0)
    return t_test(theta, 0.0, variance)


def _in_elo(interval: Interval, centre: float) -> Interval:
    std_error = None if interval.std_error is None else interval.std_error * ELO_PER_LOG_ODDS
    return _transformed(interval, lambda end: centre + ELO_PER_LOG_ODDS * end, std_error)


def _transformed(interval: Interval, change: Callable[[float], float], std_error: float | None) -> Interval:
    """The interval with both ends changed by an increasing function."""
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=change(interval.low), high=change(interval.high), std_error=std_error)


def _chance(theta: float) -> float:
    return 1 / (1 + _odds(-theta))


def _odds(log_odds: float) -> float:
    return math.exp(min(log_odds, _BEFORE_OVERFLOW))
