"""The closed word lists of a study: states, protocols, phases, statuses.

Pure enumerations and nothing else, so that estimators may import them. The names of statistics and
the reasons an estimate may lack a value are in `statistics`.
"""

from enum import StrEnum


class State(StrEnum):
    """What became of one question put to one rater. No state ever turns into another, or a number."""

    ANSWERED = "answered"
    TIE = "tie"
    BOTH_FAIL = "both_fail"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not_applicable"
    ABSTAIN = "abstain"
    MISSING = "missing"
    INVALID = "invalid"


class Protocol(StrEnum):
    """How a criterion is asked."""

    PAIRWISE = "pairwise"
    RATING = "rating"
    SPA = "spa"
    CHECKLIST = "checklist"
    RANKING = "ranking"


class Measure(StrEnum):
    """Level of measurement of a response scale (Stevens 1946), and stated probabilities."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"
    PROBABILITY = "probability"


class ItemKind(StrEnum):
    """What an item was shown for; only `scored` enters an analysis unless it says otherwise."""

    SCORED = "scored"
    REPEAT = "repeat"
    CONTROL = "control"
    GOLD = "gold"
    TRAINING = "training"


class RaterKind(StrEnum):
    HUMAN = "human"
    MODEL = "model"


class Phase(StrEnum):
    PILOT = "pilot"
    CONFIRMATORY = "confirmatory"
    EXPLORATORY = "exploratory"


class StudyStatus(StrEnum):
    """What may be claimed of a study's estimates (METHODS 13), the first that applies."""

    DEVELOPMENT = "development"
    EXPLORATORY = "exploratory"
    INTERIM = "interim"
    CONFIRMATORY = "confirmatory"


class CandidateOrder(StrEnum):
    """How the order of candidates on the screen came about."""

    COUNTERBALANCED = "counterbalanced"
    RANDOMIZED = "randomized"
    FIXED = "fixed"
    NOT_RECORDED = "not_recorded"


class Scope(StrEnum):
    """What an exclusion removes."""

    JUDGMENT = "judgment"
    SUBMISSION = "submission"
    RATER = "rater"


class SetAside(StrEnum):
    """Why a current judgment is outside the scored sample before any exclusion is looked at."""

    PILOT = "pilot"
    EARLIER_REVISION = "earlier_revision"
    NOT_SCORED = "not_scored"
    ADJUDICATOR = "adjudicator"


class HistoryStatus(StrEnum):
    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"


class AdjudicationStatus(StrEnum):
    AGREED = "agreed"
    MAJORITY = "majority"
    ADJUDICATED = "adjudicated"
    UNRESOLVED = "unresolved"
    INSUFFICIENT_VOTES = "insufficient_votes"


class EventKind(StrEnum):
    """What a ledger event records."""

    FREEZE = "freeze"
    AMEND = "amend"
    INGEST = "ingest"
    RETRACT = "retract"
    REINSTATE = "reinstate"
    UNBLIND = "unblind"
    REUSE = "reuse"
    WITHDRAW = "withdraw"


class Status(StrEnum):
    """Whether an estimate has a value, in the order in which they are decided (METHODS 0.5)."""

    NOT_ESTIMABLE = "not_estimable"
    INSUFFICIENT = "insufficient"
    UNDEFINED = "undefined"
    DEGENERATE = "degenerate"
    OK = "ok"


class Reason(StrEnum):
    """Why an estimate, a test or an interval has no value, or what a reader must know of one that has."""

    NO_JUDGMENTS = "no_judgments"
    TOO_FEW_UNITS = "too_few_units"
    ONE_CLUSTER = "one_cluster"
    FEW_CLUSTERS = "few_clusters"
    ONE_CASE = "one_case"
    ZERO_VARIANCE = "zero_variance"
    ZERO_DENOMINATOR = "zero_denominator"
    BOOTSTRAP_ROUNDS_FAILED = "bootstrap_rounds_failed"
    NOT_IN_THIS_VERSION = "not_in_this_version"
