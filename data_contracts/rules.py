"""The rules of the judgment record, each declared once.

A rule is a name, the column it speaks of, a predicate over an Ibis table and the mend. From the same
rule come the SQL that splits quarantined rows from good ones (`broken_rules`), the pandera schema
that proves the good part (`pandera_schema`) and the constraints Dagster shows (`dagster_schema`).

Rules of *reading* look at what the export said beside what was made of it; rules of the *record*
look at the record alone, so they can be proved again of any stored table.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import pyarrow as pa

from data_contracts.errors import ContractError
from data_contracts.specification import StudySpec
from data_contracts.specification_rubric import Criterion
from data_contracts.tables import Table
from data_contracts.vocabulary import ItemKind, Phase, Protocol, RaterKind, State

TEXT_LIST = dt.Array(dt.string)
TEXT_MAP = dt.Map(dt.string, dt.string)
FAILURES_SHOWN = 5  # pandera collects failing rows whole into memory: a million bad rows took 920 MB


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that must hold of every row. A predicate that is null does not hold."""

    name: str
    column: str
    holds: Callable[[ir.Table], Any]
    fix: str


def reading_rules() -> tuple[Rule, ...]:
    """Whether what the export said could be read at all; on staged rows, which keep the exported text."""
    return (
        Rule(
            "rater_given",
            "rater",
            lambda t: t.rater_pseudonym.notnull(),
            "map `columns.rater` to the column that names the rater, or leave such rows out with `ignore`",
        ),
        _readable("started_at"),
        _readable("submitted_at"),
        _unambiguous("started_at"),
        _unambiguous("submitted_at"),
        _whole("sequence"),
        _whole("exposure"),
        Rule(
            "gold_label_declared",
            "gold_label",
            lambda t: t.raw_gold_label.isnull() | t.gold_label.notnull(),
            "map the expected answer under `labels`, as answers are",
        ),
        Rule(
            "native_id_not_mangled",
            "native_id",
            lambda t: t.native_id.isnull() | ~t.native_id.re_search(r"^[0-9](\.[0-9]+)?[eE]\+[0-9]+$"),
            "a spreadsheet rounded this id; export it again from the tool, without opening it in one",
        ),
    )


def record_rules(spec: StudySpec) -> tuple[Rule, ...]:
    """What is true of every judgment of a study."""
    return (*_response_rules(spec), *_candidate_rules(spec), *_condition_rules(spec))


def _response_rules(spec: StudySpec) -> tuple[Rule, ...]:
    criteria = list(spec.criteria_ever)
    two_sided = [State.TIE, State.BOTH_FAIL]
    return (
        Rule(
            "criterion_known",
            "criterion",
            lambda t: t.criterion.isin(criteria),
            "add the criterion to `rubric.criteria`, or map its exported name under `criteria` of the export",
        ),
        Rule(
            "label_in_response_set",
            "raw_label",
            lambda t: t.protocol.isnull() | t.state.isin([*State]),
            "add the label to `labels` of the export, as a declared response or a state; it is never guessed",
        ),
        Rule(
            "answer_has_label",
            "label",
            lambda t: t.state.isnull() | ((t.state == State.ANSWERED) == t.label.notnull()),
            "map the label to a response, or to a state that is not an answer",
        ),
        Rule(
            "value_within_scale",
            "raw_label",
            lambda t: t.value.isnull() | _within(t, spec),
            "correct `scale.min` and `scale.max`, or map the label to a state",
        ),
        Rule(
            "state_fits_protocol",
            "raw_label",
            lambda t: t.state.isnull() | ~t.state.isin(two_sided) | (t.protocol == Protocol.PAIRWISE),
            "only a comparison of two outputs can end in a tie or in both failing; map the label to another state",
        ),
    )


def _candidate_rules(spec: StudySpec) -> tuple[Rule, ...]:
    paired = [Protocol.PAIRWISE, Protocol.SPA]
    blinded = [system.blinded_id for system in spec.systems]

    def known(column: ir.Value) -> ir.Value:
        # Codes that differ by case are resolved, and checked, where the key is applied.
        return column.isin(blinded) if spec.blinding is None else ibis.literal(True)

    return (
        Rule(
            "candidate_known",
            "candidate_1",
            lambda t: t.candidate_1.notnull() & known(t.candidate_1),
            "declare the system, or its `blinded` id, under `systems`",
        ),
        Rule(
            "candidate_known",
            "candidate_2",
            lambda t: t.candidate_2.isnull() | known(t.candidate_2),
            "declare the system, or its `blinded` id, under `systems`",
        ),
        Rule(
            "two_candidates",
            "candidate_2",
            lambda t: t.protocol.isnull() | (t.protocol.isin(paired) == t.candidate_2.notnull()),
            "a comparison and a spa question need candidate_1 and candidate_2, every other protocol only candidate_1; "
            "an export whose rows hold both is read by a mapping query that gives a row for each",
        ),
        Rule(
            "candidates_differ",
            "candidate_2",
            lambda t: t.candidate_2.isnull() | (t.candidate_1 != t.candidate_2),
            "a system compared with itself is no judgment of this study; leave the row out with `ignore`",
        ),
        Rule(
            "case_given",
            "case_id",
            lambda t: t.protocol.isnull() | t.case_id.notnull() | (t.protocol == Protocol.SPA),
            "map `columns.case` to the column that names the case, or leave such rows out with `ignore`",
        ),
    )


