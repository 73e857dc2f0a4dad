import json
from itertools import combinations, permutations
from pathlib import Path

import evalica
import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.elo import elo_ratings
from juryline.estimators.games import Games, Outcome
from juryline.estimators.machine_code import compiled
from juryline.estimators.orderings import SequentialPlay, play_lanes
from juryline.estimators.philox import fill_words

PAIRS = json.loads((Path(__file__).parents[1] / "golden" / "pairs.json").read_text())
GOLDEN = PAIRS["elo"]
TABLE_1 = PAIRS["table_1"]
WINNERS = {Outcome.FIRST: evalica.Winner.X, Outcome.SECOND: evalica.Winner.Y, Outcome.TIE: evalica.Winner.Draw}
CHOICES = {
    "k": 32,
    "start": 1000,
    "ties": "half",
    "orderings": 200,
    "pairs": [],
    "rounds": 50,
    "level": 0.95,
    "seed": 7,
    "analysis": "elo",
}


def rate(games, **choices):
    return elo_ratings(games, **CHOICES | choices)


def values(result):
    return [rating.value.value for rating in result.ratings]


def one_pass(games, **choices):
    return values(rate(games, orderings=None, **choices))


def take(games, places, relabel=None):
    places = np.asarray(places)
    relabel = np.arange(games.n_systems) if relabel is None else np.asarray(relabel)
    return Games(
        first=relabel[games.first[places]],
        second=relabel[games.second[places]],
        outcome=games.outcome[places],
        clusters=tuple(codes[places] for codes in games.clusters),
        n_systems=games.n_systems,
    )


def random_games(seed, n_games=60, n_systems=4, n_clusters=6, ways=1):
    rng = np.random.default_rng(seed)
    first = rng.integers(n_systems, size=n_games)
    return Games(
        first=first,
        second=(first + rng.integers(1, n_systems, size=n_games)) % n_systems,
        outcome=rng.integers(3, size=n_games),
        clusters=tuple(rng.integers(n_clusters, size=n_games) for _ in range(ways)),
        n_systems=n_systems,
    )


# --- the worked examples of METHODS 5 -------------------------------------------------------------------


def test_one_win_and_two_wins(games):
    tolerance = GOLDEN["tolerance"]

    assert values(rate(games([(0, ">", 1)]))) == pytest.approx(GOLDEN["one_win"], abs=tolerance)
    assert values(rate(games([(0, ">", 1)] * 2)))[0] == pytest.approx(GOLDEN["two_wins"], abs=tolerance)


def test_six_wins_and_four_losses_over_all_their_orders(games):
    golden, tolerance = GOLDEN["six_wins_four_losses"], GOLDEN["tolerance"]
    orders = [["<" if place in losses else ">" for place in range(10)] for losses in combinations(range(10), 4)]

    finals = np.array([one_pass(games([(0, sign, 1) for sign in order]))[0] for order in orders])

    assert len(finals) == golden["orders"]
    assert finals.mean() == pytest.approx(golden["mean"], abs=tolerance)
    assert finals.std() == pytest.approx(golden["order_sd"], abs=tolerance)
    assert finals.min() == finals[-1] == pytest.approx(golden["wins_first"], abs=tolerance)
    assert finals.max() == finals[0] == pytest.approx(golden["losses_first"], abs=tolerance)


def test_random_orders_find_the_mean_and_spread_of_all_orders(games):
    golden = GOLDEN["six_wins_four_losses"]

    rating = rate(games([(0, ">", 1)] * 6 + [(0, "<", 1)] * 4), orderings=40_000).ratings[0]

    error = rating.mc_error.value
    assert error == pytest.approx(rating.order_sd.value / 200, rel=1e-12)
    assert rating.value.value == pytest.approx(golden["mean"], abs=4 * error)
    assert rating.order_sd.value == pytest.approx(golden["order_sd"], abs=4 * error)


def test_a_beats_b_beats_c_ties_a_over_all_orders(games):
    golden = GOLDEN["a_beats_b_beats_c_ties_a"]
    rows = [(0, ">", 1), (1, ">", 2), (0, "=", 2)]

    finals = [one_pass(games(order)) for order in permutations(rows)]

    assert len(finals) == golden["orders"]
    assert np.mean(finals, axis=0) == pytest.approx(golden["mean"], abs=GOLDEN["tolerance"])


