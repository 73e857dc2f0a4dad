"""The code location as Dagster loads it; run as a script, this writes down the asset graph that a test agrees to."""

import difflib
import json
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.definitions import build_defs, defs

AGREED = Path(__file__).with_name("asset_graph.json")


def asset_graph() -> dict[str, Any]:
    """What a person sees of each asset in Dagster: where it stands, what it is, who judges it."""
    graph = defs.resolve_asset_graph()
    return {
        key.to_user_string(): {
            "group": graph.get(key).group_name,
            "deps": sorted(parent.to_user_string() for parent in graph.get(key).parent_keys),
            "kinds": sorted(graph.get(key).kinds),
            "owners": sorted(graph.get(key).owners),
            "partitions": graph.get(key).partitions_def.name,
            "code_version": graph.get(key).code_version,
            "description": graph.get(key).description,
            "checks": {
                check.name: {
                    "blocking": spec.blocking,
                    "partitions": spec.partitions_def.name,
                    "says": spec.description,
                }
                for check in sorted(graph.get(key).check_keys)
                for spec in [graph.get_check_spec(check)]
            },
        }
        for key in sorted(graph.get_all_asset_keys())
    }


def written(graph: dict[str, Any]) -> str:
    return json.dumps(graph, indent=2, ensure_ascii=False) + "\n"


def selected(job: str) -> set[str]:
    return {key.to_user_string() for key in defs.resolve_job_def(job).asset_layer.selected_asset_keys}


def test_the_definitions_are_whole():
    dg.Definitions.validate_loadable(defs)

    assert [job.name for job in defs.jobs] == ["study", "audit"]


def test_the_asset_graph_is_the_one_agreed():
    agreed, now = AGREED.read_text(encoding="utf-8"), written(asset_graph())
    changes = difflib.unified_diff(
        agreed.splitlines(), now.splitlines(), AGREED.name, "pipelines.definitions", "", "", 3
    )

    assert agreed == now, (
        "the asset graph has changed:\n\n"
        + "\n".join(changes)
        + "\n\nIf that is meant, write it down: python tests/pipeline/test_definitions.py"
    )


def test_every_asset_and_check_says_what_it_is_and_whose():
    graph = asset_graph()
    assert graph, "no assets"
    dumb = [
        name
        for name, asset in graph.items()
        if not (asset["description"] and asset["kinds"] and asset["owners"] and asset["group"] != "default")
        or not all(check["says"] for check in asset["checks"].values())
    ]

    assert dumb == []


def test_every_asset_and_check_is_of_a_study():
    of = {asset["partitions"] for asset in asset_graph().values()}
    checked = {check["partitions"] for asset in asset_graph().values() for check in asset["checks"].values()}

    assert of == checked == {"study"}


def test_the_audit_is_a_job_of_its_own():
    everything = set(asset_graph())

    assert selected("audit") == {"judgment_profile"}
    assert selected("study") == everything - {"judgment_profile"}


def test_the_steps_of_a_run_share_a_process():
    assert {defs.resolve_job_def(job.name).executor_def.name for job in defs.jobs} == {"in_process"}


def test_drop_folders_are_watched_without_anybody_turning_it_on():
    sensor, schedule = defs.resolve_sensor_def("drop_folders"), defs.resolve_schedule_def("daily")

    assert sensor.default_status is dg.DefaultSensorStatus.RUNNING
    assert sensor.job_name == schedule.job_name == "study"
    assert schedule.cron_schedule == "0 5 * * *"
    assert sensor.description
    assert schedule.description


def test_a_caller_gives_a_resource_of_its_own():
    own = dg.ResourceDefinition.hardcoded_resource("a study that is open already")

    assert build_defs(study=own).resources["study"] is own


if __name__ == "__main__":
    AGREED.write_text(written(asset_graph()), encoding="utf-8")
