"""What stands beside every coefficient of agreement: how many units, raters and labels it comes from.

Belongs here: METHODS 7.5, the rows by which a reader judges a coefficient. Does not: any coefficient, nor words
for its size.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.agreement_judgments import Judgments
from juryline.analyses.assigned import AssignedCells
from juryline.estimators.agreement_units import Ratings
from juryline.estimators.dense_codes import n_distinct
from juryline.estimators.quantity import Quantity

Row = tuple[Statistic, Unit, Quantity, dict[str, Any]]


def count_rows(judgments: Judgments, pairable_units: int) -> Iterator[Row]:
    """Units, pairable units, raters and ratings; units and raters count whatever became of their judgments."""
    yield Statistic.UNITS, Unit.COUNT, Quantity.of(judgments.n_units), {}
    yield Statistic.PAIRABLE_UNITS, Unit.COUNT, Quantity.of(pairable_units), {}
    yield Statistic.RATERS, Unit.RATERS, Quantity.of(n_distinct(judgments.rater)), {}
    yield Statistic.RATINGS, Unit.COUNT, Quantity.of(judgments.count[judgments.rated].sum()), {}


def missing_share(judgments: Judgments, assigned: AssignedCells | None) -> Row:
    """Share of assigned cells without a rating; without a manifest, of all units times all raters."""
    name, unit = Statistic.MISSING_SHARE, Unit.SHARE
    if assigned is not None:
        if not assigned.n_cells:
            return name, unit, Quantity.missing(Status.UNDEFINED, Reason.NOTHING_ASSIGNED), {}
        return name, unit, Quantity.of(1 - assigned.n_rated / assigned.n_cells), {}
    n_raters = len(judgments.raters)
    cells = judgments.n_units * n_raters
    if not cells:
        return name, unit, Quantity.missing(Status.UNDEFINED, Reason.NO_JUDGMENTS), {}
    rated = judgments.rated
    filled = n_distinct(judgments.unit[rated] * n_raters + judgments.rater[rated])
    return name, unit, Quantity.of(1 - filled / cells), {}


def of_unknown_units(rows: Iterable[Row], none: Quantity, *, is_assigned: bool) -> Iterator[Row]:
    """The rows where it is not known which judgments are of one unit: what depends on that is `none`.

    The missing share of what a manifest assigns does not: it names cases and pairs, in no order.
    """
    dependent = {Statistic.UNITS, Statistic.PAIRABLE_UNITS, Statistic.CONFUSION}
    if not is_assigned:
        dependent.add(Statistic.MISSING_SHARE)
    for statistic, unit, quantity, dimensions in rows:
        yield statistic, unit, none if statistic in dependent else quantity, dimensions


def prevalence_rows(judgments: Judgments, names: Sequence[str]) -> Iterator[Row]:
    """Share of ratings with each declared label."""
    rated = judgments.rated
    counts = np.bincount(judgments.label[rated], weights=judgments.count[rated], minlength=len(names))
    total = counts.sum()
    for name, count in zip(names, counts):
        share = Quantity.of(count / total) if total else Quantity.missing(Status.UNDEFINED, Reason.NO_JUDGMENTS)
        yield Statistic.PREVALENCE, Unit.SHARE, share, {"label": name}


def coincidence_table(ratings: Ratings) -> np.ndarray:
    """o_kl = sum over pairable units of o_ukl/(r_u - 1), shape (n_labels, n_labels)."""
    q, pairs = ratings.n_labels, ratings.coincidences
    raters = ratings.raters_per_unit[pairs.unit]
    several = raters >= 2
    cell = (pairs.first * q + pairs.second)[several]
    return np.bincount(cell, weights=(pairs.count / np.maximum(raters - 1, 1))[several], minlength=q * q).reshape(q, q)


def confusion_rows(table: np.ndarray, names: Sequence[str]) -> Iterator[Row]:
    """One row a pair of labels."""
    for k, name in enumerate(names):
        for other, count in zip(names, table[k]):
            yield Statistic.CONFUSION, Unit.COUNT, Quantity.of(count), {"label": name, "label2": other}
