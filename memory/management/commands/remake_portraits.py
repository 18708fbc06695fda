from __future__ import annotations

from memory.management.backlog_command import BacklogCommand
from memory.portraits.rebuild_backlog import BACKLOGS, rebuild_progress

_HELP = """Compose again, in the background, the portraits that an earlier version made from events only, and those of
users who have none yet. The worker does so by itself every few minutes; this command queues all users at once. The
former text is kept as a revision. With --status it only shows the progress."""


class Command(BacklogCommand):
    """Queue portraits to be rebuilt, and report what waits."""

    help = _HELP
    backlogs = BACKLOGS

    def report(self) -> str:
        found = rebuild_progress()
        return (
            f"{found.portraits} portraits wait to be made anew, {found.people} people wait for their first; "
            f"{found.jobs} jobs are under way."
        )
