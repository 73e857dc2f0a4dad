"""What a specification may declare and this version does not compute: refused by name, never approximated.

The model holds the whole language; what is listed here is taken out of the list as it is built.
"""

from collections.abc import Iterator

from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Agreement, Analysis, BradleyTerry, Elo
from data_contracts.specification_problem import Problem, refusal
from data_contracts.yaml_source import Address

UNBUILT_METHODS = ("recalibration",)


def refuse_unbuilt(spec: StudySpec) -> None:
    """Refuse what is declared and not in this version.

    Raises
    ------
    SpecificationError
        Names each declared thing that is not built, with its line.
    """
    problems = list(_unbuilt(spec))
    if problems:
        raise refusal(spec.source, problems)


def _unbuilt(spec: StudySpec) -> Iterator[Problem]:
    for place, analysis in enumerate(spec.analyses):
        at: Address = ("analyses", place)
        if analysis.method in UNBUILT_METHODS:
            yield _not_built((*at, "method"), f"method {analysis.method}", f"remove the analysis {analysis.id}")
        else:
            yield from _unbuilt_keys(at, analysis)


def _unbuilt_keys(at: Address, analysis: Analysis) -> Iterator[Problem]:
    if analysis.interval is not None and not _interval_is_built(analysis, analysis.interval.method):
        what = f"interval: {{method: {analysis.interval.method}}} for {analysis.method}"
        yield _not_built((*at, "interval"), what, "remove `interval`")


def _interval_is_built(analysis: Analysis, method: str) -> bool:
    return isinstance(analysis, Agreement | BradleyTerry) or (isinstance(analysis, Elo) and method == "bootstrap")


def _not_built(address: Address, what: str, fix: str) -> Problem:
    return Problem(address, f"{what} is not in this version", fix, code="not_in_this_version")
