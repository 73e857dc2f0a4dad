"""Whether a study's specification, and every file it names, is what was frozen and what its tables were made with.

A frozen study may not differ in either. One that is not frozen may be edited at will: its tables are then stale,
which is no alteration and said as a note.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from data_contracts.errors import SpecificationError, VerificationError
from data_contracts.lock import LOCK, read_lock, require_unedited
from data_contracts.specification import SPECIFICATION, load_specification
from data_contracts.specification_digest import section_digests, study_spec_hash
from juryline.ledger.stamps import read_stamp


@dataclass(frozen=True, slots=True)
class SpecificationVerification:
    """What was found of a specification, as `Verification` tells it."""

    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def verify_specification(study_dir: Path) -> SpecificationVerification:
    """Hash a specification and every file it names again, and compare with the lock and with the stamps of tables."""
    path = study_dir / SPECIFICATION
    try:
        lock = read_lock(study_dir)
        if lock is None and not path.exists():
            return SpecificationVerification()
    except SpecificationError as error:
        return SpecificationVerification(findings=(f"{LOCK}: {error.what}",))
    try:
        spec = load_specification(path)
        if lock is not None:
            require_unedited(spec, study_dir, lock)
        declared = study_spec_hash(section_digests(spec, study_dir))
    except SpecificationError as error:
        return SpecificationVerification(findings=(f"{SPECIFICATION}: {error.what}",))
    except OSError as error:
        return SpecificationVerification(findings=(f"{SPECIFICATION}: {error.strerror}",))
    stale = list(_made_with_another(study_dir, declared))
    told = f"made with another specification, or other files it names, than there are now: {', '.join(stale)}"
    return SpecificationVerification(notes=(told,) if stale else ())


def _made_with_another(study_dir: Path, declared: str) -> Iterator[str]:
    for path in sorted((study_dir / "tables").glob("*.json")):
        try:
            stamp = read_stamp(study_dir, path.stem)
        except VerificationError:
            continue  # a finding of the tables
        if stamp is not None and stamp.study_spec_hash != declared:
            yield f"tables/{path.name}"
