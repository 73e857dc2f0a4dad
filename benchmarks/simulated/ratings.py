"""Simulated ratings of two systems on five levels, with effects of raters and of items, by system and on both.

Belongs here: the design, its truths, and what the public estimators of `likert` and `pass_rates` say of a study.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.simulated.latent import Grid
from benchmarks.simulated.measuring import LEVEL, Results
from juryline.estimators.likert import estimate_case_weighted_mean, estimate_mean, standard_scores
from juryline.estimators.matched import (
    DifferenceResult,
    Matched,
    Ratings,
    estimate_difference,
    estimate_superiority,
    estimate_unpaired_difference,
    match_cells,
    match_raters,
)
from juryline.estimators.ordinal_log_odds import OrdinalAnswers, ordinal_log_odds
from juryline.estimators.pass_rates import estimate_share
from juryline.estimators.quantity import Interval

LEVELS = Grid(low=1, high=5, step=1)
RANGE = 4.0
PASS = 4
LOW = 1  # a level that moves with raters and items, as the middle one hardly does
_SDS = {"rater": (0.5, 0.3), "case": (0.4, 0.3)}  # on both systems alike, and on each by itself
_NOISE_SD = 0.6
_MANY = 100_000
_FEW = 12  # raters or items that are no clusters: the same ones in every study


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingDesign:
    """Raters who each rate some items of both systems: latent = system + rater + item + noise.

    Parameters
    ----------
    unit : tuple of str
        `rater`, `case` or both: what is drawn anew for every study. The other stays, and truths are means over it.
    latent : tuple of float
        Latent means of the systems. Equal ones make the systems exchangeable: what stays then affects both alike.
    """

    unit: tuple[str, ...]
    latent: tuple[float, float] = (3.3, 2.9)

    def table(self) -> np.ndarray:
        """Chance of each pair of ratings in a cell, shape (5, 5): random effects integrated, the rest averaged."""
        fixed = replace(self, unit=())
        raters, items = (
            np.zeros((1, 2)) if way in self.unit else fixed.effects(np.random.default_rng(), way, _FEW) for way in _SDS
        )
        mean = (np.array(self.latent) + raters[:, np.newaxis] + items).reshape(-1, 2)
        shared, own = zip(*(_SDS[way] for way in self.unit))
        return LEVELS.joint(mean[:, 0], mean[:, 1], shared_sd=math.hypot(*shared), own_sd=math.hypot(*own, _NOISE_SD))

    def effects(self, draw: np.random.Generator, way: str, n: int) -> np.ndarray:
        """Effects of raters or of cases upon each system, shape (n, 2)."""
        both, own = _SDS[way]
        if way not in self.unit:
            draw, own = np.random.default_rng(len(way)), own * (self.latent[0] != self.latent[1])
        return draw.normal(0, both, (n, 1)) + draw.normal(0, own, (n, 2))

    def draw(self, draw: np.random.Generator, clusters: int) -> Ratings:
        """A study in which each cluster has between a third and two thirds of the cells that it could have."""
        n_raters, n_items = (clusters if way in self.unit else _FEW for way in _SDS)
        raters, items = self.effects(draw, "rater", n_raters), self.effects(draw, "case", n_items)
        share = draw.uniform(1 / 3, 2 / 3, (n_raters, 1) if "rater" in self.unit else (1, n_items))
        rater, item = np.nonzero(draw.random((n_raters, n_items)) < share)
        rater, item, system = np.repeat(rater, 2), np.repeat(item, 2), np.tile([0, 1], len(rater))
        latent = np.array(self.latent)[system] + raters[rater, system] + items[item, system]
        codes = {"rater": rater, "case": item}
        return Ratings(
            rater=rater,
            item=item,
            output=2 * item + system,
            system=system,
            units=tuple(codes[way] for way in self.unit),
            value=LEVELS.answer(latent + draw.normal(0, _NOISE_SD, len(latent))),
        )


def of(ratings: Ratings, kept: np.ndarray) -> Ratings:
    """Some of the ratings."""
    parts = {name: getattr(ratings, name)[kept] for name in ("rater", "item", "output", "system", "value")}
    return Ratings(units=tuple(codes[kept] for codes in ratings.units), **parts)


def truths(design: RatingDesign) -> dict[str, float]:
    """What the statistics of a study estimate."""
    table = design.table()
    levels, first = LEVELS.levels, table.sum(axis=1)
    apart = np.sign(levels[:, np.newaxis] - levels)
    passed = (levels >= PASS).astype(float)
    mean, rate = float(first @ levels), float(first @ passed)
    difference, of_rates = mean - float(table.sum(axis=0) @ levels), rate - float(table.sum(axis=0) @ passed)
    return {
        "mean": mean,
        "mean_case_weighted": mean,
        "pass_rate": rate,
        "share": float(first[LOW]),
        "mean_difference": difference,
        "mean_difference, pairing: rater": difference,
        "mean_difference, pairing: none": difference,
        "share_difference": of_rates,
        "superiority": 0.5 + 0.5 * float((apart * table).sum()),
        "ordinal_log_odds": _log_odds(table),
    }


def _log_odds(table: np.ndarray) -> float:
    """Log odds fitted to as many ratings as show every chance: under independence only their counts matter."""
    counts = np.rint(_MANY * np.stack([table.sum(axis=1), table.sum(axis=0)])).astype(int)
    system, label = (np.repeat(codes.ravel(), counts.ravel()) for codes in np.indices(counts.shape))
    code = np.arange(len(label))
    answers = OrdinalAnswers(
        rater=code, system=system, label=label, units=(code,), n_systems=2, n_labels=len(LEVELS.levels)
    )
    value = ordinal_log_odds(answers, pairs=[(0, 1)], level=LEVEL)[0].log_odds.value
    assert value is not None, "levels of both systems overlap"
    return value


def intervals(design: RatingDesign, draw: np.random.Generator, clusters: int) -> Results:
    """Intervals of a study's statistics by the public estimators."""
    ratings = design.draw(draw, clusters)
    first = ratings.system == 0
    values, units = ratings.value[first], tuple(codes[first] for codes in ratings.units)
    scale = {"level": LEVEL, "scale_range": RANGE}
    answers = OrdinalAnswers(
        rater=ratings.rater,
        system=ratings.system,
        label=ratings.value.astype(int) - 1,
        units=ratings.units,
        n_systems=2,
        n_labels=len(LEVELS.levels),
    )
    found: dict[str, Interval] = {
        "ordinal_log_odds": ordinal_log_odds(answers, pairs=[(0, 1)], level=LEVEL)[0].interval,
        "mean": estimate_mean(values, units, bounds=(1, 5), **scale).interval,
        "mean_case_weighted": estimate_case_weighted_mean(
            values, ratings.item[first], units, bounds=(1, 5), **scale
        ).interval,
        "pass_rate": estimate_share(values >= PASS, units, level=LEVEL).interval,
        "share": estimate_share(values == LEVELS.levels[LOW], units, level=LEVEL).interval,
        "superiority": estimate_superiority(match_cells(ratings, 0, 1), **scale).interval,
    }
    return found | {name: result.interval for name, result in _differences(design, draw, ratings, clusters).items()}


