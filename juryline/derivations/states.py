"""How many included judgments of each state, by criterion, population and system."""

import ibis
import ibis.expr.types as ir

from data_contracts.tables import RESPONSE_STATES
from data_contracts.vocabulary import ItemKind, Protocol
from juryline.derivations.shape import in_shape

_BY = ("criterion", "population", "system", "state")


def response_states(comparisons: ir.Table, ratings: ir.Table, spa_answers: ir.Table) -> ir.Table:
    """How many included judgments of each state.

    Parameters
    ----------
    comparisons, ratings, spa_answers : ir.Table
        The protocol views. Rows whose item is not scored are not counted.

    Returns
    -------
    ir.Table
        RESPONSE_STATES. A comparison and a spa answer count under each of their two systems; a ranking counts by its
        ranks, not again by its pairs.
    """
    pairwise = comparisons.filter(comparisons.protocol == str(Protocol.PAIRWISE))
    places = (
        (pairwise, "system_1"),
        (pairwise, "system_2"),
        (ratings, "system"),
        (spa_answers, "system_x"),
        (spa_answers, "system_y"),
    )
    # Counted view by view first: what is then added up is a handful of rows.
    counts = ibis.union(*(_counts(view, system) for view, system in places))
    return in_shape(counts.group_by(*_BY).agg(n=counts.n.sum()), RESPONSE_STATES)


def _counts(view: ir.Table, system: str) -> ir.Table:
    scored = view.filter(view.item_kind == str(ItemKind.SCORED))
    named = scored.select("criterion", "population", "state", system=scored[system])
    return named.group_by(*_BY).agg(n=named.count())
