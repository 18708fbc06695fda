"""Exceptions that say why an export file is not imported."""

from __future__ import annotations

from foundation.exceptions import FinClawError


class BrokenFile(FinClawError):
    """A file that cannot be read as an export. ``details`` name the line and the character in it, where there is one;
    nothing of its words.
    """

    code = "broken_file"
    default_message = "This file cannot be read."

    @classmethod
    def at(cls, line: int, position: int, reason: str) -> BrokenFile:
        """What is wrong at the ``position``-th character of a line, both from 1."""
        return cls(f"Line {line}, character {position}: {reason}", {"line": line, "position": position})


class FileTooLarge(FinClawError):
    """More than is taken in at once."""

    code = "payload_too_large"
    default_message = "This file is too large."


class ImportUnderWay(FinClawError):
    """Another import of the same person runs, or is still being undone."""

    code = "import_under_way"
    default_message = "An import is under way. Wait for it to end, or undo it."
