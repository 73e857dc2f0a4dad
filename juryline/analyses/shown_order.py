"""Why the order on the screen is not known of judgments: METHODS 8, for every method that reads positions.

Belongs here: the reason, from what the specification declares. Does not: of which judgments it is known, which the view
says (`order_collected`).
"""

from collections.abc import Iterable

from data_contracts.specification import StudySpec
from data_contracts.vocabulary import CandidateOrder, Reason

_UNKNOWN = {CandidateOrder.NOT_RECORDED: Reason.ORDER_NOT_RECORDED, None: Reason.ORDER_NOT_DECLARED}


def why_order_unknown(populations: Iterable[str], spec: StudySpec) -> tuple[Reason, ...]:
    """Reasons why judgments of some populations have no known order, given that some have none.

    Returns
    -------
    tuple of Reason
        order_not_declared: nothing says how it came about. order_not_recorded: declared so, or declared otherwise and
        not held by these judgments.
    """
    orders = {order for population in populations for order in spec.orders_of(population)}
    reasons = {_UNKNOWN[order] for order in orders if order in _UNKNOWN}
    return tuple(sorted(reasons or {Reason.ORDER_NOT_RECORDED}))
