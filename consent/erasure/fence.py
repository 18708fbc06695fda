"""Raises and drops erasure fences: while an erasure of a whole scope runs, nothing it covers is read or written."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from consent.models import ErasureFence, ErasureScope, Sources, Tombstone
from foundation.personal_data import ConsentScope

Covers = ErasureFence.Covers
# Fences by erasure scope; an erasure that names single rows needs none.
COVERS: dict[str, tuple[str, ...]] = {
    ErasureScope.ACCOUNT: (Covers.ACCOUNT,),
    ErasureScope.MEMORIES: (Covers.MEMORIES,),
    ErasureScope.PROFILE: (Covers.PROFILE,),
}
_FENCED: dict[str, frozenset[ConsentScope]] = {
    Covers.ACCOUNT: frozenset(ConsentScope),
    Covers.MEMORIES: frozenset({ConsentScope.MEMORY_LEARNING}),
    Covers.PROFILE: frozenset({ConsentScope.SAVE_TO_PROFILE}),
    Covers.SOURCES: frozenset(),
}


def raise_fence(tombstone: Tombstone, before: datetime) -> None:
    """Raise the fences that the tombstone's scope needs; scopes that name rows need none. Call as the eraser."""
    covers = COVERS.get(tombstone.scope, ())
    if tombstone.scope == ErasureScope.MEMORIES and tombstone.sources == Sources.REDACT:
        covers = (*covers, Covers.SOURCES)
    ErasureFence.objects.bulk_create(
        ErasureFence(tombstone=tombstone, user_id=tombstone.user_id, scope=scope, before=before) for scope in covers
    )


def fenced_scopes(covers: Iterable[str]) -> frozenset[ConsentScope]:
    """The consent scopes behind fences of these kinds."""
    return frozenset().union(*(_FENCED[kind] for kind in covers))


def drop_fence(tombstone: Tombstone) -> None:
    """Remove the fences of a completed erasure. Call as the eraser."""
    ErasureFence.objects.filter(tombstone=tombstone).delete()
