"""`bradley_terry` of a specification: strengths, contrasts and their tests, to rows of `estimates`.

Belongs here: which pairs are given and tested, what is refused, and the labels of METHODS 6. Does not: the fit
(`juryline.estimators.bradley_terry`).
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ibis.expr.types as ir

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import BradleyTerry
from data_contracts.vocabulary import Protocol, Statistic, Unit
from juryline.analyses.comparisons import (
    VIEW,
    Pair,
    among,
    bootstrap_rounds,
    clustered_by,
    count_all,
    pair_codes,
    rated_outcomes,
    read_tallies,
    with_outcomes,
)
from juryline.analyses.cuts import criteria, cuts, declared_pairs, source_query
from juryline.analyses.families import expectation_rows, with_holm
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.mean_ranks import mean_rank_rows
from juryline.estimators.bradley_terry import BradleyTerryResult, bradley_terry
from juryline.estimators.quantity import Quantity
from juryline.estimators.strength_rounds import Resampling


def bradley_terry_rows(analysis: BradleyTerry, spec: StudySpec, view: ir.Table) -> list[Estimate]:
    """Every estimate of a `bradley_terry` analysis.

    Parameters
    ----------
    analysis : BradleyTerry
    spec : StudySpec
    view : ibis Table
        `comparisons`.

    Raises
    ------
    SpecificationError
        Percentiles with a two-way independent unit; or as `clustered_by` and `bootstrap_rounds`.

    Notes
    -----
    Differences and win probabilities are given for every pair, oriented as declared; the tests are those of the
    declared pairs. Where ratings cannot be compared, `component` says which systems can. A ranking also has mean ranks.
    """
    tested = declared_pairs(analysis, spec)
    pairs = _every_pair(tested, spec)
    rows: list[Estimate] = []
    for cut, judgments in cuts(analysis, spec, view):
        units = clustered_by(analysis, spec, cut.population)
        result = bradley_terry(
            read_tallies(judgments, units, spec),
            ties=analysis.ties,
            pairs=pair_codes(pairs, spec),
            level=analysis.confidence,
            resampling=_resampling(analysis, spec, units),
        )
        rows += _rows(cut, judgments, result, pairs, tested, analysis, spec)
        if spec.criterion(cut.criterion).protocol is Protocol.RANKING:
            rows += mean_rank_rows(cut, judgments, analysis, spec)
    rows = with_holm(rows, analysis, len(criteria(analysis, spec)) * len(tested))
    source = partial(_source, analysis=analysis, spec=spec)
    return rows + expectation_rows(rows, analysis, spec, source)


def _resampling(analysis: BradleyTerry, spec: StudySpec, units: tuple[str, ...]) -> Resampling | None:
    """How clusters are resampled, where the analysis asks for it instead of the sandwich."""
    if analysis.interval is None:
        return None
    percentile = analysis.interval.method == "percentile"
    if percentile and len(units) > 1:
        raise SpecificationError(
            f"analysis {analysis.id}: three bootstraps over {' and '.join(units)} have no percentiles in common",
            where=f"study.yaml, analyses, {analysis.id}, interval",
            fix="set interval: {method: bootstrap}, or an independent_unit of one dimension",
        )
    return Resampling(
        rounds=bootstrap_rounds(analysis), seed=spec.seed_of(analysis), analysis=analysis.id, percentile=percentile
    )


def _every_pair(declared: list[Pair], spec: StudySpec) -> list[Pair]:
    """The declared pairs, then the others, oriented as in `systems`."""
    ids = spec.system_ids
    known = {frozenset(pair) for pair in declared}
    others = [(one, other) for place, one in enumerate(ids) for other in ids[place + 1 :]]
    return declared + [pair for pair in others if frozenset(pair) not in known]


def _rows(
    cut: Cut,
    judgments: ir.Table,
    result: BradleyTerryResult,
    pairs: list[Pair],
    tested: list[Pair],
    analysis: BradleyTerry,
    spec: StudySpec,
) -> Iterator[Estimate]:
    label: Callable[..., Estimate] = partial(labelled, cut)
    whole = _behind(cut, judgments, analysis, spec)
    inside = _behind_components(cut, judgments, result, analysis, spec)
    component = dict(zip(spec.system_ids, result.graph.component.tolist()))
    split = result.graph.split()
    for system, rating in zip(spec.system_ids, result.ratings):
        row = partial(label, subject=system, **whole)
        yield row(Statistic.RATING, Unit.ELO, rating.rating, interval=rating.interval)
        yield row(Statistic.GAMES, Unit.COUNT, Quantity.of(rating.n_games))
        number = Quantity.of(component[system], *split) if component[system] else rating.rating
        yield row(Statistic.COMPONENT, Unit.COMPONENT, number)
    if result.tie_parameter is not None:
        yield label(
            Statistic.TIE_PARAMETER,
            Unit.RATIO,
            result.tie_parameter.nu,
            subject=STUDY,
            subject_kind="study",
            interval=result.tie_parameter.interval,
            **whole,
        )
    for pair, contrast in zip(pairs, result.differences):
        subject, comparator = pair
        behind = inside.get(component[subject], whole) if component[subject] == component[comparator] else whole
        row = partial(label, subject=subject, comparator=comparator, **behind)
        yield row(Statistic.RATING_DIFFERENCE, Unit.ELO, contrast.difference, interval=contrast.interval)
        if pair in tested:
            yield row(
                Statistic.RATING_DIFFERENCE_T,
                Unit.T,
                contrast.test.statistic,
                test=contrast.test,
                n_clusters=contrast.interval.n_clusters,
            )
        yield row(
            Statistic.WIN_PROBABILITY,
            Unit.PROBABILITY,
            contrast.win_probability,
            interval=contrast.win_probability_interval,
        )


def _behind_components(
    cut: Cut, judgments: ir.Table, result: BradleyTerryResult, analysis: BradleyTerry, spec: StudySpec
) -> dict[int, dict[str, Any]]:
    """Columns of what is estimated from the games inside one component, where there is more than one."""
    if result.graph.n_components == 1:
        return {}
    components = range(1, result.graph.n_components + 1)
    members = {number: [spec.system_ids[code] for code in result.graph.members(number)] for number in components}
    return {
        number: _behind(
            cut,
            judgments.filter(judgments.system_1.isin(systems), judgments.system_2.isin(systems)),
            analysis,
            spec,
            f" AND {among(systems)}",
        )
        for number, systems in members.items()
        if len(systems) > 1
    }


def _behind(
    cut: Cut, judgments: ir.Table, analysis: BradleyTerry, spec: StudySpec, condition: str = ""
) -> dict[str, Any]:
    counts = count_all(judgments, rated_outcomes(analysis.ties))
    return {"source": _source(cut, analysis, spec, condition), **counts.columns()}


def _source(cut: Cut, analysis: BradleyTerry, spec: StudySpec, condition: str = "") -> str:
    rated = with_outcomes(rated_outcomes(analysis.ties))
    return source_query(cut, VIEW, analysis, spec, rated + condition)
