"""What collection is expected to look like, as data; Great Expectations judges a study's profile by it.

It warns and stops nothing: days that look odd are for people to explain. It sees the profile, a row a
day, criterion and population, and tells of these; no rater, and no answer of one, comes into it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dagster as dg

from checks.study_checks import study_check
from data_contracts.tables import JUDGMENT_PROFILE
from juryline.study.run import StudyRun

PLACES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Expected:
    """One expectation: what it says to people, and its type and arguments in Great Expectations."""

    says: str
    type: str
    of: Mapping[str, Any]


# A row is a day, criterion and population. `mostly`: some have a handful of judgments, of which any share is large.
SUITE = (
    Expected("there are judgments", "expect_table_row_count_to_be_between", {"min_value": 1}),
    Expected(
        "in nine rows of ten at most a fifth of the judgments have no answer",
        "expect_column_values_to_be_between",
        {"column": "share_missing", "max_value": 0.2, "mostly": 0.9},
    ),
    Expected(
        "in nine rows of ten raters abstain from at most three judgments of ten",
        "expect_column_values_to_be_between",
        {"column": "share_abstain", "max_value": 0.3, "mostly": 0.9},
    ),
    Expected(
        "in nine rows of ten evidence suffices for at least seven judgments of ten",
        "expect_column_values_to_be_between",
        {"column": "share_unknown", "max_value": 0.3, "mostly": 0.9},
    ),
    Expected(
        "in no row is more than a tenth of the answers outside the response set",
        "expect_column_values_to_be_between",
        {"column": "share_invalid", "max_value": 0.1},
    ),
    Expected(
        "in every row with times the median judgment takes between a second and an hour",
        "expect_column_values_to_be_between",
        {"column": "median_seconds", "min_value": 1, "max_value": 3600},
    ),
)


@study_check("judgment_profile", blocking=False)
def collection_as_expected(study: dg.ResourceParam[StudyRun]) -> dg.AssetCheckResult:
    """Shares of missing, abstained, unknown and invalid answers and the time taken are as an audit expects them."""
    profile = study.engine.backend.to_pyarrow(study.table("judgment_profile")).to_pandas()
    failed = failures(profile)
    return dg.AssetCheckResult(
        passed=not failed,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"failed": failed, "n_expectations": len(SUITE), "n_profiled": len(profile)},
    )


def failures(profile: Any) -> list[dict[str, Any]]:
    """Each expectation that a profile, as a pandas frame, does not meet, and the first rows that do not.

    Raises
    ------
    RuntimeError
        An expectation cannot be evaluated.
    """
    told = []
    for expected, result in zip(SUITE, _validated(profile)):
        # One account, or where a metric failed one a metric.
        told_of = result.exception_info
        accounts = [told_of] if "raised_exception" in told_of else told_of.values()
        errors = sorted({account["exception_message"] for account in accounts if account["raised_exception"]})
        if errors:
            raise RuntimeError(f"{expected.type} could not be evaluated: " + "; ".join(errors))
        if not result.success:
            places = result.result.get("unexpected_index_list") or []
            told.append(
                {
                    "expected": expected.says,
                    "type": expected.type,
                    "n_unexpected": len(places),
                    "where": [{key: place[key] for key in JUDGMENT_PROFILE.key} for place in places[:PLACES_SHOWN]],
                }
            )
    return told


def _validated(profile: Any) -> list[Any]:
    """Results of the suite, in its order."""
    import os

    # Read when it is imported; afterwards it has told its makers already.
    os.environ["GX_ANALYTICS_ENABLED"] = "False"
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("profile").add_dataframe_asset("profile")
    batch = asset.add_batch_definition_whole_dataframe("profile").get_batch({"dataframe": profile})
    wanted = {"result_format": "COMPLETE", "unexpected_index_column_names": list(JUDGMENT_PROFILE.key)}
    return [
        batch.validate(ExpectationConfiguration(type=e.type, kwargs=dict(e.of)).to_domain_obj(), result_format=wanted)
        for e in SUITE
    ]
