"""Laws of the derivations as a whole; that another engine could run them; that they stand 200,000 rows."""

import ibis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ibis.config import Config

from data_contracts.tables import TABLES
from juryline.derivations.adjudication import adjudicated_labels, adjudication_sources
from juryline.derivations.analysis import analysis_set
from juryline.derivations.exclusions import exclusion_decisions
from juryline.derivations.flow import accounting_errors, record_flow
from juryline.derivations.history import conflicting_versions, judgment_history
from juryline.derivations.states import response_states
from juryline.derivations.views import comparisons, ratings, spa_answers

EXCLUSIONS = """\
exclusions:
  - {id: lang, rule: rater_attribute, attribute: language, keep: [English], scope: rater, on_missing: keep}
  - {id: twice, rule: repeat_submission, keep: none, scope: submission, on_missing: exclude}
  - {id: short, rule: incomplete_set, expected: 2, of: judgments, scope: submission, on_missing: exclude}
  - {id: hasty, rule: min_duration, seconds: 5, scope: rater, on_missing: keep}
  - {id: uniform, rule: uniform_answers, min_answers: 3, scope: rater}
  - {id: gold, rule: gold, min_correct: 0.5, scope: rater, on_missing: keep}
  - {id: tau, rule: spa_complement, tau: 1.1, scope: rater}
  - {id: outage, rule: sql, scope: judgment, where: "sequence > 3"}
"""
ADJUDICATION = """\
adjudication:
  - {id: most, rule: majority, criterion: overall}
  - {id: whole, rule: unanimous, criterion: ending}
  - {id: middle, rule: median, criterion: quality}
  - {id: settle, rule: adjudicator, criterion: overall, population: md}
"""
FACTS = [
    ("rater", "p-0", "language", "English"),
    ("rater", "p-1", "language", "Dutch"),
    ("case", "c-0", "topic", "war"),
]
FULL = EXCLUSIONS + ADJUDICATION
BEYOND = {
    "adjudicated_labels": lambda history, standing, facts, spec: adjudicated_labels(history, standing, spec),
    "adjudication_sources": lambda history, standing, facts, spec: adjudication_sources(
        history, standing, adjudicated_labels(history, standing, spec), spec
    ),
    "comparisons": lambda history, standing, facts, spec: comparisons(history, standing, facts, None, spec),
    "ratings": lambda history, standing, facts, spec: ratings(history, standing, facts, None, spec),
    "spa_answers": lambda history, standing, facts, spec: spa_answers(history, standing, facts, None, spec),
}
FEW = settings(max_examples=3, deadline=None)
PROVENANCE = ("ledger_seq", "row_sha256")


@pytest.fixture(scope="module")
def derive(ids, study, stored):
    """Derived tables, by name, of JUDGMENTS and ATTRIBUTES, each made from stored ones, as a run makes it."""

    def run(judgments, facts, more=FULL, names=tuple(BEYOND), keep=lambda table: stored(table.to_pyarrow())):
        spec = study(more)
        history = keep(judgment_history(judgments, ids("r-03"), ids(), spec))
        decisions = keep(exclusion_decisions(history, facts, spec, sql_hits=lambda rule: ["r-01"]))
        standing = keep(analysis_set(history, decisions, spec))
        tables = {"judgment_history": history, "exclusion_decisions": decisions, "analysis_set": standing}
        return tables | {name: keep(BEYOND[name](history, standing, facts, spec)) for name in names}

    return run


class SparkOptions(Config):
    treat_nan_as_null: bool = False


def contents(tables, *names, drop=PROVENANCE):
    """Rows of tables in the order of their keys, without what only tells where a row came from."""
    found = {}
    for name in names or tables:
        kept = [column for column in TABLES[name].names if column not in drop]
        data = tables[name].to_pyarrow().select(kept)
        found[name] = data.sort_by([(column, "ascending") for column in TABLES[name].key])
    return found


ANSWERS = {
    "overall": [{"label": "candidate_1"}, {"label": "candidate_2"}, {"state": "tie"}, {"state": "abstain"}],
    "quality": [{"label": "poor"}, {"label": "good"}, {"state": "missing"}],
    "ending": [{"label": "Yes"}, {"label": "No"}],
    "chance": [{"value": 0.6}, {"value": 0.8}],
}


