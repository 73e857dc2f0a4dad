"""`length_effects` of a specification: whether the longer output wins, to rows of `estimates`.

Belongs here: the labels of METHODS 9. Does not: the statistics (`juryline.estimators.length_effects`), nor which
output was shown and how long it is (`lengths`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import ibis.expr.types as ir
import numpy as np

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import LengthEffects
from data_contracts.vocabulary import Statistic, Unit
from juryline.analyses.comparisons import OUTCOMES, VIEW, Counts, count_all, count_by_system, of_system
from juryline.analyses.cuts import (
    cluster_codes,
    codes,
    cuts,
    independent_unit,
    source_query,
    unit_columns,
)
from juryline.analyses.families import with_holm
from juryline.analyses.labelling import STUDY, labelled
from juryline.analyses.lengths import BOTH_KNOWN, FIRST_LONGER, NOT_RECORDED, SECOND_LONGER, known_only, measured
from juryline.estimators.games import Outcome
from juryline.estimators.length_effects import (
    NO_PREFERENCE,
    GamesByLength,
    LengthEffectsResult,
    length_effects,
    longer_wins,
)
from juryline.estimators.quantity import Quantity, Test
from juryline.estimators.rates import Rate

Label = Callable[..., Estimate]

_EVERY_OUTCOME = tuple(OUTCOMES.values())


def length_effects_rows(analysis: LengthEffects, spec: StudySpec, views: Mapping[str, ir.Table]) -> list[Estimate]:
    """Every estimate of a `length_effects` analysis.

    Parameters
    ----------
    analysis : LengthEffects
    spec : StudySpec
    views : mapping of str to ibis Table
        `comparisons` and `output_lengths`.

    Notes
    -----
    A game with a length that is not known is out, and counted in `length_unknown`. Where a system has games but none
    with both lengths known, its rows are not_estimable, length_not_recorded. The tests of all systems and criteria are
    one family.
    """
    rows: list[Estimate] = []
    for cut, compared in cuts(analysis, spec, measured(analysis, views)):
        known, unknown = known_only(compared), _count_unknown(compared)
        played = _read_played(known, independent_unit(analysis, spec, cut.population), spec)
        rows += _system_rows(cut, known, unknown, played, analysis, spec)
        rows += _study_rows(cut, known, sum(unknown.values()), played, analysis, spec)
    return with_holm(rows, analysis, len(spec.criteria_of(analysis)) * len(spec.systems))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Played:
    """Games with known lengths, counted by pair, outcome, length relation and cluster: arrays of one length."""

    systems: tuple[np.ndarray, np.ndarray]
    outcome: np.ndarray
    longer: np.ndarray
    games: np.ndarray
    clusters: tuple[np.ndarray, ...]

    def seen_from(self, system: int) -> GamesByLength:
        sides = [codes == system for codes in self.systems]

        def both(of_each: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
            return np.concatenate([values[chosen] for values, chosen in zip(of_each, sides)])

        won = (self.outcome == Outcome.FIRST, self.outcome == Outcome.SECOND)
        return GamesByLength(
            wins=both((self.games * won[0], self.games * won[1])),
            games=both((self.games, self.games)),
            longer=both((self.longer == FIRST_LONGER, self.longer == SECOND_LONGER)),
            clusters=tuple(both((codes, codes)) for codes in self.clusters),
        )

    def longer_wins(self, *, level: float) -> Rate:
        decisive = np.isin(self.outcome, [Outcome.FIRST, Outcome.SECOND]) & (self.longer > 0)
        longer_won = (self.outcome == Outcome.FIRST) == (self.longer == FIRST_LONGER)
        return longer_wins(
            self.games * (decisive & longer_won),
            self.games * decisive,
            self.clusters,
            n_known=int(self.games.sum()),
            level=level,
        )


def _read_played(known: ir.Table, units: tuple[str, ...], spec: StudySpec) -> _Played:
    played = unit_columns(known.filter(known.outcome.notnull()), units)
    clusters = [f"cluster_{place}" for place in range(1, len(units) + 1)]
    keys = ["system_1", "system_2", "outcome", "longer", *clusters]
    read = played.group_by(keys).agg(games=played.count()).to_pyarrow()
    arrays = [
        *(codes(read[name], spec.system_ids) for name in ("system_1", "system_2")),
        codes(read["outcome"], _EVERY_OUTCOME),
        read["longer"].to_numpy(),
        *(cluster_codes(read[name], unit) for name, unit in zip(clusters, units)),
    ]
    order = np.lexsort(arrays[::-1])
    first, second, outcome, longer, *of_clusters = (array[order] for array in arrays)
    return _Played(
        systems=(first, second),
        outcome=outcome,
        longer=longer,
        games=read["games"].to_numpy()[order],
        clusters=tuple(of_clusters),
    )


def _count_unknown(compared: ir.Table) -> dict[frozenset[str], int]:
    """Games of each pair of systems of which a length is not known."""
    unknown = compared.filter(compared.outcome.notnull(), compared.longer.isnull())
    counted: dict[frozenset[str], int] = {}
    for row in unknown.group_by("system_1", "system_2").agg(n=unknown.count()).to_pyarrow().to_pylist():
        pair = frozenset((row["system_1"], row["system_2"]))
        counted[pair] = counted.get(pair, 0) + row["n"]
    return counted


def _system_rows(
    cut: Cut,
    known: ir.Table,
    unknown: Mapping[frozenset[str], int],
    played: _Played,
    analysis: LengthEffects,
    spec: StudySpec,
) -> Iterator[Estimate]:
    behind = count_by_system(known)
    for code, system in enumerate(spec.system_ids):
        counts = behind.get(system, Counts())
        n_unknown = sum(n for pair, n in unknown.items() if system in pair)
        source = source_query(cut, VIEW, analysis, spec, f"{of_system(system)} AND {BOTH_KNOWN}")
        label: Label = partial(labelled, cut, subject=system, source=source, **counts.columns())
        result = length_effects(played.seen_from(code), level=analysis.confidence)
        yield from _rows(label, result, none=NOT_RECORDED if n_unknown and not counts.n_games else None)
        yield label(Statistic.LENGTH_UNKNOWN, Unit.COUNT, Quantity.of(n_unknown))


def _rows(label: Label, result: LengthEffectsResult, none: Quantity | None) -> Iterator[Estimate]:
    """Rows of one system; `none` stands for every number where no length is known."""
    for statistic, rate in (
        (Statistic.P_WIN, result.p_win),
        (Statistic.P_LONGER, result.p_longer),
        (Statistic.P_WIN_GIVEN_LONGER, result.p_win_given_longer),
        (Statistic.P_LONGER_GIVEN_WIN, result.p_longer_given_win),
    ):
        yield _rate_row(label, statistic, Unit.PROBABILITY, rate, none)
    interval = result.contrast_interval if none is None else result.contrast_interval.without(none)
    yield label(Statistic.LENGTH_CONTRAST, Unit.PROBABILITY, none or result.contrast, interval=interval)
    for statistic, test in (
        (Statistic.LENGTH_CONTRAST_T, result.contrast_test),
        (Statistic.LENGTH_T_SEED, result.seed_test),
    ):
        told = test if none is None else Test(statistic=none, null_value=test.null_value)
        yield label(statistic, Unit.T, told.statistic, test=told)


def _study_rows(
    cut: Cut, known: ir.Table, n_unknown: int, played: _Played, analysis: LengthEffects, spec: StudySpec
) -> Iterator[Estimate]:
    counts = count_all(known, _EVERY_OUTCOME)
    source = source_query(cut, VIEW, analysis, spec, f"outcome IS NOT NULL AND {BOTH_KNOWN}")
    label: Label = partial(labelled, cut, subject=STUDY, subject_kind="study", source=source, **counts.columns())
    rate = played.longer_wins(level=analysis.confidence)
    none = NOT_RECORDED if n_unknown and not counts.n_games else None
    yield _rate_row(label, Statistic.LONGER_WINS, Unit.SHARE, rate, none, null_value=NO_PREFERENCE)
    yield label(Statistic.LENGTH_UNKNOWN, Unit.COUNT, Quantity.of(n_unknown))


def _rate_row(
    label: Label, statistic: Statistic, unit: Unit, rate: Rate, none: Quantity | None, **columns: float
) -> Estimate:
    interval = rate.interval if none is None else rate.interval.without(none)
    return label(statistic, unit, none or rate.rate, interval=interval, n_units=rate.n_games, **columns)
