"""The beginning of a file, unpacked, by which its format is recognised."""

import gzip
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from juryline.adapters.byte_source import GZIP, ZIP

LENGTH = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHead:
    """At most the first megabyte of a file; of a zip, of its first JSON or else first file."""

    content: bytes
    zipped: bool = False

    @property
    def text(self) -> str:
        return self.content.decode("utf-8-sig", "ignore").replace("\r\n", "\n").replace("\r", "\n")


def file_head(path: Path) -> FileHead:
    """The head of a file; of one that cannot be unpacked, its own first bytes."""
    with path.open("rb") as stream:
        content = stream.read(LENGTH)
    try:
        if content.startswith(GZIP):
            with gzip.open(path) as packed:
                return FileHead(content=packed.read(LENGTH))
        if content.startswith(ZIP):
            return FileHead(content=_first_member(path), zipped=True)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        pass
    return FileHead(content=content)


def _first_member(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        names = sorted(info.filename for info in archive.infolist() if not info.is_dir())
        names = [name for name in names if not name.startswith("__MACOSX/")]
        first = [name for name in names if name.endswith(".json")] or names
        if not first:
            return b""
        with archive.open(first[0]) as stream:
            return stream.read(LENGTH)
