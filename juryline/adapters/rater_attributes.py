"""Tables of raters: profiles that hold no judgments, only what raters are sliced and excluded by."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from data_contracts.errors import SpecificationError
from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from juryline.adapters.cells import contents
from juryline.adapters.mapping import attribute_map, leave_out, with_columns
from juryline.adapters.plan import declared_reading
from juryline.adapters.reading import ExportReading, Refusal, refused_table
from juryline.adapters.records import read_records

VERSION = "rater_attributes/1"
READS = "tables of raters: attributes, no judgments"
RECOGNISED_BY = "the `read` that its export declares in study.yaml"

_NO_RATER = "the record names no rater; write the id, or remove the record"


def read(path: Path, name: str, export: Export, spec: StudySpec, *, scratch: Path) -> ExportReading:
    """The records as rows of source_row, rater (raw id) and rater_attributes (map of name to value)."""
    rater = export.columns.rater
    if rater is None or rater.column is None:
        raise SpecificationError(
            f"the export {export.match} does not say whose attributes it holds.",
            where=f"exports: {export.match}",
            fix="Write `columns: {rater: participant, attributes: [native_language]}`.",
        )
    attributes = export.columns.attributes
    cells = read_records(path, name, declared_reading(export), scratch=scratch)
    cells = with_columns(cells, [rater.column, *attributes.values(), *(rule.column for rule in export.ignore)], name)
    kept, ignored = leave_out(cells, export.ignore)
    rows = pa.table(
        {
            "source_row": kept.source_row,
            "rater": pc.fill_null(kept.table[rater.column], ""),
            "rater_attributes": attribute_map(kept.table, attributes),
        }
    )
    nameless = pc.equal(rows["rater"], "")
    refusals = [
        *cells.refusals,
        *(
            Refusal(source_row=row, column="rater", rule="rater_given", fix=_NO_RATER)
            for row in rows["source_row"].filter(nameless).to_pylist()
        ),
    ]
    return ExportReading(
        rows=rows.filter(pc.invert(nameless)),
        n_rows=cells.n_rows,
        ignored=ignored,
        refused=refused_table(refusals),
        found=cells.found,
        adapter=VERSION,
        contents=contents(cells, refusals, ignored),
    )
