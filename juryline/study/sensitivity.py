"""Analyses repeated under their declared scenarios: every cell's estimates, and what becomes of each contrast."""

from collections.abc import Mapping
from dataclasses import replace

import ibis.expr.types as ir
import pyarrow as pa

from data_contracts.estimates import Estimate
from data_contracts.scenarios import Scenario, repeated_as, scenarios_of
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Analysis
from juryline.analyses.sensitivity import Cell, sensitivity_rows
from juryline.ledger.files import content_digest
from juryline.study.estimates import estimates_table
from juryline.study.methods import rows_of
from juryline.study.run import StudyRun
from juryline.study.scenarios import VIEWS, tables_under, under

DECISION_LEVEL = 0.05  # of methods without a family of tests


def sensitivity(run: StudyRun) -> pa.Table:
    """The estimates of every scenario but the frozen one, and what becomes of each number of the frozen one."""
    estimates: list[Estimate] = []
    for analysis in run.spec.analyses:
        scenarios = scenarios_of(analysis, run.spec)
        if len(scenarios) > 1:
            estimates += _repeated(run, analysis, scenarios)
    return estimates_table(run, estimates, [f"scenario_{view.name}" for view in VIEWS])


def _repeated(run: StudyRun, analysis: Analysis, scenarios: list[Scenario]) -> list[Estimate]:
    frozen, *others = scenarios
    results = run.table(analysis.method)
    rows = results.filter(results.analysis == analysis.id).order_by("estimate_id").to_pyarrow().to_pylist()
    cells = [Cell(scenario=frozen, rows=rows)]
    judgments = {frozen.data: _digest(tables_under(run, analysis, frozen), analysis, run.spec)}
    seen = {(judgments[frozen.data], frozen.ties)}
    estimates: list[Estimate] = []
    for scenario in others:
        repeated = repeated_as(analysis, scenario, run.spec)
        tables = tables_under(run, repeated, scenario)
        if scenario.data not in judgments:
            judgments[scenario.data] = _digest(tables, repeated, run.spec)
        data = (judgments[scenario.data], scenario.ties)
        if data in seen:
            continue
        seen.add(data)
        made = [
            _of_scenario(under(scenario, repeated, estimate), scenario)
            for estimate in rows_of(repeated, run.spec, tables)
        ]
        estimates += made
        cells.append(Cell(scenario=scenario, rows=[estimate.row() for estimate in made]))
    return estimates + sensitivity_rows(cells, getattr(analysis, "alpha", (DECISION_LEVEL,))[0], _ranges(run.spec))


def _ranges(spec: StudySpec) -> dict[str, float]:
    """The range of each criterion's responses, where both ends are declared."""
    bounds = {criterion.id: criterion.bounds for criterion in spec.rubric.criteria}
    return {id: abs(high - low) for id, (low, high) in bounds.items() if low is not None and high is not None}


def _of_scenario(estimate: Estimate, scenario: Scenario) -> Estimate:
    family = None if estimate.family is None else f"{estimate.family}@{scenario}"
    return replace(estimate, scenario=str(scenario), family=family)


def _digest(tables: Mapping[str, ir.Table], analysis: Analysis, spec: StudySpec) -> str:
    """Digest of the judgments that an analysis reads."""
    names = [view.name for view in VIEWS if view.name in tables]
    return "+".join(content_digest(_read(tables[name], analysis, spec)) for name in names)


def _read(view: ir.Table, analysis: Analysis, spec: StudySpec) -> pa.Table:
    criteria = [criterion.id for criterion in spec.criteria_of(analysis)]
    kept = view.filter(view.criterion.isin(criteria), view.item_kind.isin([str(kind) for kind in analysis.include]))
    answer = [name for name in ("outcome", "label", "value") if name in view.columns]
    columns = ["record_id", "population", "state", *answer]
    rows: pa.Table = kept.select(*columns).order_by(columns).to_pyarrow()
    return rows
