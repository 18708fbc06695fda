"""Moves the beginning of the conversation in a prompt in steps, not with every message.

A provider serves from its cache only what a prompt begins with: a window that loses its oldest message in every turn
would have all that follows read anew each time.
"""

from __future__ import annotations

from typing import Final

STEP: Final = 10
"""Messages by which the beginning moves; even, so that the first message shown is always one of the user's."""


def skipped_messages(seq: int, count: int) -> int:
    """How many more of the ``count`` messages from place ``seq`` on are left out, so that they begin at a step.

    0 where they are the whole conversation, or where most of them would be left out.
    """
    more = -(seq - 1) % STEP if seq > 1 else 0
    return more if 2 * more <= count else 0
