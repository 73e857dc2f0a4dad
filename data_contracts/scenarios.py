"""Under which scenarios a declared analysis is repeated: what is excluded, whose labels are read, how ties count.

Belongs here: what `sensitivity` and `labels` of a specification mean (METHODS 12). Does not: any table or number.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import (
    AS_DELIVERED,
    RAW,
    Agreement,
    Analysis,
    JudgeAgreement,
    Likert,
    OrderEffects,
    PassRates,
    Recalibration,
    Spa,
)
from data_contracts.vocabulary import Protocol

EVERY_RULE = "all"
NO_RULE = "none"
READ_RAW_ONLY = (Agreement, JudgeAgreement, OrderEffects, Recalibration, Spa)
TIES_OF_METHOD = {"elo": ("half", "drop"), "bradley_terry": ("half", "drop", "davidson")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One cell of a sensitivity analysis.

    Parameters
    ----------
    exclusions : str
        all, none, or `-ID`: all rules but one.
    labels : str
        raw, or the id of an adjudication.
    ties : str, optional
        Tie rule, of methods that have one.
    """

    exclusions: str = EVERY_RULE
    labels: str = RAW
    ties: str | None = None

    def __str__(self) -> str:
        parts = [f"exclusions={self.exclusions}", f"adjudication={self.labels}"]
        return ";".join(parts if self.ties is None else [*parts, f"ties={self.ties}"])

    @property
    def data(self) -> "Scenario":
        """The scenario of the judgments alone."""
        return replace(self, ties=None)

    @property
    def is_view(self) -> bool:
        """Whether its judgments are those of the protocol views as they stand."""
        return self.exclusions == EVERY_RULE and self.labels == RAW


def frozen_scenario(analysis: Analysis) -> Scenario:
    """What the analysis itself declares."""
    return Scenario(labels=analysis.labels, ties=getattr(analysis, "ties", None))


def scenarios_of(analysis: Analysis, spec: StudySpec) -> list[Scenario]:
    """The frozen scenario and every other that `sensitivity` crosses it with, in the order of the specification."""
    frozen = frozen_scenario(analysis)
    if spec.sensitivity is None or analysis.id not in spec.sensitivity.analyses:
        return [frozen]
    crossed = [
        Scenario(exclusions=exclusions, labels=labels, ties=ties)
        for exclusions in _exclusions(spec)
        for labels in _labels(analysis, spec)
        for ties in _ties(analysis, spec)
    ]
    return list(dict.fromkeys([frozen, *crossed]))


def repeated_as(analysis: Analysis, scenario: Scenario, spec: StudySpec) -> Analysis:
    """The analysis as a scenario has it; an adjudication leaves it its own criterion only, and nothing by raters.

    What reads labels is of all who voted, and is held against their raw judgments pooled.
    """
    changes: dict[str, Any] = {"labels": scenario.labels}
    if analysis.labels != RAW and scenario.labels == RAW:
        changes["population"] = spec.voters
    if scenario.ties is not None:
        changes["ties"] = scenario.ties
    if scenario.labels != RAW:
        changes["criterion"] = tuple(rule.criterion for rule in spec.adjudication if rule.id == scenario.labels)
        if isinstance(analysis, Likert | PassRates):
            changes |= {"pairing": None, "unit": None if analysis.unit in ("rater", "both") else analysis.unit}
    return analysis.model_copy(update=changes)


def data_scenarios(spec: StudySpec) -> list[Scenario]:
    """Scenarios of the judgments that any analysis is made under, without those that are the protocol views."""
    scenarios = (scenario for analysis in spec.analyses for scenario in _data_scenarios(analysis, spec))
    return [scenario for scenario in dict.fromkeys(scenarios) if not scenario.is_view]


def labels_beside(analysis: Analysis, spec: StudySpec, criterion: str | None = None) -> list[str]:
    """Adjudications whose labels an analysis reads beside the raw ones, of all its criteria or of one."""
    if not isinstance(analysis, JudgeAgreement):
        return []
    ids = [known.id for known in spec.criteria_of(analysis) if criterion in (None, known.id)]
    return [rule.id for rule in spec.adjudication if rule.criterion in ids]


def adjudicable(analysis: Analysis, spec: StudySpec) -> Iterator[str]:
    """Adjudications whose labels an analysis could read instead of the raw ones."""
    # A single pass in the order of delivery needs judgments that were delivered.
    if isinstance(analysis, READ_RAW_ONLY) or getattr(analysis, "orderings", None) == AS_DELIVERED:
        return
    criteria = {criterion.id: criterion for criterion in spec.criteria_of(analysis)}
    for rule in spec.adjudication:
        # Ranks are settled one candidate at a time, which leaves no ranking to take pairs from.
        if rule.criterion in criteria and criteria[rule.criterion].protocol is not Protocol.RANKING:
            yield rule.id


def _data_scenarios(analysis: Analysis, spec: StudySpec) -> Iterator[Scenario]:
    for scenario in scenarios_of(analysis, spec):
        yield scenario.data
        for id in labels_beside(analysis, spec):
            yield replace(scenario.data, labels=id)


def _exclusions(spec: StudySpec) -> list[str]:
    if spec.sensitivity is None or spec.sensitivity.exclusions == "none" or not spec.exclusions:
        return [EVERY_RULE]
    return [EVERY_RULE, NO_RULE, *(f"-{rule.id}" for rule in spec.exclusions)]


def _labels(analysis: Analysis, spec: StudySpec) -> list[str]:
    if spec.sensitivity is None or spec.sensitivity.adjudication == "none":
        return [analysis.labels]
    return list(dict.fromkeys([analysis.labels, RAW, *adjudicable(analysis, spec)]))


def _ties(analysis: Analysis, spec: StudySpec) -> list[str | None]:
    declared = getattr(analysis, "ties", None)
    tried = spec.sensitivity.ties if spec.sensitivity is not None else ()
    return list(dict.fromkeys([declared, *(rule for rule in tried if rule in TIES_OF_METHOD.get(analysis.method, ()))]))
