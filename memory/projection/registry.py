"""Which projections there are, which of them is searched, and with which model's vectors."""

from __future__ import annotations

from time import monotonic
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection

from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.embeddings import Embedder, configured_embedder, embedder_for
from foundation.qdrant import drop_collection, is_configured
from memory.models import Projection
from memory.projection.points import ProjectedPoints, collection_of

State = Projection.State
SEARCHED_FOR_SECONDS: Final = 5.0
"""For how long a process relies on having read which projection is searched."""
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 7))"


def is_written() -> bool:
    """Whether the settings ask for a projection."""
    return settings.MEMORY_PROJECTION != "off" and is_configured()


def is_searched() -> bool:
    """Whether the settings ask for search through the projection."""
    return settings.MEMORY_PROJECTION == "searched" and is_configured()


def projections() -> list[Projection]:
    """All projections: one, or while the model changes two."""
    return list(Projection.objects.all())


def lock_projection(user_id: UUID) -> None:
    """Lock the user's points until the transaction ends, in every projection.

    Whoever writes or removes a user's points reads the user's entries after locking: so nothing that an erasure has
    removed can be written again by a worker that read it before.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [str(user_id)])


def begin_projection() -> Projection:
    """The projection of the configured model, created with its collection if there is none.

    Where the store has lost the collection, the projection is filled anew.
    """
    embedder = configured_embedder()
    wanted = Projection(
        name=collection_of(embedder.model_id, embedder.dimensions),
        model_id=embedder.model_id,
        dimensions=embedder.dimensions,
    )
    known = Projection.objects.filter(model_id=wanted.model_id).first()
    _prepare(known or wanted, is_known=known is not None)
    with in_role(WORKER_ROLE):
        return Projection.objects.get_or_create(
            model_id=wanted.model_id, defaults={"name": wanted.name, "dimensions": wanted.dimensions}
        )[0]


def prepare_projections() -> None:
    """Find out whether each projection can be asked; one whose collection was lost gets another, and is filled anew.

    Raises ``QdrantUnavailable``.
    """
    for projection in projections():
        _prepare(projection, is_known=True)


def _prepare(projection: Projection, *, is_known: bool) -> None:
    """Create the collection unless it exists. That of a known projection was lost: no search asks it any more before
    there is an empty one, however soon this process is killed.
    """
    points = ProjectedPoints(projection)
    if is_known and not points.are_there():
        _fill_anew(projection)
    points.prepare()


def _fill_anew(projection: Projection) -> None:
    """Have no search ask a projection until it has been filled from its beginning, and compared."""
    empty = {"walked_to": None, "walked_at": None, "compared_at": None, "written": 0}
    with in_role(WORKER_ROLE):
        Projection.objects.filter(pk=projection.pk).update(state=State.BUILDING, **empty)
    projection.refresh_from_db()
    forget_searched()


def drop_projection(projection: Projection) -> None:
    """Drop a projection with its collection, at once."""
    drop_collection(projection.name)
    with in_role(WORKER_ROLE):
        Projection.objects.filter(pk=projection.pk).delete()
    forget_searched()


def switch_to(projection: Projection) -> None:
    """Have searches ask this projection from now on, and drop the others."""
    with in_role(WORKER_ROLE):
        Projection.objects.exclude(pk=projection.pk).update(state=State.BUILDING)
        Projection.objects.filter(pk=projection.pk).update(state=State.SERVING)
    forget_searched()
    drop_others(projection)


def drop_others(projection: Projection) -> None:
    """Drop every projection but this one. Raises ``QdrantUnavailable``; what is left then is dropped another time."""
    for other in projections():
        if other.pk != projection.pk:
            drop_projection(other)


def searched_projection() -> Projection | None:
    """The projection that searches ask, None without any; read at most every few seconds."""
    if not is_searched():
        return None
    now = monotonic()
    known = _searched.get(connection.alias)
    if known is None or known[0] < now:
        found = Projection.objects.filter(state=State.SERVING).first()
        known = _searched[connection.alias] = (now + SEARCHED_FOR_SECONDS, found)
    return known[1]


_searched: dict[str, tuple[float, Projection | None]] = {}


def forget_searched() -> None:
    """Read anew, at the next search, which projection is searched."""
    _searched.clear()


def searching_embedder() -> Embedder:
    """The model that embeds questions: that of the searched projection, which may be the former one while the
    configured one's is built; else the configured one.
    """
    projection = searched_projection()
    return (embedder_for(projection.model_id) if projection else None) or configured_embedder()
