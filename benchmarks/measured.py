"""One measurement: what, how much, against which budget; and ways to take one."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A measured figure and its budget: `most` for times and sizes, `least` for ratios; neither is only told.

    `profile` says where the time of a miss went.
    """

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    profile: str = ""

    @property
    def verdict(self) -> str:
        if self.most is None and self.least is None:
            return "told"
        met = (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)
        return "met" if met else "MISSED"

    @property
    def budget(self) -> str:
        if self.most is not None:
            return f"<= {self.most:g} {self.unit}"
        return "" if self.least is None else f">= {self.least:g} {self.unit}"


def process(
    code: str, *arguments: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> tuple[float, float, str]:
    """Run Python code in a process of its own: wall seconds, peak memory in GiB, what it printed."""
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **(environment or {})},
    )
    out = child.stdout.read() if child.stdout else ""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"the measured process ended with {child.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss / 2**20, out


def best(work: Callable[[], object], times: int = 3) -> float:
    """Least wall seconds of a few calls, after one that is not counted."""
    work()
    least = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - started)
    return least


def peak_memory() -> float:
    """Peak memory of this process in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
