"""Files that a specification names: which, and that they lie below the study; and globs below `exports/`."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

from data_contracts.specification import StudySpec
from data_contracts.specification_problem import Problem
from data_contracts.yaml_source import Address

EXPORTS = "exports"
_GLOB = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def named_files(spec: StudySpec) -> Iterator[tuple[str, Address, str]]:
    """Section, address and path of every file below the study that is named by path."""
    for place, export in enumerate(spec.exports):
        if export.query is not None:
            yield "intake", ("exports", place, "query"), export.query
    if spec.blinding is not None:
        yield "systems", ("blinding", "file"), spec.blinding.file
    if spec.assignment.manifest is not None:
        yield "assignment", ("assignment", "manifest"), spec.assignment.manifest
    if spec.outputs is not None and spec.outputs.query is not None:
        yield "outputs", ("outputs", "query"), spec.outputs.query


def output_files(spec: StudySpec, study: Path) -> list[Path]:
    """Files below `exports/` that `outputs.match` names, ordered by path; they are no exports."""
    return [] if spec.outputs is None else matching_files(study / EXPORTS, spec.outputs.match)


def matching_files(folder: Path, pattern: str) -> list[Path]:
    """Files below a folder that match a glob, ordered by their path; hidden ones are none."""
    below = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return [below[name] for name in sorted(below) if not _hidden(name) and matches(name, pattern)]


def matches(name: str, pattern: str) -> bool:
    """Whether a path below a folder fits a glob, as text: the file need not be there.

    `*` and `?` stay in a folder, `**` crosses folders, `[...]` is one of its characters, `[!...]` none of them.

    Examples
    --------
    >>> [matches(name, "**/votes-*.csv") for name in ("votes-1.csv", "a/b/votes-2.csv", "a/x.csv")]
    [True, True, False]
    """
    return _expression(pattern).fullmatch(name) is not None


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    tokens = re.findall(r"\*\*/|\*\*|\*|\?|\[[^]]+\]|.", pattern, re.DOTALL)
    return re.compile("".join(_GLOB.get(token) or _one(token) for token in tokens), re.DOTALL)


def _one(token: str) -> str:
    if len(token) == 1:
        return re.escape(token)
    return f"[^/{token[2:]}" if token.startswith("[!") else token


def _hidden(name: str) -> bool:
    # Such as the file that a copy is still being written to.
    return any(part.startswith(".") for part in name.split("/"))


def path_problems(spec: StudySpec) -> Iterator[Problem]:
    """Paths and globs stay below where they belong."""
    for _, address, path in named_files(spec):
        if _escapes(path):
            yield Problem(address, f"{path!r} is not below the study", "move the file into the study's folder")
    globs: list[tuple[Address, str]] = [(("exports", i, "match"), e.match) for i, e in enumerate(spec.exports)]
    if spec.outputs is not None:
        globs.append((("outputs", "match"), spec.outputs.match))
    first: dict[str, int] = {}
    for address, pattern in globs:
        if _escapes(pattern):
            yield Problem(address, f"{pattern!r} is not below exports/", "write a glob on the path below exports/")
        if not _is_glob(pattern):
            yield Problem(address, f"{pattern!r} is no glob", "correct the characters in brackets")
        if pattern in first:
            yield Problem(address, f"{pattern!r} is matched twice, first on entry {first[pattern] + 1}", "narrow one")
        first.setdefault(pattern, len(first))


def _is_glob(pattern: str) -> bool:
    try:
        _expression(pattern)
    except re.error:
        return False
    return True


def _escapes(path: str) -> bool:
    pure = PurePosixPath(path)
    windows = re.match(r"[A-Za-z]:", path) is not None or "\\" in path
    return pure.is_absolute() or windows or "\0" in path or ".." in pure.parts or path.startswith("~")
