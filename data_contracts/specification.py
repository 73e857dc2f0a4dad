"""The study specification: `study.yaml` as one frozen value.

`load_specification` gives a `StudySpec` that is whole and consistent, or raises one
SpecificationError that lists every error with its line. The parts are declared, a noun a module, in
`specification_design`, `specification_rubric`, `specification_exports`, `specification_rules` and
`specification_analyses`; what holds between parts is in `specification_checks`.
"""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PrivateAttr

from data_contracts.specification_analyses import ALL_CRITERIA, RAW, Analysis, AnalysisPart, Expectation, Sensitivity
from data_contracts.specification_design import (
    Assignment,
    Blinding,
    Claim,
    Governance,
    Planned,
    Population,
    Raters,
    Reuse,
    System,
)
from data_contracts.specification_exports import RATER_ATTRIBUTES, Export, Outputs
from data_contracts.specification_part import Part, Slug, Text, Word, as_tuple
from data_contracts.specification_rubric import Criterion, Interface, Rubric
from data_contracts.specification_rules import Adjudication, Exclusion
from data_contracts.vocabulary import CandidateOrder, Measure, Phase, Protocol, RaterKind
from data_contracts.yaml_source import Position, YamlSource, parse_yaml, read_yaml

SPECIFICATION = "study.yaml"

PROTOCOLS_OF_METHOD = {
    "spa": (Protocol.SPA,),
    "likert": (Protocol.RATING,),
    "pass_rates": (Protocol.CHECKLIST, Protocol.RATING),
    "win_rates": (Protocol.PAIRWISE, Protocol.RANKING),
    "elo": (Protocol.PAIRWISE, Protocol.RANKING),
    "bradley_terry": (Protocol.PAIRWISE, Protocol.RANKING),
    "agreement": (Protocol.PAIRWISE, Protocol.RATING, Protocol.CHECKLIST, Protocol.RANKING),
    "judge_agreement": (Protocol.PAIRWISE, Protocol.RATING, Protocol.CHECKLIST),
    "order_effects": (Protocol.PAIRWISE,),
    "length_effects": (Protocol.PAIRWISE,),
    "recalibration": (Protocol.PAIRWISE,),
}


Slice = Annotated[tuple[Text, ...], BeforeValidator(as_tuple, json_schema_input_type=Text | tuple[Text, ...])]


