"""What must hold in the declaration of an export, and between it and the rubric, the raters and the systems."""

import codecs
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import RATER_ATTRIBUTES, SQL, TABLE, Export, Outputs, Read
from data_contracts.specification_part import Level
from data_contracts.specification_problem import Problem, listed, nearest
from data_contracts.specification_rubric import Criterion, level_text
from data_contracts.vocabulary import Protocol, RaterKind, State
from data_contracts.yaml_source import Address

CANDIDATES = ("candidate_1", "candidate_2")
TIME_FORMATS = ("iso", "epoch_s", "epoch_ms")
_TIMES = ("started_at", "submitted_at")
_OF_PAIRS = (Protocol.PAIRWISE, Protocol.SPA)
_DELIMITED = ("csv", "tsv")


def export_problems(spec: StudySpec) -> Iterator[Problem]:
    """Every export can be read, and what it is mapped to exists."""
    for place, export in enumerate(spec.exports):
        at: Address = ("exports", place)
        yield from _format_problems(at, export)
        yield from _population_problems(at, spec, export)
        yield from _time_problems(at, export)
        yield from _criterion_problems(at, spec, export)
        yield from _label_problems(at, spec, export)
        yield from _raw_id_problems(at, spec, export)
        if export.format == TABLE:
            yield from _column_problems(at, spec, export)
    if spec.outputs is not None:
        yield from _output_problems(("outputs",), spec.outputs)


def _format_problems(at: Address, export: Export) -> Iterator[Problem]:
    if (export.query is not None) != (export.format == SQL):
        if export.format == SQL:
            yield Problem((*at, "query"), "format sql needs a query", "name a file: `query: mapping.sql`")
        else:
            yield Problem((*at, "query"), f"format {export.format} takes no query", "write `format: sql`")
    if export.format == TABLE and export.read is None:
        yield Problem((*at, "read"), "format table says how it is read", "write `read: {as: csv}`, for example")
    if export.format in (SQL, RATER_ATTRIBUTES) and export.reading is None:
        yield Problem(
            (*at, "read"), "the ending of `match` does not say what the file is", "write `read: {as: csv}`, for example"
        )
    if export.read is not None:
        yield from _read_problems((*at, "read"), export.read)
        if export.format in (TABLE, RATER_ATTRIBUTES) and export.read.as_ == "lines":
            yield Problem((*at, "read", "as"), "lines have no columns", "write `format: sql` and a query over `line`")
    given = set(export.columns.model_fields_set)
    if export.format == SQL and given:
        yield Problem((*at, "columns"), "the query names the columns", "remove `columns`, and rename in the query")
    if export.format == RATER_ATTRIBUTES:
        if export.columns.rater is None or not export.columns.attributes:
            yield Problem(
                (*at, "columns"),
                "rater_attributes needs the rater's column and its attributes",
                "write `columns: {rater: participant, attributes: [native_language]}`",
            )
        for name in sorted(given - {"rater", "attributes"}):
            yield Problem((*at, "columns", name), "rater_attributes holds no judgments", f"remove `{name}`")
    elif export.columns.attributes:
        yield Problem(
            (*at, "columns", "attributes"),
            f"format {export.format} has its attributes elsewhere",
            "write `attributes: {rater: [...]}` beside `columns`",
        )


def _read_problems(at: Address, read: Read) -> Iterator[Problem]:
    if read.as_ not in _DELIMITED:
        for name in sorted({"delimiter", "quote", "header"} & read.model_fields_set):
            yield Problem((*at, name), f"{read.as_} has no {name}", f"remove `{name}`")
    if isinstance(read.header, tuple) and len(set(read.header)) < len(read.header):
        yield Problem((*at, "header"), "a column is named twice", "name each once")
    if not _is_text_encoding(read.encoding):
        yield Problem((*at, "encoding"), f"there is no encoding {read.encoding!r}", "write utf-8, utf-16 or cp1252")


