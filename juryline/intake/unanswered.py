"""Records that give no answers: refused whole by an adapter, or left out by declaration.

They are kept beside refused answers, known by what they say, so that one that is delivered again, in whatever
file and wherever there, counts once.
"""

from collections import Counter
from typing import Any

import pyarrow as pa

from juryline.intake import identity
from juryline.intake.delivery import REFUSED, Delivery

LEFT_OUT = "ignored"  # the rule of a record that is left out by declaration, and is not in quarantine
_FIX = "nothing: it is left out by declaration"


def refused_records(refused: pa.Table, contents: pa.Table, delivery: Delivery, *, key: bytes) -> pa.Table:
    """Records that an adapter refused, as rows of REFUSED.

    Parameters
    ----------
    refused, contents : pa.Table
        Of an adapter's reading: the records with the rule that each breaks, and what each says.
    delivery : Delivery
        Where they come from.
    key : bytes
        The workspace's key: what a record says is kept as a keyed hash only.
    """
    return _kept(refused.to_pylist(), contents, delivery, key)


def left_out_records(ignored: pa.Table, contents: pa.Table, delivery: Delivery, *, key: bytes) -> pa.Table:
    """Records that are left out by declaration, as rows of REFUSED; their `value` is the reason."""
    said = {"source_path": None, "column": "*", "rule": LEFT_OUT, "fix": _FIX}
    rows = [said | {"source_row": row["source_row"], "value": row["reason"]} for row in ignored.to_pylist()]
    return _kept(rows, contents, delivery, key)


def _kept(rows: list[dict[str, Any]], contents: pa.Table, delivery: Delivery, key: bytes) -> pa.Table:
    said = {
        "export_sha256": delivery.export_sha256,
        "export_path": delivery.export_path,
        "intake_digest": delivery.intake_digest,
        "criterion": None,
        "answer_digest": None,
        "whole": True,
    }
    digests = _digests(contents, delivery, key)
    known = [row | said | {"record_digest": digests[row["source_row"]]} for row in rows]
    return pa.Table.from_pylist(known, schema=REFUSED.arrow_schema)


def _digests(contents: pa.Table, delivery: Delivery, key: bytes) -> dict[int, str]:
    """By record: the keyed hash of what it says and of which among its equals in the file it is."""
    delivered_in = delivery.export_sha256 if delivery.incremental else ""
    seen = Counter[str]()
    digests = {}
    for record in contents.to_pylist():
        content = record["content"]
        seen[content] += 1
        digests[record["source_row"]] = identity.keyed_digest(key, content, f"{seen[content]}{delivered_in}")
    return digests