class StudySpec(Part):
    """A study: what is claimed, of which systems, by whose judgment, read how and analysed how."""

    juryline: Literal[1]
    """Version of this layout."""
    study: Slug
    """Name of the study: its folder and its partition."""
    title: Text | None = None
    """Title of the report. May be changed after the freeze."""
    phase: Annotated[Phase, Word] = Phase.EXPLORATORY
    """pilot, confirmatory or exploratory."""
    claim: Claim = Claim()
    """What the study is to decide."""
    planned: Planned | None = None
    """When collection stops."""
    systems: tuple[System, ...] = Field(min_length=1)
    """The systems; their order orients pairs."""
    blinding: Blinding | None = None
    """A table of codes, where they differ by case."""
    rubric: Rubric
    """What raters were asked."""
    interface: Interface | None = None
    """The form raters worked in."""
    raters: Raters
    """Who judged."""
    assignment: Assignment = Assignment()
    """Who was given what."""
    exports: tuple[Export, ...] = Field(min_length=1)
    """How exports are read."""
    outputs: Outputs | None = None
    """What the systems wrote."""
    corrections: Literal["last", "first", "reject"] = "last"
    """Which version of one judgment counts."""
    exclusions: tuple[Exclusion, ...] = ()
    """What is left out; the first rule in this order names the reason."""
    adjudication: tuple[Adjudication, ...] = ()
    """Derived labels."""
    expectations: tuple[Expectation, ...] = ()
    """What is expected to be found."""
    analyses: tuple[Analysis, ...] = Field(min_length=1)
    """What is computed."""
    slices: tuple[Slice, ...] = ()
    """Attributes to slice by; a list inside the list is a crossing."""
    sensitivity: Sensitivity | None = None
    """Scenarios under which analyses are repeated."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Of all that is random, unless an analysis says its own."""
    governance: Governance = Governance()
    """Statements shown in the report. May be changed after the freeze."""
    reuse: tuple[Reuse, ...] = ()
    """Uses of the judgments beyond this study. May be changed after the freeze."""

    _source: YamlSource = PrivateAttr(default=YamlSource(SPECIFICATION, None, {(): Position(1, 1)}))

    @property
    def source(self) -> YamlSource:
        """The file it was read from, for the line of an error."""
        return self._source

    def read_from(self, source: YamlSource) -> "StudySpec":
        """The same, knowing its file."""
        self._source = source
        return self

    @cached_property
    def criteria(self) -> dict[str, Criterion]:
        """The criteria of the rubric in force, by id."""
        return {criterion.id: criterion for criterion in self.rubric.criteria}

    @cached_property
    def criteria_of_revision(self) -> dict[str, dict[str, Criterion]]:
        """The criteria of every revision of the rubric, by revision and id; the one in force first."""
        revisions = (
            (self.rubric.revision, self.rubric.criteria),
            *((r.revision, r.criteria) for r in self.rubric.earlier),
        )
        return {revision: {criterion.id: criterion for criterion in criteria} for revision, criteria in revisions}

    @cached_property
    def criteria_ever(self) -> dict[str, Criterion]:
        """The criteria of the rubric in force and, behind them, those that only an earlier revision had."""
        earlier = {c.id: c for revision in self.rubric.earlier for c in revision.criteria}
        return self.criteria | {id: c for id, c in earlier.items() if id not in self.criteria}

    @cached_property
    def populations(self) -> dict[str, Population]:
        """The populations, by id."""
        return {population.id: population for population in self.raters.populations}

    @cached_property
    def voters(self) -> tuple[str, ...]:
        """Populations that vote in adjudications and count to a stopping rule: humans, or models where none judges."""
        raters = [population for population in self.raters.populations if not population.adjudicates]
        humans = [population for population in raters if population.kind is RaterKind.HUMAN]
        return tuple(population.id for population in humans or raters)

    @cached_property
    def system_of_blinded(self) -> dict[str, str]:
        """Blinded id to system id. With a `blinding` table, ids in exports are codes of that table instead."""
        return {system.blinded_id: system.id for system in self.systems}

    @cached_property
    def case_attributes(self) -> frozenset[str]:
        """Attributes of cases that exports are declared to give."""
        return frozenset(name for export in self.exports for name in export.attributes.case)

    @cached_property
    def rater_attributes(self) -> frozenset[str]:
        """Attributes of raters that exports are declared to give."""
        return frozenset(
            name for export in self.exports for name in (*export.attributes.rater, *export.columns.attributes)
        )

    @property
    def system_ids(self) -> tuple[str, ...]:
        """System ids in declared order, which orients pairs."""
        return tuple(system.id for system in self.systems)

    @property
    def reference(self) -> str | None:
        """The reference system, where one is declared."""
        return next((system.id for system in self.systems if system.reference), None)

    def criterion(self, id: str) -> Criterion:
        return self.criteria[id]

    def population(self, id: str) -> Population:
        return self.populations[id]

    def analysis(self, id: str) -> Analysis:
        return next(analysis for analysis in self.analyses if analysis.id == id)

    def phase_of(self, export: Export) -> Phase:
        """The phase of an export's judgments."""
        return self.phase if export.phase is None else export.phase

    def order_of(self, population: str, export: Export | None = None) -> CandidateOrder | None:
        """How the order of candidates came about; None where nothing is declared."""
        if export is not None and "candidate_order" in export.not_collected:
            return CandidateOrder.NOT_RECORDED
        return self.populations[population].order or self.assignment.order

    def orders_of(self, population: str) -> set[CandidateOrder | None]:
        """`order_of` over the exports that judgments of a population come in."""
        judged = [e for e in self.exports if e.population == population and e.format != RATER_ATTRIBUTES]
        return {self.order_of(population, export) for export in judged} or {self.order_of(population)}

    def rater_spaces(self, export: Export) -> tuple[tuple[str, str], ...]:
        """Population and namespace of the raters in an export.

        Raw ids are pseudonymised within the namespace. Profiles (format rater_attributes) without a population are of
        all human ones, and without a namespace in that of the judgments they belong to.
        """
        namespace = export.rater_namespace
        if export.format != RATER_ATTRIBUTES:
            return tuple((id, namespace or id) for id in (export.population,) if id is not None)
        humans = (p.id for p in self.raters.populations if p.kind is RaterKind.HUMAN)
        populations = humans if export.population is None else (export.population,)
        return tuple((id, space) for id in populations for space in ((namespace,) if namespace else self._spaces(id)))

    def _spaces(self, population: str) -> tuple[str, ...]:
        """Namespaces of a population's judgments."""
        judged = (e for e in self.exports if e.population == population and e.format != RATER_ATTRIBUTES)
        return tuple(dict.fromkeys(e.rater_namespace or population for e in judged)) or (population,)

    def criteria_of(self, analysis: Analysis) -> tuple[Criterion, ...]:
        """The criteria of an analysis; `all`: those that its method can read, in rubric order."""
        if analysis.criterion != (ALL_CRITERIA,):
            return tuple(self.criteria[id] for id in analysis.criterion)
        return tuple(criterion for criterion in self.rubric.criteria if can_read(analysis.method, criterion))

    def populations_of(self, analysis: AnalysisPart) -> tuple[tuple[str, ...], ...]:
        """The populations an analysis runs over, one after another; more than one in a group: pooled.

        An adjudicated label is of all who voted on it, so that its analysis is of the voters, pooled.
        """
        if analysis.labels != RAW:
            return (self.voters,)
        if analysis.population is not None:
            return (analysis.population,)
        return tuple((p.id,) for p in self.raters.populations if not p.adjudicates)

    def may_judge(self, population: str, criterion: str) -> bool:
        """Whether a population can have judged a criterion: not where tables are all it has, and none holds that one.

        A population that no export is declared of yet may judge anything.
        """
        exports = [e for e in self.exports if e.population in (None, population) and e.format != RATER_ATTRIBUTES]
        return not exports or any(export.may_hold(criterion) for export in exports)

    def pairs_of(self, analysis: AnalysisPart) -> tuple[tuple[str, str], ...]:
        """Declared pairs, or all unordered pairs oriented as in `systems`."""
        pairs = getattr(analysis, "pairs", None)
        if pairs is not None:
            return pairs
        ids = self.system_ids
        return tuple((ids[i], ids[j]) for i in range(len(ids)) for j in range(i + 1, len(ids)))

    def independent_unit_of(self, analysis: AnalysisPart, population: str) -> tuple[str, ...] | None:
        """The analysis's, else the population's, else the claim's; None where none is declared.

        Of adjudicated labels, which have no rater, what is declared beside the rater, else the case.
        """
        unit = analysis.independent_unit or self.populations[population].independent_unit or self.claim.independent_unit
        return unit if analysis.labels == RAW else without_rater(unit or ())

    def seed_of(self, analysis: AnalysisPart) -> int:
        return self.seed if analysis.seed is None else analysis.seed


