"""An invented study with every kind of result, from which reports are rendered.

No number here was computed: reports show what stands in the tables, so any numbers will do.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

from data_contracts.estimates import ALL, Cut, Estimate
from data_contracts.lock import Lock, LockEntry
from data_contracts.specification import StudySpec, load_specification
from data_contracts.standing import Clause, Standing
from data_contracts.tables import (
    ADJUDICATED_LABELS,
    ANALYSIS_SET,
    ESTIMATES,
    EXCLUSION_DECISIONS,
    QUARANTINE,
    RECORD_FLOW,
    RESPONSE_STATES,
)
from data_contracts.vocabulary import Reason, State, Statistic, Status, StudyStatus, Unit
from juryline.reports.study_report import ReportMaterial

S = Statistic
SYSTEMS = ("davinci", "curie", "babbage", "human")
PAIRS = (("davinci", "curie"), ("curie", "babbage"), ("human", "davinci"))

STUDY = Path(__file__).parent / "story-quality.yaml"
_HOLM = {"correction": "holm", "family": "invented", "family_size": 3}


HELD = (
    Clause("phase_confirmatory", True, "The declared phase is confirmatory."),
    Clause("frozen", True, "The specification and the files it names were frozen at 2026-02-27T09:12:44Z."),
    Clause("stopping_rule_met", True, "The stopping rule of 100 raters is met: there are 100."),
)


@pytest.fixture(scope="session")
def spec() -> StudySpec:
    return load_specification(STUDY)


@pytest.fixture(scope="session")
def material_of(spec: StudySpec) -> Callable[..., ReportMaterial]:
    """Makes the material of the invented study; any part of it can be given instead."""

    def make(**parts: object) -> ReportMaterial:
        return ReportMaterial(**{**_parts(spec), **parts})

    return make


@pytest.fixture(scope="session")
def row_of() -> Callable[..., dict]:
    """Makes a row of `estimates` from an estimate; `primary` marks the claim's."""
    return _row


@pytest.fixture(scope="session")
def estimate_table() -> Callable[[list[dict]], pa.Table]:
    return lambda rows: pa.Table.from_pylist(rows, ESTIMATES.arrow_schema)


def _parts(spec: StudySpec) -> dict[str, object]:
    return {
        "spec": spec,
        "standing": Standing(StudyStatus.CONFIRMATORY, HELD),
        "lock": Lock(
            study="story-quality",
            history=(_entry("freeze"), _entry("amend", reason="Name the platform", changed=("recruitment",))),
        ),
        "study_spec_hash": "5f0c" * 16,
        "head": "b7e1" * 16,
        "estimates": pa.Table.from_pylist(_estimates(), ESTIMATES.arrow_schema),
        "record_flow": _table(RECORD_FLOW, _FLOW),
        "response_states": _table(RESPONSE_STATES, _states()),
        "exclusion_decisions": _table(EXCLUSION_DECISIONS, _decisions()),
        "analysis_set": _table(ANALYSIS_SET, _analysis_set()),
        "adjudicated_labels": _table(ADJUDICATED_LABELS, _adjudicated()),
        "quarantine": _table(QUARANTINE, _quarantine()),
        "versions": {"juryline": "0.1.0", "code": "4", "contract": "1"},
        "raters": pa.table({"record_id": [f"r{i}" for i in range(90)], "rater": [f"r{i // 10:03}" for i in range(90)]}),
    }


def _entry(kind: str, **more: object) -> LockEntry:
    time = datetime(2026, 2, 27 if kind == "freeze" else 28, 9, 12, 44, tzinfo=UTC)
    return LockEntry(
        kind=kind, frozen_at=time, version="0.1.0", sections={}, files={}, study_spec_hash="5f0c" * 16, **more
    )


def _table(table: object, rows: list[tuple]) -> pa.Table:
    names = table.names  # type: ignore[attr-defined]
    return pa.Table.from_pylist([dict(zip(names, row)) for row in rows], table.arrow_schema)  # type: ignore[attr-defined]


