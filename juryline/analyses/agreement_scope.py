"""What an agreement analysis reads: its criteria by protocol view, their labels, clusters and rounds.

Belongs here: which judgments are read how, and every declaration of the analysis that is refused as a whole.
Does not: choosing coefficients, or rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ibis.expr.types as ir

from data_contracts.errors import SpecificationError
from data_contracts.estimates import Cut
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import RAW, Agreement
from data_contracts.specification_rubric import Criterion
from data_contracts.vocabulary import ItemKind, Protocol, State, Status
from juryline.analyses.agreement_judgments import Judgments, read_comparisons, read_ratings
from juryline.analyses.agreement_labels import LabelSet, label_set, reads_comparisons
from juryline.analyses.cuts import (
    POOLED,
    criteria,
    independent_unit,
    pools,
    source_query,
    sql_text,
)
from juryline.analyses.shown_order import why_order_unknown
from juryline.estimators.agreement_interval import Resampling
from juryline.estimators.quantity import Quantity

COMPARISONS, RATINGS = "comparisons", "ratings"
CASE, RATER = "case", "rater"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scope:
    """The criteria of an analysis that one protocol view holds.

    Attributes
    ----------
    analysis : Agreement
        Restricted to those criteria.
    seen : mapping of criterion id to states
        States of any judgment of a criterion.
    """

    analysis: Agreement
    spec: StudySpec
    name: str
    view: ir.Table
    seen: Mapping[str, frozenset[State]]

    def criteria(self, cut: Cut) -> list[Criterion]:
        """Criteria that a cut is of; several where it is pooled."""
        every = criteria(self.analysis, self.spec)
        return every if cut.criterion == POOLED else [criterion for criterion in every if criterion.id == cut.criterion]

    def labels(self, cut: Cut) -> LabelSet:
        """Labels of the criteria of a cut."""
        of_cut = self.criteria(cut)
        states = frozenset[State]().union(*(self.seen.get(criterion.id, frozenset()) for criterion in of_cut))
        return label_set(of_cut, self.analysis, self.spec, states)

    def read(self, judgments: ir.Table, cut: Cut) -> Judgments:
        """Judgments of a cut as codes."""
        labels, cluster = self.labels(cut), self.cluster(cut.population)
        ranked = any(criterion.protocol is Protocol.RANKING for criterion in self.criteria(cut))
        if self.name == RATINGS:
            return read_ratings(judgments, self.spec, labels, cluster, ranked=ranked)
        by_presentation = self.analysis.unit == "presentation"
        return read_comparisons(judgments, self.spec, labels, cluster, by_presentation=by_presentation, ranked=ranked)

    def cluster(self, population: str) -> str:
        """What moves together in the bootstrap: the case, or the case attribute declared as independent unit.

        Raters are held fixed, so a declared rater is left out here; `raters: random` is what adds them.
        """
        units = independent_unit(self.analysis, self.spec, population)
        return next((unit for unit in units if unit != RATER), CASE)

    def resampling(self) -> Resampling:
        """How intervals are made."""
        analysis = self.analysis
        return Resampling(
            level=analysis.confidence,
            rounds=analysis.rounds,
            seed=self.spec.seed_of(analysis),
            analysis=analysis.id,
            percentile=analysis.interval is not None and analysis.interval.method == "percentile",
            random_raters=analysis.raters == "random",
        )

    def holds(self, kind: ItemKind) -> bool:
        """Whether any judgment of the criteria is of such an item."""
        ids = [criterion.id for criterion in criteria(self.analysis, self.spec)]
        of_kind = self.view.filter(self.view.criterion.isin(ids), self.view.item_kind == str(kind))
        return bool(of_kind.count().to_pyarrow().as_py())

    @property
    def oriented(self) -> bool:
        """Whether coefficients that depend on the order of `systems` are given too."""
        return self.analysis.orientation == "declared"

    def units_known(self, judgments: Judgments) -> bool:
        """Whether each judgment's unit is known: a presentation needs the order shown."""
        return judgments.order_known or self.analysis.unit == "game"

    def unit_unknown(self, members: Sequence[str]) -> Quantity:
        """What stands where the unit of some judgments of populations is not known."""
        return Quantity.missing(Status.NOT_ESTIMABLE, *why_order_unknown(members, self.spec))

    def source(self, cut: Cut, *conditions: str, analysis: Agreement | None = None) -> str:
        """SQL of the judgments that a row is of."""
        return source_query(cut, self.name, analysis or self.analysis, self.spec, " AND ".join(conditions))

    @property
    def rated_states(self) -> list[State]:
        """States of a rating."""
        drawn = [State.TIE, State.BOTH_FAIL] if self.name == COMPARISONS else []
        return [State.ANSWERED, *drawn, *self.analysis.as_category]

    @property
    def rated(self) -> str:
        """SQL condition of a rating."""
        return f"state IN ({', '.join(map(sql_text, self.rated_states))})"


