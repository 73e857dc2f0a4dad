"""`order_effects` of a specification: whether the one shown first is preferred, to rows of `estimates`.

Belongs here: the labels of METHODS 8, and whether the order on the screen is known. Does not: the statistics
(`juryline.estimators.order_effects`). Rankings have no rows: their outputs are shown together, not one before another
in pairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import ibis
import ibis.expr.types as ir

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import OrderEffects
from data_contracts.statistics import UNITS
from data_contracts.vocabulary import CandidateOrder, Reason, Statistic, Status, Unit
from juryline.analyses.both_orders import in_both_orders, read_both_orders
from juryline.analyses.comparisons import OUTCOMES, VIEW, Counts, count_all, read_tallies, with_outcomes
from juryline.analyses.cuts import (
    cuts,
    independent_unit,
    populations,
    source_conditions,
    source_query,
    sql_text,
)
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.shown_order import why_order_unknown
from juryline.estimators.games import Outcome
from juryline.estimators.order_effects import (
    FEWEST_GAMES_OF_A_RATER,
    NO_PREFERENCE,
    FirstAdvantageResult,
    PositionSharesResult,
    first_advantage,
    order_consistency,
    position_shares,
)
from juryline.estimators.quantity import Quantity
from juryline.estimators.rates import Rate

GAMES = tuple(OUTCOMES.values())
DECISIVE = (OUTCOMES[Outcome.FIRST], OUTCOMES[Outcome.SECOND])
KNOWN = "order_collected"
_JOIN = "/"  # no id of a system contains it
_MEANINGLESS = {
    CandidateOrder.NOT_RECORDED: Reason.ORDER_NOT_RECORDED,
    CandidateOrder.FIXED: Reason.ORDER_CONFOUNDED_WITH_SYSTEM,
}
_SHARES = (Statistic.FIRST_SHARE, Statistic.SECOND_SHARE, Statistic.TIE_SHARE, Statistic.BOTH_FAIL_SHARE)
_WITHIN_RATERS = (Statistic.ORDER_CONSISTENCY, Statistic.FLIP_FIRST, Statistic.FLIP_SECOND, Statistic.FLIP_TIE)
_EVERY_SHARE = (*_SHARES, Statistic.FIRST_SHARE_DECISIVE, Statistic.FIRST_ADVANTAGE, *_WITHIN_RATERS)


def order_effects_rows(analysis: OrderEffects, spec: StudySpec, view: ir.Table) -> list[Estimate]:
    """Every estimate of an `order_effects` analysis.

    Parameters
    ----------
    analysis : OrderEffects
    spec : StudySpec
    view : ibis Table
        `comparisons`.

    Notes
    -----
    Where the declared order of a population is not_recorded or fixed, and where no judgment's order is known, every
    row is not_estimable; order_not_declared where nothing says how the order came about. Judgments without a known
    order are left out where others have one; the rows then carry the reason. Raters have a row from five decisive games
    on, without interval or test.
    """
    return [
        row for cut, judgments in cuts(analysis, spec, view) for row in _Rows(cut, judgments, analysis, spec).rows()
    ]


@dataclass(frozen=True)
class _Rows:
    """The rows of one cut."""

    cut: Cut
    judgments: ir.Table
    analysis: OrderEffects
    spec: StudySpec

    def rows(self) -> Iterator[Estimate]:
        if self._why_not:
            yield from self._refused()
            return
        tallies = read_tallies(self._known, self._units, self.spec)
        yield from self._share_rows(position_shares(tallies, level=self.analysis.confidence))
        yield from self._advantage_rows(first_advantage(tallies, level=self.analysis.confidence))
        yield from self._consistency_rows()
        yield from self._rater_rows()

    @cached_property
    def _units(self) -> tuple[str, ...]:
        return independent_unit(self.analysis, self.spec, self.cut.population)

    @cached_property
    def _known(self) -> ir.Table:
        return self.judgments.filter(self.judgments[KNOWN])

    @property
    def _why_not(self) -> tuple[Reason, ...]:
        """Why no position is known; nothing where some are."""
        declared = {self.spec.order_of(member) for member in self._members}
        reasons = {_MEANINGLESS[order] for order in declared if order in _MEANINGLESS}
        if not self._played.n_games and (self._every.n_games or declared == {None}):
            reasons.update(why_order_unknown(self._members, self.spec))
        return tuple(sorted(reasons))

    @property
    def _left_out(self) -> tuple[Reason, ...]:
        has_unknown = self._played.n_games < self._every.n_games
        return why_order_unknown(self._members, self.spec) if has_unknown else ()

    @cached_property
    def _members(self) -> tuple[str, ...]:
        return dict(populations(self.analysis, self.spec))[self.cut.population]

    def _refused(self) -> Iterator[Estimate]:
        none = Quantity.missing(Status.NOT_ESTIMABLE, *self._why_not)
        columns = self._every.columns()
        source = self._source(with_outcomes(GAMES))
        for statistic in (*_EVERY_SHARE, Statistic.FIRST_SHARE_DECISIVE_T):
            unit = UNITS[self.cut.method][statistic]
            yield self._row(statistic, none, unit=unit, source=source, **columns)

    def _share_rows(self, result: PositionSharesResult) -> Iterator[Estimate]:
        shares = (result.first, result.second, result.ties, result.both_fail)
        for statistic, rate in zip(_SHARES, shares):
            yield self._rate_row(statistic, rate, self._played, self._source(KNOWN, with_outcomes(GAMES)))
        counts, source = self._decided, self._source(KNOWN, with_outcomes(DECISIVE))
        statistic = Statistic.FIRST_SHARE_DECISIVE
        yield self._rate_row(statistic, result.decisive, counts, source, null_value=NO_PREFERENCE)
        test = result.decisive_test
        yield self._row(
            Statistic.FIRST_SHARE_DECISIVE_T,
            test.statistic,
            unit=Unit.T,
            test=test,
            source=source,
            reason=self._left_out,
            **counts.columns() | {"n_clusters": result.decisive.interval.n_clusters},
        )

    def _advantage_rows(self, result: FirstAdvantageResult) -> Iterator[Estimate]:
        counts, conditions = self._decided, [KNOWN, with_outcomes(DECISIVE)]
        if result.left_out:
            left_out = self._named(result.left_out)
            counts = self._counts(self._known.filter(_pair(self._known).notin(left_out)), DECISIVE)
            conditions.append(f"{_PAIR_SQL} NOT IN ({', '.join(map(sql_text, left_out))})")
        yield self._row(
            Statistic.FIRST_ADVANTAGE,
            result.advantage,
            unit=Unit.PROBABILITY,
            interval=result.interval,
            null_value=NO_PREFERENCE,
            reason=self._left_out,
            source=self._source(*conditions),
            **counts.columns(),
        )
        source = self._source(KNOWN, with_outcomes(DECISIVE))
        for orders, pairs in ((2, result.pairs), (1, result.left_out)):
            yield self._row(
                Statistic.N_PAIRS,
                Quantity.of(len(pairs)),
                unit=Unit.COUNT,
                dimensions={"orders": orders},
                source=source,
                **self._decided.columns(),
            )

    def _consistency_rows(self) -> Iterator[Estimate]:
        asked = read_both_orders(self._known, self._units, self._every.states)
        result = order_consistency(asked.answers, asked.clusters, level=self.analysis.confidence)
        games = [KNOWN, with_outcomes(GAMES)]
        of_cut = source_conditions(self.cut, self.analysis, self.spec)
        source = self._source(*games, in_both_orders([*of_cut, *games]))
        rates = (result.consistent, result.flip_first, result.flip_second, result.flip_tie)
        for statistic, rate in zip(_WITHIN_RATERS, rates):
            yield self._rate_row(statistic, rate, asked.counts, source)

    def _rater_rows(self) -> Iterator[Estimate]:
        known = self._known
        decisive = known.filter(known.outcome.isin(DECISIVE))
        first = (decisive.outcome == OUTCOMES[Outcome.FIRST]).sum()
        counted = decisive.group_by("rater").agg(n=decisive.count(), first=first, n_cases=decisive.case_id.nunique())
        often = counted.filter(counted.n >= FEWEST_GAMES_OF_A_RATER).order_by("rater")
        for row in often.to_pyarrow().to_pylist():
            yield self._row(
                Statistic.FIRST_SHARE_DECISIVE,
                Quantity.of(row["first"] / row["n"]),
                subject=row["rater"],
                subject_kind="rater",
                null_value=NO_PREFERENCE,
                reason=self._left_out,
                source=self._source(KNOWN, with_outcomes(DECISIVE), f"rater = {sql_text(row['rater'])}"),
                n_judgments=row["n"],
                n_units=row["n"],
                n_cases=row["n_cases"],
                n_raters=1,
            )

    @cached_property
    def _played(self) -> Counts:
        return self._counts(self._known, GAMES)

    @cached_property
    def _decided(self) -> Counts:
        return self._counts(self._known, DECISIVE)

    def _counts(self, chosen: ir.Table, outcomes: Sequence[str]) -> Counts:
        """Counts of judgments with a known order; the states are of all judgments that could have entered."""
        return replace(count_all(chosen, outcomes), states=self._every.states)

    @cached_property
    def _every(self) -> Counts:
        return count_all(self.judgments, GAMES)

    def _named(self, pairs: Sequence[tuple[int, int]]) -> list[str]:
        ids = self.spec.system_ids
        return [_JOIN.join(sorted((ids[one], ids[other]))) for one, other in pairs]

    def _rate_row(
        self, statistic: Statistic, rate: Rate, counts: Counts, source: str, null_value: float | None = None
    ) -> Estimate:
        return self._row(
            statistic,
            rate.rate,
            interval=rate.interval,
            null_value=null_value,
            reason=self._left_out,
            source=source,
            **counts.columns(),
        )

    def _row(
        self,
        statistic: Statistic,
        quantity: Quantity,
        *,
        unit: Unit = Unit.SHARE,
        subject: str = STUDY,
        subject_kind: str = "study",
        **columns: Any,
    ) -> Estimate:
        return labelled(self.cut, statistic, unit, quantity, subject=subject, subject_kind=subject_kind, **columns)

    def _source(self, *conditions: str) -> str:
        return source_query(self.cut, VIEW, self.analysis, self.spec, " AND ".join(conditions))


_PAIR_SQL = f"least(system_1, system_2) || '{_JOIN}' || greatest(system_1, system_2)"


def _pair(view: ir.Table) -> ir.StringValue:
    return ibis.least(view.system_1, view.system_2).concat(_JOIN, ibis.greatest(view.system_1, view.system_2))
