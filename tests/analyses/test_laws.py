"""Laws of METHODS 14 that the rows of every method keep: order, names, abstentions, opposite pairs, missing systems."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

from data_contracts.tables import OUTPUT_LENGTHS
from data_contracts.vocabulary import State, Statistic, Status, Unit
from juryline.analyses.agreement import agreement_rows
from juryline.analyses.bradley_terry import bradley_terry_rows
from juryline.analyses.elo import elo_rows
from juryline.analyses.judge_agreement import judge_agreement_rows
from juryline.analyses.length_effects import length_effects_rows
from juryline.analyses.likert import likert_rows
from juryline.analyses.order_effects import order_effects_rows
from juryline.analyses.pass_rates import pass_rates_rows
from juryline.analyses.recalibration import recalibration_rows
from juryline.analyses.spa import spa_rows
from juryline.analyses.win_rates import win_rates_rows

SYSTEMS = ("x", "y", "z")
NO_ANSWERS = (State.ABSTAIN, State.UNKNOWN, State.NOT_APPLICABLE, State.MISSING, State.INVALID)
FIRST: dict[str, Any] = {}
VIEWS = ("comparisons", "ratings", "spa_answers")
COUNTS = (Unit.COUNT, Unit.RATERS)

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One analysis of a method, and how to draw judgments for it."""

    analysis: str
    scale: str
    protocol: str
    view: str
    rows: Callable[..., Any]
    draw: Callable[[np.random.Generator], Rows]
    labels: tuple[str, ...] = ()
    judge: str = ""
    reads_several: bool = False

    def specification(self, systems: tuple[str, ...], labels: tuple[str, ...]) -> str:
        declared = ", ".join(f"{{id: {system}}}" for system in systems)
        scale = self.scale.format(levels=", ".join(labels), passing=labels[0] if labels else "")
        return (
            f"systems: [{declared}]\n"
            f"rubric: {{criteria: [{{id: quality, protocol: {self.protocol}{scale}}}]}}\n"
            f"raters: {{populations: [{{id: crowd, kind: human}}{self.judge}]}}\n"
            "assignment: {order: counterbalanced}\n"
            f"analyses: [{{id: one, criterion: quality, {self.analysis}}}]\n"
        )


def answers(draw: np.random.Generator) -> Rows:
    return [
        {"rater": f"r{rater}", "system_x": one, "system_y": other, "value": float(draw.integers(21)) / 20}
        for rater in range(6)
        for one in SYSTEMS
        for other in SYSTEMS
        if one != other and draw.random() < 0.9
    ]


def ratings(levels: tuple[str, ...], protocol: str) -> Callable[[np.random.Generator], Rows]:
    def rated(draw: np.random.Generator) -> Rows:
        rows = []
        for rater, case, system in np.ndindex(5, 4, 3):
            level = levels[draw.integers(len(levels))]
            if draw.random() < 0.8:
                judged = {"rater": f"r{rater}", "case_id": f"c{case}", "system": SYSTEMS[system], "label": level}
                rows.append(judged | {"protocol": protocol, "value": float(level) if level.isdigit() else None})
        return rows

    return rated


def games(draw: np.random.Generator, one_pair_a_case: bool = False) -> Rows:
    outcomes = [("answered", "system_1"), ("answered", "system_2"), ("tie", "tie"), ("both_fail", "both_fail")]
    rows = []
    for rater, case in np.ndindex(6, 6):
        one, other = (np.roll(SYSTEMS, case) if one_pair_a_case else draw.permutation(SYSTEMS))[:2].tolist()
        state, outcome = outcomes[draw.choice(4, p=[0.4, 0.35, 0.2, 0.05])]
        judged = {"rater": f"r{rater}", "case_id": f"c{case}", "system_1": one, "system_2": other}
        rows.append(judged | {"state": state, "outcome": outcome})
    return rows


def judged_games(draw: np.random.Generator) -> Rows:
    """Games that all raters judged; one of six is the judge."""
    return [row | {"population": "gpt" if row["rater"] == "r5" else "crowd"} for row in games(draw, True)]


