import gzip
import io
import zipfile

import pytest

from data_contracts.errors import ExportRefusedError

VOTES = "who,item,x,y,pick\nr1,1,a,b,left\n"


def zipped(**members: str | bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def refusal(read_csv, content: bytes) -> ExportRefusedError:
    with pytest.raises(ExportRefusedError) as error:
        read_csv(content)
    return error.value


def test_gzip_is_undone_whatever_the_name_says(read_csv):
    reading = read_csv(gzip.compress(VOTES.encode()))

    assert reading.rows["label"].to_pylist() == ["left"]
    assert reading.found["compression"] == "gzip"


def test_a_zip_of_one_file_is_undone_and_the_member_named(read_csv):
    reading = read_csv(zipped(**{"votes.csv": VOTES, "__MACOSX/._votes.csv": b"\0\5"}))

    assert reading.rows["label"].to_pylist() == ["left"]
    assert (reading.found["compression"], reading.found["member"]) == ("zip", "votes.csv")


def test_an_empty_file_is_refused(read_csv):
    assert refusal(read_csv, b"").code == "empty_file"
    assert refusal(read_csv, gzip.compress(b"")).code == "empty_file"


@pytest.mark.parametrize("kept", [1, 2, 10])
def test_a_truncated_gzip_is_refused(read_csv, kept):
    packed = gzip.compress(VOTES.encode() * 100)

    error = refusal(read_csv, packed[: len(packed) // (kept + 1)])

    assert error.code == "truncated"
    assert str(error).endswith("Nothing was written.")


def test_a_gzip_with_a_changed_byte_is_refused(read_csv):
    packed = bytearray(gzip.compress(VOTES.encode() * 100))
    packed[-6] ^= 1  # of the checksum

    assert refusal(read_csv, bytes(packed)).code == "damaged"


def test_a_truncated_zip_is_refused(read_csv):
    assert refusal(read_csv, zipped(**{"a.csv": VOTES})[:-30]).code == "damaged"


def test_a_zip_member_with_a_changed_byte_is_refused(read_csv):
    packed = bytearray(zipped(**{"a.csv": VOTES * 50}))
    packed[45] ^= 0xFF

    assert refusal(read_csv, bytes(packed)).code in ("damaged", "truncated")


def test_a_zip_whose_directory_and_members_disagree_is_refused(read_csv):
    packed = zipped(**{"a.csv": VOTES}).replace(b"a.csv", b"b.csv", 1)

    assert refusal(read_csv, packed).code == "damaged"


def test_a_packing_that_python_does_not_know_is_refused(read_csv):
    packed = bytearray(zipped(**{"a.csv": VOTES}))
    directory = packed.index(b"PK\x01\x02")
    packed[8] = packed[directory + 10] = 99  # compression method

    assert refusal(read_csv, bytes(packed)).code == "packing"


def test_a_file_packed_twice_is_refused(read_csv):
    assert refusal(read_csv, gzip.compress(gzip.compress(VOTES.encode()))).code == "packed_twice"


def test_a_zip_of_several_files_is_refused(read_csv):
    assert refusal(read_csv, zipped(**{"a.csv": VOTES, "b.csv": VOTES})).code == "several_members"


def test_an_office_document_is_refused_by_what_it_is(read_csv):
    assert refusal(read_csv, zipped(**{"[Content_Types].xml": "<Types/>"})).code == "office_document"


@pytest.mark.parametrize("member", ["../votes.csv", "/etc/votes.csv", "a/../../votes.csv", "..\\votes.csv"])
def test_a_member_with_a_path_outside_the_zip_is_refused(read_csv, member):
    assert refusal(read_csv, zipped(**{member: VOTES})).code == "unsafe_archive"


def test_two_members_of_one_name_are_refused(read_csv):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", VOTES)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.csv", VOTES)

    assert refusal(read_csv, buffer.getvalue()).code == "unsafe_archive"


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(**{"a.csv": content})])
def test_a_bomb_is_refused_before_it_is_expanded(read_csv, pack):
    bomb = pack(b"0" * (70 << 20))

    assert len(bomb) < 1 << 20
    assert refusal(read_csv, bomb).code == "expands_without_measure"


def test_an_encrypted_zip_is_refused(read_csv):
    packed = bytearray(zipped(**{"a.csv": VOTES}))
    directory = packed.index(b"PK\x01\x02")
    packed[6] |= 1  # general purpose bit 0 of the member's header, and of the directory's
    packed[directory + 8] |= 1

    assert refusal(read_csv, bytes(packed)).code == "encrypted"
