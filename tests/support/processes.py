"""Looking at processes of other programs."""

from __future__ import annotations

from contextlib import suppress

import psutil


def lives(process: psutil.Process) -> bool:
    """Whether it runs: one that nobody waited for does not."""
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
