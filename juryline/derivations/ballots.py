"""Who voted what on which unit: the ballots that adjudications decide from (METHODS 7.1, 11a)."""

from dataclasses import dataclass

import ibis
import ibis.expr.types as ir

from data_contracts.specification import StudySpec
from data_contracts.specification_rules import Adjudicator
from data_contracts.tables import TEXT, TRUTH, WHOLE
from data_contracts.vocabulary import ItemKind, Protocol, SetAside, State
from juryline.derivations.history import by_time
from juryline.derivations.rule_hits import VOTED
from juryline.derivations.shape import declared_rows

UNIT = ("case_id", "criterion", "candidate_1", "candidate_2", "output_1", "output_2")
RULE = ("adjudication_id", "rule", "min_votes", "always")
_READ = (
    *("record_id", "protocol", "state", "label", "rater_pseudonym", "population", "item_kind"),
    *("submitted_at", "export_path", "source_row", "source_path"),
)
_LABEL_ID_LENGTH = 32  # hexadecimal digits, as of every id
_OTHER_POSITION = {"candidate_1": "candidate_2", "candidate_2": "candidate_1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballots:
    """The judgments that adjudications read, each once for every adjudication of its criterion."""

    units: ir.Table  # label_id, with RULE and UNIT
    votes: ir.Table  # label_id, record_id, criterion, vote: one a rater and unit
    decisions: ir.Table  # label_id, record_id, vote: one a unit, of the adjudicators that its rule names


def ballots(history: ir.Table, analysis_set: ir.Table, spec: StudySpec) -> Ballots:
    """The units, votes and adjudicators' decisions of all declared adjudications."""
    standing = analysis_set.select("record_id", "included", "set_aside_reason", "exclusion_id")
    rows = history.select(*_READ, *UNIT).inner_join(_rules(spec), "criterion").inner_join(standing, "record_id")
    is_voter = rows.included & rows.population.isin(spec.voters)
    # A judgment of an adjudicator is set aside as such; a control item or an excluded one decides nothing.
    is_decisive = (
        (rows.population == rows.decider)
        & (rows.set_aside_reason == str(SetAside.ADJUDICATOR))
        & (rows.item_kind == str(ItemKind.SCORED))
        & rows.exclusion_id.isnull()
    ).fill_null(False)
    oriented = _oriented(rows.mutate(is_voter=is_voter).filter(is_voter | is_decisive), spec)
    named = oriented.mutate(label_id=_label_id(oriented))
    voters, deciders = named.filter(named.is_voter), named.filter(~named.is_voter)
    return Ballots(
        units=named.group_by("label_id").agg(**{name: named[name].max() for name in (*RULE, *UNIT)}),
        votes=_latest(voters, "label_id", "rater_pseudonym"),
        decisions=_latest(deciders, "label_id"),
    )


def _rules(spec: StudySpec) -> ir.Table:
    """The declared adjudications, a row each, to join with the judgments of their criterion."""
    columns = (("adjudication_id", TEXT), ("criterion", TEXT), ("rule", TEXT), ("min_votes", WHOLE))
    rows: list[tuple[str, str, str, int, str | None, bool]] = []
    for rule in spec.adjudication:
        if isinstance(rule, Adjudicator):
            rows.append((rule.id, rule.criterion, rule.rule, 1, rule.population, rule.when == "always"))
        else:
            rows.append((rule.id, rule.criterion, rule.rule, rule.min_votes, None, False))
    return declared_rows([*columns, ("decider", TEXT), ("always", TRUTH)], rows)


def _oriented(rows: ir.Table, spec: StudySpec) -> ir.Table:
    """Rows with `vote`, pairs turned so that candidate_1 is the system declared earlier.

    Codes that differ by case are not declared anywhere: they are ordered as text.
    """
    order = [(system.blinded_id, place) for place, system in enumerate(spec.systems)]
    place_1, place_2 = (column.cases(*order, else_=len(order)) for column in (rows.candidate_1, rows.candidate_2))
    is_later = (place_1 > place_2) | ((place_1 == place_2) & (rows.candidate_1 > rows.candidate_2))
    turned = rows.mutate(turned=((rows.protocol == str(Protocol.PAIRWISE)) & is_later).fill_null(False))
    label = ibis.ifelse(turned.turned, turned.label.cases(*_OTHER_POSITION.items(), else_=turned.label), turned.label)
    return turned.mutate(
        candidate_1=ibis.ifelse(turned.turned, turned.candidate_2, turned.candidate_1),
        candidate_2=ibis.ifelse(turned.turned, turned.candidate_1, turned.candidate_2),
        output_1=ibis.ifelse(turned.turned, turned.output_2, turned.output_1),
        output_2=ibis.ifelse(turned.turned, turned.output_1, turned.output_2),
        vote=ibis.ifelse(turned.state == str(State.ANSWERED), label, turned.state),
    )


def _label_id(rows: ir.Table) -> ir.StringValue:
    """Hash of the adjudication and the unit; a part is its length, a colon and its text, a null is `-`."""
    text = ibis.literal("")
    for name in ("adjudication_id", *UNIT):
        column = rows[name]
        text = text.concat(ibis.coalesce(column.length().cast("string").concat(":", column), ibis.literal("-")))
    return text.hexdigest("sha256").substr(0, _LABEL_ID_LENGTH)


def _latest(rows: ir.Table, *unit: str) -> ir.Table:
    votes = rows.filter(rows.state.isin(VOTED))
    window = ibis.window(group_by=[votes[name] for name in unit], order_by=by_time(votes, latest_first=True))
    placed = votes.mutate(nth=ibis.row_number().over(window))
    return placed.filter(placed.nth == 0).select("label_id", "record_id", "criterion", "vote")
