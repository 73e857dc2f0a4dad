"""Each exclusion rule by hand: what it hits, what it leaves as evidence, and when it refuses."""

import json

import ibis
import pytest

from data_contracts.errors import GateError, RuleEvaluationError
from data_contracts.tables import EXCLUSION_DECISIONS, HISTORY
from juryline.derivations.exclusions import exclusion_decisions, looked_at, outcome_dependent


@pytest.fixture
def decide(past, attributes, study):
    """Decisions of one or more rules, each the text within the braces of its YAML."""

    def derive(rows, *rules, facts=(), sql_hits=lambda rule: []):
        spec = study("exclusions:\n" + "".join(f"  - {{{rule}}}\n" for rule in rules))
        return exclusion_decisions(past(rows), attributes(*facts), spec, sql_hits=sql_hits)

    return derive


@pytest.fixture
def hits(decide, rows_of):
    """record_id to evidence."""

    def derive(*args, **kwargs):
        return {r["record_id"]: json.loads(r["evidence"]) for r in rows_of(decide(*args, **kwargs))}

    return derive


LANGUAGE = "id: lang, rule: rater_attribute, attribute: language, keep: [English], scope: rater"
TWICE = "id: twice, rule: repeat_submission, scope: rater"
SHORT = "id: short, rule: incomplete_set, of: judgments"
HASTY = "id: hasty, rule: min_duration, seconds: 20"
UNIFORM = "id: uniform, rule: uniform_answers, min_answers: 3, scope: rater"
GOLD = "id: gold, rule: gold, scope: rater"
TAU = "id: tau, rule: spa_complement, scope: rater"
OUTAGE = "id: outage, rule: sql, where: \"submitted_at < '2026-03-01'\""


def test_decisions_have_exactly_the_declared_columns(decide):
    for table in (decide([{}], f"{GOLD}, min_correct: 0.8, on_missing: keep"), decide([{}], f"{OUTAGE}, scope: rater")):
        assert table.schema().names == tuple(EXCLUSION_DECISIONS.names)
        assert [str(t) for t in table.schema().types] == ["string"] * 4 + ["boolean", "string"]


def test_no_rules_make_no_decisions(past, attributes, study):
    decisions = exclusion_decisions(past([{}]), attributes(), study(), sql_hits=lambda rule: ["rec-000"])

    assert decisions.to_pyarrow().num_rows == 0
    assert decisions.schema().names == tuple(EXCLUSION_DECISIONS.names)


def test_every_hit_is_recorded_and_the_rule_declared_first_is_marked(decide, rows_of):
    rows = [{"rater": "p-1", "at": 100, "took": 5}, {"rater": "p-1", "at": 200, "took": 50}]
    facts = [("rater", "p-1", "language", "Dutch")]

    decisions = decide(rows, f"{HASTY}, scope: judgment", LANGUAGE, facts=facts)
    assert rows_of(
        decisions, "record_id", "exclusion_id", "rule", "scope", "first", by=("record_id", "exclusion_id")
    ) == [
        ("rec-000", "hasty", "min_duration", "judgment", True),
        ("rec-000", "lang", "rater_attribute", "rater", False),
        ("rec-001", "lang", "rater_attribute", "rater", True),
    ]


def test_only_current_judgments_are_looked_at(hits):
    rows = [{"at": 100, "took": 5, "current": False, "history_status": "superseded"}, {"at": 100, "took": 6}]

    assert set(hits(rows, f"{HASTY}, scope: judgment")) == {"rec-001"}


