from pathlib import Path

import numpy as np
import pytest

from juryline.estimators.machine_code import compiled
from juryline.estimators.philox import fill_words, key_of

# Known answers of Random123 (Salmon et al. 2011), philox4x32-10: counter, key, words.
KNOWN = [
    ((0, 0, 0, 0), 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((0xFFFFFFFF,) * 4, -1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), 0x299F31D0_A4093822, "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
@pytest.mark.parametrize("fill", [fill_words, compiled(fill_words)], ids=["python", "machine_code"])
def test_words_are_those_of_the_published_generator(fill, counter, key, words):
    filled = np.empty((4, 1), dtype=np.uint32)

    fill(filled, key, *counter)

    assert [f"{word:08x}" for word in filled[:, 0]] == words.split()


def test_a_word_does_not_depend_on_what_is_filled_beside_it():
    wide, narrow = np.empty((10, 8), dtype=np.uint32), np.empty((7, 1), dtype=np.uint32)

    compiled(fill_words)(wide, 5, 0, 0, 3, 1)
    compiled(fill_words)(narrow, 5, 0, 6, 3, 1)

    assert wide[:7, 6].tolist() == narrow[:, 0].tolist()


def test_streams_of_other_seeds_analyses_and_uses_differ():
    keys = {key_of(seed, analysis, use) for seed in (1, 2) for analysis in ("elo", "mers") for use in ("a", "b")}

    assert len(keys) == 8
    assert all(0 <= key < 2**63 for key in keys)


def test_kernel_is_compiled_where_nothing_can_be_kept_on_disk(monkeypatch):
    import numba

    caching = []

    def njit(nogil, cache=False):
        caching.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda kernel: kernel

    monkeypatch.setattr(numba, "njit", njit)

    kernel = compiled.__wrapped__(fill_words)

    assert caching == [True, False]
    assert kernel is fill_words


def test_importing_the_estimator_does_not_import_numba():
    import subprocess
    import sys

    code = "import sys, juryline.estimators.elo; print('numba' in sys.modules, 'scipy' in sys.modules)"
    root = Path(__file__).parents[2]

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)

    assert answer.stdout.split() == ["False", "False"]
