"""How collection went, as few rows: what an audit looks over instead of the judgments."""

import ibis.expr.types as ir

from data_contracts.tables import JUDGMENT_PROFILE
from data_contracts.vocabulary import State
from juryline.derivations.shape import in_shape

_SHARES = (State.UNKNOWN, State.ABSTAIN, State.MISSING, State.INVALID)


def judgment_profile(history: ir.Table) -> ir.Table:
    """Counts, shares of non-answers and the median duration, a day, criterion and population.

    Parameters
    ----------
    history : ir.Table
        HISTORY. Current judgments are profiled, whatever they were for and whether or not a rule excludes them; a
        ranking counts a row an output, as it is kept.

    Returns
    -------
    ir.Table
        JUDGMENT_PROFILE.
    """
    current = history.filter(history.current)
    current = current.mutate(
        day=current.submitted_at.strftime("%Y-%m-%d"),
        took=current.submitted_at.delta(current.started_at, unit="microsecond"),
    )
    profile = current.group_by(*JUDGMENT_PROFILE.key).agg(
        n_judgments=current.count(),
        n_raters=current.rater_pseudonym.nunique(),
        n_timed=current.took.count(),
        # Of whole microseconds, so that no order of adding doubles can show.
        median_seconds=current.took.median() / 1_000_000,
        **{f"share_{state}": (current.state == str(state)).sum() / current.count() for state in _SHARES},
    )
    return in_shape(profile, JUDGMENT_PROFILE)
