"""The report of a study: one HTML page that needs nothing but itself.

Belongs here: what a report is made of, and the page put together. Does not: any number. Everything shown
is in the stored tables; this package formats, groups and draws. The page holds no script and no remote
reference, and its policy forbids both, so that text by raters stays text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pyarrow as pa
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from data_contracts.lock import Lock
from data_contracts.specification import StudySpec
from data_contracts.standing import Standing
from data_contracts.vocabulary import Status, StudyStatus
from juryline.reports.analysis_sections import analysis_sections
from juryline.reports.data_sections import (
    adjudication_table,
    exclusion_table,
    flow_figure,
    quarantine_table,
    states_figure,
)
from juryline.reports.declaration import claim_items, system_rows, topics
from juryline.reports.numbers import count_text, p_text, plain_text
from juryline.reports.plain_words import REASONS, STATISTICS, STATUSES, STUDY_STATUSES, spoken
from juryline.reports.reading import Reading, group_heading, pair_label, subject_label
from juryline.reports.reported import Numbers, Reported
from juryline.reports.safe_text import LONGEST_PROSE, shortened, visible
from juryline.reports.sensitivity_tables import sensitivity_tables
from juryline.reports.table_view import plain_table

CSP = "default-src 'none'; style-src 'unsafe-inline'"
_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportMaterial:
    """All that a report is made from: stored tables and what is known of them.

    Parameters
    ----------
    standing : Standing
        What may be claimed, and the clauses it was decided by.
    lock : Lock, optional
        None for a study that is not frozen.
    study_spec_hash : str
        Specification that the tables were made with, frozen or not.
    head : str
        Ledger head that the tables were made at.
    estimates, record_flow, response_states, exclusion_decisions, analysis_set, adjudicated_labels : pa.Table
        As declared in `data_contracts.tables`, rows in any order; so is `quarantine`.
    versions : mapping of str to str
        juryline, code, contract.
    raters : pa.Table, optional
        record_id and rater (an alias) of the current judgments, from which the raters that a rule hit are counted.
    stale : bool
        Whether the exports or the specification have changed since the tables were made.
    """

    spec: StudySpec
    standing: Standing
    lock: Lock | None
    study_spec_hash: str
    head: str
    estimates: pa.Table
    record_flow: pa.Table
    response_states: pa.Table
    exclusion_decisions: pa.Table
    analysis_set: pa.Table
    adjudicated_labels: pa.Table
    quarantine: pa.Table
    versions: Mapping[str, str] = field(default_factory=dict)
    raters: pa.Table | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The primary result. `value` is None where there is none; `facts` are (name, text), `told` what to know of it."""

    title: str
    where: str
    value: str | None
    status: str
    facts: tuple[tuple[str, str], ...]
    told: tuple[str, ...]
    estimate_id: str


def render_report(material: ReportMaterial) -> str:
    """One self-contained HTML page; the same material gives the same bytes.

    Parameters
    ----------
    material : ReportMaterial
        Stored tables, specification, standing, lock and versions.

    Returns
    -------
    str
        HTML without scripts, links to elsewhere, clock or locale.
    """
    spec, interim = material.spec, material.standing.status == StudyStatus.INTERIM
    numbers = Numbers(material.estimates)
    sections = analysis_sections(spec, numbers, interim=interim)
    page = _environment().get_template("study_report.html")
    return page.render(
        csp=CSP,
        style=Markup(_style()),
        spec=spec,
        standing=material.standing,
        meaning=STUDY_STATUSES[material.standing.status],
        stale=material.stale,
        claim=claim_items(spec),
        headline=_headline(spec, numbers, interim=interim),
        primary_declared=spec.claim.primary is not None,
        flow=flow_figure(material.record_flow),
        states=states_figure(spec, material.response_states),
        sections=sections,
        any_declared=numbers.any_declared,
        sensitivity=sensitivity_tables(spec, numbers, interim=interim),
        exclusions=exclusion_table(spec, material.exclusion_decisions, material.analysis_set, material.raters),
        adjudication=adjudication_table(spec, material.adjudicated_labels),
        quarantine=quarantine_table(material.quarantine),
        systems=plain_table("Systems", ["System", "In the exports", "Role"], system_rows(spec), file="study.yaml"),
        topics=topics(spec),
        example=numbers.primary() or next(iter(numbers.rows), None),
        statuses=[(spoken(str(status), {}), STATUSES[status]) for status in Status],
        reasons=_reasons_told(numbers),
        lock=material.lock,
        study_spec_hash=material.study_spec_hash,
        head=material.head,
        versions=sorted(material.versions.items()),
        n_estimates=len(numbers.rows),
    )


