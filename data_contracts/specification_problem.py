"""What is wrong with a specification, each thing with its place and its mend, raised all at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from data_contracts.errors import SpecificationError
from data_contracts.yaml_source import Address, YamlSource

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One error: `what` is a clause without a full stop, `fix` something that can be typed or changed."""

    address: Address
    what: str
    fix: str
    code: str = "specification"


class LocatedProblem(NamedTuple):
    """One error as reported, for machines: `SpecificationError.problems`."""

    line: int
    column: int
    key: str
    what: str
    fix: str


def refusal(source: YamlSource, problems: Iterable[Problem]) -> SpecificationError:
    """The one error that tells all problems, in the order of the file."""
    found = {problem: source.position(problem.address) for problem in problems}
    in_order = sorted(found, key=lambda p: (found[p].line, found[p].column, key_text(p.address), p.what))
    located = tuple(
        LocatedProblem(found[p].line, found[p].column, key_text(p.address), p.what, p.fix) for p in in_order
    )
    code = in_order[0].code
    if len(located) == 1:
        only = located[0]
        where = f"{source.name}, line {only.line}" + (f", {only.key}" if only.key else "")
        error = SpecificationError(f"{only.what}.", where=where, fix=only.fix, code=code)
    else:
        lines = [f"  line {p.line}, {p.key or 'the study'}: {p.what}; {p.fix}" for p in located[:MOST_SHOWN]]
        more = len(located) - MOST_SHOWN
        head = f"{source.name} has {len(located)} errors" + (f", the first {MOST_SHOWN} are:" if more > 0 else ":")
        error = SpecificationError(
            "\n".join([head, *lines]),
            where=source.name,
            fix="mend these lines, then `juryline check STUDY`.",
            code=code,
        )
    error.problems = located
    return error


def key_text(address: Address) -> str:
    """An address as one reads it.

    Examples
    --------
    >>> key_text(("exports", 0, "labels", "overall", "not sure"))
    "exports[0].labels.overall.'not sure'"
    """
    text = ""
    for part in address:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if part.replace("_", "").replace("-", "").isalnum() else repr(part)
            text += f".{name}" if text else name
    return text


def nearest(word: str, known: Sequence[str]) -> str:
    """`did you mean x?`, or what there is to choose from."""
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]}?"
    return f"there is {listed(known)}" if known else "none is declared"


def listed(words: Sequence[str], join: str = "and") -> str:
    """Words in a sentence."""
    words = [word or '""' for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {join} {words[-1]}" if words else "nothing"
