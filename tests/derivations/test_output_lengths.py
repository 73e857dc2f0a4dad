import ibis
import pyarrow as pa
import pytest

from data_contracts.errors import GateError
from data_contracts.rules import prove
from data_contracts.tables import OUTPUT_LENGTHS
from juryline.adapters.outputs import OUTPUT_ROWS
from juryline.derivations.output_lengths import output_lengths

TEXTS = 'outputs: {match: "outputs.jsonl", columns: {case: c, system: s, output: o, text: t}}\n'
TOKENS = 'outputs: {match: "outputs.jsonl", columns: {case: c, system: s, output: o, text: t, tokens: n}}\n'
QUERY = 'outputs: {match: "outputs.jsonl", query: outputs.sql}\n'


@pytest.fixture
def lengths(study):
    def derive(*rows, spec=TEXTS, key=None):
        columns = {name: [] for name in OUTPUT_ROWS.names}
        for place, given in enumerate(rows, start=1):
            text = given.get("text")
            words = None if text is None else len(text.split())
            whole = {"export_path": "outputs.jsonl", "source_row": place, "case_id": "c1", "words": words} | given
            for name in columns:
                columns[name].append(whole.get(name))
        unblinding = None if key is None else ibis.memtable(pa.table(key))
        table = output_lengths(ibis.memtable(pa.table(columns, OUTPUT_ROWS)), unblinding, study(spec))
        prove(table, OUTPUT_LENGTHS)
        found = table.order_by("case_id", "system", "output").to_pyarrow().to_pylist()
        return [(r["case_id"], r["system"], r["output"], r["length"], r["unit"], r["alone"]) for r in found]

    return derive


def said(system, text="one two", **more):
    return {"system": system, "text": text} | more


def refused(lengths, *rows, **options):
    with pytest.raises(GateError) as error:
        lengths(*rows, **options)
    assert error.value.code == "outputs"
    assert error.value.fix.endswith("Nothing was written.")
    return error.value


def test_a_length_is_the_words_of_the_text(lengths):
    assert lengths(said("alpha"), said("beta", "one"), said("beta", "a b c", case_id="c2")) == [
        ("c1", "alpha", None, 2, "words", True),
        ("c1", "beta", None, 1, "words", True),
        ("c2", "beta", None, 3, "words", True),
    ]


def test_without_a_row_there_is_no_length(lengths):
    assert lengths() == []
    assert lengths(spec="") == []


def test_declared_tokens_come_before_words_and_are_never_mixed_with_them(lengths):
    rows = lengths(said("alpha", tokens="12"), said("beta", tokens="3.0"), said("gamma", "a b c"), spec=TOKENS)

    assert rows == [
        ("c1", "alpha", None, 12, "tokens", True),
        ("c1", "beta", None, 3, "tokens", True),
        ("c1", "gamma", None, None, "tokens", True),
    ]


def test_a_query_that_gives_tokens_is_counted_in_tokens(lengths):
    assert lengths(said("alpha", None, tokens="12"), spec=QUERY) == [("c1", "alpha", None, 12, "tokens", True)]
    assert lengths(said("alpha"), spec=QUERY) == [("c1", "alpha", None, 2, "words", True)]


def test_a_text_that_is_not_there_is_a_length_not_known(lengths):
    assert lengths(said("alpha", None), said("beta", "  ")) == [
        ("c1", "alpha", None, None, "words", True),
        ("c1", "beta", None, 0, "words", True),
    ]


def test_several_outputs_of_a_case_are_told_apart_by_their_ids(lengths):
    assert lengths(said("alpha", output="x"), said("alpha", "one", output="y"), said("beta", output="x")) == [
        ("c1", "alpha", "x", 2, "words", False),
        ("c1", "alpha", "y", 1, "words", False),
        ("c1", "beta", "x", 2, "words", True),
    ]


def test_the_same_output_given_again_is_one(lengths):
    assert lengths(said("alpha"), said("alpha"), said("alpha", None)) == [("c1", "alpha", None, 2, "words", True)]


def test_blinded_ids_and_ids_name_the_same_systems(lengths):
    assert lengths(said("z-1"), said("alpha", case_id="c2")) == [
        ("c1", "alpha", None, 2, "words", True),
        ("c2", "alpha", None, 2, "words", True),
    ]


def test_codes_that_differ_by_case_are_read_by_the_key(lengths):
    key = {"case": ["c1", "c2"], "candidate": ["k", "k"], "system": ["alpha", "beta"]}

    assert lengths(said("k"), said("k", "one", case_id="c2"), said("gamma"), key=key) == [
        ("c1", "alpha", None, 2, "words", True),
        ("c1", "gamma", None, 2, "words", True),
        ("c2", "beta", None, 1, "words", True),
    ]


def test_a_name_of_two_systems_is_refused(lengths):
    key = {"case": ["c1"], "candidate": ["alpha"], "system": ["beta"]}

    error = refused(lengths, said("alpha"), key=key)

    assert error.what == "alpha is the id of one system and the blinded id of another"


def test_systems_that_the_study_does_not_have_are_left_out(lengths):
    assert lengths(said("alpha"), said("delta"), said("delta", "other")) == [("c1", "alpha", None, 2, "words", True)]


def test_outputs_of_no_system_of_the_study_are_refused_with_the_nearest(lengths):
    error = refused(lengths, said("alfa"))

    assert error.what == "no output is of a system of the study; alfa is none"
    assert error.fix.startswith("did you mean alpha?")


@pytest.mark.parametrize(("spec", "other"), [(TEXTS, {"text": "other"}), (TOKENS, {"text": "one two", "tokens": "2"})])
def test_two_texts_or_two_lengths_of_one_output_are_refused_with_their_rows(lengths, spec, other):
    first = said("alpha", tokens="3") if spec is TOKENS else said("alpha")

    error = refused(lengths, first, said("beta"), {"system": "alpha"} | other, spec=spec)

    assert error.what == "1 outputs have two texts or two lengths, such as case c1, system alpha"
    assert error.where == "exports/outputs.jsonl, row 1 and 3"
    assert error.fix.startswith("map `output` to the column that tells several outputs of a case apart")


def test_two_texts_of_equal_length_are_two_texts(lengths):
    assert "two texts" in refused(lengths, said("alpha", "one two"), said("alpha", "two one")).what


def test_an_output_without_an_id_beside_others_is_refused(lengths):
    error = refused(lengths, said("alpha"), said("alpha", output="x"))

    assert "an output without id beside others" in error.what
    assert error.where == "exports/outputs.jsonl, row 1 and 2"


@pytest.mark.parametrize("missing", ["case_id", "system"])
def test_an_output_without_case_or_system_is_refused_with_its_row(lengths, missing):
    error = refused(lengths, said("alpha"), said("beta") | {missing: None})

    assert (error.what, error.where) == ("1 outputs have no case or no system", "exports/outputs.jsonl, row 2")


@pytest.mark.parametrize("tokens", ["3.5", "-1", "1e3", "many", "NaN"])
def test_tokens_that_are_no_whole_number_are_refused(lengths, tokens):
    error = refused(lengths, said("alpha", tokens=tokens), spec=TOKENS)

    assert error.what == "1 outputs have tokens that are no whole number"


def test_a_row_that_no_query_passes_on_is_not_named(lengths):
    error = refused(lengths, said("alpha", source_row=None), said("alpha", "x", source_row=None), spec=QUERY)

    assert error.where == "exports/outputs.jsonl"


def test_no_error_repeats_a_text(lengths):
    error = refused(lengths, said("alpha", "my secret"), said("alpha", "another secret"))

    assert "secret" not in str(error)
