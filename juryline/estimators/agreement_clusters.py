"""Clusters of units (cases) as sums of units, and the drawing of as many of them again.

Belongs here: which units move together when cases are resampled. Does not: what is computed of a draw.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from juryline.estimators.merged_units import Merged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clusters:
    """Clusters as sums of units: `incidence`, shape (n_rows, n_units), and how many clusters a row stands for."""

    incidence: Any
    multiplicity: np.ndarray

    @property
    def n(self) -> int:
        return int(self.multiplicity.sum())

    def only(self, rows: np.ndarray) -> "Clusters":
        return Clusters(incidence=self.incidence[rows], multiplicity=self.multiplicity[rows])

    def draw(self, stream: np.random.Generator) -> np.ndarray:
        """How often each row is drawn when as many clusters as there are are drawn with replacement."""
        if len(self.multiplicity) == self.n:  # faster than a multinomial with as many outcomes as draws
            return np.bincount(stream.integers(self.n, size=self.n), minlength=self.n)
        return stream.multinomial(self.n, self.multiplicity / self.n)


def clusters_of(cluster: np.ndarray, merged: Merged) -> Clusters:
    """Clusters as sums of merged units; clusters of one unit are merged as their units are.

    Parameters
    ----------
    cluster : ndarray of int, shape (n_units,)
        Cluster of each unit, codes from 0 without a gap.
    merged : Merged
        The units.

    Notes
    -----
    Where each cluster is one unit, resampling is a multinomial draw over patterns: its cost does not grow with units.
    """
    from scipy.sparse import csr_array, eye_array

    n_clusters, n_merged = int(cluster.max(initial=-1)) + 1, len(merged.count)
    if n_clusters == len(cluster):
        return Clusters(incidence=eye_array(n_merged, format="csr"), multiplicity=merged.count)
    incidence = csr_array((np.ones(len(cluster)), (cluster, merged.place)), shape=(n_clusters, n_merged))
    incidence.sum_duplicates()
    return Clusters(incidence=incidence, multiplicity=np.ones(n_clusters, dtype=np.int64))
