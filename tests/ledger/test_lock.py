"""One run a study at a time, let go by the kernel when its holder dies."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from data_contracts.errors import LockHeldError
from juryline.ledger.lock import study_lock

HOLDER = """
import sys, time
from pathlib import Path
from juryline.ledger.lock import study_lock
with study_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(study_dir):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(study_dir)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_held_lock_names_its_holder_and_what_to_do(study_dir, holder):
    with pytest.raises(LockHeldError) as refused, study_lock(study_dir):
        pass

    assert f"process {holder.pid} has been running story-quality since 20" in refused.value.what
    assert refused.value.fix == f"wait, or stop process {holder.pid}"
    assert refused.value.exit_status == 3


def test_a_killed_holder_holds_nothing(study_dir, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()

    with study_lock(study_dir):
        acquired = True

    assert acquired


def test_waiting_ends_when_the_holder_is_done(study_dir, holder):
    threading.Timer(0.3, holder.kill).start()

    with study_lock(study_dir, wait=60):
        acquired = True

    assert acquired


def test_it_can_be_held_again_after_its_block(study_dir):
    for _ in range(2):
        with study_lock(study_dir):
            held = (study_dir / ".lock").read_text()

    assert f'"process": {os.getpid()}' in held


def test_its_holder_clears_what_a_killed_writer_left(study_dir):
    leftover = study_dir / f".juryline-{os.getpid()}-0123abcd.tmp"
    leftover.touch()

    with study_lock(study_dir):
        assert not leftover.exists()
