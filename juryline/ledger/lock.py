"""One lock a study: whoever runs it holds it, and the kernel lets it go when they die."""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from data_contracts.errors import LockHeldError
from juryline.ledger.files import remove_leftovers

LOCK_FILE = ".lock"
_BETWEEN_TRIES = 0.1  # seconds


@contextmanager
def study_lock(study_dir: Path, wait: float = 0) -> Iterator[None]:
    """Hold a study's lock for a block, and clear what a killed writer left behind.

    Parameters
    ----------
    study_dir : Path
        Folder of the study.
    wait : float
        Seconds to wait for another holder; 0 does not wait.

    Raises
    ------
    LockHeldError
        Another process, or another part of this one, holds it and did not let go in time.
    """
    # Opened for appending, so that asking for the lock leaves the holder's name in it.
    with (study_dir / LOCK_FILE).open("a+", encoding="utf-8") as file:
        _acquire(file, study_dir, time.monotonic() + wait)
        file.truncate(0)
        file.write(json.dumps({"process": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}))
        file.flush()
        remove_leftovers(study_dir)
        yield


def _acquire(file: TextIO, study_dir: Path, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise _held(file, study_dir) from None
        time.sleep(_BETWEEN_TRIES)


def _held(file: TextIO, study_dir: Path) -> LockHeldError:
    file.seek(0)
    try:
        holder = json.loads(file.read())
        who, since = f"process {holder['process']}", f" since {holder['since']}"
    except (ValueError, KeyError):  # it has just acquired it
        who, since = "another process", ""
    return LockHeldError(
        f"{who} has been running {study_dir.name}{since}. Nothing was written.",
        where=str(study_dir / LOCK_FILE),
        fix=f"wait, or stop {who}",
        code="lock_held",
    )
