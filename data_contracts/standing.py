"""What may be claimed of a study: confirmatory, or which clause stands against it (METHODS 13).

Pure: the specification, its lock and what is known of its data go in; a status comes out with every
clause and a sentence on it. Whether the files are still those that were frozen is asked before, by
`lock.require_unedited`.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from data_contracts.lock import Lock
from data_contracts.specification import StudySpec
from data_contracts.specification_design import Planned, parse_until
from data_contracts.vocabulary import Phase, StudyStatus

SELF_DECLARED = "time self-declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFacts:
    """What ledger, tables and events know of a study's data.

    Parameters
    ----------
    earliest_submitted_at : datetime or None
        Over the judgments of exports that are no pilot; None where there are none.
    newest_submitted_at : datetime or None
        Over those of them that count to the stopping rule.
    submission_time_unknown : bool
        Whether any such judgment has no submission time.
    n_submitted_after_ingest : int
        Such judgments that are submitted, by their own time, after the export that brought them was taken in.
    first_ingest_at : datetime or None
        First ingest of an export that is no declared pilot.
    first_unblinding_at : datetime or None
        First unblinding event.
    n_raters, n_judgments : int
        Scored ones, before exclusions, that count to the stopping rule: of humans, or of models where no human judges.
    n_looks : int
        Distinct ledger heads for which estimates were made.
    development_uses : tuple of str
        Artifacts for whose development the judgments were used, by ledger event.
    anchored : bool
        Whether somebody else can tell the time of the freeze.
    """

    earliest_submitted_at: datetime | None = None
    newest_submitted_at: datetime | None = None
    submission_time_unknown: bool = False
    n_submitted_after_ingest: int = 0
    first_ingest_at: datetime | None = None
    first_unblinding_at: datetime | None = None
    n_raters: int = 0
    n_judgments: int = 0
    n_looks: int = 0
    development_uses: tuple[str, ...] = ()
    anchored: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition of a confirmatory study: whether it holds, and a sentence for the report."""

    name: str
    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The status of a study, and every clause it was decided by."""

    status: StudyStatus
    clauses: tuple[Clause, ...]
    anchored: bool = False

    @property
    def failed(self) -> tuple[Clause, ...]:
        """The clauses that do not hold."""
        return tuple(clause for clause in self.clauses if not clause.holds)

    @property
    def banner(self) -> str:
        """The status as the report's first line prints it."""
        self_declared = self.status is StudyStatus.CONFIRMATORY and not self.anchored
        return f"{self.status} ({SELF_DECLARED})" if self_declared else str(self.status)


def standing(spec: StudySpec, lock: Lock | None, facts: StudyFacts) -> Standing:
    """Decide the status of a study's estimates.

    Returns
    -------
    Standing
        The first that applies: `development` if the judgments were used for development; `exploratory`
        if any clause but the met stopping rule fails; `interim` if that one fails; else `confirmatory`.

    References
    ----------
    METHODS, section 13.
    """
    fresh = _no_development(spec, facts)
    declared = (
        _phase(spec),
        _frozen(lock),
        _submission_time_known(facts),
        _submitted_before_ingest(facts),
        _before(
            lock,
            "frozen_before_submission",
            facts.earliest_submitted_at,
            "the first judgment was submitted",
            of_data=True,
        ),
        _before(lock, "frozen_before_ingest", facts.first_ingest_at, "the first export was taken in"),
        _before(lock, "frozen_before_unblinding", facts.first_unblinding_at, "the systems were unblinded"),
        _unamended(lock),
        _rule_declared(spec),
    )
    met = _rule_met(spec, facts)
    if not fresh.holds:
        status = StudyStatus.DEVELOPMENT
    elif not all(clause.holds for clause in declared):
        status = StudyStatus.EXPLORATORY
    elif not met.holds:
        status = StudyStatus.INTERIM
    else:
        status = StudyStatus.CONFIRMATORY
    return Standing(status, (fresh, *declared, met), facts.anchored)


def _no_development(spec: StudySpec, facts: StudyFacts) -> Clause:
    declared = [use.artifact for use in spec.reuse if use.purpose == "development"]
    uses = list(dict.fromkeys((*declared, *facts.development_uses)))
    if uses:
        return Clause("no_development_reuse", False, f"The judgments were used to develop {', '.join(uses)}.")
    return Clause("no_development_reuse", True, "No use of the judgments for development is recorded.")


