import json
import os
import statistics
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from data_contracts.built import refuse_unbuilt
from data_contracts.specification import load_specification

# Ethayarajh and Jurafsky 2022, table 1: mean stated chance and mean difference of ratings, as printed.
TABLE_1 = {
    ("ada", "human"): ("0.420", "-0.822"),
    ("babbage", "ada"): ("0.688", "0.644"),
    ("curie", "babbage"): ("0.630", "0.322"),
    ("davinci", "curie"): ("0.575", "0.244"),
    ("human", "davinci"): ("0.544", "-0.389"),
}
_GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "spa.json").read_text())["table_1"]
STARS_AND_SPREADS = {method: {f"{row['mean']:.3f}": row for row in _GOLDEN[method]} for method in ("spa", "likert")}
# Appendix A: raters recruited, excluded and analysed.
RECRUITED, EXCLUDED, ANALYSED = 100, 10, 90

SPA = [pytest.param(pair, printed, id="-".join(pair)) for pair, (printed, _) in TABLE_1.items()]
LIKERT = [pytest.param(pair, printed, id="-".join(pair)) for pair, (_, printed) in TABLE_1.items()]
COUNTS = [("spa", 0.1, 5), ("spa", 0.05, 4), ("likert", 0.1, 2), ("likert", 0.05, 3)]


def test_the_generator_writes_the_committed_bytes_whatever_zone_locale_and_hash_seed(example, tmp_path):
    strange = {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "11"}
    command = [sys.executable, example / "generate.py", tmp_path / "made"]
    subprocess.run(command, check=True, cwd=tmp_path, env=os.environ | strange)

    made = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
    assert made == {path.name: path.read_bytes() for path in (example / "exports").iterdir()}


def test_it_is_called_synthetic_wherever_a_reader_meets_it(example):
    assert "synthetic" in load_specification(example).title
    assert all(path.name.startswith("synthetic-") for path in (example / "exports").iterdir())
    assert "synthetic" in (example / "README.md").read_text(encoding="utf-8")[:400]


def test_nothing_that_it_declares_is_missing_from_this_version(example):
    spec = load_specification(example)

    refuse_unbuilt(spec)
    assert [analysis.method for analysis in spec.analyses] == ["spa", "likert", "agreement"]


def test_whom_the_rules_exclude_is_said_by_the_appendix(answers):
    assert len(answers.raters) == RECRUITED
    assert len(answers.non_native | answers.repeating) == EXCLUDED
    assert not answers.non_native & answers.repeating
    assert len(answers.analysed) == ANALYSED


@pytest.mark.parametrize(("pair", "printed"), SPA)
def test_stated_chances_have_the_printed_mean_and_a_spread_that_gives_its_stars(answers, pair, printed):
    chances = answers.chances(*pair)
    spread = statistics.stdev(chances) / 100
    bounds = STARS_AND_SPREADS["spa"][printed]

    assert len(chances) == ANALYSED
    assert Fraction(sum(chances), 100 * ANALYSED) == Fraction(printed)
    assert bounds.get("sd_min", 0) <= spread <= bounds.get("sd_max", 0.5)


@pytest.mark.parametrize(("pair", "printed"), LIKERT)
def test_ratings_have_the_printed_difference_and_a_spread_that_gives_its_stars(answers, pair, printed):
    differences = answers.differences(*pair)
    bounds = STARS_AND_SPREADS["likert"][printed]

    assert len(differences) == ANALYSED
    assert f"{sum(differences) / ANALYSED:.3f}" == printed
    assert bounds.get("sd_min", 0) <= statistics.stdev(differences) <= bounds.get("sd_max", 4)


def test_questions_left_open_are_of_excluded_raters_or_were_answered_later(answers):
    rows = [*answers.ratings, *answers.preferences]
    last = {row["response"]: row for row in sorted(rows, key=lambda row: row["saved_at"])}
    is_open = [row for row in rows if row.get("rating", row.get("chance")) in ("", "skip")]

    assert {row["worker"] in answers.analysed for row in is_open} == {True, False}
    assert all(last[row["response"]] is not row for row in is_open if row["worker"] in answers.analysed)


def test_every_row_of_its_exports_is_accounted_for(ran, answers):
    flow = ran.said["flow"]
    per_rater = 10

    assert flow["export_rows"]["ignored:status=preview"] == per_rater
    assert flow["export_rows"]["ignored:status=returned"] == 3
    assert flow["export_rows"]["quarantined"] == 0
    assert flow["judgments"]["superseded"] == 2
    assert flow["current"]["excluded:non-native"] == per_rater * len(answers.non_native)
    assert flow["current"]["excluded:twice"] == 2 * per_rater * len(answers.repeating)
    assert flow["current"]["included"] == per_rater * ANALYSED


