"""The one place where codes become systems: the protocol views. Their first use is an event."""

from collections.abc import Callable
from datetime import UTC, datetime

import ibis.expr.types as ir
import pyarrow as pa

from data_contracts.vocabulary import EventKind
from juryline.study.run import StudyRun

View = Callable[..., ir.Table]


def viewed(study: StudyRun, view: View) -> ir.Table:
    """A protocol view over the study's tables, its systems unblinded; without a judgment nothing is unblinded."""
    history = study.table("judgment_history")
    if study.ledger.n_rows:
        study.events.append(EventKind.UNBLIND, "first_use", {}, datetime.now(UTC))
    return viewed_as(study, view, history, study.table("analysis_set"))


def viewed_as(study: StudyRun, view: View, history: ir.Table, analysis_set: ir.Table) -> ir.Table:
    """A protocol view as it would be over this history and this analysis set; only after `viewed`."""
    return view(history, analysis_set, study.readings.attributes(), unblinding_key(study), study.spec)


def unblinding_key(study: StudyRun) -> ir.Table | None:
    """The table of codes that differ by case; None where each system has one blinded id."""
    import pyarrow.csv as csv

    blinding = study.spec.blinding
    if blinding is None:
        return None
    names = blinding.columns.model_dump()
    as_text = csv.ConvertOptions(column_types=dict.fromkeys(names.values(), pa.string()), strings_can_be_null=False)
    key = csv.read_csv(study.directory / blinding.file, convert_options=as_text)
    chosen = pa.table({name: key[column] for name, column in names.items()})
    return study.engine.memory("unblinding_key", chosen)
