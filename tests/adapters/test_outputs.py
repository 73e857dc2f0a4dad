import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_contracts.errors import ExportRefusedError, SpecificationError
from data_contracts.specification_exports import Outputs
from juryline.adapters.outputs import OUTPUT_ROWS, WORDS, read_outputs

COLUMNS = {"case": "prompt", "system": "model", "text": "story"}
TWO = '{"prompt": 1, "model": "a", "story": "Once upon a time"}\n{"prompt": 2, "model": "b", "story": null}\n'


@pytest.fixture
def read(tmp_path):
    def reading(content, name="outputs.jsonl", query=None, **declared):
        path = tmp_path / "exports" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        (tmp_path / "scratch").mkdir(exist_ok=True)
        if query is not None:
            (tmp_path / "outputs.sql").write_text(query)
            declared["query"] = "outputs.sql"
        elif "missing" in declared:
            declared["query"] = declared.pop("missing")
        else:
            declared.setdefault("columns", COLUMNS)
        outputs = Outputs.model_validate({"match": name} | declared)
        rows = read_outputs(path, name, outputs, study_dir=tmp_path, scratch=tmp_path / "scratch")
        assert rows.schema.equals(OUTPUT_ROWS)
        return rows.drop_columns("export_path").to_pylist()

    return reading


def row(source_row, case_id, system, *, output=None, text=None, words=None, tokens=None):
    known = {"case_id": case_id, "system": system, "output": output, "text": text, "words": words, "tokens": tokens}
    return {"source_row": source_row} | known


def test_declared_columns_give_a_row_a_record(read):
    assert read(TWO) == [row(1, "1", "a", text="Once upon a time", words=4), row(2, "2", "b")]


def test_an_empty_text_is_no_text_and_white_space_is_a_text_without_words(read):
    rows = read('prompt,model,story\n1,a,\n2,a,"  "\n', name="outputs.csv")

    assert [(r["text"], r["words"]) for r in rows] == [(None, None), ("  ", 0)]


def test_tokens_are_kept_as_written_and_need_no_text(read):
    rows = read(
        "prompt,model,which,n\n1,a,x,12\n1,a,y,\n",
        name="outputs.csv",
        columns={"case": "prompt", "system": "model", "output": "which", "tokens": "n"},
    )

    assert rows == [row(1, "1", "a", output="x", tokens="12"), row(2, "1", "a", output="y")]


def test_a_query_gives_rows_by_their_names_and_may_pass_on_the_record(read):
    nested = '{"prompt": 7, "said": {"a": "one two", "b": "one"}}\n'
    query = """SELECT {place}record->>'prompt' AS case_id, unnest(['a', 'b']) AS system,
               unnest([record->'said'->>'a', record->'said'->>'b']) AS text FROM export"""
    expected = [row(1, "7", "a", text="one two", words=2), row(1, "7", "b", text="one", words=1)]

    assert read(nested, query=query.format(place="source_row, ")) == expected
    assert read(nested, query=query.format(place="")) == [r | {"source_row": None} for r in expected]


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT '1' AS case_id, 'a' AS system FROM export", "does not return text or tokens"),
        ("SELECT 'a' AS system, 'b' AS text FROM export", "does not return case_id"),
        ("SELECT '1' AS case_id, 'a' AS sytem, 'b' AS text FROM export", "nearest: system"),
        ("SELECT random() AS text FROM export", "cannot be run"),
    ],
)
def test_a_query_that_gives_something_else_is_refused(read, query, what):
    with pytest.raises(ExportRefusedError, match=what) as refused:
        read(TWO, query=query)

    assert refused.value.where == "exports/outputs.jsonl"
    assert refused.value.fix.endswith("Nothing was written.")


def test_a_query_that_is_not_there_is_a_broken_specification(read):
    with pytest.raises(SpecificationError, match=r"missing\.sql cannot be read"):
        read(TWO, columns=None, missing="missing.sql")


def test_a_missing_column_is_named_with_the_nearest(read):
    with pytest.raises(ExportRefusedError, match=r"no column 'story' \(nearest: storey\)"):
        read("prompt,model,storey\n1,a,x\n", name="outputs.csv")


def test_a_record_that_cannot_be_read_refuses_the_file_with_its_row(read):
    with pytest.raises(ExportRefusedError, match="1 records cannot be read, the first in row 2: ragged_row"):
        read("prompt,model,story\n1,a,x\n2,b\n", name="outputs.csv")


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters() | st.sampled_from(" \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u202f\u3000a")))
def test_words_are_what_python_splits_a_text_into(text):
    import pyarrow.compute as pc

    encodable = text.encode("utf-8", "ignore").decode()

    assert pc.count_substring_regex(pa.array([encodable]), WORDS).to_pylist() == [len(encodable.split())]
