"""What the systems of a study wrote: read from below `exports/` as declared, and how long each output is."""

from collections import Counter

import ibis.expr.types as ir
import pyarrow as pa

from data_contracts.specification_paths import output_files
from data_contracts.tables import OUTPUT_LENGTHS
from juryline.adapters.outputs import OUTPUT_ROWS, read_outputs
from juryline.derivations.output_lengths import output_lengths, with_systems
from juryline.derivations.shape import no_rows
from juryline.study.run import StudyRun
from juryline.study.unblinding import unblinding_key


def lengths_of_outputs(study: StudyRun) -> ir.Table:
    """OUTPUT_LENGTHS of the study; without a row where it declares no outputs."""
    if study.spec.outputs is None:
        return no_rows(OUTPUT_LENGTHS)
    return output_lengths(_read(study), unblinding_key(study), study.spec)


def count_outputs(study: StudyRun) -> dict[str, int]:
    """What `juryline check` says of declared outputs: their rows, what these are of, and what no length is known of.

    Raises
    ------
    ExportRefusedError, GateError, SpecificationError
        As `read_outputs` and `output_lengths`.
    """
    rows = _read(study)
    lengths = study.engine.backend.to_pyarrow(lengths_of_outputs(study))
    named = with_systems(rows, unblinding_key(study), study.spec)
    others = study.engine.backend.to_pyarrow(named.filter(named.of_system.isnull()).select("system"))["system"]
    return {
        "rows": study.engine.backend.to_pyarrow(rows.count()).as_py(),
        "outputs": lengths.num_rows,
        "without a length": lengths["length"].null_count,
        **{f"of no system of the study: {name}": n for name, n in sorted(Counter(others.to_pylist()).items())},
    }


def _read(study: StudyRun) -> ir.Table:
    outputs = study.spec.outputs
    tables = [OUTPUT_ROWS.empty_table()]
    for path in output_files(study.spec, study.directory):
        assert outputs is not None
        name = path.relative_to(study.exports).as_posix()
        tables.append(read_outputs(path, name, outputs, study_dir=study.directory, scratch=study.scratch))
    return study.engine.memory("outputs", pa.concat_tables(tables))
