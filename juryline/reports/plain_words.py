"""What the codes of the tables mean in words: statuses, reasons, states, statistics, steps of the flow.

A code that has no words here is shown as itself, with spaces: a report never fails for a new one.
"""

from collections.abc import Mapping
from typing import Any

from data_contracts.vocabulary import (
    AdjudicationStatus,
    Reason,
    SetAside,
    State,
    Statistic,
    Status,
    StudyStatus,
)

STUDY_STATUSES = {
    StudyStatus.CONFIRMATORY: "The specification was frozen before the first scored judgment, and every condition of "
    "a confirmatory result holds.",
    StudyStatus.EXPLORATORY: "The numbers suggest, and confirm nothing: that takes a study of its own.",
    StudyStatus.INTERIM: "Collection has not reached its declared end. No stars are printed, and no result may be "
    "announced: testing at every look finds differences where there are none.",
    StudyStatus.DEVELOPMENT: "These judgments have influenced what they measure, so they are no fresh check of it.",
}

STATUSES = {
    Status.OK: "There is a value.",
    Status.DEGENERATE: "The estimate exists, but its test or interval does not: the answers do not vary.",
    Status.UNDEFINED: "The definition divides nothing by nothing here, so there is no number.",
    Status.INSUFFICIENT: "There are fewer units than the method needs.",
    Status.NOT_ESTIMABLE: "The design or the structure of the data cannot give this number, however many rows come.",
}

REASONS = {
    Reason.NO_JUDGMENTS: "no judgment enters",
    Reason.TOO_FEW_UNITS: "fewer independent units than the method needs",
    Reason.NO_MATCHED_PAIRS: "no unit judged both systems",
    Reason.ONE_CLUSTER: "one cluster only, so its spread cannot be known",
    Reason.FEW_CLUSTERS: "fewer than 10 clusters: the interval is a rough one",
    Reason.ONE_CASE: "all raters saw one shared set of cases: the interval speaks of raters only",
    Reason.ZERO_VARIANCE: "all values are equal, so there is nothing to test with",
    Reason.ZERO_DENOMINATOR: "the denominator is 0",
    Reason.BOOTSTRAP_ROUNDS_FAILED: "more than 5 % of the bootstrap rounds had no value",
    Reason.NOT_IN_THIS_VERSION: "not computed by this version",
    Reason.TAU_BIASES_FORWARD: "the complement rule with forward answers biases this estimate (acknowledged)",
    Reason.COMPLEMENTARITY_ASSUMED: "single answers are turned round, as if both directions summed to 1",
    Reason.QUESTIONS_BY_SUBJECT: "nobody's first question is recorded: the one about the first system minus the other",
    Reason.QUESTIONS_UNPLACED: "raters whose first question is not recorded are left out",
    Reason.RESTATES_P_VALUE: "power at the observed effect restates the p-value and supports no claim",
    Reason.BEYOND_SEARCH: "beyond the range that is searched",
    Reason.MEAN_OF_ORDINAL: "a mean of an ordinal scale: it takes the steps as equal",
    Reason.NOT_NUMERIC: "the responses are not numbers",
    Reason.UNEQUAL_STEPS: "the steps of the scale are not equal",
    Reason.NOT_ORDINAL: "the scale is not ordinal",
    Reason.RATERS_LEFT_OUT: "raters with constant or single ratings are left out",
    Reason.INCOMPLETE_LEFT_OUT: "checklists or rankings with an open question are left out",
    Reason.NOT_DECLARED: "not declared",
    Reason.SEPARATION: "the responses overlap too little, or do not vary: the model has no finite estimate",
    Reason.NO_GAMES: "no comparison",
    Reason.NO_DECISIVE_GAME: "no comparison was won by either side",
    Reason.UNDEFEATED_ORDER_DEPENDENT: "never beaten: the rating depends on the number of games and has no limit",
    Reason.ONE_ORDERING: "one order only, so its spread is not known",
    Reason.ORDER_AS_DELIVERED: "a single pass in the order of delivery",
    Reason.NOT_STRONGLY_CONNECTED: "wins do not lead from every system to every other: strengths have no finite ratio",
    Reason.DISCONNECTED: "some systems were never compared, not even through others",
    Reason.ORDERED: "one group of systems won every comparison with another",
    Reason.NO_TIES: "no tie was given",
    Reason.TIE_SEPARATION: "wins and ties are separated: Davidson's model has no finite estimate",
    Reason.NO_SHARED_UNIT: "no unit was judged by two raters, or by both sides",
    Reason.UNITS_LEFT_OUT: "units that one rater only judged are left out",
    Reason.NO_BATCHES: "fewer than two batches",
    Reason.ONE_CATEGORY: "all gave one label, so agreement beyond chance is 0/0",
    Reason.UNIT_COUNT_BELOW_30: "fewer than 30 units",
    Reason.NOTHING_ASSIGNED: "the assignment names nothing of this",
    Reason.NO_REPEATS: "no rater judged a unit twice",
    Reason.PERFECT_AGREEMENT: "perfect agreement: the interval has no width to estimate",
    Reason.TOO_FEW_RATERS: "fewer than 5 raters that the method can use",
    Reason.JACKKNIFE_ROUNDS_FAILED: "leaving a rater out left no value",
    Reason.ORDER_NOT_RECORDED: "the order on the screen was not recorded, of these or of some that are left out",
    Reason.ORDER_NOT_DECLARED: "nothing says how the order on the screen came about, of these or of some left out",
    Reason.ORDER_CONFOUNDED_WITH_SYSTEM: "each pair was shown in one order, so position cannot be told from system",
    Reason.ONE_ORDER_ONLY: "no rater judged a pair in both orders",
    Reason.PAIRS_LEFT_OUT: "pairs of systems without a decisive comparison in both orders are left out",
    Reason.LENGTH_NOT_RECORDED: "no comparison of two outputs whose lengths are known",
    Reason.NEVER_LONGER: "never the longer one",
    Reason.NEVER_WON: "never won",
    Reason.DEVELOPMENT: "development: the factor is fitted to these judgments, so this is no fresh check of it",
    Reason.FACTOR_HOLDS_OUTCOME: "the factor contains the human win rate that it is held against",
    Reason.TOO_FEW_SYSTEMS: "fewer than 4 systems with a value",
    Reason.SPLITS_FAILED: "more than 5 % of the random splits had no value",
    Reason.AT_NULL_VALUE: "as declared it equals its null value, so it has no sign to keep",
    Reason.NO_FROZEN_VALUE: "as declared it has no value to compare with",
    Reason.NO_SCENARIO_VALUE: "no scenario under this tie rule has a value",
}

