"""The closed word lists of a study: states, protocols, phases, statuses, statistics, units, reasons.

Pure enumerations and nothing else, so that estimators may import them.
"""

from enum import StrEnum


class State(StrEnum):
    """What became of one question put to one rater. No state ever turns into another, or a number."""

    ANSWERED = "answered"
    TIE = "tie"
    BOTH_FAIL = "both_fail"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not_applicable"
    ABSTAIN = "abstain"
    MISSING = "missing"
    INVALID = "invalid"


class Protocol(StrEnum):
    """How a criterion is asked."""

    PAIRWISE = "pairwise"
    RATING = "rating"
    SPA = "spa"
    CHECKLIST = "checklist"
    RANKING = "ranking"


class Measure(StrEnum):
    """Level of measurement of a response scale (Stevens 1946), and stated probabilities."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"
    PROBABILITY = "probability"


class ItemKind(StrEnum):
    """What an item was shown for; only `scored` enters an analysis unless it says otherwise."""

    SCORED = "scored"
    REPEAT = "repeat"
    CONTROL = "control"
    GOLD = "gold"
    TRAINING = "training"


class RaterKind(StrEnum):
    HUMAN = "human"
    MODEL = "model"


class Phase(StrEnum):
    PILOT = "pilot"
    CONFIRMATORY = "confirmatory"
    EXPLORATORY = "exploratory"


class StudyStatus(StrEnum):
    """What may be claimed of a study's estimates (METHODS 13), the first that applies."""

    DEVELOPMENT = "development"
    EXPLORATORY = "exploratory"
    INTERIM = "interim"
    CONFIRMATORY = "confirmatory"


class CandidateOrder(StrEnum):
    """How the order of candidates on the screen came about."""

    COUNTERBALANCED = "counterbalanced"
    RANDOMIZED = "randomized"
    FIXED = "fixed"
    NOT_RECORDED = "not_recorded"


class Scope(StrEnum):
    """What an exclusion removes."""

    JUDGMENT = "judgment"
    SUBMISSION = "submission"
    RATER = "rater"


class SetAside(StrEnum):
    """Why a current judgment is outside the scored sample before any exclusion is looked at."""

    PILOT = "pilot"
    EARLIER_REVISION = "earlier_revision"
    NOT_SCORED = "not_scored"
    ADJUDICATOR = "adjudicator"


class HistoryStatus(StrEnum):
    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"


class AdjudicationStatus(StrEnum):
    AGREED = "agreed"
    MAJORITY = "majority"
    ADJUDICATED = "adjudicated"
    UNRESOLVED = "unresolved"
    INSUFFICIENT_VOTES = "insufficient_votes"


class EventKind(StrEnum):
    """What a ledger event records."""

    FREEZE = "freeze"
    AMEND = "amend"
    INGEST = "ingest"
    RETRACT = "retract"
    REINSTATE = "reinstate"
    UNBLIND = "unblind"
    REUSE = "reuse"
    WITHDRAW = "withdraw"
    LOOK = "look"


class Status(StrEnum):
    """Whether an estimate has a value, in the order in which they are decided (METHODS 0.5)."""

    NOT_ESTIMABLE = "not_estimable"
    INSUFFICIENT = "insufficient"
    UNDEFINED = "undefined"
    DEGENERATE = "degenerate"
    OK = "ok"


