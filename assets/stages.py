"""How an asset comes to be: reads its inputs, calls one function, and hands its table to the run.

Belongs here: the shape all assets of a study share, declared once. Does not: what any of them computes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import dagster as dg

from assets.partitions import checks_by_study, studies
from data_contracts.errors import ContractError
from data_contracts.tables import Table
from juryline.study.run import StudyRun

OWNERS = ["team:juryline"]
CONTRACT = "contract"

Build = Callable[[StudyRun], Any]


def derived(
    table: Table, *, inputs: Sequence[str], group: str, kinds: set[str], code_version: str = "1"
) -> Callable[[Build], dg.AssetsDefinition]:
    """Make an asset of a function that gives a table of the study.

    Parameters
    ----------
    table : Table
        The table it makes; its name is the asset's.
    inputs : sequence of str
        Assets whose stamped tables it reads, and nothing else.
    group, kinds
        Where Dagster's graph shows it.
    code_version : str
        Raised with every change by which the same inputs can give another table.

    Notes
    -----
    The contract is a blocking check of the asset's own step: its verdict is the one by which `stage`
    refuses to write, so a table that breaks it is recorded as failed and never written.
    """

    with checks_by_study():
        contract = dg.AssetCheckSpec(
            CONTRACT,
            asset=table.name,
            blocking=True,
            partitions_def=studies,
            description="Columns, types, nulls, key and rules are as declared.",
        )

    def decorate(build: Build) -> dg.AssetsDefinition:
        @dg.asset(
            name=table.name,
            description=f"{table.meaning}.\n\n{build.__doc__}",
            deps=list(inputs),
            group_name=group,
            kinds=kinds,
            owners=OWNERS,
            code_version=code_version,
            partitions_def=studies,
            check_specs=[contract],
        )
        def asset(study: dg.ResourceParam[StudyRun]) -> Iterator[Any]:
            try:
                stamp = study.stage(table, inputs, code_version, build)
            except ContractError as error:
                yield dg.AssetCheckResult(check_name=CONTRACT, passed=False, metadata={"broken": error.what})
                raise
            yield dg.MaterializeResult(
                data_version=dg.DataVersion(stamp.content_digest),
                metadata={
                    "dagster/row_count": stamp.n_rows,
                    "stamp": dg.MetadataValue.path(str(study.stamp_path(table.name))),
                    "specification": study.spec_hash,
                },
                check_results=[dg.AssetCheckResult(check_name=CONTRACT, passed=True)],
            )

        return asset

    return decorate