def without_rater(unit: tuple[str, ...]) -> tuple[str, ...]:
    """The dimensions of an independent unit that an adjudicated label has; the case where only the rater is named."""
    return tuple(name for name in unit if name != "rater") or ("case",)


def can_read(method: str, criterion: Criterion) -> bool:
    """Whether a method is for judgments of a criterion: its protocol, and for ratings its scale."""
    if criterion.protocol not in PROTOCOLS_OF_METHOD[method]:
        return False
    if criterion.protocol is not Protocol.RATING or method not in ("likert", "pass_rates"):
        return True
    nominal = criterion.scale is not None and criterion.scale.measure is Measure.NOMINAL
    return nominal == (method == "pass_rates")


def load_specification(path: Path) -> StudySpec:
    """Read a study specification from a file, or from the `study.yaml` of a folder.

    Raises
    ------
    SpecificationError
        Lists every error with its line, key, what is wrong and what to do.
    """
    # The checks are of this class, so they cannot be imported before it.
    from data_contracts.specification_checks import parse

    return parse(read_yaml(path / SPECIFICATION if path.is_dir() else path))


def parse_specification(text: str, name: str = SPECIFICATION) -> StudySpec:
    """Read a study specification from text, as `load_specification`."""
    from data_contracts.specification_checks import parse

    return parse(parse_yaml(text, name))
