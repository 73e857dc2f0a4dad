"""Families of tests: which p-values are adjusted together, and how many expectations they recover.

Belongs here: METHODS 0.4 and the counting of `expectations` (METHODS 1), for every method with headline tests.
Does not: the tests.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from data_contracts.errors import SpecificationError
from data_contracts.estimates import ALL, Cut, Estimate
from data_contracts.specification import StudySpec
from data_contracts.specification_analyses import Expectation, LengthEffects, PairTests
from data_contracts.vocabulary import Reason, Statistic, Status, Unit
from juryline.analyses.labelling import STUDY, labelled
from juryline.estimators.holm import holm
from juryline.estimators.quantity import Quantity

HEADLINE_TESTS = (
    Statistic.SPA_T,
    Statistic.MEAN_DIFFERENCE_T,
    Statistic.SHARE_DIFFERENCE_T,
    Statistic.RATING_DIFFERENCE_T,
    Statistic.LENGTH_CONTRAST_T,
    Statistic.DRIFT_T,
)
WITH_SLICES = "with_slices"


def with_holm(estimates: Sequence[Estimate], analysis: PairTests | LengthEffects, family_size: int) -> list[Estimate]:
    """The estimates of one analysis, in their order, with the p-values of its headline tests adjusted.

    Parameters
    ----------
    family_size : int
        Headline tests that the specification declares for one population, unsliced: criteria x pairs, or criteria x
        systems (`length_contrast_t`) or x batches but the first (`drift_t`).

    Notes
    -----
    A family is a population, a slice value (with `family: with_slices`: all of them and the whole) and a scenario; of a
    statistic with a label it is one label, since the shares of two labels are one question asked twice.
    `correction: none` leaves `p_adjusted` equal to the p-value.
    """
    rows = list(estimates)
    families: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        if row.statistic in HEADLINE_TESTS:
            families.setdefault(_family(row, analysis), []).append(place)
    for name, places in families.items():
        sliced = {(rows[place].cut.slice, rows[place].cut.slice_value) for place in places}
        size = family_size * len(sliced)
        p_values = [rows[place].p_value for place in places]
        adjusted = p_values if analysis.correction == "none" else holm(p_values, size)
        for place, p in zip(places, adjusted):
            rows[place] = replace(
                rows[place], p_adjusted=p, correction=analysis.correction, family=name, family_size=size
            )
    return rows


def expectation_rows(
    estimates: Sequence[Estimate],
    analysis: PairTests,
    spec: StudySpec,
    source: Callable[[Cut], str],
    better_labels: Callable[[Cut], Sequence[str]] | None = None,
) -> list[Estimate]:
    """How many declared expectations the headline tests of each cut recover, one row an alpha.

    Parameters
    ----------
    estimates : sequence of Estimate
        Of one analysis, after `with_holm`.
    better_labels : callable, optional
        For a statistic with labels: those of a cut of which more is better.

    Raises
    ------
    SpecificationError
        An expectation about a pair that the analysis does not test.

    Notes
    -----
    `better: [X, Y]` is recovered if p_adjusted < alpha and the estimate lies above its null value; `similar` if
    p_adjusted >= alpha, which is absence of evidence and not equivalence. A test without a p-value recovers neither;
    where no test has one, nothing is counted.
    """
    if not spec.expectations:
        return []
    tests: dict[tuple[Cut, str | None], dict[tuple[str, str | None], Estimate]] = {}
    for row in estimates:
        label = row.dimensions.get("label")
        if row.statistic in HEADLINE_TESTS and (better_labels is None or label in better_labels(row.cut)):
            tests.setdefault((row.cut, label), {})[(row.subject, row.comparator)] = row
    return [
        row
        for (cut, label), by_pair in tests.items()
        for row in _recovered(cut, label, by_pair, analysis, spec.expectations, source(cut))
    ]


def _family(row: Estimate, analysis: PairTests | LengthEffects) -> str:
    parts = [row.cut.analysis, row.cut.population]
    if isinstance(analysis, PairTests) and analysis.family == WITH_SLICES:
        parts.append(WITH_SLICES)
    elif row.cut.slice != ALL:
        parts.append(f"{row.cut.slice}={row.cut.slice_value}")
    if "label" in row.dimensions:
        parts.append(f"label={row.dimensions['label']}")
    return "/".join(parts) + ("" if row.scenario == "frozen" else f"@{row.scenario}")


def _recovered(
    cut: Cut,
    label: str | None,
    by_pair: dict[tuple[str, str | None], Estimate],
    analysis: PairTests,
    expectations: Sequence[Expectation],
    source: str,
) -> list[Estimate]:
    met = [_oriented(expectation, by_pair, analysis) for expectation in expectations]
    of_label: dict[str, object] = {} if label is None else {"label": label}

    def count(statistic: Statistic, n: Quantity, **dimensions: float) -> Estimate:
        return labelled(
            cut,
            statistic,
            Unit.COUNT,
            n,
            subject=STUDY,
            subject_kind="study",
            source=source,
            dimensions=of_label | dimensions,
            n_units=len(met),
        )

    rows = [count(Statistic.EXPECTED_TOTAL, Quantity.of(len(met)))]
    for alpha in analysis.alpha:
        n = sum(_holds(expectation, test, sign, alpha) for expectation, (test, sign) in zip(expectations, met))
        rows.append(count(Statistic.EXPECTED_RECOVERED, _untested(met) or Quantity.of(n), alpha=alpha))
    return rows


def _untested(met: list[tuple[Estimate, int]]) -> Quantity | None:
    """Why nothing is counted, where no test has a value: 0 would look like a finding."""
    tests = [test for test, _ in met]
    if any(test.status is Status.OK for test in tests):
        return None
    first = min((test.status for test in tests), key=list(Status).index)
    return Quantity.missing(first, *sorted({Reason(code) for test in tests for code in test.reason}))


def _oriented(
    expectation: Expectation, by_pair: dict[tuple[str, str | None], Estimate], analysis: PairTests
) -> tuple[Estimate, int]:
    first, second = expectation.pair
    if (first, second) in by_pair:
        return by_pair[first, second], 1
    if (second, first) in by_pair:
        return by_pair[second, first], -1
    raise SpecificationError(
        f"analysis {analysis.id} does not test the expected pair [{first}, {second}]",
        where=f"study.yaml, analyses, {analysis.id}, pairs",
        fix=f"add [{first}, {second}] to pairs, or remove the expectation",
    )


def _holds(expectation: Expectation, test: Estimate, sign: int, alpha: float) -> bool:
    if test.p_adjusted is None or test.value is None:
        return False
    if expectation.similar:
        return test.p_adjusted >= alpha
    return test.p_adjusted < alpha and sign * test.value > 0
