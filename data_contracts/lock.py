"""`study.lock.json`: what a study declared, when, and every amendment since.

The history only grows. Each entry holds a digest a section over the specification and the bytes of the
files it names, and one over them. Freezing a study twice is nothing; freezing an edited one is an
amendment and needs a reason. Time is an argument: nothing here reads a clock.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data_contracts.errors import SpecificationError, UsageError
from data_contracts.specification import SPECIFICATION, StudySpec
from data_contracts.specification_digest import (
    EXEMPT,
    file_digests,
    section_digest,
    section_digests,
    sections,
    study_spec_hash,
)

LOCK = "study.lock.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFacts:
    """What the ledger held at the freeze, written beside it.

    Parameters
    ----------
    head : str or None
        Head of its chain; None for an empty ledger.
    n_records : int
        Judgment records in it.
    """

    head: str | None = None
    n_records: int = 0


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LockEntry(_Stored):
    """One freeze or amendment."""

    kind: Literal["freeze", "amend"]
    frozen_at: datetime
    version: str
    reason: str | None = None
    changed: tuple[str, ...] = ()
    ledger_head: str | None = None
    n_records: int = 0
    sections: dict[str, str]
    files: dict[str, dict[str, str]]
    study_spec_hash: str

    @property
    def breaks_confirmation(self) -> bool:
        """Whether it changes a section that a confirmatory study may not change (METHODS 13.4)."""
        return any(section not in EXEMPT for section in self.changed)


class Lock(_Stored):
    """The history of a frozen study, oldest first."""

    lock: Literal[1] = 1
    study: str
    history: tuple[LockEntry, ...] = Field(min_length=1)

    @property
    def first(self) -> LockEntry:
        return self.history[0]

    @property
    def current(self) -> LockEntry:
        return self.history[-1]

    @property
    def study_spec_hash(self) -> str:
        return self.current.study_spec_hash


def read_lock(study: Path) -> Lock | None:
    """The lock of a study; None where it was never frozen.

    Raises
    ------
    SpecificationError
        The lock is no lock, or its digests do not belong together.
    """
    path = study / LOCK
    try:
        lock = Lock.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        details = error.errors(include_url=False)[0]
        place = ".".join(map(str, details["loc"]))
        raise _broken(path, f"{place}: {details['msg'].lower()}" if place else details["msg"].lower()) from None
    for number, entry in enumerate(lock.history, start=1):
        if study_spec_hash(entry.sections) != entry.study_spec_hash:
            raise _broken(path, f"entry {number}: study_spec_hash is not that of its sections")
    return lock


def freeze(study: Path, spec: StudySpec, now: datetime, ledger: LedgerFacts) -> Lock:
    """Freeze a study for the first time; a frozen study that was not edited stays as it is.

    Parameters
    ----------
    now : datetime
        Time of the freeze, with a zone.
    ledger : LedgerFacts
        What is in the ledger already.

    Raises
    ------
    SpecificationError
        The study is frozen and was edited since, or a named file is not there.
    """
    lock = read_lock(study)
    if lock is not None:
        require_unedited(spec, study, lock)
        return lock
    return _write(study, Lock(study=spec.study, history=(_entry(study, spec, now, ledger),)))


def amend(study: Path, spec: StudySpec, now: datetime, ledger: LedgerFacts, *, reason: str) -> Lock:
    """Freeze an edited study again, with the reason; an unedited one stays as it is.

    Raises
    ------
    UsageError
        The study was never frozen, or the reason is empty.
    SpecificationError
        A named file is not there.
    """
    lock = read_lock(study)
    if lock is None:
        raise UsageError(
            f"{spec.study} was never frozen, so there is nothing to amend.",
            where=str(study / LOCK),
            fix=f"juryline freeze {spec.study}",
        )
    if not reason.strip():
        raise UsageError("an amendment needs a reason.", where="--reason", fix='--reason "what changed, and why"')
    changed = changed_sections(section_digests(spec, study), lock)
    if not changed:
        return lock
    entry = _entry(study, spec, now, ledger).model_copy(
        update={"kind": "amend", "reason": reason.strip(), "changed": changed}
    )
    return _write(study, Lock(study=lock.study, history=(*lock.history, entry)))


def require_unedited(spec: StudySpec, study: Path, lock: Lock) -> None:
    """Refuse a specification, or a file it names, that differs from what was frozen.

    Raises
    ------
    SpecificationError
        Names each section that changed, and where it was edited.
    """
    if lock.study != spec.study:
        raise _broken(study / LOCK, f"it is the lock of {lock.study}, not of {spec.study}")
    changed = changed_sections(section_digests(spec, study), lock)
    if changed:
        edited = ", ".join(f"{section} ({', '.join(_edited_in(spec, study, lock, section))})" for section in changed)
        raise SpecificationError(
            f"{spec.study} was edited since it was frozen: {edited}.",
            where=str(study / LOCK),
            fix=f'juryline freeze {spec.study} --amend --reason "..."; or undo the edit. Nothing was written.',
            code="edited_since_frozen",
        )


def changed_sections(digests: Mapping[str, str], lock: Lock) -> tuple[str, ...]:
    """Sections whose digest is not the frozen one, in the order of the specification."""
    frozen = lock.current.sections
    return tuple(name for name in {**digests, **frozen} if digests.get(name) != frozen.get(name))


def _edited_in(spec: StudySpec, study: Path, lock: Lock, section: str) -> list[str]:
    """study.yaml, or the named files of the section that differ."""
    now = file_digests(spec, study).get(section, {})
    frozen = lock.current.files.get(section, {})
    files = sorted(path for path in {**now, **frozen} if now.get(path) != frozen.get(path))
    declared = section_digest(sections(spec).get(section), frozen) != lock.current.sections.get(section)
    return [SPECIFICATION, *files] if declared else files


def _entry(study: Path, spec: StudySpec, now: datetime, ledger: LedgerFacts) -> LockEntry:
    if now.tzinfo is None:
        raise ValueError("now has no zone")
    digests = section_digests(spec, study)
    return LockEntry(
        kind="freeze",
        frozen_at=now.astimezone(UTC),
        version=version("juryline"),
        ledger_head=ledger.head,
        n_records=ledger.n_records,
        sections=digests,
        files=file_digests(spec, study),
        study_spec_hash=study_spec_hash(digests),
    )


def _write(study: Path, lock: Lock) -> Lock:
    # Renamed into place, so that a crash leaves the old lock or the new one, never half of one.
    path = study / LOCK
    temporary = path.with_name(f".{LOCK}.tmp")
    text = json.dumps(lock.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    with temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    return lock


def _broken(path: Path, what: str) -> SpecificationError:
    return SpecificationError(
        f"{path.name} cannot be trusted: {what}.",
        where=str(path),
        fix="put back the lock that `juryline freeze` wrote; it is never edited by hand.",
        code="lock",
    )