def _headline(spec: StudySpec, numbers: Numbers, *, interim: bool) -> Headline | None:
    row = numbers.primary()
    if row is None:
        return None
    analysis = next((a for a in spec.analyses if a.id == row.analysis), None)
    reading = Reading(
        spec=spec,
        numbers=numbers,
        analysis=row.analysis,
        alpha=tuple(getattr(analysis, "alpha", ())),
        stars_allowed=not interim,
        placed=set(),
    )
    test = numbers.test_of(row)
    about = pair_label("against")(row) if row.comparator is not None else subject_label(row)
    return Headline(
        title=f"{about}: {spoken(row.statistic, STATISTICS)}",
        where=group_heading(spec, row),
        value=reading.value(row) if row.value is not None else None,
        status=spoken(row.status, {}),
        facts=tuple(_headline_facts(reading, row, test)),
        told=tuple(reading.notes(row) + (reading.notes(test) if test is not None else [])),
        estimate_id=row.estimate_id,
    )


def _headline_facts(reading: Reading, row: Reported, test: Reported | None) -> Iterator[tuple[str, str]]:
    level = f"{plain_text(100 * row.ci_level)} % interval" if row.ci_level is not None else "interval"
    yield level, reading.interval(row) or "none"
    if row.null_value is not None or (test is not None and test.null_value is not None):
        null = row.null_value if row.null_value is not None else test.null_value if test is not None else None
        yield "held against", plain_text(null)
    if test is not None:
        yield "p", p_text(test.p_value) if test.p_value is not None else "none"
        if test.p_adjusted is not None and test.correction not in (None, "none"):
            name = f"p adjusted ({str(test.correction).capitalize()} over {test.family_size} tests)"
            yield name, p_text(test.p_adjusted) + reading.stars(test)
    for name, n in (("raters", row.n_raters), ("judgments", row.n_judgments)):
        if n is not None:
            yield name, count_text(n)


def _reasons_told(numbers: Numbers) -> list[tuple[str, str]]:
    """The reasons that occur in this report, code and words."""
    codes = {code for row in numbers.rows for told in (row.reason, row.ci_reason) if told for code in told.split(";")}
    return [(code, spoken(code, REASONS)) for code in sorted(codes)]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_safe,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["whole"] = _whole
    environment.filters["trace"] = _trace
    environment.filters["moment"] = _moment
    return environment


def _safe(value: object) -> object:
    """Every text a template prints, unless it is markup already: nothing hidden, nothing endless. Escaping follows."""
    return (
        shortened(visible(value), LONGEST_PROSE) if isinstance(value, str) and not hasattr(value, "__html__") else value
    )


def _whole(text: str) -> Markup:
    """An id, which must not be cut: escaped here."""
    return escape(visible(text))


def _trace(estimate_id: str, study: str) -> Markup:
    """What to type to walk from a number back to its rows."""
    quoted = estimate_id.replace("'", "'\\''")
    return _whole(f"juryline trace {study} '{quoted}'")


def _moment(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@cache
def _style() -> str:
    return (_TEMPLATES / "study_report.css").read_text(encoding="utf-8")
