"""The ordinal model of `likert`: rows of `ordinal_log_odds`, `ordinal_log_odds_conditional` and `rater_level_sd`.

Belongs here: which answers are given to the model, and its labels. Does not: the model
(`juryline.estimators.ordinal_log_odds`).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Likert
from data_contracts.vocabulary import Measure, Reason, Statistic, Status, Unit
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.ratings import Asked
from juryline.estimators.ordinal_log_odds import NO_DIFFERENCE, OrdinalAnswers, OrdinalContrast, ordinal_log_odds
from juryline.estimators.quantity import Quantity


def ordinal_rows(
    cut: Cut,
    asked: Asked,
    pairs: Sequence[tuple[str, str]],
    analysis: Likert,
    spec: StudySpec,
    source: Callable[..., str],
) -> Iterator[Estimate]:
    """Both log odds of each declared pair in a cut, and how far raters' levels differ.

    Parameters
    ----------
    asked : Asked
        Of one criterion.
    source : callable
        SQL that gives the judgments about the systems it is called with, or about all.

    Notes
    -----
    The model is that of an ordinal scale, whose levels are numbers or words in their declared order; on any other scale
    the rows are not_estimable, not_ordinal. All systems with answers are in one fit, for they share the thresholds, and
    a row counts the judgments about all that it is made of. Systems that cannot be compared with the others have a fit
    of their own; `rater_level_sd` then has a row each. Clusters are those of pair differences (`unit`).
    """
    codes = [(spec.system_ids.index(subject), spec.system_ids.index(comparator)) for subject, comparator in pairs]
    fits: dict[tuple[int, ...], tuple[Quantity, Callable[..., Estimate]]] = {}
    for (subject, comparator), contrast in zip(pairs, _contrasts(asked, codes, analysis, len(spec.system_ids))):
        about = np.isin(asked.system, contrast.systems)
        used = about & asked.answered
        row: Callable[..., Estimate] = partial(
            labelled,
            cut,
            subject=subject,
            comparator=comparator,
            null_value=NO_DIFFERENCE,
            n_units=int(used.sum()),
            source=source(*(spec.system_ids[system] for system in contrast.systems)),
            **asked.counts(about, used),
        )
        yield row(Statistic.ORDINAL_LOG_ODDS, Unit.LOG_ODDS, contrast.log_odds, interval=contrast.interval)
        within, interval = contrast.conditional, contrast.conditional_interval
        yield row(Statistic.ORDINAL_LOG_ODDS_CONDITIONAL, Unit.LOG_ODDS, within, interval=interval)
        fits.setdefault(contrast.systems, (contrast.rater_sd, row))
    found = {systems: fit for systems, fit in fits.items() if fit[0].value is not None}
    for systems, (rater_sd, row) in (found or dict([*fits.items()][:1])).items():
        named = {"of": "+".join(spec.system_ids[system] for system in systems)} if len(found) > 1 else {}
        yield row(
            Statistic.RATER_LEVEL_SD,
            Unit.LOG_ODDS,
            rater_sd,
            subject=STUDY,
            comparator=None,
            subject_kind="study",
            null_value=None,
            dimensions=named,
        )


def _contrasts(
    asked: Asked, pairs: list[tuple[int, int]], analysis: Likert, n_systems: int
) -> Sequence[OrdinalContrast]:
    [criterion] = asked.criteria
    if criterion.scale is None or criterion.scale.measure is not Measure.ORDINAL:
        none = Quantity.missing(Status.NOT_ESTIMABLE, Reason.NOT_ORDINAL)
        return [OrdinalContrast.missing(none, systems=pair, level=analysis.confidence) for pair in pairs]
    answered = asked.answered
    answers = OrdinalAnswers(
        rater=asked.rater[answered],
        system=asked.system[answered],
        label=asked.label[answered],
        units=tuple(codes[answered] for codes in asked.pair_units),
        n_systems=n_systems,
        n_labels=len(asked.labels),
    )
    return ordinal_log_odds(answers, pairs=pairs, level=analysis.confidence)