STATES = {
    State.ANSWERED: "answered",
    State.TIE: "tie",
    State.BOTH_FAIL: "both fail",
    State.UNKNOWN: "insufficient evidence",
    State.NOT_APPLICABLE: "not applicable",
    State.ABSTAIN: "abstained",
    State.MISSING: "missing",
    State.INVALID: "invalid",
}

ADJUDICATION_STATUSES = {
    AdjudicationStatus.AGREED: "agreed",
    AdjudicationStatus.MAJORITY: "majority",
    AdjudicationStatus.ADJUDICATED: "adjudicated",
    AdjudicationStatus.UNRESOLVED: "unresolved",
    AdjudicationStatus.INSUFFICIENT_VOTES: "too few votes",
}

_SET_ASIDE: dict[str, str] = {
    SetAside.PILOT: "pilot",
    SetAside.EARLIER_REVISION: "earlier revision",
    SetAside.NOT_SCORED: "not a scored item",
    SetAside.ADJUDICATOR: "by an adjudicator",
}

METHODS = {
    "spa": "Stated preference (SPA)",
    "likert": "Ratings",
    "pass_rates": "Pass rates",
    "win_rates": "Win rates",
    "elo": "Elo",
    "bradley_terry": "Bradley-Terry",
    "agreement": "Agreement",
    "judge_agreement": "Judge against humans",
    "order_effects": "Order effects",
    "length_effects": "Length effects",
    "recalibration": "Recalibration by length",
}

