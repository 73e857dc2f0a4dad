"""The engine's connection, and what becomes of an interrupt that meets it."""

import signal
import subprocess
import sys
import time

import pytest

from juryline.study.engine import interruptible

# A process of its own: an interrupt that DuckDB loses between two of its looks at signals would never end the tests.
ENDLESS = """
import sys
from pathlib import Path
from juryline.study.engine import connect, interruptible
con = connect(Path(sys.argv[1]))
try:
    with interruptible():
        print("begun", flush=True)
        con.execute("SELECT sum(hash(a.range) % 7) FROM range(1000000) a, range(1000000) b").fetchall()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
SECONDS = 60


def test_an_interrupt_during_a_query_is_an_interrupt(tmp_path):
    command = [sys.executable, "-c", ENDLESS, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        for _ in range(SECONDS):
            time.sleep(1)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGINT)
        process.kill()
        out, err = process.communicate()

    assert out == "interrupted\n", err


def test_other_errors_stay_what_they_are():
    with pytest.raises(RuntimeError, match="something else"), interruptible():
        raise RuntimeError("something else")
