"""The judgments of a scenario: how they are stored, how an analysis reads them, and how its numbers lead back to them.

Belongs here: one query a scenario and view, by which both the analysis and `juryline trace` read. Does not: which
scenarios there are (`data_contracts.scenarios`).
"""

from collections.abc import Callable
from dataclasses import replace

import ibis
import ibis.expr.types as ir

from data_contracts.estimates import Estimate
from data_contracts.scenarios import NO_RULE, Scenario, data_scenarios
from data_contracts.specification_analyses import RAW, Analysis
from data_contracts.specification_rubric import Criterion
from data_contracts.tables import COMPARISONS, RATINGS, SPA_ANSWERS, TABLES, Table
from data_contracts.vocabulary import Protocol
from juryline.derivations.shape import in_shape
from juryline.study.methods import READS
from juryline.study.run import Built, StudyRun
from juryline.study.unblinding import viewed_as

VIEWS = (COMPARISONS, RATINGS, SPA_ANSWERS)
WIDEST = Scenario(exclusions=NO_RULE)  # whatever other scenario of raw answers leaves out, it leaves out of this one


def scenario_view(run: StudyRun, view: Table, derive: Callable[..., ir.Table]) -> Built:
    """The rows of a view under every scenario that an analysis needs; of raw answers, without any exclusion.

    Parameters
    ----------
    view : Table
        A protocol view.
    derive : callable
        What derives it.
    """
    table = TABLES[f"scenario_{view.name}"]
    wanted = data_scenarios(run.spec)
    adjudicated = {rule.id for rule in run.spec.adjudication if _holds(view, run.spec.criteria[rule.criterion])}
    settled = [scenario for scenario in wanted if scenario.labels in adjudicated]
    parts = [
        _settled(
            run, exclusions, [scenario.labels for scenario in settled if scenario.exclusions == exclusions], derive
        )
        for exclusions in dict.fromkeys(scenario.exclusions for scenario in settled)
    ]
    if any(scenario.labels == RAW for scenario in wanted):
        parts.append(_raw(run, derive))
    return ibis.union(*(in_shape(part, table) for part in parts)) if parts else table.arrow_schema.empty_table()


def tables_under(run: StudyRun, analysis: Analysis, scenario: Scenario) -> dict[str, ir.Table]:
    """The tables that an analysis reads, its protocol views as they are under a scenario."""
    tables = {name: run.table(name) for name in READS[analysis.method]}
    for name in set(tables) & set(scenario_tables(analysis)):
        # What is read of it are adjudicated labels, beside raw judgments that the same rules leave.
        rows = tables[name]
        tables[name] = rows.filter(rows.scenario.startswith(f"exclusions={scenario.exclusions};"))
    if scenario.is_view:
        return tables
    run.table("exclusion_decisions")
    for name in scenario_tables(analysis):
        run.table(name)
    for view in _views_of(analysis):
        tables[view.name] = run.engine.query(f"{view.name}_under_scenario", _query(view.name, scenario))
    return tables


def scenario_tables(analysis: Analysis) -> list[str]:
    """Tables that hold what an analysis reads under a scenario."""
    return [f"scenario_{view.name}" for view in _views_of(analysis)]


def under(scenario: Scenario, analysis: Analysis, estimate: Estimate) -> Estimate:
    """An estimate made under a scenario, with a source that leads to the judgments of that scenario."""
    if scenario.is_view:
        return estimate
    views = [view.name for view in _views_of(analysis)]
    tables = ", ".join(f"{name} AS ({_query(name, scenario)})" for name in views)
    if scenario.labels == RAW:
        return replace(estimate, source=f"WITH {tables} {estimate.source}")
    rows = " UNION ALL ".join(f"SELECT record_id, sources FROM {name}" for name in views)
    return replace(
        estimate,
        source=f"WITH {tables}, labels AS ({estimate.source}) SELECT DISTINCT unnest(sources) AS record_id "
        f"FROM ({rows}) WHERE record_id IN (SELECT record_id FROM labels) ORDER BY record_id",
    )


def _query(view: str, scenario: Scenario) -> str:
    stored = f"SELECT * FROM scenario_{view} WHERE scenario ="
    if scenario.labels != RAW:
        return f"{stored} '{scenario.data}'"
    rows = f"{stored} '{WIDEST}'"
    if scenario.exclusions == NO_RULE:
        return rows
    others = f"SELECT record_id FROM exclusion_decisions WHERE exclusion_id <> '{scenario.exclusions[1:]}'"
    return f"{rows} AND record_id NOT IN ({others})"


def _views_of(analysis: Analysis) -> list[Table]:
    return [view for view in VIEWS if view.name in READS[analysis.method]]


def _raw(run: StudyRun, derive: Callable[..., ir.Table]) -> ir.Table:
    from juryline.derivations.analysis import analysis_set

    history = run.table("judgment_history")
    rows = viewed_as(run, derive, history, analysis_set(history, _decisions(run, WIDEST), run.spec))
    return rows.mutate(scenario=ibis.literal(str(WIDEST)), sources=ibis.array([rows.record_id]))


def _settled(run: StudyRun, exclusions: str, labels_of: list[str], derive: Callable[..., ir.Table]) -> ir.Table:
    """The labels of some adjudications as judgments, settled from what an exclusion scenario leaves."""
    from juryline.derivations.adjudicated import labels_as_judgments
    from juryline.derivations.adjudication import adjudicated_labels, adjudication_sources
    from juryline.derivations.analysis import analysis_set

    def stored(name: str, expression: ir.Table) -> ir.Table:
        # Everything below is built on these: as expressions they would be compiled and run again for each use.
        return run.engine.memory(f"{name}_under_{exclusions}", run.engine.backend.to_pyarrow(expression))

    history = run.table("judgment_history")
    kept = stored("kept", analysis_set(history, _decisions(run, Scenario(exclusions=exclusions)), run.spec))
    labels = adjudicated_labels(history, kept, run.spec)
    labels = stored("labels", labels.filter(labels.adjudication_id.isin(labels_of)))
    sources = stored("sources", adjudication_sources(history, kept, labels, run.spec))
    rows = viewed_as(run, derive, *labels_as_judgments(labels, sources, history, run.spec))
    behind = sources.group_by(settled="label_id").agg(sources=sources.record_id.collect(order_by="record_id"))
    names = rows.rater.cases(*((id, str(Scenario(exclusions=exclusions, labels=id))) for id in labels_of), else_="")
    return rows.inner_join(behind, rows.record_id == behind.settled).mutate(scenario=names)


def _holds(view: Table, criterion: Criterion) -> bool:
    """Whether settled labels of a criterion are rows of a view."""
    return view is (COMPARISONS if criterion.protocol is Protocol.PAIRWISE else RATINGS)


def _decisions(run: StudyRun, scenario: Scenario) -> ir.Table:
    decisions = run.table("exclusion_decisions")
    if scenario.exclusions == NO_RULE:
        return decisions.filter(ibis.literal(False))
    # `all` is the name of no rule.
    return decisions.filter(decisions.exclusion_id != scenario.exclusions.removeprefix("-"))
