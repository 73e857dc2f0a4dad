"""A row of estimates in words: its value, its interval, its stars, what must be said of it, and its name.

Belongs here: how one number reads. Does not: tables and charts, which show several.
"""

from collections.abc import Callable
from dataclasses import dataclass

from data_contracts.estimates import ALL
from data_contracts.specification import StudySpec
from data_contracts.vocabulary import Statistic, Status, Unit
from juryline.reports.numbers import decimals_within, interval_text, number_text, plain_text
from juryline.reports.plain_words import STATISTICS, STATUSES, reasons, spoken
from juryline.reports.reported import Numbers, Reported
from juryline.reports.safe_text import LONGEST_LABEL, shortened

POOLED = "*"
STARS = "*"
_OF_RATERS = ("agreement", "judge_agreement")  # what stands beside a number is whose it is, in no order


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How one analysis is read: its study, its thresholds, and whether stars may be printed.

    `placed` are the ids that already stand on the page, for an anchor must be unique.
    """

    spec: StudySpec
    numbers: Numbers
    analysis: str
    alpha: tuple[float, ...]
    stars_allowed: bool
    placed: set[str]

    def anchor(self, row: Reported) -> str | None:
        """The id of the row, the first time it is shown."""
        if row.estimate_id in self.placed:
            return None
        self.placed.add(row.estimate_id)
        return row.estimate_id

    def decimals(self, row: Reported) -> int | None:
        """Decimals that a rating's Monte-Carlo error allows; None where the unit decides."""
        if row.unit != Unit.ELO or row.statistic == Statistic.RATING_MC_ERROR:
            return None
        return decimals_within(self.numbers.monte_carlo_error(row))

    def value(self, row: Reported) -> str:
        """The value, or the status in words."""
        if row.value is None:
            return spoken(row.status, {})
        if row.statistic == Statistic.RATING_MC_ERROR:
            return f"{row.value:#.2g}".rstrip(".")
        return number_text(row.value, row.unit, self.decimals(row))

    def interval(self, row: Reported) -> str:
        if row.ci_low is None or row.ci_high is None:
            return ""
        return interval_text(row.ci_low, row.ci_high, row.unit, self.decimals(row))

    def stars(self, test: Reported) -> str:
        """One star for each declared alpha that the adjusted p-value is below.

        None while the study is interim, and none for a row that a frozen specification does not name.
        """
        undeclared = self.numbers.any_declared and not test.declared
        if not self.stars_allowed or undeclared or test.p_adjusted is None:
            return ""
        return STARS * sum(test.p_adjusted < alpha for alpha in self.alpha)

    def notes(self, row: Reported) -> list[str]:
        """Why there is no value or interval, and what a reader must know of one that is there."""
        told = reasons(row.reason)
        if row.value is None and not row.reason:
            told.append(spoken(row.status, STATUSES))
        if self.numbers.any_declared and not row.declared:
            told.append("not in the frozen specification")
        return told + self.interval_notes(row)

    def interval_notes(self, row: Reported) -> list[str]:
        """What a reader must know of the interval, or why a value has none; nothing where the statistic has none."""
        if row.ci_status is None or row.value is None:
            return []
        told = reasons(row.ci_reason)
        return told if row.ci_status == Status.OK else [f"no interval ({spoken(row.ci_status, {})})", *told]


def group_heading(spec: StudySpec, row: Reported) -> str:
    """Criterion, population with its kind, and slice of a row."""
    criterion = "all criteria pooled" if row.criterion == POOLED else row.criterion
    parts = [criterion, population_words(spec, row.population)]
    if row.slice != ALL:
        parts.append(f"{row.slice} = {shortened(row.slice_value, LONGEST_LABEL)}")
    return " · ".join(parts)


def population_words(spec: StudySpec, population: str) -> str:
    """A population's name with who is in it: human raters or a model."""
    kinds = {spec.populations[name].kind for name in population.split("+") if name in spec.populations}
    said = {"human": "human raters", "model": "model"}
    kind = " and ".join(said.get(str(k), str(k)) for k in sorted(kinds))
    return f"{population} ({kind})" if kind else population


def pair_label(joint: str) -> Callable[[Reported], str]:
    """Names two systems: `davinci over curie`."""
    return lambda row: f"{row.subject} {joint} {row.comparator}" + _dimension_words(row)


def subject_label(row: Reported) -> str:
    return row.subject + _dimension_words(row)


def statistic_label(row: Reported) -> str:
    """Names the statistic and whatever it speaks of that the heading of its group does not say."""
    name = spoken(row.statistic, STATISTICS)
    is_known = row.subject == ALL or (row.subject == row.population and row.comparator is None)
    about = [] if is_known else [row.subject]
    if row.comparator is not None:
        about.append(row.comparator)
    joint = " and " if row.method in _OF_RATERS else " against "
    return name + (f": {joint.join(about)}" if about else "") + _dimension_words(row)


def _dimension_words(row: Reported) -> str:
    if not row.dimensions:
        return ""
    named = ((key, shortened(plain_text(value), LONGEST_LABEL)) for key, value in row.dimensions.items())
    return "".join(f", {text}" if key == "label" else f", {key} {text}" for key, text in named)
