"""Numbers as text: the same on every machine, and never more exact than they are.

Belongs here: how many digits a unit gets, and what stands for a number too small to show. Formatting is
all that is done to a number in a report.
"""

import math

from data_contracts.vocabulary import Unit

MINUS = "\u2212"
THIN = "\u202f"  # narrow no-break space: groups digits without meaning a decimal in any country

_DECIMALS = {
    Unit.PROBABILITY: 3,
    Unit.SHARE: 3,
    Unit.SCALE: 2,
    Unit.SD: 2,
    Unit.LOG_ODDS: 2,
    Unit.ELO: 1,
    Unit.T: 2,
    Unit.COEFFICIENT: 3,
    Unit.SCORE: 3,
    Unit.RATIO: 3,
}
_WHOLE = (Unit.COUNT, Unit.RATERS, Unit.RANK, Unit.COMPONENT)
_AT_MOST_ONE = (Unit.PROBABILITY, Unit.SHARE, Unit.COEFFICIENT)


def number_text(value: float, unit: str, decimals: int | None = None) -> str:
    """A value in its unit.

    Parameters
    ----------
    value : float
        Finite.
    unit : str
        One of `Unit`; any other gets four significant digits.
    decimals : int, optional
        Instead of the unit's own, for a value whose Monte-Carlo error says less.

    Notes
    -----
    A number that is not 0 (of a share: not 1) is never rounded to look as if it were.
    """
    if unit == Unit.YES_NO:
        return "yes" if value else "no"
    if decimals is None and unit in _WHOLE and float(value).is_integer():
        return count_text(int(value))
    if decimals is None:
        decimals = 2 if unit in _WHOLE else _DECIMALS.get(Unit(unit)) if unit in set(Unit) else None
    if decimals is None:
        return _signed(f"{value:.4g}")
    text = f"{value:.{decimals}f}"
    if float(text) == 0 and value != 0:
        step = f"{10**-decimals:.{decimals}f}"
        return f"<{step}" if value > 0 else f">{MINUS}{step}"
    if unit in _AT_MOST_ONE and float(text) == 1 and value < 1:
        return f">{1 - 10**-decimals:.{decimals}f}"
    return _signed(text)


def interval_text(low: float, high: float, unit: str, decimals: int | None = None) -> str:
    return f"[{_end(low, unit, decimals)}, {_end(high, unit, decimals)}]"


def p_text(p: float) -> str:
    """A p-value to three decimals; never 0.000 and never 1.000 unless it is."""
    return number_text(p, Unit.PROBABILITY)


def count_text(n: int) -> str:
    """A whole number, grouped by thin spaces from five digits on."""
    digits = str(abs(n))
    if len(digits) > 4:
        first = len(digits) % 3 or 3
        digits = THIN.join([digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))])
    return f"{MINUS if n < 0 else ''}{digits}"


def plain_text(value: object) -> str:
    """A declared number as it was declared: 0.1 and not 0.1000, 5 and not 5.0."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count_text(value)
    return _signed(f"{value:.12g}") if isinstance(value, float) else str(value)


def decimals_within(error: float | None) -> int | None:
    """How many decimals a value with this Monte-Carlo error may show: the last one is never finer than the error.

    None where there is no such error: the unit decides.
    """
    if error is None or error <= 0:
        return None
    return min(max(math.floor(-math.log10(error)), 0), _DECIMALS[Unit.ELO])


def _end(value: float, unit: str, decimals: int | None) -> str:
    # An end of an interval is read beside the other one: "<0.001" would say less than 0.000 does there.
    if decimals is None:
        decimals = _DECIMALS.get(Unit(unit), 2) if unit in set(Unit) else None
    return _signed(f"{value:.4g}" if decimals is None else f"{value:.{decimals}f}")


def _signed(text: str) -> str:
    if text.startswith("-"):
        return MINUS + text[1:] if float(text) != 0 else text[1:]
    return text
