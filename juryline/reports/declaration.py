"""What the study declared, as the checklist of a measurement protocol: what is missing is seen to be missing.

The items are those that a reader needs to know what was measured: construct and unit, who judged, what they
were asked, what they saw and in which order, how they were paid and protected, and which rules were fixed
before. Nothing is guessed: an item without a declaration says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data_contracts.specification import StudySpec
from data_contracts.specification_design import Planned, Population
from data_contracts.specification_rubric import Criterion, level_text
from data_contracts.vocabulary import Protocol, State
from juryline.reports.numbers import plain_text
from juryline.reports.plain_words import STATES

YES, NO = "yes", "no"
_WITHOUT_SCALE = {Protocol.PAIRWISE: "the first, the second", Protocol.RANKING: "a rank for each, 1 the best"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing a protocol says; `said` is None where it does not."""

    name: str
    said: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    heading: str
    items: tuple[Item, ...]


def claim_items(spec: StudySpec) -> tuple[Item, ...]:
    """What the study is to decide, and what it cannot."""
    claim = spec.claim
    return (
        Item(name="Decision", said=claim.decision),
        Item(name="Construct", said=claim.construct_),
        Item(name="Unit", said=claim.unit),
        Item(name="Independent unit", said=_listed(claim.independent_unit, " and ")),
        Item(name="Target population", said=claim.target_population),
        Item(name="Not supported", said=claim.not_supported),
    )


def topics(spec: StudySpec) -> tuple[Topic, ...]:
    """The checklist, topic by topic."""
    return (
        Topic(heading="Presentation", items=tuple(_presentation(spec))),
        *(Topic(heading=f"Raters: {p.id}", items=tuple(_population(p))) for p in spec.raters.populations),
        Topic(heading="Protection", items=tuple(_protection(spec))),
        *(Topic(heading=f"Criterion: {c.id}", items=tuple(_criterion(spec, c))) for c in spec.rubric.criteria),
        Topic(heading="Fixed in advance", items=tuple(_rules(spec))),
    )


def system_rows(spec: StudySpec) -> list[list[str]]:
    """Each system, what exports call it, and its role."""
    return [[s.id, s.blinded_id, "reference" if s.reference else ""] for s in spec.systems]


def _presentation(spec: StudySpec) -> Iterable[Item]:
    assignment, interface = spec.assignment, spec.interface
    blinded = spec.blinding is not None or any(system.blinded not in (None, system.id) for system in spec.systems)
    codes = "codes that differ by case" if spec.blinding is not None else "codes in the exports"
    yield Item(name="Blinding", said=codes if blinded else None)
    yield Item(name="Order of candidates", said=_word(assignment.order))
    yield Item(name="Design", said=assignment.design)
    yield Item(name="Outputs seen of each system", said=_listed(assignment.exposure))
    yield Item(name="Judgments per rater", said=_number(assignment.judgments_per_rater))
    yield Item(name="Assignment list", said=assignment.manifest)
    yield Item(name="Interface revision", said=interface.revision if interface else None)
    yield Item(name="Earlier interfaces, set aside", said=_listed(interface.earlier) if interface else None)
    yield Item(name="Rubric revision", said=spec.rubric.revision)
    yield Item(name="Earlier rubrics, set aside", said=_listed([r.revision for r in spec.rubric.earlier]))
    kinds = dict.fromkeys(kind for export in spec.exports for kind in export.item_kinds.values())
    yield Item(name="Kinds of items told apart", said=_listed([str(kind) for kind in kinds]))


def _population(population: Population) -> Iterable[Item]:
    yield Item(name="Kind", said=str(population.kind) + (", adjudicates only" if population.adjudicates else ""))
    if population.order is not None:
        yield Item(name="Order of candidates", said=_word(population.order))
    if population.independent_unit is not None:
        yield Item(name="Independent unit", said=_listed(population.independent_unit, " and "))
    yield Item(name="Qualification", said=population.qualification)
    if population.kind == "human":
        yield Item(name="Recruitment", said=population.recruitment)
        yield Item(name="Pay", said=population.pay)


