import json
from pathlib import Path

import numpy as np
import pytest

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.agreement_coefficient import estimate_coefficient
from juryline.estimators.agreement_units import tally_ratings
from juryline.estimators.brennan_prediger import BrennanPrediger
from juryline.estimators.cohen_kappa import CohenKappa, LightKappa, disagreement_weights
from juryline.estimators.conger_kappa import CongerKappa
from juryline.estimators.fleiss_kappa import FleissKappa
from juryline.estimators.gwet_ac import GwetAC, agreement_weights
from juryline.estimators.krippendorff_alpha import (
    IntervalAlpha,
    KrippendorffAlpha,
    NominalDistance,
    OrdinalAlpha,
    RatioDistance,
)
from juryline.estimators.merged_units import merged_units
from juryline.estimators.population_kappa import PopulationAgreement, PopulationKappa, cross_table
from juryline.estimators.raw_agreement import RawAgreement

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement.json").read_text())
TABLE = GOLDEN["four_by_twelve"]
SHARED = Path(__file__).parents[3] / "shared" / "data" / "agreement_reference.json"
ALL = ("raw_agreement", "fleiss_kappa", "gwet_ac1", "brennan_prediger", "conger_kappa", "light_kappa", "alpha_nominal")
ORDERED = ("gwet_ac2_quadratic", "gwet_ac2_linear", "alpha_ordinal", "alpha_interval", "alpha_ratio")


def coefficient(name, levels, mirror=None):
    q, values = len(levels), np.arange(1.0, len(levels) + 1)
    return {
        "raw_agreement": lambda: RawAgreement(),
        "fleiss_kappa": lambda: FleissKappa(mirror=mirror),
        "gwet_ac1": lambda: GwetAC(weights=np.eye(q), mirror=mirror),
        "gwet_ac2_quadratic": lambda: GwetAC(weights=agreement_weights(values, power=2), mirror=mirror),
        "gwet_ac2_linear": lambda: GwetAC(weights=agreement_weights(values, power=1), mirror=mirror),
        "brennan_prediger": lambda: BrennanPrediger(n_labels=q),
        "conger_kappa": lambda: CongerKappa(n_labels=q, mirror=mirror),
        "light_kappa": lambda: LightKappa(n_labels=q, mirror=mirror),
        "cohen_kappa": lambda: cohen(0, 1, q, mirror=mirror),
        "alpha_nominal": lambda: KrippendorffAlpha(distance=NominalDistance(), mirror=mirror),
        "alpha_ordinal": lambda: OrdinalAlpha(n_labels=q),
        "alpha_interval": lambda: IntervalAlpha(values=values, scale_range=float(q - 1)),
        "alpha_ratio": lambda: KrippendorffAlpha(distance=RatioDistance(values), mirror=None),
    }[name]()


def cohen(first, second, q, power=0, mirror=None):
    return CohenKappa(first=first, second=second, disagreement=disagreement_weights(q, power=power), mirror=mirror)