def test_every_order_is_equally_likely(games):
    rows = [(0, ">", 1), (1, ">", 2), (0, "=", 2)]
    finals = {round(one_pass(games(order))[0], 6) for order in permutations(rows)}
    together = games(rows)

    seen = [round(rate(together, orderings=1, seed=seed, rounds=2).ratings[0].value.value, 6) for seed in range(600)]

    counts = [seen.count(final) for final in finals]
    assert sum(counts) == 600
    shares = [sum(round(one_pass(games(order))[0], 6) == final for order in permutations(rows)) for final in finals]
    assert stats.chisquare(counts, [100 * share for share in shares]).pvalue > 0.001


# --- other implementations ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_a_single_pass_is_that_of_evalica(seed):
    games = random_games(seed, n_games=200, n_systems=6)
    winners = [WINNERS[outcome] for outcome in games.outcome]

    expected = evalica.elo(games.first, games.second, winners, k=16.0, initial=1500.0).scores

    assert one_pass(games, k=16, start=1500) == pytest.approx(expected.sort_index().tolist(), abs=1e-9)


def test_the_mean_over_orders_is_that_of_evalica_on_shuffled_games():
    games = random_games(11, n_games=40)
    rng = np.random.default_rng(0)
    finals = []
    for _ in range(2_000):
        shuffled = take(games, rng.permutation(len(games)))
        winners = [WINNERS[outcome] for outcome in shuffled.outcome]
        scores = evalica.elo(shuffled.first, shuffled.second, winners, k=32.0).scores
        finals.append(scores.sort_index().to_numpy())

    result = rate(games, orderings=20_000, rounds=2)

    error = np.std(finals, axis=0) / np.sqrt(len(finals))
    for found, expected, tolerance in zip(values(result), np.mean(finals, axis=0), error):
        assert found == pytest.approx(expected, abs=4 * tolerance)


@pytest.mark.parametrize("judge", ["crowd", "expert", "gpt_4", "claude_1"])
def test_published_ratings_sum_to_what_a_zero_sum_rating_must(judge):
    ratings = TABLE_1[judge]

    assert sum(ratings) == TABLE_1["sums"][judge]
    assert abs(sum(ratings) - 1000 * len(ratings)) <= 1  # twelve roundings to whole points


# --- laws -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_ratings_are_zero_sum(seed):
    games = random_games(seed)

    assert np.mean(values(rate(games))) == pytest.approx(1000, abs=1e-9)
    assert np.mean(one_pass(games)) == pytest.approx(1000, abs=1e-9)


def test_a_difference_is_minus_the_opposite_difference_and_that_of_the_ratings():
    result = rate(random_games(2), pairs=[(0, 3), (3, 0)])

    one, other = result.differences
    assert one.value.value == pytest.approx(-other.value.value, abs=1e-9)
    assert one.value.value == pytest.approx(values(result)[0] - values(result)[3], abs=1e-9)
    assert (one.interval.low, one.interval.high) == pytest.approx((-other.interval.high, -other.interval.low))


def test_swapping_the_sides_of_every_game_changes_no_rating_but_for_rounding():
    games = random_games(3)
    swapped = Games(
        first=games.second,
        second=games.first,
        outcome=np.array([1, 0, 2])[games.outcome],
        clusters=games.clusters,
        n_systems=games.n_systems,
    )

    assert values(rate(swapped)) == pytest.approx(values(rate(games)), abs=1e-9)


def test_renaming_systems_renames_ratings_and_changes_none():
    games, renamed = random_games(4), [2, 0, 3, 1]
    result, again = rate(games), rate(take(games, range(60), renamed))

    assert [again.ratings[renamed[system]] for system in range(4)] == list(result.ratings)


def test_renaming_clusters_changes_nothing():
    games = random_games(5)
    renamed = Games(
        first=games.first,
        second=games.second,
        outcome=games.outcome,
        clusters=(np.array([50, 3, 17, 4, 99, 0])[games.clusters[0]],),
        n_systems=games.n_systems,
    )

    assert rate(renamed) == rate(games)


@pytest.mark.parametrize("ways", [1, 2])
def test_results_are_the_same_bits_on_any_number_of_threads(ways):
    games = random_games(6, ways=ways)
    alone = rate(games, pairs=[(0, 1)], threads=1)

    assert rate(games, pairs=[(0, 1)], threads=2) == alone
    assert rate(games, pairs=[(0, 1)], threads=7) == alone


def test_an_ordering_is_the_same_whatever_is_played_beside_it():
    play = SequentialPlay.of(random_games(7), k=32, start=1000)

    wide, narrow = play.shuffled(range(50), key=3), play.shuffled(range(41, 44), key=3)

    assert wide[41:44].tolist() == narrow.tolist()
    assert wide[40].tolist() != narrow[0].tolist()


