"""Which coefficients an agreement analysis asks for, and the estimator behind each name.

Belongs here: the choice by `coefficients`, `metrics` and `orientation`, and its refusals. Does not: reading
judgments, rows, or `kendall_w`, whose labels are whole rankings (`concordance`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from data_contracts.errors import SpecificationError
from data_contracts.specification_analyses import COEFFICIENTS, Agreement
from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import Measure, Protocol, Statistic
from juryline.analyses.agreement_labels import NUMERIC, LabelSet
from juryline.estimators.agreement_coefficient import Coefficient
from juryline.estimators.brennan_prediger import BrennanPrediger
from juryline.estimators.cohen_kappa import CohenKappa, LightKappa, disagreement_weights
from juryline.estimators.conger_kappa import CongerKappa
from juryline.estimators.fleiss_kappa import FleissKappa
from juryline.estimators.gwet_ac import GwetAC, agreement_weights
from juryline.estimators.krippendorff_alpha import (
    IntervalAlpha,
    KrippendorffAlpha,
    NominalDistance,
    OrdinalAlpha,
    RatioDistance,
)
from juryline.estimators.raw_agreement import RawAgreement

RATER_PAIRS = (Statistic.COHEN_KAPPA, Statistic.COHEN_KAPPA_LINEAR, Statistic.COHEN_KAPPA_QUADRATIC)
ORIENTED = {
    Statistic.COHEN_KAPPA: Statistic.COHEN_KAPPA_ORIENTED,
    Statistic.LIGHT_KAPPA: Statistic.LIGHT_KAPPA_ORIENTED,
    Statistic.FLEISS_KAPPA: Statistic.FLEISS_KAPPA_ORIENTED,
    Statistic.CONGER_KAPPA: Statistic.CONGER_KAPPA_ORIENTED,
    Statistic.GWET_AC1: Statistic.GWET_AC1_ORIENTED,
    Statistic.KRIPPENDORFF_ALPHA: Statistic.KRIPPENDORFF_ALPHA_ORIENTED,
}

_WEIGHTED = (
    Statistic.COHEN_KAPPA_LINEAR,
    Statistic.COHEN_KAPPA_QUADRATIC,
    Statistic.GWET_AC2_LINEAR,
    Statistic.GWET_AC2_QUADRATIC,
)
_NEED_LEVELS = (*_WEIGHTED, Statistic.GWET_AC1, Statistic.BRENNAN_PREDIGER)
_ALPHA_OF = {
    Measure.NOMINAL: Statistic.KRIPPENDORFF_ALPHA_NOMINAL,
    Measure.ORDINAL: Statistic.KRIPPENDORFF_ALPHA_ORDINAL,
    Measure.INTERVAL: Statistic.KRIPPENDORFF_ALPHA_INTERVAL,
    Measure.RATIO: Statistic.KRIPPENDORFF_ALPHA_RATIO,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One coefficient to be given, by the name its rows carry."""

    statistic: Statistic
    plain: Statistic
    """The name without `_oriented` and without a metric: what is computed."""
    metric: Measure
    oriented: bool

    @property
    def of_rater_pairs(self) -> bool:
        return self.plain in RATER_PAIRS


def choices(analysis: Agreement, criterion: Criterion, labels: LabelSet) -> list[Choice]:
    """The coefficients of a criterion, in the order they are declared, but for `kendall_w` (`concordance`).

    Raises
    ------
    SpecificationError
        A coefficient that the labels of the criterion do not allow.

    Notes
    -----
    Where `coefficients` is not declared, numeric scales have alpha only: raters who give 71 and 72 do not disagree as
    raters who say yes and no. With `as_category` labels are nominal, and alpha is given by that metric's name.
    """
    asked = [Statistic(name) for name in analysis.coefficients or COEFFICIENTS]
    if analysis.coefficients is None and labels.scale_metric in NUMERIC:
        asked = [Statistic.KRIPPENDORFF_ALPHA]
    chosen: list[Choice] = []
    for statistic in asked:
        _refuse(statistic, analysis, criterion, labels)
        if statistic is Statistic.KRIPPENDORFF_ALPHA:
            chosen.append(_alpha(labels.metric, labels))
        elif statistic is not Statistic.KENDALL_W:
            chosen.append(Choice(statistic=statistic, plain=statistic, metric=labels.metric, oriented=False))
    for metric in analysis.metrics:
        alpha = _alpha(metric, labels)
        _refuse_metric(metric, analysis, criterion, labels)
        if alpha.statistic is not Statistic.KRIPPENDORFF_ALPHA and alpha not in chosen:
            chosen.append(alpha)
    if analysis.orientation == "declared" and labels.of_pairs:
        chosen += [
            Choice(statistic=ORIENTED[choice.statistic], plain=choice.plain, metric=choice.metric, oriented=True)
            for choice in chosen
            if choice.statistic in ORIENTED
        ]
    return chosen


