from __future__ import annotations

from memory.indexing.reembedding import BACKLOG, reembedding_progress
from memory.management.backlog_command import BacklogCommand

_HELP = """Compute, in the background, the missing vectors of the configured embedding model, for example after it was
changed. The worker does so by itself every few minutes; this command queues all users at once. With --status it only
shows the progress."""


class Command(BacklogCommand):
    """Queue entries to be re-embedded, and report what waits."""

    help = _HELP
    backlogs = (BACKLOG,)
    queued = "Queued anew"

    def report(self) -> str:
        found = reembedding_progress()
        lines = [f"{entries:>10}  {model or 'no vector'}" for model, entries in found.entries.items()]
        waits = f"{found.waiting} of these entries wait for a vector of {found.model_id};"
        jobs = f"{found.jobs} jobs are under way."
        return "\n".join(["Search entries by the model that embedded them:", *lines, f"{waits} {jobs}"])