def test_machine_code_and_plain_python_play_the_same_games():
    play = SequentialPlay.of(random_games(7), k=32, start=1000)
    shuffle = np.empty((60, 2), dtype=np.uint32)
    compiled(fill_words)(shuffle, 3, 0, 0, 0, 0)
    plain = np.empty((4, 2))

    play_lanes(play.words, shuffle, 32.0, 1000.0, plain)
    compiled_ratings = play.shuffled(range(2), key=3)

    assert compiled_ratings == pytest.approx(plain.T, abs=1e-9)


def test_another_seed_or_another_analysis_draws_other_orders():
    games = random_games(8)
    result = rate(games)

    assert values(rate(games, seed=8)) != values(result)
    assert values(rate(games, analysis="mers")) != values(result)


def test_games_in_which_both_failed_change_nothing(games):
    rows = [(0, ">", 1, 0), (1, ">", 2, 0), (2, ">", 0, 1), (0, "=", 1, 1), (0, "<", 2, 2)]
    failed = [(0, "x", 1, 3), (1, "x", 2, 0)]

    assert rate(games(failed[:1] + rows + failed[1:])) == rate(games(rows))


def test_dropped_ties_are_as_if_never_played(games):
    rows = [(0, ">", 1, 0), (1, ">", 2, 0), (2, ">", 0, 1), (0, "<", 2, 2)]
    tied = [(0, "=", 1, 1), (1, "=", 2, 5)]

    assert rate(games(rows + tied), ties="drop") == rate(games(rows), ties="drop")
    assert rate(games(rows + tied), ties="half") != rate(games(rows), ties="half")


# --- what has no value, and what a reader must know --------------------------------------------------------


def test_a_system_without_games_has_no_rating_and_not_the_start(games):
    result = rate(games([(0, ">", 1), (1, ">", 0)], n_systems=3), pairs=[(0, 2)])

    for missing in (result.ratings[2], result.differences[0]):
        assert missing.value.status is Status.INSUFFICIENT
        assert missing.value.reason == (Reason.NO_GAMES,)
        assert missing.interval.status is Status.INSUFFICIENT
    assert result.n_games == (2, 2, 0)


def test_no_games_at_all_is_insufficient_not_the_start(games):
    only_failures = games([(0, "x", 1)])

    for orderings in (10, None):
        result = rate(only_failures, orderings=orderings)
        assert [rating.value.status for rating in result.ratings] == [Status.INSUFFICIENT] * 2


def test_an_undefeated_system_is_rated_and_flagged(games):
    rows = [(0, ">", 1), (0, ">", 2), (0, "=", 1), (1, ">", 2), (2, ">", 1)]

    result = rate(games(rows), pairs=[(0, 1), (1, 2)])

    flagged = [Reason.UNDEFEATED_ORDER_DEPENDENT in rating.value.reason for rating in result.ratings]
    assert flagged == [True, False, False]
    assert [bool(difference.value.reason) for difference in result.differences] == [True, False]
    assert result.ratings[0].value.status is Status.OK


def test_a_winless_system_is_rated_without_a_flag(games):
    result = rate(games([(0, ">", 2), (1, ">", 2), (0, ">", 1), (1, ">", 0)]))

    assert result.ratings[2].value.reason == ()
    assert result.ratings[2].value.value < 1000


def test_a_single_pass_has_no_interval_and_no_simulation_error():
    rating = rate(random_games(9), orderings=None).ratings[0]

    assert rating.mc_error.reason == rating.order_sd.reason == (Reason.ONE_ORDERING,)
    assert rating.interval.status is Status.NOT_ESTIMABLE
    assert rating.interval.reason == (Reason.ORDER_AS_DELIVERED,)


def test_a_single_pass_depends_on_the_order_given(games):
    rows = [(0, ">", 1), (0, "<", 1)]

    assert one_pass(games(rows))[0] < 1000 < one_pass(games(rows[::-1]))[0]


def test_one_cluster_has_no_interval(games):
    rating = rate(games([(0, ">", 1, 0), (1, ">", 0, 0)])).ratings[0]

    assert rating.value.status is Status.OK
    assert (rating.interval.status, rating.interval.reason) == (Status.INSUFFICIENT, (Reason.ONE_CLUSTER,))


def test_clusters_that_do_not_differ_have_no_interval(games):
    rows = [(0, ">", 1, cluster) for cluster in range(12)]

    interval = rate(games(rows)).ratings[0].interval

    assert (interval.status, interval.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))


