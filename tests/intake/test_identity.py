"""Identity of judgments (DESIGN 4): what is the same judgment, a new version of it, another one.

Expected ids are made here from the documented canonical form (`data_contracts.canonical`) with hashlib and hmac.
"""

import hashlib
import hmac
from itertools import permutations

import pytest

KEY = bytes(range(32))
ANN = "ann@example.org"
ASKED = ("case 1", None, None, None, "scored", "exploratory", "r2", "ui-2")  # case, submission, block, exposure ...


def text(*values):
    """A null is `-`, every other value its length in bytes, a colon and its characters."""
    words = [format(value, ".17g") if isinstance(value, float) else value for value in values]
    return "".join("-" if word is None else f"{len(str(word).encode())}:{word}" for word in words)


def keyed(message):
    return hmac.new(KEY, message.encode(), "sha256").hexdigest()[:32]


def hashed(message):
    return hashlib.sha256(message.encode()).hexdigest()


def expected_ids(key_text, answer_text, *records, place=1):
    """Key, judgment id, and the id of each record by its criterion and candidates."""
    key = keyed(key_text)
    judgment = hashed(hashed(key + answer_text) + str(place))[:32]
    return key, judgment, [hashed(text(judgment, *record))[:32] for record in records]


def ids(result, *columns):
    return sorted(tuple(row[c] for c in columns or ("record_id",)) for row in result.judgments.to_pylist())


# --- the ids themselves ---------------------------------------------------------------------------------


def test_a_pseudonym_is_an_hmac_of_namespace_and_raw_id_that_cannot_run_into_each_other(judge, row):
    (named,) = judge(row()).judgments["rater_pseudonym"].to_pylist()
    (shared,) = judge(row(), export={"rater_namespace": "platform"}).judgments["rater_pseudonym"].to_pylist()

    assert named == keyed("5:crowd" + ANN)
    assert shared == keyed("8:platform" + ANN)


def test_the_ids_of_a_pairwise_judgment_follow_the_documented_form(judge, row):
    asked = "asked" + text("crowd", "overall", keyed("5:crowd" + ANN), *ASKED) + text(None)
    shown = text("a", "o1", "b", None)
    answer = text("answered", "candidate_1", None, "flows better")

    (judged,) = judge(row(output_1="o1", rationale="flows better")).judgments.to_pylist()

    key, judgment, (record,) = expected_ids(text("demo") + asked + shown, answer, ("overall", "a", "b"))
    assert (judged["judgment_key"], judged["judgment_id"], judged["record_id"]) == (key, judgment, record)


def test_the_ids_of_a_number_follow_the_documented_form(judge, row):
    asked = "asked" + text("crowd", "chance", keyed("5:crowd" + ANN), None, "h1", "set 3", 5, *ASKED[4:]) + text(None)
    shown = text("a", None, "b", None)

    said = judge(row(1, "chance", label="30", submission_id="h1", assignment_block="set 3", exposure="5"))

    (judged,) = said.judgments.to_pylist()
    key, judgment, (record,) = expected_ids(
        text("demo") + asked + shown, text("answered", "30", 0.3, None), ("chance", "a", "b")
    )
    assert (judged["judgment_key"], judged["judgment_id"], judged["record_id"]) == (key, judgment, record)


def test_a_tools_own_id_stands_for_all_that_was_asked_but_the_candidates_of_a_rating(judge, row):
    judged = judge(
        row(1, native_id="v1"), row(2, "coherence", native_id="v1"), row(3, "coherence", native_id="ü")
    ).judgments

    rows = {(r["criterion"], r["source_row"]): r for r in judged.to_pylist()}
    pair = text("demo") + "native" + text("crowd", "overall", "v1")
    rating = text("demo") + "native" + text("crowd", "coherence", "v1") + text("a", None, None, None)
    answer = text("answered", "candidate_1", None, None) + text("a", None, "b", None)
    assert rows["overall", 1]["judgment_key"] == keyed(pair)
    assert rows["overall", 1]["judgment_id"] == expected_ids(pair, answer)[1]
    assert rows["coherence", 2]["judgment_key"] == keyed(rating)
    assert rows["coherence", 3]["judgment_key"] == keyed(rating.replace(text("v1"), text("ü")))


