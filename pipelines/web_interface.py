"""Dagster's web interface and daemon on one workspace, as processes that end with this one."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from data_contracts.errors import TryAgainError, UsageError
from juryline.ledger.files import write_atomically
from juryline.ledger.lock import study_lock
from juryline.ledger.workspace import Workspace
from pipelines import printing
from pipelines.lost_runs import end_lost_runs
from pipelines.resources import WORKSPACE_VARIABLE

# The same as workspace.yaml of a checkout, which an installation does not have: the name of the location
# is part of what the sensor and its cursor are known by.
CODE_LOCATION = b"""\
load_from:
  - python_module:
      module_name: pipelines.definitions
      location_name: juryline
"""

DAGSTER_DEV = ("-W", "ignore:Function `dev_command` is superseded", "-m", "dagster", "dev")
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE = 60.0  # seconds that services have for ending by themselves
BETWEEN_LOOKS = 0.2  # seconds


def serve(workspace: Workspace, *, host: str, port: int) -> None:
    """Serve a workspace until a signal stops it; the address is printed once it answers.

    Parameters
    ----------
    workspace : Workspace
        Its Dagster home is used; its drop folders are watched.
    host : str
        Address to listen on. Whoever reaches it may start runs.
    port : int
        Port to listen on.

    Raises
    ------
    UsageError
        The address cannot be listened on.
    LockHeldError
        The workspace is served already: two daemons would start every run twice.
    TryAgainError
        The services ended by themselves.

    Notes
    -----
    The services are a process group of their own, so that a terminal's Ctrl-C reaches this process only,
    which passes on one interrupt: a second one would break off their own cleaning up.
    """
    _require_free(host, port)
    home = workspace.dagster_home
    with study_lock(home):
        end_lost_runs(workspace)
        stopped = _run_services(workspace, home, host, port)
    if not stopped:
        raise TryAgainError(
            "Dagster ended by itself; why is said above.",
            where=str(home),
            fix=f"juryline ui --port {port}",
            code="web_interface",
        )


def _run_services(workspace: Workspace, home: Path, host: str, port: int) -> bool:
    """Whether a signal stopped them."""
    location = str(_code_location(workspace))
    services = subprocess.Popen(
        [sys.executable, *DAGSTER_DEV, "-w", location, "-h", host, "-p", str(port), "--log-level", "warning"],
        cwd=home,  # not where the caller stands: a study of that folder could be taken for a module
        env=os.environ | {"DAGSTER_HOME": str(home), WORKSPACE_VARIABLE: str(workspace.root), "PYTHONSAFEPATH": "1"},
        stdout=sys.stderr,
        start_new_session=True,
        preexec_fn=_interrupt_with_parent if sys.platform == "linux" else None,
    )
    try:
        with _passed_on(services) as stopping:
            printing.say("Starting Dagster; Ctrl-C stops it.")
            _watch(services, _address(host, port), stopping)
    finally:
        _end_group(services)
    return bool(stopping)


def _watch(services: subprocess.Popen, address: str, stopping: list[float]) -> None:
    told = False
    while services.poll() is None:
        if not told and _answers(address):
            print(address, flush=True)
            told = True
        if stopping and time.monotonic() - stopping[0] > GRACE:
            return
        time.sleep(BETWEEN_LOOKS)


@contextmanager
def _passed_on(services: subprocess.Popen) -> Iterator[list[float]]:
    """Pass the first signal to stop on as an interrupt, and kill at the second; gives the times they came at."""
    came: list[float] = []

    def stop(signum: int, frame: FrameType | None) -> None:
        came.append(time.monotonic())
        if len(came) == 1:
            services.send_signal(signal.SIGINT)
        else:
            _signal_group(services, signal.SIGKILL)

    before = {signum: signal.signal(signum, stop) for signum in STOPS}
    try:
        yield came
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _end_group(services: subprocess.Popen) -> None:
    """End whatever the services left running, such as a run that did not heed the interrupt."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        if not _signal_group(services, signum):
            break
        _wait_until(lambda: services.poll() is not None and not _signal_group(services, 0), seconds=5)
    services.wait()


def _signal_group(services: subprocess.Popen, signum: int) -> bool:
    """Whether there was a process to signal."""
    try:
        os.killpg(services.pid, signum)
    except ProcessLookupError:
        return False
    return True


def _wait_until(done: Callable[[], bool], *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(BETWEEN_LOOKS)


def _interrupt_with_parent() -> None:
    """Have the kernel interrupt this process when its parent dies, even by a kill that nothing can be done at."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGINT)


def _code_location(workspace: Workspace) -> Path:
    file = workspace.cache / "workspace.yaml"
    write_atomically(file, CODE_LOCATION)
    return file


def _require_free(host: str, port: int) -> None:
    try:
        family, kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"{host}, port {port}, cannot be listened on: {error}.",
            where="--host, --port",
            fix=f"juryline ui --port {port + 1 if port < 65535 else 3000}",
            code="address",
        ) from None


def _address(host: str, port: int) -> str:
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def _answers(address: str) -> bool:
    # Whatever proxy the environment names is for other addresses than this machine's.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/server_info", timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False
