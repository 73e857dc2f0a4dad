"""One changed byte in anything a study keeps is found by `juryline verify`, and named."""

import pytest

STORED = {
    "a stored export": "raw/*/*",
    "a table": "tables/estimates-*.parquet",
    "a stamp": "tables/quarantine.json",
    "judgments of the ledger": "ledger/judgments/*.parquet",
    "a commit of the ledger": "ledger/judgments/_delta_log/00000000000000000001.json",
    "an event": "ledger/events/*.parquet",
    "attributes of raters": "ledger/attributes/*.parquet",
}


@pytest.fixture(scope="module")
def copied(copy_of_whole):
    return copy_of_whole("changed bytes")


def test_what_a_run_left_is_consistent(copied):
    said = copied.juryline("verify", "stories", "--head", copied.head(), "--json")

    assert said.status == 0
    assert said.told["consistent"] is said.told["proven"] is True


@pytest.mark.parametrize("stored", STORED)
def test_a_changed_byte_is_found_and_named(copied, stored):
    path = sorted(copied.folder.glob(STORED[stored]))[0]
    content, mode = path.read_bytes(), path.stat().st_mode
    path.chmod(0o644)
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    try:
        said = copied.juryline("verify", "stories")
    finally:
        path.write_bytes(content)
        path.chmod(mode)

    assert said.status == 1
    assert path.name in said.err
    assert "NOT consistent" in said.err


def test_a_head_of_another_ledger_proves_nothing(copied):
    said = copied.juryline("verify", "stories", "--head", "0" * 64)

    assert said.status == 1
    assert "NOT proven" in said.err
