"""Freezing a study: the specification and the bytes it names, as a lock and as an event of the ledger."""

from datetime import datetime

from data_contracts import lock as locks
from data_contracts.lock import LedgerFacts, Lock
from data_contracts.vocabulary import EventKind
from juryline.ledger.events import Events
from juryline.ledger.files import file_sha256
from juryline.ledger.judgments import JudgmentLedger
from juryline.ledger.lock import study_lock
from juryline.ledger.workspace import Workspace
from juryline.study.run import declared, require_study


def freeze_study(workspace: Workspace, slug: str, *, amend: bool, reason: str, now: datetime) -> Lock:
    """Freeze a study, or amend a frozen one.

    Parameters
    ----------
    amend : bool
        Whether an edited specification is to be frozen again.
    reason : str
        Why it was edited.
    now : datetime
        The machine's time, with a zone.

    Raises
    ------
    SpecificationError
        The specification is broken, or was edited since it was frozen and `amend` is not set.
    UsageError
        An amendment without a reason, or of what was never frozen.
    """
    require_study(workspace, slug)
    directory = workspace.study_dir(slug)
    with study_lock(directory):
        spec = declared(directory)
        ledger = JudgmentLedger(directory, workspace)
        facts = LedgerFacts(head=ledger.head if ledger.n_rows else None, n_records=ledger.n_rows)
        ledger.salts.ensure()
        if amend:
            lock = locks.amend(directory, spec, now, facts, reason=reason)
        else:
            lock = locks.freeze(directory, spec, now, facts)
        entry = lock.current
        kind = EventKind.FREEZE if entry.kind == "freeze" else EventKind.AMEND
        said = {
            "study_spec_hash": entry.study_spec_hash,
            "lock_sha256": file_sha256(directory / locks.LOCK),
            "changed": list(entry.changed),
            "reason": entry.reason,
        }
        key = f"{len(lock.history)}:{entry.study_spec_hash}"
        Events(directory, workspace).append(kind, key, said, entry.frozen_at)
        return lock
