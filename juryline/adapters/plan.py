"""Which cells of an export's records become which values of its rows: what is declared, over an adapter's defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from data_contracts.errors import SpecificationError
from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Cell, Columns, Export, Read


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One criterion's answer in a record: where the criterion and its label stand, and what only it has."""

    criterion: Cell
    label: str
    own: Mapping[str, Cell] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which cells of a record become which values of its rows."""

    shared: Mapping[str, Cell]
    answers: tuple[Answer, ...]
    case_attributes: Mapping[str, str] = field(default_factory=dict)
    rater_attributes: Mapping[str, str] = field(default_factory=dict)

    def columns(self) -> list[str]:
        """Every column of the export that the plan reads."""
        cells = [*self.shared.values()]
        for answer in self.answers:
            cells += [answer.criterion, *answer.own.values()]
        named = [cell.column for cell in cells if cell.column is not None]
        named += [answer.label for answer in self.answers]
        return list(dict.fromkeys([*named, *self.case_attributes.values(), *self.rater_attributes.values()]))


def plan_of(export: Export, spec: StudySpec, defaults: Plan | None = None) -> Plan:
    """The plan that an export declares, over the defaults of its adapter.

    Raises
    ------
    SpecificationError
        No answer is mapped, or a label without a criterion where the rubric has several.
    """
    columns = export.columns
    cells = columns.cells()
    shared: Mapping[str, Cell] = {name: cell for name, cell in cells.items() if name not in ("criterion", "label")}
    answers = _answers(export, columns, spec)
    if defaults is not None:
        shared = {**defaults.shared, **shared}
        answers = answers or defaults.answers
    if not answers:
        raise SpecificationError(
            f"the export {export.match} maps no answer.",
            where=f"exports: {export.match}",
            fix="Map `columns.labels: {criterion: column}`, or `columns.criterion` and `columns.label`.",
        )
    return Plan(
        shared=shared,
        answers=answers,
        case_attributes=export.attributes.case,
        rater_attributes=export.attributes.rater,
    )


def _answers(export: Export, columns: Columns, spec: StudySpec) -> tuple[Answer, ...]:
    wide = [Answer(criterion=Cell(constant=criterion), label=column) for criterion, column in columns.labels.items()]
    if columns.label is None:
        return tuple(wide)
    criterion = columns.criterion
    if criterion is None:
        if len(spec.criteria) > 1:
            raise SpecificationError(
                f"the export {export.match} maps a label but no criterion, and the rubric has {len(spec.criteria)}.",
                where=f"exports: {export.match}",
                fix="Map `columns.criterion` to a column or {constant: x}, or use `columns.labels`.",
            )
        criterion = Cell(constant=next(iter(spec.criteria)))
    if columns.label.column is None:
        raise SpecificationError(
            f"the export {export.match} has a constant as its label.",
            where=f"exports: {export.match}",
            fix="Map `columns.label` to the column with the answers.",
        )
    return (*wide, Answer(criterion=criterion, label=columns.label.column))


def declared_reading(export: Export) -> Read:
    """How the files of an export are cut into records, as it declares or as the ending of `match` says.

    Raises
    ------
    SpecificationError
        Neither says it.
    """
    if export.reading is None:
        raise SpecificationError(
            f"it is not said what kind of files {export.match} are.",
            where=f"exports: {export.match}",
            fix="Write `read: {as: csv}`, for example.",
        )
    return export.reading


def exported_criteria(export: Export, spec: StudySpec) -> list[tuple[str, str]]:
    """Criteria with their names in an export: those that `criteria` names, else all by their own ids."""
    if export.criteria:
        return [(criterion, exported) for exported, criterion in export.criteria.items()]
    return [(criterion, criterion) for criterion in spec.criteria_ever]
