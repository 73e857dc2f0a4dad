"""Whether the claim's primary estimate is a row that its analysis gives.

The row is named by what an estimate's id is made of, and each of its parts must leave one row only.
"""

from collections.abc import Iterator

from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Agreement, Analysis, JudgeAgreement, PassRates, Recalibration
from data_contracts.specification_design import Primary
from data_contracts.specification_problem import Problem, listed, nearest
from data_contracts.vocabulary import Statistic

# A claim rests on an estimate or its test, not on counts and diagnostics beside them.
OF_PAIRS = {
    "spa": (Statistic.SPA_PREFERENCE, Statistic.SPA_T, Statistic.SPA_EQUIVALENCE),
    "likert": (
        Statistic.MEAN_DIFFERENCE,
        Statistic.MEAN_DIFFERENCE_T,
        Statistic.MEAN_DIFFERENCE_Z,
        Statistic.SUPERIORITY,
        Statistic.ORDINAL_LOG_ODDS,
        Statistic.ORDINAL_LOG_ODDS_CONDITIONAL,
    ),
    "pass_rates": (Statistic.SHARE_DIFFERENCE, Statistic.SHARE_DIFFERENCE_T),
    "win_rates": (Statistic.WIN_RATE, Statistic.WIN_RATE_DECISIVE, Statistic.WIN_RATE_HALF),
    "elo": (Statistic.RATING_DIFFERENCE,),
    "bradley_terry": (Statistic.RATING_DIFFERENCE, Statistic.RATING_DIFFERENCE_T, Statistic.WIN_PROBABILITY),
}
OF_SYSTEMS = {
    "likert": (Statistic.MEAN, Statistic.MEAN_CASE_WEIGHTED, Statistic.MEAN_Z, Statistic.SHARE),
    "pass_rates": (Statistic.PASS_RATE, Statistic.SHARE, Statistic.CHECKLIST_TOTAL),
    "win_rates": (Statistic.WIN_RATE, Statistic.WIN_RATE_DECISIVE, Statistic.WIN_RATE_HALF),
    "elo": (Statistic.RATING,),
    "bradley_terry": (Statistic.RATING, Statistic.MEAN_RANK),
    "length_effects": (Statistic.LENGTH_CONTRAST, Statistic.LENGTH_CONTRAST_T),
    "recalibration": (Statistic.ADJUSTED_JUDGE_SCORE,),
}
OF_THE_STUDY = {
    "agreement": (
        Statistic.RAW_AGREEMENT,
        Statistic.COHEN_KAPPA_LINEAR,
        Statistic.LIGHT_KAPPA,
        Statistic.FLEISS_KAPPA,
        Statistic.CONGER_KAPPA,
        Statistic.GWET_AC1,
        Statistic.GWET_AC2_LINEAR,
        Statistic.GWET_AC2_QUADRATIC,
        Statistic.BRENNAN_PREDIGER,
        Statistic.KRIPPENDORFF_ALPHA,
        Statistic.POPULATION_KAPPA,
        Statistic.POPULATION_AGREEMENT,
        Statistic.KENDALL_W,
    ),
    "judge_agreement": (
        Statistic.JUDGE_AGREEMENT,
        Statistic.HUMAN_AGREEMENT,
        Statistic.JUDGE_MINUS_HUMAN,
        Statistic.POPULATION_KAPPA,
    ),
    "order_effects": (
        Statistic.FIRST_SHARE_DECISIVE,
        Statistic.FIRST_SHARE_DECISIVE_T,
        Statistic.FIRST_ADVANTAGE,
        Statistic.ORDER_CONSISTENCY,
    ),
    "length_effects": (Statistic.LONGER_WINS,),
    "recalibration": (Statistic.SPEARMAN_BEFORE, Statistic.SPEARMAN_AFTER, Statistic.SPEARMAN_AFTER_CROSSFIT),
}
_BETWEEN_POPULATIONS = (Statistic.POPULATION_KAPPA, Statistic.POPULATION_AGREEMENT)
_OF_LABELS = (Statistic.SHARE, Statistic.SHARE_DIFFERENCE, Statistic.SHARE_DIFFERENCE_T)


