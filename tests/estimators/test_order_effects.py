"""Effects of the order shown: worked examples, an oracle by perturbation, brute force within raters, and traps."""

import json
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.games import Outcome, PairTallies
from juryline.estimators.inference import sign_test
from juryline.estimators.order_effects import first_advantage, order_consistency, position_shares

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "pairs.json").read_text())["order_effects"]
F, S, T, B = Outcome


def tally(*rows, n_systems=3):
    """Rows (first, second, wins, losses, ties, both_fail, *clusters)."""
    columns = [np.array(column) for column in zip(*rows)] if rows else [np.empty(0, dtype=int)] * 7
    return PairTallies(
        first=columns[0],
        second=columns[1],
        wins=columns[2],
        losses=columns[3],
        ties=columns[4],
        both_fail=columns[5],
        clusters=tuple(columns[6:]),
        n_systems=n_systems,
    )


def x_and_y():
    """METHODS 8: X shown first 8 games and wins 6, Y shown first 2 games and wins 1; each game a cluster."""
    wins = [1] * 6 + [0] * 2 + [1, 0]
    return tally(*((*((0, 1) if k < 8 else (1, 0)), won, 1 - won, 0, 0, k) for k, won in enumerate(wins)))


def questions(*pairs):
    """One rater's outcome of each question in each of both orders, as counts."""
    return np.array([[np.eye(4, dtype=int)[outcome] for outcome in pair] for pair in pairs])


def test_the_worked_example():
    shares, advantage = position_shares(x_and_y(), level=0.95), first_advantage(x_and_y(), level=0.95)

    assert shares.decisive.rate.value == pytest.approx(GOLDEN["x_y"]["first_share_decisive"])
    assert advantage.advantage.value == pytest.approx(GOLDEN["x_y"]["first_advantage"])
    assert (advantage.pairs, advantage.left_out) == (((0, 1),), ())


def test_with_one_game_a_cluster_the_test_is_the_exact_binomial():
    result = position_shares(x_and_y(), level=0.95)

    assert result.decisive_test.p_value == pytest.approx(2 * (120 + 45 + 10 + 1) / 1024)  # P(X >= 7), X ~ B(10, 1/2)
    assert result.decisive_test.statistic.value == pytest.approx(4 / 10**0.5)
    assert (result.decisive_test.df, result.decisive_test.null_value) == (None, 0.5)
    assert result.decisive.interval.method == "wilson"


def test_with_several_games_a_cluster_the_test_is_t_over_clusters():
    # METHODS 4 gives the variance of these four clusters: p .625, V .0260417.
    result = position_shares(tally(*((0, 1, w, 4 - w, 0, 0, g) for g, w in enumerate((3, 1, 4, 2)))), level=0.95)

    assert result.decisive_test.statistic.value == pytest.approx(0.125 / 0.0260417**0.5, rel=1e-6)
    assert result.decisive_test.df == 3
    assert (result.decisive.interval.low, result.decisive.interval.high) == pytest.approx(
        (0.200375, 0.917253), abs=5e-7
    )


@pytest.mark.parametrize(("hits", "n"), [(0, 12), (3, 10), (5, 10), (1, 1), (480, 1000)])
def test_the_sign_test_is_that_of_scipy(hits, n):
    from scipy.stats import binomtest

    assert sign_test(hits, n).p_value == pytest.approx(binomtest(hits, n).pvalue, rel=1e-10)


def test_a_p_value_is_never_zero():
    assert 0 < sign_test(5000, 5000).p_value < 1e-300


def test_the_four_shares_are_of_all_games():
    result = position_shares(tally((0, 1, 3, 2, 4, 1, 0), (1, 2, 2, 3, 0, 5, 1)), level=0.95)

    shares = [result.first, result.second, result.ties, result.both_fail]
    assert [share.rate.value for share in shares] == pytest.approx([0.25, 0.25, 0.2, 0.3])
    assert result.decisive.rate.value == 0.5
    assert (result.decisive.n_games, result.first.n_games) == (10, 20)