STATISTICS = {
    Statistic.SPA_PREFERENCE: "stated chance that the first is better",
    Statistic.SPA_SD: "spread between raters (sd)",
    Statistic.SPA_EQUIVALENCE: "equivalence within the margin",
    Statistic.COMPLEMENT_SUM: "sum of both directions",
    Statistic.COMPLEMENT_SUM_T: "sum of both directions against 1 (t)",
    Statistic.COMPLEMENT_UNCHECKED: "raters asked in one direction only",
    Statistic.QUESTION_ORDER: "certainty, first question minus second",
    Statistic.QUESTION_ORDER_T: "certainty, first question minus second (t)",
    Statistic.EXPOSURE_PREFERENCE: "stated chance",
    Statistic.EXPOSURE_CERTAINTY: "distance from 0.5",
    Statistic.EXPOSURE_CHANGE: "change from the exposure before",
    Statistic.POWER_DECLARED: "power at the declared effect",
    Statistic.POWER_OBSERVED: "power at the observed effect",
    Statistic.REQUIRED_RATERS: "raters needed for power 0.8",
    Statistic.EXPECTED_RECOVERED: "expectations recovered",
    Statistic.EXPECTED_TOTAL: "expectations declared",
    Statistic.MEAN: "mean",
    Statistic.MEAN_CASE_WEIGHTED: "mean, each case equal",
    Statistic.SHARE: "share",
    Statistic.MEAN_DIFFERENCE: "mean difference",
    Statistic.N_PAIRS: "matched pairs",
    Statistic.MEAN_Z: "mean of ratings standardised by rater",
    Statistic.MEAN_DIFFERENCE_Z: "standardised difference",
    Statistic.MEAN_DIFFERENCE_Z_T: "standardised difference (t)",
    Statistic.SUPERIORITY: "probability of superiority",
    Statistic.REVERSAL_POSSIBLE: "below one step: could be reversed",
    Statistic.REVERSAL_EXCLUDED: "interval beyond one step: cannot be reversed",
    Statistic.EXTREMUM_EQUIVALENCE: "ends of the scale mean the same to all (declared)",
    Statistic.ORDINAL_LOG_ODDS: "ordinal model, log odds",
    Statistic.ORDINAL_LOG_ODDS_CONDITIONAL: "ordinal model within a rater, log odds",
    Statistic.RATER_LEVEL_SD: "standard deviation of raters' levels, log odds",
    Statistic.PASS_RATE: "pass rate",
    Statistic.SHARE_DIFFERENCE: "difference of shares",
    Statistic.CHECKLIST_TOTAL: "checklist total",
    Statistic.WIN_RATE: "win rate",
    Statistic.WIN_RATE_DECISIVE: "win rate of decisive games",
    Statistic.WIN_RATE_HALF: "win rate, ties as half",
    Statistic.GAMES: "games",
    Statistic.RATING_MC_ERROR: "Monte-Carlo error",
    Statistic.RATING_ORDER_SD: "sd over game orders",
    Statistic.RATING_DIFFERENCE: "difference of ratings",
    Statistic.WIN_PROBABILITY: "probability of winning",
    Statistic.TIE_PARAMETER: "tie parameter ν",
    Statistic.COMPONENT: "group of connected systems",
    Statistic.MEAN_RANK: "mean rank",
    Statistic.RAW_AGREEMENT: "raw agreement",
    Statistic.COHEN_KAPPA: "Cohen's κ",
    Statistic.COHEN_KAPPA_LINEAR: "Cohen's κ, linear weights",
    Statistic.COHEN_KAPPA_QUADRATIC: "Cohen's κ, quadratic weights",
    Statistic.LIGHT_KAPPA: "Light's κ",
    Statistic.FLEISS_KAPPA: "Fleiss' κ",
    Statistic.CONGER_KAPPA: "Conger's κ",
    Statistic.GWET_AC1: "Gwet's AC1",
    Statistic.GWET_AC2_LINEAR: "Gwet's AC2, linear weights",
    Statistic.GWET_AC2_QUADRATIC: "Gwet's AC2, quadratic weights",
    Statistic.BRENNAN_PREDIGER: "Brennan-Prediger",
    Statistic.KRIPPENDORFF_ALPHA: "Krippendorff's α",
    Statistic.KRIPPENDORFF_ALPHA_NOMINAL: "Krippendorff's α, nominal",
    Statistic.KRIPPENDORFF_ALPHA_ORDINAL: "Krippendorff's α, ordinal",
    Statistic.KRIPPENDORFF_ALPHA_INTERVAL: "Krippendorff's α, interval",
    Statistic.KRIPPENDORFF_ALPHA_RATIO: "Krippendorff's α, ratio",
    Statistic.COHEN_KAPPA_ORIENTED: "Cohen's κ, as oriented",
    Statistic.LIGHT_KAPPA_ORIENTED: "Light's κ, as oriented",
    Statistic.FLEISS_KAPPA_ORIENTED: "Fleiss' κ, as oriented",
    Statistic.CONGER_KAPPA_ORIENTED: "Conger's κ, as oriented",
    Statistic.GWET_AC1_ORIENTED: "Gwet's AC1, as oriented",
    Statistic.KRIPPENDORFF_ALPHA_ORIENTED: "Krippendorff's α, as oriented",
    Statistic.POPULATION_KAPPA: "κ between populations",
    Statistic.POPULATION_KAPPA_ORIENTED: "κ between populations, as oriented",
    Statistic.POPULATION_AGREEMENT: "agreement between populations",
    Statistic.PAIRABLE_UNITS: "units with two raters",
    Statistic.MISSING_SHARE: "share missing",
    Statistic.PREVALENCE: "share of labels",
    Statistic.RESPONSE_AGREEMENT: "agreement on the state",
    Statistic.SELF_AGREEMENT: "agreement with oneself on repeats",
    Statistic.KENDALL_W: "Kendall's W",
    Statistic.FIRST_SHARE: "first shown won",
    Statistic.SECOND_SHARE: "second shown won",
    Statistic.TIE_SHARE: "ties",
    Statistic.BOTH_FAIL_SHARE: "both fail",
    Statistic.FIRST_SHARE_DECISIVE: "first shown won, of decisive games",
    Statistic.FIRST_SHARE_DECISIVE_T: "first shown won, of decisive games (t)",
    Statistic.FIRST_ADVANTAGE: "first shown won, systems balanced",
    Statistic.ORDER_CONSISTENCY: "same answer in both orders",
    Statistic.FLIP_FIRST: "first shown chosen both times",
    Statistic.FLIP_SECOND: "second shown chosen both times",
    Statistic.FLIP_TIE: "a tie or both fail once",
    Statistic.P_WIN: "P(win)",
    Statistic.P_LONGER: "P(longer)",
    Statistic.P_WIN_GIVEN_LONGER: "P(win | longer)",
    Statistic.P_LONGER_GIVEN_WIN: "P(longer | win)",
    Statistic.LENGTH_T_SEED: "length effect as first published (t); samples overlap",
    Statistic.LENGTH_CONTRAST: "P(win | longer) − P(win | not longer)",
    Statistic.LENGTH_CONTRAST_T: "length contrast (t)",
    Statistic.LONGER_WINS: "the longer one won, of decisive games",
    Statistic.LENGTH_UNKNOWN: "games left out: a length is not known",
    Statistic.BETA: "factor P(win) / P(longer)",
    Statistic.ADJUSTED_JUDGE_SCORE: "adjusted judge score",
    Statistic.SPEARMAN_BEFORE: "rank correlation before",
    Statistic.SPEARMAN_AFTER: "rank correlation after",
    Statistic.SPEARMAN_P: "rank correlation, p by permutation",
    Statistic.SPEARMAN_BETA_ONLY: "rank correlation of the factor alone (control)",
    Statistic.SPEARMAN_AFTER_CROSSFIT: "rank correlation after, factor from other cases",
    Statistic.JUDGE_AGREEMENT: "judge's agreement with humans",
    Statistic.JUDGE_AGREEMENT_ADJUDICATED: "judge's agreement with the adjudicated label",
    Statistic.HUMAN_AGREEMENT: "humans' agreement among themselves",
    Statistic.JUDGE_MINUS_HUMAN: "judge minus humans",
    Statistic.DRIFT: "change from the first batch",
    Statistic.DRIFT_T: "change from the first batch (t)",
    Statistic.CELLS: "scenarios",
    Statistic.CELLS_ESTIMABLE: "scenarios with a value",
    Statistic.SAME_SIGN_SHARE: "share with the same sign",
    Statistic.SAME_SIGNIFICANCE_SHARE: "share with the same significance",
    Statistic.ESTIMATE_MIN: "smallest estimate",
    Statistic.ESTIMATE_MAX: "largest estimate",
}

