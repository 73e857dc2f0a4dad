"""The engine's connection, and what becomes of an interrupt that meets it."""

import signal
import threading

import pyarrow as pa
import pytest

from juryline.study.engine import Engine, connect, interruptible

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


@pytest.fixture
def engine(tmp_path):
    engine = Engine(tmp_path)
    yield engine
    engine.close()


def test_a_view_is_that_of_the_last_query_of_its_name(engine):
    def answer(table):
        return table.to_pyarrow().to_pylist()

    assert answer(engine.query("view", "SELECT 1 AS a")) == [{"a": 1}]
    assert answer(engine.query("view", "SELECT 2 AS b")) == [{"b": 2}]
    assert answer(engine.query("view", "SELECT 2 AS b")) == [{"b": 2}]


def test_a_view_comes_back_after_a_table_of_its_name(engine):
    stored = pa.table({"a": [1]})
    engine.query("view", "SELECT 2 AS b")

    assert engine.memory("view", stored).to_pyarrow() == stored
    assert engine.query("view", "SELECT 2 AS b").to_pyarrow().to_pylist() == [{"b": 2}]


def test_a_view_over_a_table_that_was_replaced_shows_the_new_one(engine):
    for n in (1, 2):
        engine.memory("below", pa.table({"a": [n]}))

        assert engine.query("view", "SELECT * FROM below").to_pyarrow()["a"].to_pylist() == [n]
