"""Simulated answers to "how likely is X better?", with effects of raters and of samples of outputs.

Belongs here: the design, its truth, and what the public estimators of `spa` say of a study.
"""

import math
from dataclasses import dataclass

import numpy as np

from benchmarks.simulated.latent import Grid
from benchmarks.simulated.measuring import LEVEL, Results
from juryline.estimators.quantity import Test
from juryline.estimators.spa import (
    PairAnswers,
    complement_sum,
    equivalence_test,
    estimate_preference,
    question_order,
)

CHANCES = Grid(low=0, high=1, step=0.05)  # people answer in steps of five percent
_SDS = {"rater": 0.15, "case": 0.1}
_NOISE_SD = 0.1
_FEW = 8  # raters or samples that are no clusters: the same ones in every study
_SEEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDesign:
    """Raters who each see some samples and state the chance of X, then that of Y, of each.

    Where samples alone are the unit, every rater of the panel sees all of them: each rater counts the same in the
    mean, so a rater who saw other samples than the rest would add to the variance what never varies.

    Parameters
    ----------
    unit : tuple of str
        `rater`, `case` (a sample) or both: what is drawn anew for every study. The other stays.
    latent : float
        Mean of the latent chance of X; that of Y is 1 minus it.
    """

    unit: tuple[str, ...]
    latent: float

    def shown(self, clusters: int) -> int:
        """Samples that each rater sees: one where raters alone are the unit, all where samples are."""
        return {("rater",): 1, ("case",): clusters}.get(self.unit, _SEEN)

    @property
    def truth(self) -> float:
        """Mean over raters and samples of (p_xy + 1 - p_yx)/2: the answers to either question are mirror images."""
        raters, samples = (
            np.zeros(1) if way in self.unit else self.effects(np.random.default_rng(), way, _FEW) for way in _SDS
        )
        mean = (self.latent + raters[:, np.newaxis] + samples).ravel()
        sd = math.hypot(_NOISE_SD, *(_SDS[way] for way in self.unit))
        return float((CHANCES.chances(mean, sd) @ CHANCES.levels).mean())

    def effects(self, draw: np.random.Generator, way: str, n: int) -> np.ndarray:
        if way not in self.unit:
            effects = np.random.default_rng(len(way)).normal(0, _SDS[way], n)
            return effects - effects[::-1]  # they cancel in pairs, so that a latent mean of 1/2 is no preference
        return draw.normal(0, _SDS[way], n)

    def draw(self, draw: np.random.Generator, clusters: int) -> tuple[PairAnswers, np.ndarray]:
        """Answers of a study, and the sample behind each."""
        n_raters, n_samples = (clusters if way in self.unit else _FEW for way in _SDS)
        raters, samples = self.effects(draw, "rater", n_raters), self.effects(draw, "case", n_samples)
        seen = draw.random((n_raters, n_samples)).argsort(axis=1)[:, : self.shown(clusters)]
        rater, sample = np.indices(seen.shape)[0].ravel().repeat(2), seen.ravel().repeat(2)
        forward = np.tile([True, False], seen.size)
        chance = self.latent + raters[rater] + samples[sample] + draw.normal(0, _NOISE_SD, len(rater))
        value = CHANCES.answer(np.where(forward, chance, 1 - chance))
        return PairAnswers(rater=rater, forward=forward, value=value), sample


def intervals(design: AnswerDesign, draw: np.random.Generator, clusters: int) -> Results:
    """Intervals of a study's preference, by each way to make a rater's value."""
    answers, samples = design.draw(draw, clusters)
    return {
        f"spa_preference, answers: {mode}": estimate_preference(
            answers,
            mode=mode,
            level=LEVEL,
            raters="rater" in design.unit,
            samples=samples if "case" in design.unit else None,
        ).interval
        for mode in ("forward", "mean_of_both")
    }


def truths(design: AnswerDesign) -> dict[str, float]:
    """What the statistics of a study estimate."""
    return {f"spa_preference, answers: {mode}": design.truth for mode in ("forward", "mean_of_both")}


def tests(design: AnswerDesign, draw: np.random.Generator, clusters: int) -> Results:
    """Tests of a study without a preference."""
    answers, samples = design.draw(draw, clusters)
    result = estimate_preference(
        answers,
        mode="mean_of_both",
        level=LEVEL,
        raters="rater" in design.unit,
        samples=samples if "case" in design.unit else None,
    )
    found: dict[str, Test] = {"spa_t": result.test}
    if design.unit == ("rater",):
        found["complement_sum_t"] = complement_sum(answers, level=LEVEL).test
        unplaced = np.full(len(answers.rater), -1)
        found["question_order_t"] = question_order(answers, unplaced, level=LEVEL).difference.test
    return found


def equivalence(design: AnswerDesign, draw: np.random.Generator, clusters: int) -> Results:
    """The test of equivalence of a study whose preference lies exactly at the margin."""
    answers, _ = design.draw(draw, clusters)
    result = estimate_preference(answers, mode="mean_of_both", level=LEVEL)
    return {"spa_equivalence": equivalence_test(result, margin=design.truth - 0.5)}
