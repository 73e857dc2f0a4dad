"""Attributes of raters and cases: one value each, and all of a subject's as one map."""

import ibis
import ibis.expr.types as ir

from data_contracts.errors import GateError
from juryline.derivations.shape import fetched

RATER, CASE = "rater", "case"
_SHOWN = 5


def check_attributes(attributes: ir.Table) -> None:
    """Each subject has one value of an attribute, whatever the exports that give it.

    A rater is one under its pseudonym, also where populations share a namespace.

    Raises
    ------
    GateError
        Naming each attribute with several values, how many subjects that concerns, and the exports.
    """
    of_subject = attributes.group_by("subject_kind", "attribute", "subject").agg(n_values=attributes.value.nunique())
    torn = of_subject.filter(of_subject.n_values > 1)
    broken = fetched(
        torn.group_by("subject_kind", "attribute").agg(n=torn.count()).order_by("subject_kind", "attribute")
    )
    if not broken:
        return
    exports = attributes.semi_join(torn, ["subject_kind", "attribute", "subject"]).select("export_path").distinct()
    paths = [row["export_path"] for row in fetched(exports.order_by("export_path").limit(_SHOWN))]
    what = "; ".join(f"{row['attribute']} of {row['n']} {row['subject_kind']}s" for row in broken)
    raise GateError(
        f"attributes with two values for one subject: {what}",
        where=", ".join(paths),
        fix="correct the exports so that each subject has one value, or map the attribute in one of them only",
        code="attribute_conflict",
    )


def attribute_of_raters(attributes: ir.Table, attribute: str) -> ir.Table:
    """rater_pseudonym, value: one attribute of the raters that have it."""
    chosen = attributes.filter(attributes.subject_kind == RATER, attributes.attribute == attribute)
    return chosen.group_by(rater_pseudonym=chosen.subject).agg(value=chosen.value.max())


def with_attributes(rows: ir.Table, attributes: ir.Table, subject_kind: str, subject: str) -> ir.Table:
    """The rows with the attributes of their subject: a map, from attribute to value, that may be empty.

    Parameters
    ----------
    rows : ir.Table
        Rows with a column `subject`.
    attributes : ir.Table
        ATTRIBUTES, one value a subject and attribute (`check_attributes`).
    subject_kind : str
        `rater` or `case`; the column added is called after it.
    subject : str
        Column of the pseudonym or case id.

    Notes
    -----
    The names are fetched first, so that the map is built in their order from one column each and no engine has to
    collect values in an order.
    """
    column = f"{subject_kind}_attributes"
    none = ibis.literal({}, type="map<string, string>")
    of_kind = attributes.filter(attributes.subject_kind == subject_kind)
    names = [row["attribute"] for row in fetched(of_kind.select("attribute").distinct().order_by("attribute"))]
    if not names:
        return rows.mutate(**{column: none})
    values = {
        f"{column}_{place}": of_kind.value.max(where=of_kind.attribute == name) for place, name in enumerate(names)
    }
    wide = of_kind.group_by(**{f"{column}_of": of_kind.subject}).agg(**values)
    joined = rows.left_join(wide, [(subject, f"{column}_of")])
    texts = [joined[value] for value in values]
    keys = [ibis.ifelse(text.notnull(), name, ibis.null("string")) for name, text in zip(names, texts)]
    given = (ibis.array(of_all).filter(lambda text: text.notnull()) for of_all in (keys, texts))
    return joined.mutate(**{column: ibis.map(*given)}).drop(f"{column}_of", *values)
