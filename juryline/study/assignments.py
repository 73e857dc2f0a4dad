"""Who was assigned what, as the manifest of a study says: read, and its raters known under their pseudonyms.

Belongs here: the file. Does not: which of its rows an analysis counts.
"""

from pathlib import Path

import pyarrow as pa

from data_contracts.errors import GateError
from data_contracts.specification import StudySpec
from data_contracts.specification_exports import RATER_ATTRIBUTES
from data_contracts.specification_problem import listed, nearest
from data_contracts.tables import ASSIGNMENTS
from data_contracts.vocabulary import RaterKind
from juryline.derivations.assignments import assignments
from juryline.intake.identity import pseudonym
from juryline.study.run import Built, StudyRun
from juryline.study.unblinding import unblinding_key

CODE = "assignments"
NEEDED = ("rater", "case")
KNOWN = (*NEEDED, "population", "criterion", "candidate_1", "candidate_2")
_SHOWN = 5


def assignments_of(study: StudyRun) -> Built:
    """ASSIGNMENTS of the study; without a row where it names no manifest.

    Raises
    ------
    GateError
        A file that is no table with the columns of a manifest, a row without rater or case, or one that names a
        population, a criterion or a system that the study does not have.
    """
    if study.spec.assignment.manifest is None:
        return ASSIGNMENTS.arrow_schema.empty_table()
    rows = read_manifest(study.directory / study.spec.assignment.manifest, study.spec)
    history = study.table("judgment_history")
    seen = history.select("rater_pseudonym").distinct().to_pyarrow()["rater_pseudonym"].to_pylist()
    assigned = study.engine.memory("manifest", _pseudonymised(rows, study, frozenset(seen)))
    return assignments(assigned, history, study.readings.attributes(), unblinding_key(study), study.spec)


def read_manifest(path: Path, spec: StudySpec) -> pa.Table:
    """The manifest's columns as text; null where empty or not there, but for the population of a study that has one.

    Raises
    ------
    GateError
        As `assignments_of`, but for systems.
    """
    import pyarrow.compute as pc
    import pyarrow.csv as csv

    name = path.name
    as_text = csv.ConvertOptions(column_types=dict.fromkeys(KNOWN, pa.string()), strings_can_be_null=False)
    try:
        table = csv.read_csv(path, convert_options=as_text)
    except pa.ArrowInvalid:
        # What pyarrow says repeats the row, and with it a rater's raw id.
        what = "it is no CSV table in UTF-8 with a header and as many cells in every row"
        raise _refusal(name, what, "save it as one") from None
    lacking = [column for column in NEEDED if column not in table.column_names]
    if lacking:
        fix = f"name its columns {listed(KNOWN)}; the first two are needed"
        raise _refusal(name, f"it has no column {listed(lacking)}", fix)
    absent = pa.nulls(table.num_rows, pa.string())
    columns = {column: table[column] if column in table.column_names else absent for column in KNOWN}
    empty = {column: pc.if_else(pc.equal(values, ""), None, values) for column, values in columns.items()}
    raters = [population.id for population in spec.raters.populations if not population.adjudicates]
    if len(raters) == 1:
        empty["population"] = pc.coalesce(empty["population"], pa.scalar(raters[0]))
    rows = pa.table(empty)
    _refuse_unknown(rows, name, spec, raters)
    return rows


def _refuse_unknown(rows: pa.Table, name: str, spec: StudySpec, raters: list[str]) -> None:
    for column in (*NEEDED, "population"):
        if rows[column].null_count:
            raise _refusal(name, f"{rows[column].null_count} rows have no {column}", f"name the {column} in every row")
    for column, known in (("population", raters), ("criterion", list(spec.criteria))):
        strangers = sorted(set(rows[column].to_pylist()) - {None, *known})
        if strangers:
            what = f"there is no {column} {listed(strangers[:_SHOWN], 'or')}"
            raise _refusal(name, what, nearest(strangers[0], known))


def _pseudonymised(rows: pa.Table, study: StudyRun, seen: frozenset[str]) -> pa.Table:
    """The rows with `rater_pseudonym` in place of the raw id, which is kept nowhere."""
    pairs = list(zip(rows["population"].to_pylist(), rows["rater"].to_pylist()))
    known = {pair: _pseudonym(study, *pair, seen) for pair in dict.fromkeys(pairs)}
    return rows.drop_columns(["rater"]).append_column(
        pa.field("rater_pseudonym", pa.string()), pa.array([known[pair] for pair in pairs], pa.string())
    )


def _pseudonym(study: StudyRun, population: str, raw: str, seen: frozenset[str]) -> str:
    """The pseudonym that judged; where none did, that of the first namespace of the population."""
    if study.spec.population(population).kind is RaterKind.MODEL:
        return raw
    exports = (e for e in study.spec.exports if e.population == population and e.format != RATER_ATTRIBUTES)
    spaces = dict.fromkeys(space for export in exports for _, space in study.spec.rater_spaces(export))
    names = [pseudonym(study.workspace.key(), space, raw) for space in spaces or (population,)]
    return next((name for name in names if name in seen), names[0])


def _refusal(name: str, what: str, fix: str) -> GateError:
    return GateError(f"the assignment manifest: {what}", where=name, fix=fix, code=CODE)