_FLOW = [
    ("export_rows", "total", 10_412),
    ("export_rows", "mapped", 10_371),
    ("export_rows", "ignored", 24),
    ("export_rows", "quarantined", 17),
    ("answers", "total", 14_220),
    ("answers", "new", 12_964),
    ("answers", "new_version", 31),
    ("answers", "redelivered", 1_212),
    ("answers", "quarantined", 13),
    ("judgments", "total", 12_995),
    ("judgments", "current", 12_960),
    ("judgments", "superseded", 31),
    ("judgments", "retracted", 4),
    ("current", "total", 12_960),
    ("current", "included", 11_630),
    ("current", "excluded:non-native", 610),
    ("current", "excluded:twice", 240),
    ("current", "excluded:hasty", 80),
    ("current", "set_aside:pilot", 350),
    ("current", "set_aside:not_scored", 50),
]


def _states() -> list[tuple]:
    counts = {
        "overall": {"answered": 1810, "tie": 240, "both_fail": 96, "unknown": 41, "abstain": 22, "missing": 12},
        "coherence": {"answered": 420, "not_applicable": 18, "missing": 6, "invalid": 3},
    }
    rows = []
    for criterion, of in counts.items():
        for place, system in enumerate(SYSTEMS):
            rows += [(criterion, "crowd", system, state, n + 7 * place * (n > 50)) for state, n in of.items()]
    for place, system in enumerate(SYSTEMS):
        rows += [("overall", "gpt-4", system, "answered", 480 + place), ("overall", "gpt-4", system, "tie", 20 - place)]
    return rows


def _decisions() -> list[tuple]:
    rows = [(f"r{i}", "non-native", "rater_attribute", "rater", True, '{"value": "other"}') for i in range(40)]
    rows += [(f"r{i}", "twice", "repeat_submission", "rater", i >= 40, '{"submissions": 2}') for i in range(30, 60)]
    return [*rows, *((f"r{i}", "hasty", "min_duration", "judgment", True, '{"seconds": 4}') for i in range(70, 73))]


def _analysis_set() -> list[tuple]:
    rows: list[tuple] = [(f"r{i}", False, None, "non-native") for i in range(40)]
    rows += [(f"r{i}", False, None, "twice") for i in range(40, 60)]
    rows += [(f"r{i}", True, None, None) for i in range(60, 70)]
    return [*rows, *((f"r{i}", False, None, "hasty") for i in range(70, 73)), ("r80", False, "pilot", None)]


def _adjudicated() -> list[tuple]:
    statuses = ["agreed"] * 120 + ["majority"] * 61 + ["unresolved"] * 14 + ["insufficient_votes"] * 5
    return [
        (f"l{i}", "majority", f"c{i}", "overall", "writer-D", "writer-C", None, None, None, status, 3)
        for i, status in enumerate(statuses)
    ]


def _quarantine() -> list[tuple]:
    fix = "map the label under `labels.overall` of this export, or correct the export"
    rows = [("ab" * 32, "votes-1.csv", i, None, "overall", "label", "leftt", "label_declared", fix) for i in range(13)]
    return rows + [
        ("ab" * 32, "votes-2.csv", i, None, None, "submitted_at", "2026-03-01 10:00", "times_in_order",
         "correct the times, or write `not_collected: [started_at]`")
        for i in range(4)
    ]  # fmt: skip


def _row(estimate: Estimate, *, primary: bool = False) -> dict:
    stamps = {"study_spec_hash": "5f0c", "data_version": "d1", "code_version": "4"}
    return estimate.row() | stamps | {"primary": primary, "outcome_dependent": False}


