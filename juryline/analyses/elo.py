"""`elo` of a specification: ratings over random game orders, to rows of `estimates`.

Belongs here: in which order games are read, which differences are given, and the labels of METHODS 5. Does not:
the ratings (`juryline.estimators.elo`).
"""

from collections.abc import Callable, Iterator
from functools import partial

import ibis.expr.types as ir

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import AS_DELIVERED, Elo
from data_contracts.vocabulary import Statistic, Unit
from juryline.analyses.comparisons import (
    BY_DELIVERY,
    BY_JUDGMENT,
    VIEW,
    Pair,
    bootstrap_rounds,
    clustered_by,
    count_all,
    pair_codes,
    rated_outcomes,
    read_games,
    with_outcomes,
)
from juryline.analyses.cuts import cuts, declared_pairs, source_query
from juryline.analyses.labelling import labelled
from juryline.estimators.elo import EloResult, elo_ratings
from juryline.estimators.quantity import Quantity


def elo_rows(analysis: Elo, spec: StudySpec, view: ir.Table) -> list[Estimate]:
    """Every estimate of an `elo` analysis.

    Parameters
    ----------
    analysis : Elo
    spec : StudySpec
    view : ibis Table
        `comparisons`.

    Raises
    ------
    SpecificationError
        As `clustered_by` and `bootstrap_rounds`.

    Notes
    -----
    One set of ratings a criterion, and no mean over criteria. A single pass has no Monte-Carlo error and no spread
    over orders: those rows are then not there.
    """
    orderings = None if isinstance(analysis.orderings, str) else analysis.orderings
    pairs = _pairs(analysis, spec)
    rows: list[Estimate] = []
    for cut, judgments in cuts(analysis, spec, view):
        units = clustered_by(analysis, spec, cut.population)
        result = elo_ratings(
            read_games(judgments, units, spec, BY_DELIVERY if orderings is None else BY_JUDGMENT),
            k=analysis.k,
            start=analysis.start,
            ties=analysis.ties,
            orderings=orderings,
            pairs=pair_codes(pairs, spec),
            rounds=bootstrap_rounds(analysis),
            level=analysis.confidence,
            seed=spec.seed_of(analysis),
            analysis=analysis.id,
        )
        rows += _rows(cut, judgments, result, pairs, analysis, spec)
    return rows


def _pairs(analysis: Elo, spec: StudySpec) -> list[Pair]:
    """The declared pairs; else every other system against the reference; else all."""
    if analysis.pairs is None and spec.reference is not None:
        return [(system, spec.reference) for system in spec.system_ids if system != spec.reference]
    return declared_pairs(analysis, spec)


def _rows(
    cut: Cut, judgments: ir.Table, result: EloResult, pairs: list[Pair], analysis: Elo, spec: StudySpec
) -> Iterator[Estimate]:
    outcomes = rated_outcomes(analysis.ties)
    label: Callable[..., Estimate] = partial(
        labelled,
        cut,
        source=source_query(cut, VIEW, analysis, spec, with_outcomes(outcomes)),
        seed=None if analysis.orderings == AS_DELIVERED else spec.seed_of(analysis),
        **count_all(judgments, outcomes).columns(),
    )
    for system, rating, n_games in zip(spec.system_ids, result.ratings, result.n_games):
        row = partial(label, subject=system)
        yield row(Statistic.RATING, Unit.ELO, rating.value, interval=rating.interval)
        if analysis.orderings != AS_DELIVERED:
            yield row(Statistic.RATING_MC_ERROR, Unit.ELO, rating.mc_error)
            yield row(Statistic.RATING_ORDER_SD, Unit.ELO, rating.order_sd)
        yield row(Statistic.GAMES, Unit.COUNT, Quantity.of(n_games), seed=None)
    for (subject, comparator), difference in zip(pairs, result.differences):
        yield label(
            Statistic.RATING_DIFFERENCE,
            Unit.ELO,
            difference.value,
            subject=subject,
            comparator=comparator,
            interval=difference.interval,
        )
