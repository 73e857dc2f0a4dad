"""The estimators that crunch numbers, each beside a public library that does the same, in one process.

Both start from integer codes in memory: ours in as few bits as they need and, of ratings, unit by unit; a peer's in the
64 bits that numpy gives them, and told beside it what smaller ones or rows in any order change. Machines differ, ratios
less: both sides feel the same load, in turns. A peer that would take minutes does a part of the work, its time is
scaled, and the line says so.
"""

import cProfile
import io
import pstats
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.measured import Measured, best, process
from juryline.estimators.agreement_coefficient import Coefficient, estimate_coefficient
from juryline.estimators.agreement_interval import Resampling, estimate_with_intervals
from juryline.estimators.agreement_units import Ratings, tally_ratings
from juryline.estimators.bradley_terry import bradley_terry
from juryline.estimators.cohen_kappa import CohenKappa, disagreement_weights
from juryline.estimators.elo import elo_ratings
from juryline.estimators.game_counts import tally_games
from juryline.estimators.games import Games
from juryline.estimators.krippendorff_alpha import OrdinalAlpha

Work = Callable[[], object]
Codes = tuple[np.ndarray, np.ndarray, np.ndarray]

ROUNDS = 1_000
N_LABELS = 5
ALPHA = OrdinalAlpha(n_labels=N_LABELS)
KAPPA = CohenKappa(first=0, second=1, disagreement=disagreement_weights(N_LABELS, power=0), mirror=None)
FIRST_CALLS = """
import time
import numba, scipy.sparse, scipy.special
from benchmarks.estimators import first_calls
started = time.perf_counter()
first_calls()
print(time.perf_counter() - started)
"""


def measure() -> Iterator[Measured]:
    """The figures, one after the other."""
    with tempfile.TemporaryDirectory() as cache:
        for what in ("compiled", "from the cache on disk"):
            seconds = float(process(FIRST_CALLS, environment={"NUMBA_CACHE_DIR": cache})[2])
            yield Measured(what=f"first call of all that follows, {what}", value=seconds, unit="s")
    yield _elo()
    yield from _bradley_terry()
    yield from _sandwich()
    yield from _alpha()
    yield from _alpha_intervals()
    yield from _cohen()


def first_calls() -> None:
    """Everything that is measured here, of next to nothing."""
    rate_by_elo(games(40, 3), orderings=10)
    for played in (games(400, 3), games(400, 3, np.uint8), games(20_000, 40, np.uint8, n_clusters=1_000)):
        rate_by_strength(played, [(0, 1)])
    for codes in (coded(labels(20, 5)), in_any_order(coded(labels(20, 5)))):
        estimate(ALPHA, codes, 20, 5)


def rate_by_elo(played: dict[str, Any], orderings: int) -> None:
    elo_ratings(
        Games(**played), k=32, start=1000, ties="half", orderings=orderings, pairs=(), rounds=2, level=0.95, seed=7,
        analysis="bench",
    )  # fmt: skip


def rate_by_strength(played: dict[str, Any], pairs: Sequence[tuple[int, int]] = ()) -> None:
    bradley_terry(tally_games(Games(**played)), ties="half", pairs=pairs, level=0.95)


def estimate(coefficient: Coefficient, codes: Codes, n_units: int, n_raters: int) -> None:
    estimate_coefficient(coefficient, tallied(codes, n_units, n_raters))


def tallied(codes: Codes, n_units: int, n_raters: int) -> Ratings:
    return tally_ratings(*codes, None, n_units=n_units, n_raters=n_raters, n_labels=N_LABELS)


def games(n: int, n_systems: int, dtype: type[np.integer] = np.int64, n_clusters: int = 0) -> dict[str, Any]:
    """Games won by strength; in two dimensions of clusters, or all in one cluster."""
    draw = np.random.default_rng(7)
    first = draw.integers(0, n_systems, n)
    second = (first + draw.integers(1, n_systems, n)) % n_systems
    strength = np.linspace(0.5, -0.5, n_systems)
    lost = draw.random(n) >= 1 / (1 + np.exp(strength[second] - strength[first]))
    first, second, outcome = (codes.astype(dtype) for codes in (first, second, lost))
    two = tuple(draw.integers(0, n_clusters, n).astype(np.uint16) for _ in range(2)) if n_clusters else ()
    clusters = two or (np.zeros(n, dtype=dtype),)
    return {"first": first, "second": second, "outcome": outcome, "clusters": clusters, "n_systems": n_systems}


