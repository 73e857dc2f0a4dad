"""Games that humans and a judge both judged, as counts by cluster of cases and system, and their sums.

Belongs here: the rates and the factor of METHODS 10 of any weighting of the clusters: all, a bootstrap round, a half.
Does not: what is concluded from them (`recalibration`).
"""

from dataclasses import dataclass

import numpy as np

from juryline.estimators.bootstrap import round_generator

_NUMBERS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Counts of each system along the last axis; a rate is NaN where there is nothing to divide by.

    Each rate is one division of whole numbers, so that equal rates are equal numbers.
    """

    wins: np.ndarray
    longer: np.ndarray
    games: np.ndarray
    judge_wins: np.ndarray
    judge_games: np.ndarray

    def p_win(self) -> np.ndarray:
        return _divided(self.wins, self.games)

    def p_longer(self) -> np.ndarray:
        return _divided(self.longer, self.games)

    def judge_p_win(self) -> np.ndarray:
        return _divided(self.judge_wins, self.judge_games)

    def beta(self) -> np.ndarray:
        return _divided(self.wins, self.longer)

    def score(self, factor: "Totals | None" = None) -> np.ndarray:
        """The judge's win rates times the factor of these games, or of others."""
        of = self if factor is None else factor
        return _divided(self.judge_wins * of.wins, self.judge_games * of.longer)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedGames:
    """Counts of games by cluster of cases and system.

    Parameters
    ----------
    wins, longer, games : ndarray of int, shape (n_clusters, n_systems)
        Of the human games of each system: won, with the longer output, all.
    judge_wins, judge_games : ndarray of int, shape (n_clusters, n_systems)
        Of the judge's games.

    Raises
    ------
    ValueError
        Shapes differ, or more games were won, or longer, than there are.
    """

    wins: np.ndarray
    longer: np.ndarray
    games: np.ndarray
    judge_wins: np.ndarray
    judge_games: np.ndarray

    def __post_init__(self) -> None:
        shapes = {array.shape for array in self._all()}
        if len(shapes) > 1 or self.games.ndim != 2:
            raise ValueError(f"counts of shapes {sorted(shapes)}: one of (clusters, systems)")
        within = ((self.wins, self.games), (self.longer, self.games), (self.judge_wins, self.judge_games))
        if any(np.any(some < 0) or np.any(some > whole) for some, whole in within):
            raise ValueError("more games were won, or longer, than there are, or fewer than none")

    @property
    def n_clusters(self) -> int:
        return len(self.games)

    @property
    def n_systems(self) -> int:
        return self.games.shape[1]

    def clusters_of(self, system: int) -> int:
        """Clusters in which a system has a game."""
        return int(np.count_nonzero(self.games[:, system] + self.judge_games[:, system]))

    def totals(self, weights: np.ndarray) -> Totals:
        """Sums over clusters, each counted as often as it weighs: shape (n_systems,), or (n, n_systems) of n rows."""
        # Sums of whole numbers are exact in floating point, in any order, and much faster there.
        return Totals(*(weights.astype(float) @ array for array in self._all()))

    def whole(self) -> Totals:
        return self.totals(np.ones(self.n_clusters))

    def drawn(self, rounds: int, seed: int, analysis: str) -> Totals:
        """Totals of bootstrap rounds: as many clusters as there are, drawn with replacement."""
        n = self.n_clusters
        at_once = max(1, _NUMBERS_AT_ONCE // max(n, 1))
        blocks = []
        for first in range(0, rounds, at_once):
            streams = (round_generator(seed, analysis, number) for number in range(first, min(first + at_once, rounds)))
            blocks.append(self.totals(np.stack([_draw(stream, n) for stream in streams])))
        return Totals(*(np.concatenate([getattr(block, name) for block in blocks]) for name in Totals.__slots__))

    def halves(self, splits: int, seed: int, analysis: str) -> tuple[Totals, Totals]:
        """Totals of random halves of the clusters, and of what each leaves."""
        chosen = np.zeros((splits, self.n_clusters))
        for split in range(splits):
            order = round_generator(seed, f"{analysis}/crossfit", split).permutation(self.n_clusters)
            chosen[split, order[: self.n_clusters // 2]] = 1
        return self.totals(chosen), self.totals(1 - chosen)

    def _all(self) -> tuple[np.ndarray, ...]:
        return self.wins, self.longer, self.games, self.judge_wins, self.judge_games


def _draw(stream: np.random.Generator, n: int) -> np.ndarray:
    return np.bincount(stream.integers(n, size=n), minlength=n) if n else np.zeros(0, dtype=np.int64)


def _divided(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=np.asarray(whole) > 0)
