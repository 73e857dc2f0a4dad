"""A judge's win rates multiplied by a factor of human length preference, with the controls of its leak (METHODS 10).

Belongs here: the factor and the adjusted scores as results, and how their ranks correlate with those of humans. Does
not: which games both judged, or which output was longer.

The factor contains the human win rate that the adjusted score is compared with. Nothing here calls a change of the
correlation an improvement: `beta_only` is what the factor reaches without any judge.
"""

from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.bootstrap import MOST_FAILED_ROUNDS, bootstrap_interval
from juryline.estimators.cluster_variance import exact_mean
from juryline.estimators.inference import Bounds
from juryline.estimators.judged_games import JudgedGames, Totals
from juryline.estimators.quantity import Interval, Quantity
from juryline.estimators.rank_correlation import permutation_p, spearman, spearman_of_rounds

FEWEST_SYSTEMS = 4
SPLITS = 20
NO_CORRELATION = 0.0
CORRELATION_BOUNDS: Bounds = (-1.0, 1.0)
SCORE_BOUNDS: Bounds = (0.0, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRecalibrationResult:
    """What is known of one system: rates of humans and judge, the factor and the adjusted score."""

    p_win: Quantity
    p_longer: Quantity
    judge_p_win: Quantity
    beta: Quantity
    beta_interval: Interval
    score: Quantity
    score_interval: Interval
    n_games: int
    n_judge_games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCorrelationResult:
    """Spearman's correlation with human win rates, its interval, and its p-value where it is tested."""

    correlation: Quantity
    interval: Interval
    p: Quantity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalibrationResult:
    """All systems, and how the ranks of those that are compared correlate with those of humans.

    `compared` are the systems that enter every correlation. `n_splits_failed` of `SPLITS` random splits have no value.
    """

    systems: tuple[SystemRecalibrationResult, ...]
    compared: tuple[int, ...]
    before: RankCorrelationResult
    after: RankCorrelationResult
    beta_only: RankCorrelationResult
    after_crossfit: Quantity
    n_splits_failed: int


def recalibrate(
    games: JudgedGames,
    *,
    level: float,
    rounds: int,
    n_permutations: int,
    seed: int,
    analysis: str,
    percentile: bool = False,
    fewest_systems: int = FEWEST_SYSTEMS,
) -> RecalibrationResult:
    """Adjust a judge's win rates by the human preference for longer outputs, and compare ranks before and after.

    Parameters
    ----------
    games : JudgedGames
        Of the units that both judged.
    level : float
        Confidence of the intervals, in (0, 1).
    rounds : int
        Bootstrap rounds: whole clusters of cases, games of humans and of the judge together.
    n_permutations : int
        Random permutations behind a p-value of more than eight systems.
    seed, analysis
        What rounds, splits and permutations follow from.
    percentile : bool
        Intervals of percentiles of the rounds, where declared.
    fewest_systems : int
        Systems needed for a correlation.

    Returns
    -------
    RecalibrationResult
        A system without a game: insufficient, no_games. Never longer: factor and score undefined, never_longer, and
        the system leaves every correlation. Never won: both are 0, with never_won. Correlations insufficient,
        too_few_systems; undefined, zero_variance, where all compared systems rank equal on one side. The crossfitted
        one also insufficient, one_cluster; not_estimable, splits_failed: more than 5 % of splits have no value.
        Intervals as `bootstrap_interval`.

    Notes
    -----
    P(A) = W/N and P(B) = T/N of humans, beta = P(A)/P(B), score = P(A of the judge) beta. Neither is a probability:
    both exceed 1 freely and are never clipped. Crossfit: beta from a random half of the clusters, judge and humans
    compared on the other, mean of 20 splits. It takes the shared sampling error out of the comparison, not the true
    win rates of the systems, which both halves have. A round or a split has a value only where every compared system
    has one in it.

    References
    ----------
    Daynauth and Mars 2024, section 3.2.
    """
    whole, drawn = games.whole(), games.drawn(rounds, seed, analysis)
    how = _Intervals(level, seed, percentile)
    compared = np.flatnonzero(~np.isnan(whole.score()))
    enough = len(compared) >= fewest_systems

    def correlated(others: np.ndarray, of_rounds: np.ndarray, *, tested: bool) -> RankCorrelationResult:
        humans, others = whole.p_win()[compared], others[compared]
        value = spearman(humans, others) if enough else _TOO_FEW_SYSTEMS
        rho = spearman_of_rounds(drawn.p_win()[:, compared], of_rounds[:, compared])
        p = None
        if tested:
            p = _TOO_FEW_SYSTEMS
            if enough:
                p = permutation_p(humans, others, n_permutations=n_permutations, seed=seed, analysis=analysis)
        interval = _interval(value, rho, games.n_clusters, CORRELATION_BOUNDS, how)
        return RankCorrelationResult(correlation=value, interval=interval, p=p)

    crossfit, n_splits_failed = _crossfit(games, compared, seed, analysis) if enough else (_TOO_FEW_SYSTEMS, 0)
    return RecalibrationResult(
        systems=tuple(_system(games, whole, drawn, place, how) for place in range(games.n_systems)),
        compared=tuple(compared.tolist()),
        before=correlated(whole.judge_p_win(), drawn.judge_p_win(), tested=True),
        after=correlated(whole.score(), drawn.score(), tested=True),
        beta_only=correlated(whole.beta(), drawn.beta(), tested=False),
        after_crossfit=crossfit,
        n_splits_failed=n_splits_failed,
    )


@dataclass(frozen=True, slots=True)
class _Intervals:
    """How intervals are made of rounds."""

    level: float
    seed: int
    percentile: bool


_TOO_FEW_SYSTEMS = Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_SYSTEMS)
_NO_GAMES = Quantity.missing(Status.INSUFFICIENT, Reason.NO_GAMES)


