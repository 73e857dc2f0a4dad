"""The engine's connection, and what becomes of an interrupt that meets it."""

import signal
import threading

import pytest

from juryline.study.engine import connect, interruptible

# Endless by the number of its chunks, each of them short.
ENDLESS = "SELECT sum(hash(range) % 7) FROM range(1000000000000)"


@pytest.fixture
def heard():
    """Interrupts as they are at a terminal: a shell starts what runs in the background with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_an_interrupt_during_a_query_is_an_interrupt(tmp_path):
    con = connect(tmp_path)
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()

    with pytest.raises(KeyboardInterrupt), interruptible():
        con.execute(ENDLESS).fetchall()


def test_other_errors_stay_what_they_are():
    with pytest.raises(RuntimeError, match="something else"), interruptible():
        raise RuntimeError("something else")
