"""The declared analyses, what they are expected to find, and the scenarios they are repeated under."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from data_contracts.specification_part import (
    Alphas,
    Id,
    IndependentUnit,
    OneOrMoreIds,
    Pair,
    Part,
    Positive,
    Share,
    Text,
    Word,
)
from data_contracts.vocabulary import ItemKind, Measure, State

ALL_CRITERIA = "all"
RAW = "raw"
AS_DELIVERED = "as_delivered"

Ties = Literal["half", "drop", "davidson"]
Coefficient = Literal[
    "raw_agreement",
    "cohen_kappa",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "light_kappa",
    "fleiss_kappa",
    "conger_kappa",
    "gwet_ac1",
    "gwet_ac2_linear",
    "gwet_ac2_quadratic",
    "brennan_prediger",
    "krippendorff_alpha",
    "kendall_w",
]


# Given where none is named; the four that readers of such studies look for.
COEFFICIENTS: tuple[Coefficient, ...] = ("raw_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha")


class Interval(Part):
    method: Literal["percentile", "bootstrap"]
    """percentile: ends are quantiles of the rounds; bootstrap: a t interval on their spread."""


class Power(Part):
    effect: Annotated[float, Field(gt=0)]
    """Difference to be found, as a probability."""
    sd: Annotated[float, Field(gt=0)]
    """Expected standard deviation of raters' values."""


class AnalysisPart(Part):
    """What every analysis says."""

    id: Id
    """Name of the analysis; first part of its estimates' ids."""
    criterion: OneOrMoreIds
    """A criterion, a list, or `all` that the method fits."""
    population: OneOrMoreIds | None = None
    """One population; a list is pooled. Every rater population, one at a time, unless given."""
    include: tuple[Annotated[ItemKind, Word], ...] = (ItemKind.SCORED,)
    """Kinds of items that enter."""
    labels: Id = RAW
    """raw, or the id of an adjudication."""
    independent_unit: IndependentUnit | None = None
    """Where it differs from the population's and the claim's."""
    confidence: Share = 0.95
    """Of the intervals."""
    interval: Interval | None = None
    """How intervals are made, where not by the method's own way."""
    rounds: Positive = 1000
    """Bootstrap rounds."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """Of what is random; the study's unless given."""


class PairTests(AnalysisPart):
    """An analysis with a family of tests."""

    alpha: Alphas = (0.05,)
    """Thresholds; the first is the decision level."""
    correction: Literal["holm", "none"] = "holm"
    """Of p-values within a family."""
    pairs: tuple[Pair, ...] | None = None
    """Pairs tested; all unordered pairs, oriented as in `systems`, unless given."""
    family: Literal["with_slices"] | None = None
    """with_slices makes one family of all slices; else each slice value is its own, exploratory."""


class Spa(PairTests):
    method: Literal["spa"]
    answers: Literal["forward", "mean_of_both", "either"] | None = None
    """A rater's value from both directions; mean_of_both where both are asked, else either."""
    exposure: Annotated[int, Field(ge=0)] | None = None
    """Headline exposure; the largest of `assignment.exposure` unless given."""
    power: Power | None = None
    """Adds power_declared and required_raters."""
    margin: Annotated[float, Field(gt=0, lt=0.5)] | None = None
    """Adds a test of equivalence within this distance of 0.5."""
    acknowledge: Literal["tau_biases_forward"] | None = None
    """Needed with `answers: forward` beside a spa_complement rule."""


class Likert(PairTests):
    method: Literal["likert"]
    unit: Literal["rater", "case", "both"] | None = None
    """Unit of the pair difference; from the independent unit unless given."""
    pairing: Literal["rater", "none"] | None = None
    """rater: no shared cases, means of each rater; none: between designs; else cells of rater and case. Of means of
    raters the unit is the rater."""


class PassRates(PairTests):
    method: Literal["pass_rates"]
    pool: bool = False
    """Adds criterion `*` over all criteria."""
    total: bool = False
    """Adds checklist_total beside the shares."""
    unit: Literal["rater", "case", "both"] | None = None
    """Unit of the pair difference; from the independent unit unless given."""
    pairing: Literal["rater", "none"] | None = None
    """As for likert."""


class WinRates(AnalysisPart):
    method: Literal["win_rates"]


