"""One section an analysis: what was declared, its chart, its tables, its slices.

Rows stand in the order of the specification (criteria, populations, systems, pairs), so that two reports
of one study can be read side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Analysis
from data_contracts.specification_rubric import level_text
from data_contracts.vocabulary import Statistic
from juryline.reports.analysis_charts import figures
from juryline.reports.confusion_tables import CONFUSIONS, confusion_tables
from juryline.reports.estimate_tables import estimate_table
from juryline.reports.figures import Figure
from juryline.reports.method_views import HOW_TO_READ, VIEWS, View
from juryline.reports.numbers import plain_text
from juryline.reports.plain_words import METHODS, spoken
from juryline.reports.reading import POOLED, Reading, group_heading, statistic_label
from juryline.reports.reported import Numbers, Reported, without_tests
from juryline.reports.table_view import TableView


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Tables that are closed until asked for."""

    summary: str
    tables: tuple[TableView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisSection:
    """A section of the report. `facts` are (name, what was declared)."""

    anchor: str
    title: str
    method: str
    how_to_read: str
    facts: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    figures: tuple[Figure, ...]
    tables: tuple[TableView, ...]
    folds: tuple[Fold, ...]


def analysis_sections(spec: StudySpec, numbers: Numbers, *, interim: bool) -> list[AnalysisSection]:
    """A section for each declared analysis, then one for each other whose estimates are there."""
    placed: set[str] = set()
    declared = {analysis.id: analysis for analysis in spec.analyses}
    others = sorted({row.analysis for row in numbers.rows} - set(declared))
    sections = []
    for id in (*declared, *others):
        analysis = declared.get(id)
        reading = Reading(
            spec=spec,
            numbers=numbers,
            analysis=id,
            alpha=tuple(getattr(analysis, "alpha", ())),
            stars_allowed=not interim,
            placed=placed,
        )
        sections.append(_section(reading, analysis))
    return sections


def _section(reading: Reading, analysis: Analysis | None) -> AnalysisSection:
    rows = _in_order(reading, reading.numbers.of(reading.analysis))
    method = analysis.method if analysis is not None else rows[0].method
    unsliced = [row for row in rows if not row.sliced]
    sliced = [row for row in rows if row.sliced]
    views = VIEWS.get(method, ())
    shown: set[str] = set()
    open_tables = [t for view in views if not view.folded and (t := _table(reading, view, unsliced, shown))]
    folds = []
    for view in views:
        if view.folded and (table := _table(reading, view, unsliced, shown)):
            folds.append(Fold(summary=view.caption, tables=(table,)))
    shown.update(row.estimate_id for row in unsliced if row.statistic == Statistic.CONFUSION)
    confusions = confusion_tables(reading, unsliced)
    if len(confusions) == 1:
        open_tables += confusions
    elif confusions:
        folds.append(Fold(summary=f"{CONFUSIONS} ({len(confusions)})", tables=tuple(confusions)))
    seen = shown | reading.placed
    rest = [row for row in without_tests(unsliced) if row.estimate_id not in seen]
    if rest:
        table = _plain(reading, "Further numbers" if views else "Estimates", rest)
        if views:
            folds.append(Fold(summary=f"Further numbers ({len(rest)})", tables=(table,)))
        else:
            open_tables.append(table)
    if sliced:
        folds.append(_slices(reading, views, sliced))
    return AnalysisSection(
        anchor=f"analysis-{reading.analysis}",
        title=f"{spoken(method, METHODS)}: {reading.analysis}",
        method=method,
        how_to_read=HOW_TO_READ.get(method, ""),
        facts=_facts(reading, analysis, unsliced),
        remarks=tuple(_remarks(reading, analysis, rows)),
        figures=tuple(figures(reading, method, unsliced)),
        tables=tuple(open_tables),
        folds=tuple(folds),
    )


def _table(reading: Reading, view: View, rows: Sequence[Reported], shown: set[str]) -> TableView | None:
    members = [row for row in rows if view.holds(row) and (not view.passing or _passes(reading, row))]
    if not members:
        return None
    members.sort(key=lambda row: (view.statistics.index(Statistic(row.statistic)), _index(reading.alpha, _alpha(row))))
    if view.best_first:
        members.sort(key=lambda row: (row.value is None, -(row.value or 0)))
    shown.update(row.estimate_id for row in members)
    return estimate_table(
        reading,
        view.caption,
        _grouped(reading, members),
        subject=view.subject,
        value=view.value,
        label=view.label,
        beside=view.beside,
        counts=view.counts,
    )


def _passes(reading: Reading, row: Reported) -> bool:
    """Whether the label of a row is a passing one; every label is where none passes."""
    spec = reading.spec
    criteria = spec.criteria.values() if row.criterion == POOLED else filter(None, [spec.criteria.get(row.criterion)])
    passing = {level_text(level) for c in criteria if c.scale is not None for level in c.scale.pass_}
    return not passing or row.dimensions.get("label") in passing


def _plain(reading: Reading, caption: str, rows: Sequence[Reported]) -> TableView:
    """Every row with the name of its statistic."""
    groups = _grouped(reading, rows)
    return estimate_table(reading, caption, groups, subject="Number", value="Value", label=statistic_label)


def _slices(reading: Reading, views: Sequence[View], rows: Sequence[Reported]) -> Fold:
    shown: set[str] = set()
    tables = [table for view in views if not view.folded and (table := _table(reading, view, rows, shown))]
    if not views:
        tables.append(_plain(reading, "Estimates", without_tests(rows)))
    values = {(row.slice, row.slice_value) for row in rows}
    names = ", ".join(sorted({row.slice.replace("*", " × ") for row in rows}))
    return Fold(
        summary=f"Slices by {names}: {len(values)} values, {len(rows)} numbers, all in estimates.csv",
        tables=tuple(tables),
    )


def _grouped(reading: Reading, rows: Sequence[Reported]) -> list[tuple[str, list[Reported]]]:
    groups: dict[tuple[str, str, str, str], list[Reported]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    order = {group: place for place, group in enumerate(dict.fromkeys(row.group for row in _in_order(reading, rows)))}
    return [
        (group_heading(reading.spec, members[0]), members)
        for group, members in sorted(groups.items(), key=lambda item: order[item[0]])
    ]


def _in_order(reading: Reading, rows: Sequence[Reported]) -> list[Reported]:
    spec = reading.spec
    criteria, populations, systems = list(spec.criteria), list(spec.populations), list(spec.system_ids)
    analysis = next((a for a in spec.analyses if a.id == reading.analysis), None)
    pairs = list(spec.pairs_of(analysis)) if analysis is not None else []

    def place(row: Reported) -> tuple[object, ...]:
        pair = (row.subject, row.comparator)
        return (
            _index(criteria, row.criterion) if row.criterion != POOLED else len(criteria) + 1,
            _index(populations, row.population),
            row.slice,
            row.slice_value,
            row.comparator is not None,
            _index(pairs, pair),
            _index(systems, row.subject),
            row.subject,
            row.estimate_id,
        )

    return sorted(rows, key=place)


def _alpha(row: Reported) -> object:
    return row.dimensions.get("alpha")


def _index(order: Sequence[object], value: object) -> int:
    return order.index(value) if value in order else len(order)


def _facts(reading: Reading, analysis: Analysis | None, rows: Sequence[Reported]) -> tuple[tuple[str, str], ...]:
    if analysis is None:
        return ()
    spec = reading.spec
    criteria = ", ".join(dict.fromkeys(row.criterion.replace(POOLED, "all pooled") for row in rows)) or "none"
    facts = [("criterion", criteria)]
    names = dict.fromkeys(name for row in rows for name in row.population.split("+"))
    for population in (name for name in names if name in spec.populations):
        unit = spec.independent_unit_of(analysis, population)
        told = " and ".join(unit) if unit else "rater, by default"
        facts.append((f"independent unit, {population}", told))
    left_out = {"id", "method", "criterion", "independent_unit", "pairs"}
    for name in type(analysis).model_fields:
        value = getattr(analysis, name)
        if name in left_out or value is None or value is False or value == ():
            continue
        default = "" if name in analysis.model_fields_set else ", by default"
        facts.append((name.rstrip("_").replace("_", " "), _told(value) + default))
    if getattr(analysis, "seed", None) is None:
        facts.append(("seed", f"{spec.seed}, of the study"))
    return tuple(facts)


def _told(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(_told(item) for item in value)
    if hasattr(type(value), "model_fields"):
        named = ((name, getattr(value, name)) for name in type(value).model_fields)  # type: ignore[attr-defined]
        return ", ".join(f"{name} {_told(item)}" for name, item in named if item is not None)
    return plain_text(value)


def _remarks(reading: Reading, analysis: Analysis | None, rows: Sequence[Reported]) -> list[str]:
    told = []
    if analysis is None:
        told.append("The specification does not declare this analysis.")
    if not rows:
        told.append("No estimate was made.")
    if any(row.outcome_dependent for row in rows):
        told.append("An exclusion rule that reads answers came before these numbers, so they depend on it.")
    return told
