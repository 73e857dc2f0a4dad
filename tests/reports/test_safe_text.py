import pytest

from juryline.reports.safe_text import clipped, shortened, text_width, visible


@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\u200f", "\x00", "\x1b", "\u200b", "\ufeff", "\ud800"])
def test_a_character_that_hides_or_reorders_is_shown_by_its_number(character):
    shown = visible(f"safe{character}txt.exe")

    assert character not in shown
    assert f"⟨U+{ord(character):04X}⟩" in shown


@pytest.mark.parametrize("text", ["plain", "naïve", "评价", "עברית", "👩\u200d🔬", "two\nlines", "می\u200cخواهم"])
def test_text_of_any_script_stays_as_it_is(text):
    assert visible(text) == text


def test_a_long_text_is_cut_and_says_how_long_it_was():
    shown = shortened("x" * 10_000)

    assert len(shown) < 700
    assert shown.endswith("(10000 characters)")


def test_a_label_is_never_wider_than_its_room():
    assert text_width(clipped("评价" * 40, 12)) <= 12
    assert clipped("short", 12) == "short"
