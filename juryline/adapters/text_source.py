"""The encoding of an export: declared, or UTF-8; the whole file is proved to be text before a row is read."""

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from juryline.adapters.reading import refuse_export

BLOCK = 1 << 20

# Longest first: the mark of UTF-32-LE begins with that of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSource:
    """A file known to be text in a codec, without NUL characters."""

    path: Path
    name: str
    codec: str
    encoding: str
    bom: bool

    @property
    def found(self) -> dict[str, Any]:
        return {"encoding": self.encoding, "bom": self.bom}

    def open(self) -> TextIO:
        """The characters as they are; iterating splits at LF, CR and CRLF alike."""
        return self.path.open(encoding=self.codec, newline="")


def text_source(path: Path, name: str, declared: str = "utf-8") -> TextSource:
    """Prove that a file is text in the declared encoding.

    Raises
    ------
    ExportRefusedError
        A byte order mark of another encoding, bytes that are none of the encoding's, NUL characters,
        or nothing behind the mark.
    """
    try:
        encoding = codecs.lookup(declared).name
        "".encode(declared)
    except LookupError:
        raise refuse_export(
            name,
            f"{declared!r} is no text encoding.",
            fix="Declare one that Python knows in `read.encoding`.",
            code="encoding",
        ) from None
    mark = _mark(path)
    codec = _codec(encoding, mark, name)
    source = TextSource(path=path, name=name, codec=codec, encoding=encoding, bom=mark is not None)
    _prove(source)
    return source


def _mark(path: Path) -> str | None:
    with path.open("rb") as stream:
        head = stream.read(4)
    return next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)


def _codec(encoding: str, mark: str | None, name: str) -> str:
    """The codec that takes the mark off."""
    if mark is None:
        if encoding in ("utf-16", "utf-32"):
            raise refuse_export(
                name,
                f"{encoding} without a byte order mark can be read two ways.",
                fix=f"Declare `read: {{encoding: {encoding}-le}}` or {encoding}-be.",
                code="encoding",
            )
        return encoding
    if not encoding.startswith(mark):
        raise refuse_export(
            name,
            f"the byte order mark says {mark}, but it would be read as {encoding}.",
            fix=f"Declare `read: {{encoding: {mark}}}`, or export it as UTF-8.",
            code="encoding",
        )
    return "utf-8-sig" if mark == "utf-8" else mark


def _prove(source: TextSource) -> None:
    decoder = codecs.getincrementaldecoder(source.codec)()
    lines = 0
    empty = True
    with source.path.open("rb") as stream:
        while True:
            block = stream.read(BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                line = lines + _line_ends(error.object[: error.start].decode(source.codec, "replace")) + 1
                raise refuse_export(
                    source.name,
                    f"the bytes are not {source.encoding}.",
                    line=line,
                    fix="Export it as UTF-8, or declare what it is, as in `read: {encoding: cp1252}`.",
                    code="encoding",
                ) from None
            if "\0" in text:
                raise refuse_export(
                    source.name,
                    "there is a NUL character, which no text has.",
                    line=lines + _line_ends(text[: text.index("\0")]) + 1,
                    fix="If it is UTF-16, declare `read: {encoding: utf-16-le}`; else export it again.",
                    code="nul",
                )
            lines += _line_ends(text)
            empty = empty and not text.strip()
            if not block:
                break
    if empty:
        raise refuse_export(source.name, "the file is empty.", fix="Export it again, or remove it.", code="empty_file")


def _line_ends(text: str) -> int:
    return text.count("\n") or text.count("\r")
