"""What comes in and what it became: the export rows come from, and the result of judging them."""

from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.tables import JUDGMENTS, QUARANTINE_LOG, Table

# What a record is before the ledger gives it a place there.
ACCEPTED = Table(JUDGMENTS.name, JUDGMENTS.meaning, JUDGMENTS.columns[:-2], JUDGMENTS.key)
REFUSED = Table(QUARANTINE_LOG.name, QUARANTINE_LOG.meaning, QUARANTINE_LOG.columns[:-2], QUARANTINE_LOG.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Which export the rows come from, and under which specification they come in.

    `incremental`: equal rows of another file are no re-delivery.
    """

    export_sha256: str
    export_path: str
    adapter: str
    intake_digest: str
    study_spec_hash: str
    incremental: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeResult:
    """What the answers of an export became.

    Parameters
    ----------
    judgments : pa.Table
        ACCEPTED, ordered by record_id.
    attributes : pa.Table
        ATTRIBUTES.
    quarantine : pa.Table
        REFUSED: one row a rule broken.
    n_answers, n_quarantined : int
        Answers given, and answers that broke a rule.
    n_records, n_records_quarantined : int
        Records of which an answer was accepted, and records of which none was.
    left_out : pa.Table
        REFUSED: one row a record left out by declaration.
    """

    judgments: pa.Table
    attributes: pa.Table
    quarantine: pa.Table
    n_answers: int
    n_quarantined: int
    n_records: int
    n_records_quarantined: int
    left_out: pa.Table = field(default_factory=REFUSED.arrow_schema.empty_table)

    @classmethod
    def of_attributes(cls, attributes: pa.Table, n_records: int) -> "IntakeResult":
        """What a table without answers became."""
        return cls(
            judgments=ACCEPTED.arrow_schema.empty_table(),
            attributes=attributes,
            quarantine=REFUSED.arrow_schema.empty_table(),
            n_answers=0,
            n_quarantined=0,
            n_records=n_records,
            n_records_quarantined=0,
        )

    def with_unanswered(self, refused: pa.Table, left_out: pa.Table) -> "IntakeResult":
        """The same, and the records that gave no answer: those that an adapter could not read, and those left out."""
        n_refused = pc.count_distinct(refused["source_row"]).as_py()
        return replace(
            self,
            quarantine=pa.concat_tables([self.quarantine, refused]),
            left_out=left_out,
            n_records_quarantined=self.n_records_quarantined + n_refused,
        )


def quoted(text: str | None) -> str:
    """A text as an SQL literal."""
    return "NULL" if text is None else "'" + str(text).replace("'", "''") + "'"
