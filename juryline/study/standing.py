"""What a study may claim, from its specification, its lock and what ledger and events say of its data."""

from collections.abc import Iterable
from datetime import UTC, datetime

import pyarrow as pa

from data_contracts.standing import Standing, StudyFacts, standing
from data_contracts.tables import INSTANT, JUDGMENTS
from data_contracts.vocabulary import EventKind, ItemKind, Phase, SetAside
from juryline.ledger.events import Event
from juryline.study.run import StudyRun


def record_look(study: StudyRun) -> None:
    """Estimates of judgments at a ledger head that none were made for before are one more look."""
    if study.ledger.n_rows:
        study.events.append(EventKind.LOOK, study.ledger.head, {}, datetime.now(UTC))


def study_standing(study: StudyRun) -> Standing:
    """The study's status with every clause it was decided by."""
    return standing(study.spec, study.lock, study_facts(study))


def study_facts(study: StudyRun) -> StudyFacts:
    """What METHODS 13 asks of the data."""
    history = study.table("judgment_history")
    decided = study.table("analysis_set")
    current = history.filter(history.current, history.phase != Phase.PILOT).inner_join(decided, "record_id")
    in_sample = current.set_aside_reason.isnull() | ~current.set_aside_reason.isin(
        [SetAside.ADJUDICATOR, SetAside.EARLIER_REVISION]
    )
    counting = current.filter(current.population.isin(study.spec.voters))
    scored = counting.filter(in_sample, counting.item_kind == ItemKind.SCORED)
    live = history.filter(history.phase != Phase.PILOT)
    times = study.engine.backend.to_pyarrow(
        live.agg(
            earliest=live.submitted_at.min(),
            newest=live.submitted_at.max(where=live.population.isin(study.spec.voters)),
            unknown=live.submitted_at.isnull().sum(),
        )
    ).to_pylist()[0]
    counts = study.engine.backend.to_pyarrow(
        scored.agg(raters=scored.rater_pseudonym.nunique(), judgments=scored.judgment_id.nunique())
    ).to_pylist()[0]
    events = study.events.read()
    arrived = study.engine.memory("arrivals", _arrivals(events))
    impossible = (
        live.filter(live.current).inner_join(arrived, "export_sha256").filter(lambda t: t.submitted_at > t.arrived_at)
    )
    pilots = {export.match for export in study.spec.exports if study.spec.phase_of(export) is Phase.PILOT}
    ingests = [e for e in events if e.kind is EventKind.INGEST and e.payload["match"] not in pilots]
    return StudyFacts(
        earliest_submitted_at=times["earliest"],
        newest_submitted_at=times["newest"],
        submission_time_unknown=bool(times["unknown"]),
        n_submitted_after_ingest=study.engine.backend.to_pyarrow(impossible.judgment_id.nunique()).as_py(),
        first_ingest_at=min((e.at for e in ingests), default=None),
        first_unblinding_at=min((e.at for e in events if e.kind is EventKind.UNBLIND), default=None),
        n_raters=counts["raters"],
        n_judgments=counts["judgments"],
        n_looks=sum(e.kind is EventKind.LOOK for e in events),
        development_uses=tuple(e.key for e in events if e.kind is EventKind.REUSE),
    )


def _arrivals(events: Iterable[Event]) -> pa.Table:
    """When the bytes of each export were first taken in, however often they were read again."""
    taken_in = [event for event in events if event.kind is EventKind.INGEST]
    first = {event.payload["sha256"]: event.at for event in sorted(taken_in, key=lambda e: e.at, reverse=True)}
    schema = pa.schema([JUDGMENTS.arrow_schema.field("export_sha256"), pa.field("arrived_at", INSTANT)])
    return pa.table([list(first), list(first.values())], schema=schema)
