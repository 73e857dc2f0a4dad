"""Digests of a specification: one for each section, over what it declares and the bytes of the files it names.

A digest is of meaning, not of writing: the order of keys, comments, quotes and a default written out
change nothing, and 3 and 3.0 are one number. The order of a list counts, since it orients pairs,
levels and reasons.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Analysis, PairTests
from data_contracts.specification_exports import Export, Read
from data_contracts.specification_paths import named_files, output_files
from data_contracts.specification_problem import Problem, refusal
from data_contracts.specification_rules import Exclusion
from data_contracts.vocabulary import Protocol, RaterKind

# Sections that may be amended without a study ceasing to be confirmatory (METHODS 13.4).
EXEMPT = ("title", "governance", "reuse", "claim_notes", "recruitment")

_CLAIM_NOTES = ("decision", "not_supported")
_RECRUITMENT = ("recruitment", "pay")
_CHUNK = 1 << 20


def section_digests(spec: StudySpec, study: Path) -> dict[str, str]:
    """SHA-256 of each section, in the order of the specification.

    Parameters
    ----------
    spec : StudySpec
        The specification.
    study : Path
        The study's folder, below which the files it names lie.

    Raises
    ------
    SpecificationError
        A named file is not there, or is a link to somewhere else.
    """
    files = file_digests(spec, study)
    return {name: section_digest(content, files.get(name, {})) for name, content in sections(spec).items()}


def section_digest(content: Any, files: Mapping[str, str]) -> str:
    """SHA-256 of one section: what it declares, and the digests of its files by path."""
    return _sha256(canonical_json({"declared": content, "files": dict(files)}))


def study_spec_hash(digests: Mapping[str, str]) -> str:
    """The one digest over all sections."""
    return _sha256(canonical_json(dict(digests)))


def file_digests(spec: StudySpec, study: Path) -> dict[str, dict[str, str]]:
    """SHA-256 of the bytes of every named file, by section and path below the study."""
    digests: dict[str, dict[str, str]] = {}
    problems = []
    for section, address, path in named_files(spec):
        if not _is_below(study, study / path):
            problems.append(Problem(address, f"there is no file {path} in the study", "write it, or correct the path"))
        else:
            digests.setdefault(section, {})[path] = file_sha256(study / path)
    for file in output_files(spec, study):
        digests.setdefault("outputs", {})[file.relative_to(study).as_posix()] = file_sha256(file)
    if spec.outputs is not None and not output_files(spec, study):
        address = ("outputs", "match")
        problems.append(
            Problem(
                address, f"no file below exports/ matches {spec.outputs.match}", "drop it there, or correct the glob"
            )
        )
    if problems:
        raise refusal(spec.source, problems)
    return digests


def intake_digest(spec: StudySpec, study: Path, export: Export, adapter: str) -> str:
    """SHA-256 of what decides how the files of one export are read; where it changes, they are read again.

    Parameters
    ----------
    adapter : str
        Name and version of the reader.
    """
    queries = {path: file_sha256(study / path) for path in (export.query,) if path is not None}
    entry = _export(spec, export)
    del entry["match"]
    return _sha256(
        canonical_json(
            {
                "adapter": adapter,
                "study": spec.study,
                "export": entry,
                "queries": queries,
                "rater_spaces": spec.rater_spaces(export),
                "systems": sorted(spec.system_of_blinded),
                "codes_differ_by_case": spec.blinding is not None,
                "criteria": {
                    revision: {id: {"protocol": c.protocol, "scale": _dump(c.scale)} for id, c in criteria.items()}
                    for revision, criteria in spec.criteria_of_revision.items()
                },
                "rubric_revision": spec.rubric.revision,
                "interface": _dump(spec.interface),
                "exposure": spec.assignment.exposure,
                "populations": [
                    {
                        "id": population.id,
                        "kind": population.kind,
                        "qualification": population.qualification,
                        "order": spec.order_of(population.id, export),
                    }
                    for population in spec.raters.populations
                ],
            }
        )
    )


def sections(spec: StudySpec) -> dict[str, Any]:
    """What each section declares, defaults written out."""
    whole = spec.model_dump(mode="json", by_alias=True)
    claim = whole["claim"]
    populations = whole["raters"]["populations"]
    return {
        "study": {"juryline": spec.juryline, "study": spec.study},
        "title": spec.title,
        "phase": whole["phase"],
        "claim": {key: value for key, value in claim.items() if key not in _CLAIM_NOTES},
        "claim_notes": {key: claim[key] for key in _CLAIM_NOTES},
        "planned": whole["planned"],
        "systems": {
            "systems": [_dump(system) | {"blinded": system.blinded_id} for system in spec.systems],
            "blinding": whole["blinding"],
        },
        "rubric": whole["rubric"],
        "interface": whole["interface"],
        "raters": {
            "unique": spec.raters.unique,
            "populations": [{k: v for k, v in p.items() if k not in _RECRUITMENT} for p in populations],
        },
        "recruitment": {p["id"]: {key: p[key] for key in _RECRUITMENT} for p in populations},
        "assignment": whole["assignment"],
        "intake": [_export(spec, export) for export in spec.exports],
        "outputs": None if spec.outputs is None else _dump(spec.outputs) | {"read": _read(spec.outputs.reading)},
        "corrections": whole["corrections"],
        "exclusions": [_exclusion(spec, rule) for rule in spec.exclusions],
        "adjudication": whole["adjudication"],
        "expectations": whole["expectations"],
        "analyses": {"seed": spec.seed, "analyses": [_analysis(spec, analysis) for analysis in spec.analyses]},
        "slices": whole["slices"],
        "sensitivity": whole["sensitivity"],
        "governance": whole["governance"],
        "reuse": whole["reuse"],
    }


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no space, and whole numbers without a fraction.

    Examples
    --------
    >>> canonical_json({"b": 3.0, "a": [True, 0.5, None, "é"]})
    '{"a":[true,0.5,null,"é"],"b":3}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def file_sha256(path: Path) -> str:
    """SHA-256 of the bytes of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _export(spec: StudySpec, export: Export) -> dict[str, Any]:
    return _dump(export) | {"read": _read(export.reading), "phase": str(spec.phase_of(export))}


def _read(read: Read | None) -> dict[str, Any] | None:
    return None if read is None else _dump(read) | {"delimiter": read.separator}


def _exclusion(spec: StudySpec, rule: Exclusion) -> dict[str, Any]:
    humans = [p.id for p in spec.raters.populations if p.kind is RaterKind.HUMAN and not p.adjudicates]
    written = _dump(rule) | {"population": sorted(rule.population or humans)}
    if "criterion" in written and written["criterion"] is None:
        of_spa = rule.rule == "spa_complement"
        written["criterion"] = [c.id for c in spec.rubric.criteria if c.protocol is Protocol.SPA or not of_spa]
    return written


def _analysis(spec: StudySpec, analysis: Analysis) -> dict[str, Any]:
    written = _dump(analysis) | {
        "criterion": [criterion.id for criterion in spec.criteria_of(analysis)],
        "population": spec.populations_of(analysis),
        "seed": spec.seed_of(analysis),
    }
    return written | ({"pairs": spec.pairs_of(analysis)} if isinstance(analysis, PairTests) else {})


def _dump(part: Any) -> Any:
    return None if part is None else part.model_dump(mode="json", by_alias=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(below) for below in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _is_below(study: Path, path: Path) -> bool:
    return path.is_file() and path.resolve().is_relative_to(study.resolve())


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