class TestPopulations:
    ROWS = (
        {"rater": "p-1", "population": "crowd", "at": 9, "took": 1},
        {"rater": "p-2", "population": "experts", "at": 9, "took": 1},
        {"rater": "p-3", "population": "md", "at": 9, "took": 1},
        {"rater": "judge", "population": "judge", "at": 9, "took": 1},
    )

    def test_by_default_they_are_the_human_ones_whose_judgments_enter_analyses(self, hits):
        assert set(hits(self.ROWS, f"{HASTY}, scope: judgment")) == {"rec-000", "rec-001"}

    def test_a_rule_may_name_others(self, hits):
        named = f"{HASTY}, scope: judgment, population: [md, judge]"

        assert set(hits(self.ROWS, named)) == {"rec-002", "rec-003"}

    def test_scope_rater_stays_within_them(self, hits):
        rows = [{"rater": "p-1", "at": 9, "took": 1}, {"rater": "p-1", "at": 99, "took": 90, "population": "experts"}]

        assert set(hits(rows, f"{HASTY}, scope: rater, population: crowd")) == {"rec-000"}


class TestRaterAttribute:
    ROWS = ({"rater": "p-1"}, {"rater": "p-2"}, {"rater": "p-2"}, {"rater": "p-3"})
    FACTS = (("rater", "p-1", "language", "English"), ("rater", "p-2", "language", 'a "b" \\ c\n'))

    def test_raters_with_another_value_are_hit_whole(self, hits):
        evidence = {"attribute": "language", "value": 'a "b" \\ c\n'}

        assert hits(self.ROWS[:3], LANGUAGE, facts=self.FACTS) == {"rec-001": evidence, "rec-002": evidence}

    def test_a_rater_without_it_stops_the_study(self, hits):
        with pytest.raises(RuleEvaluationError, match="1 judgments of 1 raters have no attribute language") as refused:
            hits(self.ROWS, LANGUAGE, facts=self.FACTS)
        assert "a.csv, row 4" in str(refused.value)
        assert "p-3" not in str(refused.value)

    @pytest.mark.parametrize(("on_missing", "hit"), [("keep", False), ("exclude", True)])
    def test_unless_told_what_to_do(self, hits, on_missing, hit):
        found = hits(self.ROWS, f"{LANGUAGE}, on_missing: {on_missing}", facts=self.FACTS)

        assert ("rec-003" in found) is hit
        assert found.get("rec-003", {"value": None})["value"] is None

    def test_two_values_of_one_rater_are_a_gate(self, hits):
        facts = [*self.FACTS, ("rater", "p-1", "language", "Dutch")]

        with pytest.raises(GateError, match="language of 1 raters") as refused:
            hits(self.ROWS[:2], LANGUAGE, facts=facts)
        assert "p-1" not in str(refused.value)


class TestRepeatSubmission:
    ROWS = (
        {"rater": "p-1", "submission_id": "s-b", "at": 10},
        {"rater": "p-1", "submission_id": "s-b", "at": 20},
        {"rater": "p-1", "submission_id": "s-a", "at": 30},
        {"rater": "p-2", "submission_id": "s-c", "at": 5},
        {"rater": "p-2", "submission_id": "s-c", "at": 6},
    )

    @pytest.mark.parametrize(
        ("keep", "records"),
        [("none", {"rec-000", "rec-001", "rec-002"}), ("first", {"rec-002"}), ("last", {"rec-000", "rec-001"})],
    )
    def test_keeps_none_the_first_or_the_last_by_time(self, hits, keep, records):
        found = hits(self.ROWS, f"{TWICE}, keep: {keep}")

        assert set(found) == records
        assert found["rec-002" if keep != "last" else "rec-000"] == {"submissions": 2, "keep": keep}

    def test_equal_times_fall_back_on_the_submission_id(self, hits):
        rows = [row | {"at": 10} for row in self.ROWS]

        assert set(hits(rows, f"{TWICE}, keep: first")) == {"rec-000", "rec-001"}

    def test_first_without_times_stops_the_study(self, hits):
        rows = [row | {"at": None} for row in self.ROWS]

        with pytest.raises(RuleEvaluationError, match="no submitted_at"):
            hits(rows, f"{TWICE}, keep: first")
        assert set(hits(rows, f"{TWICE}, keep: none")) == {"rec-000", "rec-001", "rec-002"}

    def test_judgments_without_a_submission_stop_the_study_unless_told(self, hits):
        rows = [*self.ROWS, {"rater": "p-2", "at": 7}]

        with pytest.raises(RuleEvaluationError, match="1 judgments of 1 raters have no submission_id"):
            hits(rows, f"{TWICE}, keep: none")
        assert set(hits(rows, f"{TWICE}, keep: none, on_missing: keep")) == {"rec-000", "rec-001", "rec-002"}
        assert set(hits(rows, f"{TWICE}, keep: first, on_missing: exclude")) == {"rec-002", "rec-005"}