class _Rows:
    """Estimates of one cut, gathered."""

    def __init__(self, analysis: str, method: str, criterion: str, population: str = "crowd", slice_value: str = ALL):
        slice = ALL if slice_value == ALL else "age_band"
        self.cut = Cut(analysis=analysis, method=method, criterion=criterion, population=population, slice=slice,
                       slice_value=slice_value)  # fmt: skip
        self.rows: list[dict] = []

    def add(
        self, statistic: Statistic, unit: Unit, value: float | None, subject: str = ALL, *, primary: bool = False,
        half: float | None = None, **more: object,
    ) -> None:  # fmt: skip
        """`half` is half the width of the interval."""
        if half is not None and value is not None:
            ends = {"ci_low": value - half, "ci_high": value + half, "ci_level": 0.95, "ci_status": Status.OK}
            more = ends | more
        fixed = {"subject_kind": "system", "status": Status.OK, "states": {State.ANSWERED: 90}, "source": "SELECT 1"}
        estimate = Estimate(cut=self.cut, subject=subject, statistic=statistic, unit=unit, value=value, **fixed | more)
        self.rows.append(_row(estimate, primary=primary))


def _estimates() -> list[dict]:
    parts = _spa(), _likert(), _pass_rates(), _wins("crowd"), _wins("gpt-4"), _elo(), _bradley_terry(), _agreement()
    return [row for part in parts for row in part]


def _spa() -> list[dict]:
    of = _Rows("spa", "spa", "preference")
    found = (0.575, 3.74, 3e-4, 9e-4), (0.531, 1.31, 0.19, 0.19), (0.612, 3.7, 4e-4, 9e-4)
    for pair, (mean, t, p, adjusted) in zip(PAIRS, found):
        shared = {"subject": pair[0], "comparator": pair[1], "n_raters": 90, "n_judgments": 180}
        tested = {"df": 89, "p_value": p, "p_adjusted": adjusted, "null_value": 0.5, **_HOLM}
        of.add(S.SPA_PREFERENCE, Unit.PROBABILITY, mean, half=0.04, null_value=0.5, primary=pair == PAIRS[0], **shared)
        of.add(S.SPA_T, Unit.T, t, **shared, **tested)
        of.add(S.SPA_SD, Unit.PROBABILITY, 0.191, **shared)
        of.add(S.COMPLEMENT_SUM, Unit.PROBABILITY, 1.012, half=0.02, **shared)
    lone = {"subject": "curie", "comparator": "human", "n_raters": 1, "n_judgments": 1}
    unknown = {"ci_level": 0.95, "ci_status": Status.INSUFFICIENT, "ci_reason": (Reason.ONE_CLUSTER,)}
    of.add(S.SPA_PREFERENCE, Unit.PROBABILITY, 0.7, **lone, **unknown)
    of.add(S.SPA_T, Unit.T, None, status=Status.INSUFFICIENT, reason=(Reason.TOO_FEW_UNITS,), **lone, **_HOLM)
    for alpha in (0.1, 0.05, 0.01):
        of.add(S.EXPECTED_RECOVERED, Unit.COUNT, 1, dimensions={"alpha": alpha})
    of.add(S.EXPECTED_TOTAL, Unit.COUNT, 2)
    rows = of.rows
    for band, mean in (("18-34", 0.61), ("35-54", 0.57), ("55+", 0.52)):
        part = _Rows("spa", "spa", "preference", slice_value=band)
        pair = {"subject": "davinci", "comparator": "curie", "n_raters": 8, "declared": False}
        part.add(S.SPA_PREFERENCE, Unit.PROBABILITY, mean, half=0.1, ci_reason=(Reason.FEW_CLUSTERS,), **pair)
        rows += part.rows
    return rows


