"""Reads a user's lasting style preferences, which are memories of the type ``persona_preference``.

They are undone, erased, exported and purged like any other memory. A preference that awaits the user's confirmation is
no memory yet. Call everything here in a transaction acting for the user.
"""

from __future__ import annotations

from functools import lru_cache
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from consent.services import scope_held_since
from foundation.exceptions import require_found
from foundation.language import (
    Language,
)
from foundation.personal_data import ConsentScope
from memory.models import EvolutionEvent, MemoryItem
from memory.querysets import MemoryItemQuerySet
from memory.services import item_queries
from personas.models import PersonaSignal
from personas.services import telemetry
from personas.types import Preference, WriteBackReason
from personas.wording import preference_sentence

PERSONA = MemoryItem.MemoryType.PERSONA_PREFERENCE
OUTDATED = MemoryItem.EpistemicType.OUTDATED
SLOT = "persona.{}"
"""The slot of a key's memory. It holds one value, and no statement of the learning pipeline has this slot."""


def preferences_of(permit: Permit) -> tuple[Preference, ...]:
    """The user's preferences in force and up to date, by key; none without ``memory_learning_allowed``.

    The ids of the rows are cached for each version of the consent and of the memory; their words are read each time,
    so that no process keeps them.
    """
    return (
        preferences_at_version(permit, _memory_version(permit)) if permit.allows(ConsentScope.MEMORY_LEARNING) else ()
    )


def preferences_at_version(permit: Permit, memory_version: UUID | None) -> tuple[Preference, ...]:
    """``preferences_of`` for a caller who knows the memory's version: the id of its latest change."""
    ids = _preference_ids(permit, memory_version)
    rows = (
        _preference_items(permit).filter(pk__in=ids).in_force(timezone.now()).exclude(epistemic_type=OUTDATED)
        if ids
        else ()
    )
    return tuple(sorted((as_preference(row) for row in rows), key=lambda found: found.key))


def preference_of(permit: Permit, memory_id: UUID) -> Preference:
    """One preference of the user's, whatever its state. Raises ``NotFound``."""
    row = require_found(_preference_items(permit).filter(pk=memory_id).first())
    return as_preference(row)


def waiting_preferences(permit: Permit) -> tuple[Preference, ...]:
    """Preferences that wait for the user's confirmation, the latest first."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return ()
    return tuple(_waiting_preference(row) for row in waiting_rows(permit).order_by("-said_at"))


def waiting_rows(permit: Permit) -> QuerySet[PersonaSignal]:
    """The waiting signs, stored under a consent that has held since."""
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    return PersonaSignal.objects.filter(user_id=permit.user_id, waiting=True, consent_version__gte=since)


def dismiss_waiting(permit: Permit, preference_id: UUID) -> bool:
    """Discard a waiting preference; its count begins anew.

    Returns False for a preference that is a memory: only an erasure removes that. Raises ``NotFound`` for neither.
    """
    row = waiting_rows(permit).filter(pk=preference_id).first()
    if row is None:
        preference_of(permit, preference_id)
        return False
    PersonaSignal.objects.filter(user_id=permit.user_id, slot=row.slot).delete()
    telemetry.write_back_decided(row.session_id, row.slot, "dismissed", "dismissed_by_user")
    return True


def open_memory(permit: Permit, key: str) -> MemoryItem | None:
    """The memory of a preference key that is not superseded, whatever its state."""
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    open_rows = _preference_items(permit).filter(superseded_at=None, consent_version__gte=since)
    return open_rows.filter(attributes__slot=SLOT.format(key)).first()


def as_preference(row: MemoryItem) -> Preference:
    """The preference that a memory item holds."""
    return Preference(
        id=row.pk,
        key=row.slot.removeprefix(SLOT.format("")),
        value=row.value,
        confidence=row.confidence,
        source=_preference_reason(row),
        text=row.content,
        memory_id=row.pk,
        updated_at=row.created_at,
        said_in=row.message_ids,
    )


def _preference_items(permit: Permit) -> MemoryItemQuerySet:
    return item_queries.items_of(permit).filter(memory_type=PERSONA)


def _memory_version(permit: Permit) -> UUID | None:
    """The version of the user's memory: the id of its latest change."""
    changes = EvolutionEvent.objects.filter(user_id=permit.user_id).order_by("-created_at")
    return changes.values_list("pk", flat=True).first()


@lru_cache(maxsize=4_096)
def _preference_ids(permit: Permit, _memory: UUID | None) -> tuple[UUID, ...]:
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    rows = _preference_items(permit).filter(superseded_at=None, consent_version__gte=since)
    return tuple(rows.values_list("pk", flat=True))


def _preference_reason(row: MemoryItem) -> WriteBackReason:
    if row.provenance == MemoryItem.Provenance.ANALYSIS:
        return "repeated"
    return "explicit" if row.provenance_detail.get("rule") == "persona.explicit" else "confirmed"


def _waiting_preference(row: PersonaSignal) -> Preference:
    language: Language = "zh" if row.language == "zh" else "en"
    return Preference(
        id=row.pk,
        key=row.slot,
        value=row.value,
        confidence=0.0,
        source="waiting",
        text=preference_sentence(row.slot, row.value, language),
        memory_id=None,
        updated_at=row.said_at,
        said_in=(row.message_id,),
    )
