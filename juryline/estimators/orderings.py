"""Games played one after the other, in the order given or in many random orders at once.

Belongs here: the sequential Elo update and its kernel. Does not: what is made of the final ratings.
Orderings are played side by side: within one each game waits for the last, between them nothing waits.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from juryline.estimators.games import Games
from juryline.estimators.machine_code import compiled
from juryline.estimators.philox import fill_words

LANES = 16  # orderings side by side: enough to hide the latency of exp, few enough to stay in cache

_MOST_WORDS = 1 << 24  # random words held at a time
_MOST_SYSTEMS = 1 << 14  # a game is packed into 32 bits: 15 and 14 for its systems, 2 for the score
_HALF_POINTS = np.array([2, 0, 1], dtype=np.int32)  # of the first system, by Outcome


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequentialPlay:
    """Games ready to be played: each packed into one word, so that shuffling moves games, not references."""

    words: np.ndarray
    n_systems: int
    k: float
    start: float

    @classmethod
    def of(cls, games: Games, *, k: float, start: float) -> "SequentialPlay":
        """Pack rated games.

        Raises
        ------
        ValueError
            More than 16,384 systems, or a game in which both failed: it has no score.
        """
        if games.n_systems > _MOST_SYSTEMS:
            raise ValueError(f"{games.n_systems} systems: at most {_MOST_SYSTEMS}")
        if np.any(games.outcome >= len(_HALF_POINTS)):
            raise ValueError("a game in which both failed has no score")
        first, second = games.first.astype(np.int32), games.second.astype(np.int32)
        words = (first << 16) | (second << 2) | _HALF_POINTS[games.outcome]
        return cls(words=words, n_systems=games.n_systems, k=float(k), start=float(start))

    def once(self) -> np.ndarray:
        """Final ratings of one pass in the order given, shape (1, n_systems)."""
        return self._play(self.words, np.zeros((len(self.words), 1), dtype=np.uint32))

    def shuffled(
        self, orderings: range, *, key: int, stream: int = 0, substream: int = 0, copies: np.ndarray | None = None
    ) -> np.ndarray:
        """Final ratings of random orders, shape (len(orderings), n_systems).

        Parameters
        ----------
        orderings : range
            Numbers of the orderings. A shuffle depends on its number, the key and the two stream numbers:
            not on the range it is played in.
        copies : ndarray of int, shape (n_games,), optional
            How often each game is played: a resample. Once if absent.
        """
        words = self.words if copies is None else np.repeat(self.words, copies)
        finals = []
        for block in _blocks(orderings, len(words)):
            shuffle = np.empty((len(words), len(block)), dtype=np.uint32)
            compiled(fill_words)(shuffle, key, 0, block.start, stream, substream)
            finals.append(self._play(words, shuffle))
        return np.concatenate(finals)

    def _play(self, words: np.ndarray, shuffle: np.ndarray) -> np.ndarray:
        ratings = np.empty((self.n_systems, shuffle.shape[1]))
        compiled(play_lanes)(words, shuffle, self.k, self.start, ratings)
        return ratings.T


def play_lanes(games: np.ndarray, shuffle: np.ndarray, k: float, start: float, ratings: np.ndarray) -> None:
    """Kernel: play all games in every lane's own order.

    Parameters
    ----------
    games : ndarray of int32, shape (n_games,)
        Packed games.
    shuffle : ndarray of uint32, shape (n_games, n_lanes)
        Random words; zeros keep the order given.
    k, start : float
        Step and initial rating.
    ratings : ndarray of float, shape (n_systems, n_lanes)
        Filled in place with the final ratings.

    Notes
    -----
    Fisher and Yates from the front, each game played as soon as it is drawn: one of r games left is
    taken with probability within 2**-32 of 1/r. E_A = 1/(1 + 10^((R_B - R_A)/400)).
    """
    n_games, n_lanes = shuffle.shape
    order = np.empty((n_games, n_lanes), dtype=np.int32)
    for place in range(n_games):
        for lane in range(n_lanes):
            order[place, lane] = games[place]
    ratings[:, :] = start
    to_log_odds = math.log(10.0) / 400.0
    for place in range(n_games):
        left = n_games - place
        for lane in range(n_lanes):
            drawn = place + ((np.int64(shuffle[place, lane]) * left) >> 32)
            game = order[drawn, lane]
            order[drawn, lane] = order[place, lane]
            first, second, half_points = game >> 16, (game >> 2) & 0x3FFF, game & 3
            expected = 1.0 / (1.0 + math.exp((ratings[second, lane] - ratings[first, lane]) * to_log_odds))
            step = k * (0.5 * half_points - expected)
            ratings[first, lane] += step
            ratings[second, lane] -= step


def _blocks(orderings: range, n_games: int) -> Iterator[range]:
    size = max(1, min(LANES, _MOST_WORDS // max(1, n_games)))
    for lowest in range(orderings.start, orderings.stop, size):
        yield range(lowest, min(lowest + size, orderings.stop))
