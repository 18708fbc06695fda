"""Connects and disconnects programs and keeps them from kinds of memory, on behalf of users, operators or the programs
themselves; each act is audited.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.utils import timezone
from oauth2_provider.models import Application, clear_expired

from consent.models import AuditEvent
from foundation.accounts.models import PROGRAM_NAME_CHARS, ApiToken, ConnectedProgram, User
from foundation.accounts.program_tokens import end_connections
from foundation.accounts.programs import connect_program
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.kinds import KINDS

UNUSED_AFTER: Final = timedelta(days=7)
"""How long a registered program is kept while no user connects it."""


def connect(user: User, application: Application, scopes: Collection[str], resource: str) -> ConnectedProgram:
    """Let a program act in the user's name within these scopes."""
    with acting_as(user.pk):
        program = connect_program(user, application, application.name[:PROGRAM_NAME_CHARS], scopes, resource)
        _audit("program.connected", program, user.pk, {"scopes": program.scopes})
    return program


def withhold(user: User, credential: ConnectedProgram | ApiToken, kinds: Collection[str]) -> None:
    """Keep a connected program, or whoever holds a key, from these kinds of memory and from no others."""
    with acting_as(user.pk):
        credential.withheld_kinds = [kind for kind in KINDS if kind in kinds]
        credential.save(update_fields=["withheld_kinds"])
        _audit("program.kinds_withheld", credential, user.pk, {"withheld_kinds": credential.withheld_kinds})


def disconnect(user_id: UUID, program_id: UUID, *, actor_id: UUID | None) -> bool:
    """End a connection at once, with all its tokens; returns whether it was live. ``actor_id`` is None if the program
    itself ended it.
    """
    with acting_as(user_id):
        ended = end_connections(user_id, program_id)
        for program in ended:
            _audit("program.disconnected", program, actor_id, {"scopes": program.scopes})
    return bool(ended)


def delete_expired() -> int:
    """Scheduled: delete expired codes and tokens, and unused programs; returns how many programs were deleted."""
    clear_expired()
    with in_role(OPERATOR_ROLE):
        connected = list(ConnectedProgram.objects.values_list("application_id", flat=True).distinct())
    unused = Application.objects.filter(created__lt=timezone.now() - UNUSED_AFTER).exclude(pk__in=connected)
    return int(unused.delete()[0])


def _audit(
    action: str, program: ConnectedProgram | ApiToken, actor_id: UUID | None, details: dict[str, list[str]]
) -> None:
    AuditEvent.objects.create(
        user_id=program.user_id,
        actor_id=actor_id,
        action=action,
        subject_id=program.id,
        details=details,
    )