FLOW_STEPS = {
    "export_rows": "export rows",
    "answers": "answers",
    "judgments": "judgments in the ledger",
    "current": "current judgments",
}
FLOW_STAYS = ("mapped", "new", "new_version", "current", "included")
FLOW_REASONS = {
    "mapped": "mapped to answers",
    "ignored": "ignored by declaration",
    "quarantined": "quarantined",
    "new": "new",
    "new_version": "new versions of one",
    "redelivered": "delivered again, already there",
    "current": "current",
    "superseded": "superseded by a correction",
    "retracted": "retracted",
    "withdrawn": "withdrawn",
    "included": "included",
    "excluded": "excluded",
    "set_aside": "set aside",
}


def spoken(code: str, words: Mapping[Any, str]) -> str:
    """The words of a code, or the code itself with spaces."""
    return words.get(code) or code.replace("_", " ")


def reasons(codes: str | None) -> list[str]:
    """The words of the codes in a column `reason` or `ci_reason`."""
    return [spoken(code, REASONS) for code in codes.split(";")] if codes else []


def flow_reason(code: str) -> str:
    """The words of a reason in `record_flow`; what follows a colon is the rule or the kind."""
    head, _, tail = code.partition(":")
    said = spoken(head, FLOW_REASONS)
    return f"{said}: {_SET_ASIDE.get(tail, tail)}" if tail else said