def labels(n_units: int, n_raters: int) -> np.ndarray:
    """Labels of raters, a row each, who tell a unit's level three times in five."""
    draw = np.random.default_rng(7)
    shape = (n_raters, n_units)
    level = draw.integers(0, N_LABELS, n_units)
    return np.where(draw.random(shape) < 0.6, level, draw.integers(0, N_LABELS, shape)).astype(np.int8)


def coded(by_rater: np.ndarray) -> Codes:
    """Codes of unit, rater and label, unit by unit."""
    n_raters, n_units = by_rater.shape
    unit = np.repeat(np.arange(n_units, dtype=np.int32), n_raters)
    return unit, np.tile(np.arange(n_raters, dtype=np.uint8), n_units), by_rater.T.ravel()


def in_any_order(codes: Codes) -> Codes:
    """The same of 64 bits, shuffled."""
    order = np.random.default_rng(5).permutation(len(codes[0]))
    unit, rater, label = (column[order].astype(np.int64) for column in codes)
    return unit, rater, label


def _elo(n_games: int = 5_280, n_systems: int = 12, orderings: int = 10_000, n_peer: int = 250) -> Measured:
    import evalica

    played, shuffles = games(n_games, n_systems), np.random.default_rng(1)
    firsts, seconds = (played[side].astype(str).tolist() for side in ("first", "second"))
    winners = _winners(played)

    def peer() -> None:
        for _ in range(n_peer):
            order = shuffles.permutation(n_games).tolist()
            evalica.elo([firsts[i] for i in order], [seconds[i] for i in order], [winners[i] for i in order])

    what = f"Elo, {n_games:,} games, {n_systems} systems, {orderings:,} orderings; evalica on {n_peer}"
    return _beside(what, lambda: rate_by_elo(played, orderings), peer, least=50, scale=orderings / n_peer)


def _bradley_terry(n_games: int = 10_000_000, n_systems: int = 100) -> Iterator[Measured]:
    import evalica

    for dtype in (np.int64, np.uint8):
        played = games(n_games, n_systems, dtype)
        winners = _winners(played)
        yield _beside(
            f"Bradley-Terry, {n_games:,} games, {n_systems} systems, codes {dtype.__name__}; evalica",
            lambda played=played: rate_by_strength(played),
            lambda played=played, winners=winners: evalica.bradley_terry(played["first"], played["second"], winners),
            least=100 if dtype is np.uint8 else None,
        )


def _sandwich(n_games: int = 1_000_000, n_systems: int = 100, n_clusters: int = 10_000) -> Iterator[Measured]:
    import evalica

    played, draw = games(n_games, n_systems, np.uint8, n_clusters), np.random.default_rng(3)
    winners, rater = _winners(played), played["clusters"][0]
    by_rater = np.argsort(rater, kind="stable")
    of_rater = np.split(by_rater, np.searchsorted(rater[by_rater], np.arange(1, n_clusters)))

    def peer() -> None:  # one way; the two-way bootstrap would be three of these
        places = np.concatenate([of_rater[one] for one in draw.integers(0, n_clusters, n_clusters)])
        drawn = [winners[place] for place in places.tolist()]
        evalica.bradley_terry(played["first"][places], played["second"][places], drawn)

    what = f"  its two-way interval, {n_games:,} games, {n_clusters:,} raters, {n_clusters:,} cases"
    yield _beside(
        f"{what}; {ROUNDS:,} refits by evalica, from one", lambda: rate_by_strength(played), peer,
        least=1_000, scale=ROUNDS,
    )  # fmt: skip
    pairs = list(combinations(range(n_systems), 2))
    what = f"  the same with {len(pairs):,} differences and their tests"
    yield _beside(what, lambda: rate_by_strength(played, pairs), peer, scale=ROUNDS)