def _likert() -> list[dict]:
    of = _Rows("likert", "likert", "coherence")
    shares = (4, 10, 22, 39, 25), (6, 16, 27, 34, 17), (13, 22, 30, 25, 10), (2, 6, 18, 38, 36)
    for system, mean, percents in zip(SYSTEMS, (3.71, 3.4, 2.97, 4.0), shares):
        counts = {"n_judgments": 450, "n_raters": 90, "n_cases": 5, "reason": (Reason.MEAN_OF_ORDINAL,)}
        of.add(S.MEAN, Unit.SCALE, mean, system, half=0.16, **counts)
        of.add(S.MEAN_CASE_WEIGHTED, Unit.SCALE, mean + 0.01, system)
        for level, percent in enumerate(percents, start=1):
            of.add(S.SHARE, Unit.SHARE, percent / 100, system, half=0.015, dimensions={"label": str(level)})
    for pair, difference, p in zip(PAIRS, (0.31, 0.43, 0.29), (0.018, 0.0021, 0.09)):
        shared = {"subject": pair[0], "comparator": pair[1], "n_units": 90, "n_raters": 90}
        of.add(S.MEAN_DIFFERENCE, Unit.SCALE, difference, half=0.25, null_value=0, **shared)
        of.add(S.MEAN_DIFFERENCE_T, Unit.T, 2.4, df=89, p_value=p / 3, p_adjusted=p, **shared, **_HOLM)
        of.add(S.SUPERIORITY, Unit.PROBABILITY, 0.5 + difference / 3, half=0.02, **shared)
        of.add(S.ORDINAL_LOG_ODDS, Unit.LOG_ODDS, 2 * difference, half=0.5, null_value=0, **shared)
        of.add(S.ORDINAL_LOG_ODDS_CONDITIONAL, Unit.LOG_ODDS, 3 * difference, half=0.6, null_value=0, **shared)
        of.add(S.N_PAIRS, Unit.COUNT, 448, **shared)
        of.add(S.REVERSAL_POSSIBLE, Unit.YES_NO, 1, **shared)
        of.add(S.REVERSAL_EXCLUDED, Unit.YES_NO, 0, **shared)
    return of.rows


def _pass_rates() -> list[dict]:
    rows = []
    for place, criterion in enumerate(("ending", "plot", "voice", "*")):
        of = _Rows("tests", "pass_rates", criterion)
        for nth, system in enumerate(SYSTEMS):
            p = (0.62, 0.48, 0.31, 0.84)[nth] - 0.06 * place + 0.02 * nth * (place % 2)
            of.add(S.PASS_RATE, Unit.SHARE, p, system, half=0.08, n_judgments=120, n_raters=30)
            of.add(S.SHARE, Unit.SHARE, p, system, dimensions={"label": "Yes"})
            of.add(S.SHARE, Unit.SHARE, 1 - p, system, dimensions={"label": "No"})
        for (subject, comparator), (label, difference) in product(PAIRS, (("Yes", 0.14), ("No", -0.14))):
            pair = {"subject": subject, "comparator": comparator, "dimensions": {"label": label}, "n_raters": 9}
            of.add(S.SHARE_DIFFERENCE, Unit.SHARE, difference, half=0.1, ci_reason=(Reason.FEW_CLUSTERS,), **pair)
        rows += of.rows
    return rows


def _wins(population: str) -> list[dict]:
    of = _Rows("wins", "win_rates", "overall", population)
    games = (410, 220, 90, 20), (300, 310, 100, 22), (120, 520, 60, 31), (560, 90, 80, 9)
    for rank, system, (won, lost, tied, failed) in zip((2, 3, 4, 1), SYSTEMS, games):
        n = won + lost + tied + failed
        of.add(S.WIN_RATE, Unit.SHARE, won / n, system, half=0.05, n_judgments=n, n_raters=90)
        of.add(S.RANK, Unit.RANK, rank, system)
        of.add(S.WIN_RATE_DECISIVE, Unit.SHARE, won / (won + lost), system)
        of.add(S.WIN_RATE_HALF, Unit.SHARE, (won + tied / 2) / (won + lost + tied), system)
        for statistic, count in ((S.WINS, won), (S.LOSSES, lost), (S.TIES, tied), (S.BOTH_FAIL, failed)):
            of.add(statistic, Unit.COUNT, count, system)
    for subject, comparator in PAIRS:
        of.add(S.WIN_RATE, Unit.SHARE, 0.58, subject, comparator=comparator, half=0.07)
        of.add(S.WINS, Unit.COUNT, 140, subject, comparator=comparator)
    return of.rows


