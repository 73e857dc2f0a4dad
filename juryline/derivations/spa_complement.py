"""The tau rule on stated chances: both directions of a pair may not sum to more than tau (METHODS 1)."""

from fractions import Fraction

import ibis
import ibis.expr.types as ir

from data_contracts.specification import Criterion
from data_contracts.specification_rules import SpaComplement
from data_contracts.vocabulary import Protocol, State
from juryline.derivations.rule_hits import ROW, Given, Hits, exact, not_evaluated

_BILLIONTHS = 10**9
_STANDING = ("rubric_revision", "interface_revision", "phase", "item_kind")
_FIGURES = ("criterion", "candidate_1", "candidate_2", "exposure", "answers", "complement_sum", "tau")


def spa_complement(rule: SpaComplement, judged: ir.Table, given: Given) -> Hits:
    """Answers to a pair asked both ways whose stated chances sum to more than tau.

    Several answers of a rater to one question at one exposure are averaged first; answers that differ in revision,
    phase or kind of item are never averaged. A pair asked one way is no hit.

    Notes
    -----
    With forward answers f_1..f_a and backward ones b_1..b_c on a scale from low to high, a pair fails where
    c sum(f) + a sum(b) - 2 a c low > a c tau (high - low). Both sides are whole numbers, answers in billionths of the
    scale's unit, so 60 % and 50 % are exactly 110 % and pass at tau 1.1.
    """
    criteria = [criterion for criterion in given.spec.criteria_ever.values() if criterion.protocol is Protocol.SPA]
    if rule.criterion is not None:
        criteria = [criterion for criterion in criteria if criterion.id in rule.criterion]
    if not criteria:
        raise not_evaluated(rule, "the study has no spa criterion for it", "remove the rule")
    failing = [_incoherent(judged, criterion, rule.tau) for criterion in criteria]
    return Hits(table=failing[0] if len(failing) == 1 else ibis.union(*failing), on=ROW, figures=_FIGURES)


def _incoherent(judged: ir.Table, criterion: Criterion, tau: float) -> ir.Table:
    """The answers of one criterion that belong to failing pairs, with the figures."""
    low, high = criterion.bounds
    assert low is not None
    assert high is not None
    answers = judged.filter(judged.criterion == criterion.id, judged.state == str(State.ANSWERED))
    answers = answers.mutate(
        first=ibis.least(answers.candidate_1, answers.candidate_2),
        second=ibis.greatest(answers.candidate_1, answers.candidate_2),
        is_forward=answers.candidate_1 < answers.candidate_2,
        billionths=((answers.value * (high - low) + low) * _BILLIONTHS).round().cast("int64"),
        asked_at=_joinable(answers.exposure),
        **{name: _joinable(answers[name]) for name in _STANDING},
    )
    question = ["rater_pseudonym", "first", "second", "asked_at", *_STANDING]
    asked = answers.group_by(*question).agg(
        forward=answers.count(where=answers.is_forward),
        backward=answers.count(where=~answers.is_forward),
        forward_sum=answers.billionths.sum(where=answers.is_forward),
        backward_sum=answers.billionths.sum(where=~answers.is_forward),
    )
    both = asked.filter((asked.forward > 0) & (asked.backward > 0))
    pairs = both.forward * both.backward
    width = exact(high) - exact(low)
    sums = both.backward * both.forward_sum + both.forward * both.backward_sum - pairs * _billionths(2 * exact(low))
    failing = both.mutate(
        answers=both.forward + both.backward,
        complement_sum=(sums / (pairs * _billionths(width))).round(9),
        tau=ibis.literal(tau),
    ).filter(sums > pairs * _billionths(exact(tau) * width))
    return answers.inner_join(failing, question).select(*ROW, *_FIGURES)


def _joinable(value: ir.Value) -> ir.StringValue:
    """A value as text, the empty one where it is not known: nulls would never join."""
    return ibis.coalesce(value.cast("string"), ibis.literal(""))


def _billionths(number: Fraction) -> int:
    return round(number * _BILLIONTHS)