def _is_text_encoding(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False


def _population_problems(at: Address, spec: StudySpec, export: Export) -> Iterator[Problem]:
    known = [population.id for population in spec.raters.populations]
    spaces = spec.rater_spaces(export)
    torn = [id for id in dict(spaces) if sum(population == id for population, _ in spaces) > 1]
    if torn:
        named = listed([space for population, space in spaces if population == torn[0]], "or")
        yield Problem(
            (*at, "rater_namespace"),
            f"raters of {torn[0]} have several namespaces, and it is not said whose profiles these are",
            f"write `rater_namespace:` with {named}",
        )
    if export.population is None:
        if export.format != RATER_ATTRIBUTES:
            yield Problem(
                (*at, "population"), "it is not said whose judgments these are", f"write one of {listed(known)}"
            )
        return
    if export.population not in known:
        yield Problem(
            (*at, "population"), f"there is no population {export.population}", nearest(export.population, known)
        )
    elif export.rater_namespace is not None and spec.population(export.population).kind is RaterKind.MODEL:
        yield Problem((*at, "rater_namespace"), "models are never pseudonymised", "remove it")


def _time_problems(at: Address, export: Export) -> Iterator[Problem]:
    if export.timezone is not None and not _is_zone(export.timezone):
        yield Problem(
            (*at, "timezone"),
            f"there is no time zone {export.timezone!r}",
            "write a name of the IANA data base, such as America/New_York or UTC",
        )
    if export.time_format in TIME_FORMATS:
        return
    if "%" not in export.time_format:
        yield Problem(
            (*at, "time_format"),
            f"{export.time_format!r} is no time format",
            f"write {listed(TIME_FORMATS)} or a pattern such as '%d.%m.%Y %H:%M'",
        )
        return
    problem = _pattern_problem(export.time_format)
    if problem is not None:
        yield Problem((*at, "time_format"), f"no strptime pattern: {problem}", "write one such as '%d.%m.%Y %H:%M'")


def _pattern_problem(pattern: str) -> str | None:
    import duckdb

    try:
        # Times are read by the engine, so the engine says which patterns there are.
        duckdb.connect().execute("SELECT try_strptime('', ?)", [pattern])
    except duckdb.InvalidInputException as error:
        return str(error).rpartition(": ")[0].rpartition("Error: ")[2] or str(error)
    return None


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # a key that is not there is a KeyError, a folder an OSError
        return False
    return True


def _criterion_problems(at: Address, spec: StudySpec, export: Export) -> Iterator[Problem]:
    known = list(spec.criteria_ever)
    named: list[tuple[Address, str]] = [((*at, "criteria", name), id) for name, id in export.criteria.items()]
    named += [((*at, "labels", id), id) for id in export.labels]
    named += [((*at, "columns", "labels", id), id) for id in export.columns.labels]
    for address, id in named:
        if id not in known:
            yield Problem(address, f"there is no criterion {id}", nearest(id, known))
    if export.format == RATER_ATTRIBUTES:
        for name in ("criteria", "labels", "item_kinds"):
            if getattr(export, name):
                yield Problem((*at, name), "rater_attributes holds no judgments", f"remove `{name}`")


def _label_problems(at: Address, spec: StudySpec, export: Export) -> Iterator[Problem]:
    for id, labels in export.labels.items():
        criterion = spec.criteria_ever.get(id)
        if criterion is None:
            continue
        for exported, meant in labels.items():
            refused = _refused(criterion, meant)
            if refused is not None:
                yield Problem((*at, "labels", id, exported), *refused)


def _refused(criterion: Criterion, meant: Level) -> tuple[str, str] | None:
    """Why a criterion cannot have this response, and what to write; None if it can."""
    text = level_text(meant)
    states = _states_of(criterion)
    if text in states:
        return None
    protocol = criterion.protocol
    if text in tuple(State):
        return f"a {protocol} criterion has no {text}", f"write {listed(states, 'or')}"
    if protocol is Protocol.PAIRWISE:
        known = (*CANDIDATES, *states)
        return None if text in CANDIDATES else (f"{text} is no response of {criterion.id}", nearest(text, known))
    levels = [level_text(level) for level in criterion.scale.levels] if criterion.scale else []
    if levels:
        known = (*levels, *states)
        return None if text in levels else (f"{text} is no response of {criterion.id}", nearest(text, known))
    if isinstance(meant, str):
        return f"{text} is no response of {criterion.id}", f"write a number, or one of {listed(states, 'or')}"
    low, high = criterion.bounds
    if protocol is Protocol.RANKING:
        return None if meant >= 1 and float(meant).is_integer() else (f"{text} is no rank", "ranks are 1, 2, 3 ...")
    if (low is not None and meant < low) or (high is not None and meant > high):
        return f"{text} is outside the scale of {criterion.id}", "correct it, or min and max of the scale"
    return None


def _states_of(criterion: Criterion) -> tuple[State, ...]:
    """States that a label of the criterion may be mapped to; ties only where two outputs are judged at once."""
    paired = criterion.protocol is Protocol.PAIRWISE
    out = (State.ANSWERED,) if paired else (State.ANSWERED, State.TIE, State.BOTH_FAIL)
    return tuple(state for state in State if state not in out)


def _raw_id_problems(at: Address, spec: StudySpec, export: Export) -> Iterator[Problem]:
    """Of the raters' column nothing is kept but pseudonyms; an id of a judgment is kept as part of a hash."""
    population, columns = spec.populations.get(export.population or ""), export.columns
    if columns.rater is None or columns.rater.column is None:
        return
    if population is not None and population.kind is RaterKind.MODEL:
        return
    own = ("rater", "native_id")
    kept: dict[Address, str | None] = {("columns", n): c.column for n, c in columns.cells().items() if n not in own}
    kept |= {("columns", "labels", criterion): column for criterion, column in columns.labels.items()}
    kept |= {("columns", "attributes", name): column for name, column in columns.attributes.items()}
    for subject, attributes in (("case", export.attributes.case), ("rater", export.attributes.rater)):
        kept |= {("attributes", subject, name): column for name, column in attributes.items()}
    for key, column in kept.items():
        if column == columns.rater.column:
            yield Problem((*at, *key), "raw rater ids would be kept outside exports", "name another column, or none")


def _column_problems(at: Address, spec: StudySpec, export: Export) -> Iterator[Problem]:
    columns = export.columns
    at = (*at, "columns")
    wide, long = bool(columns.labels), columns.criterion is not None or columns.label is not None
    if wide == long:
        what = "labels stand both in columns of their own and in one" if wide else "no column holds the labels"
        yield Problem(
            (*at, "labels"), what, "write `labels: {criterion: column}`; or `criterion: column` and `label: column`"
        )
    elif long and columns.label is None:
        yield Problem((*at, "label"), "a long table needs `label` too", "write `label: column`")
    elif long and columns.criterion is None and len(spec.criteria_ever) > 1:
        yield Problem((*at, "criterion"), "a long table needs `criterion` too", "write `criterion: column`")
    if columns.label is not None and columns.label.column is None:
        yield Problem((*at, "label"), "one constant cannot be all answers", "write `label: column`")
    criteria = [spec.criteria_ever[id] for id in columns.labels if id in spec.criteria_ever]
    protocols = {criterion.protocol for criterion in (criteria if wide else spec.criteria_ever.values())}
    population = spec.populations.get(export.population or "")
    needed = {
        "rater": population is not None and population.kind is RaterKind.HUMAN,
        "candidate_1": True,
        "candidate_2": bool(protocols) and protocols <= set(_OF_PAIRS),
        "case": bool(protocols) and protocols != {Protocol.SPA},
    }
    for name, is_needed in needed.items():
        if is_needed and getattr(columns, name) is None:
            yield Problem((*at, name), f"no column holds the {name}", f"write `{name}: column`, or {{constant: x}}")
    if columns.candidate_2 is not None and not protocols & set(_OF_PAIRS):
        yield Problem((*at, "candidate_2"), "only pairwise and spa criteria have a second candidate", "remove it")
    if export.item_kinds and columns.item_kind is None:
        yield Problem((*at, "item_kind"), "`item_kinds` has no column to read", "write `item_kind: column`")
    for name in (*_TIMES, "candidate_order"):
        mapped, absent = getattr(columns, name) is not None, name in export.not_collected
        if mapped and absent:
            yield Problem((*at, name), f"{name} is mapped and yet not collected", "remove one of the two")
        if not mapped and not absent and name in _TIMES:
            yield Problem(
                (*at, name), f"no column holds {name}", f"write `{name}: column`, or `not_collected: [{name}]`"
            )


def _output_problems(at: Address, outputs: Outputs) -> Iterator[Problem]:
    if (outputs.columns is None) == (outputs.query is None):
        yield Problem(at, "outputs are read by columns or by a query", "write one of `columns` and `query`")
    if outputs.columns is not None and outputs.columns.text is None and outputs.columns.tokens is None:
        yield Problem(
            (*at, "columns"), "neither the text nor its length is named", "write `text: column` or `tokens: n`"
        )
    if outputs.reading is None:
        yield Problem((*at, "read"), "the ending of `match` does not say what the file is", "write `read: {as: jsonl}`")
    else:
        yield from _read_problems((*at, "read"), outputs.reading)
