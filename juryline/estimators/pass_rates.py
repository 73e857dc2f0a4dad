"""Shares of a label among the answers, and checklist totals.

Belongs here: METHODS 3 for one system. Does not: differences of shares (`matched`, with values 0 and 1).
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import ClusterVariance, cluster_variance
from juryline.estimators.dense_codes import dense_codes, first_places
from juryline.estimators.quantity import Interval, Quantity
from juryline.estimators.wilson import wilson_effective


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareResult:
    """A share of the answers with its Wilson interval over the independent unit."""

    share: Quantity
    interval: Interval
    n_judgments: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sheets:
    """Completed checklists: how many criteria each passed, and the first judgment of each; `n_incomplete` had fewer."""

    passed: np.ndarray
    first: np.ndarray
    n_incomplete: int


def estimate_share(hits: np.ndarray, units: tuple[np.ndarray, ...], *, level: float) -> ShareResult:
    """Share of the answers that are hits.

    Parameters
    ----------
    hits : ndarray of bool, shape (n,)
        One an answer; what was not answered is not in it.
    units : tuple of one or two ndarray of int, shape (n,)
        Independent unit of each answer in each dimension.

    Returns
    -------
    ShareResult
        insufficient, no_judgments: no answers. The interval is that of `wilson_effective`.

    Notes
    -----
    psi_k = (w_k - p)/n.
    """
    n = len(hits)
    if not n:
        none = Quantity.missing(Status.INSUFFICIENT, Reason.NO_JUDGMENTS)
        nothing = ClusterVariance(variance=None, n_clusters=0)
        return ShareResult(share=none, interval=wilson_effective(0.0, 1, nothing, level=level), n_judgments=0)
    share = int(hits.sum()) / n
    variance = cluster_variance((hits - share) / n, units)
    return ShareResult(
        share=Quantity.of(share), interval=wilson_effective(share, n, variance, level=level), n_judgments=n
    )


def total_sheets(sheet: np.ndarray, criterion: np.ndarray, passed: np.ndarray, *, n_criteria: int) -> Sheets:
    """Criteria passed on each checklist that answers all of them.

    Parameters
    ----------
    sheet : ndarray of int, shape (n,)
        Checklist of each answer: who filled it in, of which output.
    criterion : ndarray of int, shape (n,)
    passed : ndarray of bool, shape (n,)
    n_criteria : int
        Criteria on a whole checklist.

    Notes
    -----
    A criterion answered several times on one checklist counts by its share of passes. A checklist without an answer
    to some criterion has no total, since what was not answered is not a failure.
    """
    place = dense_codes(sheet)
    first = first_places(place)
    where = dense_codes(place * n_criteria + criterion)
    share = np.bincount(where, weights=passed) / np.bincount(where)
    of_sheet = place[first_places(where)]
    total = np.bincount(of_sheet, weights=share, minlength=len(first))
    complete = np.bincount(of_sheet, minlength=len(first)) == n_criteria
    return Sheets(passed=total[complete], first=first[complete], n_incomplete=int((~complete).sum()))
