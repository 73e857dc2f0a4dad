"""Text by studies and raters, made safe to look at: nothing hidden, nothing endless.

Escaping for HTML is the template's work (autoescape) and the charts' (`svg.element`). Here are the two
things that escaping does not do: characters that no one can see are shown by their number, so that a
right-to-left override cannot turn a name around, and a text of ten thousand characters is cut.
"""

import unicodedata

LONGEST_PROSE = 600  # a paragraph; what is longer is in study.yaml or the exported tables
LONGEST_LABEL = 80  # a name in a table

_KEPT = frozenset("\n\t")
# Format characters that reorder or hide text. Joiners (U+200C, U+200D) stay: scripts and emoji need them.
_HIDING = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2028\u2029\u2060\u2066\u2067\u2068\u2069\ufeff"
)


def visible(text: str) -> str:
    """The text with every control, reordering and unpaired surrogate character shown as `⟨U+202E⟩`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨U+{ord(c):04X}⟩" if _hides(c) else c for c in text)


def shortened(text: str, limit: int = LONGEST_PROSE) -> str:
    """The text, or its beginning and the number of characters it has."""
    if len(text) <= limit:
        return text
    return f"{text[:limit].rstrip()} … ({len(text)} characters)"


def clipped(text: str, limit: int) -> str:
    """The text, or its beginning and an ellipsis, at most `limit` characters wide (a wide character counts twice)."""
    shown = visible(text)
    if text_width(shown) <= limit:
        return shown
    kept = ""
    for character in shown:
        if text_width(kept + character) > limit - 1:
            break
        kept += character
    return kept.rstrip() + "…"


def text_width(text: str) -> int:
    """Width in characters, East Asian wide ones counted twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _hides(character: str) -> bool:
    return character in _HIDING or (unicodedata.category(character) in ("Cc", "Cs") and character not in _KEPT)
