"""How an asset comes to be: reads its inputs, calls one function, and hands its table to the run.

Belongs here: the shape all assets of a study share, declared once. Does not: what any of them computes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from assets.partitions import checks_by_study, studies
from data_contracts.errors import ContractError, GateError
from data_contracts.tables import Table
from juryline.study.run import Built, StudyRun

OWNERS = ["team:juryline"]

Build = Callable[[StudyRun], Built]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What a table must pass before it is written, as a check of its asset: its name, the error's code, its claim."""

    check: str
    code: str
    says: str

    def spec(self, asset: str) -> dg.AssetCheckSpec:
        with checks_by_study():
            return dg.AssetCheckSpec(
                self.check, asset=asset, blocking=True, partitions_def=studies, description=self.says
            )


CONTRACT = Gate(
    check="contract", code="contract", says="Columns, types, nulls, key and rules of the table are as declared."
)


def derived(
    table: Table,
    *,
    inputs: Sequence[str],
    after: Sequence[str] = (),
    group: str,
    kinds: set[str],
    gates: Sequence[Gate] = (),
    code_version: str = "1",
) -> Callable[[Build], dg.AssetsDefinition]:
    """Make an asset of a function that gives a table of the study.

    Parameters
    ----------
    table : Table
        The table it makes; its name is the asset's.
    inputs : sequence of str
        Assets whose stamped tables it reads, and nothing else.
    after : sequence of str
        Assets that have no table and must have passed.
    group, kinds
        Where Dagster's graph shows it.
    gates : sequence of Gate
        What the function itself refuses by, beside the contract.
    code_version : str
        Raised with every change by which the same inputs can give another table.

    Notes
    -----
    Gates are blocking checks of the asset's own step: their verdict is the one by which it refuses to
    write, so a table that does not pass is recorded as failed and never written.
    """
    checks = {gate.code: gate for gate in (CONTRACT, *gates)}

    def decorate(build: Build) -> dg.AssetsDefinition:
        @dg.asset(
            name=table.name,
            description=f"{table.meaning}.\n\n{build.__doc__}",
            deps=[*inputs, *after],
            group_name=group,
            kinds=kinds,
            owners=OWNERS,
            code_version=code_version,
            partitions_def=studies,
            check_specs=[gate.spec(table.name) for gate in checks.values()],
        )
        def asset(study: dg.ResourceParam[StudyRun]) -> Iterator[Any]:
            from data_contracts.rules import dagster_schema

            try:
                stamp = study.stage(table, inputs, code_version, build)
            except (ContractError, GateError) as error:
                if error.code in checks:
                    broken = {"broken": error.what, "where": error.where, "fix": error.fix}
                    yield dg.AssetCheckResult(check_name=checks[error.code].check, passed=False, metadata=broken)
                raise
            yield dg.MaterializeResult(
                data_version=dg.DataVersion(stamp.content_digest),
                metadata={
                    "dagster/row_count": stamp.n_rows,
                    "dagster/column_schema": dagster_schema(table),
                    "stamp": dg.MetadataValue.path(str(study.stamp_path(table.name))),
                    "specification": study.spec_hash,
                },
                check_results=[dg.AssetCheckResult(check_name=gate.check, passed=True) for gate in checks.values()],
            )

        return asset

    return decorate
