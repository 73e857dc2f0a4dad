"""The files of a table's Delta log against the list of their digests."""

import re
from dataclasses import dataclass
from pathlib import Path

from juryline.ledger.chain import log_path
from juryline.ledger.files import file_sha256
from juryline.ledger.log_digests import digests_path, listed_digests

# Delta's names for what can stand for commits; anything else in its log is left over and read by nobody.
_SPEAKS_FOR_COMMITS = re.compile(r"(\d{20})\.(json|crc|checkpoint.*|\d{20}\.compacted\.json)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogVerification:
    """What was found in a log.

    Attributes
    ----------
    findings : tuple of str
        What differs from its digest, is missing, or does not belong there, each naming its file.
    unlisted : tuple of str
        Files of the last commits that a kill kept from being listed.
    versions : tuple of int
        Versions whose commit files exist.
    """

    findings: tuple[str, ...]
    unlisted: tuple[str, ...]
    versions: tuple[int, ...]


def verify_log(table: Path) -> LogVerification:
    """Compare every file of a table's log with its digest."""
    log, listing, listed = log_path(table, 0).parent, digests_path(table).name, listed_digests(table)
    present = {f"{table.name}/_delta_log/{p.name}": p for p in log.glob("*") if _SPEAKS_FOR_COMMITS.fullmatch(p.name)}
    findings = []
    for name, digest in listed:
        if not _SPEAKS_FOR_COMMITS.fullmatch(name.removeprefix(f"{table.name}/_delta_log/")):
            findings.append(f"ledger/{listing}: a line names no file of the log")
        elif name not in present:
            findings.append(f"ledger/{name}: the file is missing, and {listing} lists it")
        elif file_sha256(present[name]) != digest:
            findings.append(f"ledger/{name}: its bytes differ from those listed in {listing}")
    last = max((int(Path(name).name[:20]) for name, _ in listed if name in present), default=-1)
    unlisted = sorted(present.keys() - {name for name, _ in listed})
    late = [name for name in unlisted if int(present[name].name[:20]) > last]
    findings += [f"ledger/{name}: {listing} should list it, and does not" for name in unlisted if name not in late]
    versions = sorted(int(path.stem) for path in present.values() if path.suffix == ".json" and path.stem.isdigit())
    gaps = set(range(max(versions, default=0))) - set(versions)
    findings += [
        f"ledger/{table.name}/_delta_log/{log_path(table, v).name}: the commit is missing" for v in sorted(gaps)
    ]
    return LogVerification(
        findings=tuple(findings), unlisted=tuple(f"ledger/{name}" for name in late), versions=tuple(versions)
    )