def _elo() -> list[dict]:
    of = _Rows("elo", "elo", "overall")
    for system, rating in zip(SYSTEMS, (1031.4567, 994.9123, 899.0011, 1074.63)):
        of.add(S.RATING, Unit.ELO, rating, system, half=18.123, n_judgments=1400, n_raters=90)
        of.add(S.RATING_MC_ERROR, Unit.ELO, 0.31, system)
        of.add(S.RATING_ORDER_SD, Unit.ELO, 31.2, system)
        of.add(S.GAMES, Unit.COUNT, 1400, system)
        if system != "human":
            of.add(S.RATING_DIFFERENCE, Unit.ELO, rating - 1074.63, system, comparator="human", half=25.2)
    return of.rows


def _bradley_terry() -> list[dict]:
    of = _Rows("bt", "bradley_terry", "overall")
    for system, rating in zip(SYSTEMS, (1040.2, 988.3, 860.9, 1110.6)):
        of.add(S.RATING, Unit.ELO, rating, system, half=22, n_judgments=1400)
        of.add(S.MEAN_RANK, Unit.RANK, 3 - rating / 1000, system, half=0.2)
    of.add(S.TIE_PARAMETER, Unit.RATIO, 0.376, half=0.05, subject_kind="study", n_judgments=1400)
    for subject, comparator in PAIRS:
        pair = {"subject": subject, "comparator": comparator}
        of.add(S.RATING_DIFFERENCE, Unit.ELO, 51.9, half=31, **pair)
        of.add(S.RATING_DIFFERENCE_T, Unit.T, 3.3, df=89, p_value=0.001, p_adjusted=0.006, **pair, **_HOLM)
        of.add(S.WIN_PROBABILITY, Unit.PROBABILITY, 0.574, **pair)
    refused = _Rows("bt", "bradley_terry", "overall", "gpt-4")
    why = {"status": Status.NOT_ESTIMABLE, "reason": (Reason.NOT_STRONGLY_CONNECTED, Reason.ORDERED)}
    for system in SYSTEMS:
        refused.add(S.RATING, Unit.ELO, None, system, n_judgments=500, **why)
    return of.rows + refused.rows


def _agreement() -> list[dict]:
    of = _Rows("agreement", "agreement", "overall")
    for statistic, value in (
        (S.RAW_AGREEMENT, 0.73),
        (S.FLEISS_KAPPA, 0.426),
        (S.KRIPPENDORFF_ALPHA, 0.427),
        (S.KENDALL_W, 0.644),
    ):
        of.add(statistic, Unit.COEFFICIENT, value, half=0.06, n_units=420, n_raters=90, n_cases=42)
    labels = (*SYSTEMS, "tie")
    for i, first in enumerate(labels):
        of.add(S.PREVALENCE, Unit.SHARE, 0.2, dimensions={"label": first})
        for j, second in enumerate(labels):
            both = {"label": first, "label2": second}
            of.add(S.CONFUSION, Unit.COUNT, float(90 - 17 * abs(i - j)), dimensions=both)
    why = {"status": Status.UNDEFINED, "reason": (Reason.ONE_CATEGORY,)}
    for first, second in (("r001", "r002"), ("r001", "r003"), ("r002", "r003")):
        of.add(S.COHEN_KAPPA, Unit.COEFFICIENT, None, first, comparator=second, n_units=12, **why)
    of.add(S.UNITS, Unit.COUNT, 420)
    of.add(S.MISSING_SHARE, Unit.SHARE, 0.0004)
    return of.rows
