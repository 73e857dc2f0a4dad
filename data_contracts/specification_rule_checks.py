"""What must hold between exclusions and adjudications and the raters, criteria and attributes they name."""

from collections.abc import Iterator

from data_contracts.specification import StudySpec
from data_contracts.specification_problem import Problem, listed, nearest
from data_contracts.specification_rules import (
    Adjudicator,
    Exclusion,
    Median,
    RaterAttribute,
    SpaComplement,
    UniformAnswers,
)
from data_contracts.vocabulary import Measure, Protocol, Scope
from data_contracts.yaml_source import Address

# A rule speaks of a whole rater, or of a submission; removing less would keep what it speaks against.
SCOPES = {
    "rater_attribute": (Scope.RATER,),
    "repeat_submission": (Scope.SUBMISSION, Scope.RATER),
    "incomplete_set": (Scope.SUBMISSION, Scope.RATER),
    "min_duration": tuple(Scope),
    "uniform_answers": (Scope.SUBMISSION, Scope.RATER),
    "gold": (Scope.RATER,),
    "spa_complement": (Scope.RATER,),
    "sql": tuple(Scope),
}


def rule_problems(spec: StudySpec) -> Iterator[Problem]:
    """What rules name exists, and their scope is one that the rule can mean."""
    for place, rule in enumerate(spec.exclusions):
        yield from _exclusion_problems(("exclusions", place), spec, rule)
    for place, adjudication in enumerate(spec.adjudication):
        at = ("adjudication", place)
        criterion = spec.criteria.get(adjudication.criterion)
        if criterion is None:
            yield Problem(
                (*at, "criterion"),
                f"there is no criterion {adjudication.criterion}",
                nearest(adjudication.criterion, list(spec.criteria)),
            )
        elif criterion.protocol in (Protocol.SPA, Protocol.RANKING) or (
            criterion.protocol is not Protocol.PAIRWISE and criterion.scale is not None and not criterion.scale.levels
        ):
            yield Problem(
                (*at, "criterion"), f"{criterion.id} has no labels to vote on", "name one with levels or pairs"
            )
        elif isinstance(adjudication, Median) and (
            criterion.scale is None or criterion.scale.measure is Measure.NOMINAL
        ):
            yield Problem((*at, "rule"), f"the levels of {criterion.id} have no order", "write `rule: majority`")
        if isinstance(adjudication, Adjudicator):
            yield from _adjudicator_problems((*at, "population"), spec, adjudication.population)


def _exclusion_problems(at: Address, spec: StudySpec, rule: Exclusion) -> Iterator[Problem]:
    scopes = SCOPES[rule.rule]
    if rule.scope not in scopes:
        yield Problem((*at, "scope"), f"{rule.rule} does not speak of a {rule.scope}", f"write {listed(scopes, 'or')}")
    for id in rule.population or ():
        if id not in spec.populations:
            yield Problem((*at, "population"), f"there is no population {id}", nearest(id, list(spec.populations)))
    if isinstance(rule, RaterAttribute) and rule.attribute not in spec.rater_attributes:
        yield Problem(
            (*at, "attribute"),
            f"no export gives the rater attribute {rule.attribute}",
            nearest(rule.attribute, sorted(spec.rater_attributes)),
        )
    if isinstance(rule, SpaComplement | UniformAnswers):
        of_spa = [c.id for c in spec.rubric.criteria if c.protocol is Protocol.SPA]
        known = of_spa if isinstance(rule, SpaComplement) else list(spec.criteria)
        for id in rule.criterion or ():
            if id not in known:
                yield Problem((*at, "criterion"), f"the rule cannot look at criterion {id}", nearest(id, known))
        if not known:
            yield Problem((*at, "rule"), "no criterion is of protocol spa", "remove the rule")


def _adjudicator_problems(at: Address, spec: StudySpec, id: str) -> Iterator[Problem]:
    adjudicators = [population.id for population in spec.raters.populations if population.adjudicates]
    if id not in spec.populations:
        yield Problem(at, f"there is no population {id}", nearest(id, adjudicators))
    elif id not in adjudicators:
        yield Problem(
            at, f"{id} judges in the study itself", "give the population `role: adjudicator`, or name another"
        )
