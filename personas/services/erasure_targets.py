"""Persona rows that an erasure of named rows takes along. Whole scopes follow the models' declarations."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.erasure.types import Targets
from memory.erasure.targets import SESSION, TURN
from personas.models import PersonaSignal, PersonaState


def with_persona(user_id: UUID, targets: Targets, session_id: UUID | None = None) -> Targets:
    """The targets, and with them the signs that the named messages gave, and what the person chose in a conversation
    that goes: wholly, or as ``session_id`` for their own part of it. Call acting for them, before the rows hide.
    """
    parts = (targets.delete, targets.redact, targets.unlearn, targets.cut)
    said = set(chain.from_iterable(ids.get(TURN, ()) for ids in parts))
    sessions = {*targets.delete.get(SESSION, ()), *({session_id} if session_id else ())}
    signals = PersonaSignal.objects.filter(Q(message_id__in=said) | Q(session_id__in=sessions), user_id=user_id)
    states = PersonaState.objects.filter(session_id__in=sessions, user_id=user_id)
    found = {rows.model._meta.label: _ids(rows) for rows in (signals, states) if rows.exists()}
    return replace(targets, delete={**targets.delete, **found})


def _ids(rows: QuerySet[PersonaSignal] | QuerySet[PersonaState]) -> tuple[UUID, ...]:
    return tuple(sorted(rows.order_by().values_list("pk", flat=True)))
