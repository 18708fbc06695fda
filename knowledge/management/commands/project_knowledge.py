"""Compares the stores of knowledge outside PostgreSQL with it, and puts them right."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.exceptions import FinClawError
from foundation.qdrant import QdrantUnavailable
from knowledge.configuration import configured_graph_projection, configured_projection
from knowledge.entry_vectors import count_waiting
from knowledge.ports import VectorProjection
from knowledge.projection import all_tenants, find_drift, repair_drift, write_graph


class Command(BaseCommand):
    help = "Writes organisations' knowledge to the stores outside PostgreSQL. May be cut off and run again."

    def add_arguments(self, parser: CommandParser) -> None:
        """``--check`` or ``--rebuild``."""
        parser.add_argument("--check", action="store_true", help="count the differences of vectors, and change nothing")
        parser.add_argument("--rebuild", action="store_true", help="drop all vectors first")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each organisation that differs, then the sum."""
        vectors, graph = configured_projection(), configured_graph_projection()
        if vectors is None and graph is None:
            raise CommandError("Neither KNOWLEDGE_VECTOR_STORE nor KNOWLEDGE_GRAPH names a store outside PostgreSQL.")
        try:
            if vectors is not None:
                self._project_vectors(vectors, check=options["check"], rebuild=options["rebuild"])
            if graph is not None and not options["check"]:
                written = sum(write_graph(graph, tenant_id) for tenant_id in all_tenants())
                self.stdout.write(f"{written} relations written.")
        except QdrantUnavailable as error:
            raise CommandError(f"The store does not answer: {error.details.get('reason')}.") from error
        except FinClawError as error:
            raise CommandError(f"The store does not answer: {error.code}.") from error

    def _project_vectors(self, store: VectorProjection, *, check: bool, rebuild: bool) -> None:
        if rebuild:
            store.clear()
        differing, changed, entries = 0, 0, 0
        for drift in find_drift(store):
            entries += drift.entries
            differing += len(drift.outdated) + len(drift.surplus)
            if drift:
                self.stdout.write(f"{drift.tenant_id}: {len(drift.outdated)} to write, {len(drift.surplus)} to remove")
            if not check:
                changed += sum(repair_drift(store, drift))
        waiting = count_waiting()
        self.stdout.write(f"{entries} entries, {differing} differ, {changed} put right; {waiting} not embedded.")
        if check and differing:
            raise CommandError("The store differs: run without --check.")