def _alpha(n_units: int = 1_000_000, n_raters: int = 5) -> Iterator[Measured]:
    import krippendorff

    def peer(by_rater: np.ndarray) -> Work:
        return lambda: krippendorff.alpha(reliability_data=by_rater, level_of_measurement="ordinal")

    what = f"Krippendorff's alpha, ordinal, {n_units:,} units x {n_raters}; krippendorff"
    yield from _of_ratings(what, ALPHA, labels(n_units, n_raters), peer, least=100)


def _alpha_intervals(n_units: int = 1_000_000, n_raters: int = 5, n_cases: int = 10_000) -> Iterator[Measured]:
    import krippendorff

    plan = Resampling(level=0.95, rounds=ROUNDS, seed=7, analysis="bench", percentile=False, random_raters=False)
    small = labels(n_units, n_raters)
    by_rater = small.astype(np.int64)
    tenth_of = n_units // 10
    every, tenth = (tallied(coded(small[:, :n]), n, n_raters) for n in (n_units, tenth_of))

    def rounds(ratings: Ratings, n_cases: int) -> Work:
        cluster = np.arange(ratings.n_units) * n_cases // ratings.n_units
        return lambda: estimate_with_intervals(ratings, cluster, [ALPHA], resampling=plan)

    def peer() -> None:
        krippendorff.alpha(reliability_data=by_rater, level_of_measurement="ordinal")

    what = f"  its {ROUNDS:,}-round interval, one unit a case; krippendorff a round, from one"
    yield _beside(what, rounds(every, n_units), peer, least=3_000, scale=ROUNDS)
    growth = best(rounds(every, n_units), 5) / best(rounds(tenth, tenth_of), 5)
    yield Measured(what="  its time of that of a tenth of the units", value=growth, unit="x", most=1.5)
    what = f"  its {ROUNDS:,}-round interval, {n_cases:,} cases of {n_units // n_cases}"
    yield _beside(what, rounds(every, n_cases), peer, least=300, scale=ROUNDS)


def _cohen(n_pairs: int = 10_000_000) -> Iterator[Measured]:
    from sklearn.metrics import cohen_kappa_score

    def peer(by_rater: np.ndarray) -> Work:
        return lambda: cohen_kappa_score(*by_rater)

    yield from _of_ratings(f"Cohen's kappa, {n_pairs:,} pairs; scikit-learn", KAPPA, labels(n_pairs, 2), peer, least=30)


def _of_ratings(
    what: str, coefficient: Coefficient, by_rater: np.ndarray, peer: Callable[[np.ndarray], Work], *, least: float
) -> Iterator[Measured]:
    n_raters, n_units = by_rater.shape
    codes, wide = coded(by_rater), by_rater.astype(np.int64)
    shuffled = in_any_order(codes)

    def ours(codes: Codes) -> Work:
        return lambda: estimate(coefficient, codes, n_units, n_raters)

    yield _beside(what, ours(codes), peer(wide), least=least)
    yield _beside("  its labels of 8 bits too", ours(codes), peer(by_rater))
    yield _beside("  ours of 64 bits and in any order", ours(shuffled), peer(wide))


def _winners(played: dict[str, Any]) -> list[Any]:
    import evalica

    return [evalica.Winner.Y if lost else evalica.Winner.X for lost in played["outcome"].tolist()]


def _beside(what: str, ours: Work, peer: Work, *, least: float | None = None, scale: float = 1.0) -> Measured:
    seconds, of_peer = best(ours), best(peer, 1)
    for _ in range(2):
        seconds, of_peer = min(seconds, best(ours)), min(of_peer, best(peer, 1))
    ratio = of_peer * scale / seconds
    missed = least is not None and ratio < least
    return Measured(
        what=f"{what} ({seconds * 1e3:,.0f} ms)",
        value=ratio,
        unit="x",
        least=least,
        profile=_profile(ours) if missed else "",
    )


def _profile(work: Work) -> str:
    profile, text = cProfile.Profile(), io.StringIO()
    profile.runcall(work)
    pstats.Stats(profile, stream=text).sort_stats("tottime").print_stats(8)
    return text.getvalue()
