"""A workspace is found upward, made whole, and keeps one key and one Dagster instance."""

import stat

import pytest

from data_contracts.errors import UsageError
from juryline.ledger.workspace import Workspace


def _mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_found_from_any_folder_inside(workspace):
    inside = workspace.root / "story-quality" / "exports"
    inside.mkdir(parents=True)

    found = Workspace.find(inside)

    assert (found.root, found.id) == (workspace.root, workspace.id)


def test_outside_of_one_the_error_says_how_to_make_one(tmp_path):
    with pytest.raises(UsageError, match="juryline new"):
        Workspace.find(tmp_path)


def test_secrets_are_their_owners_alone(workspace):
    modes = {name: _mode(workspace.home / name) for name in ("key", "salts", "tmp")}

    assert modes == {"key": 0o600, "salts": 0o700, "tmp": 0o700}


def test_it_is_made_once(workspace):
    with pytest.raises(UsageError, match="already"):
        Workspace.create(workspace.root)


def test_no_draft_is_left_beside_it(workspace):
    assert [path.name for path in workspace.root.iterdir()] == [".juryline"]


def test_a_missing_key_is_never_made_again(workspace):
    (workspace.home / "key").unlink()

    with pytest.raises(UsageError, match="put back the key"):
        workspace.key()

    assert not (workspace.home / "key").exists()


def test_a_broken_key_is_not_shown(workspace):
    (workspace.home / "key").write_text("hunter2")

    with pytest.raises(UsageError) as refused:
        workspace.key()

    assert "hunter2" not in str(refused.value)


def test_the_key_file_of_the_environment_comes_first_then_its_key_then_the_workspaces(workspace, tmp_path, monkeypatch):
    own = workspace.key()
    monkeypatch.setenv("JURYLINE_KEY", "ab" * 32)
    given = workspace.key()
    (tmp_path / "key").write_text("cd" * 32 + "\n")
    monkeypatch.setenv("JURYLINE_KEY_FILE", str(tmp_path / "key"))
    filed = workspace.key()

    assert len(own) == 32
    assert (given, filed) == (bytes.fromhex("ab" * 32), bytes.fromhex("cd" * 32))


def test_a_workspace_made_under_a_given_key_keeps_none_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("JURYLINE_KEY", "ab" * 32)

    made = Workspace.create(tmp_path)

    assert not (made.home / "key").exists()


def test_the_fingerprint_tells_keys_apart_and_holds_none_of_the_key(workspace, monkeypatch):
    own = workspace.key_fingerprint
    monkeypatch.setenv("JURYLINE_KEY", "ab" * 32)

    assert workspace.key_fingerprint != own
    assert "ab" * 4 not in workspace.key_fingerprint


def test_telemetry_is_off_in_its_dagster_instance(workspace):
    text = (workspace.dagster_home / "dagster.yaml").read_text()

    assert "telemetry:\n  enabled: false" in text


def test_one_dagster_instance_serves_one_workspace(workspace, tmp_path, monkeypatch):
    other = Workspace.create(tmp_path / "other")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    served = workspace.dagster_home

    with pytest.raises(UsageError, match="another workspace"):
        _ = other.dagster_home

    assert served == tmp_path / "home" == workspace.dagster_home


def test_studies_are_the_folders_with_a_specification(workspace):
    for name in ("b-study", "a-study", "notes", ".hidden"):
        (workspace.root / name).mkdir()
    for name in ("b-study", "a-study", ".hidden"):
        (workspace.root / name / "study.yaml").touch()

    assert workspace.studies() == ["a-study", "b-study"]


@pytest.mark.parametrize("slug", ["", "..", "../elsewhere", "a/b", ".juryline", "-x", "a b"])
def test_a_name_that_is_no_slug_is_refused(workspace, slug):
    with pytest.raises(UsageError, match="no name of a study"):
        workspace.study_dir(slug)