def test_a_ranking_is_one_judgment_of_all_its_rows(judge, row):
    ranked = [row(1, "rank", candidate_1=c, label=r) for c, r in (("b", "2"), ("a", "1"), ("c", "2"))]
    asked = "asked" + text("crowd", "rank", keyed("5:crowd" + ANN), *ASKED) + text(None)
    shown = "".join(text(c, None, None, None) for c in "abc")
    answer = "".join(text("answered", rank, float(rank), None) for rank in "122")

    rows = judge(*ranked).judgments.to_pylist()

    key, judgment, records = expected_ids(text("demo") + asked + shown, answer, *(("rank", c, None) for c in "abc"))
    assert {r["judgment_key"] for r in rows} == {key}
    assert {r["judgment_id"] for r in rows} == {judgment}
    assert {r["candidate_1"]: r["record_id"] for r in rows} == dict(zip("abc", records))


def test_ids_depend_on_the_workspaces_key(judge, row):
    ours, theirs = (judge(row(), key=key).judgments.to_pylist()[0] for key in (KEY, bytes(32)))

    for name in ("rater_pseudonym", "judgment_key", "judgment_id", "record_id"):
        assert ours[name] != theirs[name]


# --- the same judgment ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"source_row": 7, "source_path": "/3", "filename": "other.csv"},
        {"started_at": "2026-03-01 09:00:00", "submitted_at": "2026-03-01 12:00:00"},
        {"label": "candidate_1"},  # another word for the same response
        {"sequence": "4", "gold_label": "right", "quality_flags": ["fast"], "evidence_refs": ["l. 3"]},
        {"candidate_order": ["b", "a"]},
        {"case_id": "case 1", "output_2": "", "rationale": "", "submission_id": ""},  # empty is not given
    ],
    ids=lambda change: ", ".join(change),
)
def test_what_is_no_part_of_identity_changes_no_id(judge, row, change):
    assert ids(judge(row(), export=NAMED)) == ids(judge(row(**change), export=NAMED))


NAMED = {"labels": {"overall": {"left": "candidate_1", "right": "candidate_2"}}}


def test_another_file_mapping_or_specification_changes_no_id(judge, row):
    sent = {"export_sha256": "0" * 64, "export_path": "b/c.csv", "adapter": "sql/2", "intake_digest": "1" * 64}

    assert ids(judge(row())) == ids(judge(row(), sent=sent | {"study_spec_hash": "2" * 64}))


def test_rows_in_another_order_are_the_same_judgments(judge, row):
    rows = [row(label=label, submitted_at=f"2026-03-01 1{n}:00:00") for n, label in enumerate(("left", "left", "same"))]

    given = {
        tuple(ids(judge(*(r | {"source_row": n} for n, r in enumerate(order, 1))))) for order in permutations(rows)
    }

    assert len(given) == 1


@pytest.mark.parametrize("export", [{}, {"not_collected": ["candidate_order"]}])
def test_equal_rows_keep_their_times_in_any_order(judge, row, export):
    """Else a shuffled export would give another table: which of two equal votes counts follows from their times."""
    early, late = row(submitted_at="2026-03-01 11:00:00"), row(submitted_at="2026-03-01 12:00:00")

    given = [
        ids(judge(first | {"source_row": 1}, second | {"source_row": 2}, export=export), "record_id", "submitted_at")
        for first, second in ((early, late), (late, early))
    ]

    assert given[0] == given[1]
    assert len(given[0]) == 2


