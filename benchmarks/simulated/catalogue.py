"""What is simulated: every interval for its coverage, every test for its rejection rate.

Belongs here: the list. Does not: a design, or the counting.
"""

from functools import cache, partial

import numpy as np

from benchmarks.simulated import chances, games, labels, ratings
from benchmarks.simulated.measuring import Counted, Results, Simulation, measure
from juryline.estimators.holm import holm
from juryline.estimators.quantity import Quantity, Test

CLUSTERS = (10, 20, 40)
UNITS: tuple[tuple[str, ...], ...] = (("rater",), ("case",), ("rater", "case"))

_FAMILY = 5
_EFFECT = 0.8  # a latent chance that no study of ten raters misses


def _coverage() -> dict[str, Simulation]:
    found = {}
    for unit in UNITS:
        by = " x ".join(unit)
        rated = ratings.RatingDesign(unit=unit)
        answered = chances.AnswerDesign(unit=unit, latent=0.62)
        played = games.GameDesign(unit=unit)
        found[f"ratings by {by}"] = Simulation(
            study=partial(ratings.intervals, rated), truth=lambda _, of=rated: ratings.truths(of)
        )
        found[f"answers by {by}"] = Simulation(
            study=partial(chances.intervals, answered), truth=lambda _, of=answered: chances.truths(of)
        )
        found[f"games by {by}"] = Simulation(
            study=partial(games.intervals, played), truth=lambda _, of=played: games.truths(of)
        )
        if "rater" in unit:
            found[f"Elo by {by}"] = Simulation(
                study=partial(games.elo_intervals, played), truth=partial(games.elo_truths, played)
            )
    found["labels by case"] = Simulation(study=labels.intervals, truth=lambda _: labels.truths())
    return found


def _rejection() -> dict[str, Simulation]:
    found = {}
    for unit in UNITS:
        by = " x ".join(unit)
        rated = ratings.RatingDesign(unit=unit, latent=(3.1, 3.1))
        answered = chances.AnswerDesign(unit=unit, latent=0.5)
        played = games.GameDesign(unit=unit, strengths=games.NO_STRENGTHS, lead=0.0)
        found[f"ratings by {by}"] = Simulation(study=partial(ratings.tests, rated))
        found[f"answers by {by}"] = Simulation(study=partial(chances.tests, answered))
        found[f"games by {by}"] = Simulation(study=partial(games.tests, played))
    found["labels by case"] = Simulation(study=labels.tests)
    at_margin = chances.AnswerDesign(unit=("rater",), latent=0.75)
    found["answers at the margin"] = Simulation(study=partial(chances.equivalence, at_margin))
    found["families of answers"] = Simulation(study=_families)
    return found


def _families(draw: np.random.Generator, clusters: int) -> Results:
    """Holm's smallest adjusted p-value of pairs without an effect, alone and beside two that have one."""
    none, some = (chances.AnswerDesign(unit=("rater",), latent=latent) for latent in (0.5, _EFFECT))
    found = {}
    for name, effects in (("without effects", 0), ("beside two effects", 2)):
        designs = [some] * effects + [none] * (_FAMILY - effects)
        tests = [chances.tests(design, draw, clusters)["spa_t"] for design in designs]
        adjusted = holm([test.p_value for test in tests if isinstance(test, Test)], _FAMILY)[effects:]
        least = min(p for p in adjusted if p is not None)
        found[f"Holm, any of {_FAMILY - effects} {name}"] = Test(
            statistic=Quantity.of(least), null_value=0.0, p_value=least
        )
    return found


COVERAGE = _coverage()
REJECTION = _rejection()


@cache
def coverage(simulation: str, clusters: int) -> dict[str, Counted]:
    """Coverage of every interval of a simulation."""
    return measure(COVERAGE[simulation], clusters)


@cache
def rejection(simulation: str, clusters: int) -> dict[str, Counted]:
    """Rejection rate of every test of a simulation."""
    return measure(REJECTION[simulation], clusters)
