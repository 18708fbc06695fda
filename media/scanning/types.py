"""What a scan finds: why a file is refused, and what of it is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class RefusalReason(StrEnum):
    """Why a file was not found safe: the value of ``MediaFile.security_reason``."""

    NOT_AS_IT_SEEMS = "not_as_it_seems"  # its content is not what it begins like, or not taken
    TWO_KINDS = "two_kinds"  # a second format hides in it
    BROKEN = "broken"  # it cannot be read to its end
    TOO_LARGE_INSIDE = "too_large_inside"  # it unpacks to too much: pixels, pages, bytes
    TOO_COSTLY = "too_costly"  # reading it took more memory or time than is allowed
    ENCRYPTED = "encrypted"
    ACTIVE_CONTENT = "active_content"  # scripts, macros, actions
    EMBEDDED_FILES = "embedded_files"
    REMOTE_CONTENT = "remote_content"  # it loads something from elsewhere
    MALWARE = "malware"  # a virus scanner knows it
    SCANNER_UNAVAILABLE = "scanner_unavailable"
    CONTENT_GONE = "content_gone"  # the storage lost it


class Refused(Exception):
    """The content is refused."""

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class InspectionLimits:
    """How large what is inside a file may be."""

    pixels: int = 40_000_000
    pages: int = 300
    unpacked_bytes: int = 100_000_000
    parts: int = 2_000  # files in an archive
    thumbnail_pixels: int = 320  # on the longer side

    def as_json(self) -> dict[str, int]:
        """For the process that inspects."""
        return asdict(self)


@dataclass(frozen=True)
class InspectedFile:
    """What a safe file is: its type as kept, and its size in pixels or pages where it has one."""

    media_type: str
    width: int | None = None
    height: int | None = None
    pages: int | None = None

    def as_json(self) -> dict[str, Any]:
        """For the process that asked."""
        return asdict(self)


@dataclass(frozen=True)
class CleanContent:
    """A file that was found safe: what it is, what is kept of it (None: as it is), and its thumbnail, if it has one."""

    finding: InspectedFile
    content: bytes | None = None
    thumbnail: bytes | None = None
