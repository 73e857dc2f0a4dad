"""The likelihood of raters' answers where each rater has a level of their own, drawn from a normal distribution.

Belongs here: METHODS 2's conditional model at given parameters, by adaptive Gauss-Hermite quadrature. Does not: where
the likelihood is highest (`rater_intercept`).
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from juryline.estimators.cumulative_logit import chance, gap_derivatives, gap_likelihood, log_chance
from juryline.estimators.rater_patterns import RaterPatterns

N_NODES = 21
_MOST_STEPS = 200
_CLOSE_TO_MODE = 1e-6  # in standard deviations of a rater's level given the answers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaterLikelihood:
    """The log likelihood of (theta, beta, sd), with its gradient and the observed information.

    Notes
    -----
    P(y <= k | u_r) = logistic(theta_k - x beta - u_r), u_r = sd z_r, z_r standard normal. The integral over z_r is a
    sum over 21 nodes about its most likely value, since nodes that are the same for all raters miss what a rater of
    many answers leaves of it; up to an sd of 2 the sum is within 1e-7 of the integral. Gradient and information are
    those of the sum, its nodes kept in place.

    References
    ----------
    Hedeker and Gibbons 1994; Pinheiro and Bates 1995; Louis 1982.
    """

    parts: "tuple[_Part, ...]"
    between: np.ndarray  # answers at each level between two thresholds
    n_thresholds: int

    @classmethod
    def of(cls, patterns: RaterPatterns, design: np.ndarray, n_thresholds: int) -> "RaterLikelihood":
        """Of raters' answers about cells with these covariates, shape (n_cells, n_covariates)."""
        above = patterns.side < 0
        answers = (patterns.n * patterns.repeats[patterns.pattern])[above]
        just_above = np.bincount(patterns.threshold[above], weights=answers, minlength=n_thresholds)
        return cls(
            parts=tuple(_Part.of(part, design, n_thresholds) for part in patterns.parts()),
            between=just_above[:-1],
            n_thresholds=n_thresholds,
        )

    def nodes(self, at: np.ndarray) -> "list[_Nodes]":
        """Nodes about raters' most likely levels at these parameters, for the methods below."""
        return [part.nodes(at) for part in self.parts]

    def value(self, at: np.ndarray, nodes: "list[_Nodes]") -> float:
        theta = at[: self.n_thresholds]
        if (np.diff(theta) <= 0).any():
            return -np.inf
        of_raters = sum(part.value(at, at_nodes) for part, at_nodes in zip(self.parts, nodes))
        return of_raters + float(self.between @ gap_likelihood(theta))

    def derivatives(self, at: np.ndarray, nodes: "list[_Nodes]") -> tuple[float, np.ndarray, np.ndarray]:
        """Value, gradient and information."""
        of_theta = slice(self.n_thresholds)
        value = float(self.between @ gap_likelihood(at[of_theta]))
        gradient, information = np.zeros(len(at)), np.zeros((len(at), len(at)))
        gradient[of_theta], information[of_theta, of_theta] = gap_derivatives(at[of_theta], self.between)
        for part, at_nodes in zip(self.parts, nodes):
            of_part = part.derivatives(at, at_nodes)
            value, gradient, information = value + of_part[0], gradient + of_part[1], information + of_part[2]
        return value, gradient, information

    def rise(self, without: np.ndarray) -> float:
        """Twice the derivative by the variance of raters' levels, where there is none."""
        total = 0.0
        for part in self.parts:
            patterns = part.patterns
            beyond = chance(-part.log_odds(without, np.zeros((len(patterns.repeats), 1)))[:, 0])
            slope = patterns.totals(patterns.n * patterns.side * beyond)
            curvature = patterns.totals(patterns.n * beyond * (1 - beyond))
            total += float(np.sum(patterns.repeats * (slope**2 - curvature)))
        return total


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Nodes:
    """Where the integral over each rater's level is evaluated, in sd: shape (n_patterns, n_nodes) each."""

    z: np.ndarray
    log_weight: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """Raters whose integrals are computed together."""

    patterns: RaterPatterns
    slopes: Any  # by (theta, beta), of each term's log odds: sparse, shape (n_terms, n_parameters)
    gathered: Any  # that gives their sums within a pattern: sparse, shape (n_patterns * n_parameters, n_terms)

    @classmethod
    def of(cls, patterns: RaterPatterns, design: np.ndarray, n_thresholds: int) -> "_Part":
        from scipy.sparse import csr_array

        slopes = patterns.slopes(design, n_thresholds)
        each = slopes.tocoo()
        n_parameters = slopes.shape[1]
        rows = patterns.pattern[each.row] * n_parameters + each.col
        shape = (len(patterns.repeats) * n_parameters, len(patterns.n))
        return cls(patterns=patterns, slopes=slopes, gathered=csr_array((each.data, (rows, each.row)), shape))

    def log_odds(self, at: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Of each answer's lying on its side of the threshold, at raters' levels in sd, shape (n_patterns, n)."""
        side = self.patterns.side[:, None]
        return side * (self.slopes @ at[:-1])[:, None] - (side * at[-1]) * z[self.patterns.pattern]

    def nodes(self, at: np.ndarray) -> _Nodes:
        """Gauss-Hermite nodes about the most likely level of each rater, as wide as the likelihood is there."""
        mode, curvature = self._modes(at)
        x, weight = _hermite(N_NODES)
        width = np.sqrt(2 / curvature)[:, None]
        z = mode[:, None] + width * x
        return _Nodes(z=z, log_weight=np.log(weight) + x**2 - z**2 / 2 + np.log(width / np.sqrt(2 * np.pi)))

    def _modes(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Newton's method, kept between levels that are too low and too high for the mode."""
        n, sd = self.patterns.n, at[-1]
        high = abs(sd) * self.patterns.totals(n) + 1
        low, z = -high, np.zeros(len(high))
        for _ in range(_MOST_STEPS):
            beyond = chance(-self.log_odds(at, z[:, None])[:, 0])
            slope = -sd * self.patterns.totals(n * self.patterns.side * beyond) - z
            curvature = 1 + sd**2 * self.patterns.totals(n * beyond * (1 - beyond))
            low, high = np.where(slope >= 0, z, low), np.where(slope <= 0, z, high)
            moved = z + slope / curvature
            moved = np.where((moved < low) | (moved > high), (low + high) / 2, moved)
            if (np.abs(moved - z) * np.sqrt(curvature) <= _CLOSE_TO_MODE).all():
                break
            z = moved
        return z, curvature

    def value(self, at: np.ndarray, nodes: _Nodes) -> float:
        joint = self._joint(self.log_odds(at, nodes.z), nodes)
        return float(np.sum(self.patterns.repeats * np.logaddexp.reduce(joint, axis=1)))

    def _joint(self, log_odds: np.ndarray, nodes: _Nodes) -> np.ndarray:
        """Log likelihood of each rater's answers at each node, with the weight of the node."""
        return nodes.log_weight + self.patterns.totals(self.patterns.n[:, None] * log_chance(log_odds))

    def derivatives(self, at: np.ndarray, nodes: _Nodes) -> tuple[float, np.ndarray, np.ndarray]:
        """Value, gradient and information from these raters, but for the gaps between thresholds."""
        patterns, n_fixed = self.patterns, len(at) - 1
        log_odds = self.log_odds(at, nodes.z)
        joint = self._joint(log_odds, nodes)
        value = np.logaddexp.reduce(joint, axis=1)
        given = np.exp(joint - value[:, None])  # weight of each node, given the answers
        beyond = chance(-log_odds)
        slope = (patterns.n * patterns.side)[:, None] * beyond
        scores = np.empty((len(patterns.repeats), n_fixed + 1, N_NODES))
        scores[:, :-1] = (self.gathered @ slope).reshape(-1, n_fixed, N_NODES)
        scores[:, -1] = -nodes.z * patterns.totals(slope)
        score = np.einsum("rpm,rm->rp", scores, given)
        # Louis 1982: what is known of the parameters if levels were known, less what not knowing them takes away.
        curvature = patterns.n[:, None] * beyond * (1 - beyond) * (patterns.repeats[:, None] * given)[patterns.pattern]
        z = nodes.z[patterns.pattern]
        fixed = (self.slopes.T * curvature.sum(axis=1)) @ self.slopes
        mixed = -(self.slopes.T @ (curvature * z).sum(axis=1))
        complete = np.block([[fixed.toarray(), mixed[:, None]], [mixed, np.sum(curvature * z**2)]])
        scattered = scores * np.sqrt(patterns.repeats[:, None] * given)[:, None, :]
        lost = np.einsum("rpm,rqm->pq", scattered, scattered) - np.einsum("rp,rq,r->pq", score, score, patterns.repeats)
        value_of_all = float(np.sum(patterns.repeats * value))
        return value_of_all, np.einsum("rp,r->p", score, patterns.repeats), complete - lost


@cache
def _hermite(n: int) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.hermite.hermgauss(n)
    return nodes, weights
