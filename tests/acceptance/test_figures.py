"""The figures that are known of the real exports, read from the exported `estimates.csv`."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

PAIRS = json.loads((Path(__file__).parents[1] / "golden" / "pairs.json").read_text(encoding="utf-8"))
GOLDEN, ORDER = PAIRS["real"], PAIRS["order_effects"]["qlora"]
ELO_PER_LOG_ODDS = 400 / math.log(10)


@pytest.mark.slow
def test_qlora_elo_puts_the_systems_in_their_published_order(real):
    ratings = real("qlora").estimates("rating", analysis="elo")

    assert sorted(ratings, key=ratings.get, reverse=True) == GOLDEN["qlora"]["order"]


@pytest.mark.slow
def test_qlora_win_rates_count_a_tie_as_no_win(real):
    counts = [real("qlora").estimates(name, comparator="") for name in ("wins", "losses", "ties")]
    rates = real("qlora").estimates("win_rate", comparator="")
    decisive = real("qlora").estimates("win_rate_decisive", comparator="")

    for system, expected in GOLDEN["qlora"]["wins_losses_ties"].items():
        assert [of[system] for of in counts] == expected
        assert rates[system] == pytest.approx(GOLDEN["qlora"]["win_rate"][system], abs=5e-5)
        assert decisive[system] == pytest.approx(GOLDEN["qlora"]["decisive"][system], abs=5e-5)


@pytest.mark.slow
def test_qlora_bradley_terry_counts_a_tie_as_half_a_win(real):
    ratings = real("qlora").estimates("rating", analysis="bt")

    assert {name: ratings[name] for name in GOLDEN["qlora"]["half"]} == pytest.approx(GOLDEN["qlora"]["half"], abs=5e-3)


@pytest.mark.slow
def test_qlora_davidson_gives_ties_a_parameter(real):
    ratings = real("qlora").estimates("rating", analysis="davidson")

    golden = GOLDEN["qlora"]["davidson"]
    assert {name: ratings[name] for name in golden} == pytest.approx(golden, abs=5e-3)
    assert real("qlora").estimates("tie_parameter") == {"all": pytest.approx(GOLDEN["qlora"]["nu"], abs=5e-6)}


@pytest.mark.slow
def test_qlora_verdicts_favour_the_answer_shown_first(real):
    def of_all(statistic):
        return real("qlora").estimates(statistic, analysis="order", subject="all")["all"]

    shares = [of_all(name) for name in ("first_share", "second_share", "tie_share")]
    assert shares == pytest.approx(ORDER["shares"], abs=5.1e-6)
    assert of_all("first_share_decisive") == pytest.approx(ORDER["decisive"], abs=5.1e-6)
    asked = sum(ORDER["both_orders"].values())
    both = {"consistent": "order_consistency"}
    counts = {name: round(asked * of_all(both.get(name, name)), 9) for name in ORDER["both_orders"]}
    assert counts == ORDER["both_orders"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("coefficient", "golden"),
    [
        ("cohen_kappa", {"1/2": 0.8523, "1/3": 0.8793, "2/3": 0.8620}),
        ("cohen_kappa_oriented", {"1/2": 0.8520, "1/3": 0.8789, "2/3": 0.8617}),
    ],
)
def test_pandalm_annotators_agree_as_published(real, coefficient, golden):
    study = real("pandalm")
    annotator = {row["rater"]: row["source_path"][-1] for row in study.table("judgments")}

    kappas = {
        "/".join(sorted(annotator[rater] for rater in pair.split("/"))): kappa
        for pair, kappa in study.estimates(coefficient).items()
    }

    assert kappas == pytest.approx(golden, abs=5e-5)
    assert {pair: round(kappa, 3) for pair, kappa in kappas.items()} == {"1/2": 0.852, "1/3": 0.879, "2/3": 0.862}


@pytest.mark.slow
@pytest.mark.parametrize(("statistic", "wanted"), [("pass_rate", {}), ("share", {"dimensions": '{"label": "Yes"}'})])
def test_ttcw_shares_of_tests_passed(real, statistic, wanted):
    shares = real("ttcw").estimates(statistic, criterion="*", **wanted)

    percent = {system: round(100 * share, 1) for system, share in shares.items()}
    assert percent == {"NewYorker": 84.7, "Claude": 30.0, "GPT4": 27.8, "GPT3.5": 8.7}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("coefficient", "golden"),
    [("fleiss_kappa", 0.4261387), ("raw_agreement", 0.7301587), ("gwet_ac1", 0.4906537)],
)
def test_ttcw_experts_agree_over_all_tests(real, coefficient, golden):
    assert real("ttcw").estimates(coefficient, criterion="*") == {"all": pytest.approx(golden, abs=5e-8)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("criterion", "golden"),
    [
        ("correctness", {"bart": 34.8, "bart-dpr": 45.4, "human": 94.1}),
        ("selection", {"bart": 15.6, "bart-dpr": 24.3, "human": 88.8}),
        ("overall", {"bart": 18.1, "bart-dpr": 27.9, "human": 91.3}),
    ],
)
def test_squality_mean_ratings(real, criterion, golden):
    means = real("squality").estimates("mean", criterion=criterion)

    assert {system: round(mean, 1) for system, mean in means.items()} == golden


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "golden"), [("correctness", 0.459), ("selection", 0.781), ("overall", 0.798)])
def test_squality_experts_agree_by_alpha_of_intervals(real, criterion, golden):
    alpha = real("squality").estimates("krippendorff_alpha", criterion=criterion)

    assert alpha == {"all": pytest.approx(golden, abs=5e-4)}


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["correctness", "selection", "overall"])
def test_squality_experts_rank_as_scipy_finds(real, exports_of, criterion):
    (export,) = exports_of("squality").values()
    tables = [
        np.array([[review[f"{criterion}-rank"] for review in systems[name]["reviews"]] for name in systems]).T
        for line in export.read_text(encoding="utf-8").splitlines()
        for systems in json.loads(line)["questions"].values()
    ]

    study, ranks = real("squality"), {"criterion": f"{criterion}-rank"}

    concordance = [stats.friedmanchisquare(*table.T).statistic / (table.shape[0] * 2) for table in tables]
    mean_ranks = np.concatenate([stats.rankdata(table, axis=1) for table in tables]).mean(axis=0)
    assert study.estimates("kendall_w", **ranks) == {"all": pytest.approx(np.mean(concordance), abs=1e-9)}
    assert study.estimates("mean_rank", **ranks) == pytest.approx(
        dict(zip(("bart", "bart-dpr", "human"), mean_ranks)), abs=1e-9
    )


@pytest.mark.slow
def test_scratchplot_mean_ratings_of_coherence(real):
    means = real("scratchplot").estimates("mean", criterion="coherence")

    assert {system: round(mean, 2) for system, mean in means.items()} == {
        "scratchplot": 3.99,
        "gpt2": 3.41,
        "fusion": 1.89,
        "progen": 1.88,
    }


@pytest.mark.parametrize("name", ["food", "simple"])
def test_evalica_one_pass_elo_is_that_of_the_golden_file(real, exports_of, name):
    ratings = real(name).estimates("rating", analysis="elo")

    assert ratings == pytest.approx(golden_scores(exports_of(name), "elo"), abs=1e-6)


@pytest.mark.parametrize("name", ["food", "simple"])
def test_evalica_bradley_terry_is_that_of_the_golden_file_up_to_a_factor(real, exports_of, name):
    ratings = real(name).estimates("rating", analysis="bt")

    strengths = {item: math.exp((rating - 1000) / ELO_PER_LOG_ODDS) for item, rating in ratings.items()}
    golden = golden_scores(exports_of(name), "bradley_terry")
    assert shares(strengths) == pytest.approx(shares(golden), abs=1e-6)


def test_food_ratings_to_the_digits_of_the_methods(real):
    elo, bradley_terry = (real("food").estimates("rating", analysis=name) for name in ("elo", "bt"))

    assert bradley_terry == pytest.approx(GOLDEN["food"]["half"], abs=5e-5)
    one_pass = GOLDEN["food"]["as_delivered_k_4"]
    assert {item: elo[item] for item in one_pass} == pytest.approx(one_pass, abs=5e-5)


def golden_scores(exports, algorithm):
    (table,) = exports.values()
    with table.with_name(f"{table.stem}-golden.csv").open(encoding="utf-8") as file:
        return {row["item"]: float(row["score"]) for row in csv.DictReader(file) if row["algorithm"] == algorithm}


def shares(strengths):
    total = sum(strengths.values())
    return {item: strength / total for item, strength in strengths.items()}
