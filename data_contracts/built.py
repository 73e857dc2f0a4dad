"""What a specification may declare and this version does not compute: refused by name, never approximated."""

from collections.abc import Iterator

from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import BradleyTerry
from data_contracts.specification_problem import Problem, refusal
from data_contracts.yaml_source import Address

UNBUILT_METHODS = ("judge_agreement", "order_effects", "length_effects", "recalibration")


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
        if isinstance(analysis, BradleyTerry) and analysis.ties == "davidson":
            yield _not_built((*at, "ties"), "ties: davidson", "write `ties: half` or `ties: drop`")
    if spec.sensitivity is not None:
        yield _not_built(("sensitivity",), "sensitivity", "remove it")


def _not_built(address: Address, what: str, fix: str) -> Problem:
    return Problem(address, f"{what} is not in this version", fix, code="not_in_this_version")
