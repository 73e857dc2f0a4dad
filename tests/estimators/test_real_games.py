"""Real comparisons, read where the data folder stands beside the project: figures that its README and METHODS give."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from juryline.estimators.bradley_terry import ELO_PER_LOG_ODDS, bradley_terry
from juryline.estimators.elo import elo_ratings
from juryline.estimators.games import Games, Outcome
from juryline.estimators.win_rates import win_rates

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
GOLDEN = json.loads((ROOT / "tests" / "golden" / "pairs.json").read_text())["real"]
ONE_PASS = {
    "k": 4,
    "start": 1000,
    "ties": "half",
    "orderings": None,
    "pairs": [],
    "rounds": 2,
    "level": 0.95,
    "seed": 7,
    "analysis": "elo",
}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}")


def as_games(rows, names):
    first, second, outcome, cluster = zip(*rows)
    return Games(
        first=np.array([names.index(name) for name in first]),
        second=np.array([names.index(name) for name in second]),
        outcome=np.array(outcome),
        clusters=(np.array(cluster),),
        n_systems=len(names),
    )


@pytest.fixture(scope="module")
def qlora():
    systems = {name if name.endswith("guanaco") else f"answer-{name}": name for name in GOLDEN["qlora"]["order"]}
    verdicts = {1: Outcome.FIRST, 2: Outcome.SECOND, 3: Outcome.TIE}
    rows = []
    for path in sorted((DATA / "pairwise_llm_judge_qlora").glob("*-threeclass.jsonl")):
        shown = path.name.removesuffix("-gpt-4-reviewer-threeclass.jsonl").split("-vs-")
        one, other = (systems[blinded.removesuffix("-vicuna-generations-topp0.9-temp0.7")] for blinded in shown)
        for line in path.read_text(encoding="utf-8").splitlines():
            verdict = json.loads(line)
            if verdict["score"] in verdicts:
                rows.append((one, other, verdicts[verdict["score"]], verdict["question_id"]))
    names = sorted(systems.values())
    return as_games(rows, names), names


def table(name):
    folder = DATA / "pairwise_small_evalica"
    outcomes = {"left": Outcome.FIRST, "right": Outcome.SECOND, "tie": Outcome.TIE}
    with (folder / f"{name}.csv").open(encoding="utf-8") as file:
        rows = [(row["left"], row["right"], outcomes[row["winner"]]) for row in csv.DictReader(file)]
    with (folder / f"{name}-golden.csv").open(encoding="utf-8") as file:
        golden = {(row["algorithm"], row["item"]): float(row["score"]) for row in csv.DictReader(file)}
    names = sorted({row[0] for row in rows} | {row[1] for row in rows})
    return as_games([(*row, place) for place, row in enumerate(rows)], names), names, golden


def test_qlora_has_as_many_valid_verdicts_as_published(qlora):
    games, _ = qlora

    assert len(games) == 4_467


def test_qlora_win_rates(qlora, tallied):
    games, names = qlora
    golden, tallies = GOLDEN["qlora"], tallied(games)

    for name, counts in golden["wins_losses_ties"].items():
        result = win_rates(tallies.seen_from(names.index(name)), level=0.95)
        assert [result.wins, result.losses, result.ties] == counts
        assert result.win_rate.rate.value == pytest.approx(golden["win_rate"][name], abs=5e-5)
        assert result.decisive.rate.value == pytest.approx(golden["decisive"][name], abs=5e-5)


def test_qlora_bradley_terry(qlora, tallied):
    games, names = qlora

    result = bradley_terry(tallied(games), ties="half", pairs=[], level=0.95)

    for name, rating in GOLDEN["qlora"]["half"].items():
        assert result.ratings[names.index(name)].rating.value == pytest.approx(rating, abs=5e-3)


def test_qlora_with_davidsons_ties(qlora, tallied):
    games, names = qlora

    result = bradley_terry(tallied(games), ties="davidson", pairs=[], level=0.95)

    for name, rating in GOLDEN["qlora"]["davidson"].items():
        assert result.ratings[names.index(name)].rating.value == pytest.approx(rating, abs=5e-3)
    assert result.tie_parameter.nu.value == pytest.approx(GOLDEN["qlora"]["nu"], abs=5e-6)


def test_qlora_order_by_elo(qlora):
    games, names = qlora

    result = elo_ratings(games, **ONE_PASS | {"k": 32, "orderings": 2_000})

    ratings = {name: rating.value.value for name, rating in zip(names, result.ratings)}
    assert sorted(ratings, key=ratings.get, reverse=True) == GOLDEN["qlora"]["order"]


@pytest.mark.parametrize("name", ["food", "simple"])
def test_one_pass_is_that_of_the_golden_file(name):
    games, names, golden = table(name)

    result = elo_ratings(games, **ONE_PASS)

    expected = [golden["elo", item] for item in names]
    assert [rating.value.value for rating in result.ratings] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["food", "simple"])
def test_bradley_terry_is_that_of_the_golden_file_up_to_a_factor(tallied, name):
    games, names, golden = table(name)

    result = bradley_terry(tallied(games), ties="half", pairs=[], level=0.95)

    strengths = np.exp([(rating.rating.value - 1000) / ELO_PER_LOG_ODDS for rating in result.ratings])
    expected = np.array([golden["bradley_terry", item] for item in names])
    assert strengths / strengths.sum() == pytest.approx(expected / expected.sum(), abs=1e-6)


def test_food_figures(tallied):
    games, names, _ = table("food")

    strengths = bradley_terry(tallied(games), ties="half", pairs=[], level=0.95)
    one_pass = elo_ratings(games, **ONE_PASS)

    for item, rating in GOLDEN["food"]["half"].items():
        assert strengths.ratings[names.index(item)].rating.value == pytest.approx(rating, abs=5e-5)
    for item, rating in GOLDEN["food"]["as_delivered_k_4"].items():
        assert one_pass.ratings[names.index(item)].value.value == pytest.approx(rating, abs=5e-5)
