"""The bytes of an export as a plain file: gzip and zip are undone, by content and never by name.

An archive is expanded below a private scratch folder and within bounds, since a few kilobytes can
expand to terabytes. Nothing is ever written under a name that an archive gives.
"""

import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from juryline.adapters.reading import refuse_export

GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")

BLOCK = 1 << 20
FREE_BYTES = 64 << 20  # below this no ratio is suspicious
MOST_BYTES = 16 << 30
MOST_MEMBER_BYTES = 256 << 20  # of a member that is held in memory
MOST_RATIO = 200  # text exports compress 5 to 50 times; DEFLATE reaches 1,032 on zeros

_BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainBytes:
    """An uncompressed file, and how it was packed: nothing, gzip, or one member of a zip."""

    path: Path
    compression: str | None = None
    member: str | None = None

    @property
    def found(self) -> dict[str, Any]:
        return {"compression": self.compression, "member": self.member}


def is_zip(path: Path) -> bool:
    return _head(path).startswith(ZIP)


@contextmanager
def plain_bytes(path: Path, name: str, scratch: Path) -> Iterator[PlainBytes]:
    """The export uncompressed; what had to be expanded is gone afterwards.

    Raises
    ------
    ExportRefusedError
        Empty, truncated, corrupt, encrypted, packed twice, or a zip of several files.
    """
    if path.stat().st_size == 0:
        raise refuse_export(name, "the file is empty.", fix="Export it again, or remove it.", code="empty_file")
    head = _head(path)
    if not head.startswith((GZIP, *ZIP)):
        yield PlainBytes(path=path)
        return
    with TemporaryDirectory(dir=scratch, prefix="export-") as folder:
        target = Path(folder) / "plain"
        plain = _unzip(path, name, target) if head.startswith(ZIP) else _gunzip(path, name, target)
        if _head(target).startswith((GZIP, *ZIP)):
            raise refuse_export(
                name, "the file is packed twice.", fix="Unpack it once and drop the result.", code="packed_twice"
            )
        if target.stat().st_size == 0:
            raise refuse_export(
                name, "the packed file is empty.", fix="Export it again, or remove it.", code="empty_file"
            )
        yield plain


def archive_members(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a zip by their names, in sorted order.

    Raises
    ------
    ExportRefusedError
        The zip is damaged or encrypted, expands without measure, or names a member twice or outside itself.
    """
    with _archive(path, name) as archive:
        expanded = 0
        for info in sorted(_files(archive, name), key=lambda info: info.filename):
            content = bytearray()
            with _member(archive, info, name) as stream:
                for block in _blocks(stream, path, name, expanded, most=expanded + MOST_MEMBER_BYTES):
                    content += block
            expanded += len(content)
            yield info.filename, bytes(content)


def _gunzip(path: Path, name: str, target: Path) -> PlainBytes:
    with gzip.open(path) as stream, target.open("wb") as out:
        for block in _blocks(stream, path, name):
            out.write(block)
    return PlainBytes(path=target, compression="gzip")


def _unzip(path: Path, name: str, target: Path) -> PlainBytes:
    with _archive(path, name) as archive:
        files = _files(archive, name)
        if any(info.filename == "[Content_Types].xml" for info in files):
            raise refuse_export(
                name,
                "this is an office document, not a table of text.",
                fix="Save the sheet as CSV UTF-8; better, export it from the tool, never through a spreadsheet.",
                code="office_document",
            )
        if len(files) != 1:
            raise refuse_export(
                name,
                f"the zip holds {len(files)} files, and this format reads one.",
                fix="Unpack it below exports/ and match the files.",
                code="several_members",
            )
        with _member(archive, files[0], name) as stream, target.open("wb") as out:
            for block in _blocks(stream, path, name):
                out.write(block)
    return PlainBytes(path=target, compression="zip", member=files[0].filename)


@contextmanager
def _archive(path: Path, name: str) -> Iterator[zipfile.ZipFile]:
    with _unpacking(name):
        archive = zipfile.ZipFile(path)
    with archive:
        yield archive


@contextmanager
def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Iterator[IO[bytes]]:
    with _unpacking(name):
        stream = archive.open(info)
    with stream:
        yield stream


@contextmanager
def _unpacking(name: str) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        what = "truncated" if isinstance(error, EOFError) else "damaged"
        raise refuse_export(
            name, f"the packed file is {what}.", fix="Copy it again, or export it again.", code=what
        ) from None
    except NotImplementedError:
        raise refuse_export(
            name, "the zip uses a packing that is not read here.", fix="Pack it with Deflate.", code="packing"
        ) from None


def _files(archive: zipfile.ZipFile, name: str) -> list[zipfile.ZipInfo]:
    """The files of an archive but for the marks that macOS adds; names that leave the archive are refused."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    names = [info.filename for info in infos]
    outside = [n for n in names if n.startswith(("/", "\\")) or ".." in PurePosixPath(n.replace("\\", "/")).parts]
    if outside or len(set(names)) != len(names):
        problem = "has members with paths outside itself" if outside else "has two members of one name"
        raise refuse_export(name, f"the zip {problem}.", fix="Pack it again with the tool.", code="unsafe_archive")
    if any(info.flag_bits & 0x1 for info in infos):
        raise refuse_export(name, "the zip is encrypted.", fix="Pack it without a password.", code="encrypted")
    return [info for info in infos if not info.filename.startswith("__MACOSX/")]


def _blocks(
    stream: IO[bytes] | gzip.GzipFile, path: Path, name: str, expanded: int = 0, *, most: int = MOST_BYTES
) -> Iterator[bytes]:
    packed = path.stat().st_size
    while True:
        with _unpacking(name):
            block = stream.read(BLOCK)
        if not block:
            return
        expanded += len(block)
        if expanded > most or (expanded > FREE_BYTES and expanded > MOST_RATIO * packed):
            raise refuse_export(
                name,
                f"{packed:,} packed bytes expand to more than {expanded:,}.",
                fix="If it is meant, unpack it yourself and drop the result.",
                code="expands_without_measure",
            )
        yield block


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(4)