def test_a_system_that_few_clusters_saw_fails_in_rounds_and_loses_its_interval(games):
    common = [(0, sign, 1, cluster) for cluster in range(12) for sign in (">", "<", ">")[: 2 + cluster % 2]]
    rows = [*common, (2, ">", 0, 0), (2, "<", 1, 0)]

    result = rate(games(rows), rounds=400, pairs=[(0, 1), (0, 2)])

    rare, usual = result.ratings[2].interval, result.ratings[0].interval
    # Left out of a resample of 12 clusters with chance (11/12)^12 = .352.
    assert rare.n_boot_failed / rare.n_boot == pytest.approx((11 / 12) ** 12, abs=0.1)
    assert (rare.status, rare.reason) == (Status.NOT_ESTIMABLE, (Reason.BOOTSTRAP_ROUNDS_FAILED,))
    assert result.ratings[2].value.status is Status.OK
    assert (usual.status, usual.n_boot_failed) == (Status.OK, 0)
    assert [difference.interval.status for difference in result.differences] == [Status.OK, Status.NOT_ESTIMABLE]


def test_rounds_without_a_value_are_counted_where_they_are_few(games):
    common = [(0, sign, 1, cluster) for cluster in range(12) for sign in (">", "<", ">")[: 2 + cluster % 2]]
    rows = common + [(2, sign, 0, cluster) for cluster, sign in ((0, ">"), (1, "<"), (2, ">"), (3, "<"))]

    interval = rate(games(rows), rounds=400).ratings[2].interval

    # All four left out with chance (8/12)^12 = .0077.
    assert interval.status is Status.OK
    assert 0 < interval.n_boot_failed <= 0.05 * interval.n_boot


def test_fewer_than_ten_clusters_are_flagged():
    interval = rate(random_games(10)).ratings[0].interval

    assert interval.reason == (Reason.FEW_CLUSTERS,)
    assert (interval.n_clusters, interval.df) == (6, 5)


def test_the_noise_of_orders_does_not_enter_the_interval():
    """One game a cluster, one pair, tiny K: the final rating is start + K (wins - n/2) but for terms in K squared."""
    rng = np.random.default_rng(12)
    n, k = 200, 0.01
    wins = rng.random(n) < 0.6
    games = Games(
        first=np.zeros(n, dtype=int),
        second=np.ones(n, dtype=int),
        outcome=np.where(wins, Outcome.FIRST, Outcome.SECOND),
        clusters=(np.arange(n),),
        n_systems=2,
    )

    interval = rate(games, k=k, rounds=2_000).ratings[0].interval

    expected = k * np.sqrt(n * n / (n - 1) * wins.mean() * (1 - wins.mean()))
    assert interval.std_error == pytest.approx(expected, rel=0.08)


def test_subtracting_the_noise_of_orders_leaves_the_spread_of_the_expectation():
    """Against the spread over resamples of ratings averaged over so many orders that their noise is gone."""
    games = random_games(13, n_games=120, n_systems=3, n_clusters=12)
    rng = np.random.default_rng(3)
    members = [np.flatnonzero(games.clusters[0] == cluster) for cluster in range(12)]
    finals = [
        values(
            rate(take(games, np.concatenate([members[c] for c in rng.integers(12, size=12)])), orderings=400, rounds=2)
        )
        for _ in range(300)
    ]

    interval = rate(games, rounds=2_000).ratings[0].interval

    expected = np.sqrt(12 / 11) * np.std(np.array(finals)[:, 0], ddof=1)
    assert interval.std_error == pytest.approx(expected, rel=0.15)


def test_two_dimensions_take_three_bootstraps_and_the_smaller_count():
    games = random_games(14, n_games=200, ways=2, n_clusters=12)
    first, second = (
        Games(
            first=games.first,
            second=games.second,
            outcome=games.outcome,
            clusters=(codes,),
            n_systems=games.n_systems,
        )
        for codes in games.clusters
    )

    both = rate(games, rounds=300).ratings[0].interval
    alone = [rate(one, rounds=300).ratings[0].interval for one in (first, second)]

    assert (both.n_boot, both.n_clusters, both.df) == (900, 12, 11)
    assert both.std_error >= 0.85 * max(interval.std_error for interval in alone)


# --- wrong input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": float("inf")}, "must be finite"),
        ({"start": float("nan")}, "must be finite"),
        ({"orderings": 0}, "0 orderings"),
        ({"rounds": 1}, "1 rounds"),
        ({"ties": "davidson"}, "not one of half, drop"),
        ({"pairs": [(0, 0)]}, "each must be two of the 2 systems"),
        ({"pairs": [(0, 2)]}, "each must be two of the 2 systems"),
    ],
)
def test_wrong_choices_raise(games, choices, message):
    with pytest.raises(ValueError, match=message):
        rate(games([(0, ">", 1)]), **choices)
