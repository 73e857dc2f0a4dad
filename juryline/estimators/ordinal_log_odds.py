"""Differences of systems in log odds of being rated above any level: the ordinal model of METHODS 2.

Belongs here: which answers one fit is made of, what cannot be estimated, intervals. Does not: the two likelihoods
(`cumulative_logit`, `rater_intercept`), nor what makes them have a maximum (`ordinal_overlap`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.cluster_variance import cluster_variance
from juryline.estimators.cumulative_logit import CumulativeLogit, answer_scores, fit_cumulative_logit
from juryline.estimators.dense_codes import dense_codes
from juryline.estimators.inference import t_interval, wald_interval
from juryline.estimators.ordinal_overlap import overlapping
from juryline.estimators.quantity import Interval, Quantity
from juryline.estimators.rater_intercept import RaterIntercept, fit_rater_intercept
from juryline.estimators.rater_patterns import RaterPatterns

NO_DIFFERENCE = 0.0
FARTHEST_DIFFERENCE = 15.0  # in log odds: beyond it no answers could tell a difference from an infinite one
FEWEST_RATERS = 5  # who judged two systems or more
_NOTHING = 1e-9  # in log odds: what the iterations leave of a difference that is 0
_METHOD = "sandwich_t"
_CONDITIONAL_METHOD = "wald"
_SEPARATION = Quantity.missing(Status.NOT_ESTIMABLE, Reason.SEPARATION)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrdinalAnswers:
    """Answers on ordered levels, in the order of a unique key.

    Parameters
    ----------
    rater, system, label : ndarray of int, shape (n,)
        Codes; of labels in their declared order.
    units : tuple of one or two ndarray of int, shape (n,)
        Independent unit of each answer in each dimension.
    n_systems, n_labels : int

    Raises
    ------
    ValueError
        Unequal lengths, a code out of range, or a number of dimensions other than one or two.
    """

    rater: np.ndarray
    system: np.ndarray
    label: np.ndarray
    units: tuple[np.ndarray, ...]
    n_systems: int
    n_labels: int

    def __post_init__(self) -> None:
        if any(len(codes) != len(self.label) for codes in (self.rater, self.system, *self.units)):
            raise ValueError("rater, system, label and units must be of one length")
        if len(self.units) not in (1, 2):
            raise ValueError(f"units has {len(self.units)} dimensions: one or two")
        for name, codes, n in (("system", self.system, self.n_systems), ("label", self.label, self.n_labels)):
            if len(codes) and not 0 <= codes.min() <= codes.max() < n:
                raise ValueError(f"{name} holds codes {codes.min()} to {codes.max()}: not in 0 to {n - 1}")

    def counts(self) -> np.ndarray:
        """Answers of each system at each label, shape (n_systems, n_labels)."""
        shape = (self.n_systems, self.n_labels)
        return np.bincount(self.system * self.n_labels + self.label, minlength=shape[0] * shape[1]).reshape(shape)

    def of_systems(self, members: np.ndarray) -> "OrdinalAnswers":
        """The answers about some systems, renumbered in their order, with the labels that they use."""
        chosen = np.isin(self.system, members)
        label = dense_codes(self.label[chosen])
        return OrdinalAnswers(
            rater=dense_codes(self.rater[chosen]),
            system=np.searchsorted(members, self.system[chosen]),
            label=label,
            units=tuple(codes[chosen] for codes in self.units),
            n_systems=len(members),
            n_labels=int(label.max()) + 1,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalContrast:
    """Subject minus comparator, over all raters and within one; `systems` are those whose answers enter.

    `rater_sd` is the standard deviation of raters' levels, in log odds, in the model within a rater.
    """

    log_odds: Quantity
    interval: Interval
    conditional: Quantity
    conditional_interval: Interval
    rater_sd: Quantity
    systems: tuple[int, ...]

    @classmethod
    def missing(cls, none: Quantity, *, systems: tuple[int, ...], level: float) -> "OrdinalContrast":
        """Neither estimate, for one reason."""
        return cls(
            log_odds=none,
            interval=_no_interval(none, level, _METHOD),
            conditional=none,
            conditional_interval=_no_interval(none, level, _CONDITIONAL_METHOD),
            rater_sd=none,
            systems=systems,
        )


def ordinal_log_odds(
    answers: OrdinalAnswers, *, pairs: Sequence[tuple[int, int]], level: float
) -> tuple[OrdinalContrast, ...]:
    """Estimate how much higher one system is rated than another, whatever the distances between levels.

    Parameters
    ----------
    answers : OrdinalAnswers
        Of all systems: the thresholds between levels are theirs together.
    pairs : sequence of (subject, comparator)
        System codes of the differences asked for.
    level : float
        Confidence of the intervals, in (0, 1).

    Returns
    -------
    tuple of OrdinalContrast
        In the order of the pairs. Either estimate insufficient, no_judgments: a system has no answers. not_estimable,
        separation: answers overlap too little for a finite estimate, or all are of one level, or the difference is
        beyond 15; of the conditional one also where raters' levels have no finite spread. The conditional one
        insufficient, too_few_raters: fewer than five raters who judged two systems or more. The interval of the first
        insufficient, one_cluster, or degenerate, zero_variance; of either ok with few_clusters.

    Raises
    ------
    ValueError
        A pair of equal or unknown systems.

    Notes
    -----
    P(y <= k) = logistic(theta_k - beta_s), in one fit for all systems that can be compared (`overlapping`): a system
    that cannot takes only its own pairs with it. Levels that nobody chose have no threshold. `log_odds` is beta_X -
    beta_Y at the maximum of the likelihood under independence; its variance is the sandwich of METHODS 0.3 with psi =
    c' H^-1 s, H the observed information, s the score of an answer. `conditional` adds a level of its own for each
    rater, normally distributed, and has a Wald interval: it takes the answers of one rater as related by that level
    alone, and grows away from 0 the more raters' levels differ.

    References
    ----------
    McCullagh 1980; Liang and Zeger 1986; Hedeker and Gibbons 1994.
    """
    if any(one == other or not {one, other} <= set(range(answers.n_systems)) for one, other in pairs):
        raise ValueError(f"pairs {list(pairs)}: each must be two of the {answers.n_systems} systems")
    counts = answers.counts()
    has_answers = counts.sum(axis=1) > 0
    component = overlapping(counts)
    together = {component[one] for one, other in pairs if component[one] == component[other]} - {0}
    fits = {number: _Fit.of(answers, np.flatnonzero(component == number)) for number in together}

    def contrast(subject: int, comparator: int) -> OrdinalContrast:
        if component[subject] == component[comparator] and component[subject] in fits:
            return fits[component[subject]].contrast(subject, comparator, level)
        none = _SEPARATION
        if not (has_answers[subject] and has_answers[comparator]):
            none = Quantity.missing(Status.INSUFFICIENT, Reason.NO_JUDGMENTS)
        behind = tuple(sorted({subject, comparator, *np.flatnonzero(has_answers).tolist()}))
        return OrdinalContrast.missing(none, systems=behind, level=level)

    return tuple(contrast(*pair) for pair in pairs)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fit:
    """Both models of the answers about systems that can be compared; the first system has beta 0."""

    members: np.ndarray
    answers: OrdinalAnswers
    scores: np.ndarray | None  # of an answer, shape (n_members, n_levels, n_parameters)
    independent: CumulativeLogit | None
    conditional: RaterIntercept | Quantity

    @classmethod
    def of(cls, answers: OrdinalAnswers, members: np.ndarray) -> "_Fit":
        own = answers.of_systems(members)
        design = np.eye(len(members))[:, 1:]
        independent = fit_cumulative_logit(own.counts(), design)
        conditional: RaterIntercept | Quantity = _SEPARATION
        if independent is not None:
            conditional = _fit_conditional(own, design, independent)
        return cls(
            members=members,
            answers=own,
            scores=None if independent is None else answer_scores(independent, design),
            independent=independent,
            conditional=conditional,
        )

    def contrast(self, subject: int, comparator: int, level: float) -> OrdinalContrast:
        x, y = np.searchsorted(self.members, [subject, comparator]).tolist()
        log_odds = _SEPARATION
        if self.independent is not None:
            log_odds = _difference(self.independent.beta, x, y)
        if isinstance(self.conditional, RaterIntercept):
            conditional, rater_sd = _difference(self.conditional.beta, x, y), Quantity.of(self.conditional.sd)
        else:
            conditional, rater_sd = self.conditional, self.conditional
        return OrdinalContrast(
            log_odds=log_odds,
            interval=self._sandwich(log_odds, x, y, level),
            conditional=conditional,
            conditional_interval=self._wald(conditional, x, y, level),
            rater_sd=rater_sd,
            systems=tuple(self.members.tolist()),
        )

    def _sandwich(self, log_odds: Quantity, x: int, y: int, level: float) -> Interval:
        if log_odds.value is None or self.independent is None:
            return _no_interval(log_odds, level, _METHOD)
        weights = self.independent.covariance @ _weights(x, y, len(self.independent.theta), len(self.members))
        psi = (self.scores @ weights)[self.answers.system, self.answers.label]
        return t_interval(log_odds.value, cluster_variance(psi, self.answers.units), level=level, method=_METHOD)

    def _wald(self, log_odds: Quantity, x: int, y: int, level: float) -> Interval:
        if log_odds.value is None or not isinstance(self.conditional, RaterIntercept):
            return _no_interval(log_odds, level, _CONDITIONAL_METHOD)
        weights = _weights(x, y, len(self.conditional.theta), len(self.members))
        std_error = float(np.sqrt(weights @ self.conditional.covariance @ weights))
        return wald_interval(log_odds.value, std_error, int(self.answers.rater.max()) + 1, level=level)


def _fit_conditional(
    answers: OrdinalAnswers, design: np.ndarray, independent: CumulativeLogit
) -> RaterIntercept | Quantity:
    judged = np.unique(answers.rater * answers.n_systems + answers.system) // answers.n_systems
    if (np.bincount(judged) >= 2).sum() < FEWEST_RATERS:
        return Quantity.missing(Status.INSUFFICIENT, Reason.TOO_FEW_RATERS)
    patterns = RaterPatterns.of(answers.rater, answers.system, answers.label)
    return fit_rater_intercept(patterns, design, independent) or _SEPARATION


def _difference(beta: np.ndarray, x: int, y: int) -> Quantity:
    of_all = np.append(0.0, beta)
    difference = of_all[x] - of_all[y]
    if abs(difference) > FARTHEST_DIFFERENCE:
        return _SEPARATION
    return Quantity.of(difference if abs(difference) > _NOTHING else NO_DIFFERENCE)


def _weights(x: int, y: int, n_thresholds: int, n_members: int) -> np.ndarray:
    """Of (theta, beta) in the difference of two members."""
    of_all = np.zeros(n_thresholds + n_members)
    of_all[n_thresholds + x], of_all[n_thresholds + y] = 1.0, -1.0
    return np.delete(of_all, n_thresholds)


def _no_interval(missing: Quantity, level: float, method: str) -> Interval:
    return Interval(status=missing.status, level=level, method=method, reason=missing.reason)
