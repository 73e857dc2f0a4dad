"""Whole rankings of a cut, put together again from the pairs that the view `comparisons` takes them apart into.

Belongs here: which rankings are complete, the ranks in them, and what was ranked together. Does not: any statistic
of ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import ibis
import ibis.expr.types as ir
import numpy as np

from data_contracts.specification import StudySpec
from data_contracts.vocabulary import Protocol
from juryline.analyses.cuts import cluster_codes, codes, unit_columns

VIEW = "ratings"
"""Where each rank is a row, for the sources of what is made of rankings."""
COMPLETE = (
    "judgment_id IN (SELECT judgment_id FROM comparisons WHERE protocol = 'ranking' "
    "GROUP BY judgment_id HAVING count(outcome) = count(*))"
)
"""SQL condition of the rows of complete rankings."""

_SIDES = (("system_1", "output_1", "system_2"), ("system_2", "output_2", "system_1"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rankings:
    """Rankings in which every output shown has a rank, in the order of their judgment ids.

    Attributes
    ----------
    centred : ndarray of float, shape (n, n_systems)
        Mid-rank less the mean of the ranking's: half of the outputs ranked above less half of those below. 0 for a
        system that is not in the ranking.
    shown : ndarray of bool, shape (n, n_systems)
    unit : ndarray of int, shape (n,)
        Rankings of the same outputs for the same case and criterion share it.
    case, rater : ndarray of int, shape (n,)
    clusters : tuple of ndarray of int, each of shape (n,)
    n_incomplete : int
        Rankings left out.
    """

    centred: np.ndarray
    shown: np.ndarray
    unit: np.ndarray
    case: np.ndarray
    rater: np.ndarray
    clusters: tuple[np.ndarray, ...]
    n_incomplete: int

    def __len__(self) -> int:
        return len(self.unit)

    def of(self, system: int) -> "Rankings":
        """The rankings that a system is in."""
        kept = self.shown[:, system]
        rows = {name: getattr(self, name)[kept] for name in ("centred", "shown", "unit", "case", "rater")}
        return replace(self, clusters=tuple(codes[kept] for codes in self.clusters), **rows)

    def ranks(self, system: int) -> np.ndarray:
        """Mid-rank of a system in each, 1 the best."""
        return self.centred[:, system] + (self.shown.sum(axis=1) + 1) / 2


def read_rankings(judgments: ir.Table, units: Sequence[str], spec: StudySpec) -> Rankings:
    """Rankings among the comparisons of a cut, with the clusters that `units` name."""
    names = [f"cluster_{place}" for place in range(1, len(units) + 1)]
    pairs = unit_columns(judgments.filter(judgments.protocol == str(Protocol.RANKING)), units)
    keys = ["judgment_id", "criterion", "case_id", "rater", *names, "system", "output"]
    sides = [
        pairs.mutate(
            system=pairs[system],
            output=pairs[output],
            below=(pairs.outcome == other).cast("int64") - (pairs.outcome == system).cast("int64"),
        ).select(*keys, "below")
        for system, output, other in _SIDES
    ]
    entries = ibis.union(*sides).group_by(keys).agg(below=ibis._.below.sum(), unranked=ibis._.below.isnull().sum())
    read = entries.order_by(["judgment_id", "system"]).to_pyarrow()
    ranking = cluster_codes(read["judgment_id"], "judgment")
    system = codes(read["system"], spec.system_ids)
    n = int(ranking.max(initial=-1)) + 1
    shape = (n, len(spec.systems))
    centred, output = np.zeros(shape), np.full(shape, _NOT_SHOWN)
    centred[ranking, system] = read["below"].fill_null(0).to_numpy() / 2
    named = sorted(set(read["output"].to_pylist()) - {None})
    output[ranking, system] = codes(read["output"], named)
    complete = np.bincount(ranking, weights=read["unranked"].to_numpy(), minlength=n) == 0
    first = np.searchsorted(ranking, np.flatnonzero(complete))
    case = cluster_codes(read["case_id"], "case")[first]
    criterion = cluster_codes(read["criterion"], "criterion")[first]
    together = np.column_stack([criterion, case, output[complete]])
    return Rankings(
        centred=centred[complete],
        shown=output[complete] != _NOT_SHOWN,
        unit=np.unique(together, axis=0, return_inverse=True)[1].reshape(-1),
        case=case,
        rater=cluster_codes(read["rater"], "rater")[first],
        clusters=tuple(cluster_codes(read[name], unit)[first] for name, unit in zip(names, units)),
        n_incomplete=int(n - complete.sum()),
    )


_NOT_SHOWN = -2  # an output without an id is -1
