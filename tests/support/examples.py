"""How many examples a property is tried on: a quarter in each run of the suite, all of them in ``make prove``."""

from __future__ import annotations

import os
from typing import Final

_ALL: Final = "ALL_EXAMPLES" in os.environ


def examples(number: int) -> int:
    """So many, or a quarter; each run of the suite draws others."""
    return number if _ALL else number // 4
