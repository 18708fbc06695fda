"""Persona rows that an erasure of named rows takes along. Whole scopes follow the models' declarations."""

from __future__ import annotations

from django.db.models import Q

from consent.erasure.plan import ErasurePart
from consent.erasure.types import Targets
from consent.models import ErasureScope
from consent.permit import Permit
from memory.erasure.labels import SESSION, TURN
from personas.models import PersonaSignal, PersonaState


class PersonaErasure(ErasurePart):
    """Adds the signs that erased messages gave, and what the user chose in an erased conversation."""

    def extend(self, permit: Permit) -> Targets:
        targets = self.plan.targets
        said = {*targets.losing(TURN), *targets.unlearn.get(TURN, ())}
        sessions = set(targets.delete.get(SESSION, ()))
        if self.plan.scope == ErasureScope.SESSION and self.plan.target_id:
            sessions.add(self.plan.target_id)  # a group's stays, and loses the user's part of it
        signals = PersonaSignal.objects.filter(
            Q(message_id__in=said) | Q(session_id__in=sessions), user_id=permit.user_id
        )
        states = PersonaState.objects.filter(session_id__in=sessions, user_id=permit.user_id)
        return targets | Targets(
            delete={rows.model._meta.label: set(rows.values_list("pk", flat=True)) for rows in (signals, states)}
        )
