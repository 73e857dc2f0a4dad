"""A salt a rater, from a secret that is made once and kept apart."""

import json
import stat

import pyarrow as pa
import pytest

from data_contracts.errors import UsageError
from juryline.ledger.salts import Salts


@pytest.fixture
def salts(workspace, study_dir) -> Salts:
    return Salts(workspace, study_dir).ensure()


def test_the_secret_is_its_owners_alone_and_made_once(salts, workspace, study_dir):
    before = salts.path.read_bytes()
    Salts(workspace, study_dir).ensure()

    assert stat.S_IMODE(salts.path.stat().st_mode) == 0o600
    assert salts.path.read_bytes() == before


def test_each_rater_has_a_salt_and_no_rater_none(salts):
    given = pa.chunked_array([["a", "b"], ["a", None]], pa.string())

    first, second, third, fourth = salts.of(given).to_pylist()

    assert first == third != second
    assert fourth is None


def test_studies_share_no_salt(salts, workspace):
    other = workspace.study_dir("another")
    other.mkdir()
    raters = pa.chunked_array([["a"]])

    assert Salts(workspace, other).ensure().of(raters) != salts.of(raters)


def test_a_salt_kept_on_its_own_comes_before_the_secret(salts, workspace, study_dir):
    stored = json.loads(salts.path.read_text())
    salts.path.unlink()
    salts.path.write_text(json.dumps(stored | {"salts": {"a": "f" * 64}}))

    assert Salts(workspace, study_dir).of(pa.chunked_array([["a"]])).to_pylist() == ["f" * 64]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"secret": "00", "salts": {}}', '{"secret": 1, "salts": {}}'])
def test_a_broken_file_is_refused(salts, workspace, study_dir, text):
    salts.path.unlink()
    salts.path.write_text(text)

    with pytest.raises(UsageError, match="salts of story-quality cannot be read"):
        _ = Salts(workspace, study_dir).fingerprint
