"""Which strengths a set of games determines: the fit inside each component, or the reason for none (METHODS 6).

Belongs here: the existence rules of every treatment of ties. Does not: the components (`comparison_graph`), the fit
inside one (`strengths`, `davidson`), nor any scale but log odds.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.comparison_graph import ComparisonGraph, comparison_graph
from juryline.estimators.davidson import DavidsonStrengths, fit_davidson, outcome_matrices, why_no_maximum
from juryline.estimators.games import PairTallies
from juryline.estimators.inference import ClusterVariance
from juryline.estimators.quantity import Quantity
from juryline.estimators.strengths import Points, Strengths, fit_strengths

TieModel = Literal["half", "drop", "davidson"]


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
    """

    graph: ComparisonGraph
    n_games: np.ndarray
    has_ties: bool
    inside: dict[int, Strengths | DavidsonStrengths]
    without: dict[int, tuple[Reason, ...]]

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

    def of(self, *systems: int) -> tuple[float, ClusterVariance]:
        """Strength of a system that has one, or of one minus another, in log odds, and its variance."""
        fit = self.inside[int(self.graph.component[systems[0]])]
        return fit.of(*systems) if len(systems) == 1 else fit.between(*systems)

    def of_ties(self) -> tuple[float, ClusterVariance]:
        """Logarithm of the tie parameter, where there is one, and its variance."""
        fit = self.inside[1]
        assert isinstance(fit, DavidsonStrengths)
        return fit.of_ties()

    def _missing(self, systems: tuple[int, ...], split: tuple[Reason, ...]) -> Quantity | None:
        if not all(self.graph.component[list(systems)]):
            return Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)
        reasons = split or self.without.get(int(self.graph.component[systems[0]]), ())
        return Quantity.missing(Status.NOT_ESTIMABLE, *reasons) if reasons else None


def fit_components(tallies: PairTallies, ties: TieModel) -> StrengthFits:
    """Fit every component of two or more systems that has a maximum.

    Parameters
    ----------
    tallies : PairTallies
    ties : {'half', 'drop', 'davidson'}

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
    return StrengthFits(
        graph=graph,
        n_games=(matrix + matrix.T).sum(axis=1).astype(np.int64),
        has_ties=ties != "drop" and bool(tallies.ties.any()),
        inside=inside,
        without=without,
    )