def test_the_advantage_is_free_of_who_was_put_first():
    # System 0 always wins against 1, and is put first in 9 of 10 games: no position was preferred.
    always = tally((0, 1, 9, 0, 0, 0, 0), (1, 0, 0, 1, 0, 0, 1))

    assert position_shares(always, level=0.95).decisive.rate.value == 0.9
    assert first_advantage(always, level=0.95).advantage.value == 0.5


def by_definition(first, second, wins, weights):
    """METHODS 8 over single decisive games with weights, written out."""
    total = advantage = 0.0
    for i, j in combinations(range(3), 2):
        of = [(first == a) & (second == b) for a, b in ((i, j), (j, i))]
        n = [weights[games].sum() for games in of]
        if min(n) > 0:
            shares = [(weights[games] * wins[games]).sum() / m for games, m in zip(of, n)]
            weight = n[0] * n[1] / (n[0] + n[1])
            total, advantage = total + weight, advantage + weight * sum(shares) / 2
    return advantage / total


def random_games(rng, n=60, n_clusters=8):
    first = rng.integers(3, size=n)
    second = (first + rng.integers(1, 3, size=n)) % 3
    first[:6], second[:6] = [0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1]  # every pair in both orders
    return first, second, rng.integers(2, size=n), rng.integers(n_clusters, size=n)


@pytest.mark.parametrize("seed", range(3))
def test_contributions_are_the_derivative_of_the_definition_by_a_game_s_weight(seed):
    first, second, wins, cluster = random_games(np.random.default_rng(seed))
    n, step = len(first), 1e-5
    psi = np.empty(n)
    for k in range(n):
        up, down = np.ones(n), np.ones(n)
        up[k], down[k] = 1 + step, 1 - step
        psi[k] = (by_definition(first, second, wins, up) - by_definition(first, second, wins, down)) / (2 * step)
    sums = np.bincount(cluster, weights=psi)

    result = first_advantage(tally(*zip(first, second, wins, 1 - wins, 0 * wins, 0 * wins, cluster)), level=0.95)

    assert result.advantage.value == pytest.approx(by_definition(first, second, wins, np.ones(n)))
    freedom = n - 6  # games less orders: three pairs, each in two
    variance = len(sums) / (len(sums) - 1) * (sums**2).sum() * n / freedom
    assert result.interval.std_error == pytest.approx(variance**0.5, rel=1e-6)
    assert result.interval.df == len(sums) - 1


def test_games_of_a_pair_and_cluster_count_the_same_in_one_row_as_in_several():
    first, second, wins, cluster = random_games(np.random.default_rng(5))
    apart = tally(*zip(first, second, wins, 1 - wins, 0 * wins, 0 * wins, cluster))
    key, place = np.unique(np.stack([first, second, cluster]), axis=1, return_inverse=True)
    won, n = np.bincount(place, weights=wins).astype(int), np.bincount(place)
    together = tally(*zip(*key[:2], won, n - won, 0 * n, 0 * n, key[2]))

    one, other = (first_advantage(tallies, level=0.95) for tallies in (apart, together))
    assert one.advantage == other.advantage
    assert one.interval.std_error == pytest.approx(other.interval.std_error)


def test_pairs_seen_in_one_order_are_left_out_and_named():
    rows = [(0, 1, 6, 2, 0, 0, 0), (1, 0, 1, 1, 0, 0, 1)]

    alone, beside = (first_advantage(tally(*r), level=0.95) for r in (rows, [*rows, (2, 0, 5, 0, 0, 0, 2)]))

    assert beside.advantage.value == alone.advantage.value == pytest.approx(0.625)
    assert beside.interval.n_clusters == 2
    assert (beside.pairs, beside.left_out) == (((0, 1),), ((0, 2),))
    assert (alone.advantage.reason, beside.advantage.reason) == ((), (Reason.PAIRS_LEFT_OUT,))


