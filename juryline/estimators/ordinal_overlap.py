"""Whose answers on ordered levels overlap, so that the cumulative logit model has a finite estimate at all.

Belongs here: the systems that one fit can compare. Does not: the fit.
"""

import numpy as np

from juryline.estimators.comparison_graph import comparison_graph


def overlapping(counts: np.ndarray) -> np.ndarray:
    """Components of systems whose differences have a finite maximum likelihood estimate.

    Parameters
    ----------
    counts : ndarray of int, shape (n_systems, n_levels)
        Answers of each system at each level.

    Returns
    -------
    ndarray of int, shape (n_systems,)
        Systems of one number can be compared. 0 for a system without answers, and for every system where all answers
        are of one level.

    Notes
    -----
    The likelihood of an answer at level k of system s never falls along a direction with
    d theta_k-1 <= d beta_s <= d theta_k, and these are the only ones along which none falls. So it has a maximum,
    unique but for a constant, if and only if these inequalities leave no direction but the constant ones: if the graph
    with an arc from the smaller to the greater is strongly connected. Where it is not, the systems of a component keep
    the estimate that their own answers give as the others move away to infinity.

    References
    ----------
    Albert and Anderson 1984; Haberman 1980.
    """
    observed = counts[:, counts.any(axis=0)] > 0
    n_systems, n_thresholds = observed[:, 1:].shape
    arcs = np.zeros((n_systems + n_thresholds, n_systems + n_thresholds))
    arcs[:n_systems, n_systems:] = observed[:, :-1]  # an answer below a threshold
    arcs[n_systems:, :n_systems] = observed[:, 1:].T  # and one above it
    return comparison_graph(arcs).component[:n_systems]
