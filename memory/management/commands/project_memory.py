from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.qdrant import QdrantUnavailable, is_configured
from memory.models import Projection
from memory.projection.comparison import compare
from memory.projection.registry import begin_projection, drop_projection, projections, switch_to
from memory.projection.upkeep import count_waiting_jobs, is_whole
from memory.projection.walk import begin_anew, count_entries, walk_on

_HELP = """Fill the projection of memory in Qdrant from PostgreSQL, compare the two, repair what differs, and have
searches ask it once it is whole. Killed, it goes on where it was. The worker does the same by itself, more slowly."""


class Command(BaseCommand):
    """Fill, compare, show or drop the projection of memory."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--status", action="store_true", help="change nothing, only say how far it is")
        what.add_argument("--anew", action="store_true", help="begin at the first entry again")
        what.add_argument("--drop", action="store_true", help="drop every projection, with all its points")

    def handle(self, *args: Any, status: bool, anew: bool, drop: bool, **options: Any) -> None:
        if not status and not is_configured():
            raise CommandError("Set QDRANT_URL or QDRANT_PATH first.")
        try:
            if drop:
                self._drop()
            elif not status:
                self._fill(anew)
        except QdrantUnavailable as error:
            raise CommandError(f"{error.message} Run this again to go on.") from None
        self._report()

    def _fill(self, anew: bool) -> None:
        if settings.MEMORY_PROJECTION == "off":
            raise CommandError("Set MEMORY_PROJECTION to written or searched first.")
        projection = begin_projection()
        if anew:
            begin_anew(projection)
        total = count_entries()
        while walk_on(projection):
            self.stdout.write(f"{projection.written:>10} of {total} entries")
            self.stdout.flush()
        drift = compare(projection)
        self.stdout.write(f"Compared and repaired: {drift.missing} were missing, {drift.surplus} were surplus.")
        if projection.state == Projection.State.BUILDING and is_whole(projection):
            switch_to(projection)

    def _drop(self) -> None:
        for projection in projections():
            drop_projection(projection)

    def _report(self) -> None:
        found = projections()
        for projection in found:
            compared = f"{projection.compared_at:%Y-%m-%d %H:%M}" if projection.compared_at else "never"
            self.stdout.write(
                f"{projection.name}: {projection.get_state_display()}, {projection.written} entries walked"
                f"{'' if projection.walked_at else ', not at the end yet'}; compared {compared}"
                + (f", {projection.missing} missing, {projection.surplus} surplus." if projection.compared_at else ".")
            )
        if not found:
            self.stdout.write("Nothing is projected.")
        self.stdout.write(f"{count_waiting_jobs()} jobs wait or run.")