class TestIncompleteSet:
    ROWS = (
        {"rater": "p-1", "submission_id": "s-1"},
        {"rater": "p-1", "submission_id": "s-1", "state": "abstain"},
        {"rater": "p-1", "submission_id": "s-2"},
        {"rater": "p-1", "submission_id": "s-2", "item_kind": "gold", "gold_label": "tie"},
        {"rater": "p-1", "submission_id": "s-2", "state": "missing"},
        {"rater": "p-1", "submission_id": "s-2", "phase": "pilot"},
        {"rater": "p-1", "submission_id": "s-2", "rubric_revision": "r1"},
    )

    def test_counts_scored_judgments_that_were_given(self, hits):
        found = hits(self.ROWS, f"{SHORT}, expected: 2, scope: submission")

        assert set(found) == {f"rec-00{n}" for n in (2, 3, 4, 5, 6)}
        assert found["rec-002"] == {"found": 1, "expected": 2}

    def test_scope_rater_counts_over_submissions(self, hits):
        assert hits(self.ROWS, f"{SHORT}, expected: 3, scope: rater") == {}
        assert len(hits(self.ROWS, f"{SHORT}, expected: 4, scope: rater")) == 7

    def test_a_ranking_is_one_judgment(self, hits):
        rows = [
            {"criterion": "best", "judgment_id": "j", "candidate_1": c, "submission_id": "s"} for c in ("z-1", "m-2")
        ]

        assert set(hits(rows, f"{SHORT}, expected: 2, scope: submission")) == {"rec-000", "rec-001"}
        assert hits(rows, f"{SHORT}, expected: 1, scope: submission") == {}

    def test_cases_are_counted_each_once_and_have_to_be_known(self, hits):
        of_cases = "id: short, rule: incomplete_set, of: cases, expected: 2, scope: rater"
        rows = [{"case_id": "c-1"}, {"case_id": "c-1"}]

        evidence = {"found": 1, "expected": 2}
        assert hits(rows, of_cases) == {"rec-000": evidence, "rec-001": evidence}
        assert hits([*rows, {"case_id": "c-2"}], of_cases) == {}
        with pytest.raises(RuleEvaluationError, match="1 judgments of 1 raters have no case"):
            hits([*rows, {"criterion": "chance"}], of_cases)

    def test_a_missing_submission_stops_the_study_unless_told(self, hits):
        rows = [*self.ROWS[:2], {"rater": "p-1"}]

        with pytest.raises(RuleEvaluationError, match="submission_id"):
            hits(rows, f"{SHORT}, expected: 2, scope: submission")
        assert hits(rows, f"{SHORT}, expected: 2, scope: submission, on_missing: keep") == {}
        assert set(hits(rows, f"{SHORT}, expected: 2, scope: submission, on_missing: exclude")) == {"rec-002"}


