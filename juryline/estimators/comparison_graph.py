"""Who took points from whom, as a graph: whether strengths can be told from it at all (Ford 1957).

Belongs here: the strongly connected components of a set of games. Does not: the fit inside one.
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonGraph:
    """Components of a comparison graph, numbered from 1 in the order of systems.

    Parameters
    ----------
    component : ndarray of int, shape (n_systems,)
        Strongly connected component of each system; 0 for a system without a game.
    piece : ndarray of int, shape (n_systems,)
        Part of the graph that hangs together when it does not matter who won; 0 without a game.
    """

    component: np.ndarray
    piece: np.ndarray

    @property
    def n_components(self) -> int:
        return int(self.component.max(initial=0))

    def members(self, component: int) -> np.ndarray:
        """Codes of the systems of a component, in order."""
        return np.flatnonzero(self.component == component)

    def split(self, systems: np.ndarray | tuple[int, ...] | None = None) -> tuple[Reason, ...]:
        """Why strengths of these systems, or of all with games, cannot be compared; empty if they can.

        Returns
        -------
        tuple of Reason
            not_strongly_connected, with disconnected where no games join them, with ordered where all
            games that join them were won by the same side.
        """
        chosen = np.flatnonzero(self.component) if systems is None else np.asarray(systems)
        n_components, n_pieces = len(set(self.component[chosen].tolist())), len(set(self.piece[chosen].tolist()))
        if n_components <= 1:
            return ()
        disconnected = (Reason.DISCONNECTED,) if n_pieces > 1 else ()
        ordered = (Reason.ORDERED,) if n_components > n_pieces else ()
        return (Reason.NOT_STRONGLY_CONNECTED, *disconnected, *ordered)


def comparison_graph(points: np.ndarray) -> ComparisonGraph:
    """Find the components of the graph with an arc from i to j where i took points from j.

    Parameters
    ----------
    points : ndarray of float, shape (n_systems, n_systems)
        Points that the row's system took from the column's.

    Notes
    -----
    Two systems share a component if each reaches the other along arcs: then, and only then, has their
    difference a finite maximum likelihood estimate.

    References
    ----------
    Ford 1957.
    """
    arcs = points > 0
    has_game = np.asarray(arcs.any(axis=0) | arcs.any(axis=1))
    reaches = _closure(arcs)
    return ComparisonGraph(
        component=_numbered(reaches & reaches.T, has_game), piece=_numbered(_closure(arcs | arcs.T), has_game)
    )


def _closure(arcs: np.ndarray) -> np.ndarray:
    """Which systems each reaches, itself included: paths twice as long in every round."""
    reaches = arcs | np.eye(len(arcs), dtype=bool)
    while True:
        steps = reaches.astype(np.float32)
        further = (steps @ steps) > 0
        if np.array_equal(further, reaches):
            return reaches
        reaches = further


def _numbered(same: np.ndarray, has_game: np.ndarray) -> np.ndarray:
    """Number the classes of an equivalence, from 1 by their first member."""
    numbers = np.zeros(len(same), dtype=np.int64)
    for system in np.flatnonzero(has_game):
        if numbers[system] == 0:
            numbers[same[system]] = numbers.max() + 1
    return numbers
