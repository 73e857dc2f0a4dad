"""What must hold between the analyses, the expectations, the claim and all that they name."""

from collections.abc import Iterator, Sequence

from data_contracts.scenarios import READ_RAW_ONLY, adjudicable, repeated_as, scenarios_of
from data_contracts.specification import PROTOCOLS_OF_METHOD, StudySpec, can_read
from data_contracts.specification_analyses import (
    ALL_CRITERIA,
    AS_DELIVERED,
    RAW,
    Agreement,
    Analysis,
    BradleyTerry,
    Elo,
    JudgeAgreement,
    Likert,
    PairTests,
    PassRates,
    Recalibration,
    Spa,
    WinRates,
)
from data_contracts.specification_part import Pair
from data_contracts.specification_primary import primary_problems
from data_contracts.specification_problem import Problem, listed, nearest
from data_contracts.specification_rules import SpaComplement
from data_contracts.vocabulary import Measure, Protocol
from data_contracts.yaml_source import Address

WEIGHTED = ("cohen_kappa_linear", "cohen_kappa_quadratic", "gwet_ac2_linear", "gwet_ac2_quadratic")


def analysis_problems(spec: StudySpec) -> Iterator[Problem]:
    """Every analysis can be made of the study that is declared."""
    for place, analysis in enumerate(spec.analyses):
        at: Address = ("analyses", place)
        criteria = list(_criterion_problems(at, spec, analysis))
        yield from criteria
        yield from _population_problems((*at, "population"), spec, analysis.population or ())
        yield from _voter_problems((*at, "population"), spec, analysis)
        yield from _label_problems((*at, "labels"), spec, analysis)
        if analysis.independent_unit:
            yield from unit_problems(spec, (*at, "independent_unit"), analysis.independent_unit)
        if isinstance(analysis, PairTests | Elo):
            yield from _pairs_problems((*at, "pairs"), spec, analysis.pairs or ())
        if isinstance(analysis, Spa):
            yield from _spa_problems(at, spec, analysis)
        if isinstance(analysis, Likert | PassRates):
            yield from _difference_problems(at, spec, analysis)
        if isinstance(analysis, BradleyTerry):
            yield from _percentile_problems((*at, "interval"), spec, analysis)
        if isinstance(analysis, JudgeAgreement | Recalibration):
            yield from _judge_problems(at, spec, analysis)
        if not criteria:
            if not analysis.independent_unit:
                yield from _pooled_unit_problems((*at, "independent_unit"), spec, analysis)
            yield from _pool_problems(at, spec, analysis)
            yield from _ranking_problems(at, spec, analysis)
            if isinstance(analysis, JudgeAgreement):
                yield from _judge_agreement_problems(at, spec, analysis)
            if isinstance(analysis, Agreement):
                yield from _agreement_problems(at, spec, analysis)
    yield from _expectation_problems(spec)
    yield from _sensitivity_problems(spec)
    yield from primary_problems(spec)


def unit_problems(spec: StudySpec, address: Address, unit: tuple[str, ...]) -> Iterator[Problem]:
    """An independent unit is the rater, the case or an attribute of the case; of two, one is the rater."""
    known = ("rater", "case", *sorted(spec.case_attributes))
    for name in unit:
        if name not in known:
            yield Problem(address, f"{name} is no unit", nearest(name, known))
    if len(unit) == 2 and (unit[0] == unit[1] or "rater" not in unit):
        yield Problem(address, f"{listed(unit)} do not cross", "write [rater, case], or rater and a case attribute")


def _pooled_unit_problems(at: Address, spec: StudySpec, analysis: Analysis) -> Iterator[Problem]:
    mixed: dict[str, None] = {}
    for scenario in scenarios_of(analysis, spec):
        repeated = repeated_as(analysis, scenario, spec)
        for members in spec.populations_of(repeated):
            known = [id for id in members if id in spec.populations]
            if len({spec.independent_unit_of(repeated, id) for id in known}) > 1:
                mixed[listed(known)] = None
    for pooled in mixed:
        what = f"{pooled} are pooled, and declare different independent units"
        yield Problem(at, what, "write `independent_unit: [rater]` or `[case]` in the analysis")


