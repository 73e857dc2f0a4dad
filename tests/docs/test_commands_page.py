"""The page of commands names every command and every option there is, and no other."""

import re
from pathlib import Path

import pytest
import typer.main

from pipelines.command import app

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
COMMANDS = typer.main.get_command(app).commands


def sections() -> dict[str, str]:
    parts = re.split(r"^## `juryline (\w+)([^`]*)`$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::3], parts[2::3]))


def test_every_command_has_its_section_and_every_section_its_command() -> None:
    assert set(sections()) == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_section_names_the_options_of_its_command(name: str) -> None:
    options = {opt for p in COMMANDS[name].params for opt in p.opts if opt.startswith("--") and opt != "--help"}

    assert set(re.findall(r"--[a-z-]+", sections()[name])) == options
