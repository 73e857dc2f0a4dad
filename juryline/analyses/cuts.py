"""Which judgments each estimate of an analysis speaks of: criteria, populations, slices, clusters, sources.

Belongs here: reading an analysis of the specification against a protocol view, the same for every method, and
labels to codes in the order of the specification. Does not: anything that one method computes.
"""

from collections.abc import Iterable, Iterator, Sequence

import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.errors import ContractError, SpecificationError
from data_contracts.estimates import ALL, Cut
from data_contracts.specification import PROTOCOLS_OF_METHOD, StudySpec, can_read
from data_contracts.specification_analyses import RAW, Analysis
from data_contracts.specification_rubric import Criterion, level_text

POOLED = "*"
DEFAULT_UNIT = ("rater",)


def cuts(analysis: Analysis, spec: StudySpec, view: ir.Table) -> Iterator[tuple[Cut, ir.Table]]:
    """Every cut of an analysis with the judgments of the view that belong to it, in a fixed order.

    Each criterion (then `*`, all of them, where declared), in it each population, in it all judgments and then
    each value of each declared slice, values in the order of their text. A judgment without the attribute is in no
    slice of it. A population that the analysis does not name is in no cut of criteria that its exports cannot hold.

    Raises
    ------
    SpecificationError
        A criterion that the method cannot read, a population that is an adjudicator or mixes humans with models.
    """
    named = [criterion.id for criterion in criteria(analysis, spec)]
    groups = [(name, [name]) for name in named] + ([(POOLED, named)] if pools(analysis) else [])
    for criterion, ids in groups:
        for population, members in populations(analysis, spec):
            if analysis.population is None and not any(spec.may_judge(m, id) for m in members for id in ids):
                continue
            chosen = view.filter(
                view.criterion.isin(ids),
                view.population.isin(_stored_as(analysis, population, members)),
                view.item_kind.isin([str(kind) for kind in analysis.include]),
            )
            whole = Cut(analysis=analysis.id, method=analysis.method, criterion=criterion, population=population)
            yield whole, chosen
            for names in spec.slices:
                value = _slice_value(chosen, names)
                for text in _distinct(chosen.select(value=value)):
                    yield _sliced(whole, names, text), chosen.filter(value == text)


def of_slice(cut: Cut, spec: StudySpec, table: ir.Table) -> ir.Table:
    """The rows of a table with attributes that belong to the slice of a cut; all, where it is unsliced."""
    if cut.slice == ALL:
        return table
    return table.filter(_slice_value(table, _names_of(cut, spec)) == cut.slice_value)


def criteria(analysis: Analysis, spec: StudySpec) -> list[Criterion]:
    """Criteria of an analysis: those it names, or with `all` every one that its method can read."""
    declared = list(spec.criteria_of(analysis))
    unread = [criterion.id for criterion in declared if not can_read(analysis.method, criterion)]
    if declared and not unread:
        return declared
    raise SpecificationError(
        f"analysis {analysis.id}: {analysis.method} cannot read criterion {', '.join(unread) or ALL}",
        where=f"study.yaml, analyses, {analysis.id}, criterion",
        fix=f"name criteria of protocol {' or '.join(PROTOCOLS_OF_METHOD[analysis.method])}",
    )


def pools(analysis: Analysis) -> bool:
    """Whether the analysis has rows of a criterion `*`, all its criteria's judgments: `pool`, or a `total`."""
    return bool(getattr(analysis, "pool", False) or getattr(analysis, "total", False))


def populations(analysis: Analysis, spec: StudySpec) -> list[tuple[str, tuple[str, ...]]]:
    """Populations of an analysis by the name its rows carry, each with its members.

    More than one member only where the analysis pools them, never humans with models, never an adjudicator.
    """
    groups = spec.populations_of(analysis)
    for members in groups:
        if any(spec.population(member).adjudicates for member in members):
            raise SpecificationError(
                f"analysis {analysis.id}: population {'+'.join(members)} adjudicates",
                where=f"study.yaml, analyses, {analysis.id}, population",
                fix="name populations without `role: adjudicator`",
            )
        if len({spec.population(member).kind for member in members}) > 1:
            raise SpecificationError(
                f"analysis {analysis.id}: population {'+'.join(members)} pools humans with models",
                where=f"study.yaml, analyses, {analysis.id}, population",
                fix="declare one analysis of the humans and one of the models",
            )
    return [("+".join(members), members) for members in groups]


def declared_pairs(analysis: Analysis, spec: StudySpec) -> list[tuple[str, str]]:
    """Pairs of systems, subject first: those the analysis declares, else all, oriented as in `systems`."""
    return list(spec.pairs_of(analysis))


def independent_unit(analysis: Analysis, spec: StudySpec, population: str) -> tuple[str, ...]:
    """Dimensions that judgments are clustered by: one or two of `rater`, `case` and the case attributes.

    What the analysis declares, else the population, else the claim, else the rater.
    """
    members = dict(populations(analysis, spec))[population]
    units = {spec.independent_unit_of(analysis, member) or DEFAULT_UNIT for member in members}
    if len(units) > 1:
        raise SpecificationError(
            f"analysis {analysis.id}: the populations {population} declare different independent units",
            where=f"study.yaml, analyses, {analysis.id}",
            fix="set independent_unit in the analysis",
        )
    return units.pop()


