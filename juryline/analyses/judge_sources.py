"""The queries that give the judgments behind a judge's agreement: of units that the judge and the reference share.

Belongs here: SQL over a stamped view. Does not: any statistic.
"""

from dataclasses import dataclass, replace

from data_contracts.estimates import ALL, Cut
from juryline.analyses.agreement_scope import COMPARISONS, Scope
from juryline.analyses.cuts import source_conditions
from juryline.analyses.side_by_side import UNIT_OF_PAIR_SQL, Members, of_members

_UNIT_OF_OUTPUT_SQL = "case_id, system, coalesce(output, '')"
_TWO_RATERS = "count(DISTINCT rater) >= 2"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSources:
    """The sources of the rows of one cut, which is one of the reference's judgments."""

    scope: Scope
    cut: Cut
    judge: Members
    reference: Members

    def labelled_by_both(self, *of_judge: str) -> str:
        """Ratings of the judge, of which these conditions hold, and of the reference, of units that both rated."""
        judge, reference = [*self._rated_by_judge, *of_judge], self._rated_by_reference
        return _ordered(
            self._records(judge, self._units(reference)),
            self._records(reference, self._units(judge)),
        )

    def among_raters(self) -> str:
        """Ratings of the reference of units that two of its raters and the judge rated."""
        return _ordered(self._reference_of_paired())

    def paired(self) -> str:
        """Ratings of both of units that two raters of the reference and the judge rated."""
        paired = self._units(self._rated_by_reference, having=_TWO_RATERS)
        return _ordered(self._records(self._rated_by_judge, paired), self._reference_of_paired())

    def asked_of_judge(self) -> str:
        """The judge's judgments, whatever became of them, of units that the reference rated."""
        return _ordered(self._records(self._of_judge, self._units(self._rated_by_reference)))

    def _reference_of_paired(self) -> str:
        reference = self._rated_by_reference
        paired = self._units(reference, having=_TWO_RATERS)
        return self._records(reference, self._units(self._rated_by_judge), paired)

    @property
    def _of_judge(self) -> list[str]:
        # The judge's side is not sliced: that its units are those of the reference's slice is enough.
        whole = replace(self.cut, population="+".join(self.judge), slice=ALL, slice_value=ALL)
        return source_conditions(whole, of_members(self.scope.analysis, self.judge), self.scope.spec)

    @property
    def _rated_by_judge(self) -> list[str]:
        return [*self._of_judge, self.scope.rated]

    @property
    def _rated_by_reference(self) -> list[str]:
        given = replace(self.cut, population="+".join(self.reference))
        part = of_members(self.scope.analysis, self.reference)
        return [*source_conditions(given, part, self.scope.spec), self.scope.rated]

    @property
    def _unit(self) -> str:
        if self.scope.name != COMPARISONS:
            return _UNIT_OF_OUTPUT_SQL
        return UNIT_OF_PAIR_SQL + (", system_1" if self.scope.analysis.unit == "presentation" else "")

    def _units(self, conditions: list[str], having: str = "true") -> str:
        chosen = f"SELECT {self._unit} FROM {self.scope.name} WHERE {' AND '.join(conditions)}"
        return f"({self._unit}) IN ({chosen} GROUP BY {self._unit} HAVING {having})"

    def _records(self, conditions: list[str], *units: str) -> str:
        return f"SELECT record_id FROM {self.scope.name} WHERE {' AND '.join([*conditions, *units])}"


def _ordered(*parts: str) -> str:
    return " UNION ALL ".join(parts) + " ORDER BY record_id"
