"""A workspace: the folder of studies, its key, and the home of its Dagster instance.

`.juryline/` holds `workspace.json` (an id), `key`, `salts/`, `tmp/`, `cache/` and `dagster/`. It is
made whole or not at all. The key names every rater, so it is made once, with the workspace, and a
missing one is an error: a new key would call every rater by a new name.
"""

import hmac
import json
import os
import re
import secrets
import shutil
from pathlib import Path

from data_contracts.errors import UsageError
from juryline.ledger.files import LEFTOVERS, is_gone, is_leftover, temporary_name, write_atomically

HOME = ".juryline"
SPECIFICATION = "study.yaml"
KEY_BYTES = 32

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_DAGSTER_MARKER = "juryline-workspace"
# Nothing is told to anybody or loaded from outside. SQLite, where a local instance keeps its events, locks under
# runs at once, so what the daemon starts goes one by one; a run that was cut off is tried again, one that data failed
# is not. Capturing what steps print starts two processes a step, and no step prints.
_DAGSTER_YAML = b"""\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    tag_concurrency_limits:
      - key: juryline/content
        limit: 1
run_retries:
  enabled: true
  max_retries: 2
  retry_on_asset_or_op_failure: false
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
"""


class Workspace:
    """A folder of studies.

    Attributes
    ----------
    root : Path
        The folder that has `.juryline/` in it.
    id : str
        Made at random with the workspace.
    """

    def __init__(self, root: Path):
        self.root = root.resolve()
        self.home = self.root / HOME
        try:
            self.id: str = json.loads((self.home / "workspace.json").read_bytes())["id"]
        except (OSError, ValueError, KeyError):
            raise UsageError(
                f"{self.root} is no workspace, or its {HOME}/workspace.json cannot be read.",
                where=str(self.home / "workspace.json"),
                fix="run `juryline new STUDY` in the folder that is to hold your studies",
                code="no_workspace",
            ) from None

    @classmethod
    def find(cls, start: Path) -> "Workspace":
        """The workspace that a folder is in, looked for upward.

        Raises
        ------
        UsageError
            There is none.
        """
        start = start.resolve()
        for folder in (start, *start.parents):
            if (folder / HOME / "workspace.json").exists():
                return cls(folder)
        raise UsageError(
            f"no workspace found: neither {start} nor a folder above it has a {HOME} folder.",
            where=str(start),
            fix="run `juryline new STUDY`, which makes a study and a workspace around it",
            code="no_workspace",
        )

    @classmethod
    def create(cls, root: Path) -> "Workspace":
        """Make a workspace of a folder, with a key of its own unless the environment gives one.

        Raises
        ------
        UsageError
            The folder is a workspace already.
        """
        if (root / HOME).exists():
            raise UsageError(
                f"{root} is a workspace already.", where=str(root / HOME), fix="run `juryline new STUDY` in it"
            )
        root.mkdir(parents=True, exist_ok=True)
        # Made under another name first, so that no kill leaves a workspace without its key.
        for leftover in filter(is_leftover, root.glob(LEFTOVERS)):
            shutil.rmtree(leftover)
        draft = root / temporary_name()
        try:
            for folder, mode in (("", 0o755), ("salts", 0o700), ("tmp", 0o700), ("cache", 0o755), ("dagster", 0o755)):
                (draft / folder).mkdir(mode=mode)
            if _key_from_environment() is None:
                write_atomically(draft / "key", secrets.token_hex(KEY_BYTES).encode() + b"\n", mode=0o600)
            about = {"juryline": 1, "id": secrets.token_hex(16)}
            write_atomically(draft / "workspace.json", json.dumps(about, indent=2).encode() + b"\n")
            draft.rename(root / HOME)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return cls(root)

    def key(self) -> bytes:
        """The key that raters are named under, 32 bytes.

        It is the content of the file that JURYLINE_KEY_FILE names, else JURYLINE_KEY, else `.juryline/key`.

        Raises
        ------
        UsageError
            It is missing, or not 64 hexadecimal characters.
        """
        text, where = _key_from_environment() or _text_of(self.home / "key")
        try:
            key = bytes.fromhex(text.strip())
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise UsageError(
                f"the workspace's key is not {2 * KEY_BYTES} hexadecimal characters.",
                where=where,
                fix="put back the key that was made with this workspace",
                code="broken_key",
            )
        return key

    @property
    def key_fingerprint(self) -> str:
        """What a ledger keeps of the key, to know it again."""
        return fingerprint(self.key())

    @property
    def dagster_home(self) -> Path:
        """Home of the Dagster instance: DAGSTER_HOME, else `.juryline/dagster`.

        A home without a dagster.yaml of its own is given one, with telemetry off.

        Raises
        ------
        UsageError
            The instance serves another workspace.
        """
        given = os.environ.get("DAGSTER_HOME")
        home = Path(given) if given else self.home / "dagster"
        marker = home / _DAGSTER_MARKER
        if not marker.exists():
            write_atomically(marker, f"{self.id}\n".encode())
        if marker.read_text().strip() != self.id:
            raise UsageError(
                f"the Dagster instance in {home} serves another workspace than {self.root}.",
                where=str(marker),
                fix="unset DAGSTER_HOME, or point it at an empty folder",
                code="dagster_home",
            )
        if not (home / "dagster.yaml").exists():
            write_atomically(home / "dagster.yaml", _DAGSTER_YAML)
        return home

    @property
    def salts(self) -> Path:
        return self.home / "salts"

    @property
    def cache(self) -> Path:
        return self._folder("cache")

    @property
    def tmp(self) -> Path:
        return self._folder("tmp")

    def scratch(self, slug: str) -> Path:
        """Folder for what this process spills of a study, raw exports among it; only its owner may look into it."""
        return self._folder("tmp", slug, str(os.getpid()))

    def clear_scratch(self, slug: str) -> None:
        """Remove what dead processes and this one have spilled of a study, for whoever holds its lock."""
        for folder in self._folder("tmp", slug).iterdir():
            if not folder.name.isdecimal() or is_gone(int(folder.name)):
                shutil.rmtree(folder, ignore_errors=True)

    def study_dir(self, slug: str) -> Path:
        """Folder of a study, whether there is one yet or not.

        Raises
        ------
        UsageError
            The name is no slug.
        """
        if not _SLUG.fullmatch(slug):
            raise UsageError(
                f"{slug!r} is no name of a study.",
                where="STUDY",
                fix="use letters, digits, `.`, `_` and `-`, beginning with a letter or digit",
                code="slug",
            )
        return self.root / slug

    def studies(self) -> list[str]:
        """Names of the studies in the workspace, sorted."""
        return sorted(path.parent.name for path in self.root.glob(f"[!.]*/{SPECIFICATION}"))

    def _folder(self, *parts: str) -> Path:
        folder = self.home.joinpath(*parts)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder


def fingerprint(secret: bytes) -> str:
    """Sixteen characters by which a secret is known again, and from which it cannot be found."""
    return hmac.digest(secret, b"juryline fingerprint", "sha256").hex()[:16]


def _key_from_environment() -> tuple[str, str] | None:
    file = os.environ.get("JURYLINE_KEY_FILE")
    if file:
        return _text_of(Path(file))
    key = os.environ.get("JURYLINE_KEY")
    return (key, "JURYLINE_KEY") if key else None


def _text_of(path: Path) -> tuple[str, str]:
    try:
        return path.read_text(encoding="ascii", errors="replace"), str(path)
    except OSError as error:
        raise UsageError(
            f"the workspace's key cannot be read: {error.strerror}.",
            where=str(path),
            fix="put back the key that was made with this workspace, or name it in JURYLINE_KEY_FILE",
            code="no_key",
        ) from None
