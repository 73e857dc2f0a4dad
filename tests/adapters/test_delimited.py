import csv

import pytest

from data_contracts.errors import ExportRefusedError

HEADER = "who,item,x,y,pick\n"


def labels(reading) -> list[str]:
    return reading.rows["label"].to_pylist()


def refusal(read_csv, content: str, **how) -> ExportRefusedError:
    with pytest.raises(ExportRefusedError) as error:
        read_csv(content, how=how)
    return error.value


def test_words_for_nothing_stay_the_words_they_are(read_csv):
    words = ["NA", "None", "null", "NaN", "", " ", "TRUE", "007", "1,234", "1.0E+15", "3.0"]
    reading = read_csv(HEADER + "".join(f'r,{i},a,b,"{word}"\n' for i, word in enumerate(words)))

    assert labels(reading) == words


def test_an_empty_cell_is_a_label_and_elsewhere_no_value(read_csv):
    reading = read_csv(HEADER + ",1,a,,\n")
    row = reading.rows.to_pylist()[0]

    assert (row["label"], row["rater"], row["candidate_2"]) == ("", None, None)


def test_a_row_that_begins_with_a_hash_is_a_row(read_csv, closes):
    reading = read_csv(HEADER + "#r1,1,a,b,left\nr2,1,a,b,right\n")

    assert reading.rows["rater"].to_pylist() == ["#r1", "r2"]
    assert closes(reading)


def test_quoted_line_ends_and_delimiters_are_part_of_the_cell(read_csv):
    reading = read_csv(HEADER + 'r1,1,a,b,"le\nft, or ""so""\r\n"\nr2,2,a,b,right\n')

    assert labels(reading) == ['le\nft, or "so"\r\n', "right"]
    assert reading.rows["source_row"].to_pylist() == [1, 2]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_record(read_csv, end):
    reading = read_csv(end.join([HEADER.strip(), "r1,1,a,b,left", "r2,2,a,b,right"]).encode())

    assert labels(reading) == ["left", "right"]


def test_mixed_line_ends_lose_nothing(read_csv):
    reading = read_csv(b"who,item,x,y,pick\r\nr1,1,a,b,left\nr2,2,a,b,right\rr3,3,a,b,tie")

    assert labels(reading) == ["left", "right", "tie"]


def test_a_ragged_row_is_refused_whole_with_both_counts(read_csv, closes):
    reading = read_csv(HEADER + "r1,1,a,b,left\nr2,1,a,b\nr3,1,a,b,right,extra\nr4,1,a,b,tie\n")

    assert labels(reading) == ["left", "tie"]
    assert reading.rows["source_row"].to_pylist() == [1, 4]
    refused = reading.refused.to_pylist()
    assert [(r["source_row"], r["rule"], r["value"]) for r in refused] == [
        (2, "ragged_row", "4 cells, 5 columns"),
        (3, "ragged_row", "6 cells, 5 columns"),
    ]
    assert closes(reading)


def test_a_blank_line_is_no_record_and_is_counted(read_csv, closes):
    reading = read_csv("\n" + HEADER + "\nr1,1,a,b,left\n\n\nr2,1,a,b,right\n\n")

    assert reading.rows["source_row"].to_pylist() == [1, 2]
    assert (reading.n_rows, reading.found["blank_lines"]) == (2, 4)
    assert closes(reading)


def test_a_line_of_spaces_is_a_ragged_row(read_csv, closes):
    reading = read_csv(HEADER + "   \nr1,1,a,b,left\n")

    assert reading.refused["rule"].to_pylist() == ["ragged_row"]
    assert closes(reading)


def test_a_header_alone_is_an_export_without_records(read_csv, closes):
    reading = read_csv(HEADER)

    assert (reading.n_rows, reading.rows.num_rows) == (0, 0)
    assert closes(reading)


