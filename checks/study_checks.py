"""The shape all checks of a study share: partitioned as its assets are."""

import warnings
from collections.abc import Callable
from typing import Any

import dagster as dg

from assets.partitions import studies

Verdict = Callable[..., dg.AssetCheckResult]


def study_check(
    asset: str, *, blocking: bool, name: str | None = None
) -> Callable[[Verdict], dg.AssetChecksDefinition]:
    """Make a check of a function that judges the study of a run; its docstring is the description.

    Notes
    -----
    Dagster 1.13 calls partitioned checks a preview, and says so at every one.
    """

    def decorate(verdict: Verdict) -> dg.AssetChecksDefinition:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.PreviewWarning)
            check: Any = dg.asset_check(
                asset=asset, name=name, blocking=blocking, partitions_def=studies, description=verdict.__doc__
            )
            return check(verdict)

    return decorate