class Reason(StrEnum):
    """Why an estimate, a test or an interval has no value, or what a reader must know of one that has."""

    # units, clusters and variance
    NO_JUDGMENTS = "no_judgments"
    TOO_FEW_UNITS = "too_few_units"
    NO_MATCHED_PAIRS = "no_matched_pairs"
    ONE_CLUSTER = "one_cluster"
    FEW_CLUSTERS = "few_clusters"
    ONE_CASE = "one_case"
    ZERO_VARIANCE = "zero_variance"
    ZERO_DENOMINATOR = "zero_denominator"
    BOOTSTRAP_ROUNDS_FAILED = "bootstrap_rounds_failed"
    NOT_IN_THIS_VERSION = "not_in_this_version"
    # spa
    TAU_BIASES_FORWARD = "tau_biases_forward"
    COMPLEMENTARITY_ASSUMED = "complementarity_assumed"
    QUESTIONS_BY_SUBJECT = "questions_by_subject"
    QUESTIONS_UNPLACED = "questions_unplaced"
    RESTATES_P_VALUE = "restates_p_value"
    BEYOND_SEARCH = "beyond_search"
    # likert, pass_rates
    MEAN_OF_ORDINAL = "mean_of_ordinal"
    NOT_NUMERIC = "not_numeric"
    UNEQUAL_STEPS = "unequal_steps"
    NOT_ORDINAL = "not_ordinal"
    RATERS_LEFT_OUT = "raters_left_out"
    INCOMPLETE_LEFT_OUT = "incomplete_left_out"
    NOT_DECLARED = "not_declared"
    SEPARATION = "separation"
    # win_rates, elo, bradley_terry
    NO_GAMES = "no_games"
    NO_DECISIVE_GAME = "no_decisive_game"
    UNDEFEATED_ORDER_DEPENDENT = "undefeated_order_dependent"
    ONE_ORDERING = "one_ordering"
    ORDER_AS_DELIVERED = "order_as_delivered"
    NOT_STRONGLY_CONNECTED = "not_strongly_connected"
    DISCONNECTED = "disconnected"
    ORDERED = "ordered"
    NO_TIES = "no_ties"
    TIE_SEPARATION = "tie_separation"
    # agreement, judge_agreement
    NO_SHARED_UNIT = "no_shared_unit"
    UNITS_LEFT_OUT = "units_left_out"
    NO_BATCHES = "no_batches"
    ONE_CATEGORY = "one_category"
    UNIT_COUNT_BELOW_30 = "unit_count_below_30"
    NO_REPEATS = "no_repeats"
    NOTHING_ASSIGNED = "nothing_assigned"
    PERFECT_AGREEMENT = "perfect_agreement"
    TOO_FEW_RATERS = "too_few_raters"
    JACKKNIFE_ROUNDS_FAILED = "jackknife_rounds_failed"
    # order_effects, length_effects, recalibration
    ORDER_NOT_RECORDED = "order_not_recorded"
    ORDER_NOT_DECLARED = "order_not_declared"
    ORDER_CONFOUNDED_WITH_SYSTEM = "order_confounded_with_system"
    ONE_ORDER_ONLY = "one_order_only"
    PAIRS_LEFT_OUT = "pairs_left_out"
    LENGTH_NOT_RECORDED = "length_not_recorded"
    NEVER_LONGER = "never_longer"
    NEVER_WON = "never_won"
    DEVELOPMENT = "development"
    FACTOR_HOLDS_OUTCOME = "factor_holds_outcome"
    TOO_FEW_SYSTEMS = "too_few_systems"
    SPLITS_FAILED = "splits_failed"
    # sensitivity
    AT_NULL_VALUE = "at_null_value"
    NO_FROZEN_VALUE = "no_frozen_value"
    NO_SCENARIO_VALUE = "no_scenario_value"


class Unit(StrEnum):
    """What one step of a reported number means."""

    PROBABILITY = "probability"
    SHARE = "share"
    SCALE = "scale"
    """Steps of the criterion's own response scale."""
    SD = "sd"
    """Standard deviations of a rater's own ratings."""
    LOG_ODDS = "log_odds"
    ELO = "elo"
    T = "t"
    COEFFICIENT = "coefficient"
    """An agreement or rank correlation coefficient: at most 1."""
    COUNT = "count"
    RATERS = "raters"
    RANK = "rank"
    COMPONENT = "component"
    """Number of a strongly connected component: a name, not an amount."""
    SCORE = "score"
    RATIO = "ratio"
    YES_NO = "yes_no"
    """1 yes, 0 no."""


