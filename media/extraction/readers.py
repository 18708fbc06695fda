"""Chooses the reader of a file by its type."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from media.extraction.image_text import ImageReader
from media.extraction.pdf import PdfReader
from media.extraction.plain_text import PlainTextReader
from media.extraction.ports import TextReader
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread
from media.extraction.word import WordReader

PDF: Final = "application/pdf"
WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SPEECH: Final = "audio"
_READERS: Final[Mapping[str, type[TextReader]]] = {
    PDF: PdfReader, WORD: WordReader, "text": PlainTextReader, "image": ImageReader,
}  # fmt: skip


def read_text(content: bytes, content_type: str, limits: ExtractionLimits, speech_reader: str = "") -> ExtractedText:
    """The text of a file of this media type. ``speech_reader`` is the dotted path of the class that reads recordings.

    Raises ``ExtractionFailed``. Readers parse what strangers made: call it through ``extract_apart``.
    """
    reader = _reader_of(content_type, speech_reader)
    try:
        return reader.read(content, limits)
    except ExtractionFailed:
        raise
    except (MemoryError, RecursionError) as error:
        raise ExtractionFailed(Unread.TOO_LARGE) from error
    except Exception as error:  # each library fails on a damaged file in ways of its own
        raise ExtractionFailed(Unread.DAMAGED) from error


def is_image_reader_installed() -> bool:
    """Whether text in images can be read: `make extras` installs what it takes."""
    return find_spec("rapidocr") is not None


def _reader_of(content_type: str, speech_reader: str) -> TextReader:
    family = content_type.partition("/")[0]
    if family == SPEECH and speech_reader:
        module, _, name = speech_reader.rpartition(".")
        speech: type[TextReader] = getattr(import_module(module), name)
        return speech()
    reader = _READERS.get(content_type) or _READERS.get(family)
    if reader is None:
        raise ExtractionFailed(Unread.NO_READER)
    return reader()
