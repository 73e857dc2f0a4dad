"""Which files of a study's drop folder are exports, and which declaration reads each."""

from dataclasses import dataclass
from pathlib import Path

from data_contracts.errors import SpecificationError
from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from data_contracts.specification_paths import matches, matching_files


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundExport:
    """A file of the drop folder and the declaration that reads it."""

    path: Path
    name: str  # below exports/, with forward slashes
    export: Export


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFolder:
    """What lies in `exports/`: files to read, in order of name, and files that nothing matches."""

    found: tuple[FoundExport, ...]
    unmatched: tuple[str, ...]


def look_into(folder: Path, spec: StudySpec) -> DropFolder:
    """Match every file of a drop folder with the declarations of the specification.

    Raises
    ------
    SpecificationError
        If two declarations match one file: it would be read twice, or outputs as judgments.
    """
    names = [path.relative_to(folder).as_posix() for path in matching_files(folder, "**")]
    readers = {name: [export for export in spec.exports if matches(name, export.match)] for name in names}
    doubled = {name: exports for name, exports in readers.items() if len(exports) > 1}
    if doubled:
        name, exports = min(doubled.items())
        raise SpecificationError(
            f"{len(doubled)} files are matched by more than one export, such as {name}",
            where="study.yaml, exports: " + ", ".join(export.match for export in exports),
            fix="narrow one `match` so that each file is read once",
            code="matched_twice",
        )
    outputs = {name for name in names if spec.outputs is not None and matches(name, spec.outputs.match)}
    both = min((name for name in outputs if readers[name]), default=None)
    if both is not None:
        raise SpecificationError(
            f"{both} is matched by an export and by `outputs`",
            where=f"study.yaml, exports: {readers[both][0].match}; outputs",
            fix="narrow one `match`: outputs hold no judgments",
            code="matched_twice",
        )
    return DropFolder(
        found=tuple(
            FoundExport(path=folder / name, name=name, export=readers[name][0]) for name in names if readers[name]
        ),
        unmatched=tuple(name for name in names if not readers[name] and name not in outputs),
    )
