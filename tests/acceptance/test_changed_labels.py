"""Labels changed in a copy of an export change the figures, by as much as the change says."""

import csv
import io
import json
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow

OTHER_SIDE = {"left": "right", "right": "left", "tie": "tie"}
OTHER_RESPONSE = {"Response A": "Response B", "Response B": "Response A"}
OTHER_SCORE = {1: 2, 2: 1}


@pytest.fixture
def changed(real, exports_of, tmp_path):
    """A study of real exports run anew on changed copies of its files, or of some of them."""

    def run(name, change, *, files=("",)):
        study = real(name).copy(tmp_path / "changed", unrun=True)
        chosen = {file: path for file, path in exports_of(name).items() if any(part in file for part in files)}
        study.deliver({file: change(path.read_bytes()) for file, path in chosen.items()})
        study.freeze().run()
        return study

    return run


def test_qlora_verdicts_turned_around_turn_wins_into_losses(real, changed):
    def turned(content):
        verdicts = [json.loads(line) for line in content.splitlines()]
        return lines(verdict | {"score": OTHER_SCORE.get(verdict["score"], verdict["score"])} for verdict in verdicts)

    study = changed("qlora", turned, files=("gpt4-vs-answer-vicuna-13b-", "vicuna-13b-vs-answer-gpt4-"))

    before, after = (counts_of(ran, "gpt4", "vicuna-13b") for ran in (real("qlora"), study))
    assert after == {"wins": before["losses"], "losses": before["wins"], "ties": before["ties"]}
    assert before["wins"] > before["losses"]


def test_food_games_turned_around_mirror_every_rating(real, changed):
    def turned(content):
        rows = table(content)
        return written([row | {"winner": OTHER_SIDE[row["winner"]]} for row in rows])

    study = changed("food", turned)

    for analysis in ("elo", "bt"):
        before = real("food").estimates("rating", analysis=analysis)
        after = study.estimates("rating", analysis=analysis)
        assert after == pytest.approx({item: 2000 - rating for item, rating in before.items()}, abs=1e-6)
        assert max(abs(after[item] - rating) for item, rating in before.items()) > 1


def test_pandalm_annotator_who_copies_another_agrees_with_him_alone(real, changed):
    def copied(content):
        return document([row | {"annotator3": row["annotator1"]} for row in json.loads(content)])

    study = changed("pandalm", copied)

    of_first_two = kappas_of(real("pandalm"))["1/2"]
    assert kappas_of(study) == pytest.approx({"1/2": of_first_two, "1/3": 1, "2/3": of_first_two}, abs=1e-12)


def test_ttcw_verdicts_turned_around_turn_shares_and_leave_agreement(real, changed):
    def turned(content):
        return document(
            [row | {"binary_verdict": {"Yes": "No", "No": "Yes"}[row["binary_verdict"]]} for row in json.loads(content)]
        )

    study = changed("ttcw", turned)

    before = real("ttcw").estimates("pass_rate", criterion="*")
    after = study.estimates("pass_rate", criterion="*")
    assert after == pytest.approx({system: 1 - rate for system, rate in before.items()}, abs=1e-12)
    kappas = [ran.estimates("fleiss_kappa", criterion="*")["all"] for ran in (real("ttcw"), study)]
    assert kappas[0] == pytest.approx(kappas[1], abs=1e-12)


def test_squality_ratings_turned_around_mirror_means_and_leave_alpha(real, changed):
    def turned(content):
        passages = [json.loads(line) for line in content.splitlines()]
        for passage in passages:
            for systems in passage["questions"].values():
                for review in (review for shown in systems.values() for review in shown["reviews"]):
                    review["overall-rating"] = 100 - review["overall-rating"]
        return lines(passages)

    study = changed("squality", turned)

    before, after = (ran.estimates("mean", criterion="overall") for ran in (real("squality"), study))
    assert after == pytest.approx({system: 100 - mean for system, mean in before.items()}, abs=1e-9)
    alphas = [ran.estimates("krippendorff_alpha", criterion="overall")["all"] for ran in (real("squality"), study)]
    assert alphas[0] == pytest.approx(alphas[1], abs=1e-9)
    untouched = [ran.estimates("mean", criterion="selection") for ran in (real("squality"), study)]
    assert untouched[0] == untouched[1]


def test_scratchplot_ratings_turned_around_mirror_means(real, changed):
    def turned(content):
        rows = table(content, delimiter="\t")
        return written(
            [row | {"OUTPUT:category": str(6 - int(row["OUTPUT:category"]))} for row in rows], delimiter="\t"
        )

    study = changed("scratchplot", turned, files=("coherence/",))

    before, after = (ran.estimates("mean", criterion="coherence") for ran in (real("scratchplot"), study))
    assert after == pytest.approx({system: 6 - mean for system, mean in before.items()}, abs=1e-9)


def test_slam_win_rates_follow_from_the_order_of_keys(real, exports_of):
    (path,) = exports_of("slam").values()
    wins = dict.fromkeys(("mistral", "llama2"), 0)
    for result in results(path.read_bytes()).values():
        for evaluation in result["evals"]:
            shown = [model.partition(":")[0] for model in evaluation["question"][1]]
            wins[shown[["Response A", "Response B"].index(evaluation["result"]["overall"])]] += 1

    rates = real("slam").estimates("win_rate", comparator="")

    assert rates == {system: n / sum(wins.values()) for system, n in wins.items()}


@pytest.mark.parametrize("change", ["keys", "labels"])
def test_slam_keys_or_verdicts_turned_around_turn_the_win_rates(real, changed, change):
    study = changed("slam", lambda content: turned_results(content, change))

    before, after = (ran.estimates("win_rate", comparator="") for ran in (real("slam"), study))
    assert after == {"mistral": before["llama2"], "llama2": before["mistral"]}
    assert before["mistral"] != before["llama2"]


def counts_of(study, subject, comparator):
    pair = {"subject": subject, "comparator": comparator}
    return {name: study.estimates(name, **pair)[f"{subject}/{comparator}"] for name in ("wins", "losses", "ties")}


def kappas_of(study):
    annotator = {row["rater"]: row["source_path"][-1] for row in study.table("judgments")}
    kappas = study.estimates("cohen_kappa")
    return {"/".join(sorted(annotator[rater] for rater in pair.split("/"))): kappa for pair, kappa in kappas.items()}


def turned_results(content, change):
    turned = results(content)
    for evaluation in (evaluation for result in turned.values() for evaluation in result["evals"]):
        if change == "keys":
            evaluation["question"][1] = dict(reversed(evaluation["question"][1].items()))
        else:
            given = evaluation["result"]["overall"]
            evaluation["result"]["overall"] = OTHER_RESPONSE.get(given, given)
    archive = io.BytesIO()
    with ZipFile(archive, "w") as zipped:
        for name, result in turned.items():
            zipped.writestr(name, json.dumps(result))
    return archive.getvalue()


def results(content):
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}


def document(records):
    return json.dumps(records, ensure_ascii=False).encode()


def lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def table(content, delimiter=","):
    return list(csv.DictReader(io.StringIO(content.decode()), delimiter=delimiter))


def written(rows, delimiter=","):
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
