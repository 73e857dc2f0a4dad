"""What became of the data: flow, response states, exclusions, adjudication, quarantine.

Rows are counted and nothing else. No value of a judgment or of a refused row is ever shown.
"""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from data_contracts.specification import StudySpec
from data_contracts.specification_rules import Adjudication, Exclusion
from data_contracts.vocabulary import AdjudicationStatus, State
from juryline.reports.charts import Bar, Segment, stacked_bars
from juryline.reports.figures import Figure, swatch
from juryline.reports.flow_chart import FlowStep, flow_chart
from juryline.reports.numbers import count_text, plain_text
from juryline.reports.plain_words import (
    ADJUDICATION_STATUSES,
    FLOW_STAYS,
    FLOW_STEPS,
    STATES,
    flow_reason,
    spoken,
)
from juryline.reports.reading import population_words
from juryline.reports.safe_text import LONGEST_PROSE, shortened
from juryline.reports.table_view import Heading, TableView, plain_table

_TOTAL = "total"


def flow_figure(record_flow: pa.Table) -> tuple[Figure | None, TableView]:
    """The flow as a diagram, and as the table it is drawn from."""
    rows = sorted(record_flow.to_pylist(), key=lambda row: (row["step"], row["reason"]))
    table = plain_table(
        "Row accounting",
        ["Step", "What became of them", Heading(text="Rows", number=True)],
        [
            [spoken(step, FLOW_STEPS), _became(row["reason"]), count_text(row["n"])]
            for step in _steps(rows)
            for row in sorted(rows, key=lambda row: row["reason"] != _TOTAL)
            if row["step"] == step
        ],
        file="record_flow.csv",
    )
    steps = [_flow_step(step, rows) for step in _steps(rows)]
    if not steps:
        return None, table
    last = FlowStep(name="judgments in the analyses", total=_count(rows, "current", "included"), stayed=(), left=())
    caption = "From export rows to the judgments analysed"
    told = "; ".join(f"{count_text(step.total)} {step.name}" for step in (*steps, last))
    return Figure(caption=caption, drawing=flow_chart(steps, last, title=caption, description=told)), table


def states_figure(spec: StudySpec, response_states: pa.Table) -> tuple[Figure | None, TableView, list[str]]:
    """How many included judgments of each state, by criterion, population and system.

    Returns
    -------
    Figure, TableView, list of str
        The chart leaves out criteria and populations where all were answered, and names them instead.
    """
    counts: dict[tuple[str, str, str], dict[str, int]] = {}
    for row in response_states.to_pylist():
        counts.setdefault((row["criterion"], row["population"], row["system"]), {})[row["state"]] = row["n"]
    order = sorted(counts, key=lambda key: _places(spec, *key))
    states = [str(state) for state in State]
    table = plain_table(
        "Response states",
        ["Criterion", "Population", "System", *(Heading(text=spoken(s, STATES), number=True) for s in states)],
        [
            [criterion, population_words(spec, population), system]
            + [count_text(counts[criterion, population, system].get(state, 0)) for state in states]
            for criterion, population, system in order
        ],
        file="response_states.csv",
        notes=["A pairwise judgment is counted under each of its two systems. No state is turned into another."],
    )
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for key in order:
        groups.setdefault(f"{key[0]} · {population_words(spec, key[1])}", []).append(key)
    plain = [name for name, keys in groups.items() if not any(_unanswered(counts[key]) for key in keys)]
    bars: list[Bar] = []
    for name, keys in groups.items():
        if name not in plain:
            bars += [Bar(label=name), *(_state_bar(key[2], counts[key], states) for key in keys)]
    if not bars:
        return None, table, plain
    seen = [state for state in states if any(counts[key].get(state) for key in order)]
    caption = "Response states by system"
    told = "Numbers are judgments; a bar is all judgments of a system."
    drawing = stacked_bars(bars, title=caption, description=told)
    legend = tuple((swatch(f"st-{state}"), spoken(state, STATES)) for state in seen)
    return Figure(caption=caption, drawing=drawing, legend=legend), table, plain


def exclusion_table(
    spec: StudySpec, exclusion_decisions: pa.Table, analysis_set: pa.Table, raters: pa.Table | None
) -> TableView:
    """Each declared rule: what it hit, and what was removed because it came first.

    Parameters
    ----------
    raters : pa.Table, optional
        record_id and rater, from which raters are counted.
    """
    hits = _counted(exclusion_decisions["exclusion_id"])
    firsts = _counted(exclusion_decisions.filter(exclusion_decisions["first"])["exclusion_id"])
    removed = _counted(analysis_set["exclusion_id"].drop_null())
    hit_raters = _raters_hit(exclusion_decisions, raters) if raters is not None else None
    declared = {rule.id: rule for rule in spec.exclusions}
    body = []
    for id in (*declared, *sorted(set(hits) - set(declared))):
        rule = declared.get(id)
        row = [id, _rule_words(rule), str(rule.scope) if rule else ""]
        row += [count_text(hits[id]), count_text(firsts[id]), count_text(removed[id])]
        body.append([*row, count_text(hit_raters.get(id, 0))] if hit_raters is not None else row)
    headings: list[str | Heading] = ["Id", "Rule", "Scope"]
    headings += [
        Heading(text="judgments hit", number=True, hint="each rule looks at all current judgments"),
        Heading(text="hit first", number=True, hint="no rule declared before it hit them"),
        Heading(text="removed", number=True, hint="of the scored sample"),
    ]
    if hit_raters is not None:
        headings.append(Heading(text="raters hit", number=True))
    return plain_table(
        "Rules in declared order",
        headings,
        body,
        file="exclusion_decisions.csv",
        notes=[
            "Every rule looks at all current judgments, so hits overlap; the first declared rule that hit names the "
            "reason. What was set aside before (pilot, earlier revision, not scored, adjudicator) is never removed."
        ],
    )


