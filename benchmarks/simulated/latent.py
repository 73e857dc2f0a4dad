"""Answers on a grid, cut from a normal latent scale, so that every truth is an integral and no simulation.

Belongs here: the grid, and what answers do on average once their random effects are integrated out. Does not: any
design.
"""

from dataclasses import dataclass

import numpy as np

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Evenly spaced answers `low`, `low + step` ... `high`: a latent value is rounded to the nearest of them."""

    low: float
    high: float
    step: float

    @property
    def levels(self) -> np.ndarray:
        return np.linspace(self.low, self.high, round((self.high - self.low) / self.step) + 1)

    def answer(self, latent: np.ndarray) -> np.ndarray:
        nearest = np.clip(np.rint((latent - self.low) / self.step), 0, len(self.levels) - 1)
        return self.levels[nearest.astype(int)]

    def chances(self, mean: np.ndarray, sd: float) -> np.ndarray:
        """Chance of each answer to a latent normal, shape (*mean.shape, n_levels)."""
        from scipy.special import ndtr

        cuts = self.levels[:-1] + self.step / 2
        below = ndtr((cuts - np.asarray(mean)[..., np.newaxis]) / sd)
        ends = np.zeros((*below.shape[:-1], 1)), np.ones((*below.shape[:-1], 1))
        return np.diff(np.concatenate([ends[0], below, ends[1]], axis=-1), axis=-1)

    def joint(self, first: np.ndarray, second: np.ndarray, *, shared_sd: float, own_sd: float) -> np.ndarray:
        """Chances of pairs of answers with a shared effect, averaged over cells: shape (n_levels, n_levels).

        Parameters
        ----------
        first, second : ndarray of float, shape (n_cells,)
            Latent means of the two answers in each cell.
        shared_sd, own_sd : float
            Of the normal effect that both answers have in common, and of what each has for itself.
        """
        table = np.zeros((len(self.levels), len(self.levels)))
        for node, weight in zip(_NODES, _WEIGHTS / _WEIGHTS.sum()):
            pair = [self.chances(mean + shared_sd * node, own_sd) for mean in (first, second)]
            table += weight * np.einsum("ck,cl->kl", *pair) / len(first)
        return table
