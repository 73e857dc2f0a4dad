"""Studies small enough to run while one waits, and what Dagster's daemon has and a command has not."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from juryline.ledger.workspace import Workspace
from pipelines.resources import WORKSPACE_VARIABLE

SPECIFICATION = """\
juryline: 1
study: {slug}
systems: [{{id: davinci}}, {{id: curie}}]
rubric:
  criteria:
    - {{id: overall, protocol: pairwise, question: Which story is better?}}
raters: {{unique: true, populations: [{{id: crowd, kind: human}}]}}
exports:
  - match: "votes-*.csv"
    format: table
    read: {{as: csv}}
    population: crowd
    columns:
      rater: worker
      case: prompt
      candidate_1: left
      candidate_2: right
      labels: {{overall: winner}}
      submission_id: hit
      started_at: opened
      submitted_at: saved
    labels:
      overall: {{left: candidate_1, right: candidate_2, same: tie, pass: abstain, "": missing}}
analyses:
  - {{id: wins, method: win_rates, criterion: overall}}
"""
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def export_of(*answers: tuple[str, str, str], seconds: float = 30) -> str:
    """An export of (worker, hit, winner), a prompt and a minute each, every answer taking as long."""
    lines = ["worker,hit,prompt,left,right,winner,opened,saved"]
    for place, (worker, hit, winner) in enumerate(answers):
        opened = NOON + timedelta(minutes=place)
        saved = opened + timedelta(seconds=seconds)
        lines.append(f"{worker},{hit},p{place},davinci,curie,{winner},{opened.isoformat()},{saved.isoformat()}")
    return "\n".join(lines) + "\n"


THREE_RATERS = export_of(("ann", "h1", "left"), ("bob", "h2", "right"), ("cleo", "h3", "left"))


@pytest.fixture(scope="session")
def votes() -> Callable[..., str]:
    return export_of


@dataclass(frozen=True)
class Place:
    """A workspace with studies in it."""

    workspace: Workspace

    def study(self, slug: str, export: str | None = THREE_RATERS, specification: str = SPECIFICATION) -> Path:
        """Make a study, its export dropped unless there is none."""
        folder = self.workspace.root / slug
        (folder / "exports").mkdir(parents=True)
        (folder / "study.yaml").write_text(specification.format(slug=slug), encoding="utf-8")
        if export is not None:
            (folder / "exports" / "votes-1.csv").write_text(export, encoding="utf-8")
        return folder


@pytest.fixture(scope="session")
def place_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Place]:
    """Makes a workspace of a name, below a folder whose name has a space in it."""
    return lambda name: Place(Workspace.create(tmp_path_factory.mktemp("a place") / name))


@dataclass(frozen=True)
class Daemon:
    """An instance that serves a workspace, as the daemon's runs see it: the study is opened by the run's resource."""

    place: Place
    instance: dg.DagsterInstance

    def run(self, slug: str, job: str = "study") -> dg.ExecuteInProcessResult:
        from assets.partitions import studies
        from pipelines.definitions import defs

        self.instance.add_dynamic_partitions(studies.name, [slug])
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv(WORKSPACE_VARIABLE, str(self.place.workspace.root))
            return defs.resolve_job_def(job).execute_in_process(
                instance=self.instance, partition_key=slug, raise_on_error=False, run_config=QUIET
            )


@pytest.fixture(scope="session")
def daemon(place_of: Callable[[str], Place]) -> Iterator[Daemon]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Daemon(place_of("daemon"), instance)


@pytest.fixture(scope="session")
def finished(daemon: Daemon) -> dg.ExecuteInProcessResult:
    """One whole run of the study `voted`."""
    daemon.place.study("voted")
    return daemon.run("voted")