def test_questions_left_open_are_kept_as_what_they_are(ran, answers):
    meanings = {"": "missing", "skip": "abstain"}
    given = [row.get("rating", row.get("chance")) for row in [*answers.ratings, *answers.preferences]]
    kept = [(row["state"], row["value"]) for row in ran.table("judgments") if row["state"] != "answered"]

    assert sorted(kept) == sorted((meanings[label], "") for label in given if label in meanings)


@pytest.mark.parametrize(("pair", "printed"), SPA)
def test_spa_gives_the_printed_preference_with_its_stars(ran, pair, printed):
    preference = ran.estimates("spa_preference")["spa", *pair, "{}"]
    test = ran.estimates("spa_t")["spa", *pair, "{}"]

    assert f"{float(preference['value']):.3f}" == printed
    assert int(preference["n_raters"]) == ANALYSED
    assert stars(test) == STARS_AND_SPREADS["spa"][printed]["stars"]


@pytest.mark.parametrize(("pair", "printed"), LIKERT)
def test_likert_gives_the_printed_difference_with_its_stars(ran, pair, printed):
    difference = ran.estimates("mean_difference")["likert", *pair, "{}"]
    test = ran.estimates("mean_difference_t")["likert", *pair, "{}"]

    assert f"{float(difference['value']):.3f}" == printed
    assert int(difference["n_raters"]) == ANALYSED
    assert stars(test) == STARS_AND_SPREADS["likert"][printed]["stars"]


@pytest.mark.parametrize(("method", "alpha", "recovered"), COUNTS)
def test_how_many_of_five_expectations_each_method_recovers(ran, method, alpha, recovered):
    count = ran.estimates("expected_recovered")[method, "all", "", json.dumps({"alpha": alpha})]

    assert float(count["value"]) == recovered
    assert float(ran.estimates("expected_total")[method, "all", "", "{}"]["value"]) == len(TABLE_1)


@pytest.mark.parametrize(
    ("exclusions", "kept"),
    [
        ("none", lambda answers: answers.analysed | answers.repeating | answers.non_native),
        ("-twice", lambda answers: answers.analysed | answers.repeating),
        ("-non-native", lambda answers: answers.analysed | answers.non_native),
    ],
)
@pytest.mark.parametrize("pair", TABLE_1, ids="-".join)
def test_a_scenario_gives_what_a_script_gives_without_the_rule(ran, answers, exclusions, kept, pair):
    raters = kept(answers)
    estimate = ran.estimates("spa_preference", f"exclusions={exclusions};adjudication=raw")["spa", *pair, "{}"]

    assert len(raters) > ANALYSED
    assert float(estimate["value"]) == pytest.approx(answers.mean_chance(*pair, raters), abs=1e-12)


@pytest.mark.parametrize("pair", TABLE_1, ids="-".join)
def test_what_scenarios_do_to_a_preference_is_counted(ran, pair):
    of = json.dumps({"of": "spa_preference"})
    names = [f"exclusions={name};adjudication=raw" for name in ("none", "-twice", "-non-native")]
    values = [float(ran.estimates("spa_preference", name)["spa", *pair, "{}"]["value"]) for name in ("frozen", *names)]
    told = {
        statistic: float(ran.estimates(statistic)["spa", *pair, of]["value"])
        for statistic in ("cells", "cells_estimable", "same_sign_share", "estimate_min", "estimate_max")
    }

    assert told == {
        "cells": 4,
        "cells_estimable": 4,
        "same_sign_share": sum((value > 0.5) == (values[0] > 0.5) for value in values) / 4,
        "estimate_min": min(values),
        "estimate_max": max(values),
    }


def test_the_readme_tells_the_numbers_of_the_run(ran, example):
    readme = (example / "README.md").read_text(encoding="utf-8")
    flow = ran.said["flow"]
    excluded = sum(n for reason, n in flow["current"].items() if reason.startswith("excluded:"))

    for pair, printed in TABLE_1.items():
        tests = [
            ran.estimates(statistic)[method, *pair, "{}"]
            for method, statistic in (("spa", "spa_t"), ("likert", "mean_difference_t"))
        ]
        cells = [mean + "\\*" * len(stars(test)) for mean, test in zip(printed, tests)]
        assert f"| {' | '.join(cells)} |" in readme
    assert f"{flow['export_rows']['total']:,} rows came in" in readme
    assert f"{excluded} answers are excluded" in readme
    assert f"{flow['current']['included']} are analysed" in readme


def test_answers_older_than_the_freeze_confirm_nothing_and_the_report_says_why(ran):
    assert ran.said["frozen"]
    assert ran.said["status"] == "exploratory"
    assert "What does not hold" in ran.report
    assert any("2022-02-07" in clause for clause in ran.said["failed_clauses"])


def stars(test):
    """As the caption of table 1 sets them."""
    return "*" * sum(float(test["p_adjusted"]) < alpha for alpha in (0.10, 0.05, 0.01))