@st.composite
def judgments(draw):
    """Judgments of four raters, some of them versions of each other, and one ranking."""
    rows = []
    for place in range(draw(st.integers(4, 14))):
        criterion = draw(st.sampled_from(sorted(ANSWERS)))
        shown = draw(st.permutations(["z-1", "m-2", "a-3"]))
        rater = draw(st.integers(0, 3))
        row = {
            **{"record_id": f"r-{place:02d}", "judgment_id": f"j-{place:02d}", "criterion": criterion},
            **{"judgment_key": draw(st.sampled_from(["k-0", f"k-{place:02d}"])), "source_row": place + 1},
            **{"rater": f"p-{rater}", "population": ("crowd", "crowd", "experts", "md")[rater]},
            **{"candidate_1": shown[0], "candidate_2": shown[1] if criterion in ("overall", "chance") else None},
            **{"case_id": None if criterion == "chance" else draw(st.sampled_from(["c-0", "c-1"]))},
            **{"at": draw(st.sampled_from([None, 10, 20])), "took": draw(st.sampled_from([1, 9]))},
            **{"submission_id": draw(st.sampled_from([None, "s-1", "s-2"]))},
            **{"item_kind": draw(st.sampled_from(["scored", "scored", "gold"])), "gold_label": "good"},
            **{"phase": draw(st.sampled_from(["exploratory", "exploratory", "pilot"]))},
        }
        rows.append(row | draw(st.sampled_from(ANSWERS[criterion])))
    for place, candidate in enumerate(["z-1", "m-2", "a-3"]):
        ranked = {
            "record_id": f"s-{place}",
            "judgment_id": "j-s",
            "judgment_key": "k-s",
            "criterion": "best",
            "source_row": 50 + place,
        }
        rank = draw(st.integers(1, 3))
        rows.append(ranked | {"candidate_1": candidate, "value": float(rank), "label": str(rank), "at": 5})
    return rows


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(rows=judgments(), random=st.randoms(use_true_random=False))
def test_order_of_delivery_changes_no_table(ledger, attributes, derive, rows, random):
    delivered = random.sample(rows, len(rows))

    first = contents(derive(ledger(rows), attributes(*FACTS)))
    again = contents(derive(ledger(delivered), attributes(*reversed(FACTS))))
    assert {name for name in first if not first[name].equals(again[name])} == set()


@FEW
@given(rows=judgments())
def test_rules_that_hit_nothing_equal_no_exclusion_step(ledger, ids, attributes, study, rows):
    history = judgment_history(ledger(rows), ids(), ids(), study())
    spec = study('exclusions: [{id: x, rule: sql, scope: judgment, where: "false"}]')
    decisions = exclusion_decisions(history, attributes(), spec, sql_hits=lambda rule: [])

    none = analysis_set(history, exclusion_decisions(history, attributes(), study(), sql_hits=list), study())
    ruled = analysis_set(history, decisions, spec)
    assert contents({"analysis_set": ruled})["analysis_set"].equals(contents({"analysis_set": none})["analysis_set"])


@FEW
@given(rows=judgments())
def test_adjudication_never_alters_a_record(ledger, attributes, derive, rows):
    given_rows, facts = ledger(rows), attributes(*FACTS)
    beside = ("judgment_history", "analysis_set")

    with_labels = derive(given_rows, facts, ADJUDICATION, names=("adjudicated_labels", "adjudication_sources"))
    without = derive(given_rows, facts, "", names=())
    assert contents(with_labels, *beside, drop=()) == contents(without, *beside, drop=())
    labels = with_labels["adjudicated_labels"].to_pyarrow().to_pylist()
    sources = with_labels["adjudication_sources"].to_pyarrow().to_pylist()
    for label in labels:
        named = [source for source in sources if source["label_id"] == label["label_id"]]
        assert len(named) == label["n_votes"] + (label["status"] == "adjudicated")
    assert {source["record_id"] for source in sources} <= {row["record_id"] for row in rows}