def estimator_of(
    choice: Choice,
    labels: LabelSet,
    n_labels: int,
    values: np.ndarray | None,
    raters: tuple[int, int] | None = None,
) -> Coefficient:
    """The estimator of a choice.

    Parameters
    ----------
    n_labels, values
        Of the judgments it is for: a scale without levels has the labels that were given.
    raters : tuple of int, optional
        The two raters of a coefficient of rater pairs.
    """
    mirror = None if choice.oriented else labels.mirror
    if choice.of_rater_pairs:
        if raters is None:
            raise ValueError(f"{choice.statistic} is of two raters")
        power = {Statistic.COHEN_KAPPA_LINEAR: 1, Statistic.COHEN_KAPPA_QUADRATIC: 2}.get(choice.plain, 0)
        weights = disagreement_weights(n_labels, power=power)
        return CohenKappa(first=raters[0], second=raters[1], disagreement=weights, mirror=mirror)
    if choice.plain is Statistic.KRIPPENDORFF_ALPHA:
        return _alpha_estimator(choice.metric, labels, n_labels, values, mirror)
    level_values = np.arange(n_labels, dtype=float) if values is None else values
    build: dict[Statistic, Callable[[], Coefficient]] = {
        Statistic.RAW_AGREEMENT: RawAgreement,
        Statistic.FLEISS_KAPPA: lambda: FleissKappa(mirror=mirror),
        Statistic.LIGHT_KAPPA: lambda: LightKappa(n_labels=n_labels, mirror=mirror),
        Statistic.CONGER_KAPPA: lambda: CongerKappa(n_labels=n_labels, mirror=mirror),
        Statistic.BRENNAN_PREDIGER: lambda: BrennanPrediger(n_labels=n_labels),
        Statistic.GWET_AC1: lambda: GwetAC(weights=np.eye(n_labels), mirror=mirror),
        Statistic.GWET_AC2_LINEAR: lambda: GwetAC(weights=agreement_weights(level_values, power=1), mirror=mirror),
        Statistic.GWET_AC2_QUADRATIC: lambda: GwetAC(weights=agreement_weights(level_values, power=2), mirror=mirror),
    }
    return build[choice.plain]()


def _alpha(metric: Measure, labels: LabelSet) -> Choice:
    own = metric is labels.scale_metric
    return Choice(
        statistic=Statistic.KRIPPENDORFF_ALPHA if own else _ALPHA_OF.get(metric, Statistic.KRIPPENDORFF_ALPHA),
        plain=Statistic.KRIPPENDORFF_ALPHA,
        metric=metric,
        oriented=False,
    )


def _alpha_estimator(
    metric: Measure, labels: LabelSet, n_labels: int, values: np.ndarray | None, mirror: np.ndarray | None
) -> Coefficient:
    if metric is Measure.NOMINAL:
        return KrippendorffAlpha(distance=NominalDistance(), mirror=mirror)
    if metric is Measure.ORDINAL:
        return OrdinalAlpha(n_labels=n_labels)
    if values is None:
        raise ValueError(f"alpha with metric {metric} needs numbers")
    if metric is Measure.RATIO:
        return KrippendorffAlpha(distance=RatioDistance(values), mirror=None)
    scale_range = labels.scale_range or float(np.ptp(values) if len(values) else 0)
    return IntervalAlpha(values=values, scale_range=scale_range)


def _refuse(statistic: Statistic, analysis: Agreement, criterion: Criterion, labels: LabelSet) -> None:
    if statistic is Statistic.KENDALL_W and criterion.protocol is not Protocol.RANKING:
        raise _unfit(analysis, "coefficients", statistic, criterion, "is of rankings")
    if statistic in _WEIGHTED and labels.metric is Measure.NOMINAL:
        raise _unfit(analysis, "coefficients", statistic, criterion, "weighs how far labels are apart; its are nominal")
    if statistic in _NEED_LEVELS and labels.continuous:
        raise _unfit(analysis, "coefficients", statistic, criterion, "needs declared levels; its scale has none")
    if statistic in _WEIGHTED and len(labels.names) < 2:
        raise _unfit(analysis, "coefficients", statistic, criterion, "needs two levels or more")


def _refuse_metric(metric: Measure, analysis: Agreement, criterion: Criterion, labels: LabelSet) -> None:
    if metric is Measure.PROBABILITY:
        raise _unfit(analysis, "metrics", metric, criterion, "is a kind of answer; as a metric write interval")
    if metric is not Measure.NOMINAL and labels.metric is Measure.NOMINAL:
        raise _unfit(analysis, "metrics", metric, criterion, "needs ordered labels; its are nominal")
    if metric in (Measure.INTERVAL, Measure.RATIO) and labels.values is None and not labels.continuous:
        raise _unfit(analysis, "metrics", metric, criterion, "needs numbers; its levels are text")


def _unfit(analysis: Agreement, key: str, name: str, criterion: Criterion, why: str) -> SpecificationError:
    return SpecificationError(
        f"analysis {analysis.id}: {name} does not fit criterion {criterion.id}: it {why}",
        where=f"study.yaml, analyses, {analysis.id}, {key}",
        fix=f"remove {name}, or give the criterion an analysis of its own",
    )
