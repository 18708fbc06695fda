"""Brings a user's points into step with their search entries: what is there is written, what is not is removed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from consent.models import Capability
from consent.services import permit_for, scope_held_since
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder, embedder_for
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from memory.indexing.embedding import stored_since, texts_of
from memory.models import Projection, SearchEntry
from memory.projection.points import EntryPoint, ProjectedPoints, Vector
from memory.projection.registry import lock_projection, projections

PROJECT_TOPIC = "memory.project"
"""The topic of the jobs that the trigger on search entries queues; the migration that creates it names it too."""


@dataclass(frozen=True)
class FormerVectors:
    """Vectors of a model that is configured no more, whose projection is still searched: by entry, each with its text.

    The database holds the configured model's vectors only, so these are made for the projection alone.
    """

    model_id: str = ""
    texts: Mapping[UUID, str] = field(default_factory=dict)
    vectors: Mapping[UUID, Vector] = field(default_factory=dict)


@dataclass(frozen=True)
class _Permitted:
    """The user's entries that may stand in a projection; ``undecided`` ones are left as they are."""

    entries: Sequence[SearchEntry] = ()
    undecided: Collection[UUID] = ()
    since: int = 0
    tenant_id: UUID | None = None


def project(job: Job) -> None:
    """Bring the points of the entries that a job lists into step. Raises ``QdrantUnavailable``: then the job waits."""
    keys = [UUID(value) for value in job.payload["entries"]]
    former = former_vectors(job.user_id, keys)
    with job.completing():
        project_entries(job.user_id, keys, projections(), former)


def project_entries(
    user_id: UUID, keys: Collection[UUID], into: Iterable[Projection], former: FormerVectors | None = None
) -> None:
    """Bring the points of these entries of the user's into step in some projections.

    Call in a transaction acting for the user, and not longer open than this: the user's points are locked until its
    end, while Qdrant is asked.
    """
    lock_projection(user_id)
    permitted = _permitted(user_id, keys)
    for projection in into:
        _bring_into_step(ProjectedPoints(projection), projection, user_id, keys, permitted, former or FormerVectors())


def _bring_into_step(
    points: ProjectedPoints, projection: Projection, user_id: UUID, keys: Collection[UUID], permitted: _Permitted,
    former: FormerVectors,
) -> None:  # fmt: skip
    vectors = {
        entry.pk: np.asarray(entry.vector, dtype=np.float32)
        for entry in permitted.entries
        if entry.vector is not None and entry.model_id == projection.model_id
    }
    if former.model_id == projection.model_id:
        vectors |= _still_true(permitted, former)
    points.write(
        [
            EntryPoint(entry.pk, user_id, permitted.tenant_id, entry.kind, vectors[entry.pk])
            for entry in permitted.entries
            if entry.pk in vectors
        ]
    )
    staying = {*vectors, *permitted.undecided}
    if projection.model_id != configured_embedder().model_id:  # its vectors are not those in the database
        staying |= {entry.pk for entry in permitted.entries}
    points.remove(user_id, set(keys) - staying)


def _permitted(user_id: UUID, keys: Collection[UUID]) -> _Permitted:
    """The user's visible entries among ``keys`` that were stored under the consent that holds now."""
    entries = SearchEntry.objects.filter(pk__in=list(keys), user_id=user_id)
    user = User.objects.filter(pk=user_id).first()
    if user is None:
        return _Permitted()
    permit = permit_for(user)
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        if Capability.PERSONALIZATION in permit.stopped:  # switched off by an operator: nothing was withdrawn
            return _Permitted(undecided=set(entries.values_list("pk", flat=True)))
        return _Permitted()
    since = scope_held_since(user_id, ConsentScope.MEMORY_LEARNING)
    allowed = stored_since(entries, since)
    return _Permitted([entry for entry in entries if entry.pk in allowed], (), since, user.tenant_id)


def former_vectors(user_id: UUID, keys: Collection[UUID]) -> FormerVectors:
    """The vectors that a projection of a former model lacks for these entries. Call outside any transaction.

    Raises ``EmbeddingUnavailable``. Points that exist are kept, those of portraits apart, whose text changes.
    """
    for projection in projections():
        embedder = embedder_for(projection.model_id)
        if projection.model_id != configured_embedder().model_id and embedder is not None:
            texts = _texts_for(ProjectedPoints(projection), projection, user_id, keys)
            made = embedder.embed_passages(list(texts.values())) if texts else ()
            return FormerVectors(projection.model_id, texts, dict(zip(texts, made, strict=True)))
    return FormerVectors()


def _texts_for(
    points: ProjectedPoints, projection: Projection, user_id: UUID, keys: Collection[UUID]
) -> dict[UUID, str]:
    with acting_as(user_id):
        permitted = _permitted(user_id, keys)
        wanted = {entry.pk: entry.kind for entry in permitted.entries if entry.model_id != projection.model_id}
    existing = points.payloads(wanted)
    lacking = [key for key, kind in wanted.items() if key not in existing or kind == SearchEntry.Kind.PROFILE]
    with acting_as(user_id):
        return texts_of(SearchEntry.objects.filter(pk__in=lacking), permitted.since) if lacking else {}


def _still_true(permitted: _Permitted, former: FormerVectors) -> dict[UUID, Vector]:
    """The former model's vectors of entries whose text is still the one that was embedded."""
    keys = [entry.pk for entry in permitted.entries if entry.pk in former.vectors]
    if not keys:
        return {}
    current = texts_of(SearchEntry.objects.filter(pk__in=keys), permitted.since)
    return {key: former.vectors[key] for key, text in current.items() if text == former.texts[key]}