@FEW
@given(rows=judgments())
def test_the_accounting_of_judgments_closes(ledger, attributes, derive, quarantine, rows):
    tables = derive(ledger(rows), attributes(*FACTS), names=())
    intake = {"export_rows": {"total": 0}, "answers": {"total": 0}}

    flow = record_flow(intake, tables["judgment_history"], tables["analysis_set"], quarantine())
    assert accounting_errors(flow) == []


def test_every_table_has_its_declared_columns_and_a_unique_key(ledger, attributes, derive):
    rows = [{"record_id": f"r-{n:02d}", "label": "candidate_1", "rater": f"p-{n % 3}", "at": n} for n in range(6)]

    for name, table in derive(ledger(rows), attributes(*FACTS)).items():
        assert table.schema().names == tuple(TABLES[name].names)
        data = table.to_pyarrow()
        key = data.select(list(TABLES[name].key))
        assert key.group_by(list(TABLES[name].key)).aggregate([]).num_rows == data.num_rows, name


def test_every_table_can_be_written_for_spark(ledger, attributes, derive, stored, monkeypatch):
    # Ibis gives its Spark options a value only once Spark itself is loaded.
    monkeypatch.setattr(ibis.options, "pyspark", SparkOptions())
    written = []

    def keep(table):
        written.append(str(ibis.to_sql(table, dialect="pyspark")))
        return stored(table.to_pyarrow())

    derived = derive(ledger([{}]), attributes(*FACTS), keep=keep)
    keep(response_states(*(derived[name] for name in ("comparisons", "ratings", "spa_answers"))))
    keep(conflicting_versions(derived["judgment_history"]))
    assert len(written) == len(derived) + 2
    assert all(sql.startswith(("SELECT", "WITH")) for sql in written)


LARGE = """
CREATE OR REPLACE TEMP TABLE large AS SELECT template.* REPLACE (
    lpad(i::VARCHAR, 8, '0') AS record_id, 'j' || i AS judgment_id, 'k' || (i - (i % 20 = 0)::INT) AS judgment_key,
    ['overall', 'quality', 'ending', 'chance', 'best'][1 + i % 5] AS criterion,
    ['pairwise', 'rating', 'checklist', 'spa', 'ranking'][1 + i % 5] AS protocol,
    LABEL AS label, CASE WHEN i % 3 = 0 THEN 'other' ELSE LABEL END AS gold_label,
    [NULL, NULL, NULL, 0.6, 1.0][1 + i % 5] AS value,
    CASE WHEN i % 5 IN (0, 3) THEN 'm-2' END AS candidate_2,
    CASE WHEN i % 5 <> 3 THEN 'case-' || (i // 40) END AS case_id,
    CASE WHEN i % 97 = 0 THEN 'gold' ELSE 'scored' END AS item_kind,
    CASE WHEN i % 50 = 0 THEN 'md' ELSE 'crowd' END AS population,
    'p-' || (i // 100) AS rater_pseudonym, 's-' || (i // 100) AS submission_id, i AS source_row
) FROM template, range(200000) AS numbers(i)"""
LABELS = "[['candidate_1', 'candidate_2'], ['good', 'poor'], ['Yes', 'No'], ['60', '40'], ['1', '2']]"
LARGE = LARGE.replace("LABEL", LABELS + "[1 + i % 5][1 + i % 7 // 5]")


@pytest.mark.slow
def test_two_hundred_thousand_judgments_run_through_everything(engine, attributes, derive, ledger, quarantine):
    template = ledger([{"at": 60, "took": 10}])
    engine.con.execute(LARGE.replace("template", template.get_name()))

    tables = derive(engine.table("large"), attributes(*FACTS))
    rows = {name: table.count().to_pyarrow().as_py() for name, table in tables.items()}
    assert rows["judgment_history"] == 200_000
    # Every twentieth row corrects the one before it, but the first has none before it.
    assert rows["analysis_set"] == 200_000 - 9_999
    assert min(rows.values()) > 0
    intake = {"export_rows": {"total": 0}, "answers": {"total": 0}}
    flow = record_flow(intake, tables["judgment_history"], tables["analysis_set"], quarantine())
    assert accounting_errors(flow) == []
