"""What the command says: people's text on standard error and standard output, or one JSON object for machines."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from data_contracts.errors import JurylineError

# Column of the table of deliveries, and the key of an ingest event it shows.
DELIVERED = {
    "export": "path",
    "rows": "n_rows",
    "mapped": "n_mapped",
    "ignored": "n_ignored",
    "quarantined": "n_quarantined_whole",
    "new": "n_new",
    "re-delivered": "n_redelivered",
    "new versions": "n_new_versions",
    "refused answers": "n_quarantined",
}

_err = Console(stderr=True, highlight=False, soft_wrap=True)


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
        say("taken in")
        _aligned([DELIVERED, *([str(delivery[key]) for key in DELIVERED.values()] for delivery in told["deliveries"])])
    for refused in told["refused"]:
        say(f"refused whole: {refused}")
    for name in told["unmatched"]:
        say(f"exports/{name}: nothing in `exports` matches it, so it was not read")
    say("flow")
    for step, parts in told["flow"].items():
        listed = [f"{n} {reason}" for reason, n in sorted(parts.items(), key=_place) if n and reason != "total"]
        say(f"  {parts['total']:>9} {step.replace('_', ' ')} = {' + '.join(listed) or '0'}")
    statuses = ", ".join(f"{n} {status}" for status, n in told["estimates"]["by_status"].items())
    say(f"  {told['estimates']['total']:>9} estimates: {statuses}")
    say(f"ledger head  {told['ledger_head']}")
    if told["report"]:
        say(f"report       {told['report']}")


def _place(part: tuple[str, int]) -> tuple[int, str]:
    reason = part[0]
    order = ("mapped", "new", "current", "included")
    return (order.index(reason) if reason in order else len(order), reason)


def _aligned(rows: Sequence[Iterable[str]]) -> None:
    cells = [list(row) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        first, *rest = (cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
        say("  " + "  ".join([first, *rest]))


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
    for what, tried in (("outputs of the systems", verdict.outputs), ("assignments", verdict.manifest)):
        if tried is not None:
            say(f"\n{what}  (match: {tried.match})")
            counts = ", ".join(f"{n} {of}" for of, n in tried.counts.items())
            say(f"  refused: {tried.refused}" if tried.refused else f"  {counts}")
    for name in verdict.unmatched:
        say(f"\nexports/{name}: nothing in `exports` matches it, so it would not be read")
    for match in verdict.unread:
        say(f"\nmatch {match}: no file in exports/ fits it yet")
    for hint in verdict.hints:
        say(f"\nhint: {hint}")
    say("\nNothing would be refused." if verdict.clean else "\nSomething would be refused; see above.")


def lock(frozen: Any, *, anew: bool, machine: bool) -> None:
    """What was frozen, or that nothing has changed since."""
    entry = frozen.current
    if machine:
        return machine_object(frozen.model_dump(mode="json"))
    word = "Frozen" if entry.kind == "freeze" else f"Amended ({entry.reason})"
    if not anew:
        word = f"Nothing has changed since it was {word[0].lower()}{word[1:]}"
    say(f"{word} at {entry.frozen_at.isoformat(timespec='seconds')}, {len(entry.sections)} sections.")
    print(entry.study_spec_hash)


def trace(told: dict[str, Any], *, machine: bool) -> None:
    """What an id is, the rows of exports behind it, and the numbers it is part of."""
    if machine:
        return machine_object(told)
    print(f"{told['kind']} {told['id']}")
    for name, value in told["is"].items():
        print(f"  {name}: {value}")
    for section in ("analysis_set", "exclusion_decisions", "adjudicated_labels"):
        for row in told.get(section, []):
            print(f"{section}: " + ", ".join(f"{name} {value}" for name, value in row.items() if value is not None))
    print(f"rows of exports: {len(told['records'])}")
    for row in told["records"]:
        place = f"exports/{row['export_path']} row {row['source_row']}"
        inside = f" {row['source_path']}" if row["source_path"] else ""
        said = f"{row['rater']}: {row['label'] or row['state']}"
        print(
            f"  {place}{inside}  {said}  ({row['history_status']}, record {row['record_id']}, kept as {row['stored']})"
        )
    if told["kind"] != "estimate":
        print(f"numbers it is part of: {len(told['estimates'])}")
        for name in told["estimates"]:
            print(f"  {name}")


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
    if verdict.consistent:
        print(verdict.head)


def formats(known: Sequence[tuple[str, str, str]], *, machine: bool) -> None:
    if machine:
        return machine_object([dict(zip(("format", "reads", "recognised_by"), row)) for row in known])
    for name, reads, recognised in known:
        print(f"{name}\n    reads {reads}\n    recognised by {recognised}")


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
