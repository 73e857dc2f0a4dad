"""Globs speak of the whole path below a folder."""

import pytest

from data_contracts.specification_paths import matches, matching_files


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("votes-*.csv", "votes-1.csv", True),
        ("votes-*.csv", "votes-.csv", True),
        ("votes-*.csv", "a/votes-1.csv", False),
        ("votes-*.csv", "votes-1.csv.gz", False),
        ("votes-*.csv", "Votes-1.csv", False),
        ("*/votes.csv", "a/votes.csv", True),
        ("*/votes.csv", "a/b/votes.csv", False),
        ("**/votes.csv", "votes.csv", True),
        ("**/votes.csv", "a/b/votes.csv", True),
        ("a/**/b.csv", "a/b.csv", True),
        ("a/**/b.csv", "a/x/y/b.csv", True),
        ("a/**/b.csv", "ax/b.csv", False),
        ("a/**", "a/b/c.csv", True),
        ("a/**", "b/c.csv", False),
        ("vote?.csv", "vote1.csv", True),
        ("vote?.csv", "vote/.csv", False),
        ("vote[0-3].csv", "vote2.csv", True),
        ("vote[!0-3].csv", "vote2.csv", False),
        ("vote[!0-3].csv", "vote9.csv", True),
        ("a+b(1).csv", "a+b(1).csv", True),
        ("a+b(1).csv", "aab1.csv", False),
        ("[.csv", "[.csv", True),
        ("vote[!0-3]csv", "vote/csv", False),
        ("a\nb.csv", "a\nb.csv", True),
        ("a.csv", "axcsv", False),
    ],
)
def test_a_glob_is_on_the_whole_path(pattern, path, fits):
    assert matches(path, pattern) is fits


def test_matching_files_come_in_the_order_of_their_paths(tmp_path):
    for name in ("b.csv", "a/c.csv", "a.csv", "A.csv", "a.txt", ".b.csv", ".hidden/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")

    found = [path.relative_to(tmp_path).as_posix() for path in matching_files(tmp_path, "**/*.csv")]

    assert found == ["A.csv", "a.csv", "a/c.csv", "b.csv"]


def test_a_folder_that_is_not_there_has_no_files(tmp_path):
    assert matching_files(tmp_path / "exports", "*") == []
