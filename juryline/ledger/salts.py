"""The salts of a study's row hashes: a secret of the study makes one for each rater.

Who withdraws must become unrecognisable, also to a guess: a hash of a row could be found again by
trying answers, were it not for a salt that is thrown away. `.juryline/salts/<study>.json` holds the
secret, and salts that are kept one by one. While no one has withdrawn these are none; a withdrawal
keeps those of the others, and destroys the secret they came from.
"""

import hmac
import json
import secrets
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from data_contracts.errors import UsageError, VerificationError
from juryline.ledger.files import write_once
from juryline.ledger.workspace import Workspace, fingerprint

SECRET_BYTES = 32
SALTED = ("judgments", "attributes")  # tables of the ledger whose rows speak of raters


class Salts:
    """Salts of a study's raters.

    Parameters
    ----------
    workspace : Workspace
        Where they are kept.
    study_dir : Path
        Folder of the study.
    """

    def __init__(self, workspace: Workspace, study_dir: Path):
        self._study_dir = study_dir
        self.path = workspace.salts / f"{study_dir.name}.json"

    def ensure(self) -> "Salts":
        """Make the secret of a study that has none and no salted row yet.

        Raises
        ------
        VerificationError
            The secret is gone, but rows were salted with it: a new one would prove none of them.
        """
        if not self.path.exists():
            if any((self._study_dir / "ledger" / table).exists() for table in SALTED):
                raise VerificationError(
                    f"the salts of {self._study_dir.name} are missing, and its ledger has rows. Nothing was written.",
                    where=str(self.path),
                    fix="put back the file from a copy of the workspace",
                    code="salts_missing",
                )
            made = {"juryline": 1, "salts": {}, "secret": secrets.token_hex(SECRET_BYTES)}
            with suppress(FileExistsError):  # another run made it first: its secret counts
                write_once(self.path, json.dumps(made, indent=2).encode() + b"\n", mode=0o600)
        return self

    @property
    def fingerprint(self) -> str:
        """What a ledger keeps of the secret, to know it again."""
        return fingerprint(self._secret)

    def of(self, raters: pa.ChunkedArray) -> pa.ChunkedArray:
        """Salt of each rater, by pseudonym; null where there is no rater."""
        encoded = raters.combine_chunks().dictionary_encode()
        salts = pa.array([self._salt(rater) for rater in encoded.dictionary.to_pylist()], pa.string())
        return pa.chunked_array([salts.take(encoded.indices)])

    def _salt(self, rater: str) -> str:
        return self._kept.get(rater) or hmac.digest(self._secret, rater.encode(), "sha256").hex()

    @property
    def _secret(self) -> bytes:
        return bytes.fromhex(self._stored["secret"])

    @property
    def _kept(self) -> dict[str, str]:
        return self._stored["salts"]

    @cached_property
    def _stored(self) -> dict:
        try:
            stored = json.loads(self.path.read_bytes())
            if len(bytes.fromhex(stored["secret"])) == SECRET_BYTES and isinstance(stored["salts"], dict):
                return stored
        except (OSError, ValueError, KeyError, TypeError):
            pass
        raise UsageError(
            f"the salts of {self._study_dir.name} cannot be read.",
            where=str(self.path),
            fix="put back the file from a copy of the workspace",
            code="salts_unreadable",
        )