WORDS = ("Yes", "No", "Partly")
NUMBERS = ("1", "2", "3", "4", "5")
NOMINAL = ', scale: {{measure: nominal, levels: [{levels}], pass: ["{passing}"]}}'
ORDINAL = ", scale: {{measure: ordinal, levels: [{levels}]}}"
PAIRS = {"scale": "", "protocol": "pairwise", "view": "comparisons", "draw": games}
METHODS = {
    "spa": Method(
        analysis="method: spa, answers: mean_of_both",
        scale=", scale: {{measure: probability, min: 0, max: 100}}",
        protocol="spa",
        view="spa_answers",
        rows=spa_rows,
        draw=answers,
    ),
    "likert": Method(
        analysis="method: likert",
        scale=ORDINAL,
        protocol="rating",
        view="ratings",
        rows=likert_rows,
        draw=ratings(NUMBERS, "rating"),
        labels=NUMBERS,
    ),
    "pass_rates": Method(
        analysis="method: pass_rates",
        scale=NOMINAL,
        protocol="checklist",
        view="ratings",
        rows=pass_rates_rows,
        draw=ratings(WORDS, "checklist"),
        labels=WORDS,
    ),
    "win_rates": Method(analysis="method: win_rates", rows=win_rates_rows, **PAIRS),
    "elo": Method(analysis="method: elo, orderings: 20, rounds: 20", rows=elo_rows, **PAIRS),
    "bradley_terry": Method(analysis="method: bradley_terry", rows=bradley_terry_rows, **PAIRS),
    "agreement": Method(
        analysis="method: agreement, rounds: 20",
        scale=NOMINAL,
        protocol="checklist",
        view="ratings",
        rows=agreement_rows,
        draw=ratings(WORDS, "checklist"),
        labels=WORDS,
        reads_several=True,
    ),
    "agreement of pairs": Method(
        analysis="method: agreement, rounds: 20", rows=agreement_rows, reads_several=True, **PAIRS
    ),
    "order_effects": Method(analysis="method: order_effects", rows=order_effects_rows, **PAIRS),
    "length_effects": Method(analysis="method: length_effects", rows=length_effects_rows, reads_several=True, **PAIRS),
    "judge_agreement": Method(
        analysis="method: judge_agreement, judge: gpt, reference: crowd, rounds: 20",
        rows=judge_agreement_rows,
        judge=", {id: gpt, kind: model}",
        reads_several=True,
        **PAIRS | {"draw": judged_games},
    ),
    "recalibration": Method(
        analysis="method: recalibration, judge: gpt, reference: crowd, rounds: 20",
        rows=recalibration_rows,
        judge=", {id: gpt, kind: model}",
        reads_several=True,
        **PAIRS | {"draw": judged_games},
    ),
}
EVERY = pytest.mark.parametrize("name", METHODS)

# Of a pair exchanged: what becomes its opposite, and what becomes 1 minus itself. Other statistics stay as they are.
OPPOSITE = (
    Statistic.SPA_T,
    Statistic.QUESTION_ORDER,
    Statistic.QUESTION_ORDER_T,
    Statistic.MEAN_DIFFERENCE,
    Statistic.MEAN_DIFFERENCE_T,
    Statistic.MEAN_DIFFERENCE_Z,
    Statistic.MEAN_DIFFERENCE_Z_T,
    Statistic.SHARE_DIFFERENCE,
    Statistic.SHARE_DIFFERENCE_T,
    Statistic.RATING_DIFFERENCE,
    Statistic.RATING_DIFFERENCE_T,
    Statistic.ORDINAL_LOG_ODDS,
    Statistic.ORDINAL_LOG_ODDS_CONDITIONAL,
)
COMPLEMENT = (
    Statistic.SPA_PREFERENCE,
    Statistic.EXPOSURE_PREFERENCE,
    Statistic.SUPERIORITY,
    Statistic.WIN_PROBABILITY,
    Statistic.WIN_RATE_DECISIVE,
    Statistic.WIN_RATE_HALF,
)
OF_ONE_SIDE = (Statistic.WIN_RATE, Statistic.WINS, Statistic.LOSSES)  # the other side's is another number
OF_STATES = (Statistic.RESPONSE_AGREEMENT, Statistic.MISSING_SHARE, Statistic.RATERS)  # of who was asked
NUMBERS_OF_A_ROW = ("value", "std_error", "df", "ci_low", "ci_high", "p_value", "p_adjusted")


@pytest.fixture
def estimate(specification, view):
    """Every estimate of a method by what it is of, names given back as they were before `renamed`."""

    def run(method, rows, systems=SYSTEMS, labels=None, renamed=None):
        spec = specification(method.specification(systems, labels or method.labels))
        views = {kind: view(kind, rows if kind == method.view else []) for kind in VIEWS}
        back = {new: old for old, new in (renamed or {}).items()}
        of_analysis = views | {"output_lengths": lengths(systems, back)} if method.reads_several else views[method.view]
        found = {}
        for one in method.rows(spec.analyses[0], spec, of_analysis):
            names = frozenset(back.get(name, name) for name in (one.subject, one.comparator))
            dimensions = tuple((key, back.get(value, value)) for key, value in one.dimensions.items())
            found[names, one.statistic, dimensions] = one
        return found

    return run


@pytest.fixture
def first(estimate):
    """Estimates of a method's judgments as they were drawn, made once for all laws."""

    def run(name):
        if name not in FIRST:
            FIRST[name] = estimate(METHODS[name], drawn(METHODS[name]))
        return FIRST[name]

    return run


def lengths(systems, back):
    """How long each system's output of each case is: by its name before any other."""
    given = [
        {
            "case_id": f"c{case}",
            "system": system,
            "length": 10 + (7 * case + 5 * SYSTEMS.index(back.get(system, system))) % 4,
        }
        for case in range(6)
        for system in systems
    ]
    rows = [row | {"unit": "words", "alone": True} for row in given]
    columns = {column.name: [row.get(column.name) for row in rows] for column in OUTPUT_LENGTHS}
    return ibis.memtable(pa.table(columns, OUTPUT_LENGTHS.arrow_schema))