class TestMinDuration:
    ROWS = (
        {"rater": "p-1", "submission_id": "s-1", "at": 100, "took": 19.999999},
        {"rater": "p-1", "submission_id": "s-1", "at": 200, "took": 20},
        {"rater": "p-1", "submission_id": "s-2", "at": 300, "took": 90},
    )

    def test_exactly_the_least_time_is_enough(self, hits):
        evidence = {"seconds": 19.999999, "least_seconds": 20.0}

        assert hits(self.ROWS, f"{HASTY}, scope: judgment") == {"rec-000": evidence}

    @pytest.mark.parametrize(("scope", "records"), [("submission", (0, 1)), ("rater", (0, 1, 2))])
    def test_a_wider_scope_takes_more_and_names_the_judgment_hit(self, hits, scope, records):
        found = hits(self.ROWS, f"{HASTY}, scope: {scope}")

        assert set(found) == {f"rec-00{n}" for n in records}
        assert {evidence["judgment"] for evidence in found.values()} == {"rec-000"}

    def test_scope_submission_needs_submissions(self, hits):
        with pytest.raises(RuleEvaluationError, match="submission_id"):
            hits([*self.ROWS, {"at": 100, "took": 90}], f"{HASTY}, scope: submission")

    def test_an_unknown_time_stops_the_study_unless_told(self, hits):
        rows = [*self.ROWS[1:], {"at": 7}]

        with pytest.raises(RuleEvaluationError, match="1 judgments of 1 raters have no started_at or submitted_at"):
            hits(rows, f"{HASTY}, scope: judgment")
        assert hits(rows, f"{HASTY}, scope: judgment, on_missing: keep") == {}
        found = hits(rows, f"{HASTY}, scope: judgment, on_missing: exclude")
        assert found == {"rec-002": {"seconds": None, "least_seconds": 20.0}}

    def test_a_ranking_is_hit_whole(self, hits):
        ranking = {"criterion": "best", "judgment_id": "j", "at": 100}
        rows = [ranking | {"candidate_1": "z-1", "took": 1}, ranking | {"candidate_1": "m-2", "took": 30}]

        assert set(hits(rows, f"{HASTY}, scope: judgment")) == {"rec-000", "rec-001"}


class TestUniformAnswers:
    def rows(self, *answers, criterion="quality", rater="p-1"):
        return [{"criterion": criterion, "rater": rater, "label": label} for label in answers]

    def test_one_answer_throughout_a_criterion_hits_all_of_the_rater(self, hits):
        rows = self.rows("good", "good", "good") + self.rows("Yes", "No", criterion="ending")

        found = hits(rows, UNIFORM)
        assert len(found) == 5
        assert found["rec-004"] == {"criterion": "quality", "answers": 3, "answer": "good"}

    def test_fewer_answers_or_another_answer_are_no_hit(self, hits):
        assert hits(self.rows("good", "good"), UNIFORM) == {}
        assert hits(self.rows("good", "good", "good", "fair"), UNIFORM) == {}

    def test_what_is_no_answer_counts_for_nothing(self, hits):
        blank = [{"criterion": "quality", "state": "missing"}] * 3

        assert hits(self.rows("good", "good") + blank, UNIFORM) == {}
        assert len(hits(self.rows("good", "good", "good") + blank, UNIFORM)) == 6

    def test_ties_are_answers(self, hits):
        assert len(hits([{"state": "tie"}] * 3, UNIFORM)) == 3
        assert hits([{"state": "tie"}] * 2 + [{"label": "candidate_1"}], UNIFORM) == {}

    def test_revisions_are_looked_at_each_by_itself(self, hits):
        rows = self.rows("good", "good", "good")

        assert hits([rows[0], rows[1], rows[2] | {"rubric_revision": "r1"}], UNIFORM) == {}

    def test_a_named_criterion_is_the_only_one(self, hits):
        assert hits(self.rows("good", "good", "good"), UNIFORM + ", criterion: ending") == {}