@pytest.mark.parametrize(
    ("rows", "status", "reason"),
    [
        ([(0, 1, 3, 1, 0, 0, 0), (0, 2, 2, 2, 0, 0, 1)], Status.NOT_ESTIMABLE, Reason.ORDER_CONFOUNDED_WITH_SYSTEM),
        ([(0, 1, 3, 1, 0, 0, 0), (1, 0, 0, 0, 4, 0, 1)], Status.NOT_ESTIMABLE, Reason.ORDER_CONFOUNDED_WITH_SYSTEM),
        ([(0, 1, 0, 0, 2, 0, 0), (1, 0, 0, 0, 1, 3, 1)], Status.UNDEFINED, Reason.NO_DECISIVE_GAME),
        ([], Status.INSUFFICIENT, Reason.NO_GAMES),
    ],
    ids=["one order a pair", "ties alone in the other order", "no decisive game", "no game"],
)
def test_no_advantage_where_no_pair_was_decided_in_both_orders(rows, status, reason):
    result = first_advantage(tally(*rows), level=0.95)

    assert (result.advantage.status, result.advantage.reason, result.advantage.value) == (status, (reason,), None)
    assert (result.interval.status, result.interval.reason) == (status, (reason,))


def test_no_decisive_game_leaves_the_four_shares():
    result = position_shares(tally((0, 1, 0, 0, 2, 2, 0), (1, 0, 0, 0, 1, 3, 1)), level=0.95)

    assert (result.first.rate.value, result.both_fail.rate.value) == (0, 0.625)
    for quantity in (result.decisive.rate, result.decisive_test.statistic):
        assert (quantity.status, quantity.reason) == (Status.UNDEFINED, (Reason.NO_DECISIVE_GAME,))


def test_no_game_is_insufficient():
    result = position_shares(tally(), level=0.95)

    for quantity in (result.first.rate, result.decisive.rate, result.decisive_test.statistic):
        assert (quantity.status, quantity.reason) == (Status.INSUFFICIENT, (Reason.NO_GAMES,))


def test_orders_of_a_pair_with_one_game_each_have_an_advantage_and_no_interval():
    result = first_advantage(tally((0, 1, 1, 0, 0, 0, 0), (1, 0, 0, 1, 0, 0, 1)), level=0.95)

    assert result.advantage.value == 0.5
    assert (result.interval.status, result.interval.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))


def test_one_cluster_has_no_interval_and_no_test():
    tallies = tally((0, 1, 3, 1, 0, 0, 0), (1, 0, 2, 2, 0, 0, 0))

    shares, advantage = position_shares(tallies, level=0.95), first_advantage(tallies, level=0.95)

    assert shares.decisive.rate.value == 0.625
    assert shares.decisive.interval.reason == advantage.interval.reason == (Reason.ONE_CLUSTER,)
    assert shares.decisive_test.statistic.reason == (Reason.TOO_FEW_UNITS,)
    assert advantage.advantage.status is Status.OK


@pytest.mark.parametrize("games", [1, 3])
def test_a_first_position_that_always_wins_has_a_test_only_with_one_game_a_cluster(games):
    always = tally(*((0, 1, games, 0, 0, 0, g) if g % 2 else (1, 0, games, 0, 0, 0, g) for g in range(12)))

    test = position_shares(always, level=0.95).decisive_test

    if games == 1:
        assert test.p_value == pytest.approx(2 / 2**12)
    else:
        assert (test.statistic.status, test.statistic.reason) == (Status.DEGENERATE, (Reason.ZERO_VARIANCE,))
    advantage = first_advantage(always, level=0.95)
    assert advantage.advantage.value == 1
    assert advantage.interval.status is Status.DEGENERATE


def test_two_clusterings_never_narrow_the_interval():
    first, second, wins, cluster = random_games(np.random.default_rng(2))
    other = np.random.default_rng(3).integers(9, size=len(first))
    rows = list(zip(first, second, wins, 1 - wins, 0 * wins, 0 * wins, cluster, other))

    both = first_advantage(tally(*rows), level=0.95).interval
    one_way = [
        first_advantage(replace(tally(*rows), clusters=(codes,)), level=0.95).interval for codes in (cluster, other)
    ]

    assert both.std_error >= max(interval.std_error for interval in one_way)
    assert both.df == 7


