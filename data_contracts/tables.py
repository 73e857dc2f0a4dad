"""Every table of a study: its columns, their types, whether they may be null, and what they mean.

The order of columns here is the order on disk. Everything that describes a table (the Arrow schema,
the codebook of an export, the pandera schema, Dagster's table schema) is made from these.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

TEXT = pa.string()
WHOLE = pa.int64()
REAL = pa.float64()
TRUTH = pa.bool_()
INSTANT = pa.timestamp("us", tz="UTC")
TEXTS = pa.list_(pa.string())


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `nullable` is part of the contract, `meaning` is what the codebook prints."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table by name, its columns in order and the key that makes its rows unique and ordered."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def arrow_schema(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns])

    @property
    def shape_digest(self) -> str:
        """Digest of columns, types, nulls and key: a table stored in another shape is made anew."""
        told = [f"{c.name} {c.type} {c.nullable}" for c in self.columns] + list(self.key)
        return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def must(name: str, type: pa.DataType, meaning: str) -> Column:
    return Column(name, type, meaning, nullable=False)


def may(name: str, type: pa.DataType, meaning: str) -> Column:
    return Column(name, type, meaning, nullable=True)


# --- intake: what an adapter gives, all of it text as exported -------------------------------------

INTAKE = Table(
    "intake",
    "One row a judgment and criterion (a ranking: a candidate), every value as the export has it",
    (
        must("filename", TEXT, "path of the export below exports/"),
        must("source_row", WHOLE, "record number in the export, from 1, the header not counted"),
        may("source_path", TEXT, "JSON pointer or archive member inside the row"),
        may("rater", TEXT, "raw rater id"),
        may("case_id", TEXT, "case, as exported"),
        must("criterion", TEXT, "criterion, as exported"),
        must("label", TEXT, "answer as exported; an empty or absent cell is the empty text"),
        may("candidate_1", TEXT, "blinded id shown first (spa: X; rating, checklist, ranking: the candidate)"),
        may("candidate_2", TEXT, "blinded id shown second"),
        may("candidate_order", TEXTS, "all blinded ids in the order shown"),
        may("native_id", TEXT, "the tool's own id of the judgment"),
        may("submission_id", TEXT, "what a rater handed in at once"),
        may("sequence", TEXT, "place of the judgment in the rater's session"),
        may("exposure", TEXT, "number of outputs of each system seen before answering"),
        may("assignment_block", TEXT, "block or sample the rater was assigned"),
        may("item_kind", TEXT, "kind of item, as exported"),
        may("gold_label", TEXT, "expected answer of a gold item, as exported"),
        may("output_1", TEXT, "which output of candidate 1 was shown"),
        may("output_2", TEXT, "which output of candidate 2 was shown"),
        may("rationale", TEXT, "the rater's own words"),
        may("evidence_refs", TEXTS, "what the rater pointed at"),
        may("started_at", TEXT, "start time, as exported"),
        may("submitted_at", TEXT, "submission time, as exported"),
        may("rubric_revision", TEXT, "revision of the rubric, where the export says it"),
        may("interface_revision", TEXT, "revision of the interface, where the export says it"),
        may("quality_flags", TEXTS, "marks that the tool set"),
        may("ignore_reason", TEXT, "why the row is left out by declaration; null: it is not"),
        may("case_attributes", pa.map_(TEXT, TEXT), "declared attributes of the case"),
        may("rater_attributes", pa.map_(TEXT, TEXT), "declared attributes of the rater"),
    ),
    ("filename", "source_row", "source_path", "criterion", "candidate_1", "candidate_2"),
)

# --- the judgment record (DESIGN 4) ------------------------------------------------------------------

JUDGMENTS = Table(
    "judgments",
    "One row a judgment, criterion and candidate set, as it entered the ledger",
    (
        must("record_id", TEXT, "hash of judgment_id, criterion and candidates: what decisions and traces point to"),
        must("judgment_key", TEXT, "what was asked of whom; versions of one judgment share it"),
        must("judgment_id", TEXT, "hash of judgment_key and the answer"),
        must("study_spec_hash", TEXT, "specification in force when the row came in"),
        may("case_id", TEXT, "the prompt; null for spa"),
        must("candidate_1", TEXT, "blinded id, in the order shown"),
        may("candidate_2", TEXT, "blinded id, in the order shown"),
        may("output_1", TEXT, "which output of candidate 1 was shown"),
        may("output_2", TEXT, "which output of candidate 2 was shown"),
        may("candidate_order", TEXTS, "all blinded ids as shown on the screen"),
        must("order_collected", TRUTH, "whether the order shown is known; where not, candidates are sorted"),
        must("criterion", TEXT, "criterion of the rubric"),
        must("protocol", TEXT, "how the criterion is asked"),
        must("state", TEXT, "what became of the question"),
        may("label", TEXT, "declared response; null for non-answers"),
        may("value", REAL, "number of the response: level, rank, or probability in [0, 1]"),
        must("raw_label", TEXT, "answer exactly as exported"),
        must("rubric_revision", TEXT, "revision of the rubric"),
        may("interface_revision", TEXT, "revision of the interface"),
        must("phase", TEXT, "pilot, confirmatory or exploratory"),
        must("item_kind", TEXT, "scored, repeat, control, gold or training"),
        may("gold_label", TEXT, "expected answer of a gold item, as a declared response"),
        must("rater_pseudonym", TEXT, "keyed hash of population and raw rater id; a model's own id"),
        must("population", TEXT, "rater population"),
        must("rater_kind", TEXT, "human or model"),
        may("qualification", TEXT, "declared qualification of the population"),
        may("submission_id", TEXT, "what a rater handed in at once"),
        may("assignment_block", TEXT, "block or sample the rater was assigned"),
        may("exposure", WHOLE, "outputs of each system seen before answering"),
        may("sequence", WHOLE, "place of the judgment in the rater's session"),
        may("rationale", TEXT, "the rater's own words: hostile input wherever shown"),
        may("evidence_refs", TEXTS, "what the rater pointed at"),
        may("started_at", INSTANT, "start, UTC"),
        may("submitted_at", INSTANT, "submission, UTC"),
        must("quality_flags", TEXTS, "marks that the tool set"),
        must("export_sha256", TEXT, "digest of the export's bytes"),
        must("export_path", TEXT, "path of the export below exports/"),
        must("source_row", WHOLE, "record number in the export"),
        may("source_path", TEXT, "pointer inside the record"),
        must("adapter", TEXT, "adapter and its version"),
        must("ledger_seq", WHOLE, "ledger commit that brought the row"),
        must("row_sha256", TEXT, "salted hash of the row, all columns before ledger_seq"),
    ),
    ("record_id",),
)

ATTRIBUTES = Table(
    "attributes",
    "Declared attributes of raters and cases, by the export that gave them",
    (
        must("subject_kind", TEXT, "rater or case"),
        may("population", TEXT, "population of a rater; null for a case"),
        must("subject", TEXT, "rater pseudonym or case id"),
        must("attribute", TEXT, "declared name"),
        must("value", TEXT, "value as exported"),
        must("export_sha256", TEXT, "digest of the export's bytes"),
        must("export_path", TEXT, "path of the export below exports/"),
        must("intake_digest", TEXT, "digest of the mapping it was read with"),
    ),
    ("subject_kind", "population", "subject", "attribute", "value", "export_sha256", "export_path", "intake_digest"),
)

QUARANTINE = Table(
    "quarantine",
    "Rows, or single criteria of rows, that break the contract: what, where and what to do",
    (
        must("export_sha256", TEXT, "digest of the export's bytes"),
        must("export_path", TEXT, "path of the export below exports/"),
        must("source_row", WHOLE, "record number in the export"),
        may("source_path", TEXT, "pointer inside the record"),
        may("criterion", TEXT, "criterion, where one criterion of the row is refused; null: the whole row"),
        must("column", TEXT, "column that breaks the rule"),
        may("value", TEXT, "offending value, cut to 200 characters; null for raw ids and free text"),
        must("rule", TEXT, "name of the rule"),
        must("fix", TEXT, "what to do about it"),
    ),
    ("export_path", "export_sha256", "source_row", "source_path", "criterion", "column", "rule", "value"),
)

QUARANTINE_LOG = Table(
    "quarantine_log",
    "Quarantine as it is kept, and records left out: with what tells one that is delivered again from a second one",
    (
        *QUARANTINE.columns,
        must("intake_digest", TEXT, "digest of the mapping it was read with"),
        must("record_digest", TEXT, "keyed hash of the record's content"),
        may("answer_digest", TEXT, "keyed hash of the answer's content; null where the record is refused whole"),
        must("whole", TRUTH, "whether no answer of the record was accepted"),
        *JUDGMENTS.columns[-2:],
    ),
    (*QUARANTINE.key, "answer_digest"),
)

# --- derived tables ----------------------------------------------------------------------------------

HISTORY = Table(
    "judgment_history",
    "Every judgment of the ledger with its place among its versions",
    (
        *JUDGMENTS.columns,
        must("rater", TEXT, "alias used in estimates and reports (r001 ...; a model's own id)"),
        must("current", TRUTH, "whether this version counts"),
        may("supersedes", TEXT, "record_id of the version that this one corrects"),
        must("history_status", TEXT, "current, superseded, retracted or withdrawn"),
    ),
    ("record_id",),
)

EXCLUSION_DECISIONS = Table(
    "exclusion_decisions",
    "Every hit of every exclusion rule on a current judgment",
    (
        must("record_id", TEXT, "judgment hit"),
        must("exclusion_id", TEXT, "rule by its declared id"),
        must("rule", TEXT, "kind of rule"),
        must("scope", TEXT, "judgment, submission or rater"),
        must("first", TRUTH, "whether this is the first declared rule that hit, which names the reason"),
        must("evidence", TEXT, "JSON object of the figures the rule saw"),
    ),
    ("record_id", "exclusion_id"),
)

ANALYSIS_SET = Table(
    "analysis_set",
    "Every current judgment: included, set aside or excluded",
    (
        must("record_id", TEXT, "judgment"),
        must("included", TRUTH, "whether it enters analyses"),
        may("set_aside_reason", TEXT, "pilot, earlier_revision, not_scored or adjudicator"),
        may("exclusion_id", TEXT, "first declared exclusion that hit"),
    ),
    ("record_id",),
)

ADJUDICATED_LABELS = Table(
    "adjudicated_labels",
    "Labels derived from several judgments; never a substitute for them",
    (
        must("label_id", TEXT, "hash of adjudication and unit"),
        must("adjudication_id", TEXT, "adjudication by its declared id"),
        may("case_id", TEXT, "case"),
        must("criterion", TEXT, "criterion"),
        must("candidate_1", TEXT, "blinded id; of a pair, the one declared earlier in systems"),
        may("candidate_2", TEXT, "blinded id"),
        may("output_1", TEXT, "which output of candidate 1"),
        may("output_2", TEXT, "which output of candidate 2"),
        may("label", TEXT, "response; null where unresolved. Of a pair: candidate_1, candidate_2, tie or both_fail"),
        must("status", TEXT, "agreed, majority, adjudicated, unresolved or insufficient_votes"),
        must("n_votes", WHOLE, "raters whose vote counted"),
    ),
    ("label_id",),
)

ADJUDICATION_SOURCES = Table(
    "adjudication_sources",
    "Which judgments each adjudicated label was derived from",
    (must("label_id", TEXT, "adjudicated label"), must("record_id", TEXT, "judgment")),
    ("label_id", "record_id"),
)

RECORD_FLOW = Table(
    "record_flow",
    "The row accounting: each step, each reason, how many",
    (
        must("step", TEXT, "export_rows, answers, judgments or current"),
        must("reason", TEXT, "what became of them; total is the step's own count"),
        must("n", WHOLE, "how many"),
    ),
    ("step", "reason"),
)

RESPONSE_STATES = Table(
    "response_states",
    "How many included judgments of each state",
    (
        must("criterion", TEXT, "criterion"),
        must("population", TEXT, "population"),
        must("system", TEXT, "system; a pairwise judgment counts under each of its two"),
        must("state", TEXT, "state"),
        must("n", WHOLE, "how many"),
    ),
    ("criterion", "population", "system", "state"),
)

OUTPUT_LENGTHS = Table(
    "output_lengths",
    "How long each declared output is; its text stays where it was dropped",
    (
        must("case_id", TEXT, "case"),
        must("system", TEXT, "system by declared id"),
        may("output", TEXT, "output, where a system has several for a case"),
        may("length", WHOLE, "words of its text, or its declared tokens; null where they are not known"),
        must("unit", TEXT, "words or tokens"),
        must("alone", TRUTH, "whether it is the one output of its system for the case"),
    ),
    ("case_id", "system", "output"),
)

ASSIGNMENTS = Table(
    "assignments",
    "Who was assigned what, as the manifest says",
    (
        must("population", TEXT, "population"),
        must("rater", TEXT, "alias; the pseudonym of who delivered nothing"),
        must("case_id", TEXT, "case"),
        may("criterion", TEXT, "criterion; null: each"),
        may("system_1", TEXT, "system by declared id; null: whatever was shown of the case"),
        may("system_2", TEXT, "the other system of a pair, which are in the order of their ids"),
        must("case_attributes", pa.map_(TEXT, TEXT), "attributes of the case"),
        must("rater_attributes", pa.map_(TEXT, TEXT), "attributes of the rater"),
    ),
    ("population", "rater", "case_id", "criterion", "system_1", "system_2"),
)

JUDGMENT_PROFILE = Table(
    "judgment_profile",
    "How collection went: current judgments a day, criterion and population",
    (
        may("day", TEXT, "day of submission, UTC, as in 2026-03-01; null where it is not known"),
        must("criterion", TEXT, "criterion"),
        must("population", TEXT, "population"),
        must("n_judgments", WHOLE, "judgments"),
        must("n_raters", WHOLE, "raters"),
        must("share_unknown", REAL, "share with insufficient evidence"),
        must("share_abstain", REAL, "share abstained from"),
        must("share_missing", REAL, "share without an answer"),
        must("share_invalid", REAL, "share with an answer outside the response set"),
        must("n_timed", WHOLE, "judgments whose start and submission are known"),
        may("median_seconds", REAL, "median of their durations"),
    ),
    ("day", "criterion", "population"),
)

# --- protocol views: included judgments, unblinded, one shape a protocol ------------------------------

_VIEW = (
    must("record_id", TEXT, "judgment"),
    must("judgment_id", TEXT, "judgment with all its rows"),
    must("criterion", TEXT, "criterion"),
    must("protocol", TEXT, "how the criterion is asked"),
    must("population", TEXT, "population"),
    must("rater_kind", TEXT, "human or model"),
    must("rater", TEXT, "alias"),
    must("item_kind", TEXT, "kind of item"),
    may("case_id", TEXT, "case"),
    may("submission_id", TEXT, "submission"),
    may("assignment_block", TEXT, "block or sample the rater was assigned; of spa, the sample shown"),
    may("sequence", WHOLE, "place in the session"),
    may("submitted_at", INSTANT, "submission, UTC"),
    must("state", TEXT, "state"),
    must("export_path", TEXT, "export"),
    must("source_row", WHOLE, "record in the export"),
    may("source_path", TEXT, "pointer in the record"),
    must("case_attributes", pa.map_(TEXT, TEXT), "attributes of the case"),
    must("rater_attributes", pa.map_(TEXT, TEXT), "attributes of the rater"),
)

COMPARISONS = Table(
    "comparisons",
    "Judgments of two outputs, and every pair of a ranking; systems by declared id",
    (
        *_VIEW,
        must("system_1", TEXT, "system shown first"),
        must("system_2", TEXT, "system shown second"),
        may("output_1", TEXT, "output of system_1"),
        may("output_2", TEXT, "output of system_2"),
        must("order_collected", TRUTH, "whether the order shown is known: declared how it came about, or recorded"),
        may("outcome", TEXT, "system_1, system_2, tie or both_fail; null for the five states that are no game"),
    ),
    ("record_id", "system_1", "system_2"),
)

RATINGS = Table(
    "ratings",
    "Judgments of one output: ratings, checklists, ranks; systems by declared id",
    (
        *_VIEW,
        must("system", TEXT, "system"),
        may("output", TEXT, "output"),
        may("label", TEXT, "declared response; null unless answered"),
        may("value", REAL, "its number, where levels are numbers"),
    ),
    ("record_id",),
)

SPA_ANSWERS = Table(
    "spa_answers",
    "Stated chances that the system named first is the better one",
    (
        *_VIEW,
        must("system_x", TEXT, "subject of the question"),
        must("system_y", TEXT, "the other system"),
        may("exposure", WHOLE, "outputs of each seen"),
        may("raw_label", TEXT, "answer as exported"),
        may("value", REAL, "chance in [0, 1]; null unless answered"),
    ),
    ("record_id",),
)

# --- scenarios: the same views where less or nothing is excluded, or adjudicated labels are read -------


def _under_scenarios(view: Table) -> Table:
    """A protocol view under scenarios; an adjudicated label is of all populations that vote, joined by `+`."""
    return Table(
        f"scenario_{view.name}",
        f"The view {view.name} without exclusions, and of adjudicated labels",
        (
            must("scenario", TEXT, "exclusions=none;adjudication=raw, or another, as in the column of estimates"),
            *view.columns,
            must("sources", TEXTS, "judgments that the row was derived from"),
        ),
        ("scenario", "population", *view.key),
    )


SCENARIO_COMPARISONS = _under_scenarios(COMPARISONS)
SCENARIO_RATINGS = _under_scenarios(RATINGS)
SCENARIO_SPA_ANSWERS = _under_scenarios(SPA_ANSWERS)

# --- estimates (DESIGN 5) -----------------------------------------------------------------------------

ESTIMATES = Table(
    "estimates",
    "Every reported number, one row each",
    (
        must(
            "estimate_id",
            TEXT,
            "analysis/criterion/population/slice/subject[/comparator]/statistic[/dimension][@scenario]",
        ),
        must("analysis", TEXT, "analysis by its declared id"),
        must("method", TEXT, "method"),
        must("criterion", TEXT, "criterion; * where pooled"),
        must("population", TEXT, "population; a+b where pooled by declaration"),
        must("slice", TEXT, "attribute sliced by; all where unsliced"),
        must("slice_value", TEXT, "its value; all where unsliced"),
        must("subject", TEXT, "whom the number speaks of; all for the study"),
        must("subject_kind", TEXT, "system, rater, population, label, batch or study"),
        may("comparator", TEXT, "against whom; sign is subject minus comparator"),
        must("statistic", TEXT, "name of the statistic"),
        must("dimensions", TEXT, "JSON object: alpha, exposure, label, batch ..."),
        must("scenario", TEXT, "frozen, or exclusions=..;adjudication=..;ties=.."),
        may("value", REAL, "null unless status is ok"),
        must("unit", TEXT, "unit of value"),
        must("status", TEXT, "ok, degenerate, undefined, insufficient or not_estimable"),
        may("reason", TEXT, "codes, sorted, joined by ;"),
        may("std_error", REAL, "standard error"),
        may("df", REAL, "degrees of freedom"),
        may("ci_low", REAL, "lower end of the interval"),
        may("ci_high", REAL, "upper end of the interval"),
        may("ci_level", REAL, "confidence of the interval"),
        may("ci_method", TEXT, "how the interval is made"),
        may("ci_status", TEXT, "whether there is an interval; null where the statistic has none"),
        may("ci_reason", TEXT, "codes, sorted, joined by ;"),
        may("null_value", REAL, "value under the null hypothesis"),
        may("p_value", REAL, "two-sided p-value"),
        may("p_adjusted", REAL, "p-value adjusted within its family"),
        may("correction", TEXT, "holm or none; speaks of the p-value only, the interval is never adjusted"),
        may("family", TEXT, "family of tests"),
        may("family_size", WHOLE, "its size, from the specification"),
        may("n_judgments", WHOLE, "judgments behind the number"),
        may("n_units", WHOLE, "units"),
        may("n_cases", WHOLE, "cases"),
        may("n_raters", WHOLE, "raters"),
        may("n_clusters", WHOLE, "clusters of the independent unit"),
        may("n_answered", WHOLE, "judgments answered"),
        may("n_tie", WHOLE, "judgments tied"),
        may("n_both_fail", WHOLE, "judgments in which both fail"),
        may("n_unknown", WHOLE, "judgments with insufficient evidence"),
        may("n_not_applicable", WHOLE, "judgments not applicable"),
        may("n_abstain", WHOLE, "judgments abstained from"),
        may("n_missing", WHOLE, "judgments without an answer"),
        may("n_invalid", WHOLE, "judgments with an answer outside the response set"),
        may("n_boot", WHOLE, "bootstrap rounds"),
        may("n_boot_failed", WHOLE, "rounds in which the statistic had no value"),
        may("seed", WHOLE, "seed of what is random"),
        must("primary", TRUTH, "whether the claim names this row"),
        must("declared", TRUTH, "whether the frozen specification names it"),
        must("outcome_dependent", TRUTH, "whether an exclusion that reads outcomes came before"),
        must("source", TEXT, "query over stamped tables that its judgments are"),
        must("study_spec_hash", TEXT, "specification"),
        must("data_version", TEXT, "digest of the tables it was made from"),
        must("code_version", TEXT, "version of the code"),
    ),
    ("estimate_id",),
)

TABLES = {
    table.name: table
    for table in (
        INTAKE,
        JUDGMENTS,
        ATTRIBUTES,
        QUARANTINE,
        HISTORY,
        EXCLUSION_DECISIONS,
        ANALYSIS_SET,
        ADJUDICATED_LABELS,
        ADJUDICATION_SOURCES,
        RECORD_FLOW,
        RESPONSE_STATES,
        ASSIGNMENTS,
        JUDGMENT_PROFILE,
        OUTPUT_LENGTHS,
        COMPARISONS,
        RATINGS,
        SPA_ANSWERS,
        SCENARIO_COMPARISONS,
        SCENARIO_RATINGS,
        SCENARIO_SPA_ANSWERS,
        ESTIMATES,
    )
}
