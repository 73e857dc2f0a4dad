"""Random words that depend on what they are for, never on when or by whom they are drawn.

Belongs here: the counter-based generator Philox4x32-10. A word is a function of a key and a counter, so the
shuffle of ordering 4,711 of round 12 is the same on one thread and on sixteen, and on any machine.
"""

import hashlib

import numpy as np

_LOW = 0xFFFFFFFF


def fill_words(words: np.ndarray, key: int, first_block: int, first_lane: int, stream: int, substream: int) -> None:
    """Fill every lane with the random words of its own counter.

    Parameters
    ----------
    words : ndarray of uint32, shape (n_words, n_lanes)
        Filled in place. Column l holds the words of lane `first_lane + l`.
    key : int
        Of 64 bits, as a signed number.
    first_block, first_lane, stream, substream : int
        In [0, 2**32): the counter. Row r is a word of block `first_block + r // 4`.

    Notes
    -----
    Philox4x32-10 of the counter (block, lane, stream, substream). Written on 64-bit integers that may
    wrap: only 32 bits of a product's halves are kept, so a wrapped sign does no harm, and the same
    lines give the same words as plain Python and as machine code.

    References
    ----------
    Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", section 4.3.
    """
    n_words, n_lanes = words.shape
    for block in range((n_words + 3) // 4):
        for lane in range(n_lanes):
            x0, x1, x2, x3 = first_block + block, first_lane + lane, stream, substream
            k0, k1 = key & _LOW, (key >> 32) & _LOW
            for _ in range(10):
                p0 = x0 * 0xD2511F53
                p1 = x2 * 0xCD9E8D57
                x0 = ((p1 >> 32) & _LOW) ^ x1 ^ k0
                x2 = ((p0 >> 32) & _LOW) ^ x3 ^ k1
                x1 = p1 & _LOW
                x3 = p0 & _LOW
                k0 = (k0 + 0x9E3779B9) & _LOW
                k1 = (k1 + 0xBB67AE85) & _LOW
            word = 4 * block
            words[word, lane] = x0
            if word + 1 < n_words:
                words[word + 1, lane] = x1
            if word + 2 < n_words:
                words[word + 2, lane] = x2
            if word + 3 < n_words:
                words[word + 3, lane] = x3


def key_of(*parts: int | str) -> int:
    """Key of the stream that belongs to a seed and to what it is drawn for."""
    digest = hashlib.sha256("/".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
