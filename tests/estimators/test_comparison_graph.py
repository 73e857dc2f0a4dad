import numpy as np
import pytest
from scipy.sparse import csgraph

from data_contracts.vocabulary import Reason
from juryline.estimators.comparison_graph import comparison_graph


def graph_of(n_systems, *arcs):
    points = np.zeros((n_systems, n_systems))
    for winner, loser in arcs:
        points[winner, loser] += 1
    return comparison_graph(points)


def test_a_circle_is_one_component():
    graph = graph_of(3, (0, 1), (1, 2), (2, 0))

    assert graph.component.tolist() == [1, 1, 1]
    assert graph.split() == ()


def test_an_undefeated_and_a_winless_system_are_ordered_apart():
    graph = graph_of(4, (0, 1), (0, 2), (1, 2), (2, 1), (1, 3), (2, 3))

    assert graph.component.tolist() == [1, 2, 2, 3]
    assert graph.split() == (Reason.NOT_STRONGLY_CONNECTED, Reason.ORDERED)
    assert graph.split((1, 2)) == ()
    assert graph.split((0, 3)) == (Reason.NOT_STRONGLY_CONNECTED, Reason.ORDERED)


def test_groups_that_never_met_are_disconnected():
    graph = graph_of(4, (0, 2), (2, 0), (1, 3), (3, 1))

    assert graph.component.tolist() == [1, 2, 1, 2]
    assert graph.split() == (Reason.NOT_STRONGLY_CONNECTED, Reason.DISCONNECTED)
    assert graph.split((0, 2)) == ()


def test_disconnected_groups_of_which_one_is_ordered_are_both():
    graph = graph_of(5, (0, 1), (1, 0), (1, 2), (3, 4), (4, 3))

    assert graph.split() == (Reason.NOT_STRONGLY_CONNECTED, Reason.DISCONNECTED, Reason.ORDERED)
    assert graph.split((0, 2)) == (Reason.NOT_STRONGLY_CONNECTED, Reason.ORDERED)
    assert graph.split((0, 3)) == (Reason.NOT_STRONGLY_CONNECTED, Reason.DISCONNECTED)


def test_a_system_without_games_is_in_no_component():
    graph = graph_of(3, (0, 2), (2, 0))

    assert graph.component.tolist() == [1, 0, 1]
    assert graph.n_components == 1
    assert graph.split() == ()


def test_no_games_are_no_components():
    graph = graph_of(2)

    assert graph.n_components == 0
    assert graph.split() == ()


@pytest.mark.parametrize("seed", range(20))
def test_components_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    points = rng.random((12, 12)) < rng.uniform(0.02, 0.25)
    np.fill_diagonal(points, False)
    graph = comparison_graph(points.astype(float))
    has_game = graph.component > 0

    for connection, found in (("strong", graph.component), ("weak", graph.piece)):
        _, expected = csgraph.connected_components(points, connection=connection)
        same = found[:, None] == found[None, :]
        assert (same == (expected[:, None] == expected[None, :]))[np.ix_(has_game, has_game)].all()
    assert has_game.tolist() == (points.any(0) | points.any(1)).tolist()
