"""`win_rates` of a specification: shares of games won, by system and by pair, to rows of `estimates`.

Belongs here: the labels of METHODS 4. Does not: the rates (`juryline.estimators.win_rates`), nor the mean rank of
rankings, which this version does not have.
"""

from collections.abc import Callable, Iterator
from functools import partial

import ibis.expr.types as ir

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import WinRates
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.comparisons import (
    VIEW,
    Counts,
    among,
    clustered_by,
    count_by_pair,
    count_by_system,
    of_system,
    read_tallies,
)
from juryline.analyses.cuts import cuts, declared_pairs, source_query
from juryline.analyses.labelling import labelled
from juryline.estimators.games import PairTallies
from juryline.estimators.quantity import Quantity
from juryline.estimators.win_rates import WinRatesResult, competition_ranks, win_rates

Label = Callable[..., Estimate]

_NO_GAMES = Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)


def win_rates_rows(analysis: WinRates, spec: StudySpec, view: ir.Table) -> list[Estimate]:
    """Every estimate of a `win_rates` analysis.

    Parameters
    ----------
    analysis : WinRates
    spec : StudySpec
    view : ibis Table
        `comparisons`.

    Raises
    ------
    SpecificationError
        As `clustered_by`.
    """
    rows: list[Estimate] = []
    for cut, judgments in cuts(analysis, spec, view):
        tallies = read_tallies(judgments, clustered_by(analysis, spec, cut.population), spec)
        rows += _system_rows(cut, judgments, tallies, analysis, spec)
        rows += _pair_rows(cut, judgments, tallies, analysis, spec)
    return rows


def _system_rows(
    cut: Cut, judgments: ir.Table, tallies: PairTallies, analysis: WinRates, spec: StudySpec
) -> Iterator[Estimate]:
    counts = count_by_system(judgments)
    results = [win_rates(tallies.seen_from(code), level=analysis.confidence) for code in range(tallies.n_systems)]
    for system, result, rank in zip(spec.system_ids, results, competition_ranks(results)):
        source = source_query(cut, VIEW, analysis, spec, of_system(system))
        behind = counts.get(system, Counts()).columns()
        label: Label = partial(labelled, cut, subject=system, source=source, **behind)
        yield from _rows(label, result)
        yield label(Statistic.RANK, Unit.RANK, _NO_GAMES if rank is None else Quantity.of(rank))


def _pair_rows(
    cut: Cut, judgments: ir.Table, tallies: PairTallies, analysis: WinRates, spec: StudySpec
) -> Iterator[Estimate]:
    counts = count_by_pair(judgments)
    for subject, comparator in declared_pairs(analysis, spec):
        played = counts.get(frozenset((subject, comparator)), Counts()).columns()
        source = source_query(cut, VIEW, analysis, spec, f"outcome IS NOT NULL AND {among((subject, comparator))}")
        label: Label = partial(labelled, cut, subject=subject, comparator=comparator, source=source, **played)
        side = tallies.seen_from(spec.system_ids.index(subject), spec.system_ids.index(comparator))
        yield from _rows(label, win_rates(side, level=analysis.confidence))


def _rows(label: Label, result: WinRatesResult) -> Iterator[Estimate]:
    for statistic, rate in (
        (Statistic.WIN_RATE, result.win_rate),
        (Statistic.WIN_RATE_DECISIVE, result.decisive),
        (Statistic.WIN_RATE_HALF, result.half),
    ):
        yield label(statistic, Unit.SHARE, rate.rate, interval=rate.interval, n_units=rate.n_games)
    for statistic, count in (
        (Statistic.GAMES, result.n_games),
        (Statistic.WINS, result.wins),
        (Statistic.LOSSES, result.losses),
        (Statistic.TIES, result.ties),
        (Statistic.BOTH_FAIL, result.both_fail),
    ):
        yield label(statistic, Unit.COUNT, Quantity.of(count))