def _criterion_problems(at: Address, spec: StudySpec, analysis: Analysis) -> Iterator[Problem]:
    address = (*at, "criterion")
    readable = [criterion.id for criterion in spec.rubric.criteria if can_read(analysis.method, criterion)]
    protocols = listed(PROTOCOLS_OF_METHOD[analysis.method], "or")
    if analysis.criterion == (ALL_CRITERIA,):
        if not readable:
            yield Problem(address, f"{analysis.method} can read none of the criteria", f"it is for {protocols}")
        return
    for id in analysis.criterion:
        if id == ALL_CRITERIA:
            yield Problem(address, "`all` stands in a list", "write `criterion: all`, or the ids")
        elif id not in spec.criteria:
            yield Problem(address, f"there is no criterion {id}", nearest(id, list(spec.criteria)))
        elif id not in readable:
            fix = f"name {listed(readable, 'or')}" if readable else f"the method is for {protocols}"
            scale = spec.criteria[id].scale
            kind = f"{scale.measure} {spec.criteria[id].protocol}" if scale else spec.criteria[id].protocol
            yield Problem(address, f"{analysis.method} cannot read {id}, a {kind}", fix)
    if len(set(analysis.criterion)) < len(analysis.criterion):
        yield Problem(address, "a criterion is given twice", "name each once")


def _population_problems(at: Address, spec: StudySpec, ids: Sequence[str]) -> Iterator[Problem]:
    raters = [population.id for population in spec.raters.populations if not population.adjudicates]
    for id in ids:
        if id not in spec.populations:
            yield Problem(at, f"there is no population {id}", nearest(id, raters))
        elif id not in raters:
            yield Problem(at, f"{id} adjudicates and is in no analysis", f"name {listed(raters, 'or')}")
    known = [id for id in ids if id in spec.populations]
    if len({spec.population(id).kind for id in known}) > 1:
        yield Problem(at, f"{listed(known)} pools humans with models", "write one analysis of each")
    if len(set(ids)) < len(ids):
        yield Problem(at, "a population is given twice", "name each once")


def _label_problems(at: Address, spec: StudySpec, analysis: Analysis) -> Iterator[Problem]:
    if analysis.labels == RAW:
        return
    rules = {rule.id: rule for rule in spec.adjudication}
    if analysis.labels not in rules:
        yield Problem(at, f"there is no adjudication {analysis.labels}", nearest(analysis.labels, [RAW, *rules]))
    elif isinstance(analysis, READ_RAW_ONLY):
        yield Problem(at, f"{analysis.method} reads what raters said, never adjudicated labels", "write `labels: raw`")
    elif analysis.criterion != (rules[analysis.labels].criterion,):
        criterion = rules[analysis.labels].criterion
        yield Problem(at, f"{analysis.labels} adjudicates {criterion} only", _other_labels(spec, analysis, criterion))
    elif isinstance(analysis, Elo) and analysis.orderings == AS_DELIVERED:
        yield Problem(at, "adjudicated labels were not delivered in an order", "give a number of `orderings`")
    elif "rater" in (analysis.independent_unit or ()):
        what = f"labels of {analysis.labels} are of no rater, so raters cannot be their independent unit"
        yield Problem((*at[:-1], "independent_unit"), what, "write `case`, or remove `independent_unit`")
    elif analysis.labels not in adjudicable(analysis, spec):
        what = f"{analysis.labels} settles ranks one by one, which leaves no ranking to compare systems in"
        yield Problem(at, what, "write `labels: raw`")


def _other_labels(spec: StudySpec, analysis: Analysis, criterion: str) -> str:
    """What to write where an adjudication is not of the analysis's criterion."""
    of_its_own = [f"`labels: {rule.id}`" for rule in spec.adjudication if analysis.criterion == (rule.criterion,)]
    if of_its_own:
        return f"write {listed(of_its_own, 'or')}"
    readable = criterion in spec.criteria and can_read(analysis.method, spec.criteria[criterion])
    return f"write `criterion: {criterion}`, or `labels: raw`" if readable else "write `labels: raw`"


def _voter_problems(at: Address, spec: StudySpec, analysis: Analysis) -> Iterator[Problem]:
    if analysis.labels == RAW or analysis.population is None or set(analysis.population) == set(spec.voters):
        return
    if analysis.labels in adjudicable(analysis, spec):
        what = f"{analysis.labels} settles labels of the votes of {listed(spec.voters)} together"
        yield Problem(at, what, "remove `population`")


def _pairs_problems(at: Address, spec: StudySpec, pairs: Sequence[Pair]) -> Iterator[Problem]:
    seen: set[frozenset[str]] = set()
    for place, pair in enumerate(pairs):
        yield from pair_problems((*at, place), spec, pair)
        if frozenset(pair) in seen:
            yield Problem(
                (*at, place), f"the pair {listed(pair)} is given twice", "keep one; the sign is first minus second"
            )
        seen.add(frozenset(pair))


