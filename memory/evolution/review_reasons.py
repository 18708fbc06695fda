"""Why a statement awaits the user's confirmation, as its memory keeps the reason."""

from __future__ import annotations

from typing import Final

ASKED: Final = "gate.ask"
"""A sentence may teach something lasting, and may not."""
