from __future__ import annotations

from memory.historian.event_backlog import BACKLOG, rewriting_progress
from memory.management.backlog_command import BacklogCommand

_HELP = """Write again, in the background, the events of an earlier version, which told of several things at once. The
worker does so by itself every few minutes; this command queues all users at once. With --status it only shows the
progress."""


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
