"""`juryline ui` for real: its processes, its pages, and a run that a dropped file starts."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from data_contracts.errors import UsageError
from pipelines.web_interface import serve

PATIENCE = 300.0  # seconds for all of it; it takes about 70 where nothing else runs
PROCESSES = Path("/proc")

LOCATION = "{ workspaceOrError { ... on Workspace { locationEntries { name locationOrLoadError { __typename } } } } }"
RUNS = "{ runsOrError { ... on Runs { results { status jobName tags { key value } } } } }"
TELEMETRY = "{ instance { info } }"


class Interface:
    """`juryline ui` on a workspace, and questions to its GraphQL."""

    def __init__(self, root: Path):
        self.root = root
        self.port = free_port()
        self.deadline = time.monotonic() + PATIENCE
        self.printed, self.said = root.parent / "printed.txt", root.parent / "said.txt"
        environment = {name: text for name, text in os.environ.items() if not name.startswith(("DAGSTER", "JURYLINE"))}
        command = [sys.executable, "-m", "pipelines.command", "ui", "--port", str(self.port)]
        with self.printed.open("w") as printed, self.said.open("w") as said:
            self.process = subprocess.Popen(command, cwd=root, env=environment, stdout=printed, stderr=said)

    def until(self, what: str, ask: Any) -> Any:
        """The first answer that is one."""
        while time.monotonic() < self.deadline:
            answer = ask()
            if answer:
                return answer
            if self.process.poll() is not None:
                break
            time.sleep(1)
        pytest.fail(f"no {what}; juryline ui said:\n{self.said.read_text()[-4000:]}")

    def ask(self, query: str) -> dict[str, Any]:
        address = f"http://127.0.0.1:{self.port}/graphql"
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(address, json.dumps({"query": query}).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            told = json.load(answer)
        assert "errors" not in told, told
        return told["data"]

    def location(self) -> str | None:
        entries = self.ask(LOCATION)["workspaceOrError"]["locationEntries"]
        return entries[0]["name"] if [e["locationOrLoadError"] for e in entries] == [LOADED] else None

    def ended_run(self) -> dict[str, Any] | None:
        runs = self.ask(RUNS)["runsOrError"]["results"]
        return next((run for run in runs if run["status"] in ("SUCCESS", "FAILURE", "CANCELED")), None)

    def stop(self, signum: int) -> int:
        self.process.send_signal(signum)
        return self.process.wait(timeout=120)


LOADED = {"__typename": "RepositoryLocation"}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processes_of(root: Path) -> list[str]:
    """Command lines of the living processes that were started to serve a workspace."""
    served = f"JURYLINE_WORKSPACE={root.resolve()}".encode()
    found = []
    for process in PROCESSES.glob("[0-9]*"):
        try:
            if served in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it has ended
            continue
    return found


@pytest.fixture
def interface(place_of):
    started = []

    def start(place):
        started.append(Interface(place.workspace.root))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.mark.slow
def test_a_dropped_file_is_run_and_nothing_is_left_afterwards(place_of, interface, votes):
    place = place_of("served")
    study = place.study("stories", export=None)
    ui = interface(place)

    address = ui.until("address", ui.printed.read_text)
    location = ui.until("code location", ui.location)
    telemetry = ui.ask(TELEMETRY)["instance"]["info"]
    (study / "exports" / "votes-1.csv").write_text(votes(("ann", "h1", "left"), ("bob", "h2", "right")))
    run = ui.until("run that ended", ui.ended_run)
    tags = {tag["key"]: tag["value"] for tag in run["tags"]}
    serving = processes_of(place.workspace.root)
    status = ui.stop(signal.SIGINT)

    assert address == f"http://127.0.0.1:{ui.port}\n"
    assert location == "juryline"
    assert "telemetry:\n  enabled: false" in telemetry
    assert (run["jobName"], run["status"]) == ("study", "SUCCESS")
    assert (tags["dagster/sensor_name"], tags["dagster/partition"]) == ("drop_folders", "stories")
    assert (study / "reports" / "stories.html").exists()
    assert status == 0
    if PROCESSES.exists():
        assert len(serving) > 2
        assert processes_of(place.workspace.root) == []


@pytest.mark.slow
@pytest.mark.skipif(not PROCESSES.exists(), reason="asks /proc which processes there are, and the kernel to end them")
def test_killing_the_command_ends_what_it_started(place_of, interface):
    place = place_of("killed")
    ui = interface(place)
    ui.until("process of Dagster", lambda: processes_of(place.workspace.root))

    ui.process.kill()
    ui.process.wait()
    while processes_of(place.workspace.root) and time.monotonic() < ui.deadline:
        time.sleep(0.5)

    assert processes_of(place.workspace.root) == []


def test_a_port_that_is_taken_is_refused_before_anything_starts(place_of):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]

        with pytest.raises(UsageError, match=f"port {port}, cannot be listened on") as refusal:
            serve(place_of("refused").workspace, host="127.0.0.1", port=port)

    assert refusal.value.fix == f"juryline ui --port {port + 1}"


def test_the_location_is_the_one_of_a_checkout():
    from pipelines.web_interface import CODE_LOCATION

    checkout = (Path(__file__).parents[2] / "workspace.yaml").read_text(encoding="utf-8")
    declared = [line for line in checkout.splitlines(keepends=True) if not line.startswith("#")]

    assert CODE_LOCATION.decode() == "".join(declared)