class Statistic(StrEnum):
    """Every name in the column `statistic` (METHODS 0.6). `name:label` and `name@x` are dimensions, not names."""

    # spa
    SPA_PREFERENCE = "spa_preference"
    SPA_T = "spa_t"
    SPA_SD = "spa_sd"
    SPA_EQUIVALENCE = "spa_equivalence"
    COMPLEMENT_SUM = "complement_sum"
    COMPLEMENT_SUM_T = "complement_sum_t"
    COMPLEMENT_UNCHECKED = "complement_unchecked"
    QUESTION_ORDER = "question_order"
    QUESTION_ORDER_T = "question_order_t"
    EXPOSURE_PREFERENCE = "exposure_preference"
    EXPOSURE_CERTAINTY = "exposure_certainty"
    EXPOSURE_CHANGE = "exposure_change"
    POWER_DECLARED = "power_declared"
    POWER_OBSERVED = "power_observed"
    REQUIRED_RATERS = "required_raters"
    # any method with a family of tests
    EXPECTED_RECOVERED = "expected_recovered"
    EXPECTED_TOTAL = "expected_total"
    # likert
    MEAN = "mean"
    MEAN_CASE_WEIGHTED = "mean_case_weighted"
    SHARE = "share"
    MEAN_DIFFERENCE = "mean_difference"
    MEAN_DIFFERENCE_T = "mean_difference_t"
    N_PAIRS = "n_pairs"
    MEAN_Z = "mean_z"
    MEAN_DIFFERENCE_Z = "mean_difference_z"
    MEAN_DIFFERENCE_Z_T = "mean_difference_z_t"
    SUPERIORITY = "superiority"
    REVERSAL_POSSIBLE = "reversal_possible"
    REVERSAL_EXCLUDED = "reversal_excluded"
    EXTREMUM_EQUIVALENCE = "extremum_equivalence"
    ORDINAL_LOG_ODDS = "ordinal_log_odds"
    ORDINAL_LOG_ODDS_CONDITIONAL = "ordinal_log_odds_conditional"
    RATER_LEVEL_SD = "rater_level_sd"
    # pass_rates
    PASS_RATE = "pass_rate"
    SHARE_DIFFERENCE = "share_difference"
    SHARE_DIFFERENCE_T = "share_difference_t"
    CHECKLIST_TOTAL = "checklist_total"
    # win_rates
    WIN_RATE = "win_rate"
    WIN_RATE_DECISIVE = "win_rate_decisive"
    WIN_RATE_HALF = "win_rate_half"
    GAMES = "games"
    WINS = "wins"
    LOSSES = "losses"
    TIES = "ties"
    BOTH_FAIL = "both_fail"
    RANK = "rank"
    # elo, bradley_terry
    RATING = "rating"
    RATING_MC_ERROR = "rating_mc_error"
    RATING_ORDER_SD = "rating_order_sd"
    RATING_DIFFERENCE = "rating_difference"
    RATING_DIFFERENCE_T = "rating_difference_t"
    WIN_PROBABILITY = "win_probability"
    TIE_PARAMETER = "tie_parameter"
    COMPONENT = "component"
    MEAN_RANK = "mean_rank"
    # agreement
    RAW_AGREEMENT = "raw_agreement"
    COHEN_KAPPA = "cohen_kappa"
    COHEN_KAPPA_LINEAR = "cohen_kappa_linear"
    COHEN_KAPPA_QUADRATIC = "cohen_kappa_quadratic"
    LIGHT_KAPPA = "light_kappa"
    FLEISS_KAPPA = "fleiss_kappa"
    CONGER_KAPPA = "conger_kappa"
    GWET_AC1 = "gwet_ac1"
    GWET_AC2_LINEAR = "gwet_ac2_linear"
    GWET_AC2_QUADRATIC = "gwet_ac2_quadratic"
    BRENNAN_PREDIGER = "brennan_prediger"
    KRIPPENDORFF_ALPHA = "krippendorff_alpha"
    KRIPPENDORFF_ALPHA_NOMINAL = "krippendorff_alpha_nominal"
    KRIPPENDORFF_ALPHA_ORDINAL = "krippendorff_alpha_ordinal"
    KRIPPENDORFF_ALPHA_INTERVAL = "krippendorff_alpha_interval"
    KRIPPENDORFF_ALPHA_RATIO = "krippendorff_alpha_ratio"
    COHEN_KAPPA_ORIENTED = "cohen_kappa_oriented"
    LIGHT_KAPPA_ORIENTED = "light_kappa_oriented"
    FLEISS_KAPPA_ORIENTED = "fleiss_kappa_oriented"
    CONGER_KAPPA_ORIENTED = "conger_kappa_oriented"
    GWET_AC1_ORIENTED = "gwet_ac1_oriented"
    KRIPPENDORFF_ALPHA_ORIENTED = "krippendorff_alpha_oriented"
    POPULATION_KAPPA = "population_kappa"
    POPULATION_KAPPA_ORIENTED = "population_kappa_oriented"
    POPULATION_AGREEMENT = "population_agreement"
    UNITS = "units"
    PAIRABLE_UNITS = "pairable_units"
    RATERS = "raters"
    RATINGS = "ratings"
    MISSING_SHARE = "missing_share"
    PREVALENCE = "prevalence"
    CONFUSION = "confusion"
    RESPONSE_AGREEMENT = "response_agreement"
    SELF_AGREEMENT = "self_agreement"
    KENDALL_W = "kendall_w"
    # order_effects
    FIRST_SHARE = "first_share"
    SECOND_SHARE = "second_share"
    TIE_SHARE = "tie_share"
    BOTH_FAIL_SHARE = "both_fail_share"
    FIRST_SHARE_DECISIVE = "first_share_decisive"
    FIRST_SHARE_DECISIVE_T = "first_share_decisive_t"
    FIRST_ADVANTAGE = "first_advantage"
    ORDER_CONSISTENCY = "order_consistency"
    FLIP_FIRST = "flip_first"
    FLIP_SECOND = "flip_second"
    FLIP_TIE = "flip_tie"
    # length_effects
    P_WIN = "p_win"
    P_LONGER = "p_longer"
    P_WIN_GIVEN_LONGER = "p_win_given_longer"
    P_LONGER_GIVEN_WIN = "p_longer_given_win"
    LENGTH_T_SEED = "length_t_seed"
    LENGTH_CONTRAST = "length_contrast"
    LENGTH_CONTRAST_T = "length_contrast_t"
    LONGER_WINS = "longer_wins"
    LENGTH_UNKNOWN = "length_unknown"
    # recalibration
    BETA = "beta"
    ADJUSTED_JUDGE_SCORE = "adjusted_judge_score"
    SPEARMAN_BEFORE = "spearman_before"
    SPEARMAN_AFTER = "spearman_after"
    SPEARMAN_P = "spearman_p"
    SPEARMAN_BETA_ONLY = "spearman_beta_only"
    SPEARMAN_AFTER_CROSSFIT = "spearman_after_crossfit"
    # judge_agreement
    JUDGE_AGREEMENT = "judge_agreement"
    JUDGE_AGREEMENT_ADJUDICATED = "judge_agreement_adjudicated"
    HUMAN_AGREEMENT = "human_agreement"
    JUDGE_MINUS_HUMAN = "judge_minus_human"
    COVERAGE = "coverage"
    DRIFT = "drift"
    DRIFT_T = "drift_t"
    # sensitivity
    CELLS = "cells"
    CELLS_ESTIMABLE = "cells_estimable"
    SAME_SIGN_SHARE = "same_sign_share"
    SAME_SIGNIFICANCE_SHARE = "same_significance_share"
    ESTIMATE_MIN = "estimate_min"
    ESTIMATE_MAX = "estimate_max"