def _system(
    games: JudgedGames, whole: Totals, drawn: Totals, place: int, how: "_Intervals"
) -> SystemRecalibrationResult:
    none = _without_factor(whole, place)
    reason = () if whole.wins[place] else (Reason.NEVER_WON,)
    beta = none or Quantity.of(whole.beta()[place], *reason)
    score = none or Quantity.of(whole.score()[place], *reason)
    n_clusters = games.clusters_of(place)
    return SystemRecalibrationResult(
        p_win=_rate(whole.p_win()[place]),
        p_longer=_rate(whole.p_longer()[place]),
        judge_p_win=_rate(whole.judge_p_win()[place]),
        beta=beta,
        beta_interval=_interval(beta, drawn.beta()[:, place], n_clusters, SCORE_BOUNDS, how),
        score=score,
        score_interval=_interval(score, drawn.score()[:, place], n_clusters, SCORE_BOUNDS, how),
        n_games=int(whole.games[place]),
        n_judge_games=int(whole.judge_games[place]),
    )


def _without_factor(whole: Totals, place: int) -> Quantity | None:
    if not whole.games[place] or not whole.judge_games[place]:
        return _NO_GAMES
    return None if whole.longer[place] else Quantity.missing(Status.UNDEFINED, Reason.NEVER_LONGER)


def _rate(value: float) -> Quantity:
    return _NO_GAMES if np.isnan(value) else Quantity.of(value)


def _interval(value: Quantity, of_rounds: np.ndarray, n_clusters: int, bounds: Bounds, how: "_Intervals") -> Interval:
    if value.value is None:
        method = "bootstrap_percentile" if how.percentile else "bootstrap_t"
        return Interval(status=value.status, level=how.level, method=method, reason=value.reason)
    usable = of_rounds[~np.isnan(of_rounds)]
    n_failed = len(of_rounds) - len(usable)
    return bootstrap_interval(
        value.value,
        usable,
        n_failed,
        n_clusters,
        level=how.level,
        seed=how.seed,
        bounds=bounds,
        percentile=how.percentile,
    )


def _crossfit(games: JudgedGames, compared: np.ndarray, seed: int, analysis: str) -> tuple[Quantity, int]:
    if games.n_clusters < 2:
        return Quantity.missing(Status.INSUFFICIENT, Reason.ONE_CLUSTER), 0
    fitted, held = games.halves(SPLITS, seed, analysis)
    rho = spearman_of_rounds(held.p_win()[:, compared], held.score(fitted)[:, compared])
    usable = rho[~np.isnan(rho)]
    n_failed = SPLITS - len(usable)
    if n_failed > MOST_FAILED_ROUNDS * SPLITS:
        return Quantity.missing(Status.NOT_ESTIMABLE, Reason.SPLITS_FAILED), n_failed
    return Quantity.of(exact_mean(usable)), n_failed