def drawn(method, seed=0):
    """Judgments of a study, each with ids of its own, so that no law hangs on where it stands."""
    rows = method.draw(np.random.default_rng(seed))
    return [row | {"record_id": f"j{place:04d}", "judgment_id": f"j{place:04d}"} for place, row in enumerate(rows)]


def in_other_names(rows, names):
    return [{key: names.get(value, value) for key, value in row.items()} for row in rows]


def close(found, expected):
    """Whether numbers are the same but for rounding, and missing where the others are."""
    return all(
        one == other if None in (one, other) else one == pytest.approx(other, rel=1e-9, abs=1e-9)
        for one, other in zip(found, expected, strict=True)
    )


def assert_alike(one, other, numbers=NUMBERS_OF_A_ROW):
    assert one.keys() == other.keys()
    for key, row in one.items():
        again = other[key]
        assert (again.status, again.reason, again.ci_status) == (row.status, row.reason, row.ci_status), key
        assert close(*([getattr(which, name) for name in numbers] for which in (again, row))), key


@EVERY
def test_the_order_of_rows_changes_no_digit(estimate, first, name):
    method = METHODS[name]
    rows = drawn(method)
    shuffled = [rows[place] for place in np.random.default_rng(1).permutation(len(rows))]

    assert estimate(method, shuffled) == first(name)


@EVERY
def test_renaming_systems_changes_nothing_but_their_names(estimate, first, name):
    method = METHODS[name]
    rows, names = drawn(method), {"x": "sigma", "y": "rho", "z": "tau"}

    renamed = estimate(method, in_other_names(rows, names), systems=("sigma", "rho", "tau"), renamed=names)

    assert_alike(first(name), renamed)


@EVERY
def test_renaming_raters_changes_nothing_but_their_names(estimate, first, name):
    method = METHODS[name]
    rows, names = drawn(method), {f"r{n}": f"q{(5 * n + 3) % 7}" for n in range(6)}

    renamed = estimate(method, in_other_names(rows, names), renamed=names)

    # Rounds draw patterns of labels by raters, in the order of their codes: other names are other draws.
    by_patterns = method.rows in (agreement_rows, judge_agreement_rows)
    assert_alike(first(name), renamed, ("value",) if by_patterns else NUMBERS_OF_A_ROW)


@pytest.mark.parametrize("name", ["pass_rates", "agreement"])
def test_renaming_labels_changes_nothing_but_their_names(estimate, first, name):
    method = METHODS[name]
    rows, names = drawn(method), {"Yes": "c", "No": "b", "Partly": "a"}

    renamed = estimate(method, in_other_names(rows, names), labels=("c", "b", "a"), renamed=names)

    assert_alike(first(name), renamed)


@EVERY
def test_abstentions_of_any_kind_change_no_number_and_are_counted(estimate, first, name):
    method = METHODS[name]
    rows, nothing = drawn(method), {"label": None, "value": None, "outcome": None}
    silent = [rows[7 * place] | nothing | {"state": state} for place, state in enumerate(NO_ANSWERS)]
    strangers = [row | {"rater": "stranger", "case_id": row.get("case_id")} for row in silent]
    added = [
        row | {"record_id": f"k{place}", "judgment_id": f"k{place}"} for place, row in enumerate(silent + strangers)
    ]

    one, other = first(name), estimate(method, rows + added)

    kept = {key: row for key, row in one.items() if key[1] not in OF_STATES}
    assert_alike(kept, {key: other[key] for key in kept})
    for state in NO_ANSWERS:
        assert max(row.states.get(state, 0) for row in other.values()) == 2, state


@EVERY
def test_exchanging_subject_and_comparator_gives_the_opposite(estimate, first, name):
    method = METHODS[name]
    rows = drawn(method)

    one, other = first(name), estimate(method, rows, systems=SYSTEMS[::-1])

    assert one.keys() == other.keys()
    for key, row in one.items():
        again, statistic = other[key], key[1]
        if row.comparator is None or row.subject_kind != "system" or statistic in OF_ONE_SIDE:
            continue
        assert (row.subject, row.comparator) == (again.comparator, again.subject)
        before = (row.value, row.ci_low, row.ci_high)
        if statistic in OPPOSITE + COMPLEMENT and None not in before[:1]:
            whole = float(statistic in COMPLEMENT)
            before = tuple(None if end is None else whole - end for end in (row.value, row.ci_high, row.ci_low))
        assert close((again.value, again.ci_low, again.ci_high), before), key
        assert close((again.p_value, again.p_adjusted), (row.p_value, row.p_adjusted)), key


@EVERY
def test_a_system_nobody_judged_has_no_number_and_not_a_middle_one(estimate, name):
    method = METHODS[name]
    rows = [row for row in drawn(method) if "z" not in row.values()]

    found = estimate(method, rows)

    of_z = {key: row for key, row in found.items() if "z" in key[0] and row.subject_kind == "system"}
    assert of_z or "agreement" in name or name == "order_effects"
    for key, row in of_z.items():
        assert row.value in (None, 0.0), key
        if row.value is None:
            assert row.status is not Status.OK
        else:
            assert row.unit in COUNTS, key
