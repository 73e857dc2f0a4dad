"""Taking exports in: read, judge, keep. Every record of every export ends somewhere, once.

The order of writes makes a kill harmless at any point: the bytes first, then what was refused, then
the judgments, whose commit holds all that the event says, and the event last. An export whose event
is missing is simply read again, and finds its own rows there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from data_contracts.errors import ExportRefusedError, GateError
from data_contracts.rules import prove, record_rules
from data_contracts.specification_exports import RATER_ATTRIBUTES, Export
from data_contracts.vocabulary import EventKind
from juryline.adapters.reading import ExportReading
from juryline.adapters.registry import read_export
from juryline.intake.attributes import attribute_rows
from juryline.intake.delivery import ACCEPTED, Delivery, IntakeResult
from juryline.intake.records import judgment_records
from juryline.intake.unanswered import left_out_records, refused_records
from juryline.ledger.files import file_sha256, write_atomically
from juryline.ledger.raw import keep_export, raw_path
from juryline.study.engine import interruptible
from juryline.study.exports import look_into
from juryline.study.readings import Reading
from juryline.study.run import StudyRun, Taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """An export that no reading in force covers: dropped, or kept from before and now mapped otherwise."""

    reading: Reading
    export: Export
    file: Path


@interruptible()
def take_in(study: StudyRun) -> None:
    """Bring the ledger up to date with the drop folder and the mapping.

    Notes
    -----
    An export that is refused whole changes nothing and stops no other. The events of exports that were
    read before under another mapping come after the retractions that their new reading entails.
    """
    before = {reading.source for reading in study.readings.taken()}
    given: dict[Reading, pa.Array] = {}
    payloads: dict[Reading, dict[str, Any]] = {}
    refused: dict[Reading, ExportRefusedError] = {}
    for waiting in list(pending(study)):
        try:
            payloads[waiting.reading], given[waiting.reading] = _deliver(study, waiting)
        except ExportRefusedError as error:
            refused[waiting.reading] = error
            continue
        if waiting.reading.source not in before:
            _record(study, waiting.reading, payloads[waiting.reading])
    if payloads or refused:
        _settle(study, given, {reading.source for reading in refused})
    else:
        _settle_anew(study)
    for reading, payload in payloads.items():
        _record(study, reading, payload)
    study.events.restore_ingests(study.ledger.commits(), datetime.now(UTC))
    study.taken = Taken(deliveries=tuple(payloads.values()), refused=tuple(refused.values()))


def pending(study: StudyRun) -> Iterator[Pending]:
    """Exports that no reading in force covers, those in the drop folder first, in the order of their paths."""
    done = set(study.readings.payloads())
    seen = set()
    for found in look_into(study.exports, study.spec).found:
        reading = study.readings.reading(found.name, file_sha256(found.path), found.export)
        seen.add(reading.source)
        if reading.transaction not in done:
            yield Pending(reading=reading, export=found.export, file=found.path)
    for sha256, path in sorted({reading.source for reading in study.readings.taken()} - seen):
        export = study.readings.reader_of(path)
        if export is not None:
            reading = study.readings.reading(path, sha256, export)
            if reading.transaction not in done:
                yield Pending(reading=reading, export=export, file=raw_path(study.directory, sha256))


def _deliver(study: StudyRun, pending: Pending) -> tuple[dict[str, Any], pa.Array]:
    """Keep an export and all that it says; the payload of its event, and the ids of the records it gives."""
    reading = pending.reading
    exported, result = read_pending(study, pending)
    keep_export(study.directory, pending.file, reading.sha256)
    study.readings.attribute_log.append(result.attributes, reading.transaction)
    study.readings.keep_unanswered(pa.concat_tables([result.quarantine, result.left_out]), reading)
    prove(study.engine.memory("accepted", result.judgments), ACCEPTED, record_rules(study.spec))
    appended = study.ledger.append_judgments(
        result.judgments, reading.transaction, reading.digest, details=_details(pending, exported, result)
    )
    payload = dict(appended.details)
    _require_accounted(payload)
    return payload, result.judgments["record_id"]


def read_pending(study: StudyRun, pending: Pending) -> tuple[ExportReading, IntakeResult]:
    reading, export = pending.reading, pending.export
    exported = read_export(
        pending.file, reading.path, export, study.spec, study_dir=study.directory, scratch=study.scratch
    )
    delivery = Delivery(
        export_sha256=reading.sha256,
        export_path=reading.path,
        adapter=exported.adapter,
        intake_digest=reading.digest,
        study_spec_hash=study.spec_hash,
        incremental=export.delivery == "incremental",
    )
    key, con = study.workspace.key(), study.engine.con
    read = attribute_rows if export.format == RATER_ATTRIBUTES else judgment_records
    result = read(exported.rows, export, study.spec, delivery, key=key, con=con)
    refused = refused_records(exported.refused, exported.contents, delivery, key=key)
    left_out = left_out_records(exported.ignored, exported.contents, delivery, key=key)
    return exported, result.with_unanswered(refused, left_out)


def _details(pending: Pending, exported: ExportReading, result: IntakeResult) -> dict[str, Any]:
    """What an ingest event says of an export; nothing that differs between two readings of it."""
    ignored = Counter(exported.ignored["reason"].to_pylist())
    return {
        "path": pending.reading.path,
        "sha256": pending.reading.sha256,
        "match": pending.export.match,
        "adapter": exported.adapter,
        "found": exported.found,
        "n_rows": exported.n_rows,
        "n_mapped": result.n_records,
        "ignored": dict(sorted(ignored.items())),
        "n_quarantined_whole": result.n_records_quarantined,
        "n_answers": result.n_answers,
        "n_quarantined": result.n_quarantined,
    }


def _require_accounted(said: dict[str, Any]) -> None:
    n_ignored = sum(said["ignored"].values())
    sums = {
        "n_rows": said["n_mapped"] + n_ignored + said["n_quarantined_whole"],
        "n_answers": said["n_new"] + said["n_redelivered"] + said["n_new_versions"] + said["n_quarantined"],
    }
    for total, accounted in sums.items():
        if said[total] != accounted:
            raise GateError(
                f"the row accounting of {said['path']} does not close: {total} {said[total]}, accounted {accounted}",
                where=f"exports/{said['path']}",
                fix="this is a defect in Juryline, not in your data: please report it",
                code="row_accounting",
            )


def _record(study: StudyRun, reading: Reading, payload: dict[str, Any]) -> None:
    study.events.append(EventKind.INGEST, reading.transaction, payload, datetime.now(UTC))


def _settle_anew(study: StudyRun) -> None:
    """Settle where nothing new was read, once: where records are retracted, every export is read for it.

    That it was done is remembered in the workspace's cache; where that is lost, it is done again.
    """
    memory = study.workspace.cache / f"{study.spec.study}.settled"
    if memory.exists() and memory.read_text() == study.readings.digest():
        return
    _settle(study, {}, set())
    if study.events.retracted():
        write_atomically(memory, study.readings.digest().encode())


def _settle(study: StudyRun, given: dict[Reading, pa.Array], refused: set[tuple[str, str]]) -> None:
    """Retract records that no reading in force gives any more, and reinstate those that one gives again.

    Notes
    -----
    A mapping that is put back was read before, so nothing of it is given now: what it gives is read again. An
    export that is refused whole keeps the records it has.
    """
    in_force = study.readings.in_force()
    stale = {r.source for r in study.readings.taken() if r not in in_force or r in given} - refused
    retracted = study.events.retracted()
    in_doubt = _records_of(study, stale) | retracted
    kept = _together(given.values())
    if in_doubt - kept:
        elsewhere = [
            Pending(reading=r, export=export, file=raw_path(study.directory, r.sha256))
            for r in in_force
            if r not in given and (export := study.readings.reader_of(r.path)) is not None
        ]
        kept |= _together(read_pending(study, pending)[1].judgments["record_id"] for pending in elsewhere)
    _say(study, EventKind.REINSTATE, retracted & kept)
    _say(study, EventKind.RETRACT, in_doubt - kept - retracted)


def _say(study: StudyRun, kind: EventKind, ids: set[str]) -> None:
    if ids:
        turns = sum(event.kind in (EventKind.RETRACT, EventKind.REINSTATE) for event in study.events.read())
        study.events.append(kind, f"turn {turns + 1}", {"record_ids": sorted(ids)}, datetime.now(UTC))


def _records_of(study: StudyRun, sources: set[tuple[str, str]]) -> set[str]:
    """Ids of the records in the ledger that came from some exports."""
    if not sources:
        return set()
    judgments = study.judgments()
    of_sources = judgments.filter(judgments.export_sha256.isin(sorted({sha256 for sha256, _ in sources})))
    rows = study.engine.backend.to_pyarrow(of_sources.select("record_id", "export_sha256", "export_path"))
    return {row["record_id"] for row in rows.to_pylist() if (row["export_sha256"], row["export_path"]) in sources}


def _together(ids: Iterable[pa.Array]) -> set[str]:
    return {id for some in ids for id in some.to_pylist()}
