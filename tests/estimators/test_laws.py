"""Laws of estimators, over drawn inputs: what may be renamed, exchanged, added or scaled without changing what."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from juryline.estimators.bradley_terry import bradley_terry
from juryline.estimators.cluster_variance import ClusterVariance, cluster_variance
from juryline.estimators.elo import elo_ratings
from juryline.estimators.games import Games, PairTallies
from juryline.estimators.holm import holm
from juryline.estimators.inference import one_sample_t
from juryline.estimators.matched import Ratings, estimate_difference, estimate_superiority, match_cells
from juryline.estimators.spa import PairAnswers, estimate_preference
from juryline.estimators.wilson import wilson_effective

some = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def drawn_games(seed, n_systems=4, n_games=40):
    draw = np.random.default_rng(seed)
    first = draw.integers(n_systems, size=n_games)
    return Games(
        first=first,
        second=(first + draw.integers(1, n_systems, size=n_games)) % n_systems,
        outcome=draw.integers(4, size=n_games),
        clusters=(draw.integers(8, size=n_games),),
        n_systems=n_systems,
    )


def tallied(games, scale=1):
    """A row a game: `PairTallies` asks for no merging."""
    wins, losses, ties, both_fail = (scale * (games.outcome == outcome) for outcome in range(4))
    return PairTallies(
        first=games.first,
        second=games.second,
        wins=wins,
        losses=losses,
        ties=ties,
        both_fail=both_fail,
        clusters=games.clusters,
        n_systems=games.n_systems,
    )


# --- the interval engine --------------------------------------------------------------------------------


@some
@given(st.lists(st.none() | st.floats(0, 1), max_size=8), st.integers(0, 3))
def test_holm_keeps_the_order_of_p_values_and_lowers_none(p_values, more):
    adjusted = holm(p_values, len(p_values) + more)

    pairs = sorted((p, q) for p, q in zip(p_values, adjusted) if p is not None)
    assert [q is None for q in adjusted] == [p is None for p in p_values]
    assert all(p <= q <= 1 for p, q in pairs)
    assert [q for _, q in pairs] == sorted(q for _, q in pairs)


@some
@given(seeds, st.integers(1, 2))
def test_a_variance_knows_clusters_by_their_members_only(seed, ways):
    draw = np.random.default_rng(seed)
    values = draw.normal(size=30)
    clusters = tuple(draw.integers(6, size=30) for _ in range(ways))
    names = [draw.permutation(50)[:6] for _ in range(ways)]

    variance = cluster_variance(values - values.mean(), clusters)
    renamed = cluster_variance(values - values.mean(), tuple(name[codes] for name, codes in zip(names, clusters)))

    assert renamed.variance == pytest.approx(variance.variance, rel=1e-12)
    assert renamed.n_clusters == variance.n_clusters


@some
@given(seeds)
def test_two_dimensions_that_are_one_give_its_variance(seed):
    draw = np.random.default_rng(seed)
    psi, codes = draw.normal(size=30), draw.integers(6, size=30)

    both = cluster_variance(psi, (codes, codes[:]))

    assert both.variance == pytest.approx(cluster_variance(psi, (codes,)).variance, rel=1e-12)


@some
@given(st.integers(0, 60), st.integers(2, 20), st.floats(0, 0.02))
def test_wilson_intervals_mirror_their_share_hold_it_and_are_no_narrower_than_of_independent_games(
    hits, clusters, variance
):
    n, spread = 60, ClusterVariance(variance=variance, n_clusters=clusters)

    one, other = (wilson_effective(share, n, spread, level=0.95) for share in (hits / n, 1 - hits / n))

    plain = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-9)
    assert 0 <= one.low <= hits / n <= one.high <= 1
    assert one.low <= plain.low + 1e-12
    assert one.high >= plain.high - 1e-12


@some
@given(seeds, st.floats(-5, 5), st.floats(0.1, 10))
def test_a_t_test_moves_with_origin_and_unit_of_its_scale(seed, shift, scale):
    values = np.random.default_rng(seed).random(12)

    one = one_sample_t(values, 0.5, level=0.95, scale_range=1)
    other = one_sample_t(shift + scale * values, shift + scale * 0.5, level=0.95, scale_range=scale)

    assert other.test.statistic.value == pytest.approx(one.test.statistic.value, abs=1e-9)
    assert other.interval.low == pytest.approx(shift + scale * one.interval.low, abs=1e-9)


# --- ratings and answers --------------------------------------------------------------------------------


def drawn_ratings(seed):
    draw = np.random.default_rng(seed)
    rater, item, system = (codes.ravel() for codes in np.indices((5, 4, 2)))
    kept = draw.random(len(rater)) < 0.8
    rater, item, system = rater[kept], item[kept], system[kept]
    value = draw.integers(1, 6, size=len(rater)).astype(float)
    return Ratings(rater=rater, item=item, output=item, system=system, units=(rater,), value=value)


@some
@given(seeds, st.integers(-3, 3))
def test_raters_and_items_that_shift_both_systems_alike_shift_no_difference(seed, shift):
    ratings = drawn_ratings(seed)
    moved = Ratings(
        rater=ratings.rater,
        item=ratings.item,
        output=ratings.output,
        system=ratings.system,
        units=ratings.units,
        value=ratings.value + shift * ratings.rater - 2 * shift * ratings.item,
    )
    scale = {"level": 0.95, "scale_range": 4.0}

    for estimate in (lambda cells: estimate_difference(cells, bounds=(None, None), **scale),
                     lambda cells: estimate_superiority(cells, **scale)):  # fmt: skip
        one, other = (estimate(match_cells(of, 0, 1)) for of in (ratings, moved))
        assert other.difference.value == pytest.approx(one.difference.value, abs=1e-9)
        assert other.test.p_value == pytest.approx(one.test.p_value, abs=1e-9)


@some
@given(seeds)
def test_superiority_knows_the_order_of_levels_and_no_distance(seed):
    ratings = drawn_ratings(seed)
    stretched = Ratings(
        rater=ratings.rater,
        item=ratings.item,
        output=ratings.output,
        system=ratings.system,
        units=ratings.units,
        value=np.array([0, 1, 2, 30, 31, 100.0])[ratings.value.astype(int)],
    )

    one = estimate_superiority(match_cells(ratings, 0, 1), level=0.95, scale_range=4)
    other = estimate_superiority(match_cells(stretched, 0, 1), level=0.95, scale_range=99)

    assert other == one


@some
@given(seeds, st.sampled_from(["mean_of_both", "either"]))
def test_the_preference_of_the_other_system_is_the_complement(seed, mode):
    draw = np.random.default_rng(seed)
    rater, forward = draw.integers(6, size=24), draw.random(24) < 0.5
    value = draw.integers(21, size=24) / 20
    one, other = (PairAnswers(rater=rater, forward=way, value=value) for way in (forward, ~forward))

    x, y = (estimate_preference(answers, mode=mode, level=0.95) for answers in (one, other))

    if x.preference.value is None:
        assert y.preference == x.preference
    else:
        assert y.preference.value == pytest.approx(1 - x.preference.value, abs=1e-12)
        assert y.n_raters == x.n_raters


# --- games ----------------------------------------------------------------------------------------------


@some
@given(seeds, st.floats(1, 100), st.floats(-2000, 2000), st.sampled_from(["half", "drop"]), st.sampled_from([None, 5]))
def test_elo_gives_to_one_what_it_takes_from_another(seed, k, start, ties, orderings):
    games = drawn_games(seed)

    result = elo_ratings(
        games,
        k=k,
        start=start,
        ties=ties,
        orderings=orderings,
        pairs=[],
        rounds=2,
        level=0.95,
        seed=1,
        analysis="law",
        threads=1,
    )

    rated = [rating.value.value for rating in result.ratings if rating.value.value is not None]
    assert math.fsum(rated) == pytest.approx(start * len(rated), abs=1e-6)


@some
@given(seeds, st.sampled_from(["half", "drop"]))
def test_bradley_terry_ratings_keep_their_mean_and_know_shares_of_games_not_their_number(seed, ties):
    games = drawn_games(seed)
    pairs = [(0, 1), (1, 0)]

    one = bradley_terry(tallied(games), ties=ties, pairs=pairs, level=0.95)
    other = bradley_terry(tallied(games, scale=7), ties=ties, pairs=pairs, level=0.95)

    ratings = [rating.rating.value for rating in one.ratings]
    if None not in ratings:
        assert np.mean(ratings) == pytest.approx(1000, abs=1e-9)
        assert [rating.rating.value for rating in other.ratings] == pytest.approx(ratings, abs=1e-6)
    there, back = one.differences
    if there.difference.value is not None:
        assert back.difference.value == pytest.approx(-there.difference.value, abs=1e-9)
        assert back.win_probability.value == pytest.approx(1 - there.win_probability.value, abs=1e-12)
        assert other.differences[0].interval.std_error == pytest.approx(there.interval.std_error, abs=1e-6)
