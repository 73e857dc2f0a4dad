"""Which method gives a statistic, and in which unit: the codebook of `estimates`, held by every row that is made.

Belongs here: names with their units. Does not: what a statistic is, which METHODS of its estimator says.
"""

from data_contracts.vocabulary import Statistic, Unit

S, U = Statistic, Unit

FAMILIES = "any method with headline tests"
SENSITIVITY = "sensitivity"

AGREEMENT_COEFFICIENTS = (
    *(S.COHEN_KAPPA, S.COHEN_KAPPA_LINEAR, S.COHEN_KAPPA_QUADRATIC, S.LIGHT_KAPPA, S.FLEISS_KAPPA, S.CONGER_KAPPA),
    *(S.GWET_AC1, S.GWET_AC2_LINEAR, S.GWET_AC2_QUADRATIC, S.BRENNAN_PREDIGER, S.KRIPPENDORFF_ALPHA),
    *(S.KRIPPENDORFF_ALPHA_NOMINAL, S.KRIPPENDORFF_ALPHA_ORDINAL, S.KRIPPENDORFF_ALPHA_INTERVAL),
    *(S.KRIPPENDORFF_ALPHA_RATIO, S.COHEN_KAPPA_ORIENTED, S.LIGHT_KAPPA_ORIENTED, S.FLEISS_KAPPA_ORIENTED),
    *(S.CONGER_KAPPA_ORIENTED, S.GWET_AC1_ORIENTED, S.KRIPPENDORFF_ALPHA_ORIENTED, S.POPULATION_KAPPA),
    *(S.POPULATION_KAPPA_ORIENTED, S.KENDALL_W),
)

