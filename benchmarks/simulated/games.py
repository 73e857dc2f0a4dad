"""Simulated games of five systems, with effects of raters and of cases upon each system, and ties.

Belongs here: the design, its truths, and what the public estimators of `win_rates`, `elo`, `bradley_terry`,
`order_effects` and `length_effects` say of a study.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.simulated.measuring import LEVEL, Results
from juryline.estimators.bradley_terry import bradley_terry
from juryline.estimators.elo import EloResult, elo_ratings
from juryline.estimators.game_counts import tally_games
from juryline.estimators.games import Games, Outcome, PairTallies
from juryline.estimators.length_effects import GamesByLength, length_effects
from juryline.estimators.order_effects import first_advantage, position_shares
from juryline.estimators.strength_fits import TieModel
from juryline.estimators.win_rates import win_rates

STRENGTHS = (0.8, 0.3, 0.0, -0.3, -0.8)
NO_STRENGTHS = (0.0, 0.0, 0.0, 0.0, 0.0)
BEST, LAST = 0, 4
_LONGER = (1.6, 2.4)  # of the beta distribution of how often a cluster sees the best system's output as the longer one
TIES: tuple[TieModel, ...] = ("half", "drop", "davidson")
_SDS = {"rater": 0.6, "case": 0.5}
_LEAD_SD = 0.4
_UNDECIDED = (1, 9)  # of the beta distribution of how often a cluster gives a tie, whatever it saw
_FEW = 8
_STUDIES = 10_000
_MANY = 10**9  # games that stand for a chance


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDesign:
    """Each cluster plays 6 to 18 games: a random ordered pair, and a random case or rater where it is none itself.

    Over random raters and cases, and but for `lead` and what they leave undecided, the first of a pair wins with
    chance s - s(1-s)/2 and ties with s(1-s), s the logistic function of the difference of strengths. The games of a
    cluster are alike in its taste for systems, for the first position and for ties.

    Parameters
    ----------
    unit : tuple of str
        `rater`, `case` or both: what is drawn anew for every study. The other stays.
    strengths : tuple of float
        In log odds. Without any, systems are exchangeable.
    lead : float
        How far the first position shifts the latent scale, of which a game's noise has a standard deviation of 1.
    """

    unit: tuple[str, ...]
    strengths: tuple[float, ...] = STRENGTHS
    lead: float = 0.15

    @property
    def _random_sd(self) -> float:
        return math.sqrt(1 + sum(2 * _SDS[way] ** 2 + _LEAD_SD**2 for way in self.unit))

    def tastes(self, draw: np.random.Generator, way: str, n: int) -> np.ndarray:
        """Effects of raters or cases on each system, shape (n, n_systems)."""
        if way in self.unit:
            return draw.normal(0, _SDS[way], (n, len(self.strengths)))
        return np.random.default_rng(len(way)).normal(0, _SDS[way], (n, len(self.strengths))) * any(self.strengths)

    def cuts(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Latent values below which the first of a pair wins, and below which it does not lose."""
        from scipy.special import expit, ndtri

        strengths = np.array(self.strengths)
        score = expit(strengths[first] - strengths[second])
        half_ties = score * (1 - score) / 2
        return self._random_sd * ndtri(score - half_ties), self._random_sd * ndtri(score + half_ties)

    def chances(self) -> tuple[np.ndarray, np.ndarray]:
        """Chances that the row's system, shown first, beats the column's or loses, shape (n_systems, n_systems)."""
        from scipy.special import ndtr

        first, second = np.indices((len(self.strengths),) * 2).reshape(2, -1)
        fixed = [way for way in _SDS if way not in self.unit]
        tastes = [self.tastes(np.random.default_rng(), way, _FEW) for way in fixed]
        shift = sum((taste[:, first] - taste[:, second] for taste in tastes), start=np.zeros((1, len(first))))
        below = [ndtr((cut + shift + self.lead) / self._random_sd).mean(axis=0) for cut in self.cuts(first, second)]
        wins, not_losses = (chance.reshape(len(self.strengths), -1) for chance in below)
        decided = (_UNDECIDED[1] / sum(_UNDECIDED)) ** len(self.unit)
        return decided * wins, decided * (1 - not_losses)

    def draw(self, draw: np.random.Generator, clusters: int) -> Games:
        """Games of a study."""
        n_raters, n_cases = (clusters if way in self.unit else _FEW for way in _SDS)
        own = np.repeat(np.arange(clusters), draw.integers(6, 19, clusters))
        codes = {
            "rater": own if "rater" in self.unit else draw.integers(n_raters, size=len(own)),
            "case": own if "rater" not in self.unit else draw.integers(n_cases, size=len(own)),
        }
        undecided = np.zeros(len(own), dtype=bool)
        n_systems = len(self.strengths)
        first = draw.integers(n_systems, size=len(own))
        second = (first + draw.integers(1, n_systems, size=len(own))) % n_systems
        latent = draw.normal(size=len(own)) - self.lead
        for way, n in zip(_SDS, (n_raters, n_cases)):
            taste = self.tastes(draw, way, n)[codes[way]]
            latent -= (taste - np.take_along_axis(taste, second[:, np.newaxis], 1))[np.arange(len(own)), first]
            if way in self.unit:
                latent -= draw.normal(0, _LEAD_SD, n)[codes[way]]
                undecided |= draw.random(len(own)) < draw.beta(*_UNDECIDED, n)[codes[way]]
        wins, draws = self.cuts(first, second)
        outcome = np.where(latent < wins, Outcome.FIRST, np.where(latent < draws, Outcome.TIE, Outcome.SECOND))
        outcome[undecided] = Outcome.TIE
        clusters_of = tuple(codes[way] for way in self.unit)
        return Games(first=first, second=second, outcome=outcome, clusters=clusters_of, n_systems=n_systems)


