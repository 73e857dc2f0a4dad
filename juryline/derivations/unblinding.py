"""From blinded ids to systems: by the `blinded` of each system, or by a key where codes differ by case."""

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir

from data_contracts.errors import GateError
from data_contracts.specification import StudySpec
from juryline.derivations.shape import fetched

_SHOWN = 10


def unblinded(rows: ir.Table, systems: Mapping[str, str], unblinding: ir.Table | None, spec: StudySpec) -> ir.Table:
    """The rows with a column of system ids beside each column of blinded ids.

    Parameters
    ----------
    rows : ir.Table
        With `case_id` and the columns of blinded ids.
    systems : mapping of str to str
        Column to add, by column of blinded ids.
    unblinding : ir.Table or None
        The key of a study with `blinding`: case, candidate, system. Judgments without a case (spa) are read by the
        systems' `blinded` ids, which hold for the whole study.
    spec : StudySpec
        Its systems.

    Raises
    ------
    GateError
        A blinded id that no system has, a code with two systems, a system that is not declared, or a comparison of a
        system with itself.
    """
    if spec.blinding is None:
        named = rows.mutate(**{system: _of_study(rows[blinded], spec) for blinded, system in systems.items()})
    else:
        named = _by_key(rows, systems, _proved(unblinding, spec), spec)
    _refuse_unknown(named, systems, spec)
    return named


def refuse_self_comparison(rows: ir.Table, system_1: str, system_2: str, spec: StudySpec) -> None:
    """Stop where two codes of one case turn out to be one system; without a key no two ids can."""
    if spec.blinding is None:
        return
    same = rows.filter(rows[system_1] == rows[system_2])
    n = fetched(same.agg(n=same.count()))[0]["n"]
    if n:
        raise _key_error(f"{n} judgments compare a system with itself", "leave such rows out with `ignore`", spec)


def _of_study(blinded: ir.StringValue, spec: StudySpec) -> ir.StringValue:
    return blinded.cases(*spec.system_of_blinded.items(), else_=ibis.null("string"))


def _by_key(rows: ir.Table, systems: Mapping[str, str], key: ir.Table, spec: StudySpec) -> ir.Table:
    for blinded, system in systems.items():
        code = key.select(key_case="case", key_code="candidate", key_system="system")
        joined = rows.left_join(code, [rows.case_id == code.key_case, rows[blinded] == code.key_code])
        of_study = ibis.ifelse(joined.case_id.isnull(), _of_study(joined[blinded], spec), ibis.null("string"))
        rows = joined.mutate(**{system: ibis.coalesce(joined.key_system, of_study)})
        rows = rows.drop("key_case", "key_code", "key_system")
    return rows


def _proved(unblinding: ir.Table | None, spec: StudySpec) -> ir.Table:
    """The key: one system a code, and a declared one."""
    if unblinding is None:
        raise _key_error("the key of the codes was not read", "juryline run, which reads it and records its use", spec)
    key = unblinding.select("case", "candidate", "system").distinct()
    torn = key.group_by("case", "candidate").agg(n=key.count())
    several = [f"{r['candidate']} of case {r['case']}" for r in _first(torn.filter(torn.n > 1), "case", "candidate")]
    if several:
        raise _key_error("codes with two systems: " + ", ".join(several), "give each code of a case once", spec)
    undeclared = key.filter(key.system.notin(list(spec.system_ids))).select("system").distinct()
    strangers = [row["system"] for row in _first(undeclared, "system")]
    if strangers:
        raise _key_error("systems that are not declared: " + ", ".join(strangers), "declare them under `systems`", spec)
    return key


def _refuse_unknown(rows: ir.Table, systems: Mapping[str, str], spec: StudySpec) -> None:
    lost = rows.filter(ibis.or_(*(rows[system].isnull() for system in systems.values())))
    codes = [ibis.ifelse(lost[system].isnull(), lost[code], ibis.null("string")) for code, system in systems.items()]
    unknown = lost.select(name=ibis.array(codes).unnest())
    names = ", ".join(row["name"] for row in _first(unknown.filter(unknown.name.notnull()).distinct(), "name"))
    if names and spec.blinding is None:
        raise GateError(
            f"blinded ids that no system has: {names}",
            where="study.yaml, systems",
            fix="set `blinded` of the system to the id in the exports",
            code="unknown_candidate",
        )
    if names:
        raise _key_error(f"codes that the key does not give for their case: {names}", "add them to the key", spec)


def _key_error(what: str, fix: str, spec: StudySpec) -> GateError:
    file = "" if spec.blinding is None else f"; {spec.blinding.file}"
    return GateError(what, where="study.yaml, blinding" + file, fix=fix, code="unblinding_key")


def _first(table: ir.Table, *order: str) -> list[dict[str, str]]:
    return fetched(table.order_by(*order).limit(_SHOWN))
