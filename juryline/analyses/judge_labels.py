"""A judge beside the labels of an adjudication, which are read as if one more rater had given them.

Belongs here: which labels a judge is held against, and the judgments behind them. Does not: how a label is settled, nor
any statistic.
"""

from dataclasses import dataclass, replace

import ibis.expr.types as ir

from data_contracts.estimates import Cut
from juryline.analyses.agreement_scope import COMPARISONS
from juryline.analyses.cuts import sql_text
from juryline.analyses.judge_sides import JudgeScope, Sides
from juryline.analyses.judge_sources import JudgeSources
from juryline.analyses.side_by_side import UNIT_OF_PAIR, with_unit_of_pair

_UNIT_OF_OUTPUT = ("case_id", "system", "unit_output")


@dataclass(frozen=True)
class SettledLabels:
    """The labels of an adjudication of units that the judge and the reference rated.

    Parameters
    ----------
    held, cut, given, by_judge
        Of the row: the reference's judgments of the cut, and the judge's.
    adjudication : str
    labels : ibis Table
        The view under scenarios, of which those with this adjudication are its labels.
    """

    held: JudgeScope
    cut: Cut
    given: ir.Table
    by_judge: ir.Table
    adjudication: str
    labels: ir.Table

    def read(self) -> tuple[Sides, int]:
        """The judge's judgments beside the labels, and how many judgments the labels were derived from.

        A label has no order on the screen, so its unit is the pair of outputs, whatever the analysis declares.
        """
        labels = self._labels()
        game = self.held.scope.analysis.model_copy(update={"unit": "game"})
        held = replace(self.held, scope=replace(self.held.scope, analysis=game))
        shape = self.held.scope.view.schema()
        sides = held.read(self.cut, self.by_judge, labels.select(*shape.names).cast(shape), self.by_judge.rater)
        votes = labels.select(vote=labels.sources.unnest()).distinct().count().to_pyarrow().as_py()
        return sides, votes

    def source(self, sources: JudgeSources) -> str:
        """SQL of the judge's judgments and of the judgments that the labels were derived from."""
        names = self._of_adjudication().select("scenario").distinct().order_by("scenario").to_pyarrow()
        scenarios = ", ".join(sql_text(name) for name in names["scenario"].to_pylist()) or "NULL"
        return sources.beside_labels(self.adjudication, f"scenario IN ({scenarios})")

    def _labels(self) -> ir.Table:
        settled = self._with_unit(self._rated(self._of_adjudication()))
        for side in (self._rated(self.given), self._rated(self.by_judge)):
            settled = settled.semi_join(self._with_unit(side), list(self._unit))
        return settled

    def _of_adjudication(self) -> ir.Table:
        labels = self.labels
        return labels.filter(
            labels.scenario.endswith(f";adjudication={self.adjudication}"),
            labels.criterion == self.cut.criterion,
            labels.item_kind.isin([str(kind) for kind in self.held.scope.analysis.include]),
        )

    def _rated(self, judgments: ir.Table) -> ir.Table:
        return judgments.filter(judgments.state.isin(self.held.scope.rated_states))

    @property
    def _unit(self) -> tuple[str, ...]:
        return UNIT_OF_PAIR if self.held.scope.name == COMPARISONS else _UNIT_OF_OUTPUT

    def _with_unit(self, judgments: ir.Table) -> ir.Table:
        if self.held.scope.name == COMPARISONS:
            return with_unit_of_pair(judgments)
        return judgments.mutate(unit_output=judgments.output.fill_null(""))
