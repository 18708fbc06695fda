from __future__ import annotations

from memory.indexing.reembedding import BACKLOG, reembedding_progress
from memory.management.backlog_command import BacklogCommand

_HELP = """Embed anew, in the background, what is stored without a vector of the configured embedding model. The worker
does so by itself every few minutes; this queues everybody at once. With --status it only says how far it has come."""


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
