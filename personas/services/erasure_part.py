"""Adds persona rows to an erasure of named rows. Erasures of whole scopes follow the models' declarations."""

from __future__ import annotations

from django.db.models import Q

from consent.erasure.plan import Counts, ErasurePart
from consent.erasure.types import Targets
from consent.models import ErasureScope
from consent.permit import Permit
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.labels import SESSION, TURN
from personas.models import PersonaSignal, PersonaState


class PersonaErasure(ErasurePart):
    """Erases the signs of preferences from erased messages, and the user's mode in an erased conversation.

    Where messages lose words, the notes taken from them are emptied.
    """

    def clean(self) -> Counts:
        """Empty the notes on the conversations whose words go."""
        mine = Q() if self.plan.takes_messages else Q(session_id__in=self.plan.targets.touched.get(SESSION, ()))
        with in_role(ERASER_ROLE):
            PersonaState.with_erased.filter(mine, user_id=self.plan.user_id).exclude(notes="").update(
                notes="", noted_in=None
            )
        return {}

    def extend(self, permit: Permit) -> Targets:
        targets = self.plan.targets
        said = {*targets.losing(TURN), *targets.unlearn.get(TURN, ())}
        sessions = set(targets.delete.get(SESSION, ()))
        if self.plan.scope == ErasureScope.SESSION and self.plan.target_id:
            sessions.add(self.plan.target_id)  # a group's conversation stays, without the user's part
        signals = PersonaSignal.objects.filter(
            Q(message_id__in=said) | Q(session_id__in=sessions), user_id=permit.user_id
        )
        states = PersonaState.objects.filter(session_id__in=sessions, user_id=permit.user_id)
        return targets | Targets(
            delete={rows.model._meta.label: set(rows.values_list("pk", flat=True)) for rows in (signals, states)}
        )
