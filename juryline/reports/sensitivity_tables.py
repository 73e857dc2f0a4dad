"""What became of each number under the declared scenarios: one row a number, beside it its range over the scenarios.

Belongs here: the table of an analysis. Does not: the estimates of single scenarios, which `estimates.csv` holds.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from data_contracts.specification import StudySpec
from data_contracts.vocabulary import Statistic
from juryline.reports.plain_words import METHODS, spoken
from juryline.reports.reading import Reading, group_heading, statistic_label
from juryline.reports.reported import Numbers, Reported
from juryline.reports.table_view import Cell, Group, Heading, Row, TableView, capped

S = Statistic
_Share = tuple[Statistic, str, str]  # with its heading and what it says
_SHARES: tuple[_Share, ...] = (
    (
        S.SAME_SIGN_SHARE,
        "same sign",
        "Same sign: share of these in which the number lies on the same side of its null value as declared.",
    ),
    (
        S.SAME_SIGNIFICANCE_SHARE,
        "same verdict",
        "Same verdict: share, of those with a p-value, in which it is on the same side of the deciding alpha.",
    ),
)
_Place = tuple[object, ...]


def sensitivity_tables(spec: StudySpec, numbers: Numbers, *, interim: bool) -> list[TableView]:
    """A table an analysis that was repeated."""
    rows = numbers.sensitivity()
    told = {_place(row, row.dimensions): row for row in rows}
    tables = []
    repeated = {row.analysis for row in rows}
    for id in sorted(repeated, key=[analysis.id for analysis in spec.analyses].index):
        reading = Reading(spec=spec, numbers=numbers, analysis=id, alpha=(), stars_allowed=not interim, placed=set())
        least = [row for row in rows if row.analysis == id and row.statistic == S.ESTIMATE_MIN]
        least.sort(key=partial(_order, spec))
        tables.append(_table(reading, least, told))
    return tables


def _order(spec: StudySpec, row: Reported) -> tuple[Any, ...]:
    """Populations, statistics and systems as they are declared."""
    systems = {id: place for place, id in enumerate(spec.system_ids)}
    populations = {population.id: place for place, population in enumerate(spec.raters.populations)}
    return (
        row.criterion,
        *(row.slice, row.slice_value),
        populations.get(row.population.split("+")[0], 0),
        list(S).index(S(row.dimensions["of"])),
        *(systems.get(name or "", -1) for name in (row.subject, row.comparator)),
        row.estimate_id,
    )


def _table(reading: Reading, least: Sequence[Reported], told: Mapping[_Place, Reported]) -> TableView:
    shares = [share for share in _SHARES if any(_of(row, share[0], told) for row in least)]
    groups: dict[str, list[Row]] = {}
    for row in least:
        groups.setdefault(group_heading(reading.spec, row), []).append(_row(reading, row, told, shares))
    kept, omitted = capped([Group(heading=heading, rows=rows) for heading, rows in groups.items()])
    names = ["as declared", "least", "greatest", "scenarios", *(heading for _, heading, _ in shares)]
    return TableView(
        caption=f"{spoken(least[0].method, METHODS)}: {reading.analysis}",
        headings=[Heading(text="Number"), *(Heading(text=name, number=True) for name in names)],
        groups=kept,
        omitted=omitted,
        notes=[_SCENARIOS, *(note for _, _, note in shares)],
    )


_SCENARIOS = "Scenarios: those that give the number, of all that differ in their judgments or their tie rule."


def _row(reading: Reading, least: Reported, told: Mapping[_Place, Reported], shares: Sequence[_Share]) -> Row:
    greatest = told[_place(least, least.dimensions, S.ESTIMATE_MAX)]
    declared = reading.numbers.as_declared(least)
    other_ties = least.dimensions.get("ties") not in (None, _declared_ties(reading))
    cells, estimable = (told[_place(least, _without_ties(least), name)] for name in (S.CELLS, S.CELLS_ESTIMABLE))
    others = [_of(least, statistic, told) for statistic, _, _ in shares]
    ties = least.dimensions.get("ties")
    label = statistic_label(declared) + (f" (ties: {ties})" if ties else "")
    shown = [row for row in (least, greatest, cells, estimable, *others) if row is not None]
    return Row(
        cells=[
            Cell(text=label),
            Cell() if other_ties else Cell(text=reading.value(declared), absent=declared.value is None),
            *(Cell(text=reading.value(row), absent=row.value is None) for row in (least, greatest)),
            Cell(text=f"{reading.value(estimable)} of {reading.value(cells)}"),
            *(
                Cell(text="" if row is None else reading.value(row), absent=row is None or row.value is None)
                for row in others
            ),
        ],
        anchor=reading.anchor(least),
        ids=[row.estimate_id for row in shown],
    )


def _declared_ties(reading: Reading) -> str | None:
    analysis = next(analysis for analysis in reading.spec.analyses if analysis.id == reading.analysis)
    return getattr(analysis, "ties", None)


def _of(least: Reported, statistic: Statistic, told: Mapping[_Place, Reported]) -> Reported | None:
    return told.get(_place(least, _without_ties(least), statistic))


def _without_ties(row: Reported) -> dict[str, object]:
    return {name: value for name, value in row.dimensions.items() if name != "ties"}


def _place(row: Reported, dimensions: Mapping[str, object], statistic: str | None = None) -> _Place:
    named = tuple((name, str(value)) for name, value in dimensions.items())
    return (statistic or row.statistic, row.analysis, *row.group, row.subject, row.comparator, named)
