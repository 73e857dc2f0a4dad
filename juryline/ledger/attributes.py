"""Attributes of raters and cases, as exports gave them: the third chain of a ledger."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.tables import ATTRIBUTES, Table
from juryline.ledger.chain import Commit
from juryline.ledger.delta_log import ChainedTable, Draft, Snapshot
from juryline.ledger.row_files import CHAINED
from juryline.ledger.salts import Salts
from juryline.ledger.workspace import Workspace

STORED = Table(ATTRIBUTES.name, ATTRIBUTES.meaning, (*ATTRIBUTES.columns, *CHAINED), ATTRIBUTES.key)


class Attributes:
    """Attributes of a study's raters and cases.

    Parameters
    ----------
    study_dir : Path
        Folder of the study.
    workspace : Workspace
        The workspace it is in.
    """

    def __init__(self, study_dir: Path, workspace: Workspace):
        self.table = ChainedTable(
            study_dir / "ledger" / "attributes", STORED, workspace, salts=Salts(workspace, study_dir), rater=_rater
        )

    @property
    def head(self) -> str:
        return self.table.head

    def files(self) -> list[str]:
        """Paths of the Parquet files that hold the attributes, oldest first."""
        return self.table.files()

    def commits(self) -> list[Commit]:
        """Every append, oldest first."""
        return self.table.commits()

    def append(self, rows: pa.Table, transaction: str, details: Mapping[str, Any] | None = None) -> Commit | None:
        """Append the attributes of one export; equal rows, and rows that are there already, count once.

        Parameters
        ----------
        rows : pa.Table
            ATTRIBUTES.
        transaction : str
            As `judgments.transaction_id` gives it.
        """

        def build(_: Snapshot) -> Draft:
            known = [
                table.select(ATTRIBUTES.names).append_column("held", pa.repeat(held, table.num_rows))
                for table, held in ((self.read(), True), (rows.cast(ATTRIBUTES.arrow_schema), False))
            ]
            # Grouped rather than joined: a join takes no null for equal to another.
            counted = pa.concat_tables(known).group_by(ATTRIBUTES.names).aggregate([("held", "any")])
            fresh = counted.filter(pc.invert(counted["held_any"])).select(ATTRIBUTES.names)
            return Draft(rows=fresh, details=details or {})

        return self.table.append(transaction, build)

    def read(self) -> pa.Table:
        """Every attribute: ATTRIBUTES, oldest first."""
        return self.table.read().select(ATTRIBUTES.names)


def _rater(rows: pa.Table) -> pa.ChunkedArray:
    # A case is no person: its rows need no salt.
    return pc.if_else(pc.equal(rows["subject_kind"], "rater"), rows["subject"], pa.scalar(None, pa.string()))
