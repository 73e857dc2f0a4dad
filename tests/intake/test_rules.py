"""Every rule of the judgment record is broken by a row, on the engine used: a rule without a case here fails."""

from datetime import UTC, datetime

import ibis
import pyarrow as pa
import pytest

from data_contracts.errors import ContractError
from data_contracts.rules import broken_rules, dagster_schema, prove, reading_rules, record_rules
from data_contracts.tables import JUDGMENTS
from juryline.intake.delivery import ACCEPTED
from juryline.intake.refusals import rules_of

# An intake row that breaks each rule by which an export is read: criterion, and what it says.
READ = {
    "rater_given:rater": ("overall", {"rater": ""}),
    "started_at_readable:started_at": ("overall", {"started_at": "yesterday"}),
    "submitted_at_readable:submitted_at": ("overall", {"submitted_at": "yesterday"}),
    "started_at_unambiguous:started_at": ("overall", {"started_at": "2025-03-30 02:30:00"}),
    "submitted_at_unambiguous:submitted_at": ("overall", {"submitted_at": "2026-10-25 02:30:00"}),
    "started_at_given:started_at": ("overall", {"started_at": ""}),
    "submitted_at_given:submitted_at": ("overall", {"submitted_at": None}),
    "sequence_whole:sequence": ("overall", {"sequence": "1.5"}),
    "exposure_whole:exposure": ("chance", {"exposure": "five"}),
    "gold_label_declared:gold_label": ("coherence", {"gold_label": "7"}),
    "native_id_not_mangled:native_id": ("overall", {"native_id": "1.23457E+15"}),
    "criterion_known:criterion": ("overall", {"criterion": "taste"}),
    "label_in_response_set:raw_label": ("overall", {"label": "draw"}),
    "value_within_scale:raw_label": ("length", {"label": "10001"}),
    "candidate_known:candidate_1": ("overall", {"candidate_1": "large"}),
    "candidate_known:candidate_2": ("overall", {"candidate_2": "z"}),
    "two_candidates:candidate_2": ("coherence", {"candidate_2": "b"}),
    "candidates_differ:candidate_2": ("overall", {"candidate_2": "a"}),
    "case_given:case_id": ("overall", {"case_id": ""}),
    "rubric_revision_declared:rubric_revision": ("overall", {"rubric_revision": "r3"}),
    "interface_revision_declared:interface_revision": ("overall", {"interface_revision": "ui-0"}),
    "exposure_declared:exposure": ("chance", {"exposure": "2"}),
    "item_kind_declared:item_kind": ("overall", {"item_kind": "warmup"}),
    "submitted_after_start:submitted_at": ("overall", {"submitted_at": "2026-03-01 09:59:00"}),
}  # fmt: skip

# A change of a good record that breaks each rule of the record.
RECORD = {
    "criterion_known:criterion": {"criterion": "taste"},
    "label_in_response_set:raw_label": {"state": "maybe", "label": None},
    "answer_has_label:label": {"label": None},
    "value_within_scale:raw_label": {"value": 7.0},
    "state_fits_protocol:raw_label": {"state": "tie", "label": None, "value": None},
    "candidate_known:candidate_1": {"candidate_1": "z"},
    "candidate_known:candidate_2": {"candidate_2": "z"},
    "two_candidates:candidate_2": {"candidate_2": "b"},
    "candidates_differ:candidate_2": {"candidate_2": "a"},
    "case_given:case_id": {"case_id": None},
    "rubric_revision_declared:rubric_revision": {"rubric_revision": "r3"},
    "interface_revision_declared:interface_revision": {"interface_revision": "ui-0"},
    "exposure_declared:exposure": {"protocol": "spa", "candidate_2": "b", "exposure": 2},
    "phase_known:phase": {"phase": "warmup"},
    "item_kind_declared:item_kind": {"item_kind": "warmup"},
    "population_declared:population": {"population": "passers-by"},
    "rater_kind_known:rater_kind": {"rater_kind": "dog"},
    "submitted_after_start:submitted_at": {"submitted_at": datetime(1970, 1, 1, tzinfo=UTC)},
}  # fmt: skip
ONLY_AN_UNSOUND_READER = {
    "answer_has_label",
    "state_fits_protocol",
    "phase_known",
    "population_declared",
    "rater_kind_known",
}


def names(rules):
    return {f"{rule.name}:{rule.column}" for rule in rules}


@pytest.fixture(scope="module")
def spec(spec_of):
    return spec_of({})


@pytest.fixture(scope="module")
def read(judge, row):
    """Rules and columns that each case breaks, by its rule; all cases are judged at once."""
    rows = [row(n, criterion) | {"case_id": f"case {n}"} | said for n, (criterion, said) in enumerate(READ.values(), 1)]
    rows = [r | {"case_id": None} if r["criterion"] == "chance" else r for r in rows]
    result = judge(*rows)
    broken = {}
    for refused in result.quarantine.to_pylist():
        broken.setdefault(refused["source_row"], []).append(refused)
    return {name: broken.get(n, []) for n, name in enumerate(READ, 1)}


@pytest.fixture(scope="module")
def good(judge, row):
    """One accepted rating."""
    result = judge(row(1, "coherence"))
    assert result.judgments.num_rows == 1
    return result.judgments


