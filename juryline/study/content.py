"""What a run of a study would take in, as one digest: equal content gives a run nothing to do.

A watcher asks for it at every tick, so what is known of a file is remembered with its size and times,
and a file that looks the same is not read again. Memory may be lost or broken at any time: then
everything is read once more.
"""

import hashlib
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_contracts.lock import LOCK
from data_contracts.specification import SPECIFICATION
from data_contracts.specification_checks import parse
from data_contracts.specification_paths import EXPORTS, matching_files, named_files
from data_contracts.yaml_source import parse_yaml
from juryline.ledger.files import file_sha256, write_atomically

# File systems stamp times in steps: what is written just after a look may look the same.
FRESH = 2.0  # seconds

Look = tuple[int, int, int]  # size, and when content and entry were last changed, in nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What was seen of a study: which files a specification names, and the digest of each file by how it looked."""

    specification: str = ""  # digest of the bytes that `named` was read from
    named: tuple[str, ...] = ()
    files: dict[str, tuple[Look, str]] = field(default_factory=dict)


def content_key(study_dir: Path, cache_dir: Path | None = None) -> str | None:
    """Digest of all that decides what a run of a study does: specification, lock, the files it names, every export.

    Parameters
    ----------
    study_dir : Path
        The study's folder.
    cache_dir : Path or None
        Where to remember what was seen, one small file a study; None: everything is read.

    Returns
    -------
    str or None
        SHA-256 over paths and bytes. None where there is no specification or no export: nothing to run.

    Raises
    ------
    SpecificationError
        The specification is broken.
    OSError
        A file cannot be read, or went away while it was looked at.
    """
    exports = matching_files(study_dir / EXPORTS, "**")
    if not exports or not (study_dir / SPECIFICATION).is_file():
        return None
    memory = None if cache_dir is None else cache_dir / f"{study_dir.name}.json"
    known = Memory() if memory is None else _recall(memory)
    declared = (study_dir / SPECIFICATION).read_bytes()
    specification = hashlib.sha256(declared).hexdigest()
    named = known.named if known.specification == specification else _named(declared)

    digests, files = {SPECIFICATION: specification}, {}
    for path in [*(study_dir / name for name in (LOCK, *named)), *exports]:
        if path.is_file():
            name = path.relative_to(study_dir).as_posix()
            look = _look(path)
            settled = _age(look) > FRESH
            before, digest = known.files.get(name, (None, ""))
            digests[name] = digest if before == look else file_sha256(path)
            if settled:
                files[name] = (look, digests[name])

    seen = Memory(specification=specification, named=named, files=files)
    if memory is not None and seen != known:
        _remember(memory, seen)
    return hashlib.sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()


def seconds_unchanged(study_dir: Path) -> float:
    """Seconds since an export of a study was last written to, so that one still being copied can be waited for."""
    return min((_age(_look(path)) for path in matching_files(study_dir / EXPORTS, "**")), default=math.inf)


def _named(declared: bytes) -> tuple[str, ...]:
    """Files that a specification names by path; those it names by a glob are exports."""
    return tuple(sorted(path for _, _, path in named_files(parse(parse_yaml(declared, SPECIFICATION)))))


def _look(path: Path) -> Look:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _age(look: Look) -> float:
    # Of the entry: nobody can set its time by hand, as `cp -p` and `rsync -t` set the content's.
    return time.time() - look[2] / 1e9


def _recall(memory: Path) -> Memory:
    try:
        said = json.loads(memory.read_bytes())
        return Memory(
            specification=said["specification"], named=tuple(said["named"]), files=dict(_files(said["files"]))
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Memory()


def _files(said: dict[str, Any]) -> Iterator[tuple[str, tuple[Look, str]]]:
    for name, (size, content, entry, digest) in said.items():
        yield name, ((size, content, entry), digest)


def _remember(memory: Path, seen: Memory) -> None:
    said = {
        "specification": seen.specification,
        "named": seen.named,
        "files": {name: [*look, digest] for name, (look, digest) in seen.files.items()},
    }
    memory.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(memory, json.dumps(said).encode())
