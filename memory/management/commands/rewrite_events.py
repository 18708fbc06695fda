from __future__ import annotations

from memory.historian.event_backlog import BACKLOG, rewriting_progress
from memory.management.backlog_command import BacklogCommand

_HELP = """Write anew, in the background, the events that were written before each told of one thing. The worker does so
by itself every few minutes; this queues everybody at once. With --status it only says how far it has come."""


class Command(BacklogCommand):
    """Queue events to be rewritten, and report what waits."""

    help = _HELP
    backlogs = (BACKLOG,)

    def report(self) -> str:
        found = rewriting_progress()
        return (
            f"{found.waiting} events wait to be written anew, {found.kept} stay as they were; "
            f"{found.jobs} jobs are under way."
        )