UNITS: dict[str, dict[Statistic, Unit]] = {
    "spa": {
        S.SPA_PREFERENCE: U.PROBABILITY,
        S.SPA_T: U.T,
        S.SPA_SD: U.PROBABILITY,
        S.SPA_EQUIVALENCE: U.T,
        S.COMPLEMENT_SUM: U.PROBABILITY,
        S.COMPLEMENT_SUM_T: U.T,
        S.COMPLEMENT_UNCHECKED: U.RATERS,
        S.QUESTION_ORDER: U.PROBABILITY,
        S.QUESTION_ORDER_T: U.T,
        S.EXPOSURE_PREFERENCE: U.PROBABILITY,
        S.EXPOSURE_CERTAINTY: U.PROBABILITY,
        S.EXPOSURE_CHANGE: U.PROBABILITY,
        S.POWER_DECLARED: U.PROBABILITY,
        S.POWER_OBSERVED: U.PROBABILITY,
        S.REQUIRED_RATERS: U.RATERS,
    },
    FAMILIES: {S.EXPECTED_RECOVERED: U.COUNT, S.EXPECTED_TOTAL: U.COUNT},
    "likert": {
        S.MEAN: U.SCALE,
        S.MEAN_CASE_WEIGHTED: U.SCALE,
        S.SHARE: U.SHARE,
        S.MEAN_DIFFERENCE: U.SCALE,
        S.MEAN_DIFFERENCE_T: U.T,
        S.N_PAIRS: U.COUNT,
        S.MEAN_Z: U.SD,
        S.MEAN_DIFFERENCE_Z: U.SD,
        S.MEAN_DIFFERENCE_Z_T: U.T,
        S.SUPERIORITY: U.PROBABILITY,
        S.REVERSAL_POSSIBLE: U.YES_NO,
        S.REVERSAL_EXCLUDED: U.YES_NO,
        S.EXTREMUM_EQUIVALENCE: U.YES_NO,
        S.ORDINAL_LOG_ODDS: U.LOG_ODDS,
        S.ORDINAL_LOG_ODDS_CONDITIONAL: U.LOG_ODDS,
        S.RATER_LEVEL_SD: U.LOG_ODDS,
    },
    "pass_rates": {
        S.PASS_RATE: U.SHARE,
        S.SHARE: U.SHARE,
        S.SHARE_DIFFERENCE: U.SHARE,
        S.SHARE_DIFFERENCE_T: U.T,
        S.N_PAIRS: U.COUNT,
        S.CHECKLIST_TOTAL: U.COUNT,
    },
    "win_rates": {
        S.WIN_RATE: U.SHARE,
        S.WIN_RATE_DECISIVE: U.SHARE,
        S.WIN_RATE_HALF: U.SHARE,
        S.GAMES: U.COUNT,
        S.WINS: U.COUNT,
        S.LOSSES: U.COUNT,
        S.TIES: U.COUNT,
        S.BOTH_FAIL: U.COUNT,
        S.RANK: U.RANK,
    },
    "elo": {
        S.RATING: U.ELO,
        S.RATING_MC_ERROR: U.ELO,
        S.RATING_ORDER_SD: U.ELO,
        S.RATING_DIFFERENCE: U.ELO,
        S.GAMES: U.COUNT,
    },
    "bradley_terry": {
        S.RATING: U.ELO,
        S.RATING_DIFFERENCE: U.ELO,
        S.RATING_DIFFERENCE_T: U.T,
        S.WIN_PROBABILITY: U.PROBABILITY,
        S.TIE_PARAMETER: U.RATIO,
        S.COMPONENT: U.COMPONENT,
        S.MEAN_RANK: U.RANK,
        S.GAMES: U.COUNT,
    },
    "agreement": {
        S.RAW_AGREEMENT: U.SHARE,
        **dict.fromkeys(AGREEMENT_COEFFICIENTS, U.COEFFICIENT),
        S.POPULATION_AGREEMENT: U.SHARE,
        S.UNITS: U.COUNT,
        S.PAIRABLE_UNITS: U.COUNT,
        S.RATERS: U.RATERS,
        S.RATINGS: U.COUNT,
        S.MISSING_SHARE: U.SHARE,
        S.PREVALENCE: U.SHARE,
        S.CONFUSION: U.COUNT,
        S.RESPONSE_AGREEMENT: U.SHARE,
        S.SELF_AGREEMENT: U.SHARE,
    },
    "order_effects": {
        S.FIRST_SHARE: U.SHARE,
        S.SECOND_SHARE: U.SHARE,
        S.TIE_SHARE: U.SHARE,
        S.BOTH_FAIL_SHARE: U.SHARE,
        S.FIRST_SHARE_DECISIVE: U.SHARE,
        S.FIRST_SHARE_DECISIVE_T: U.T,
        S.FIRST_ADVANTAGE: U.PROBABILITY,
        S.ORDER_CONSISTENCY: U.SHARE,
        S.FLIP_FIRST: U.SHARE,
        S.FLIP_SECOND: U.SHARE,
        S.FLIP_TIE: U.SHARE,
        S.N_PAIRS: U.COUNT,
    },
    "length_effects": {
        S.P_WIN: U.PROBABILITY,
        S.P_LONGER: U.PROBABILITY,
        S.P_WIN_GIVEN_LONGER: U.PROBABILITY,
        S.P_LONGER_GIVEN_WIN: U.PROBABILITY,
        S.LENGTH_T_SEED: U.T,
        S.LENGTH_CONTRAST: U.PROBABILITY,
        S.LENGTH_CONTRAST_T: U.T,
        S.LONGER_WINS: U.SHARE,
        S.LENGTH_UNKNOWN: U.COUNT,
    },
    "recalibration": {
        S.BETA: U.RATIO,
        S.ADJUSTED_JUDGE_SCORE: U.SCORE,
        S.SPEARMAN_BEFORE: U.COEFFICIENT,
        S.SPEARMAN_AFTER: U.COEFFICIENT,
        S.SPEARMAN_P: U.PROBABILITY,
        S.SPEARMAN_BETA_ONLY: U.COEFFICIENT,
        S.SPEARMAN_AFTER_CROSSFIT: U.COEFFICIENT,
        S.P_WIN: U.PROBABILITY,
        S.P_LONGER: U.PROBABILITY,
        S.LENGTH_UNKNOWN: U.COUNT,
    },
    "judge_agreement": {
        S.JUDGE_AGREEMENT: U.SHARE,
        S.JUDGE_AGREEMENT_ADJUDICATED: U.SHARE,
        S.HUMAN_AGREEMENT: U.SHARE,
        S.JUDGE_MINUS_HUMAN: U.SHARE,
        S.POPULATION_KAPPA: U.COEFFICIENT,
        S.COVERAGE: U.SHARE,
        S.DRIFT: U.SHARE,
        S.DRIFT_T: U.T,
    },
    SENSITIVITY: {
        S.CELLS: U.COUNT,
        S.CELLS_ESTIMABLE: U.COUNT,
        S.SAME_SIGN_SHARE: U.SHARE,
        S.SAME_SIGNIFICANCE_SHARE: U.SHARE,
    },
}
EVERY_UNIT = (S.ESTIMATE_MIN, S.ESTIMATE_MAX)
"""Of sensitivity: in the unit of the number whose range they are."""


def unit_of(method: str, statistic: Statistic) -> Unit | None:
    """The unit of a method's statistic; None for the range of another number.

    Raises
    ------
    ValueError
        The method does not give it.
    """
    if statistic in EVERY_UNIT:
        return None
    for name in (method, FAMILIES, SENSITIVITY):
        if statistic in UNITS[name]:
            return UNITS[name][statistic]
    raise ValueError(f"{method} gives no {statistic}")