BETWEEN_ORDERS = {
    # answer in one order, in the other, seen from the position
    (F, S): "consistent",
    (S, F): "consistent",
    (T, T): "consistent",
    (B, B): "consistent",
    (F, F): "flip_first",
    (S, S): "flip_second",
    **dict.fromkeys(((F, T), (T, F), (S, T), (T, S), (F, B), (B, F), (S, B), (B, S), (T, B), (B, T)), "flip_tie"),
}


def test_each_pair_of_answers_has_one_place():
    assert set(BETWEEN_ORDERS) == set(product(Outcome, repeat=2))
    for pair, place in BETWEEN_ORDERS.items():
        result = order_consistency(questions(pair, pair), (np.array([0, 1]),), level=0.95)
        shares = {
            name: getattr(result, name).rate.value for name in ("consistent", "flip_first", "flip_second", "flip_tie")
        }
        assert shares == {name: float(name == place) for name in shares}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=1, max_size=6))
def test_several_answers_count_by_their_shares_and_all_four_sum_to_one(drawn):
    counts = np.array(drawn).reshape(-1, 2, 4)
    counts[:, :, 0] += counts.sum(axis=2) == 0
    expected = dict.fromkeys(("consistent", "flip_first", "flip_second", "flip_tie"), 0.0)
    for question in counts:
        combinations = question[0].sum() * question[1].sum()
        for one, other in product(range(4), repeat=2):
            place = BETWEEN_ORDERS[Outcome(one), Outcome(other)]
            expected[place] += question[0, one] * question[1, other] / combinations / len(counts)

    result = order_consistency(counts, (np.arange(len(counts)),), level=0.95)

    shares = {name: getattr(result, name).rate.value for name in expected}
    assert shares == pytest.approx(expected)
    assert sum(shares.values()) == pytest.approx(1)


def test_no_question_in_both_orders_is_not_estimable():
    result = order_consistency(np.empty((0, 2, 4)), (np.empty(0, dtype=int),), level=0.95)

    for rate in (result.consistent, result.flip_first, result.flip_second, result.flip_tie):
        assert (rate.rate.status, rate.rate.reason) == (Status.NOT_ESTIMABLE, (Reason.ONE_ORDER_ONLY,))
        assert rate.interval.status is Status.NOT_ESTIMABLE


def test_a_question_of_one_order_is_refused():
    with pytest.raises(ValueError, match="in both orders"):
        order_consistency(np.array([[[1, 0, 0, 0], [0, 0, 0, 0]]]), (np.array([0]),), level=0.95)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.permutations(range(3)))
def test_renaming_systems_and_reordering_rows_change_nothing(seed, names):
    rng = np.random.default_rng(seed)
    first, second, wins, cluster = random_games(rng)
    rename, order = np.array(names), rng.permutation(len(first))
    plain = tally(*zip(first, second, wins, 1 - wins, 0 * wins, 0 * wins, cluster))
    other = tally(
        *zip(
            rename[first[order]],
            rename[second[order]],
            wins[order],
            1 - wins[order],
            0 * wins,
            0 * wins,
            cluster[order],
        )
    )

    one, renamed = (first_advantage(tallies, level=0.95) for tallies in (plain, other))
    assert one.advantage == renamed.advantage
    assert one.interval.std_error == pytest.approx(renamed.interval.std_error)
    assert {frozenset(rename[list(pair)].tolist()) for pair in one.pairs} == set(map(frozenset, renamed.pairs))
    plain_shares, other_shares = (position_shares(tallies, level=0.95) for tallies in (plain, other))
    assert plain_shares.decisive_test.statistic.value == pytest.approx(other_shares.decisive_test.statistic.value)


def test_swapping_positions_mirrors_the_advantage():
    first, second, wins, cluster = random_games(np.random.default_rng(9))
    plain = tally(*zip(first, second, wins, 1 - wins, 0 * wins, 0 * wins, cluster))
    swapped = tally(*zip(second, first, 1 - wins, wins, 0 * wins, 0 * wins, cluster))

    one, other = (first_advantage(tallies, level=0.95) for tallies in (plain, swapped))
    assert one.advantage.value == pytest.approx(1 - other.advantage.value)
    assert one.interval.std_error == pytest.approx(other.interval.std_error)