def intervals(design: GameDesign, draw: np.random.Generator, clusters: int) -> Results:
    """Intervals of a study's rates and Bradley-Terry ratings."""
    tallies = tally_games(design.draw(draw, clusters))
    rates = {system: win_rates(tallies.seen_from(system), level=LEVEL) for system in (BEST, LAST)}
    found = {
        "win_rate": rates[BEST].win_rate.interval,
        "win_rate, last system": rates[LAST].win_rate.interval,
        "win_rate_decisive": rates[BEST].decisive.interval,
        "win_rate_half": rates[BEST].half.interval,
    }
    found["first_share_decisive"] = position_shares(tallies, level=LEVEL).decisive.interval
    found["first_advantage"] = first_advantage(tallies, level=LEVEL).interval
    for ties in TIES:
        fit = bradley_terry(tallies, ties=ties, pairs=[(BEST, LAST)], level=LEVEL)
        found[f"rating, ties: {ties}"] = fit.ratings[BEST].interval
        found[f"rating_difference, ties: {ties}"] = fit.differences[0].interval
        if fit.tie_parameter is not None:
            found["tie_parameter"] = fit.tie_parameter.interval
    return found


def truths(design: GameDesign) -> dict[str, float]:
    """What a study estimates: rates over random opponents and orders, and ratings of the expected games."""
    wins_first, losses_first = design.chances()
    pairs = ~np.eye(len(wins_first), dtype=bool)
    wins = (wins_first + losses_first.T) / 2
    won, lost = ([float(chance[system][pairs[system]].mean()) for system in (BEST, LAST)] for chance in (wins, wins.T))
    decisive = wins_first + losses_first
    share = wins_first / decisive
    weight = np.triu(decisive * decisive.T / (decisive + decisive.T), 1)
    found = {
        "win_rate": won[0],
        "win_rate, last system": won[1],
        "win_rate_decisive": won[0] / (won[0] + lost[0]),
        "win_rate_half": 0.5 + (won[0] - lost[0]) / 2,
        "first_share_decisive": float(wins_first[pairs].sum() / decisive[pairs].sum()),
        "first_advantage": float((weight * (share + share.T) / 2).sum() / weight.sum()),
    }
    for ties in TIES:
        fit = bradley_terry(_expected(wins), ties=ties, pairs=[(BEST, LAST)], level=LEVEL)
        found[f"rating, ties: {ties}"] = _value(fit.ratings[BEST].rating.value)
        found[f"rating_difference, ties: {ties}"] = _value(fit.differences[0].difference.value)
        if fit.tie_parameter is not None:
            found["tie_parameter"] = _value(fit.tie_parameter.nu.value)
    return found