def test_where_the_order_is_not_collected_both_ways_of_writing_a_pair_are_one(judge, row):
    unordered = {"not_collected": ["candidate_order"]}
    one = row(label="left", candidate_1="b", candidate_2="a", output_1="of b", output_2="of a", gold_label="right")
    other = row(label="right", candidate_1="a", candidate_2="b", output_1="of a", output_2="of b", gold_label="left")

    (first,), (second,) = (judge(r, export=unordered).judgments.to_pylist() for r in (one, other))

    provenance = {"raw_label"}
    assert {k: v for k, v in first.items() if k not in provenance} == {
        k: v for k, v in second.items() if k not in provenance
    }
    assert [first[k] for k in ("candidate_1", "candidate_2", "output_1", "output_2")] == ["a", "b", "of a", "of b"]
    assert (first["label"], first["gold_label"], first["order_collected"]) == ("candidate_2", "candidate_1", False)
    assert ids(judge(one)) != ids(judge(other))


def test_the_direction_of_a_stated_chance_is_never_swapped(judge, row):
    asked = row(1, "chance", candidate_1="b", candidate_2="a", label="30")

    (said,) = judge(asked, export={"not_collected": ["candidate_order"]}).judgments.to_pylist()

    assert (said["candidate_1"], said["candidate_2"], said["value"]) == ("b", "a", 0.3)


# --- a new version of a judgment ------------------------------------------------------------------------


def test_another_answer_is_the_same_question_with_another_id(judge, row):
    changes = [{}, {"label": "right"}, {"label": "same"}, {"label": "bad"}, {"label": ""}, {"rationale": "because"}]

    judged = judge(*(row(n, **change) for n, change in enumerate(changes, 1))).judgments

    assert len(set(judged["judgment_key"].to_pylist())) == 1
    assert len(set(judged["judgment_id"].to_pylist())) == len(changes)


def test_a_pair_of_one_native_id_shown_otherwise_is_a_new_version(judge, row):
    judged = judge(row(1, native_id="v1"), row(2, native_id="v1", candidate_1="b", candidate_2="a")).judgments

    assert len(set(judged["judgment_key"].to_pylist())) == 1
    assert len(set(judged["judgment_id"].to_pylist())) == 2


def test_a_changed_rank_is_a_new_version_of_the_whole_ranking(judge, row):
    def ranked(number, *ranks):
        return [row(number, "rank", candidate_1=c, label=rank) for c, rank in zip("abc", ranks)]

    judged = judge(*ranked(1, "1", "2", "3"), *ranked(2, "1", "3", "2")).judgments.to_pylist()

    assert len({r["judgment_key"] for r in judged}) == 1
    assert len({(r["source_row"], r["judgment_id"]) for r in judged}) == len({r["judgment_id"] for r in judged}) == 2
    assert len({r["record_id"] for r in judged}) == 6


# --- another judgment -----------------------------------------------------------------------------------


def test_whatever_else_was_asked_of_whom_is_another_judgment(judge, row):
    changes = [
        {},
        {"rater": "bo"},
        {"case_id": "case 2"},
        {"candidate_1": "c"},
        {"candidate_2": "c"},
        {"candidate_1": "b", "candidate_2": "a"},
        {"output_1": "o1"},
        {"output_2": "o1"},
        {"submission_id": "h1"},
        {"submission_id": "h2"},
        {"assignment_block": "h1"},
        {"exposure": "1"},
        {"item_kind": "repeat"},
        {"item_kind": "control"},
        {"rubric_revision": "r1"},
        {"interface_revision": "ui-1"},
        {"native_id": "v1"},
        {"native_id": "v2"},
    ]

    judged = judge(*(row(n, **change) for n, change in enumerate(changes, 1))).judgments

    assert len(set(judged["judgment_key"].to_pylist())) == judged.num_rows == len(changes)


@pytest.mark.parametrize(
    ("export", "study"), [({"phase": "pilot"}, {}), ({"rater_namespace": "x"}, {}), ({}, {"study": "other"})]
)
def test_another_phase_namespace_or_study_is_another_judgment(judge, row, export, study):
    assert ids(judge(row()), "judgment_key") != ids(judge(row(), export=export, **study), "judgment_key")


