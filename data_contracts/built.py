"""What a specification may declare and this version does not compute: refused by name, never approximated.

The model holds the whole language; what is listed here is taken out of the list as it is built.
"""

from collections.abc import Iterator

from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Agreement, Analysis, BradleyTerry, Elo, Recalibration
from data_contracts.specification_problem import Problem, refusal


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
        if analysis.interval is not None and not _interval_is_built(analysis, analysis.interval.method):
            what = f"interval: {{method: {analysis.interval.method}}} for {analysis.method} is not in this version"
            yield Problem(("analyses", place, "interval"), what, "remove `interval`", code="not_in_this_version")


def _interval_is_built(analysis: Analysis, method: str) -> bool:
    of_any_method = isinstance(analysis, Agreement | BradleyTerry | Recalibration)
    return of_any_method or (isinstance(analysis, Elo) and method == "bootstrap")
