"""The judgments of a judge and of its reference side by side, as codes: which units both rated, and by whom.

Belongs here: reading two populations for `judge_agreement` without pooling them. Does not: any statistic or row.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import ibis.expr.types as ir
import numpy as np

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Agreement, JudgeAgreement
from data_contracts.vocabulary import State
from juryline.analyses.agreement_judgments import Judgments
from juryline.analyses.agreement_scope import Scope
from juryline.analyses.cuts import criteria, cuts
from juryline.analyses.side_by_side import JUDGE, REFERENCE, Members, of_members
from juryline.estimators.judge_agreement import JudgedUnits, match_units

JOIN = "/"  # what stands before the first one is the side, whatever the rater is called


def as_agreement(analysis: JudgeAgreement, spec: StudySpec) -> Agreement:
    """The analysis as one of agreement, of the judge's population: units and labels are read the same way."""
    return Agreement(
        id=analysis.id,
        method="agreement",
        criterion=tuple(criterion.id for criterion in criteria(analysis, spec)),
        population=(analysis.judge,),
        include=analysis.include,
        labels=analysis.labels,
        independent_unit=analysis.independent_unit,
        confidence=analysis.confidence,
        rounds=analysis.rounds,
        seed=analysis.seed,
        unit=analysis.unit,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScope:
    """A judge and the populations it is held against, on the criteria that one view has.

    `scope` is that of the judge's population.
    """

    scope: Scope
    judge: Members
    reference: Members

    def refuse_different_clusters(self) -> None:
        """Stop where the judge and its reference declare clusters that are not the same."""
        analysis = self.scope.analysis
        of_each = {
            replace(self.scope, analysis=of_members(analysis, (member,))).cluster(member)
            for member in (*self.judge, *self.reference)
        }
        if len(of_each) > 1:
            raise SpecificationError(
                f"analysis {analysis.id}: its populations declare different independent units",
                where=f"study.yaml, analyses, {analysis.id}",
                fix="set independent_unit in the analysis",
            )

    def of_judge(self) -> dict[str, ir.Table]:
        """All the judge's judgments by criterion."""
        unsliced = self.scope.spec.model_copy(update={"slices": ()})
        return {cut.criterion: judgments for cut, judgments in cuts(self.scope.analysis, unsliced, self.scope.view)}

    def cuts(self, analysis: JudgeAgreement) -> Iterator[tuple[Cut, ir.Table, ir.Table]]:
        """Every cut with the reference's judgments of it, and the judge's of its criterion."""
        by_judge = self.of_judge()
        of_reference = of_members(self.scope.analysis, self.reference)
        for cut, given in cuts(of_reference, self.scope.spec, self.scope.view):
            yield replace(cut, method=analysis.method, population=analysis.judge), given, by_judge[cut.criterion]

    def read(self, cut: Cut, judge: ir.Table, reference: ir.Table, name: ir.StringValue) -> "Sides":
        """The judgments of a cut.

        Parameters
        ----------
        name : ibis StringValue
            What the judge's raters are called, a column of `judge`; judgments in which it is null are left out.
        """
        named = judge.mutate(rater=JUDGE + JOIN + name)
        other = reference.mutate(rater=REFERENCE + JOIN + reference.rater)
        return Sides(self.scope.read(named.filter(named.rater.notnull()).union(other), cut))


@dataclass(frozen=True, eq=False)
class Sides:
    """Judgments of a judge and of its reference, an entry each as in `Judgments`."""

    judgments: Judgments

    @cached_property
    def in_judge(self) -> np.ndarray:
        """Whether each rater is the judge's."""
        return self._named(JUDGE)

    @cached_property
    def of_judge(self) -> np.ndarray:
        """Whether each judgment is the judge's."""
        return self.in_judge[self.judgments.rater]

    @cached_property
    def shared(self) -> np.ndarray:
        """Whether each judgment is a rating of a unit that both sides rated."""
        both = self.judgments
        units = np.intersect1d(both.unit[both.rated & self.of_judge], both.unit[both.rated & ~self.of_judge])
        return both.rated & np.isin(both.unit, units)

    @cached_property
    def paired(self) -> np.ndarray:
        """Of these, whether it is of a unit that two raters of the reference rated."""
        both, human = self.judgments, self.shared & ~self.of_judge
        cells = np.unique(np.stack([both.unit[human], both.rater[human]]), axis=1)
        units, raters = np.unique(cells[0], return_counts=True)
        return self.shared & np.isin(both.unit, units[raters >= 2])

    @cached_property
    def asked(self) -> np.ndarray:
        """Whether each judgment is the judge's, in whatever state, of a unit that the reference rated."""
        both = self.judgments
        return self.of_judge & np.isin(both.unit, both.unit[both.rated & ~self.of_judge])

    def units(self) -> JudgedUnits:
        """The units that both sides rated; clusters keep the codes of the judgments, also after `of_batches`."""
        both = self.judgments
        first = np.unique(both.unit[both.rated], return_index=True)[1]
        return match_units(both.ratings().ratings, both.cluster[both.rated][first], self.in_judge)

    def answered(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each unit that the judge was asked: the share of its judgments that are ratings, and the cluster."""
        asked = self.judgments.only(self.asked)
        _, first, unit = np.unique(asked.unit, return_index=True, return_inverse=True)
        rated, given = (np.bincount(unit, weights=n) for n in (asked.count * asked.rated, asked.count))
        return rated / given, asked.cluster[first]

    def of_batches(self, *places: int) -> "Sides":
        """The judge's judgments whose raters' names begin with these places, and all of the reference."""
        chosen = self._named(REFERENCE)
        for place in places:
            chosen = chosen | self._named(f"{JUDGE}{JOIN}{place}")
        return Sides(self.judgments.of_raters(np.flatnonzero(chosen).tolist()))

    def counts(self, kept: np.ndarray) -> dict[str, Any]:
        """Columns of `estimates` about the ratings kept."""
        return self.judgments.only(kept).counts() | {"states": self._states()}

    def _states(self) -> dict[State, int]:
        """States of all judgments of units that both sides were given."""
        both = self.judgments
        units = np.intersect1d(both.unit[self.of_judge], both.unit[~self.of_judge])
        return both.only(np.isin(both.unit, units)).states()

    def _named(self, side: str) -> np.ndarray:
        return np.array([rater.startswith(side + JOIN) for rater in self.judgments.raters], dtype=bool)