def test_texts_cannot_run_into_each_other(judge, row):
    judged = judge(row(1, case_id="1", submission_id="12"), row(2, case_id="11", submission_id="2")).judgments

    assert len(set(judged["judgment_key"].to_pylist())) == 2


def test_a_ranking_of_other_candidates_is_another_judgment(judge, row):
    def ranked(number, candidates):
        return [row(number, "rank", candidate_1=c, label=str(n)) for n, c in enumerate(candidates, 1)]

    judged = judge(*ranked(1, "ab"), *ranked(2, "abc")).judgments

    assert len(set(judged["judgment_key"].to_pylist())) == 2


# --- equal rows -----------------------------------------------------------------------------------------


def test_equal_rows_of_a_file_are_counted_and_no_vote_is_lost(judge, row):
    judged = judge(*(row(n) for n in (1, 2, 3))).judgments.to_pylist()

    key = judged[0]["judgment_key"]
    said = hashed(key + text("answered", "candidate_1", None, None))
    assert {r["judgment_key"] for r in judged} == {key}
    assert {r["judgment_id"] for r in judged} == {hashed(said + str(place))[:32] for place in (1, 2, 3)}


def test_a_cumulative_file_repeats_its_equal_rows_and_adds_the_new_one(judge, row):
    before, after = (set(ids(judge(*(row(n) for n in range(1, count + 1))))) for count in (2, 3))

    assert before < after
    assert len(after) == 3


def test_equal_rankings_are_told_apart_as_wholes(judge, row):
    rows = [row(n, "rank", candidate_1=c, label=r) for n in (1, 2) for c, r in (("a", "1"), ("b", "1"))]

    judged = judge(*rows).judgments.to_pylist()

    assert len({r["judgment_id"] for r in judged}) == 2
    assert all(len({r["judgment_id"] for r in judged if r["source_row"] == n}) == 1 for n in (1, 2))


def test_a_ranking_of_rows_with_different_times_stays_one(judge, row):
    times = ("2026-03-01 11:00:00", "2026-03-01 12:00:00")
    rows = [row(n, "rank", candidate_1=c, label="1", submitted_at=t) for n in (1, 2) for c, t in zip("ab", times)]

    judged = judge(*rows).judgments.to_pylist()

    assert all(len({r["judgment_id"] for r in judged if r["source_row"] == n}) == 1 for n in (1, 2))


# --- incremental delivery -------------------------------------------------------------------------------

INCREMENTAL = {"delivery": "incremental"}


def test_equal_rows_of_another_incremental_file_are_new_votes(judge, row):
    first, second = (judge(row(), row(2, label=label), export=INCREMENTAL) for label in ("same", "bad"))

    assert not set(ids(first)) & set(ids(second))
    assert ids(judge(row()), "judgment_key") != ids(judge(row(), export=INCREMENTAL), "judgment_key")


def test_an_incremental_file_delivered_again_in_any_order_is_known_by_its_rows(judge, row):
    sent = {"export_sha256": "0" * 64, "export_path": "again.csv"}
    one, other = row(label="left"), row(label="right", case_id="case 2")

    first = judge(one | {"source_row": 1}, other | {"source_row": 2}, export=INCREMENTAL)
    again = judge(other | {"source_row": 1}, one | {"source_row": 2}, export=INCREMENTAL, sent=sent)

    assert ids(first) == ids(again)


def test_a_tools_own_id_is_known_in_any_incremental_file(judge, row):
    first, second = (judge(row(native_id="v1"), row(2, label=label), export=INCREMENTAL) for label in ("same", "bad"))

    assert len(set(ids(first)) & set(ids(second))) == 1


# --- models ---------------------------------------------------------------------------------------------


def test_a_model_keeps_its_id_and_needs_none(judge, row):
    judged = judge(row(1, rater=None), row(2, rater="gpt-4-0613"), export={"population": "gpt"}).judgments.to_pylist()

    assert {r["source_row"]: (r["rater_pseudonym"], r["rater_kind"]) for r in judged} == {
        1: ("gpt", "model"),
        2: ("gpt-4-0613", "model"),
    }