def adjudication_table(spec: StudySpec, adjudicated_labels: pa.Table) -> TableView:
    """Each declared adjudication: how many of its labels have which status."""
    counts: dict[str, Counter[str]] = {rule.id: Counter() for rule in spec.adjudication}
    for id, status in zip(*(adjudicated_labels[name].to_pylist() for name in ("adjudication_id", "status"))):
        counts.setdefault(id, Counter())[status] += 1
    declared = {rule.id: rule for rule in spec.adjudication}
    statuses = [str(status) for status in AdjudicationStatus]
    rows = []
    for id, of in counts.items():
        rule = declared.get(id)
        said = [id, _rule_words(rule), rule.criterion if rule else ""]
        rows.append(said + [count_text(of[status]) for status in statuses] + [count_text(of.total())])
    return plain_table(
        "Derived labels by status",
        ["Id", "Rule", "Criterion"]
        + [Heading(text=spoken(status, ADJUDICATION_STATUSES), number=True) for status in statuses]
        + [Heading(text="labels", number=True)],
        rows,
        file="adjudicated_labels.csv",
        notes=["A derived label never replaces the judgments it comes from, and agreement never reads it."],
    )


def quarantine_table(quarantine: pa.Table) -> TableView:
    """Refused rows by rule, column and mend."""
    counts: Counter[tuple[str, str, str]] = Counter()
    files: dict[tuple[str, str, str], set[str]] = {}
    for row in quarantine.select(["rule", "column", "fix", "export_path"]).to_pylist():
        key = row["rule"], row["column"], row["fix"]
        counts[key] += 1
        files.setdefault(key, set()).add(row["export_path"])
    return plain_table(
        "Refused rows and answers by rule",
        ["Rule", "Column", Heading(text="entries", number=True), Heading(text="files", number=True), "What to do"],
        [
            [
                rule.replace("_", " "),
                column,
                count_text(n),
                count_text(len(files[rule, column, fix])),
                shortened(fix, 240),
            ]
            for (rule, column, fix), n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ],
        file="quarantine.csv",
        notes=["Nothing refused is dropped: mend the mapping or the export and run again, and the rows come in."],
    )


def _became(reason: str) -> str:
    return "all" if reason == _TOTAL else flow_reason(reason)


def _flow_step(step: str, rows: Sequence[dict]) -> FlowStep:
    parts = [(row["reason"], row["n"]) for row in rows if row["step"] == step and row["reason"] != _TOTAL]
    told = [(reason, flow_reason(reason), n) for reason, n in parts if n]
    return FlowStep(
        name=spoken(step, FLOW_STEPS),
        total=_count(rows, step, _TOTAL),
        stayed=tuple((said, n) for reason, said, n in told if reason in FLOW_STAYS),
        left=tuple((said, n) for reason, said, n in told if reason not in FLOW_STAYS),
    )


def _steps(rows: Sequence[dict]) -> list[str]:
    return sorted({row["step"] for row in rows}, key=lambda step: _place(list(FLOW_STEPS), step))


def _count(rows: Sequence[dict], step: str, reason: str) -> int:
    return sum(row["n"] for row in rows if row["step"] == step and row["reason"] == reason)


def _unanswered(counts: dict[str, int]) -> bool:
    return any(n for state, n in counts.items() if state != State.ANSWERED)


def _state_bar(system: str, counts: dict[str, int], states: Sequence[str]) -> Bar:
    return Bar(
        label=system,
        segments=tuple(
            Segment(name=spoken(s, STATES), size=counts.get(s, 0), text=count_text(counts.get(s, 0)), style=f"st-{s}")
            for s in states
        ),
    )


def _places(spec: StudySpec, criterion: str, population: str, system: str) -> tuple[object, ...]:
    order = (list(spec.criteria), criterion), (list(spec.populations), population), (list(spec.system_ids), system)
    return tuple(_place(names, name) for names, name in order)


def _place(order: Sequence[str], name: str) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order)), name


def _rule_words(rule: Exclusion | Adjudication | None) -> str:
    """A rule and what it is set to: `min duration (seconds 20; on missing keep)`."""
    if rule is None:
        return "not in the specification"
    told = []
    for name in type(rule).model_fields:
        value = getattr(rule, name)
        if name in ("id", "rule", "scope", "criterion") or value in (None, ()):
            continue
        shown = ", ".join(map(plain_text, value)) if isinstance(value, tuple) else plain_text(value)
        told.append(f"{name.rstrip('_').replace('_', ' ')} {shown}")
    settings = f" ({shortened('; '.join(told), LONGEST_PROSE // 2)})" if told else ""
    return rule.rule.replace("_", " ") + settings


def _counted(column: pa.ChunkedArray) -> Counter[str]:
    return Counter({pair["values"]: pair["counts"] for pair in column.value_counts().to_pylist()})


def _raters_hit(decisions: pa.Table, raters: pa.Table) -> dict[str, int]:
    joined = decisions.select(["record_id", "exclusion_id"]).join(raters.select(["record_id", "rater"]), "record_id")
    counted = joined.group_by("exclusion_id").aggregate([("rater", "count_distinct")])
    return dict(zip(counted["exclusion_id"].to_pylist(), counted["rater_count_distinct"].to_pylist()))
