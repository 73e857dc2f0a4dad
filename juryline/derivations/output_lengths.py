"""How long each output of a declared system is, from what the declared files say.

Belongs here: which system a row is of, which rows are one output, and what outputs contradict. Does not: reading
files, or which output a judgment was shown.
"""

import ibis
import ibis.expr.types as ir

from data_contracts.errors import GateError
from data_contracts.specification import StudySpec
from data_contracts.specification_problem import listed, nearest
from data_contracts.tables import OUTPUT_LENGTHS
from juryline.derivations.shape import fetched, in_shape

CODE = "outputs"
WORDS, TOKENS = "words", "tokens"
_OF_ONE = ("case_id", "system", "output")
_WHOLE = r"^[0-9]{1,15}(\.0+)?$"


def output_lengths(rows: ir.Table, unblinding: ir.Table | None, spec: StudySpec) -> ir.Table:
    """The length of every output of a declared system.

    Parameters
    ----------
    rows : ir.Table
        export_path, source_row, case_id, system, output, text, words and tokens, as the declared files have them.
    unblinding : ir.Table or None
        The key of a study with `blinding`: case, candidate, system.
    spec : StudySpec
        Its systems and their blinded ids, and whether lengths are tokens.

    Returns
    -------
    ir.Table
        OUTPUT_LENGTHS. A length is null where every row of the output lacks the text (the tokens, where these are
        declared). Rows of systems that the study does not have are left out.

    Raises
    ------
    GateError
        A row without case or system, or with tokens that are no whole number; a name of two systems; no row of any
        declared system; an output with two texts or two lengths; a system with an output without id beside others of
        the same case.
    """
    _refuse_incomplete(rows)
    named = with_systems(rows, unblinding, spec)
    _refuse_strangers_only(named, spec)
    own = named.filter(named.of_system.notnull()).drop("system").rename(system="of_system")
    in_tokens = _counts_tokens(rows, spec)
    length = own.tokens.re_replace(r"\.0+$", "").try_cast("int64") if in_tokens else own.words
    measured = own.mutate(length=length)
    one = measured.group_by(_OF_ONE).agg(
        n_texts=measured.text.nunique(), n_lengths=measured.length.nunique(), length=measured.length.max()
    )
    _refuse_conflicts(own, one)
    of_case = one.group_by("case_id", "system").agg(n_outputs=one.count(), n_nameless=one.output.isnull().sum())
    _refuse_nameless(own, of_case)
    counted = one.inner_join(of_case, ["case_id", "system"])
    unit = TOKENS if in_tokens else WORDS
    return in_shape(counted.mutate(unit=ibis.literal(unit), alone=counted.n_outputs == 1), OUTPUT_LENGTHS)


def with_systems(rows: ir.Table, unblinding: ir.Table | None, spec: StudySpec) -> ir.Table:
    """The rows with `of_system`: the declared system whose id, or blinded id, they name; null where there is none.

    Raises
    ------
    GateError
        A name that is the id of one system and the blinded id of another.
    """
    if unblinding is None:
        named = rows.mutate(by_code=_one_of(rows.system, spec.system_of_blinded))
    else:
        key = unblinding.filter(unblinding.system.isin(spec.system_ids))
        key = key.group_by(key_case=key.case, key_code=key.candidate).agg(by_code=key.system.min())
        joined = rows.left_join(key, [rows.case_id == key.key_case, rows.system == key.key_code])
        named = joined.drop("key_case", "key_code")
    named = named.mutate(by_id=_one_of(named.system, {id: id for id in spec.system_ids}))
    torn = named.filter(named.by_id.notnull(), named.by_code.notnull(), named.by_id != named.by_code)
    found = fetched(torn.select("system").distinct().order_by("system").limit(1))
    if found:
        raise _refusal(
            f"{found[0]['system']} is the id of one system and the blinded id of another",
            torn,
            "write ids that name one system only, under `systems` or in the file",
        )
    return named.mutate(of_system=ibis.coalesce(named.by_id, named.by_code)).drop("by_id", "by_code")


def _counts_tokens(rows: ir.Table, spec: StudySpec) -> bool:
    """Whether lengths are tokens: where columns declare them, or a query gives any."""
    columns = None if spec.outputs is None else spec.outputs.columns
    return bool(columns and columns.tokens) or _count(rows.filter(rows.tokens.notnull())) > 0


def _one_of(name: ir.StringValue, meanings: dict[str, str]) -> ir.StringValue:
    return name.cases(*meanings.items(), else_=ibis.null("string"))


def _refuse_incomplete(rows: ir.Table) -> None:
    lacking = rows.filter(rows.case_id.isnull() | rows.system.isnull())
    if n := _count(lacking):
        raise _refusal(f"{n} outputs have no case or no system", lacking, "name both in every record")
    unread = rows.filter(rows.tokens.notnull(), ~rows.tokens.re_search(_WHOLE))
    if n := _count(unread):
        raise _refusal(f"{n} outputs have tokens that are no whole number", unread, "write a number such as 128")


def _refuse_strangers_only(named: ir.Table, spec: StudySpec) -> None:
    if _count(named) and not _count(named.filter(named.of_system.notnull())):
        system = fetched(named.select("system").distinct().order_by("system").limit(1))[0]["system"]
        known = list(dict.fromkeys([*spec.system_ids, *spec.system_of_blinded]))
        raise _refusal(f"no output is of a system of the study; {system} is none", named, nearest(system, known))


def _refuse_conflicts(own: ir.Table, one: ir.Table) -> None:
    torn = one.filter((one.n_texts > 1) | (one.n_lengths > 1))
    if n := _count(torn):
        first = fetched(torn.order_by(_OF_ONE).limit(1))[0]
        output = "" if first["output"] is None else f", output {first['output']}"
        raise _refusal(
            f"{n} outputs have two texts or two lengths, such as case {first['case_id']}, "
            f"system {first['system']}{output}",
            own.filter(own.case_id == first["case_id"], own.system == first["system"]),
            "map `output` to the column that tells several outputs of a case apart, or remove the row that is wrong",
        )


def _refuse_nameless(own: ir.Table, of_case: ir.Table) -> None:
    torn = of_case.filter(of_case.n_nameless > 0, of_case.n_outputs > 1)
    if n := _count(torn):
        first = fetched(torn.order_by("case_id", "system").limit(1))[0]
        raise _refusal(
            f"{n} times a system has an output without id beside others of one case, such as case "
            f"{first['case_id']}, system {first['system']}",
            own.filter(own.case_id == first["case_id"], own.system == first["system"]),
            "give each of them an id",
        )


def _count(table: ir.Table) -> int:
    return int(fetched(table.agg(n=table.count()))[0]["n"])


def _refusal(what: str, rows: ir.Table, fix: str) -> GateError:
    """The refusal with the first rows it is about."""
    found = fetched(rows.select("export_path", "source_row").order_by("export_path", "source_row").limit(3))
    places: dict[str, list[str]] = {}
    for row in found:
        places.setdefault(f"exports/{row['export_path']}", []).append(str(row["source_row"] or ""))
    where = [f"{path}, row {listed(list(filter(None, rows)))}" if any(rows) else path for path, rows in places.items()]
    return GateError(what, where="; ".join(where), fix=f"{fix}. Nothing was written.", code=CODE)
