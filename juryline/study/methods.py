"""What each method reads, and where its rows are made: `juryline.analyses.METHOD` has `METHOD_rows`, which takes the
analysis, the specification and the method's table, or a mapping of tables by name where it reads several.

Belongs here: the tables of a method. Does not: any analysis, which is imported only when its rows are wanted.
"""

from collections.abc import Mapping
from importlib import import_module

import ibis.expr.types as ir

from data_contracts.estimates import Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Analysis

READS: dict[str, tuple[str, ...]] = {
    "spa": ("spa_answers",),
    "likert": ("ratings",),
    "pass_rates": ("ratings",),
    "win_rates": ("comparisons",),
    "elo": ("comparisons",),
    "bradley_terry": ("comparisons",),
    "agreement": ("comparisons", "ratings", "assignments"),
    "order_effects": ("comparisons",),
    "length_effects": ("comparisons", "output_lengths"),
    "judge_agreement": ("comparisons", "ratings", "scenario_comparisons", "scenario_ratings"),
    "recalibration": ("comparisons", "output_lengths"),
}


def rows_of(analysis: Analysis, spec: StudySpec, tables: Mapping[str, ir.Table]) -> list[Estimate]:
    """The estimates of one analysis, from the tables that its method reads."""
    module = import_module(f"juryline.analyses.{analysis.method}")
    read = {name: tables[name] for name in READS[analysis.method]}
    rows: list[Estimate] = getattr(module, f"{analysis.method}_rows")(
        analysis, spec, read if len(read) > 1 else next(iter(read.values()))
    )
    return rows
