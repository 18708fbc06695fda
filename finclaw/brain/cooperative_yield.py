"""Lets other requests run between the computing steps of a turn: one process serves many."""

from __future__ import annotations

import time
from typing import Final

_SHORT: Final = 500  # characters
_SHORTLY: Final = 0.0005  # seconds: any pause lets others run


def let_others_run() -> None:
    """Yield to other greenlets between two pieces of a computation as long as what it reads."""
    time.sleep(_SHORTLY)


def yield_to_other_requests(message: str) -> None:
    """Yield between two computing steps over a message: a long one takes each step tens of milliseconds; a short one
    well under one.
    """
    if len(message) > _SHORT:
        let_others_run()