def pair_problems(at: Address, spec: StudySpec, pair: Pair) -> Iterator[Problem]:
    """A pair is of two declared systems."""
    for id in pair:
        if id not in spec.system_ids:
            yield Problem(at, f"there is no system {id}", nearest(id, spec.system_ids))
    if pair[0] == pair[1]:
        yield Problem(at, f"{pair[0]} is compared with itself", "name two systems")


def _spa_problems(at: Address, spec: StudySpec, analysis: Spa) -> Iterator[Problem]:
    rules = [rule.id for rule in spec.exclusions if isinstance(rule, SpaComplement)]
    if rules and analysis.answers == "forward" and analysis.acknowledge is None:
        yield Problem(
            (*at, "answers"),
            f"the rule {rules[0]} drops raters by both answers, which biases an estimate from one of them",
            "write `answers: mean_of_both`; or `acknowledge: tau_biases_forward`, which every row then carries",
        )
    exposures = spec.assignment.exposure
    if analysis.exposure is not None and exposures and analysis.exposure not in exposures:
        yield Problem(
            (*at, "exposure"),
            f"nobody was assigned exposure {analysis.exposure}",
            f"name {listed([*map(str, exposures)], 'or')}",
        )


def _difference_problems(at: Address, spec: StudySpec, analysis: Likert | PassRates) -> Iterator[Problem]:
    """A difference of raters' means has the rater as its unit, and labels of no rater have none."""
    if analysis.labels != RAW:
        if analysis.pairing is not None:
            yield Problem((*at, "pairing"), "adjudicated labels are of no rater to pair by", "remove `pairing`")
        if analysis.unit in ("rater", "both"):
            yield Problem((*at, "unit"), "adjudicated labels are of no rater", "write `unit: case`, or remove `unit`")
        return
    if analysis.pairing is None or analysis.unit == "rater":
        return
    what = f"pairing: {analysis.pairing} compares means of raters, so the unit of a difference is the rater"
    if analysis.unit is not None:
        yield Problem((*at, "unit"), f"{what}, not {analysis.unit}", "write `unit: rater`, or remove `pairing`")
        return
    populations = [id for group in spec.populations_of(analysis) for id in group if id in spec.populations]
    units = [spec.independent_unit_of(analysis, id) or ("rater",) for id in populations]
    other = next((unit for unit in units if unit != ("rater",)), None)
    if other is not None:
        yield Problem((*at, "pairing"), f"{what}, not {listed(other)}", "write `unit: rater`, or remove `pairing`")


def _percentile_problems(at: Address, spec: StudySpec, analysis: BradleyTerry) -> Iterator[Problem]:
    if analysis.interval is None or analysis.interval.method != "percentile":
        return
    populations = [id for group in spec.populations_of(analysis) for id in group if id in spec.populations]
    units = [spec.independent_unit_of(analysis, id) or () for id in populations]
    for unit in units:
        if len(unit) > 1:
            what = f"bootstraps over {listed(unit)} have no percentiles in common"
            yield Problem(at, what, "write `interval: {method: bootstrap}`, or an `independent_unit` of one dimension")
            return


def _judge_problems(at: Address, spec: StudySpec, analysis: JudgeAgreement | Recalibration) -> Iterator[Problem]:
    yield from _population_problems((*at, "judge"), spec, (analysis.judge,))
    yield from _population_problems((*at, "reference"), spec, analysis.reference)
    if analysis.judge in analysis.reference:
        yield Problem((*at, "reference"), f"{analysis.judge} is held against itself", "name another population")
    if analysis.population is not None:
        yield Problem((*at, "population"), "the populations are `judge` and `reference`", "remove `population`")


def _judge_agreement_problems(at: Address, spec: StudySpec, analysis: JudgeAgreement) -> Iterator[Problem]:
    if analysis.pairs is not None:
        yield Problem((*at, "pairs"), "a judge's agreement is not of pairs of systems", "remove `pairs`")
    if "rater" in (analysis.independent_unit or ()):
        yield Problem((*at, "independent_unit"), "raters are never resampled", "write `case`")
    if analysis.unit == "presentation" and all(c.protocol is not Protocol.PAIRWISE for c in spec.criteria_of(analysis)):
        yield Problem((*at, "unit"), "only pairs are presented in an order", "remove `unit`")
    if isinstance(analysis.batches, tuple) and not 1 < len(set(analysis.batches)) == len(analysis.batches):
        yield Problem((*at, "batches"), "drift is between two batches or more", "name each of them once")


def _pool_problems(at: Address, spec: StudySpec, analysis: Analysis) -> Iterator[Problem]:
    if not isinstance(analysis, PassRates | Agreement) or not analysis.pool:
        return
    asked = {(c.protocol, None if c.scale is None else c.scale.levels) for c in spec.criteria_of(analysis)}
    if len(asked) > 1:
        yield Problem(
            (*at, "pool"), "the criteria have different responses", "name criteria of one scale, or remove `pool`"
        )