def tests(design: GameDesign, draw: np.random.Generator, clusters: int) -> Results:
    """Tests of a study of equal systems, equal positions and lengths that mean nothing."""
    games = design.draw(draw, clusters)
    tallies = tally_games(games)
    found = {"first_share_decisive_t": position_shares(tallies, level=LEVEL).decisive_test}
    for ties in TIES:
        fit = bradley_terry(tallies, ties=ties, pairs=[(BEST, LAST)], level=LEVEL)
        found[f"rating_difference_t, ties: {ties}"] = fit.differences[0].test
    of_best = (games.first == BEST) | (games.second == BEST)
    won = games.outcome == np.where(games.first == BEST, Outcome.FIRST, Outcome.SECOND)
    units = tuple(codes[of_best] for codes in games.clusters)
    propensity = np.mean([draw.beta(*_LONGER, codes.max() + 1)[codes] for codes in units], axis=0)
    side = GamesByLength(
        wins=won[of_best].astype(int),
        games=np.ones(np.count_nonzero(of_best), dtype=int),
        longer=draw.random(len(units[0])) < propensity,
        clusters=units,
    )
    return found | {"length_contrast_t": length_effects(side, level=LEVEL).contrast_test}


def elo_intervals(design: GameDesign, draw: np.random.Generator, clusters: int) -> Results:
    """Intervals of a study's Elo ratings."""
    result = _elo(design.draw(draw, clusters), seed=int(draw.integers(2**31)), orderings=100, rounds=100)
    return {
        "Elo rating": result.ratings[BEST].interval,
        "Elo rating, last system": result.ratings[LAST].interval,
        "Elo rating_difference": result.differences[0].interval,
    }


@cache
def elo_truths(design: GameDesign, clusters: int) -> dict[str, float]:
    """Expected Elo at the design, over ten thousand studies of this many clusters."""
    sums = np.zeros(3)
    for number in range(_STUDIES):
        games = design.draw(np.random.default_rng([clusters, number, 1]), clusters)
        result = _elo(games, seed=number, orderings=16, rounds=None)
        sums += [_value(one.value.value) for one in (result.ratings[BEST], result.ratings[LAST], result.differences[0])]
    return dict(zip(("Elo rating", "Elo rating, last system", "Elo rating_difference"), (sums / _STUDIES).tolist()))


def _elo(games: Games, *, seed: int, orderings: int, rounds: int | None) -> EloResult:
    # One cluster has no interval, and costs no rounds.
    one = Games(
        first=games.first,
        second=games.second,
        outcome=games.outcome,
        clusters=games.clusters if rounds else (np.zeros(len(games), dtype=int),),
        n_systems=games.n_systems,
    )
    return elo_ratings(
        one,
        k=32,
        start=1000,
        ties="half",
        orderings=orderings,
        pairs=[(BEST, LAST)],
        rounds=rounds or 2,
        level=LEVEL,
        seed=seed,
        analysis="simulated",
        threads=1,
    )


def _expected(wins: np.ndarray) -> PairTallies:
    first, second = np.triu_indices(len(wins), 1)
    won, lost = (np.rint(_MANY * chance).astype(int) for chance in (wins[first, second], wins[second, first]))
    return PairTallies(
        first=first,
        second=second,
        wins=won,
        losses=lost,
        ties=_MANY - won - lost,
        both_fail=np.zeros_like(won),
        clusters=(np.arange(len(won)),),
        n_systems=len(wins),
    )


def _value(value: float | None) -> float:
    assert value is not None, "the expected games are connected"
    return value