def spoiled(good, **changes):
    """The same record with some of its values changed."""
    (record,) = good.to_pylist()
    return pa.Table.from_pylist([record | changes], schema=pa.schema([f.with_nullable(True) for f in good.schema]))


def in_engine(con, table):
    con.register("canary", table)
    return ibis.duckdb.from_connection(con).table("canary")


def test_every_rule_has_a_case_that_breaks_it(spec):
    unsound = {name for name in names(record_rules(spec)) if name.split(":")[0] in ONLY_AN_UNSOUND_READER}

    assert set(RECORD) == names(record_rules(spec))
    assert set(READ) == names(rules_of(spec.exports[0], spec)) - unsound
    assert names(reading_rules()) <= set(READ)


@pytest.mark.parametrize("rule", READ)
def test_a_row_that_breaks_a_rule_is_quarantined_by_it_alone(read, rule):
    (refused,) = read[rule]

    assert f"{refused['rule']}:{refused['column']}" == rule
    assert refused["fix"]
    assert refused["whole"]


@pytest.mark.parametrize("rule", RECORD)
def test_the_pandera_schema_fails_on_a_record_that_breaks_a_rule(con, spec, good, rule):
    """A canary: value checks are skipped in silence by some engines."""
    table = in_engine(con, spoiled(good, **RECORD[rule]))

    with pytest.raises(ContractError, match=f"DATAFRAME_CHECK: {rule}"):
        prove(table, ACCEPTED, record_rules(spec))


@pytest.mark.parametrize("rule", RECORD)
def test_the_sql_of_a_rule_names_what_pandera_fails_on(con, spec, good, rule):
    table = in_engine(con, spoiled(good, **RECORD[rule]))

    (broken,) = table.select(broken=broken_rules(table, record_rules(spec))).to_pyarrow()["broken"].to_pylist()

    assert rule in broken


@pytest.mark.parametrize(
    ("declared", "phase", "said", "refused"),
    [
        ([1, 5], "confirmatory", {"exposure": "2"}, ["exposure_declared"]),
        ([1, 5], "confirmatory", {"exposure": "5"}, []),
        ([1, 5], "confirmatory", {}, []),
        ([], "confirmatory", {"exposure": "2"}, []),
        ([1, 5], "pilot", {"exposure": "2"}, []),
    ],
)
def test_an_answer_at_an_exposure_nobody_was_assigned_is_refused(judge, row, declared, phase, said, refused):
    result = judge(row(1, "chance", **said), export={"phase": phase}, assignment={"exposure": declared})

    assert [broken["rule"] for broken in result.quarantine.to_pylist()] == refused
    assert result.judgments.num_rows == 1 - len(refused)


def test_a_good_record_passes(con, spec, good):
    prove(in_engine(con, good), ACCEPTED, record_rules(spec))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_what_is_no_number_of_the_scale_fails(con, spec, good, value):
    table = in_engine(con, spoiled(good, value=value))

    with pytest.raises(ContractError, match="value_within_scale"):
        prove(table, ACCEPTED, record_rules(spec))


def without_a_column(good):
    return good.drop_columns(["gold_label"])


def with_a_column_more(good):
    return good.append_column("mood", pa.array(["fine"]))


def in_another_order(good):
    return good.select(good.column_names[::-1])


def with_a_number_as_text(good):
    return good.set_column(good.column_names.index("value"), "value", good["value"].cast(pa.string()))


def twice(good):
    return pa.concat_tables([good, good])


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (without_a_column, "COLUMN_NOT_IN_DATAFRAME"),
        (with_a_column_more, "COLUMN_NOT_IN_SCHEMA"),
        (in_another_order, "COLUMN_NOT_ORDERED"),
        (with_a_number_as_text, "WRONG_DATATYPE"),
        (twice, "DUPLICATES"),
    ],
)
def test_a_table_of_another_shape_fails(con, spec, good, spoil, reason):
    table = in_engine(con, spoil(good))

    with pytest.raises(ContractError, match=reason):
        prove(table, ACCEPTED, record_rules(spec))


@pytest.mark.parametrize("column", [column.name for column in ACCEPTED if not column.nullable])
def test_a_null_where_none_may_be_fails(con, spec, good, column):
    table = in_engine(con, spoiled(good, **{column: None}))

    with pytest.raises(ContractError, match=column):
        prove(table, ACCEPTED)


def test_a_broken_contract_shows_no_value(con, spec, good):
    secret = "ann@example.org"
    table = in_engine(con, spoiled(good, candidate_1=secret, rater_pseudonym=secret, value=1e9))

    with pytest.raises(ContractError) as broken:
        prove(table, ACCEPTED, record_rules(spec))

    assert secret not in str(broken.value)
    assert "1000000000" not in str(broken.value)


def test_dagster_shows_the_rules_of_each_column(spec):
    columns = {column.name: column for column in dagster_schema(JUDGMENTS, record_rules(spec)).columns}

    shown = {f"{rule}:{name}" for name, column in columns.items() for rule in column.constraints.other}
    assert shown == names(record_rules(spec))
    assert [name for name, column in columns.items() if column.constraints.unique] == ["record_id"]
