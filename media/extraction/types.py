"""The values that reading a file takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Unread(StrEnum):
    """Why a file's text was not read."""

    NO_READER = "no_reader"  # nothing here reads files of this type
    READER_MISSING = "reader_missing"  # the reader is an optional library that is not installed
    PASSWORD = "password"  # noqa: S105  the file is locked by one
    DAMAGED = "damaged"
    TOO_LARGE = "too_large"  # it takes more memory than a reader gets
    TOO_SLOW = "too_slow"  # it takes more time than a reader gets
    CONTENT_GONE = "content_gone"  # the storage has lost it
    NO_TEXT = "no_text"  # it was read, and holds none


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """How much of a file is read: what lies beyond ``pages`` and ``characters`` is left out, and said to be.

    ``cpu_seconds`` are of the processor, ``seconds`` of the clock, ``memory_megabytes`` of the reader's address space:
    past any of them it is killed.
    """

    pages: int = 200
    characters: int = 400_000
    cpu_seconds: float = 60.0
    seconds: float = 120.0
    memory_megabytes: int = 3_072


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of a file, page by page, "" for one without text; whether it ``is_cut``, and which readers found it."""

    pages: tuple[str, ...]
    readers: tuple[str, ...]
    is_cut: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        return "\n\n".join(filter(None, self.pages))


class ExtractionFailed(Exception):
    """A file whose text was not read, and why."""

    def __init__(self, reason: Unread) -> None:
        self.reason = reason
        super().__init__(reason.value)


class ExtractionInterrupted(ExtractionFailed):
    """A reader that was ended by the clock or from outside: the machine may have been busy."""

    def __init__(self) -> None:
        super().__init__(Unread.TOO_SLOW)
