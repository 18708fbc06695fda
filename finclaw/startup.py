"""What a start does before anything is served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from django.core.management.base import CommandError

from consent.erasure.journal_check import journal_check
from consent.erasure.replay import APPLIED, replay_journal


def replay_erasures(say: Callable[[str], object]) -> None:
    """Hide again, at once, what a restored backup brought back; the worker then erases it.

    Raises ``CommandError`` where the journal cannot be read: serving would show what was forgotten.
    """
    if not journal_check.has_unreplayed():
        return
    say("The database is older than the journal of erasures, as after a restored backup. Forgetting again …")
    try:
        outcomes = Counter(outcome for _, outcome in replay_journal())
    except ValueError as error:
        raise CommandError(
            f"{error}: what it asks to forget might be shown. Mend the line, then start again."
        ) from None
    applied = outcomes[APPLIED]
    say(f"Applied again: {applied} erasure{'' if applied == 1 else 's'}. What was forgotten is not shown.")
