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

    def beside_labels(self, adjudication: str, of_labels: str) -> str:
        """Ratings of the judge of units that the reference rated too and that have a label, and the labels' sources.

        Parameters
        ----------
        adjudication : str
            Whose labels.
        of_labels : str
            SQL condition of them in the view under scenarios.
        """
        labels, table = [*self._labelled_by(adjudication), of_labels], f"scenario_{self.scope.name}"
        game = replace(
            self, scope=replace(self.scope, analysis=self.scope.analysis.model_copy(update={"unit": "game"}))
        )
        judge, reference = self._rated_by_judge, self._rated_by_reference
        votes = game._records(labels, game._units(judge), game._units(reference), table=table, column="unnest(sources)")
        return _ordered(
            game._records(judge, game._units(reference), game._units(labels, table=table)),
            f"SELECT DISTINCT * FROM ({votes})",
        )

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

    def _labelled_by(self, adjudication: str) -> list[str]:
        whole = replace(self.cut, population="+".join(self.scope.spec.voters), slice=ALL, slice_value=ALL)
        part = self.scope.analysis.model_copy(update={"labels": adjudication})
        return [*source_conditions(whole, part, self.scope.spec), self.scope.rated]

    @property
    def _unit(self) -> str:
        if self.scope.name != COMPARISONS:
            return _UNIT_OF_OUTPUT_SQL
        return UNIT_OF_PAIR_SQL + (", system_1" if self.scope.analysis.unit == "presentation" else "")

    def _units(self, conditions: list[str], *, having: str = "true", table: str = "") -> str:
        chosen = f"SELECT {self._unit} FROM {table or self.scope.name} WHERE {' AND '.join(conditions)}"
        return f"({self._unit}) IN ({chosen} GROUP BY {self._unit} HAVING {having})"

    def _records(self, conditions: list[str], *units: str, table: str = "", column: str = "record_id") -> str:
        chosen = " AND ".join([*conditions, *units])
        return f"SELECT {column} AS record_id FROM {table or self.scope.name} WHERE {chosen}"


def _ordered(*parts: str) -> str:
    return " UNION ALL ".join(parts) + " ORDER BY record_id"
