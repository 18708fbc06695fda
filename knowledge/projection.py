"""Writes organisations' knowledge to stores outside PostgreSQL: each change by the outbox, all of it by a command.

Only facts of the organisations' own are written, never one that was made from a member's memory. PostgreSQL keeps the
truth: what the store lacks, holds too much of, or holds in an old version is found by comparing versions, and put
right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from foundation.accounts.models import Tenant
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.embeddings import configured_embedder
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from knowledge.configuration import configured_graph_projection, configured_projection
from knowledge.graph_statements import graph_rows
from knowledge.models import KnowledgeEntry, KnowledgeRelation
from knowledge.ports import GraphProjection, VectorProjection
from knowledge.types import EntryVector

ENTRY_TOPIC = "knowledge.project"
GRAPH_TOPIC = "knowledge.project_graph"
BATCH: Final = 256
_PROJECTED: Final = {"kind": KnowledgeEntry.Kind.FACT, "derived_from_user": None}
"""Which entries are written to an outside store: facts, but none that was promoted."""


def project_later(entry: KnowledgeEntry) -> None:
    """Queue an entry to be written to the outside store, in the transaction that changes it; nothing without one."""
    if configured_projection() is None or entry.is_promoted:
        return
    with in_role(WORKER_ROLE):
        outbox.enqueue(ENTRY_TOPIC, user_id=None, payload={"entry": str(entry.pk)}, priority=Priority.LOW)


def project_entry(job: Job) -> None:
    """Write one entry as it is now, or remove it. Another change meanwhile is written by this job too."""
    store, key = configured_projection(), UUID(job.payload["entry"])
    if store is not None:
        written = _read_entries([key])
        while True:
            _write_entries(store, [key], written)
            current = _read_entries([key])
            if [entry.version for entry in current] == [entry.version for entry in written]:
                break
            written = current
    with job.completing():
        pass


@dataclass(frozen=True)
class OrganisationDrift:
    """How one organisation's points differ from its entries: those to be written, and those to be removed."""

    tenant_id: UUID
    entries: int
    outdated: tuple[UUID, ...]
    surplus: tuple[UUID, ...]

    def __bool__(self) -> bool:
        return bool(self.outdated or self.surplus)


def find_drift(store: VectorProjection) -> Iterator[OrganisationDrift]:
    """The differences of each organisation, one after another. Makes the collection if it is not there."""
    embedder = configured_embedder()
    store.prepare(embedder.model_id, embedder.dimensions)
    for tenant_id in all_tenants():
        there = store.versions(tenant_id, embedder.model_id, embedder.dimensions)
        with in_role(OPERATOR_ROLE):
            own = KnowledgeEntry.objects.filter(tenant_id=tenant_id, **_PROJECTED, model_id=embedder.model_id)
            entries = dict(own.order_by("pk").values_list("pk", "version"))
        outdated = tuple(key for key, version in entries.items() if there.get(key) != version)
        yield OrganisationDrift(tenant_id, len(entries), outdated, tuple(there.keys() - entries.keys()))


def repair_drift(store: VectorProjection, drift: OrganisationDrift) -> Iterator[int]:
    """Write and remove what differs, a batch at a time; yields how many points each batch changed.

    Work that is cut off is taken up again by comparing anew.
    """
    for start in range(0, len(drift.outdated), BATCH):
        some = drift.outdated[start : start + BATCH]
        _write_entries(store, some, _read_entries(some))
        yield len(some)
    if drift.surplus:
        store.remove(drift.surplus)
        yield len(drift.surplus)


def _write_entries(store: VectorProjection, keys: Sequence[UUID], entries: Sequence[EntryVector]) -> None:
    store.put(entries)
    store.remove(set(keys) - {entry.id for entry in entries})


def _read_entries(keys: Sequence[UUID]) -> list[EntryVector]:
    """The entries of these ids that belong into the store and have a vector of the configured model."""
    with in_role(OPERATOR_ROLE):
        wanted = KnowledgeEntry.objects.filter(pk__in=keys, **_PROJECTED, model_id=configured_embedder().model_id)
        columns = (
            "pk", "tenant_id", "org_tiers", "roles", "platforms", "valid_from", "valid_to", "version", "graph_node_id",
            "vector", "model_id",
        )  # fmt: skip
        return [EntryVector(*row) for row in wanted.values_list(*columns)]


def project_graph_later(tenant_id: UUID) -> None:
    """Queue an organisation's graph to be written to an outside graph, in the transaction that changes a relation."""
    if configured_graph_projection() is None:
        return
    with in_role(WORKER_ROLE):
        outbox.enqueue(GRAPH_TOPIC, user_id=None, payload={"tenant": str(tenant_id)}, priority=Priority.LOW)


def project_graph(job: Job) -> None:
    """Write one organisation's graph as it is now."""
    graph = configured_graph_projection()
    if graph is not None:
        write_graph(graph, UUID(job.payload["tenant"]))
    with job.completing():
        pass


def write_graph(graph: GraphProjection, tenant_id: UUID) -> int:
    """Write an organisation's relations in place of what the outside graph holds of it; returns how many."""
    with in_role(OPERATOR_ROLE):
        relations = list(KnowledgeRelation.objects.filter(tenant_id=tenant_id))
    graph.replace(tenant_id, graph_rows(str(tenant_id), relations))
    return len(relations)


def all_tenants() -> list[UUID]:
    """The ids of all organisations, in order."""
    with in_role(OPERATOR_ROLE):
        return list(Tenant.objects.order_by("pk").values_list("pk", flat=True))
