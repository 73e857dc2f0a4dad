"""Which strengths a set of games determines: the fit inside each component, or the reason for none (METHODS 6).

Belongs here: the existence rules of every treatment of ties, and which interval is put around an estimate. Does not:
the components (`comparison_graph`), the fit inside one (`strengths`, `davidson`) or its bootstrap (`strength_rounds`),
nor any scale but log odds.
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import ClusterVariance
from juryline.estimators.comparison_graph import ComparisonGraph, comparison_graph
from juryline.estimators.davidson import DavidsonStrengths, fit_davidson, outcome_matrices, why_no_maximum
from juryline.estimators.games import PairTallies
from juryline.estimators.inference import t_interval
from juryline.estimators.quantity import Interval, Quantity
from juryline.estimators.strength_rounds import (
    Resampling,
    StrengthRounds,
    TieModel,
    interval_of_strength,
    resample_strengths,
)
from juryline.estimators.strengths import Points, Strengths, fit_strengths

SANDWICH = "sandwich_t"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StrengthFits:
    """The fits of all components of two or more systems.

    Parameters
    ----------
    graph : ComparisonGraph
    n_games : ndarray of int, shape (n_systems,)
        Rated games of each system.
    has_ties : bool
        Whether any rated game was a tie.
    inside : dict of int to Strengths or DavidsonStrengths
        By number of the component. Davidson's model of a component without ties is that of dropped ties.
    without : dict of int to tuple of Reason
        Why a component has no fit.
    rounds : dict of int to tuple of StrengthRounds
        Of each component with a fit, where clusters were resampled; else empty.
    resampling : Resampling or None
    level : float
        Confidence of the intervals.
    """

    graph: ComparisonGraph
    n_games: np.ndarray
    has_ties: bool
    inside: dict[int, Strengths | DavidsonStrengths]
    without: dict[int, tuple[Reason, ...]]
    rounds: dict[int, tuple[StrengthRounds, ...]]
    resampling: Resampling | None
    level: float

    def no_rating(self, system: int) -> Quantity | None:
        """Why a system has no strength; None if it has.

        Returns
        -------
        Quantity or None
            insufficient, no_games. not_estimable: not_strongly_connected as `ComparisonGraph.split`, no_decisive_game
            or tie_separation as `why_no_maximum`.
        """
        return self._missing((system,), self.graph.split())

    def no_difference(self, subject: int, comparator: int) -> Quantity | None:
        """Why two systems have no difference, as `no_rating`; None if they share a component with a fit."""
        return self._missing((subject, comparator), self.graph.split((subject, comparator)))

    def no_tie_parameter(self) -> Quantity | None:
        """Why all games have no one tie parameter, as `no_rating`; not_estimable, no_ties: no game was a tie."""
        rated = np.flatnonzero(self.graph.component)
        if len(rated) and not self.has_ties:
            return Quantity.missing(Status.NOT_ESTIMABLE, Reason.NO_TIES)
        return self.no_rating(int(rated[0]) if len(rated) else 0)

    def of(self, *systems: int) -> tuple[float, ClusterVariance, Interval]:
        """Strength of a system that has one, or of one minus another, in log odds, its variance and its interval."""
        number = int(self.graph.component[systems[0]])
        fit = self.inside[number]
        theta, variance = fit.of(*systems) if len(systems) == 1 else fit.between(*systems)
        if self.resampling is None:
            return theta, variance, t_interval(theta, variance, level=self.level, method=SANDWICH)
        return theta, *self._resampled(theta, [(way.of(*systems), way) for way in self.rounds[number]])

    def of_ties(self) -> tuple[float, ClusterVariance, Interval]:
        """Logarithm of the tie parameter, where there is one, its variance and its interval."""
        fit = self.inside[1]
        assert isinstance(fit, DavidsonStrengths)
        log_nu, variance = fit.of_ties()
        if self.resampling is None:
            return log_nu, variance, t_interval(log_nu, variance, level=self.level, method=SANDWICH)
        return log_nu, *self._resampled(log_nu, [(way.of_ties(), way) for way in self.rounds[1]])

    def no_interval(self, missing: Quantity) -> Interval:
        """The interval of what has no value."""
        method = SANDWICH if self.resampling is None else self.resampling.method
        return Interval(status=missing.status, level=self.level, method=method, reason=missing.reason)

    def _resampled(
        self, estimate: float, ways: list[tuple[np.ndarray, StrengthRounds]]
    ) -> tuple[ClusterVariance, Interval]:
        assert self.resampling is not None
        return interval_of_strength(estimate, ways, level=self.level, resampling=self.resampling)

    def _missing(self, systems: tuple[int, ...], split: tuple[Reason, ...]) -> Quantity | None:
        if not all(self.graph.component[list(systems)]):
            return Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)
        reasons = split or self.without.get(int(self.graph.component[systems[0]]), ())
        return Quantity.missing(Status.NOT_ESTIMABLE, *reasons) if reasons else None


def fit_components(
    tallies: PairTallies, ties: TieModel, *, level: float, resampling: Resampling | None
) -> StrengthFits:
    """Fit every component of two or more systems that has a maximum.

    Parameters
    ----------
    tallies : PairTallies
    ties : {'half', 'drop', 'davidson'}
    level : float
        Confidence of the intervals, in (0, 1).
    resampling : Resampling or None
        How clusters are resampled, if intervals are made so.

    Notes
    -----
    A tie joins two systems where it counts half and in Davidson's model, where it also needs `why_no_maximum` to find
    nothing. Each component has its own maximum, and its own tie parameter.
    """
    points = Points.of(tallies, "half" if ties == "davidson" else ties)
    matrix = points.matrix()
    graph = comparison_graph(matrix)
    inside: dict[int, Strengths | DavidsonStrengths] = {}
    without: dict[int, tuple[Reason, ...]] = {}
    for number in range(1, graph.n_components + 1):
        members = graph.members(number)
        if len(members) < 2:
            continue
        if ties != "davidson":
            inside[number] = fit_strengths(points, members)
            continue
        wins, tied = (counts[np.ix_(members, members)] for counts in outcome_matrices(tallies))
        if not tied.any():
            inside[number] = fit_strengths(points, members)
        elif reasons := why_no_maximum(wins, tied):
            without[number] = reasons
        else:
            inside[number] = fit_davidson(tallies, members)
    rounds = (
        {}
        if resampling is None
        else {number: resample_strengths(tallies, graph.members(number), ties, resampling) for number in inside}
    )
    return StrengthFits(
        graph=graph,
        n_games=(matrix + matrix.T).sum(axis=1).astype(np.int64),
        has_ties=ties != "drop" and bool(tallies.ties.any()),
        inside=inside,
        without=without,
        rounds=rounds,
        resampling=resampling,
        level=level,
    )