class TestGold:
    def rows(self, *pairs, rater="p-1"):
        items = {"criterion": "quality", "item_kind": "gold", "rater": rater}
        return [items | {"label": label, "gold_label": wanted} for label, wanted in pairs]

    def test_too_small_a_share_correct_hits_the_rater(self, hits):
        rows = [*self.rows(("good", "good"), ("good", "fair")), {"rater": "p-1", "label": "candidate_1"}]

        assert hits(rows, GOLD + ", min_correct: 0.5") == {}
        evidence = {"gold_items": 2, "correct": 1, "min_correct": 0.6}
        assert hits(rows, GOLD + ", min_correct: 0.6") == dict.fromkeys(("rec-000", "rec-001", "rec-002"), evidence)

    def test_the_share_is_compared_exactly(self, hits):
        # 0.07 * 100 is 7.000000000000001 in doubles, which 7 of 100 would fall below.
        rows = self.rows(*[("good", "good")] * 7, *[("good", "fair")] * 93)

        assert hits(rows, GOLD + ", min_correct: 0.07") == {}
        assert len(hits(rows, GOLD + ", min_correct: 0.071")) == 100

    def test_a_state_may_be_the_expected_answer_and_an_open_item_is_not_correct(self, hits):
        pair = {"item_kind": "gold", "gold_label": "tie"}

        assert hits([pair | {"state": "tie"}], GOLD + ", min_correct: 1.0") == {}
        assert len(hits([pair | {"state": "abstain"}], GOLD + ", min_correct: 0.1")) == 1

    def test_a_rater_who_saw_none_is_no_hit_where_the_rule_keeps(self, hits):
        rows = [*self.rows(("good", "good")), {"rater": "p-2"}]

        assert hits(rows, GOLD + ", min_correct: 0.8, on_missing: keep") == {}
        with pytest.raises(RuleEvaluationError, match="1 judgments of 1 raters have no gold item"):
            hits(rows, GOLD + ", min_correct: 0.8, on_missing: error")
        found = hits(rows, GOLD + ", min_correct: 0.8, on_missing: exclude")
        assert found == {"rec-001": {"gold_items": 0, "correct": None, "min_correct": 0.8}}

    def test_a_gold_item_without_an_expected_answer_stops_the_study(self, hits):
        with pytest.raises(RuleEvaluationError, match="gold_label"):
            hits(self.rows(("good", None)), GOLD + ", min_correct: 0.8")


class TestSpaComplement:
    def asked(self, first, second, percent, **more):
        value = None if percent is None else percent / 100
        return {"criterion": "chance", "candidate_1": first, "candidate_2": second, "value": value} | more

    def both(self, forward, backward, **more):
        return [self.asked("z-1", "m-2", forward, **more), self.asked("m-2", "z-1", backward, **more)]

    def test_exactly_tau_passes(self, hits):
        # 0.57 + 0.53 is 1.1 exactly, but 1.0999999999999999 or more in doubles.
        for forward, backward in [(60, 50), (57, 53), (57.3, 52.7), (100, 10), (33.333333333, 76.666666667)]:
            assert hits(self.both(forward, backward), f"{TAU}, tau: 1.1") == {}, (forward, backward)

    def test_more_than_tau_hits_all_of_the_rater(self, hits):
        rows = [*self.both(60, 50.000001, exposure=5), {"rater": "p-1"}, {"rater": "p-2"}]

        found = hits(rows, f"{TAU}, tau: 1.1")
        assert set(found) == {"rec-000", "rec-001", "rec-002"}
        assert found["rec-002"] == {
            **{"judgment": "rec-000", "criterion": "chance", "candidate_1": "z-1", "candidate_2": "m-2"},
            **{"exposure": 5, "answers": 2, "complement_sum": 1.10000001, "tau": 1.1},
        }

    def test_the_rule_is_one_sided(self, hits):
        assert hits(self.both(10, 10), f"{TAU}, tau: 1.1") == {}

    def test_one_failing_pair_is_enough(self, hits):
        rows = [*self.both(50, 50), self.asked("a-3", "m-2", 90), self.asked("m-2", "a-3", 30)]

        assert len(hits(rows, f"{TAU}, tau: 1.1")) == 4

    def test_several_answers_are_averaged_first(self, hits):
        # Forward 80 and 40 average 60, with 50 exactly 110 %; one forward answer alone would sum to 130 %.
        rows = [*self.both(80, 50), self.asked("z-1", "m-2", 40)]

        assert hits(rows, f"{TAU}, tau: 1.1") == {}
        assert len(hits([*self.both(80, 50), self.asked("z-1", "m-2", 41)], f"{TAU}, tau: 1.1")) == 3

    def test_a_pair_asked_one_way_cannot_be_checked(self, hits):
        assert hits([self.asked("z-1", "m-2", 100)] * 2, f"{TAU}, tau: 1.1") == {}

    @pytest.mark.parametrize(
        "difference",
        [{"exposure": 5}, {"rater": "p-2"}, {"phase": "pilot"}, {"rubric_revision": "r1"}, {"item_kind": "repeat"}],
    )
    def test_answers_that_differ_otherwise_are_no_pair(self, hits, difference):
        rows = [self.asked("z-1", "m-2", 90), self.asked("m-2", "z-1", 90) | difference]

        assert hits(rows, f"{TAU}, tau: 1.1") == {}

    def test_only_answers_are_read(self, hits):
        rows = [self.asked("z-1", "m-2", 90), self.asked("m-2", "z-1", None, state="abstain")]

        assert hits(rows, f"{TAU}, tau: 1.1") == {}


