"""What the README shows is true: its study loads, its commands and links exist."""

import re
from pathlib import Path

import typer.main

from data_contracts.built import refuse_unbuilt
from data_contracts.specification import parse_specification
from pipelines.command import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_least_study_is_a_whole_study() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", README, flags=re.DOTALL)

    spec = parse_specification(text)
    refuse_unbuilt(spec)

    assert spec.study == "my-study"


def test_every_command_it_names_is_one() -> None:
    named = set(re.findall(r"juryline ([a-z]+)\b", README))
    known = set(typer.main.get_command(app).commands)

    assert named
    assert named <= known


def test_every_make_target_it_names_is_one() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in set(re.findall(r"make ([a-z-]+)\b", README)):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_every_link_leads_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / link).exists(), link
