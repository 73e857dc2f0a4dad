"""`mean_rank` of a ranking criterion, one of the rows of a `bradley_terry` analysis (METHODS 6).

Belongs here: the mean over rankings of a system's rank. Does not: strengths, nor how far raters agree on ranks
(`concordance`).
"""

from collections.abc import Iterator

import ibis.expr.types as ir

from data_contracts.estimates import Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import BradleyTerry
from data_contracts.vocabulary import Reason, Statistic, Unit
from juryline.analyses.comparisons import Counts, clustered_by, count_by_system
from juryline.analyses.cuts import source_query, sql_text
from juryline.analyses.labelling import labelled
from juryline.analyses.rankings import COMPLETE, VIEW, read_rankings
from juryline.estimators.dense_codes import n_distinct
from juryline.estimators.likert import estimate_mean


def mean_rank_rows(cut: Cut, judgments: ir.Table, analysis: BradleyTerry, spec: StudySpec) -> Iterator[Estimate]:
    """A row a system: its mean mid-rank, 1 the best, over the rankings in which every output shown has a rank.

    Notes
    -----
    Rankings of different numbers of outputs count alike, each with its own ranks.
    """
    rankings = read_rankings(judgments, clustered_by(analysis, spec, cut.population), spec)
    longest = max(int(rankings.shown.sum(axis=1).max(initial=0)), 2)
    counts = count_by_system(judgments)
    for code, system in enumerate(spec.system_ids):
        of = rankings.of(code)
        result = estimate_mean(
            of.ranks(code), of.clusters, level=analysis.confidence, scale_range=longest - 1, bounds=(1, longest)
        )
        yield labelled(
            cut,
            Statistic.MEAN_RANK,
            Unit.RANK,
            result.mean,
            subject=system,
            interval=result.interval,
            reason=(Reason.INCOMPLETE_LEFT_OUT,) if rankings.n_incomplete else (),
            source=source_query(cut, VIEW, analysis, spec, f"system = {sql_text(system)} AND {COMPLETE}"),
            n_judgments=len(of),
            n_units=len(of),
            n_cases=n_distinct(of.case),
            n_raters=n_distinct(of.rater),
            states=counts.get(system, Counts()).states,
        )