def random_table(seed, units=60, raters=4, levels=4, missing=0.25):
    """Raters who repeat a unit's true level three times in five, with cells left out."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(levels, size=(units, 1))
    labels = np.where(draw.random((units, raters)) < 0.6, truth, draw.integers(levels, size=(units, raters)))
    holes = draw.random((units, raters)) < missing
    return [[None if hole else int(label) for label, hole in zip(*row)] for row in zip(labels, holes)]


@pytest.mark.parametrize("name", TABLE["expected"])
def test_published_table_gives_the_published_coefficient(name, rated):
    ratings = rated(TABLE["units"], TABLE["levels"])

    found = estimate_coefficient(coefficient(name, TABLE["levels"]), ratings)

    assert found.value == pytest.approx(TABLE["expected"][name], abs=TABLE["tolerance"])
    assert found.reason == (Reason.UNIT_COUNT_BELOW_30,)


@pytest.mark.parametrize("pair", TABLE["cohen"])
def test_cohen_reads_only_units_that_both_rated(pair, rated):
    found = estimate_coefficient(cohen(*pair["raters"], 5), rated(TABLE["units"], TABLE["levels"]))

    assert found.value == pytest.approx(pair["expected"], abs=TABLE["tolerance"])


@pytest.mark.parametrize("name", TABLE["without_the_unit_rated_once"])
def test_a_unit_rated_once_says_how_common_its_label_is(name, rated):
    several = [row for row in TABLE["units"] if sum(label is not None for label in row) > 1]

    found = estimate_coefficient(coefficient(name, TABLE["levels"]), rated(several, TABLE["levels"]))

    assert found.value == pytest.approx(TABLE["without_the_unit_rated_once"][name], abs=TABLE["tolerance"])


@pytest.mark.parametrize(
    "name", ["raw_agreement", "brennan_prediger", "light_kappa", "alpha_nominal", "alpha_interval"]
)
def test_a_unit_rated_once_changes_nothing_else(name, rated):
    several = [row for row in TABLE["units"] if sum(label is not None for label in row) > 1]
    asked = coefficient(name, TABLE["levels"])

    without = estimate_coefficient(asked, rated(several, TABLE["levels"]))

    assert estimate_coefficient(asked, rated(TABLE["units"], TABLE["levels"])) == without


def test_reference_file_gives_its_expected_coefficients(rated):
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is absent")
    reference = json.loads(SHARED.read_text())
    names = {"fleiss_kappa_nominal": "fleiss_kappa", "krippendorff_alpha_nominal": "alpha_nominal"}
    checked = 0
    for study in reference.values():
        levels = sorted({label for row in study["values"] for label in row if label is not None})
        ratings = rated(study["values"], levels)
        metrics = study["expected"].get("krippendorff_alpha")
        expected = {name: value for name, value in study["expected"].items() if name != "krippendorff_alpha"}
        if isinstance(metrics, dict):
            expected |= {f"alpha_{metric}": value for metric, value in metrics.items()}
        elif metrics is not None:
            expected["alpha_nominal"] = metrics
        for name, value in expected.items():
            found = estimate_coefficient(coefficient(names.get(name, name), levels), ratings)
            if value == "undefined":
                assert (found.value, found.status) == (None, Status.UNDEFINED), name
            else:
                assert found.value == pytest.approx(value, abs=6e-5), name
            checked += 1
    assert checked >= 15


def test_naming_the_other_system_first_changes_only_the_oriented_form(rated):
    golden = GOLDEN["orientation"]["two_raters"]
    labels, mirror = GOLDEN["orientation"]["labels"], np.array(GOLDEN["orientation"]["mirror"])
    ratings = rated(golden["units"], labels)

    raw = estimate_coefficient(RawAgreement(), ratings)
    oriented = estimate_coefficient(cohen(0, 1, 3), ratings)
    symmetrised = estimate_coefficient(cohen(0, 1, 3, mirror=mirror), ratings)

    assert raw.value == golden["expected"]["raw_agreement"]
    assert oriented.value == pytest.approx(golden["expected"]["cohen_oriented"], abs=5e-8)
    assert symmetrised.value == pytest.approx(golden["expected"]["cohen"], abs=5e-8)


def test_alpha_of_pairs_mirrors_the_counts_and_not_the_pairs_of_ratings(rated):
    golden = GOLDEN["orientation"]["counts"]
    labels, mirror = GOLDEN["orientation"]["labels"], np.array(GOLDEN["orientation"]["mirror"])
    ratings = rated(golden["units"], labels)

    oriented = estimate_coefficient(coefficient("alpha_nominal", labels), ratings)
    symmetrised = estimate_coefficient(coefficient("alpha_nominal", labels, mirror), ratings)

    assert oriented.value == pytest.approx(golden["expected"]["alpha_oriented"], abs=5e-8)
    assert symmetrised.value == pytest.approx(golden["expected"]["alpha"], abs=5e-8)


@pytest.mark.parametrize(
    "name", ["fleiss_kappa", "gwet_ac1", "conger_kappa", "light_kappa", "cohen_kappa", "alpha_nominal"]
)
def test_swapping_the_names_of_some_pairs_changes_no_symmetrised_coefficient(name, rated):
    table, mirror = random_table(3, levels=3), [1, 0, 2]
    swapped = [
        row if u % 3 else [None if label is None else mirror[label] for label in row] for u, row in enumerate(table)
    ]
    asked = coefficient(name, range(3), np.array(mirror))

    before = estimate_coefficient(asked, rated(table, range(3)))

    assert estimate_coefficient(asked, rated(swapped, range(3))).value == pytest.approx(before.value, abs=1e-12)


def test_populations_agree_by_their_shares_and_not_by_a_majority(rated):
    golden = GOLDEN["populations"]
    ratings, in_second = rated(golden["units"], golden["labels"]), np.array(golden["in_second"])

    agreement = estimate_coefficient(PopulationAgreement(in_second=in_second), ratings)
    kappa = estimate_coefficient(PopulationKappa(in_second=in_second, mirror=None), ratings)

    assert agreement.value == pytest.approx(golden["expected"]["agreement"], abs=golden["tolerance"])
    assert kappa.value == pytest.approx(golden["expected"]["kappa"], abs=golden["tolerance"])
    assert cross_table(ratings, in_second).tolist() == [[1.5, 0], [0.5, 1]]


def test_one_rater_in_each_population_is_cohens_kappa(rated):
    ratings = rated(random_table(5, raters=2), range(4))

    kappa = estimate_coefficient(PopulationKappa(in_second=np.array([False, True]), mirror=None), ratings)

    assert kappa.value == pytest.approx(estimate_coefficient(cohen(0, 1, 4), ratings).value, abs=1e-12)


def test_chance_makes_ac1_high_and_kappa_zero_where_one_label_prevails(rated):
    golden = GOLDEN["independent_with_prevalence"]
    units = [[k, m] for k, row in enumerate(golden["table"]) for m, count in enumerate(row) for _ in range(count)]

    found = {
        name: estimate_coefficient(coefficient(name, range(2)), rated(units, range(2))) for name in golden["expected"]
    }

    assert {name: quantity.value for name, quantity in found.items()} == pytest.approx(
        golden["expected"], abs=golden["tolerance"]
    )


@pytest.mark.parametrize("name", [*ALL, *ORDERED])
def test_no_shared_unit_is_undefined_not_zero(name, rated):
    found = estimate_coefficient(coefficient(name, range(3)), rated([[0, None], [None, 1]], range(3)))

    assert (found.value, found.status, found.reason) == (None, Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))


@pytest.mark.parametrize("name", [*ALL, *ORDERED])
def test_nothing_rated_is_undefined_not_an_error(name, rated):
    found = estimate_coefficient(coefficient(name, range(3)), rated([], range(3)))

    assert (found.value, found.status, found.reason) == (None, Status.UNDEFINED, (Reason.NO_SHARED_UNIT,))


@pytest.mark.parametrize(
    "name",
    [
        "fleiss_kappa",
        "conger_kappa",
        "light_kappa",
        "cohen_kappa",
        "alpha_nominal",
        "alpha_ordinal",
        "alpha_interval",
        "alpha_ratio",
    ],
)
def test_one_category_is_undefined_not_one(name, rated):
    found = estimate_coefficient(coefficient(name, range(3)), rated([[1, 1, 1], [1, 1, 1], [1, 1, None]], range(3)))

    assert (found.value, found.status, found.reason) == (None, Status.UNDEFINED, (Reason.ONE_CATEGORY,))


@pytest.mark.parametrize("name", ["raw_agreement", "gwet_ac1", "gwet_ac2_quadratic", "brennan_prediger"])
def test_one_category_of_several_declared_is_full_agreement_where_chance_has_room(name, rated):
    found = estimate_coefficient(coefficient(name, range(3)), rated([[1, 1], [1, 1]], range(3)))

    assert found.value == 1


@pytest.mark.parametrize("name", ["gwet_ac1", "brennan_prediger"])
def test_a_single_declared_label_leaves_nothing_to_agree_on(name, rated):
    one = GwetAC(weights=np.eye(1), mirror=None) if name == "gwet_ac1" else BrennanPrediger(n_labels=1)

    found = estimate_coefficient(one, rated([[0, 0], [0, 0]], range(1)))

    assert (found.value, found.reason) == (None, (Reason.ONE_CATEGORY,))


def test_answers_that_differ_by_rounding_are_one_category(rated):
    values = np.array([0.3, 0.1 + 0.2])

    found = estimate_coefficient(
        IntervalAlpha(values=values, scale_range=1.0), rated([[0, 1], [1, 0], [0, 0]], range(2))
    )

    assert (found.value, found.reason) == (None, (Reason.ONE_CATEGORY,))


def test_opposed_raters_disagree_more_than_by_chance(rated):
    found = estimate_coefficient(coefficient("alpha_nominal", "AB"), rated([["A", "B"], ["B", "A"]], "AB"))

    assert found.value == pytest.approx(-0.5)


def test_an_unobserved_level_still_spaces_the_others(rated):
    # Weights by hand: levels 0 and 1 are half the scale 0..2 apart, all of the scale 0..1.
    table = [[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]]
    p_o, p_e = 2 / 5, 2 * (3 / 5) * (2 / 5)

    wide = estimate_coefficient(cohen(0, 1, 3, power=2), rated(table, range(3)))
    agreement = estimate_coefficient(coefficient("gwet_ac2_linear", range(3)), rated(table, range(3)))

    assert wide.value == pytest.approx(1 - p_o / p_e)
    weights_sum = 3 + 4 * 0.5
    expected = weights_sum * (0.6 * 0.4 + 0.4 * 0.6) / 6
    assert agreement.value == pytest.approx((1 - p_o / 2 - expected) / (1 - expected))


def test_repeats_of_one_rater_are_shares_and_never_agree_with_themselves():
    # Unit 0: rater 0 says A and B once each, rater 1 says A. Unit 1: rater 0 says B twice, rater 1 nothing.
    ratings = tally_ratings(
        np.array([0, 0, 0, 1]),
        np.array([0, 0, 1, 0]),
        np.array([0, 1, 0, 1]),
        np.array([1, 1, 1, 2]),
        n_units=2,
        n_raters=2,
        n_labels=2,
    )

    assert ratings.raters_per_unit.tolist() == [2, 1]
    assert ratings.matches.tolist() == [1.0, 0.0]
    assert estimate_coefficient(RawAgreement(), ratings).value == 0.5


@pytest.mark.parametrize("name", [*ALL, *ORDERED, "cohen_kappa"])
def test_shares_of_equal_repeats_are_the_same_as_one_judgment(name, rated):
    table = random_table(11)
    once = rated(table, range(4))
    twice = tally_ratings(
        once.unit, once.rater, once.label, np.full(len(once.unit), 2), n_units=once.n_units, n_raters=4, n_labels=4
    )

    asked = coefficient(name, range(4))

    assert estimate_coefficient(asked, twice) == estimate_coefficient(asked, once)


@pytest.mark.parametrize("name", [*ALL, *ORDERED, "cohen_kappa"])
def test_the_order_of_rows_changes_no_digit(name, rated):
    ratings = rated(random_table(7), range(4))
    shuffled = np.random.default_rng(1).permutation(len(ratings.unit))
    again = tally_ratings(
        ratings.unit[shuffled],
        ratings.rater[shuffled],
        ratings.label[shuffled],
        np.ones(len(shuffled), dtype=int),
        n_units=ratings.n_units,
        n_raters=4,
        n_labels=4,
    )

    asked = coefficient(name, range(4))

    assert estimate_coefficient(asked, again) == estimate_coefficient(asked, ratings)


@pytest.mark.parametrize("raters", [4, 60])
@pytest.mark.parametrize("name", [*ALL, *ORDERED])
def test_ratings_are_read_alike_in_any_order_and_of_any_width(name, raters, rated):
    # Sixty raters have more patterns than an integer holds: only nameless ones are merged.
    table = random_table(14, raters=raters, missing=0.2)
    cells = [(u, r, label) for u, row in enumerate(table) for r, label in enumerate(row) if label is not None]
    unit, rater, label = np.array(cells).T
    sizes = {"n_units": len(table), "n_raters": raters, "n_labels": 4}
    order = np.random.default_rng(2).permutation(len(unit))
    ordered = tally_ratings(unit.astype(np.int32), rater.astype(np.uint8), label.astype(np.int8), None, **sizes)
    put_in_order = tally_ratings(unit[order], rater[order], label[order], np.ones(len(unit), dtype=int), **sizes)

    assert [ordered.unit.tolist(), ordered.rater.tolist(), ordered.label.tolist()] == [
        put_in_order.unit.tolist(),
        put_in_order.rater.tolist(),
        put_in_order.label.tolist(),
    ]
    asked = coefficient(name, range(4))
    assert estimate_coefficient(asked, ordered) == estimate_coefficient(asked, put_in_order)


@pytest.mark.parametrize("missing", [0, 0.3])
def test_ratings_read_in_parts_are_those_read_at_once(missing, rated, monkeypatch):
    table = random_table(15, units=120, missing=missing)
    whole = rated(table, range(4))
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    monkeypatch.setattr("juryline.estimators.rating_patterns._ROWS_A_PART", 23)

    parts = rated(table, range(4))

    assert parts.patterns.number.tolist() == whole.patterns.number.tolist()
    for named in (True, False):
        one, other = (merged_units(ratings, named=named) for ratings in (whole, parts))
        assert other.count.tolist() == one.count.tolist()
        assert other.place.tolist() == one.place.tolist()
        assert other.ratings.label.tolist() == one.ratings.label.tolist()


def test_a_second_judgment_of_a_rater_is_seen_in_whichever_part_it_comes(monkeypatch):
    cells = [(u, r, (u + r) % 3) for u in range(40) for r in range(3)] + [(0, 0, 2)]
    unit, rater, label = np.array(cells).T
    sizes = {"n_units": 40, "n_raters": 3, "n_labels": 3}
    whole = tally_ratings(unit, rater, label, None, **sizes)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr("juryline.estimators.rating_patterns._ROWS_A_PART", 20)

    parts = tally_ratings(unit, rater, label, None, **sizes)

    for ratings in (whole, parts):
        assert ratings.share[:3].tolist() == [0.5, 0.5, 1]
        assert ratings.label[:2].tolist() == [0, 2]


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_unit_that_nobody_rated_is_refused_in_any_order(shuffled):
    unit, rater = np.divmod(np.delete(np.arange(30), [12, 13, 14]), 3)
    order = np.random.default_rng(1).permutation(len(unit)) if shuffled else np.arange(len(unit))

    with pytest.raises(ValueError, match="unit must use every code below 10"):
        tally_ratings(unit[order], rater[order], rater[order], None, n_units=10, n_raters=3, n_labels=3)


def test_as_many_ratings_as_units_and_raters_are_no_sign_that_all_rated_all():
    # Unit 0 by rater 0 twice, unit 1 by both.
    ratings = tally_ratings(
        np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]), np.array([0, 1, 1, 1]), None, n_units=2, n_raters=2, n_labels=2
    )

    assert ratings.raters_per_unit.tolist() == [1, 2]
    assert ratings.share.tolist() == [0.5, 0.5, 1, 1]


@pytest.mark.parametrize("name", [*ALL, *ORDERED])
def test_renaming_raters_changes_nothing(name, rated):
    table = random_table(8)
    asked = coefficient(name, range(4))

    renamed = estimate_coefficient(asked, rated([[row[r] for r in (2, 0, 3, 1)] for row in table], range(4)))

    assert renamed.value == pytest.approx(estimate_coefficient(asked, rated(table, range(4))).value, abs=1e-12)


@pytest.mark.parametrize("name", [*ALL, "cohen_kappa"])
def test_renaming_nominal_labels_changes_nothing(name, rated):
    table = random_table(9)
    asked = coefficient(name, range(4))

    renamed = estimate_coefficient(asked, rated(table, [2, 0, 3, 1]))

    assert renamed.value == pytest.approx(estimate_coefficient(asked, rated(table, range(4))).value, abs=1e-12)


@pytest.mark.parametrize(
    "name",
    ["fleiss_kappa", "cohen_kappa", "light_kappa", "conger_kappa", "alpha_nominal", "alpha_ordinal", "alpha_interval"],
)
def test_independent_raters_are_near_zero(name, rated):
    labels = np.random.default_rng(2).choice(3, p=[0.7, 0.2, 0.1], size=(20_000, 3))

    found = estimate_coefficient(coefficient(name, range(3)), rated(labels.tolist(), range(3)))

    assert abs(found.value) < 0.02


def test_alpha_of_numbers_does_not_move_with_their_origin_or_unit(rated):
    table = random_table(10, levels=5)
    values = np.array([0.0, 1.5, 2.0, 7.0, 9.0])
    ratings = rated(table, range(5))

    plain = estimate_coefficient(IntervalAlpha(values=values, scale_range=9.0), ratings)
    moved = estimate_coefficient(IntervalAlpha(values=1e6 + 100 * values, scale_range=900.0), ratings)

    assert moved.value == pytest.approx(plain.value, abs=1e-9)


def test_moments_and_the_table_of_values_give_one_alpha(rated):
    values = np.array([0.0, 1.5, 2.0, 7.0])
    table = (values[:, np.newaxis] - values) ** 2

    class Squares:
        def between(self, first, second):
            return table[first, second]

        def sum_over(self, counts):
            return counts @ table @ counts

    ratings = rated(random_table(12), range(4))

    moments = estimate_coefficient(IntervalAlpha(values=values, scale_range=7.0), ratings)
    of_table = estimate_coefficient(KrippendorffAlpha(distance=Squares(), mirror=None), ratings)

    assert moments.value == pytest.approx(of_table.value, abs=1e-12)


@pytest.mark.parametrize("widest", [2.0, 1e4, 1e8])
def test_numbers_near_each_other_on_a_wide_scale_still_differ(widest, rated):
    table = random_table(12, levels=3)
    ratings = rated(table, range(3))
    plain = estimate_coefficient(IntervalAlpha(values=np.array([1.0, 2.0, 3.0]), scale_range=2.0), ratings)

    wide = estimate_coefficient(IntervalAlpha(values=np.array([1.0, 2.0, 3.0]), scale_range=widest), ratings)

    assert wide.value == pytest.approx(plain.value, rel=1e-12)


def test_numbers_that_only_rounding_tells_apart_are_one_category(rated):
    values = np.array([0.3, 0.1 + 0.2, 5.0])
    ratings = rated([[0, 1], [1, 0], [1, 1], [2, None]], range(3))

    alpha = estimate_coefficient(IntervalAlpha(values=values, scale_range=10.0), ratings)

    assert (alpha.status, alpha.reason) == (Status.UNDEFINED, (Reason.ONE_CATEGORY,))


def test_alpha_of_more_ratios_than_are_held_at_a_time_is_that_of_the_krippendorff_package(rated, monkeypatch):
    import krippendorff

    monkeypatch.setattr("juryline.estimators.krippendorff_alpha._LABELS_AT_ONCE", 30)

    draw = np.random.default_rng(8)
    numbers = np.round(draw.lognormal(0, 1, (50, 1)) * draw.lognormal(0, 0.3, (50, 2)), 3)
    values, place = np.unique(numbers, return_inverse=True)
    expected = krippendorff.alpha(reliability_data=numbers.T, level_of_measurement="ratio")

    alpha = estimate_coefficient(
        KrippendorffAlpha(distance=RatioDistance(values), mirror=None),
        rated(place.reshape(50, 2).tolist(), range(len(values))),
    )

    assert len(values) > 90
    assert alpha.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_agrees_with_the_krippendorff_package(metric, seed, rated):
    import krippendorff

    table = random_table(seed)
    data = np.array([[np.nan if label is None else label + 1 for label in row] for row in table], dtype=float).T
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement=metric, value_domain=[1, 2, 3, 4])

    found = estimate_coefficient(coefficient(f"alpha_{metric}", range(4)), rated(table, range(4)))

    assert found.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("power", "weights"), [(0, None), (1, "linear"), (2, "quadratic")])
def test_cohen_agrees_with_scikit_learn(power, weights, rated):
    from sklearn.metrics import cohen_kappa_score

    table = random_table(4, raters=2, missing=0)
    expected = cohen_kappa_score(*zip(*table), weights=weights, labels=[0, 1, 2, 3])

    found = estimate_coefficient(cohen(0, 1, 4, power=power), rated(table, range(4)))

    assert found.value == pytest.approx(expected, abs=1e-12)


def test_fleiss_agrees_with_statsmodels(rated):
    from statsmodels.stats.inter_rater import fleiss_kappa

    table = random_table(6, missing=0)
    counts = np.array([[row.count(label) for label in range(4)] for row in table])

    found = estimate_coefficient(coefficient("fleiss_kappa", range(4)), rated(table, range(4)))

    assert found.value == pytest.approx(fleiss_kappa(counts, method="fleiss"), abs=1e-12)


def test_two_raters_make_conger_and_light_cohens_kappa(rated):
    ratings = rated(random_table(13, raters=2, missing=0), range(4))
    expected = estimate_coefficient(cohen(0, 1, 4), ratings).value

    for name in ("conger_kappa", "light_kappa"):
        assert estimate_coefficient(coefficient(name, range(4)), ratings).value == pytest.approx(expected, abs=1e-12)


def test_light_weighs_rater_pairs_by_shared_units_and_skips_those_without_a_value(rated):
    # Raters 0 and 1 share four units, 0 and 2 two units in one category; 1 and 2 share those two as well.
    table = [[0, 0, None], [0, 1, None], [1, 1, 1], [1, 1, 1]]
    expected = estimate_coefficient(cohen(0, 1, 2), rated(table, range(2))).value

    assert estimate_coefficient(coefficient("light_kappa", range(2)), rated(table, range(2))).value == pytest.approx(
        expected
    )


def test_wrong_tallies_are_refused():
    one = np.array([0])
    good = {"n_units": 1, "n_raters": 1, "n_labels": 1}

    with pytest.raises(ValueError, match="one length"):
        tally_ratings(one, one, one, np.array([1, 1]), **good)
    with pytest.raises(ValueError, match="every code below 2"):
        tally_ratings(one, one, one, one + 1, **good | {"n_units": 2})
    with pytest.raises(ValueError, match="codes below 1 and 1"):
        tally_ratings(one, one, one + 1, one + 1, **good)
    with pytest.raises(ValueError, match="count must be"):
        tally_ratings(one, one, one, one, **good)
    with pytest.raises(ValueError, match="two levels"):
        agreement_weights(np.array([3.0, 3.0]), power=2)
    with pytest.raises(ValueError, match="no negative numbers"):
        RatioDistance(np.array([-1.0, 1.0]))
