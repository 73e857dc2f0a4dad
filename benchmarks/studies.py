"""What whole studies cost: loading the code, ten thousand judgments, a million."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.generator import write_study
from benchmarks.measured import Measured, process

IMPORT = """
import time; started = time.perf_counter()
import pipelines.definitions
print(time.perf_counter() - started)
"""
NEW = """
import sys
from pathlib import Path
from juryline.ledger.workspace import Workspace
Workspace.create(Path(sys.argv[1]))
"""
RUN = """
import sys, time
from pathlib import Path
from juryline.ledger.workspace import Workspace
from pipelines.runs import run_study
import dagster, pandera.ibis, ibis
workspace = Workspace(Path(sys.argv[1]))
started = time.perf_counter()
run_study(workspace, sys.argv[2], select=sys.argv[3] or None)
print(time.perf_counter() - started)
"""
TABLES_GONE = "import shutil, sys; shutil.rmtree(sys.argv[1])"


def measure(n_small: int = 10_000, n_large: int = 1_000_000) -> Iterator[Measured]:
    """The figures, one after the other."""
    process(IMPORT)
    yield Measured(what="import of the code location", value=float(process(IMPORT)[2]), unit="s", most=2.5)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        process(NEW, str(root))
        write_study(root / "small", n_small)
        wall, _, out = process(RUN, str(root), "small", "")
        yield Measured(what=f"{n_small:,} judgments, first run, whole process", value=wall, unit="s")
        process(TABLES_GONE, str(root / "small" / "tables"))
        wall, memory, out = process(RUN, str(root), "small", "")
        yield Measured(what=f"{n_small:,} judgments, everything anew, warm", value=float(out), unit="s", most=5)
        yield Measured(what="  the same with the start of the process", value=wall, unit="s")
        wall, _, out = process(RUN, str(root), "small", "")
        yield Measured(what=f"{n_small:,} judgments, nothing to do", value=float(out), unit="s")
        write_study(root / "large", n_large)
        wall, memory, out = process(RUN, str(root), "large", "judgments")
        yield Measured(what=f"{n_large:,}-row CSV to the ledger", value=float(out), unit="s", most=30)
        yield Measured(what="  peak memory", value=memory, unit="GiB", most=2)
        wall, memory, out = process(RUN, str(root), "large", "")
        yield Measured(what=f"{n_large:,} judgments, ledger to report", value=float(out), unit="s")
        yield Measured(what="  peak memory", value=memory, unit="GiB")
