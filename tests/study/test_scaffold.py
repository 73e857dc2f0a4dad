"""New study folders: what a draft tells, and what it keeps to itself."""

from pathlib import Path

import pytest

from data_contracts.errors import UsageError
from data_contracts.specification import load_specification
from juryline.ledger.workspace import Workspace
from juryline.study.scaffold import EXAMPLE, make_demo, make_study


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "a workspace")


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text("worker,prompt,winner\nanna@example.org,p1,left\nbob@example.org,p1,right\n")
    return path


def test_a_draft_names_columns_and_repeats_no_value(workspace: Workspace, votes: Path) -> None:
    folder = make_study(workspace, "drafted", [votes])

    text = (folder / "study.yaml").read_text()
    assert "#   worker: 2" in text
    assert "example.org" not in text
    assert (folder / "exports" / "votes.csv").read_bytes() == votes.read_bytes()


@pytest.mark.parametrize("exports", [[], ["votes"]])
def test_a_draft_is_a_whole_specification(workspace: Workspace, votes: Path, exports: list[str]) -> None:
    folder = make_study(workspace, "drafted", [votes for _ in exports])

    assert load_specification(folder).study == "drafted"


def test_a_folder_that_is_there_is_left_as_it_is(workspace: Workspace) -> None:
    make_study(workspace, "mine", [])

    with pytest.raises(UsageError, match="is there already"):
        make_study(workspace, "mine", [])


def test_the_demonstration_is_used_again_but_never_put_over_something_else(tmp_path: Path) -> None:
    first = make_demo(tmp_path / "demo")
    again = make_demo(tmp_path / "demo")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")

    assert again.id == first.id
    assert again.studies() == [EXAMPLE]
    with pytest.raises(UsageError, match="is no workspace"):
        make_demo(tmp_path / "full")
