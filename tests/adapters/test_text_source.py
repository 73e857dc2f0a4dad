import codecs

import pytest

from data_contracts.errors import ExportRefusedError

VOTES = "who,item,x,y,pick\nr1,1,a,b,größer\n"


def refusal(read_csv, content: bytes, **how) -> ExportRefusedError:
    with pytest.raises(ExportRefusedError) as error:
        read_csv(content, how=how)
    return error.value


def test_a_byte_order_mark_is_taken_off_before_a_quoted_header(read_csv):
    reading = read_csv(codecs.BOM_UTF8 + b'"who","item",x,y,pick\nr1,1,a,b,left\n')

    assert reading.rows["rater"].to_pylist() == ["r1"]
    assert (reading.found["encoding"], reading.found["bom"]) == ("utf-8", True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_in_utf_16_is_refused_until_it_is_declared(read_csv, encoding):
    content = VOTES.encode(encoding)

    assert refusal(read_csv, content).code == "encoding"
    assert f"encoding: {encoding}" in refusal(read_csv, content).fix
    assert read_csv(content, how={"encoding": encoding}).rows["label"].to_pylist() == ["größer"]


def test_utf_16_without_a_mark_needs_its_byte_order(read_csv):
    content = VOTES.encode("utf-16-be")

    assert refusal(read_csv, VOTES.replace("größer", "left").encode("utf-16-be")).code == "nul"
    assert refusal(read_csv, content, encoding="utf-16").code == "encoding"
    assert read_csv(content, how={"encoding": "utf-16-be"}).rows["label"].to_pylist() == ["größer"]


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(read_csv):
    error = refusal(read_csv, VOTES.encode("cp1252"))

    assert error.code == "encoding"
    assert error.where == "exports/votes.csv, line 2"
    assert read_csv(VOTES.encode("cp1252"), how={"encoding": "cp1252"}).rows["label"].to_pylist() == ["größer"]


def test_a_mark_against_the_declared_encoding_is_refused(read_csv):
    assert refusal(read_csv, codecs.BOM_UTF8 + VOTES.encode(), encoding="cp1252").code == "encoding"


def test_a_nul_character_is_refused_with_its_line(read_csv):
    error = refusal(read_csv, b"who,item,x,y,pick\nr1,1,a,b,left\nr2,1,a,\0,left\n")

    assert (error.code, error.where) == ("nul", "exports/votes.csv, line 3")


@pytest.mark.parametrize("content", [codecs.BOM_UTF8, b"\n\n", b"   \r\n"])
def test_a_file_without_a_character_to_read_is_empty(read_csv, content):
    assert refusal(read_csv, content).code == "empty_file"


def test_a_character_cut_by_a_block_boundary_is_read(read_csv):
    padding = "p" * ((1 << 20) - len("who,item,x,y,pick\nr1,1,a,b,") - 1)

    reading = read_csv(f"who,item,x,y,pick\nr1,1,a,b,{padding}ö\n")

    assert reading.rows["label"].to_pylist() == [padding + "ö"]