def _condition_rules(spec: StudySpec) -> tuple[Rule, ...]:
    revisions = [spec.rubric.revision, *(earlier.revision for earlier in spec.rubric.earlier)]
    interfaces = [] if spec.interface is None else [spec.interface.revision, *spec.interface.earlier]
    exposures = spec.assignment.exposure

    def is_assigned(t: ir.Table) -> ir.Value:
        # A pilot, and an earlier revision, may have been run otherwise; both are set aside.
        is_pilot = (t.phase == Phase.PILOT) & ibis.literal(spec.phase is not Phase.PILOT)
        is_earlier = t.rubric_revision != spec.rubric.revision
        return t.exposure.isnull() | t.exposure.isin(exposures) | is_pilot | is_earlier

    return (
        Rule(
            "rubric_revision_declared",
            "rubric_revision",
            lambda t: t.rubric_revision.isin(revisions),
            "declare the revision under `rubric.earlier`, whose rows are set aside, never pooled",
        ),
        Rule(
            "interface_revision_declared",
            "interface_revision",
            lambda t: t.interface_revision.isnull() | t.interface_revision.isin(interfaces),
            "declare the revision under `interface.earlier`",
        ),
        Rule(
            "exposure_declared",
            "exposure",
            lambda t: t.protocol.isnull() | (t.protocol != Protocol.SPA) | (not exposures) | is_assigned(t),
            "declare it under `assignment.exposure`, or leave such rows out with `ignore`",
        ),
        Rule("phase_known", "phase", lambda t: t.phase.isin([*Phase]), "use pilot, confirmatory or exploratory"),
        Rule(
            "item_kind_declared",
            "item_kind",
            lambda t: t.item_kind.isin([*ItemKind]),
            "map the exported kind under `item_kinds`: " + ", ".join(ItemKind),
        ),
        Rule(
            "population_declared",
            "population",
            lambda t: t.population.isin([p.id for p in spec.raters.populations]),
            "declare the population under `raters.populations`",
        ),
        Rule("rater_kind_known", "rater_kind", lambda t: t.rater_kind.isin([*RaterKind]), "human or model"),
        Rule(
            "submitted_after_start",
            "submitted_at",
            lambda t: t.started_at.isnull() | t.submitted_at.isnull() | (t.submitted_at >= t.started_at),
            "check which columns `started_at` and `submitted_at` are mapped to, and their `timezone`",
        ),
    )


def _readable(column: str) -> Rule:
    return Rule(
        f"{column}_readable",
        column,
        lambda t: t[f"{column}_problem"].isnull() | t[f"{column}_problem"].isin(["twice", "never"]),
        "declare `time_format`, and `timezone` for times without an offset, or list it under `not_collected`",
    )


def _unambiguous(column: str) -> Rule:
    return Rule(
        f"{column}_unambiguous",
        column,
        lambda t: t[f"{column}_problem"].isnull() | ~t[f"{column}_problem"].isin(["twice", "never"]),
        "this local time exists twice or never when clocks change; export times with an offset or in UTC",
    )


def _whole(column: str) -> Rule:
    return Rule(
        f"{column}_whole",
        column,
        lambda t: t[f"raw_{column}"].isnull() | t[column].notnull(),
        "a whole number is wanted, written plainly: no decimals, separators or exponent",
    )


def _within(t: ir.Table, spec: StudySpec) -> ir.Value:
    inside = ibis.literal(False)
    for criterion in spec.criteria_ever.values():
        low, high = _bounds(criterion)
        fits = t.criterion == criterion.id
        if low is not None:
            fits &= t.value >= low
        if high is not None:
            fits &= t.value <= high
        # NaN compares greater than every number in the engine, so a bound alone would let it through.
        inside |= fits & ~t.value.isnan()
    return inside


def _bounds(criterion: Criterion) -> tuple[float | None, float | None]:
    if criterion.protocol is Protocol.RANKING:
        return 1.0, None
    if criterion.protocol is Protocol.SPA:
        return 0.0, 1.0
    return criterion.bounds


