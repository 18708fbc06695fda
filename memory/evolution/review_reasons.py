"""The reasons for which a memory awaits the user's confirmation, as its row keeps them."""

from __future__ import annotations

from typing import Final

ASKED_BY_GATE: Final = "gate.ask"
"""The gate is not sure that the sentence teaches something lasting."""
