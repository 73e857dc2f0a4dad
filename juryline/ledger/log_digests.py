"""The digest of each commit file of a table's log, in the format of sha256sum.

Delta writes its own clock into a commit file, which the chain rightly leaves out. `<table>.sha256`,
beside the table, covers every byte of it, and knows how many commits there were. A line once written
stays; a kill can leave the last commits unlisted, and the next writer lists them.
"""

from pathlib import Path

from juryline.ledger.chain import log_path
from juryline.ledger.files import file_sha256, write_atomically


def digests_path(table: Path) -> Path:
    """Where the digests of a table's log are listed."""
    return table.with_name(f"{table.name}.sha256")


def listed_digests(table: Path) -> list[str]:
    """Lines of the list, a commit each from version 0; none where there is no list."""
    path = digests_path(table)
    *lines, rest = path.read_bytes().decode(errors="replace").split("\n") if path.exists() else [""]
    return [*lines, rest] if rest else lines


def digest_line(table: Path, version: int) -> str:
    """The line that a commit file should have, by its bytes."""
    path = log_path(table, version)
    return f"{file_sha256(path)}  {path.relative_to(table.parent).as_posix()}"


def list_digests(table: Path, n_commits: int) -> None:
    """List the commit files that are not listed yet."""
    lines = listed_digests(table)
    if len(lines) < n_commits:
        lines += [digest_line(table, version) for version in range(len(lines), n_commits)]
        write_atomically(digests_path(table), "".join(f"{line}\n" for line in lines).encode())
