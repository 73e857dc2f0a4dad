"""A specification from its file: its shape, then what must hold between its parts.

Errors of shape are told first and alone, since what holds between parts can only be asked of parts
that are there. Belongs here: names, the design and the rubric; exports, rules and analyses have a
module each.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from pydantic import ValidationError

from data_contracts.specification import StudySpec
from data_contracts.specification_analysis_checks import analysis_problems, unit_problems
from data_contracts.specification_export_checks import export_problems
from data_contracts.specification_paths import path_problems
from data_contracts.specification_problem import Problem, listed, nearest, refusal
from data_contracts.specification_rubric import Criterion, Scale, level_text
from data_contracts.specification_rule_checks import rule_problems
from data_contracts.specification_shape import shape_problems
from data_contracts.vocabulary import Measure, Protocol, RaterKind, State
from data_contracts.yaml_source import Address, YamlSource

# Words that mean something else where an id stands, in a key or in an estimate's id.
RESERVED = {
    "systems": ("all", "tie", "both_fail"),
    "criteria": ("all",),
    "populations": ("all",),
    "exclusions": ("all", "none"),
    "adjudication": ("all", "none", "raw"),
    "analyses": ("all",),
}
STATES = tuple(State)


def parse(source: YamlSource) -> StudySpec:
    """The specification that a file holds.

    Raises
    ------
    SpecificationError
        Lists every error of shape, or else every error between parts.
    """
    try:
        spec = StudySpec.model_validate(source.data)
    except ValidationError as error:
        raise refusal(source, shape_problems(source, error)) from None
    checks = (name_problems, design_problems, rubric_problems, export_problems, rule_problems, analysis_problems)
    problems = list(chain(path_problems(spec), *(check(spec) for check in checks)))
    if problems:
        raise refusal(source, problems)
    return spec.read_from(source)


def name_problems(spec: StudySpec) -> Iterator[Problem]:
    """Ids are unique where they stand, and are no reserved word."""
    rubrics: list[tuple[Address, Sequence[Criterion]]] = [(("rubric", "criteria"), spec.rubric.criteria)]
    rubrics += [(("rubric", "earlier", i, "criteria"), r.criteria) for i, r in enumerate(spec.rubric.earlier)]
    named: list[tuple[str, Address, Iterable[str]]] = [
        ("systems", ("systems",), spec.system_ids),
        ("populations", ("raters", "populations"), [p.id for p in spec.raters.populations]),
        ("exclusions", ("exclusions",), [rule.id for rule in spec.exclusions]),
        ("adjudication", ("adjudication",), [rule.id for rule in spec.adjudication]),
        ("analyses", ("analyses",), [analysis.id for analysis in spec.analyses]),
        *(("criteria", address, [criterion.id for criterion in criteria]) for address, criteria in rubrics),
    ]
    for kind, address, ids in named:
        yield from unique((*address, "id"), ids)
        for place, id in enumerate(ids):
            if id in RESERVED[kind]:
                yield Problem((*address, place, "id"), f"{id} is a reserved word", f"call it {id}-1, for example")
    revisions = [spec.rubric.revision, *(earlier.revision for earlier in spec.rubric.earlier)]
    if len(set(revisions)) < len(revisions):
        yield Problem(("rubric", "earlier"), "two revisions of the rubric have one name", "name each revision once")
    if spec.interface and spec.interface.revision in spec.interface.earlier:
        yield Problem(
            ("interface", "earlier"), f"revision {spec.interface.revision} is both in force and earlier", "remove one"
        )


def unique(address: Address, values: Iterable[str]) -> Iterator[Problem]:
    """No value twice; `address` ends in the key that holds it in each entry of a list."""
    *above, key = address
    seen: dict[str, int] = {}
    for place, value in enumerate(values):
        if value in seen:
            yield Problem(
                (*above, place, key), f"{value} is given twice, first as entry {seen[value] + 1}", "rename one"
            )
        seen.setdefault(value, place)


def design_problems(spec: StudySpec) -> Iterator[Problem]:
    """Systems can be told apart, one is the reference at most, units and slices are declared attributes."""
    # Without a case there is no code of the case, so spa is blinded by one id for the whole study.
    by_blinded_id = spec.blinding is None or any(c.protocol is Protocol.SPA for c in spec.rubric.criteria)
    blinded: dict[str, str] = {}
    for place, system in enumerate(spec.systems):
        if by_blinded_id and system.blinded_id in blinded:
            yield Problem(
                ("systems", place, "blinded"),
                f"the blinded id {system.blinded_id} is that of {blinded[system.blinded_id]} too",
                "give each system its own, or declare `blinding` if codes differ by case",
            )
        blinded.setdefault(system.blinded_id, system.id)
        if not by_blinded_id and system.blinded is not None:
            yield Problem(
                ("systems", place, "blinded"), "codes come from the table `blinding`", "remove this key, or the table"
            )
    references = [place for place, system in enumerate(spec.systems) if system.reference]
    for place in references[1:]:
        yield Problem(("systems", place, "reference"), "a second reference system", "keep `reference: true` at one")
    for place, population in enumerate(spec.raters.populations):
        if population.independent_unit:
            yield from unit_problems(
                spec, ("raters", "populations", place, "independent_unit"), population.independent_unit
            )
    if spec.claim.independent_unit:
        yield from unit_problems(spec, ("claim", "independent_unit"), spec.claim.independent_unit)
    yield from _attribute_problems(spec)
    if spec.raters.unique and not any(p.kind is RaterKind.HUMAN for p in spec.raters.populations):
        yield Problem(("raters", "unique"), "no population is human", "remove `unique`")


def _attribute_problems(spec: StudySpec) -> Iterator[Problem]:
    known = sorted(spec.case_attributes | spec.rater_attributes)
    for name in sorted(spec.case_attributes & spec.rater_attributes):
        yield Problem(("exports",), f"{name} is an attribute of both cases and raters", "rename one of the two")
    for place, names in enumerate(spec.slices):
        for name in names:
            if name not in known:
                yield Problem(("slices", place), f"no export gives the attribute {name}", nearest(name, known))
        if len(set(names)) < len(names):
            yield Problem(("slices", place), "an attribute is crossed with itself", "name each once")
    if len(set(spec.slices)) < len(spec.slices):
        yield Problem(("slices",), "a slice is given twice", "keep one")


def rubric_problems(spec: StudySpec) -> Iterator[Problem]:
    """Scales fit how the criterion is asked."""
    yield from _criteria_problems(("rubric", "criteria"), spec.rubric.criteria)
    for place, earlier in enumerate(spec.rubric.earlier):
        at = ("rubric", "earlier", place, "criteria")
        yield from _criteria_problems(at, earlier.criteria)
        for nth, criterion in enumerate(earlier.criteria):
            known = spec.criteria_ever[criterion.id]
            if (criterion.protocol, criterion.scale) != (known.protocol, known.scale):
                yield Problem(
                    (*at, nth),
                    f"{criterion.id} of {earlier.revision} has other responses than {criterion.id} of a later revision",
                    f"call it {criterion.id}-{earlier.revision}, and map to that under `criteria` of its export",
                )


def _criteria_problems(address: Address, criteria: Sequence[Criterion]) -> Iterator[Problem]:
    for place, criterion in enumerate(criteria):
        at = (*address, place)
        scale = criterion.scale
        if criterion.protocol in (Protocol.PAIRWISE, Protocol.RANKING):
            if scale is not None:
                yield Problem((*at, "scale"), f"a {criterion.protocol} criterion has no scale", "remove `scale`")
        elif scale is None:
            yield Problem(
                (*at, "scale"), f"a {criterion.protocol} criterion needs a scale", _SCALES[criterion.protocol]
            )
        else:
            yield from _measure_problems((*at, "scale"), criterion.protocol, scale)
            yield from _level_problems((*at, "scale"), scale)
            yield from _anchor_problems((*at, "anchors"), criterion, scale)


_SCALES = {
    Protocol.RATING: "write `scale: {measure: ordinal, levels: [1, 2, 3, 4, 5]}`, or what raters chose from",
    Protocol.CHECKLIST: 'write `scale: {measure: nominal, levels: ["Yes", "No"], pass: ["Yes"]}`, or as it was',
    Protocol.SPA: "write `scale: {measure: probability, min: 0, max: 100}`",
}
_MEASURES = {
    Protocol.RATING: (Measure.NOMINAL, Measure.ORDINAL, Measure.INTERVAL, Measure.RATIO),
    Protocol.CHECKLIST: (Measure.NOMINAL, Measure.ORDINAL),
    Protocol.SPA: (Measure.PROBABILITY,),
}


def _measure_problems(at: Address, protocol: Protocol, scale: Scale) -> Iterator[Problem]:
    if scale.measure not in _MEASURES[protocol]:
        yield Problem(
            (*at, "measure"),
            f"{protocol} is not asked on a {scale.measure} scale",
            f"write {listed(_MEASURES[protocol], 'or')}",
        )
        return
    levelled = scale.measure in (Measure.NOMINAL, Measure.ORDINAL)
    if levelled and len(scale.levels) < 2:
        yield Problem(
            (*at, "levels"),
            f"{'an' if scale.measure is Measure.ORDINAL else 'a'} {scale.measure} scale needs levels",
            "list two or more, lowest first",
        )
    if scale.measure is Measure.PROBABILITY and scale.levels:
        yield Problem((*at, "levels"), "a probability has no levels", "write min and max instead")
    if levelled or scale.levels:
        for end in ("min", "max"):
            if getattr(scale, end) is not None:
                yield Problem((*at, end), "the levels say which answers there are", f"remove `{end}`")
    low, high = scale.bounds
    if not scale.levels and low is not None and high is not None and low >= high:
        yield Problem((*at, "max"), f"max {high:g} is not above min {low:g}", "exchange or correct them")


def _level_problems(at: Address, scale: Scale) -> Iterator[Problem]:
    texts = [level_text(level) for level in scale.levels]
    for place, text in enumerate(texts):
        if text in texts[:place]:
            yield Problem((*at, "levels", place), f"level {text} is given twice", "keep one")
        if text in STATES:
            yield Problem(
                (*at, "levels", place),
                f"level {text} has the name of a state",
                f"map the exported label to the state {text} instead, or write it with a capital",
            )
    numbers = [level for level in scale.levels if not isinstance(level, str)]
    if numbers and len(numbers) < len(scale.levels):
        yield Problem((*at, "levels"), "levels are partly numbers, partly text", "quote all, or none")
    elif scale.measure in (Measure.INTERVAL, Measure.RATIO) and len(numbers) < len(scale.levels):
        yield Problem((*at, "levels"), f"levels of a {scale.measure} scale are numbers", "write numbers")
    elif scale.measure is not Measure.NOMINAL and any(a > b for a, b in pairwise(numbers)):
        yield Problem((*at, "levels"), "levels do not ascend", "list them from lowest to highest")
    for place, level in enumerate(scale.pass_):
        if level_text(level) not in texts:
            yield Problem((*at, "pass", place), f"{level_text(level)} is no level", nearest(level_text(level), texts))


def _anchor_problems(at: Address, criterion: Criterion, scale: Scale) -> Iterator[Problem]:
    known = [level_text(level) for level in scale.levels]
    for place, anchor in enumerate(criterion.anchors):
        label = level_text(anchor.label)
        if known and label not in known and label not in STATES:
            yield Problem((*at, place, "label"), f"{label} is no level", nearest(label, known))
