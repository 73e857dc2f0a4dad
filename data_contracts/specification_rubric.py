"""What raters were asked: the rubric's criteria, their scales and their revisions."""

from functools import cached_property
from typing import Annotated

from pydantic import Field

from data_contracts.specification_part import Id, Level, Part, Text, Word
from data_contracts.vocabulary import Measure, Protocol

PROBABILITY_RANGE = (0.0, 100.0)  # stated in percent, unless the scale says otherwise


class Scale(Part):
    """The declared responses of a criterion."""

    measure: Annotated[Measure, Word]
    """Level of measurement: nominal, ordinal, interval, ratio or probability."""
    levels: tuple[Level, ...] = ()
    """Declared responses in their order, lowest first; never sorted."""
    min: float | None = None
    """Least number allowed, for interval, ratio and probability scales."""
    max: float | None = None
    """Greatest number allowed."""
    pass_: tuple[Level, ...] = Field(default=(), alias="pass")
    """Levels that count as passed; needed for `pass_rate`."""

    @cached_property
    def level_index(self) -> dict[str, int]:
        """Place of each level in the declared order, by the level's text (`level_text`)."""
        return {level_text(level): index for index, level in enumerate(self.levels)}

    @property
    def numeric(self) -> bool:
        """Whether every answer is a number: numeric levels, or no levels at all."""
        return all(not isinstance(level, str) for level in self.levels)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Least and greatest number: of the levels where there are numeric ones, else as declared."""
        if self.levels and self.numeric:
            return float(self.levels[0]), float(self.levels[-1])
        if self.measure is Measure.PROBABILITY:
            low, high = PROBABILITY_RANGE
            return low if self.min is None else self.min, high if self.max is None else self.max
        return self.min, self.max


class Anchor(Part):
    """An example near a boundary, with why it is judged so."""

    label: Level
    """The response it is an example of."""
    example: Text
    """The example."""
    why: Text | None = None
    """The explanation shown to raters."""


class Criterion(Part):
    """One question of the rubric."""

    id: Id
    """Name used everywhere else."""
    protocol: Annotated[Protocol, Word]
    """How it is asked: pairwise, rating, spa, checklist or ranking."""
    question: Text | None = None
    """The words raters read."""
    scale: Scale | None = None
    """Declared responses; for rating, checklist and spa."""
    condition: Text | None = None
    """What must be present for the criterion to apply."""
    evidence: Text | None = None
    """What the rater may inspect, and which source takes priority."""
    anchors: tuple[Anchor, ...] = ()
    """Examples near boundaries."""
    extremum_equivalence: bool | None = None
    """Whether the ends of the scale mean the same to all raters; declared, never computed."""

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Least and greatest number of an answer; (0, 100) for spa unless declared."""
        if self.scale is None:
            return PROBABILITY_RANGE if self.protocol is Protocol.SPA else (None, None)
        return self.scale.bounds


class EarlierRubric(Part):
    """A revision of the rubric that was replaced; its rows are set aside, never pooled."""

    revision: Text
    """Its name in the exports."""
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    """Its criteria."""


class Rubric(Part):
    """The rubric in force, and those before it."""

    revision: Text = "1"
    """Name of the revision in force."""
    earlier: tuple[EarlierRubric, ...] = ()
    """Revisions before it."""
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    """The criteria, in the order of the report."""


class Interface(Part):
    """The form raters worked in."""

    revision: Text
    """Name of the revision in force."""
    earlier: tuple[Text, ...] = ()
    """Revisions before it; their rows are set aside."""


def level_text(level: Level) -> str:
    """A level as it stands in `label`: whole numbers without a fraction, so 3 and 3.0 are one level.

    Examples
    --------
    >>> [level_text(level) for level in (3, 3.0, 2.5, "Yes")]
    ['3', '3', '2.5', 'Yes']
    """
    if isinstance(level, str):
        return level
    return str(int(level)) if float(level).is_integer() else repr(float(level))
