"""`kendall_w` of an `agreement` analysis: how far raters rank the outputs of a case alike, to rows of `estimates`.

Belongs here: whole rankings as the labels of a case. Does not: agreement on their pairs, or on ranks as numbers
(`agreement`), nor W itself (`juryline.estimators.kendall_w`).
"""

import ibis.expr.types as ir
import numpy as np

from data_contracts.estimates import Cut, Estimate
from data_contracts.vocabulary import Reason, Statistic, Unit
from juryline.analyses.agreement_scope import Scope
from juryline.analyses.comparisons import count_all, rated_outcomes
from juryline.analyses.cuts import cuts, source_query
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.rankings import COMPLETE, VIEW, Rankings, read_rankings
from juryline.estimators.agreement_interval import CoefficientResult, estimate_with_intervals
from juryline.estimators.agreement_units import tally_ratings
from juryline.estimators.dense_codes import n_distinct
from juryline.estimators.kendall_w import KendallW


def concordance_rows(scope: Scope, comparisons: ir.Table) -> list[Estimate]:
    """A row of W for every cut, where it is asked for.

    Parameters
    ----------
    scope : Scope
        Whose criteria are rankings.
    comparisons : ibis Table
        `comparisons`, also where the scope reads ranks as numbers.
    """
    if Statistic.KENDALL_W not in (scope.analysis.coefficients or ()):
        return []
    return [_row(scope, cut, judgments) for cut, judgments in cuts(scope.analysis, scope.spec, comparisons)]


def _row(scope: Scope, cut: Cut, judgments: ir.Table) -> Estimate:
    rankings = read_rankings(judgments, (scope.cluster(cut.population),), scope.spec)
    result = _estimate(rankings, scope)
    return labelled(
        cut,
        Statistic.KENDALL_W,
        Unit.COEFFICIENT,
        result.quantity,
        subject=STUDY,
        subject_kind="study",
        interval=result.interval,
        reason=(Reason.INCOMPLETE_LEFT_OUT,) if rankings.n_incomplete else (),
        source=source_query(cut, VIEW, scope.analysis, scope.spec, COMPLETE),
        n_judgments=len(rankings),
        n_units=result.n_units,
        n_cases=n_distinct(rankings.case),
        n_raters=n_distinct(rankings.rater),
        states=count_all(judgments, rated_outcomes("half")).states,
    )


def _estimate(rankings: Rankings, scope: Scope) -> CoefficientResult:
    distinct, label = np.unique(rankings.centred, axis=0, return_inverse=True)
    _, first, unit = np.unique(rankings.unit, return_index=True, return_inverse=True)
    ratings = tally_ratings(
        unit,
        rankings.rater,
        label.reshape(-1),
        np.ones(len(rankings), dtype=np.int64),
        n_units=len(first),
        n_raters=int(rankings.rater.max(initial=0)) + 1,
        n_labels=max(len(distinct), 1),
    )
    cluster = np.unique(rankings.clusters[0][first], return_inverse=True)[1]
    (result,) = estimate_with_intervals(ratings, cluster, [KendallW(centred=distinct)], resampling=scope.resampling())
    return result
