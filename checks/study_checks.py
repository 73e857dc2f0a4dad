"""The shape all checks of a study share: partitioned as its assets are."""

from collections.abc import Callable
from typing import Any

import dagster as dg

from assets.partitions import checks_by_study, studies

Verdict = Callable[..., dg.AssetCheckResult]


def study_check(
    asset: str, *, blocking: bool, name: str | None = None
) -> Callable[[Verdict], dg.AssetChecksDefinition]:
    """Make a check of a function that judges the study of a run; its docstring is the description."""

    def decorate(verdict: Verdict) -> dg.AssetChecksDefinition:
        with checks_by_study():
            check: Any = dg.asset_check(
                asset=asset, name=name, blocking=blocking, partitions_def=studies, description=verdict.__doc__
            )
            return check(verdict)

    return decorate
