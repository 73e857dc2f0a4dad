"""How collection went, a row a day, criterion and population."""

import pytest

from data_contracts.tables import JUDGMENT_PROFILE
from juryline.derivations.profile import judgment_profile

HALF_A_DAY = 12 * 3600  # tests count seconds from noon


@pytest.fixture
def profile(past):
    """Rows of the profile of some judgments, by day, criterion and population."""

    def derive(rows):
        table = judgment_profile(past(rows)).to_pyarrow()
        assert table.schema.names == JUDGMENT_PROFILE.names
        return {tuple(row[key] for key in JUDGMENT_PROFILE.key): row for row in table.to_pylist()}

    return derive


def test_a_row_is_a_day_in_utc_a_criterion_and_a_population(profile):
    rows = [
        {"at": 0},
        {"at": HALF_A_DAY - 1},
        {"at": HALF_A_DAY},
        {"at": 0, "criterion": "quality"},
        {"at": 0, "population": "experts"},
    ]

    assert {key: row["n_judgments"] for key, row in profile(rows).items()} == {
        ("2026-03-01", "overall", "crowd"): 2,
        ("2026-03-02", "overall", "crowd"): 1,
        ("2026-03-01", "quality", "crowd"): 1,
        ("2026-03-01", "overall", "experts"): 1,
    }


def test_a_day_that_is_not_known_is_null(profile):
    assert list(profile([{}, {}])) == [(None, "overall", "crowd")]


def test_shares_are_of_all_judgments_of_the_row(profile):
    states = [
        "answered",
        "tie",
        "both_fail",
        "unknown",
        "unknown",
        "abstain",
        "missing",
        "missing",
        "missing",
        "invalid",
    ]
    row = profile([{"at": 0, "state": state} for state in states])["2026-03-01", "overall", "crowd"]

    assert {name: row[f"share_{name}"] for name in ("unknown", "abstain", "missing", "invalid")} == {
        "unknown": 0.2,
        "abstain": 0.1,
        "missing": 0.3,
        "invalid": 0.1,
    }


def test_raters_are_counted_once(profile):
    row = profile([{"at": 0, "rater": rater} for rater in ("p-1", "p-2", "p-1")])["2026-03-01", "overall", "crowd"]

    assert (row["n_judgments"], row["n_raters"]) == (3, 2)


def test_the_median_is_of_durations_that_are_known(profile):
    row = profile([{"at": 0, "took": took} for took in (10, 20.5, 100, None)])["2026-03-01", "overall", "crowd"]
    even = profile([{"at": 0, "took": took} for took in (10, 21)])["2026-03-01", "overall", "crowd"]

    assert (row["n_timed"], row["median_seconds"]) == (3, 20.5)
    assert even["median_seconds"] == 15.5


def test_without_times_there_is_no_median(profile):
    row = profile([{"at": 0}])["2026-03-01", "overall", "crowd"]

    assert (row["n_timed"], row["median_seconds"]) == (0, None)


def test_only_versions_that_count_are_profiled(profile):
    rows = [{"at": 0}, {"at": 0, "current": False, "history_status": "superseded"}]

    assert profile(rows)["2026-03-01", "overall", "crowd"]["n_judgments"] == 1


def test_nothing_collected_is_no_row(profile):
    assert profile([]) == {}