def primary_problems(spec: StudySpec) -> Iterator[Problem]:
    """The primary estimate exists, and is one."""
    primary, at = spec.claim.primary, ("claim", "primary")
    if primary is None:
        return
    known = {analysis.id: analysis for analysis in spec.analyses}
    if primary.analysis not in known:
        yield Problem(
            (*at, "analysis"), f"there is no analysis {primary.analysis}", nearest(primary.analysis, list(known))
        )
        return
    analysis = known[primary.analysis]
    yield from _one_of((*at, "criterion"), primary.criterion, _criteria(spec, analysis))
    yield from _one_of((*at, "population"), primary.population, _populations(spec, analysis))
    yield from _subject_problems(at, spec, analysis, primary)


def _one_of(at: tuple[str, ...], value: str | None, choices: list[str]) -> Iterator[Problem]:
    key = at[-1]
    if value is None and len(choices) > 1:
        yield Problem(at, f"the analysis has more than one {key}", f"write `{key}:` with {listed(choices, 'or')}")
    elif value is not None and value not in choices:
        yield Problem(at, f"the analysis has no {key} {value}", nearest(value, choices))


def _criteria(spec: StudySpec, analysis: Analysis) -> list[str]:
    ids = [id for id in analysis.criterion if id in spec.criteria] or [c.id for c in spec.criteria_of(analysis)]
    pooled = isinstance(analysis, PassRates) and (analysis.pool or analysis.total)
    return [*ids, "*"] if pooled else ids


def _populations(spec: StudySpec, analysis: Analysis) -> list[str]:
    if isinstance(analysis, JudgeAgreement | Recalibration):
        return [analysis.judge]
    if isinstance(analysis, Agreement) and isinstance(analysis.between, tuple):
        return [analysis.between[0]]
    return ["+".join(members) for members in spec.populations_of(analysis)]


def _subject_problems(at: tuple[str, ...], spec: StudySpec, analysis: Analysis, primary: Primary) -> Iterator[Problem]:
    method, statistic = analysis.method, primary.statistic
    of_pairs, of_systems, of_study = (kind.get(method, ()) for kind in (OF_PAIRS, OF_SYSTEMS, OF_THE_STUDY))
    if isinstance(analysis, Agreement):
        between = isinstance(analysis.between, tuple)
        of_study = tuple(name for name in of_study if (name in _BETWEEN_POPULATIONS) == between)
    if statistic not in (*of_pairs, *of_systems, *of_study):
        known = [*dict.fromkeys((*of_pairs, *of_systems, *of_study))]
        yield Problem(
            (*at, "statistic"), f"{method} gives no {statistic} to rest a claim on", nearest(statistic, known)
        )
        return
    if primary.pair is not None and statistic not in of_pairs:
        yield Problem((*at, "pair"), f"{statistic} is not of pairs", "remove `pair`")
    if primary.system is not None and (statistic not in of_systems or primary.pair is not None):
        yield Problem((*at, "system"), f"{statistic} is not of one system", "remove `system`")
    if primary.pair is None and primary.system is None and statistic not in of_study:
        key = "pair: [a, b]" if statistic in of_pairs else "system: a"
        yield Problem((*at, key.partition(":")[0]), f"{statistic} has a row for each of several", f"write `{key}`")
    if primary.pair is not None and primary.pair not in spec.pairs_of(analysis):
        declared = [f"[{a}, {b}]" for a, b in spec.pairs_of(analysis)]
        yield Problem(
            (*at, "pair"), f"the analysis has no pair [{', '.join(primary.pair)}]", f"it has {listed(declared)}"
        )
    if primary.system is not None and primary.system not in spec.system_ids:
        yield Problem((*at, "system"), f"there is no system {primary.system}", nearest(primary.system, spec.system_ids))
    if statistic in _OF_LABELS and "label" not in primary.dimensions:
        yield Problem(
            (*at, "dimensions"), f"{statistic} has a row for each label", 'write `dimensions: {label: "Yes"}`'
        )
