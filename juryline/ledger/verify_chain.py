"""One chained table, re-hashed from its bytes up: its log, its data files, its rows and its links."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from data_contracts.errors import JurylineError, VerificationError
from juryline.ledger.chain import Commit, first_commit, log_path, read_commit
from juryline.ledger.delta_log import APPEND_ONLY, FORMAT, ChainedTable
from juryline.ledger.files import ROW_GROUP, file_sha256
from juryline.ledger.log_digests import digests_path
from juryline.ledger.row_files import content
from juryline.ledger.row_hashes import hash_of_hashes, hash_rows
from juryline.ledger.verify_log import verify_log


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainVerification:
    """What was found in one table.

    Attributes
    ----------
    findings : tuple of str
        What differs from what was recorded, each naming its file.
    notes : tuple of str
        What a kill may leave, and the next run mends.
    commits : tuple of Commit
        Its appends, as far as they can be read.
    heads : tuple of str
        Head of the empty table, and after each append.
    """

    findings: tuple[str, ...]
    notes: tuple[str, ...]
    commits: tuple[Commit, ...]
    heads: tuple[str, ...]


def verify_chain(table: ChainedTable) -> ChainVerification:
    """Re-hash a chained table; one that was never written is an empty one."""
    files = verify_log(table.path)
    findings = list(files.findings)
    log: list[Commit] = []
    salted = False
    for version in files.versions:
        name = _log_name(table, version)
        try:
            commit, properties = read_commit(table.path, version)
        except VerificationError as error:
            findings.append(f"{name}: {error.what}")
            continue
        if version == 0:
            problem = _salts_problem(table, properties)
            salted = problem is None
            findings += [
                f"{name}: {key} is not {value}" for key, value in APPEND_ONLY.items() if properties.get(key) != value
            ]
            findings += [problem] if problem else []
        findings += [f"{name}: {finding}" for finding in _link_findings(table, version, commit, log)]
        findings += _file_findings(table, commit, salted)
        log.append(commit)
    return ChainVerification(
        findings=tuple(findings),
        notes=tuple(f"{name}: not listed in {digests_path(table.path).name} yet" for name in files.unlisted),
        commits=tuple(commit for commit in log if commit.seq),
        heads=tuple(commit.head for commit in log) or (first_commit(table.path.name, FORMAT).head,),
    )


def _salts_problem(table: ChainedTable, properties: Mapping[str, str]) -> str | None:
    try:
        table.refuse_other_salts(properties)
    except JurylineError as error:
        return f"the rows of ledger/{table.path.name} cannot be hashed again: {error.what}"
    return None


def _link_findings(table: ChainedTable, version: int, commit: Commit, before: list[Commit]) -> Iterator[str]:
    first = first_commit(table.path.name, FORMAT)
    if commit.seq != version:
        yield f"it says it is commit {commit.seq}"
    if commit.head != commit.expected_head():
        yield "its head does not follow from what it records"
    if commit.prev != (before[-1].head if before else first.prev):
        yield "it does not follow the commit before it"
    if version == 0 and commit.transaction != first.transaction:
        yield "it made another table"


def _file_findings(table: ChainedTable, commit: Commit, salted: bool) -> Iterator[str]:
    hashes: list[pa.Array] = []
    for file in commit.files:
        path, name = table.path / file.name, f"ledger/{table.path.name}/{file.name}"
        if not path.exists():
            yield f"{name}: the file is missing"
            return
        if file_sha256(path) != file.sha256:
            yield f"{name}: its bytes differ from those that commit {commit.seq} recorded"
            return
        for batch in pq.ParquetFile(path).iter_batches(ROW_GROUP):
            rows = pa.Table.from_batches([batch]).cast(table.contract.arrow_schema)
            hashes += rows["row_sha256"].chunks
            if salted:
                yield from (f"{name}: {finding}" for finding in _row_findings(table, commit, rows))
    n_rows, rows_sha256 = sum(map(len, hashes)), hash_of_hashes(hashes)
    if (n_rows, rows_sha256) != (commit.n_rows, commit.rows_sha256):
        yield f"{_log_name(table, commit.seq)}: it records other rows than its files hold"


def _row_findings(table: ChainedTable, commit: Commit, rows: pa.Table) -> Iterator[str]:
    again = hash_rows(rows, content(table.contract), table.salts_of(rows))
    differing = pc.or_(pc.not_equal(again, rows["row_sha256"]), pc.not_equal(rows["ledger_seq"], commit.seq))
    if n := pc.sum(differing).as_py():
        key = rows.filter(differing).select(table.contract.key[:1]).slice(0, 1).to_pylist()[0]
        yield f"{n} rows differ from their own hash, first {key}"


def _log_name(table: ChainedTable, version: int) -> str:
    return log_path(table.path, version).relative_to(table.path.parents[1]).as_posix()