class Elo(AnalysisPart):
    method: Literal["elo"]
    k: Annotated[float, Field(gt=0)] = 32
    """Step of the update."""
    start: float = 1000
    """Rating before the first game."""
    orderings: Positive | Literal["as_delivered"] = 10000
    """Random orders averaged over, or one pass as delivered."""
    ties: Literal["half", "drop"] = "half"
    """A tie is half a win to each, or no game."""
    pairs: tuple[Pair, ...] | None = None
    """Pairs whose difference is given; else to the reference system, or all."""


class BradleyTerry(PairTests):
    method: Literal["bradley_terry"]
    ties: Ties = "half"
    """half a win to each, no game, or Davidson's model."""


class Agreement(AnalysisPart):
    method: Literal["agreement"]
    between: Literal["raters"] | tuple[Id, Id] = "raters"
    """Raters of a population, or two populations."""
    unit: Literal["game", "presentation"] = "game"
    """Pairwise: an unordered pair of outputs, or the pair in the order shown."""
    coefficients: Annotated[tuple[Coefficient, ...], Field(min_length=1)] | None = None
    """Coefficients given; raw_agreement, cohen_kappa, fleiss_kappa and krippendorff_alpha unless given, on
    interval and ratio scales krippendorff_alpha alone."""
    metrics: tuple[Annotated[Measure, Word], ...] = ()
    """Further metrics of krippendorff_alpha beside the scale's own."""
    orientation: Literal["symmetrised", "declared"] = "symmetrised"
    """declared adds the coefficients that depend on the order of `systems`, suffix `_oriented`."""
    raters: Literal["fixed", "random"] = "fixed"
    """random adds the spread over raters to the interval."""
    rater_pairs: bool | None = None
    """Rows for each pair of raters; up to 20 raters unless given."""
    as_category: tuple[Annotated[State, Word], ...] = ()
    """States counted as nominal labels."""
    ranks_as: Literal["interval"] | None = None
    """Ranks as interval data."""
    pool: bool = False
    """Adds criterion `*` over all criteria."""


class JudgeAgreement(PairTests):
    method: Literal["judge_agreement"]
    judge: Id
    """Population of the judge."""
    reference: OneOrMoreIds
    """Population it is held against."""
    unit: Literal["game", "presentation"] = "game"
    """As for agreement."""
    batches: Literal["month"] | tuple[Text, ...] | None = None
    """Batches for drift: calendar months, or values of assignment_block."""


class OrderEffects(AnalysisPart):
    method: Literal["order_effects"]


class LengthEffects(AnalysisPart):
    method: Literal["length_effects"]
    alpha: Alphas = (0.05,)
    """Thresholds."""
    correction: Literal["holm", "none"] = "holm"
    """Of p-values over systems."""
    threshold: Annotated[float, Field(ge=0)] = 0
    """Longer means longer by more than this."""


class Recalibration(AnalysisPart):
    method: Literal["recalibration"]
    judge: Id
    """Population of the judge."""
    reference: OneOrMoreIds
    """Population it is held against."""
    threshold: Annotated[float, Field(ge=0)] = 0
    """As for length_effects."""


Analysis = Annotated[
    Spa
    | Likert
    | PassRates
    | WinRates
    | Elo
    | BradleyTerry
    | Agreement
    | JudgeAgreement
    | OrderEffects
    | LengthEffects
    | Recalibration,
    Field(discriminator="method"),
]


class Expectation(Part):
    """A finding expected in advance; exactly one key."""

    better: Pair | None = None
    """The first is better than the second."""
    similar: Pair | None = None
    """No difference is expected."""

    @model_validator(mode="after")
    def _one_kind(self) -> "Expectation":
        if (self.better is None) == (self.similar is None):
            raise ValueError("an expectation is either better or similar; write one of the two")
        return self

    @property
    def pair(self) -> tuple[str, str]:
        pair = self.better or self.similar
        assert pair is not None
        return pair


class Sensitivity(Part):
    """Scenarios under which analyses are repeated."""

    analyses: tuple[Id, ...] = Field(min_length=1)
    """Analyses repeated."""
    exclusions: Literal["leave_one_out", "none"] = "none"
    """leave_one_out: all rules, none, and each rule left out."""
    adjudication: Literal["all", "none"] = "none"
    """all: raw labels and each adjudication."""
    ties: tuple[Ties, ...] = ()
    """Tie rules tried by the methods that have one."""
