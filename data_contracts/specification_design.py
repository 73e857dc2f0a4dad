"""How the study is set up: its claim, its systems, its raters and who was given what."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from data_contracts.specification_part import (
    FilePath,
    Id,
    IndependentUnit,
    Level,
    Pair,
    Part,
    Positive,
    Text,
    Word,
    as_tuple,
)
from data_contracts.vocabulary import CandidateOrder, RaterKind, Statistic


class Primary(Part):
    """The one estimate that the claim rests on, and that may head the report."""

    analysis: Id
    """An analysis of this study."""
    statistic: Annotated[Statistic, Word]
    """A statistic of its method, such as `spa_preference` or `mean_difference`."""
    criterion: Text | None = None
    """Needed where the analysis has more than one; `*` for the pooled one."""
    population: Text | None = None
    """Needed where the analysis runs over more than one; a+b where it pools them."""
    pair: Pair | None = None
    """Two systems, for a statistic of pairs."""
    system: Id | None = None
    """One system, for a statistic of systems."""
    dimensions: dict[str, Level] = Field(default_factory=dict)
    """Further parts of the estimate's id, such as {label: "Yes"}."""


class Claim(Part):
    """What the study is to decide."""

    decision: Text | None = None
    """The decision that hangs on it. May be changed after the freeze."""
    construct_: Text | None = Field(default=None, alias="construct")
    """What is measured."""
    unit: Text | None = None
    """What is judged: a story, an answer, a turn."""
    independent_unit: IndependentUnit | None = None
    """Rater, case or a case attribute; two names make the intervals two-way."""
    target_population: Text | None = None
    """Whose judgment the raters stand for."""
    not_supported: Text | None = None
    """What must not be concluded. May be changed after the freeze."""
    primary: Primary | None = None
    """The estimate that the claim rests on."""


def parse_until(text: str) -> datetime:
    """A date (its first moment in UTC) or a date and time with an offset."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    if len(text) > len("2026-03-01"):
        raise ValueError("a time without an offset")
    return moment.replace(tzinfo=UTC)


class Planned(Part):
    """When collection stops; exactly one key. Estimates made before are interim. Models count where no human judges."""

    raters: Positive | None = None
    """Scored raters, before exclusions."""
    judgments: Positive | None = None
    """Scored judgments, before exclusions."""
    until: Text | None = None
    """The newest submission reaches this date (00:00 UTC) or time with offset."""

    @model_validator(mode="after")
    def _one_rule(self) -> "Planned":
        if len(self.model_fields_set & {"raters", "judgments", "until"}) != 1:
            raise ValueError("a plan stops at one thing; write exactly one of raters, judgments and until")
        if self.until is not None:
            try:
                parse_until(self.until)
            except ValueError as error:
                raise ValueError(f"until: {error}; write 2026-03-01, or 2026-03-01T12:00:00Z") from None
        return self


class System(Part):
    """One system under study."""

    id: Id
    """Name used in the report."""
    blinded: Text | None = None
    """Its id in the exports; the same as `id` unless given."""
    reference: bool = False
    """Whether others are compared with it; at most one."""

    @property
    def blinded_id(self) -> str:
        return self.id if self.blinded is None else self.blinded


class BlindingColumns(Part):
    case: Text
    """Column of the case id."""
    candidate: Text
    """Column of the code in the exports."""
    system: Text
    """Column of the system's id."""


class Blinding(Part):
    """A table from case and code to system, where codes differ by case."""

    file: FilePath
    """CSV below the study."""
    columns: BlindingColumns
    """Its columns."""


class Population(Part):
    """A population of raters."""

    id: Id
    """Name used everywhere else; a model's own id."""
    kind: Annotated[RaterKind, Word]
    """human or model."""
    role: Literal["rater", "adjudicator"] = "rater"
    """An adjudicator population is used in adjudication only."""
    qualification: Text | None = None
    """What admitted a rater."""
    recruitment: Text | None = None
    """Where raters came from. May be changed after the freeze."""
    pay: Text | None = None
    """What they were paid. May be changed after the freeze."""
    order: Annotated[CandidateOrder, Word] | None = None
    """How the order of candidates came about, where it differs from `assignment.order`."""
    independent_unit: IndependentUnit | None = None
    """Where it differs from `claim.independent_unit`."""

    @property
    def adjudicates(self) -> bool:
        return self.role == "adjudicator"


class Raters(Part):
    """Who judged."""

    unique: bool = False
    """A gate: a rater who submits twice needs a `repeat_submission` rule."""
    populations: tuple[Population, ...] = Field(min_length=1)
    """The populations."""


Exposure = Annotated[int, Field(ge=0)]
Exposures = Annotated[
    tuple[Exposure, ...], BeforeValidator(as_tuple, json_schema_input_type=Exposure | tuple[Exposure, ...])
]


class Assignment(Part):
    """Who was given what."""

    design: Text | None = None
    """within, between, incomplete blocks ...; shown, never computed with."""
    order: Annotated[CandidateOrder, Word] | None = None
    """How the order of candidates on the screen came about."""
    exposure: Exposures = ()
    """Outputs of each system seen before an spa answer; one number or several."""
    judgments_per_rater: Positive | None = None
    """How many each rater was assigned."""
    manifest: FilePath | None = None
    """File below the study that says who was assigned what."""


class Reuse(Part):
    """A use of these judgments beyond this study."""

    artifact: Text
    """What they influenced."""
    purpose: Literal["development", "other"] = "development"
    """`development` (training, tuning or calibrating) ends the study's standing as a fresh check."""
    note: Text | None = None
    """Which judgments, and how."""


class Governance(Part):
    """Statements shown in the report."""

    ethics: Text | None = None
    """Review or exemption."""
    consent: Text | None = None
    """What raters agreed to."""
    retention: Text | None = None
    """How long what is kept."""
    protection: Text | None = None
    """How raters are protected from disturbing content and unfair rejection."""
