"""Declared rules over judgments: exclusions, in the order in which they name a reason, and adjudication."""

from typing import Annotated, Literal

from pydantic import Field

from data_contracts.specification_part import Id, OneOrMoreIds, Part, Positive, Text, Word
from data_contracts.vocabulary import Scope

OnMissing = Literal["error", "keep", "exclude"]


class ExclusionRule(Part):
    """What every exclusion says."""

    id: Id
    """Name of the rule in decisions and scenarios."""
    scope: Annotated[Scope, Word]
    """What a hit removes: judgment, submission or rater."""
    population: OneOrMoreIds | None = None
    """Populations it looks at; all human ones but adjudicators unless given."""


class RaterAttribute(ExclusionRule):
    rule: Literal["rater_attribute"]
    attribute: Text
    """Attribute of the rater."""
    keep: tuple[Text, ...] = Field(min_length=1)
    """Values that stay."""
    on_missing: OnMissing = "error"
    """Where the attribute is unknown."""


class RepeatSubmission(ExclusionRule):
    rule: Literal["repeat_submission"]
    keep: Literal["none", "first", "last"]
    """Which of a rater's submissions stays."""
    on_missing: OnMissing = "error"
    """Where a judgment has no submission id."""


class IncompleteSet(ExclusionRule):
    rule: Literal["incomplete_set"]
    expected: Positive
    """How many make a set."""
    of: Literal["judgments", "cases"]
    """What is counted: scored judgments that have an answer, or the cases they are of."""
    on_missing: OnMissing = "error"
    """Where a judgment has no submission id."""


class MinDuration(ExclusionRule):
    rule: Literal["min_duration"]
    seconds: Annotated[float, Field(gt=0)]
    """Least time between start and submission."""
    on_missing: OnMissing = "error"
    """Where a time is not known."""


class UniformAnswers(ExclusionRule):
    rule: Literal["uniform_answers"]
    min_answers: Annotated[int, Field(ge=2)]
    """Fewer answers are never a hit."""
    criterion: OneOrMoreIds | None = None
    """Criteria looked at; each by itself; all unless given."""


class Gold(ExclusionRule):
    rule: Literal["gold"]
    min_correct: Annotated[float, Field(gt=0, le=1)]
    """Least share of gold items answered as expected."""
    on_missing: OnMissing = "error"
    """Where a rater answered no gold item."""


class SpaComplement(ExclusionRule):
    rule: Literal["spa_complement"]
    tau: Annotated[float, Field(ge=1, le=2)]
    """Greatest sum of both directions of one pair, as probabilities."""
    criterion: OneOrMoreIds | None = None
    """Criteria looked at; all of protocol spa unless given."""


class SqlRule(ExclusionRule):
    rule: Literal["sql"]
    where: Text
    """DuckDB condition over the judgments; a hit where it is true."""
    on_missing: OnMissing = "error"
    """Where the condition is null."""


Exclusion = Annotated[
    RaterAttribute | RepeatSubmission | IncompleteSet | MinDuration | UniformAnswers | Gold | SpaComplement | SqlRule,
    Field(discriminator="rule"),
]


class AdjudicationRule(Part):
    """What every adjudication says: one derived label for each unit of a criterion."""

    id: Id
    """Name of the rule."""
    criterion: Id
    """Criterion adjudicated."""


class Majority(AdjudicationRule):
    rule: Literal["majority"]
    min_votes: Positive = 2
    """Fewer votes give insufficient_votes."""
    on_tie: Literal["unresolved"] = "unresolved"
    """Where no label has more votes than every other."""


class Unanimous(AdjudicationRule):
    rule: Literal["unanimous"]
    min_votes: Positive = 2
    """Fewer votes give insufficient_votes."""


class Median(AdjudicationRule):
    rule: Literal["median"]
    min_votes: Positive = 2
    """Fewer votes give insufficient_votes."""


class Adjudicator(AdjudicationRule):
    rule: Literal["adjudicator"]
    population: Id
    """A population of role adjudicator."""
    when: Literal["disagreement", "always"] = "disagreement"
    """When its label decides."""
    otherwise: Literal["agreed"] = "agreed"
    """The label of units it does not decide."""
    else_: Literal["unresolved"] = Field(default="unresolved", alias="else")
    """Where it is needed and gave no label."""


Adjudication = Annotated[Majority | Unanimous | Median | Adjudicator, Field(discriminator="rule")]