class TestSql:
    def test_a_condition_may_look_at_every_column_as_it_is(self, past, study, rows_of):
        rule = study(f"exclusions: [{{{OUTAGE}, scope: judgment}}]").exclusions[0]

        seen = looked_at(rule, past([{"sequence": 4}, {"population": "judge"}]), study())
        assert seen.schema().names == tuple(HISTORY.names)
        assert rows_of(seen, "sequence", "submission_id") == [(4, None)]

    def test_hits_what_the_sandbox_reports_within_the_populations(self, hits):
        rows = [{"rater": "p-1"}, {"rater": "p-1"}, {"rater": "p-2", "population": "md"}]

        found = hits(rows, f"{OUTAGE}, scope: judgment", sql_hits=lambda rule: ["rec-001", "rec-002", "gone"])
        assert found == {"rec-001": {"where": "submitted_at < '2026-03-01'"}}

    def test_the_sandbox_is_given_the_rule(self, hits):
        found = hits([{}], f"{OUTAGE}, scope: rater", sql_hits=lambda rule: ["rec-000"] if rule.id == "outage" else [])

        assert found == {"rec-000": {"judgment": "rec-000", "where": "submitted_at < '2026-03-01'"}}

    def test_a_failure_of_the_sandbox_is_never_no_hits(self, hits):
        def fail(rule):
            raise RuleEvaluationError("no such column", where=rule.id)

        with pytest.raises(RuleEvaluationError, match="no such column"):
            hits([{}], f"{OUTAGE}, scope: rater", sql_hits=fail)


@pytest.mark.parametrize(
    ("rule", "reads_answers"),
    [
        (f"{TAU}, tau: 1.1", True),
        (UNIFORM, True),
        (f"{GOLD}, min_correct: 0.5", True),
        (LANGUAGE, False),
        (f"{TWICE}, keep: none", False),
        (f"{HASTY}, scope: judgment", False),
        (f"{SHORT}, expected: 3, scope: rater", False),
        (f"{OUTAGE}, scope: judgment", False),
        ('id: x, rule: sql, scope: judgment, where: "LABEL = 1"', True),
        ('id: x, rule: sql, scope: judgment, where: "candidate_2 = 1"', True),
        ('id: x, rule: sql, scope: judgment, where: "record_id = 1"', True),
        ('id: x, rule: sql, scope: judgment, where: "COLUMNS(c -> true) = 1"', True),
        ('id: x, rule: sql, scope: judgment, where: "labelling = 1"', False),
    ],
)
def test_outcome_dependent_names_the_rules_that_read_answers(study, rule, reads_answers):
    assert outcome_dependent(study(f"exclusions: [{{{rule}}}]")) is reads_answers


def test_without_rules_nothing_is_outcome_dependent(study):
    assert outcome_dependent(study()) is False


def test_evidence_of_an_ibis_table_is_valid_json(stored):
    import pyarrow as pa

    from juryline.derivations.evidence import json_object

    row = {"text": 'q"\\\n\t\x01', "n": 3, "share": 0.25, "yes": True, "none": None}
    table = stored(pa.table({name: pa.array([value]) for name, value in (row | {"none": None}).items()}))
    table = table.mutate(none=ibis.null("string"))

    written = table.select(evidence=json_object(table, list(row))).to_pyarrow()["evidence"][0].as_py()
    assert json.loads(written) == row | {"text": 'q"\\\n\t '}
