"""Files that a specification names: which, and that they lie below the study; and globs below `exports/`."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from data_contracts.specification import StudySpec
from data_contracts.specification_problem import Problem
from data_contracts.yaml_source import Address

EXPORTS = "exports"
_ANY_FOLDERS = "(?:[^/]+/)*"


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
    """Files below a folder whose path from it matches a glob, ordered by that path."""
    matches = glob_expression(pattern)
    files = (path for path in folder.rglob("*") if path.is_file())
    relative = {path.relative_to(folder).as_posix(): path for path in files}
    return [relative[name] for name in sorted(relative) if matches.fullmatch(name)]


def glob_expression(pattern: str) -> re.Pattern[str]:
    """A glob on a whole path: `*` and `?` stay in a folder, `**` crosses folders, `[...]` is one of its characters.

    Examples
    --------
    >>> [bool(glob_expression("**/votes-*.csv").fullmatch(p)) for p in ("votes-1.csv", "a/b/votes-2.csv", "a/x.csv")]
    [True, True, False]
    """
    *folders, name = pattern.split("/")
    below = "".join(_ANY_FOLDERS if folder == "**" else _segment(folder) + "/" for folder in folders)
    return re.compile(below + (f"{_ANY_FOLDERS}[^/]+" if name == "**" else _segment(name)), re.DOTALL)


def _segment(part: str) -> str:
    text, place = "", 0
    while place < len(part):
        character = part[place]
        closing = part.find("]", place + 2) if character == "[" else -1
        if closing > 0:
            inside = part[place + 1 : closing].replace("\\", "\\\\")
            text += f"[^/{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
            place = closing
        else:
            text += {"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character))
        place += 1
    return text


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
        if pattern in first:
            yield Problem(address, f"{pattern!r} is matched twice, first on entry {first[pattern] + 1}", "narrow one")
        first.setdefault(pattern, len(first))


def _escapes(path: str) -> bool:
    pure = PurePosixPath(path)
    windows = re.match(r"[A-Za-z]:", path) is not None or "\\" in path
    return pure.is_absolute() or windows or "\0" in path or ".." in pure.parts or path.startswith("~")