@pytest.mark.parametrize(
    ("broken", "line"),
    [('r1,1,a,b,left\nr2,1,a,b,"never\nclosed\n', 3), ('r1,1,a,b,left\nr2,1,a,"b"x,left\nr3,1,a,b,tie\n', 3)],
)
def test_broken_quoting_refuses_the_file_with_the_line_it_begins(read_csv, broken, line):
    error = refusal(read_csv, HEADER + broken)

    assert (error.code, error.where) == ("quoting", f"exports/votes.csv, line {line}")


def test_without_quotes_a_quote_is_a_character(read_csv):
    reading = read_csv(HEADER + 'r1,1,a,b,"left\n', how={"quote": ""})

    assert labels(reading) == ['"left']


def test_a_header_that_names_a_column_twice_is_refused(read_csv):
    error = refusal(read_csv, "who,item,x,y,pick,pick\nr1,1,a,b,left,right\n")

    assert error.code == "duplicate_header"
    assert "pick" in error.what


def test_a_missing_column_is_refused_with_the_nearest(read_csv):
    error = refusal(read_csv, "who,item,x,y,Picks\nr1,1,a,b,left\n")

    assert error.code == "column_missing"
    assert "'pick' (nearest: Picks)" in error.what


def test_a_missing_header_shows_no_rater(read_csv):
    error = refusal(read_csv, "w0rker@example.org,1,a,b,left\n")

    assert "w0rker" not in str(error)


def test_a_semicolon_file_is_refused_with_what_to_declare(read_csv):
    content = HEADER.replace(",", ";") + "r1;1;a;b;left\n"

    error = refusal(read_csv, content)

    assert 'delimiter: ";"' in error.fix
    assert labels(read_csv(content, how={"delimiter": ";"})) == ["left"]


def test_a_file_without_a_header_has_numbered_or_declared_columns(read_csv):
    names = {"who": "column_1", "item": "column_2", "x": "column_3", "y": "column_4", "pick": "column_5"}
    columns = {"rater": "column_1", "case": "column_2", "candidate_1": "column_3", "candidate_2": "column_4"}
    row = "r1,1,a,b,left\n"

    numbered = read_csv(row, how={"header": False}, columns=columns | {"labels": {"overall": "column_5"}})
    declared = read_csv(row, how={"header": list(names)})

    assert labels(numbered) == labels(declared) == ["left"]
    assert numbered.found["header"] == list(names.values())
    assert declared.found["header_in_file"] is False


def test_columns_without_a_name_are_called_by_their_place(read_csv):
    reading = read_csv(",who,item,x,y,pick,\n0,r1,1,a,b,left,\n")

    assert reading.found["header"] == ["column_1", "who", "item", "x", "y", "pick", "column_7"]


def test_a_cell_of_ten_megabytes_is_read_and_the_reader_of_others_left_alone(read_csv):
    limit = csv.field_size_limit()
    cell = "x" * 10_000_000

    reading = read_csv(HEADER + f"r1,1,a,b,{cell}\n")

    assert labels(reading) == [cell]
    assert csv.field_size_limit() == limit


def test_records_are_numbered_across_chunks(read_csv, monkeypatch, closes):
    monkeypatch.setattr("juryline.adapters.delimited.CHUNK", 3)
    rows = [f"r{i},1,a,b,left\n" if i % 4 else "ragged\n" for i in range(1, 11)]

    reading = read_csv(HEADER + "\n".join(rows))

    assert reading.rows["source_row"].to_pylist() == [1, 2, 3, 5, 6, 7, 9, 10]
    assert reading.rows["rater"].to_pylist() == [f"r{i}" for i in (1, 2, 3, 5, 6, 7, 9, 10)]
    assert closes(reading)


def test_tabs_separate_the_cells_of_a_tsv(read):
    columns = {"rater": "who", "case": "item", "candidate_1": "x", "candidate_2": "y", "labels": {"overall": "pick"}}

    reading = read(
        "who\titem\tx\ty\tpick\nr1\t1\ta\tb\tleft, rather\n",
        {"format": "table", "read": {"as": "tsv"}, "columns": columns},
        name="votes.tsv",
    )

    assert labels(reading) == ["left, rather"]
    assert reading.found["delimiter"] == "\t"
