"""The digest of each file in a table's Delta log, in the format of sha256sum.

Delta writes its own clock into a commit file, which the chain rightly leaves out, and checkpoints say
again what commits said. `<table>.sha256`, beside the table, covers every byte of both, and knows how
many commits there were. A line once written stays; a kill can leave the last files unlisted, and the
next writer lists them.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from juryline.ledger.chain import checkpoint_path, log_path
from juryline.ledger.files import file_sha256, write_atomically


def digests_path(table: Path) -> Path:
    """Where the digests of a table's log are listed."""
    return table.with_name(f"{table.name}.sha256")


def listed_digests(table: Path) -> list[tuple[str, str]]:
    """File, named from the folder of the table, and digest of each line; none where there is no list."""
    path = digests_path(table)
    *lines, rest = path.read_bytes().decode(errors="replace").split("\n") if path.exists() else [""]
    return [(name, digest) for digest, _, name in (line.partition("  ") for line in [*lines, *filter(None, [rest])])]


def list_digests(table: Path, n_commits: int, checkpoint: int | None = None) -> None:
    """List the log of the first commits, as far as it is not listed yet.

    Parameters
    ----------
    checkpoint : int, optional
        Version of a checkpoint that the caller has just made.
    """
    with _alone(table.parent):
        listed = dict(listed_digests(table))
        new = [v for v in range(n_commits) if _name(log_path(table, v)) not in listed]
        files = [path for v in new for path in (log_path(table, v), checkpoint_path(table, v)) if path.exists()]
        files += [checkpoint_path(table, checkpoint)] if checkpoint is not None else []
        if files:
            listed |= {_name(path): file_sha256(path) for path in files if _name(path) not in listed}
            lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(listed.items()))
            write_atomically(digests_path(table), lines.encode())


def _name(path: Path) -> str:
    return path.relative_to(path.parents[2]).as_posix()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    # Writers past the study's lock must not undo each other's lines.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
