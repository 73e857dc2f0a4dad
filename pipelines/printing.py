"""What the command says: people's text on standard error and standard output, or one JSON object for machines."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from data_contracts.errors import JurylineError

_err = Console(stderr=True, highlight=False, soft_wrap=True)
_out = Console(highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Say something about what is going on."""
    _err.print(text, markup=False)


def error(failure: JurylineError) -> None:
    """Say what failed, where, and how to mend it."""
    say(f"juryline: {failure}")


@contextmanager
def progress(text: str) -> Iterator[None]:
    """Show that long work goes on, where somebody looks."""
    if not _err.is_terminal:
        yield
        return
    with _err.status(text):
        yield


def machine_object(content: Any) -> None:
    print(json.dumps(content, indent=2, ensure_ascii=False, default=str))


def run(told: dict[str, Any], *, machine: bool) -> None:
    """The flow of a run: every row of every export, and what became of it."""
    if machine:
        return machine_object(told)
    say(f"{told['study']}: {told['status']}" + ("" if told["frozen"] else ", not frozen"))
    for clause in told["failed_clauses"]:
        say(f"  - {clause}")
    if told["deliveries"]:
        table = Table(
            "export", "rows", "mapped", "ignored", "quarantined", "new", "re-delivered", "new versions", box=None
        )
        for delivery in told["deliveries"]:
            table.add_row(*(str(delivery[key]) for key in told["delivery_columns"]))
        _err.print(table)
    for refused in told["refused"]:
        say(f"Refused whole: {refused}")
    for step, parts in told["flow"].items():
        total = parts.pop("total")
        say(
            f"  {step:<12}{total:>9} = "
            + " + ".join(f"{n} {reason}" for reason, n in parts.items() if n or len(parts) < 5)
        )
    say(
        f"  estimates   {told['estimates']['total']:>9}   "
        + ", ".join(f"{n} {s}" for s, n in told["estimates"]["by_status"].items())
    )
    say(f"  ledger head {told['ledger_head']}")
    say(f"  report      {told['report']}")


def dry_run(verdict: Any, *, machine: bool) -> None:
    """How each export would be read, and what would be refused, with the mend."""
    from dataclasses import asdict

    if machine:
        return machine_object(asdict(verdict) | {"clean": verdict.clean})
    say(f"{verdict.study}: the specification is whole" + (", and frozen" if verdict.frozen else ""))
    for tried in verdict.exports:
        say(f"\nexports/{tried.name}  (match: {tried.match})")
        if tried.refused:
            say(f"  refused whole: {tried.refused}")
            continue
        say("  read as: " + ", ".join(f"{key} {_brief(value)}" for key, value in tried.found.items()))
        say("  " + ", ".join(f"{n} {what}" for what, n in tried.counts.items()))
        for rule in tried.broken:
            rows = "; ".join(
                f"row {r['row']}" + (f" {r['value']!r}" if r["value"] is not None else "") for r in rule["rows"]
            )
            more = " ..." if rule["n"] > len(rule["rows"]) else ""
            say(f"  {rule['n']} x {rule['rule']} ({rule['column']}): {rows}{more}")
            say(f"      fix: {rule['fix']}")
    for name in verdict.unmatched:
        say(f"\nexports/{name}: nothing in `exports` matches it, so it would not be read")
    for match in verdict.unread:
        say(f"\nmatch {match}: no file in exports/ fits it yet")
    say("\nNothing would be refused." if verdict.clean else "\nSomething would be refused; see above.")


def lock(frozen: Any, *, machine: bool) -> None:
    entry = frozen.current
    if machine:
        return machine_object(frozen.model_dump(mode="json"))
    word = "Frozen" if entry.kind == "freeze" else f"Amended ({entry.reason})"
    say(f"{word} at {entry.frozen_at.isoformat(timespec='seconds')}, {len(entry.sections)} sections.")
    print(entry.study_spec_hash)


def files(written: Sequence[Path], *, machine: bool) -> None:
    if machine:
        return machine_object([str(path) for path in written])
    for path in written:
        print(path)


def verification(verdict: Any, *, machine: bool) -> None:
    from dataclasses import asdict

    if machine:
        return machine_object(asdict(verdict))
    for finding in verdict.findings:
        say(f"differs: {finding}")
    for note in verdict.notes:
        say(f"note: {note}")
    word = "consistent" if verdict.consistent else "NOT consistent"
    if verdict.proven is not None:
        word += ", and proven by the head given" if verdict.proven else ", and NOT proven by the head given"
    say(f"{verdict.n_rows} judgments: {word}")
    print(verdict.head)


def formats(known: Sequence[tuple[str, str, str]], *, machine: bool) -> None:
    if machine:
        return machine_object([dict(zip(("format", "reads", "recognised_by"), row)) for row in known])
    table = Table("format", "reads", "recognised by", box=None)
    for row in known:
        table.add_row(*row)
    _out.print(table)


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