def _protection(spec: StudySpec) -> Iterable[Item]:
    governance = spec.governance
    yield Item(name="Ethics", said=governance.ethics)
    yield Item(name="Consent", said=governance.consent)
    yield Item(name="Retention", said=governance.retention)
    yield Item(name="Protection of raters", said=governance.protection)


def _criterion(spec: StudySpec, criterion: Criterion) -> Iterable[Item]:
    yield Item(name="Protocol", said=str(criterion.protocol))
    yield Item(name="Question", said=criterion.question)
    yield Item(name="Responses", said=_responses(criterion))
    yield Item(name="Ties and non-answers", said=_listed([STATES[state] for state in _mapped(spec, criterion)]))
    yield Item(name="Condition", said=criterion.condition)
    yield Item(name="Evidence", said=criterion.evidence)
    anchors = [f"{level_text(a.label)}: {a.example}" + (f" ({a.why})" if a.why else "") for a in criterion.anchors]
    yield Item(name="Anchors", said=_listed(anchors, "; "))
    if criterion.extremum_equivalence is not None:
        said = YES if criterion.extremum_equivalence else NO
        yield Item(name="Ends of the scale mean the same to all raters", said=said)


def _mapped(spec: StudySpec, criterion: Criterion) -> list[State]:
    """States other than an answer that any export's labels of the criterion are mapped to."""
    meant = {str(label) for export in spec.exports for label in export.labels.get(criterion.id, {}).values()}
    return [state for state in State if state is not State.ANSWERED and state in meant]


def _responses(criterion: Criterion) -> str | None:
    scale = criterion.scale
    if scale is None:
        return _WITHOUT_SCALE.get(criterion.protocol)
    passing = _listed([level_text(level) for level in scale.pass_])
    if scale.levels:
        levels = ", ".join(level_text(level) for level in scale.levels)
        return f"{scale.measure}: {levels}" + (f"; passed: {passing}" if passing else "")
    low, high = scale.bounds
    ends = ("any" if end is None else plain_text(end) for end in (low, high))
    return f"{scale.measure}, {' to '.join(ends)}"


def _rules(spec: StudySpec) -> Iterable[Item]:
    yield Item(name="End of collection", said=_stop(spec.planned))
    yield Item(name="Raters take part once", said=YES if spec.raters.unique else None)
    corrected = "refused" if spec.corrections == "reject" else f"the {spec.corrections} version counts"
    yield Item(name="Corrections", said=corrected)
    yield Item(name="Exclusions", said=_listed([rule.id for rule in spec.exclusions]))
    yield Item(name="Adjudication", said=_listed([rule.id for rule in spec.adjudication]))
    expected = [f"{e.pair[0]} {'better than' if e.better else 'similar to'} {e.pair[1]}" for e in spec.expectations]
    yield Item(name="Expectations", said=_listed(expected))
    yield Item(name="Analyses", said=_listed([f"{a.id} ({a.method})" for a in spec.analyses]))
    yield Item(name="Slices", said=_listed([" × ".join(names) for names in spec.slices]))
    yield Item(name="Sensitivity", said=_listed(spec.sensitivity.analyses) if spec.sensitivity else None)
    yield Item(name="Outputs of the systems", said=spec.outputs.match if spec.outputs else None)
    used = [f"{r.artifact} ({r.purpose})" + (f": {r.note}" if r.note else "") for r in spec.reuse]
    yield Item(name="Further use of these judgments", said=_listed(used, "; "))


def _stop(planned: Planned | None) -> str | None:
    if planned is None:
        return None
    if planned.until is not None:
        return f"submissions of {planned.until}"
    return f"{planned.raters} raters" if planned.raters is not None else f"{planned.judgments} judgments"


def _listed(values: Sequence[object] | None, joint: str = ", ") -> str | None:
    return joint.join(str(value) for value in values) if values else None


def _word(value: object | None) -> str | None:
    return None if value is None else str(value).replace("_", " ")


def _number(value: int | None) -> str | None:
    return None if value is None else plain_text(value)