def broken_rules(table: ir.Table, rules: Iterable[Rule]) -> ir.Value:
    """The names, with their columns, of the rules each row breaks: an array, empty for a good row."""
    marks = [
        ibis.ifelse(rule.holds(table).fill_null(False), ibis.null("string"), f"{rule.name}:{rule.column}")
        for rule in rules
    ]
    return ibis.array(marks).filter(lambda mark: mark.notnull())


def pandera_schema(table: Table, rules: Iterable[Rule] = (), *, has_rows: bool = True) -> Any:
    """The pandera schema of a table on Ibis: strict, no coercion, its key unique, its rules as checks.

    Notes
    -----
    That no value is missing is one check over all columns that must be given: pandera asks the engine
    once a column, which for forty columns takes longer than making most tables. Of a table without
    rows only names, order and types are asked: pandera 0.35 takes the null that is the engine's answer
    to "do all rows hold" as a no.
    """
    import pandera.ibis as pandera

    _register_nested_types()
    columns = {column.name: pandera.Column(_ibis_type(column.type), nullable=True) for column in table}
    asked = [_given(table), *rules] if has_rows else []
    checks = [
        pandera.Check(
            lambda data, rule=rule: rule.holds(data.table).fill_null(False),
            name=f"{rule.name}:{rule.column}",
            n_failure_cases=FAILURES_SHOWN,
        )
        for rule in asked
    ]
    return pandera.DataFrameSchema(
        columns,
        checks=checks,
        strict=True,
        ordered=True,
        unique=list(table.key) if has_rows else None,
        name=table.name,
    )


def _given(table: Table) -> Rule:
    names = [column.name for column in table if not column.nullable]
    return Rule(
        "given",
        ",".join(names),
        lambda t: ibis.and_(*(t[name].notnull() for name in names)),
        "every one of these columns must have a value",
    )


def dagster_schema(table: Table, rules: Iterable[Rule] = ()) -> Any:
    """Dagster's schema of a table: types, meanings, and the rules each column is under."""
    import dagster as dg

    by_column: dict[str, list[str]] = {}
    for rule in rules:
        by_column.setdefault(rule.column, []).append(rule.name)
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=str(column.type),
                description=column.meaning,
                constraints=dg.TableColumnConstraints(
                    nullable=column.nullable, unique=table.key == (column.name,), other=by_column.get(column.name, [])
                ),
            )
            for column in table
        ]
    )


def prove(frame: ir.Table, table: Table, rules: Sequence[Rule] = ()) -> None:
    """Prove a table against its contract before anything is written.

    Raises
    ------
    ContractError
        Naming each broken rule and how many rows break it; never a value.
    """
    import pandera.errors

    has_rows = frame.limit(1).to_pyarrow().num_rows > 0
    try:
        # All rules in one question to the engine; one by one, to name those that broke, only if the answer is no.
        pandera_schema(table, [_all_of(rules)] if rules else (), has_rows=has_rows).validate(frame, lazy=True)
        return
    except pandera.errors.SchemaErrors as failure:
        errors = failure.schema_errors
    if rules:
        try:
            pandera_schema(table, rules, has_rows=has_rows).validate(frame, lazy=True)
        except pandera.errors.SchemaErrors as failure:
            errors = failure.schema_errors
    broken = sorted({f"{error.reason_code.name}: {_subject(error)}" for error in errors})
    raise ContractError(
        f"{table.name} breaks its contract: " + "; ".join(broken),
        where=table.name,
        fix="this is a defect in Juryline, not in your data: please report it. Nothing was written.",
    )


def _all_of(rules: Sequence[Rule]) -> Rule:
    return Rule(
        "every_rule",
        ",".join(sorted({rule.column for rule in rules})),
        lambda t: ibis.and_(*(rule.holds(t).fill_null(False) for rule in rules)),
        "see each rule",
    )


def _subject(error: Any) -> str:
    return str(getattr(error.check, "name", None) or error.check or getattr(error.schema, "name", ""))


def _ibis_type(type: pa.DataType) -> dt.DataType:
    # Arrow says that a map's key is never null; the engine does not repeat it.
    return TEXT_MAP if pa.types.is_map(type) else dt.DataType.from_pyarrow(type)


@cache
def _register_nested_types() -> None:
    # pandera knows no list and no map on Ibis until they are registered.
    from pandera.dtypes import immutable
    from pandera.engines import ibis_engine

    for nested in (TEXT_LIST, TEXT_MAP):

        @ibis_engine.Engine.register_dtype(equivalents=[nested])
        @immutable
        class Nested(ibis_engine.DataType):
            type = nested
