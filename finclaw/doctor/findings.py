"""What an examination finds: a sentence, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DoctorFinding:
    """One thing that was looked at: well without a ``remedy``, ``is_urgent`` where something fails or may leak."""

    subject: str
    what: str
    remedy: str = ""
    is_urgent: bool = False

    @property
    def mark(self) -> str:
        """How it stands in a list: ``ok``, ``look`` or ``WRONG``."""
        if not self.remedy:
            return "ok"
        return "WRONG" if self.is_urgent else "look"
