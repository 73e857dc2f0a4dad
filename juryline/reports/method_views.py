"""What each method shows: which of its numbers stand together in a table, and what is said of them.

A method without a view of its own is shown whole, in one table; so is everything that no view names.
"""

from collections.abc import Callable
from dataclasses import dataclass

from data_contracts.estimates import ALL
from data_contracts.vocabulary import Reason, Statistic
from juryline.reports.reading import pair_label, statistic_label, subject_label
from juryline.reports.reported import Reported


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A table: the statistics that have a row each, and those that stand beside them.

    `pairs` chooses rows with a comparator (True), without (False) or both (None); `study` those that speak of
    the whole study (True) or of a part (False). `passing` leaves out labels that do not pass, where any does.
    `best_first` orders by value, `counts` adds the counts behind a row, `folded` closes it on the page. `unless` leaves
    rows that have this reason to the further numbers: the method does not speak of their scale.
    """

    caption: str
    statistics: tuple[Statistic, ...]
    subject: str = "System"
    value: str
    label: Callable[[Reported], str] = subject_label
    pairs: bool | None = False
    study: bool | None = None
    beside: tuple[tuple[Statistic, str], ...] = ()
    passing: bool = False
    best_first: bool = False
    counts: bool = True
    folded: bool = False
    unless: Reason | None = None

    def holds(self, row: Reported) -> bool:
        chosen = self.pairs in (None, row.comparator is not None) and self.study in (None, row.subject == ALL)
        return chosen and row.statistic in self.statistics and (self.unless is None or self.unless != row.reason)


S = Statistic

COEFFICIENTS = (
    S.RAW_AGREEMENT, S.COHEN_KAPPA, S.COHEN_KAPPA_LINEAR, S.COHEN_KAPPA_QUADRATIC, S.LIGHT_KAPPA, S.FLEISS_KAPPA,
    S.CONGER_KAPPA, S.GWET_AC1, S.GWET_AC2_LINEAR, S.GWET_AC2_QUADRATIC, S.BRENNAN_PREDIGER, S.KRIPPENDORFF_ALPHA,
    S.KRIPPENDORFF_ALPHA_NOMINAL, S.KRIPPENDORFF_ALPHA_ORDINAL, S.KRIPPENDORFF_ALPHA_INTERVAL,
    S.KRIPPENDORFF_ALPHA_RATIO, S.COHEN_KAPPA_ORIENTED, S.LIGHT_KAPPA_ORIENTED, S.FLEISS_KAPPA_ORIENTED,
    S.CONGER_KAPPA_ORIENTED, S.GWET_AC1_ORIENTED, S.KRIPPENDORFF_ALPHA_ORIENTED, S.KENDALL_W, S.RESPONSE_AGREEMENT,
    S.SELF_AGREEMENT,
)  # fmt: skip
BETWEEN_POPULATIONS = (S.POPULATION_AGREEMENT, S.POPULATION_KAPPA, S.POPULATION_KAPPA_ORIENTED)

EXPECTATIONS = View(
    caption="Declared expectations recovered",
    statistics=(S.EXPECTED_RECOVERED,),
    subject="Threshold",
    value="Recovered",
    label=lambda row: ", ".join(f"{k} {v}" for k, v in row.dimensions.items()) or "all",
    beside=((S.EXPECTED_TOTAL, "of"),),
    pairs=None,
    counts=False,
)

_LENGTH_UNKNOWN = (S.LENGTH_UNKNOWN, "length unknown")
_GAME_COUNTS = ((S.WINS, "wins"), (S.LOSSES, "losses"), (S.TIES, "ties"), (S.BOTH_FAIL, "both fail"))
_WIN_RATES = ((S.RANK, "rank"), (S.WIN_RATE_DECISIVE, "decisive"), (S.WIN_RATE_HALF, "ties as half"), *_GAME_COUNTS)

CORRELATIONS: dict[Statistic, str] = {
    S.SPEARMAN_BEFORE: "as it judged",
    S.SPEARMAN_AFTER: "adjusted",
    S.SPEARMAN_BETA_ONLY: "control: the factor alone, without a judge",
    S.SPEARMAN_AFTER_CROSSFIT: "adjusted, factor from other cases",
}

VIEWS: dict[str, tuple[View, ...]] = {
    "spa": (
        View(
            caption="Stated preference",
            statistics=(S.SPA_PREFERENCE,),
            subject="Pair",
            value="P(first better)",
            label=pair_label("over"),
            pairs=True,
            beside=((S.SPA_SD, "sd of raters"),),
        ),
        EXPECTATIONS,
    ),
    "likert": (
        View(
            caption="Means",
            statistics=(S.MEAN,),
            value="Mean",
            beside=((S.MEAN_CASE_WEIGHTED, "each case equal"), (S.MEAN_Z, "standardised by rater")),
        ),
        View(
            caption="Differences",
            statistics=(S.MEAN_DIFFERENCE,),
            subject="Pair",
            value="Difference",
            label=pair_label("−"),
            pairs=True,
            beside=(
                (S.N_PAIRS, "matched pairs"),
                (S.REVERSAL_POSSIBLE, "could be reversed"),
                (S.REVERSAL_EXCLUDED, "reversal excluded"),
            ),
        ),
        View(
            caption="Probability of superiority",
            statistics=(S.SUPERIORITY,),
            subject="Pair",
            value="P(first rated higher)",
            label=pair_label("above"),
            pairs=True,
        ),
        View(
            caption="Ordinal model",
            statistics=(S.ORDINAL_LOG_ODDS,),
            subject="Pair",
            value="Log odds of a higher rating",
            label=pair_label("above"),
            pairs=True,
            unless=Reason.NOT_ORDINAL,
        ),
        EXPECTATIONS,
        View(
            caption="Ordinal model within a rater",
            statistics=(S.ORDINAL_LOG_ODDS_CONDITIONAL,),
            subject="Pair",
            value="Log odds of a higher rating",
            label=pair_label("above"),
            pairs=True,
            folded=True,
            unless=Reason.NOT_ORDINAL,
        ),
        View(
            caption="How far raters differ in the level they give",
            statistics=(S.RATER_LEVEL_SD,),
            subject="Of the ordinal model",
            value="Value",
            label=statistic_label,
            study=True,
            folded=True,
            unless=Reason.NOT_ORDINAL,
        ),
        View(caption="Shares of the levels", statistics=(S.SHARE,), value="Share", folded=True),
    ),
    "pass_rates": (
        View(caption="Pass rates", statistics=(S.PASS_RATE,), value="Pass rate"),
        View(
            caption="Differences",
            statistics=(S.SHARE_DIFFERENCE,),
            subject="Pair",
            value="Difference",
            label=pair_label("−"),
            pairs=True,
            passing=True,
            beside=((S.N_PAIRS, "matched pairs"),),
        ),
        EXPECTATIONS,
        View(caption="Shares of the labels", statistics=(S.SHARE,), value="Share", folded=True),
    ),
    "win_rates": (
        View(caption="Systems", statistics=(S.WIN_RATE,), value="Win rate", beside=_WIN_RATES, best_first=True),
        View(
            caption="Pairs",
            statistics=(S.WIN_RATE,),
            subject="Pair",
            value="Win rate",
            label=pair_label("against"),
            pairs=True,
            beside=(_WIN_RATES[1], *_GAME_COUNTS),
            folded=True,
        ),
    ),
    "elo": (
        View(
            caption="Ratings",
            statistics=(S.RATING,),
            value="Rating",
            beside=(
                (S.GAMES, "games"),
                (S.RATING_ORDER_SD, "sd over orders"),
                (S.RATING_MC_ERROR, "Monte-Carlo error"),
            ),
            best_first=True,
        ),
        View(
            caption="Differences",
            statistics=(S.RATING_DIFFERENCE,),
            subject="Pair",
            value="Difference",
            label=pair_label("−"),
            pairs=True,
        ),
    ),
    "bradley_terry": (
        View(
            caption="Ratings",
            statistics=(S.RATING,),
            value="Rating",
            beside=((S.GAMES, "games"), (S.MEAN_RANK, "mean rank"), (S.COMPONENT, "group")),
            best_first=True,
        ),
        View(
            caption="Differences",
            statistics=(S.RATING_DIFFERENCE,),
            subject="Pair",
            value="Difference",
            label=pair_label("−"),
            pairs=True,
            beside=((S.WIN_PROBABILITY, "P(first preferred)"),),
        ),
        View(
            caption="Ties",
            statistics=(S.TIE_PARAMETER,),
            subject="Parameter",
            value="Value",
            label=statistic_label,
            study=True,
        ),
        EXPECTATIONS,
    ),
    "agreement": (
        View(
            caption="Coefficients",
            statistics=COEFFICIENTS,
            subject="Coefficient",
            value="Value",
            label=statistic_label,
            study=True,
        ),
        View(
            caption="Between populations",
            statistics=BETWEEN_POPULATIONS,
            subject="Coefficient",
            value="Value",
            label=statistic_label,
            pairs=None,
        ),
        View(
            caption="Pairs of raters",
            statistics=COEFFICIENTS,
            subject="Coefficient and raters",
            value="Value",
            label=statistic_label,
            pairs=True,
            folded=True,
        ),
        View(
            caption="Shares of the labels",
            statistics=(S.PREVALENCE,),
            subject="Label",
            value="Share of ratings",
            label=lambda row: str(row.dimensions.get("label", row.subject)),
            pairs=None,
            folded=True,
        ),
    ),
    "order_effects": (
        View(
            caption="Which position won",
            statistics=(
                *(S.FIRST_ADVANTAGE, S.FIRST_SHARE_DECISIVE),
                *(S.FIRST_SHARE, S.SECOND_SHARE, S.TIE_SHARE, S.BOTH_FAIL_SHARE),
            ),
            subject="Number",
            value="Value",
            label=statistic_label,
            study=True,
        ),
        View(
            caption="One rater, both orders",
            statistics=(S.ORDER_CONSISTENCY, S.FLIP_FIRST, S.FLIP_SECOND, S.FLIP_TIE),
            subject="Both answers",
            value="Share",
            label=statistic_label,
            study=True,
        ),
        View(
            caption="Pairs of systems by the orders in which they were decided",
            statistics=(S.N_PAIRS,),
            subject="Orders",
            value="Pairs",
            label=lambda row: {2: "both", 1: "one: left out of the balanced number"}.get(row.dimensions["orders"], ""),
            folded=True,
        ),
        View(
            caption="By rater",
            statistics=(S.FIRST_SHARE_DECISIVE,),
            subject="Rater",
            value="First shown won, of decisive games",
            study=False,
            folded=True,
        ),
    ),
    "length_effects": (
        View(
            caption="Winning with the longer output: P(win | longer) − P(win | not longer)",
            statistics=(S.LENGTH_CONTRAST,),
            value="Contrast",
            beside=(
                (S.P_WIN, "P(win)"),
                (S.P_LONGER, "P(longer)"),
                (S.P_WIN_GIVEN_LONGER, "P(win | longer)"),
                (S.P_LONGER_GIVEN_WIN, "P(longer | win)"),
                _LENGTH_UNKNOWN,
            ),
        ),
        View(
            caption="All games",
            statistics=(S.LONGER_WINS,),
            subject="Number",
            value="Share",
            label=statistic_label,
            study=True,
            beside=(_LENGTH_UNKNOWN,),
        ),
        View(caption="The test as first published", statistics=(S.LENGTH_T_SEED,), value="t", folded=True),
    ),
    "judge_agreement": (
        View(
            caption="Judge and humans",
            statistics=(
                *(S.JUDGE_AGREEMENT, S.HUMAN_AGREEMENT, S.JUDGE_MINUS_HUMAN, S.POPULATION_KAPPA, S.COVERAGE),
                S.JUDGE_AGREEMENT_ADJUDICATED,
            ),
            subject="Number",
            value="Value",
            label=statistic_label,
        ),
        View(
            caption="Drift from the first batch",
            statistics=(S.DRIFT,),
            subject="Batch",
            value="Change of agreement",
            label=lambda row: str(row.dimensions.get("batch", "all")),
        ),
    ),
    "recalibration": (
        View(
            caption="Rank correlation with human win rates",
            statistics=tuple(CORRELATIONS),
            subject="Judge",
            value="Spearman",
            label=lambda row: CORRELATIONS[Statistic(row.statistic)],
            study=True,
        ),
        View(
            caption="Adjusted scores",
            statistics=(S.ADJUSTED_JUDGE_SCORE,),
            value="Adjusted score",
            beside=((S.P_WIN, "judge's P(win)"), (S.BETA, "factor"), _LENGTH_UNKNOWN),
            best_first=True,
        ),
        View(
            caption="The games that both judged",
            statistics=(S.P_WIN,),
            value="P(win)",
            beside=((S.P_LONGER, "P(longer)"),),
        ),
    ),
}

HOW_TO_READ = {
    "spa": "Each rater states the chance that the first system is the better one; the value is the mean over raters, "
    "0.5 is no preference. An expected similarity counts as recovered if no difference was found, which is absence "
    "of evidence and not equivalence.",
    "likert": "A mean takes the steps of the scale as equal, and raters as using it alike. Where the scale is ordinal, "
    "the probability of superiority needs neither; and a difference below one step can have the wrong sign, since "
    "rounding to a level hides up to one step. The ordinal model compares the odds of a rating above a level, taken to "
    "differ between two systems alike at every level: log odds of 0 are no difference, of 1 mean odds 2.7 times as "
    "high. Within a rater they are larger, since raters who differ in their level blur what they agree on; that "
    "interval knows of raters only, not of cases.",
    "pass_rates": "Shares of the answers given. What was not answered is counted under response states and is no "
    "failure.",
    "win_rates": "Wins among all comparisons of a system, ties and both-fail counted as comparisons that were not won; "
    "beside it the rate among decisive ones, and with ties as half a win.",
    "elo": "The expected final rating over random orders of these very comparisons. It describes them and grows with "
    "their number: ratings of populations with different numbers of games are not comparable.",
    "bradley_terry": "Ratings have an arbitrary zero: quote differences. Different tie rules give different scales. "
    "A system that never lost, or never won, has no finite rating and gets none. Where ties have a parameter ν, "
    "systems of equal strength tie ν times for every two games that one of them wins.",
    "agreement": "How far raters agree on raw judgments, before any adjudication. Agreement is reliability, not "
    "validity, and no coefficient has a universal cut-off. Read it beside raw agreement and the shares of the labels.",
    "judge_agreement": "How often the judge gives the label that a human gives, beside how often humans agree with one "
    "another on the same units, which is what one more human would reach. Coverage is the share of what it was asked "
    "that it labelled; agreement speaks of that share only. Drift compares batches of the judge's judgments with the "
    "first.",
    "order_effects": "Whether the one shown first is preferred. The number with systems balanced is free of which "
    "system stood first more often; quote that one. A rater who saw a pair in both orders either kept the answer, or "
    "followed the position, or was undecided once.",
    "length_effects": "Whether the longer output is preferred. Length was not randomised, so these are associations. "
    "Games with an output of unknown length are left out. The test as first published holds games against a set that "
    "contains them, so it almost never rejects; the contrast is the one to quote.",
    "recalibration": "Development, not a result: the factor is fitted to these judgments, and it contains the human "
    "win rate that the result is compared with, so the correlation rises even for a judge of pure noise. No change is "
    "an improvement unless it exceeds that of the factor alone. A factor from other cases still contains how often "
    "each system wins; it leaves out only the chance that both share.",
}