def populations_of(analysis: Agreement) -> tuple[str, str] | None:
    """The two populations an analysis is between; None where it is between raters."""
    return None if isinstance(analysis.between, str) else analysis.between


def scopes(analysis: Agreement, spec: StudySpec, views: Mapping[str, ir.Table]) -> list[Scope]:
    """The views that an analysis reads, each with its criteria: comparisons, then ratings.

    Raises
    ------
    SpecificationError
        A declaration that agreement refuses.
    """
    _refuse(analysis)
    found = []
    for name in (COMPARISONS, RATINGS):
        ids = tuple(
            criterion.id
            for criterion in criteria(analysis, spec)
            if reads_comparisons(criterion, analysis) == (name == COMPARISONS)
        )
        if ids:
            part = analysis.model_copy(update={"criterion": ids})
            seen = _seen(views[name], ids)
            found.append(Scope(analysis=part, spec=spec, name=name, view=views[name], seen=seen))
    if pools(analysis) and len(found) > 1:
        raise SpecificationError(
            f"analysis {analysis.id}: pool: true over pairs of outputs and single outputs",
            where=f"study.yaml, analyses, {analysis.id}, pool",
            fix="declare one analysis of each",
        )
    return found


def _seen(view: ir.Table, ids: tuple[str, ...]) -> dict[str, frozenset[State]]:
    chosen = view.filter(view.criterion.isin(ids)).select("criterion", "state").distinct()
    states: dict[str, set[State]] = {id: set() for id in ids}
    for row in chosen.to_pyarrow().to_pylist():
        states[row["criterion"]].add(State(row["state"]))
    return {id: frozenset(found) for id, found in states.items()}


def _refuse(analysis: Agreement) -> None:
    if analysis.labels != RAW:
        raise _refusal(analysis, "labels", "agreement is of what raters said, never of adjudicated labels")
    if analysis.independent_unit is not None and RATER in analysis.independent_unit:
        what = "raters are never resampled: two copies of one rater agree with themselves"
        raise _refusal(analysis, "independent_unit", what, "use independent_unit: case; raters: random adds raters")
    if analysis.interval is not None and analysis.interval.method == "percentile" and analysis.raters == "random":
        what = (
            "raters: random adds a variance to that of the rounds, and percentiles of the rounds have no place for it"
        )
        raise _refusal(analysis, "interval", what, "use interval: {method: bootstrap}, or raters: fixed")
    if populations_of(analysis) is None:
        return
    if analysis.raters == "random":
        what = "raters: random is the spread over the raters of one population, and this analysis is between two"
        raise _refusal(analysis, "raters", what, "use raters: fixed")
    for key in ("population", "metrics", "rater_pairs"):
        if getattr(analysis, key):
            raise _refusal(analysis, key, f"{key} has no meaning between two populations")


def _refusal(analysis: Agreement, key: str, what: str, fix: str = "") -> SpecificationError:
    return SpecificationError(
        f"analysis {analysis.id}: {what}",
        where=f"study.yaml, analyses, {analysis.id}, {key}",
        fix=fix or f"remove {key} from the analysis",
    )