def unit_columns(view: ir.Table, units: Sequence[str]) -> ir.Table:
    """The view with a text column `cluster_1` (and `cluster_2`) for each dimension of the independent unit.

    The case of a spa answer is the sample that was shown, its `assignment_block`.
    """
    return view.mutate(**{f"cluster_{place}": _unit(view, unit) for place, unit in enumerate(units, start=1)})


def cluster_codes(values: pa.ChunkedArray | Sequence[str | None], unit: str) -> np.ndarray:
    """Codes from 0 of the values of one dimension of the independent unit, in the order of their text."""
    column = _column(values)
    if column.null_count:
        raise ContractError(
            f"{column.null_count} judgments have no {unit}, which is declared as their independent unit",
            where="study.yaml, independent_unit",
            fix=f"map {unit} in every export, or declare another independent_unit",
        )
    return codes(column, sorted(pc.unique(column).to_pylist()))


def codes(values: pa.ChunkedArray | Sequence[str | None], order: Sequence[str]) -> np.ndarray:
    """Position of each value in an order that the specification declares; -1 for null.

    Raises
    ------
    ContractError
        A value outside the order: its rows should have been quarantined.
    """
    column = _column(values)
    found = pc.index_in(column, value_set=pa.array(order, pa.string()), skip_nulls=True)
    if found.null_count > column.null_count:
        raise ContractError(
            f"{found.null_count - column.null_count} judgments with a value outside the declared ones",
            where="a protocol view",
            fix="juryline run, which quarantines such rows at intake",
        )
    return pc.fill_null(found, -1).to_numpy().astype(np.int64)


def level_labels(criterion: Criterion) -> list[str]:
    """Labels of a criterion's declared levels, in their order."""
    return [level_text(level) for level in criterion.scale.levels] if criterion.scale else []


def passing_labels(criterion: Criterion) -> list[str]:
    """Labels of the levels that count as passed, in their order."""
    return [level_text(level) for level in criterion.scale.pass_] if criterion.scale else []


def source_query(cut: Cut, table_name: str, analysis: Analysis, spec: StudySpec, extra: str = "") -> str:
    """SQL over a stamped view that gives the record ids of a cut; `extra` is one more condition."""
    conditions = source_conditions(cut, analysis, spec) + ([extra] if extra else [])
    return f"SELECT record_id FROM {table_name} WHERE {' AND '.join(conditions)} ORDER BY record_id"


def source_conditions(cut: Cut, analysis: Analysis, spec: StudySpec) -> list[str]:
    """SQL conditions of the judgments of a cut."""
    ids = [criterion.id for criterion in criteria(analysis, spec)] if cut.criterion == POOLED else [cut.criterion]
    members = dict(populations(analysis, spec))[cut.population]
    conditions = [
        f"criterion IN ({_texts(ids)})",
        f"population IN ({_texts(_stored_as(analysis, cut.population, members))})",
        f"item_kind IN ({_texts(analysis.include)})",
    ]
    if cut.slice != ALL:
        names = _names_of(cut, spec)
        value = " || '*' || ".join(
            f"coalesce(rater_attributes[{sql_text(name)}], case_attributes[{sql_text(name)}])" for name in names
        )
        conditions.append(f"{value} = {sql_text(cut.slice_value)}")
    return conditions


def sql_text(value: str) -> str:
    """A text as an SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def _stored_as(analysis: Analysis, population: str, members: tuple[str, ...]) -> tuple[str, ...]:
    """What a view says in `population`: of adjudicated labels, which belong to no one member, the name of all."""
    return members if analysis.labels == RAW else (population,)


def _names_of(cut: Cut, spec: StudySpec) -> Sequence[str]:
    return next(names for names in spec.slices if "*".join(names) == cut.slice)


def _slice_value(view: ir.Table, names: Sequence[str]) -> ir.StringValue:
    value = _attribute(view, names[0])
    for name in names[1:]:
        value = value + "*" + _attribute(view, name)
    return value


def _attribute(view: ir.Table, name: str) -> ir.StringValue:
    return ibis.coalesce(view.rater_attributes.get(name), view.case_attributes.get(name))


def _distinct(column: ir.Table) -> list[str]:
    values = column.filter(column.value.notnull()).distinct().to_pyarrow()["value"]
    return sorted(values.to_pylist())


def _sliced(whole: Cut, names: Sequence[str], value: str) -> Cut:
    return Cut(
        analysis=whole.analysis,
        method=whole.method,
        criterion=whole.criterion,
        population=whole.population,
        slice="*".join(names),
        slice_value=value,
    )


def _unit(view: ir.Table, unit: str) -> ir.StringValue:
    if unit == "rater":
        return view.rater
    if unit == "case":
        return view.assignment_block if "system_x" in view.columns else view.case_id
    return view.case_attributes.get(unit)


def _column(values: pa.ChunkedArray | Sequence[str | None]) -> pa.ChunkedArray | pa.Array:
    return values if isinstance(values, pa.ChunkedArray | pa.Array) else pa.array(values, pa.string())


def _texts(values: Iterable[str]) -> str:
    return ", ".join(sql_text(value) for value in values)
