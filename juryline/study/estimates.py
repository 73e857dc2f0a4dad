"""From an analysis's rows to the table of estimates: what a run knows of them and an analysis does not."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from data_contracts.estimates import FROZEN, Estimate
from data_contracts.scenarios import frozen_scenario
from data_contracts.specification_design import Primary
from data_contracts.tables import ESTIMATES
from juryline.derivations.exclusions import outcome_dependent
from juryline.study.methods import READS, rows_of
from juryline.study.run import CODE_VERSION, StudyRun
from juryline.study.scenarios import scenario_tables, tables_under, under


def estimates_of(run: StudyRun, method: str) -> pa.Table:
    """Every estimate of the study's analyses by one method, made of the run's stamped tables."""
    estimates: list[Estimate] = []
    read = [*READS[method]]
    for analysis in (analysis for analysis in run.spec.analyses if analysis.method == method):
        frozen = frozen_scenario(analysis)
        rows = rows_of(analysis, run.spec, tables_under(run, analysis, frozen))
        estimates += [under(frozen, analysis, row) for row in rows]
        read += [] if frozen.is_view else scenario_tables(analysis)
    return estimates_table(run, estimates, dict.fromkeys(read))


def estimates_table(run: StudyRun, estimates: Iterable[Estimate], views: Iterable[str]) -> pa.Table:
    """Estimates with what the run knows: hashes, versions, and what the frozen specification says of them."""
    primary = run.spec.claim.primary
    known = {
        "outcome_dependent": outcome_dependent(run.spec),
        "study_spec_hash": run.spec_hash,
        "data_version": "+".join(run.input_digest(view)[:16] for view in views),
        "code_version": CODE_VERSION,
    }
    rows = [
        row | known | {"primary": primary is not None and _is_primary(row, primary), "declared": _declared(row, run)}
        for row in (estimate.row() for estimate in estimates)
    ]
    return pa.Table.from_pylist(rows, schema=ESTIMATES.arrow_schema)


def _declared(row: dict[str, Any], run: StudyRun) -> bool:
    # What was never frozen was never declared in advance.
    return row["declared"] and run.lock is not None


def _is_primary(row: dict[str, Any], primary: Primary) -> bool:
    import json

    return (
        row["analysis"] == primary.analysis
        and row["statistic"] == primary.statistic
        and row["scenario"] == FROZEN
        and row["slice"] == "all"
        and primary.criterion in (None, row["criterion"])
        and primary.population in (None, row["population"])
        and _is_subject(row, primary)
        and json.loads(row["dimensions"]) == dict(primary.dimensions)
    )


def _is_subject(row: dict[str, Any], primary: Primary) -> bool:
    """Whether a row is of the pair or system named; of none, if it is of the study or between populations."""
    if primary.pair is None and primary.system is None:
        return row["subject_kind"] in ("study", "population")
    return (row["subject"], row["comparator"]) == (primary.pair or (primary.system, None))