def tests(design: RatingDesign, draw: np.random.Generator, clusters: int) -> Results:
    """Tests of a study's differences by the public estimators."""
    ratings = design.draw(draw, clusters)
    found = _differences(design, draw, ratings, clusters)
    found["mean_difference_z"] = _difference_of_scores(ratings)
    return {f"{name}_t": result.test for name, result in found.items()}


def _differences(
    design: RatingDesign, draw: np.random.Generator, ratings: Ratings, clusters: int
) -> dict[str, DifferenceResult]:
    cells = match_cells(ratings, 0, 1)
    found = {
        "mean_difference": _difference(cells),
        "share_difference": estimate_difference(
            replace(cells, x=(cells.x >= PASS) * 1.0, y=(cells.y >= PASS) * 1.0),
            level=LEVEL,
            scale_range=1.0,
            bounds=(-1, 1),
        ),
    }
    if design.unit != ("rater",):
        return found
    of_either = of(ratings, draw.integers(2, size=len(ratings.value) // 2).repeat(2) == ratings.system)
    apart = design.draw(draw, 2 * clusters)
    of_own = of(apart, apart.rater % 2 == apart.system)
    return found | {
        "mean_difference, pairing: rater": _difference(match_raters(of_either, 0, 1)),
        "mean_difference, pairing: none": estimate_unpaired_difference(
            of_own, 0, 1, level=LEVEL, scale_range=RANGE, bounds=(-RANGE, RANGE)
        ),
    }


def _difference(matched: Matched) -> DifferenceResult:
    return estimate_difference(matched, level=LEVEL, scale_range=RANGE, bounds=(-RANGE, RANGE))


def _difference_of_scores(ratings: Ratings) -> DifferenceResult:
    scores = standard_scores(ratings.value, ratings.rater, scale_range=RANGE)
    scored = replace(of(ratings, scores.kept), value=scores.value)
    return estimate_difference(match_cells(scored, 0, 1), level=LEVEL, scale_range=RANGE, bounds=(None, None))