def _ranking_problems(at: Address, spec: StudySpec, analysis: Analysis) -> Iterator[Problem]:
    # The pairs of one ranking depend on each other: without a unit they would count as so many judgments.
    if not isinstance(analysis, BradleyTerry | WinRates | Elo):
        return
    ranked = [c.id for c in spec.criteria_of(analysis) if c.protocol is Protocol.RANKING]
    populations = [id for group in spec.populations_of(analysis) for id in group if id in spec.populations]
    if ranked and not all(spec.independent_unit_of(analysis, id) for id in populations):
        yield Problem(
            (*at, "independent_unit"),
            f"the pairs of a ranking of {ranked[0]} are not independent",
            "write `independent_unit: [rater]` here or in the claim",
        )


def _agreement_problems(at: Address, spec: StudySpec, analysis: Agreement) -> Iterator[Problem]:
    criteria = spec.criteria_of(analysis)
    if isinstance(analysis.between, tuple):
        for id in analysis.between:
            yield from _population_problems((*at, "between"), spec, (id,))
        if analysis.between[0] == analysis.between[1]:
            yield Problem((*at, "between"), "a population is held against itself", "name two, or `raters`")
        if analysis.raters == "random":
            what = "the spread over raters is defined for those of one population, not between two"
            yield Problem((*at, "raters"), what, "write `raters: fixed`")
        for key in ("population", "coefficients", "metrics", "rater_pairs"):
            if getattr(analysis, key):
                yield Problem((*at, key), f"{key} has no meaning between two populations", f"remove `{key}`")
    if "rater" in (analysis.independent_unit or ()):
        # Copies of a rater agree with themselves, so resampled raters give too high a coefficient (METHODS 7.4).
        yield Problem(
            (*at, "independent_unit"), "raters are never resampled", "write `case`; `raters: random` adds their spread"
        )
    if analysis.interval is not None and analysis.interval.method == "percentile" and analysis.raters == "random":
        what = "percentiles of rounds over cases have no place for the spread over raters"
        yield Problem((*at, "interval"), what, "write `interval: {method: bootstrap}`, or `raters: fixed`")
    if analysis.unit == "presentation" and all(c.protocol is not Protocol.PAIRWISE for c in criteria):
        yield Problem((*at, "unit"), "only pairs are presented in an order", "remove `unit`")
    measures = {criterion.scale.measure if criterion.scale else Measure.NOMINAL for criterion in criteria}
    weighted = [name for name in analysis.coefficients or () if name in WEIGHTED]
    if weighted and Measure.NOMINAL in measures:
        yield Problem(
            (*at, "coefficients"), f"{weighted[0]} needs levels in an order", "remove it, or name the criteria"
        )
    unranked = [criterion.id for criterion in criteria if criterion.protocol is not Protocol.RANKING]
    concordance = "kendall_w" in (analysis.coefficients or ())
    if concordance and unranked:
        yield Problem(
            (*at, "coefficients"), f"kendall_w is of rankings, and {unranked[0]} is none", "remove it, or name rankings"
        )
    if analysis.as_category and (weighted or concordance or analysis.metrics):
        yield Problem((*at, "as_category"), "states have no place in an order", "leave nominal coefficients only")
    if Measure.PROBABILITY in analysis.metrics:
        yield Problem((*at, "metrics"), "there is no alpha of probabilities", "write interval")
    if Measure.NOMINAL in measures and set(analysis.metrics) - {Measure.NOMINAL}:
        yield Problem((*at, "metrics"), "nominal labels have the nominal metric only", "remove the others")


def _expectation_problems(spec: StudySpec) -> Iterator[Problem]:
    tested = [analysis for analysis in spec.analyses if isinstance(analysis, PairTests) and analysis.pairs is not None]
    for place, expectation in enumerate(spec.expectations):
        at = ("expectations", place)
        yield from pair_problems(at, spec, expectation.pair)
        for analysis in tested:
            if frozenset(expectation.pair) not in map(frozenset, analysis.pairs or ()):
                yield Problem(
                    at,
                    f"the pair {listed(expectation.pair)} is not among the pairs of {analysis.id}",
                    f"add it to `pairs` of {analysis.id}",
                )


def _sensitivity_problems(spec: StudySpec) -> Iterator[Problem]:
    known = [analysis.id for analysis in spec.analyses]
    for place, id in enumerate(spec.sensitivity.analyses if spec.sensitivity else ()):
        if id not in known:
            yield Problem(("sensitivity", "analyses", place), f"there is no analysis {id}", nearest(id, known))
