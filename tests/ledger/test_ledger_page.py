"""What docs/ledger.md tells an auditor to type works on a real study, and notices what it says it does."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from juryline.ledger.chain import log_path

PAGE = Path(__file__).parents[2] / "docs" / "ledger.md"


def _blocks(language: str) -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found, f"no {language} in {PAGE.name}"
    return found


def test_the_shell_lines_pass_on_an_untouched_study(stored):
    for line in _blocks("sh")[0].splitlines():
        subprocess.run(["sh", "-ec", line.replace("STUDY", ".")], cwd=stored.directory, check=True, capture_output=True)

    assert len(_blocks("sh")[0].splitlines()) == 3


def test_the_python_lines_print_the_head(stored, monkeypatch, capsys):
    monkeypatch.chdir(stored.directory)
    exec(compile(_blocks("python")[0].replace("STUDY", "."), PAGE.name, "exec"), {})

    assert capsys.readouterr().out.splitlines()[-1] == f"2 {stored.ledger.head}"


def test_the_python_lines_stop_at_an_edited_commit(stored, monkeypatch):
    path = log_path(stored.ledger.table.path, 1)
    path.write_text(path.read_text().replace('"n_rows":30', '"n_rows":31'))
    monkeypatch.chdir(stored.directory)

    with pytest.raises(AssertionError, match=os.path.basename(path)):
        exec(compile(_blocks("python")[0].replace("STUDY", "."), PAGE.name, "exec"), {})
