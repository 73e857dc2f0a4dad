"""Single games, counted by pair and cluster.

Belongs here: the way from `Games` to `PairTallies`, whatever the number of games. Does not: what is made of the counts.
"""

import math
import os

import numpy as np

from juryline.estimators.dense_codes import dense_codes
from juryline.estimators.games import Games, Outcome, PairTallies
from juryline.estimators.machine_code import compiled, side_by_side

_FEWEST_CELLS = 1 << 20  # as many as this are counted in place, whatever the number of games
_GAMES_A_CELL = 16  # from this on, a table of counts for each thread costs less than it saves
_MOST_KEYS = 1 << 63


def tally_games(games: Games) -> PairTallies:
    """Count games by their clusters and their two systems, as shown.

    Returns
    -------
    PairTallies
        Rows in the order of (clusters, first, second), each of these once.

    Notes
    -----
    Where clusters and systems make no more cells than there are games, each game is added to its cell; else cells are
    sorted. Counts are integers: neither the order of games nor the number of threads changes anything.
    """
    clusters = tuple(codes if codes.min(initial=0) >= 0 else dense_codes(codes) for codes in games.clusters)
    widths = [int(codes.max(initial=0)) + 1 for codes in clusters]
    if math.prod(widths) * games.n_systems**2 * len(Outcome) >= _MOST_KEYS:
        clusters = tuple(dense_codes(codes) for codes in clusters)
        widths = [int(codes.max(initial=0)) + 1 for codes in clusters]
    shape = (*widths, games.n_systems, games.n_systems)
    if math.prod(shape) <= max(_FEWEST_CELLS, len(games)):
        cells, counts = _counted_in_place(games, clusters, shape)
    else:
        cells, counts = _counted_by_sorting(games, clusters, shape)
    *cluster, first, second = np.unravel_index(cells, shape)
    wins, losses, ties, both_fail = counts.T
    return PairTallies(
        first=first,
        second=second,
        wins=wins,
        losses=losses,
        ties=ties,
        both_fail=both_fail,
        clusters=tuple(cluster),
        n_systems=games.n_systems,
    )


def _counted_in_place(
    games: Games, clusters: tuple[np.ndarray, ...], shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    n_cells = math.prod(shape)
    cluster = clusters[0] if len(clusters) == 1 else np.ravel_multi_index(clusters, shape[:-2])
    n_parts = max(1, min(os.cpu_count() or 1, len(games) // (_GAMES_A_CELL * n_cells)))
    ends = [len(games) * part // n_parts for part in range(n_parts + 1)]

    def counted(part: int) -> np.ndarray:
        counts = np.zeros((n_cells, len(Outcome)), dtype=np.int64)
        games_of = slice(ends[part], ends[part + 1])
        columns = (column[games_of] for column in (games.first, games.second, games.outcome, cluster))
        compiled(count_cells)(*columns, games.n_systems, counts)
        return counts

    counts = np.add.reduce(side_by_side(counted, n_parts))
    cells = np.flatnonzero(counts.any(axis=1))
    return cells, counts[cells]


def _counted_by_sorting(
    games: Games, clusters: tuple[np.ndarray, ...], shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    key = np.ravel_multi_index((*clusters, games.first, games.second, games.outcome), (*shape, len(Outcome)))
    key.sort()
    cells = np.empty(len(key), dtype=np.int64)
    counts = np.zeros((len(key), len(Outcome)), dtype=np.int64)
    n_cells = compiled(count_runs)(key, cells, counts)
    return cells[:n_cells], counts[:n_cells]


def count_runs(key: np.ndarray, cells: np.ndarray, counts: np.ndarray) -> int:
    """Kernel: count the outcomes of each cell in sorted keys 4 cell + outcome; the number of cells filled."""
    at = -1
    for place in range(len(key)):
        cell = key[place] >> 2
        if at < 0 or cells[at] != cell:
            at += 1
            cells[at] = cell
        counts[at, key[place] & 3] += 1
    return at + 1


def count_cells(
    first: np.ndarray,
    second: np.ndarray,
    outcome: np.ndarray,
    cluster: np.ndarray,
    n_systems: int,
    counts: np.ndarray,
) -> None:
    """Kernel: add each game to its outcome in its cell, shape (n_clusters n_systems^2, 4)."""
    for game in range(len(first)):
        cell = (np.int64(cluster[game]) * n_systems + np.int64(first[game])) * n_systems + np.int64(second[game])
        counts[np.uint64(cell), np.uint64(outcome[game])] += np.uint32(1)  # unsigned: no index is counted from the end
