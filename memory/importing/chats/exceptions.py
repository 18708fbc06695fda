"""Exceptions that say why an export file is not imported."""

from __future__ import annotations

from foundation.exceptions import FinClawError
from memory.importing.chats.refusal_reasons import RefusalReason, describe_refusal


class ImportRefused(FinClawError):
    """A refused file. ``refusal`` and ``details`` name the reason and the place in the file; nothing of its words."""

    def __init__(self, reason: RefusalReason, **place: str | int) -> None:
        self.refusal = {"reason": reason.value, **place}
        super().__init__(describe_refusal(self.refusal), place)


class BrokenFile(ImportRefused):
    """A file that cannot be read as an export."""

    code = "broken_file"


class FileTooLarge(ImportRefused):
    """More than is taken in at once."""

    code = "payload_too_large"

    def __init__(self, reason: RefusalReason = RefusalReason.TOO_LARGE) -> None:
        super().__init__(reason)


class ImportUnderWay(FinClawError):
    """Another import of the same person runs, or is still being undone."""

    code = "import_under_way"
    default_message = "An import is under way. Wait for it to end, or undo it."
