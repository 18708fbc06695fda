"""Lets a program that has loaded everything wait, as a spare, until the process that it stands by for has died."""

from __future__ import annotations

import os
import sys
from typing import Final

SPARE: Final = "FINCLAW_SPARE"
"""The variable in the environment of a spare."""


def is_spare() -> bool:
    """Whether this program is a spare that is not needed yet."""
    return bool(os.environ.get(SPARE))


def wait_until_needed() -> None:
    """Return at once, or in a spare, when it is to take over. It ends with its supervisor.

    Call it once everything is loaded that can be before a port is bound, a row claimed or a process forked.
    """
    if os.environ.pop(SPARE, None) and not sys.stdin.buffer.read(1):
        sys.exit()