def _phase(spec: StudySpec) -> Clause:
    return Clause("phase_confirmatory", spec.phase is Phase.CONFIRMATORY, f"The declared phase is {spec.phase}.")


def _frozen(lock: Lock | None) -> Clause:
    if lock is None:
        return Clause("frozen", False, "The specification was never frozen.")
    return Clause(
        "frozen", True, f"The specification and the files it names were frozen at {_time(lock.first.frozen_at)}."
    )


def _submission_time_known(facts: StudyFacts) -> Clause:
    if facts.submission_time_unknown:
        return Clause(
            "submission_time_known",
            False,
            "Judgments have no submission time, so it cannot be checked that they came after the freeze "
            "(submission_time_unknown).",
        )
    return Clause("submission_time_known", True, "Every judgment that is no pilot has a submission time.")


def _submitted_before_ingest(facts: StudyFacts) -> Clause:
    name, n = "submitted_before_ingest", facts.n_submitted_after_ingest
    if not n:
        return Clause(name, True, "No judgment was submitted after the export that brought it was taken in.")
    told = "1 judgment that is no pilot was" if n == 1 else f"{n} judgments that are no pilot were"
    return Clause(
        name,
        False,
        f"{told}, by the time given, submitted after the export with it was taken in. No answer can be, so the times "
        "are not to be relied on: it cannot be checked that they came after the freeze (submitted_after_ingest).",
    )


def _before(lock: Lock | None, name: str, moment: datetime | None, event: str, *, of_data: bool = False) -> Clause:
    if moment is None:
        return Clause(name, True, f"There is no time yet at which {event}.")
    # The time of a submission is data. When this machine took something in is no part of a report, which is the same
    # bytes whenever it is made from the same exports; the ledger's events keep it.
    at = f", at {_time(moment)}" if of_data else ""
    if lock is None:
        return Clause(name, False, f"When {event}{at}, nothing was frozen.")
    holds = lock.first.frozen_at < moment
    order = "before" if holds else "not before"
    return Clause(name, holds, f"The freeze at {_time(lock.first.frozen_at)} was {order} {event}{at}.")


def _unamended(lock: Lock | None) -> Clause:
    amendments = [] if lock is None else [entry for entry in lock.history[1:] if entry.breaks_confirmation]
    if not amendments:
        return Clause("no_later_amendment", True, "No later amendment changes a frozen section that counts.")
    told = "; ".join(f"{', '.join(entry.changed)} at {_time(entry.frozen_at)}: {entry.reason}" for entry in amendments)
    return Clause("no_later_amendment", False, f"Amended after the freeze: {told}.")


def _rule_declared(spec: StudySpec) -> Clause:
    if spec.planned is None:
        return Clause("stopping_rule_declared", False, "No stopping rule is declared under `planned`.")
    return Clause("stopping_rule_declared", True, f"Collection stops at {_plan(spec.planned)}.")


def _rule_met(spec: StudySpec, facts: StudyFacts) -> Clause:
    name, planned = "stopping_rule_met", spec.planned
    if planned is None:
        return Clause(name, False, "Without a stopping rule none can be met.")
    if planned.until is not None:
        newest = facts.newest_submitted_at
        met = newest is not None and newest >= parse_until(planned.until)
        reached = "nothing was submitted yet" if newest is None else f"the newest submission is of {_time(newest)}"
    else:
        number = facts.n_raters if planned.raters is not None else facts.n_judgments
        met = number >= (planned.raters or planned.judgments or 0)
        reached = f"there are {number}"
    if any(not population.adjudicates and population.id not in spec.voters for population in spec.raters.populations):
        reached += " (of humans; models do not count)"
    if met:
        return Clause(name, True, f"The stopping rule of {_plan(planned)} is met: {reached}.")
    looks = f"{facts.n_looks} look{'' if facts.n_looks == 1 else 's'} so far"
    return Clause(name, False, f"The stopping rule of {_plan(planned)} is not met: {reached}; {looks}.")


def _plan(planned: Planned) -> str:
    if planned.until is not None:
        return planned.until
    return f"{planned.raters} raters" if planned.raters is not None else f"{planned.judgments} judgments"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
