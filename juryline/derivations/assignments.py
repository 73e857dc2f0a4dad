"""Who was assigned what, under the names that estimates use: aliases of raters, declared systems, attributes.

Belongs here: the shape of ASSIGNMENTS. Does not: reading the manifest.
"""

import ibis
import ibis.expr.types as ir

from data_contracts.specification import StudySpec
from data_contracts.tables import ASSIGNMENTS
from juryline.derivations.attributes import CASE, RATER, check_attributes, with_attributes
from juryline.derivations.shape import in_shape
from juryline.derivations.unblinding import unblinded


def assignments(
    manifest: ir.Table, history: ir.Table, attributes: ir.Table, unblinding: ir.Table | None, spec: StudySpec
) -> ir.Table:
    """Every assignment once.

    Parameters
    ----------
    manifest : ir.Table
        population, rater_pseudonym, case, criterion, candidate_1, candidate_2; the last three may be null.
    history, attributes : ir.Table
        HISTORY, for the aliases of raters, and the rows of ATTRIBUTES in force.
    unblinding : ir.Table or None
        The key of a study with `blinding`: case, candidate, system.

    Returns
    -------
    ir.Table
        ASSIGNMENTS. Who delivered nothing has no alias and stands under the pseudonym.

    Raises
    ------
    GateError
        Blinded ids that no system has; a subject with two values of one attribute.
    """
    rows = manifest.rename(case_id="case")
    for candidate, system in (("candidate_1", "of_first"), ("candidate_2", "of_second")):
        rows = _with_system(rows, candidate, system, unblinding, spec)
    first, second = rows.of_first, rows.of_second
    rows = rows.mutate(
        system_1=ibis.ifelse(second.notnull(), ibis.least(first, second), first),
        system_2=ibis.ifelse(second.notnull(), ibis.greatest(first, second), ibis.null("string")),
    )
    aliases = history.group_by(alias_of="rater_pseudonym").agg(known_as=history.rater.max())
    rows = rows.left_join(aliases, [("rater_pseudonym", "alias_of")])
    rows = rows.mutate(rater=ibis.coalesce(rows.known_as, rows.rater_pseudonym))
    check_attributes(attributes)
    rows = with_attributes(with_attributes(rows, attributes, CASE, "case_id"), attributes, RATER, "rater_pseudonym")
    of_one = rows.distinct(on=list(ASSIGNMENTS.key), keep="first")
    return in_shape(of_one, ASSIGNMENTS)


def _with_system(rows: ir.Table, candidate: str, system: str, unblinding: ir.Table | None, spec: StudySpec) -> ir.Table:
    named = unblinded(rows.filter(rows[candidate].notnull()), {candidate: system}, unblinding, spec)
    unnamed = rows.filter(rows[candidate].isnull()).mutate(**{system: ibis.null("string")})
    return named.union(unnamed.select(*named.columns))
