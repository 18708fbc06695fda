"""What a turn reads of the persona, in one look: four would take four times as long on the way to every answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.personal_data import Scope
from memory.models import Session
from personas.services.documents import CoreRow, core_documents
from personas.services.preferences import preferences_at
from personas.types import Document, Documents, Kept, Preference

# By hand: four tables that have nothing to do with each other, answered as one row. A kept plan outlives a new column.
_READ: Final = """
    SELECT
        (SELECT jsonb_agg(jsonb_build_array(d.kind, d.id, d.version, d.updated_at, d.tenant_id))
         FROM personas_personadocument d WHERE d.tenant_id IS NULL OR d.tenant_id = %(tenant)s::uuid),
        (SELECT jsonb_build_array(u.body, u.version, u.updated_at)
         FROM personas_userdocument u WHERE %(own)s AND u.user_id = %(user)s),
        (SELECT e.id FROM memory_evolutionevent e
         WHERE %(learned)s AND e.user_id = %(user)s ORDER BY e.created_at DESC LIMIT 1),
        (SELECT jsonb_build_object('mode', s.mode, 'source', s.mode_source, 'since', s.since,
             'since_turn', s.since_turn, 'ttl_turns', s.ttl_turns, 'notes', s.notes, 'ruled_turn', s.ruled_turn,
             'wishes', s.wishes)
         FROM personas_personastate s
         WHERE s.session_id = %(session)s AND s.user_id = %(user)s AND s.tombstone_id IS NULL),
        (SELECT jsonb_build_array(t.org_tier, t.settings) FROM accounts_tenant t WHERE t.id = %(tenant)s::uuid)
"""


@dataclass(frozen=True)
class Read:
    """What stands about how to speak to somebody in a conversation. ``kept`` None: the default mode, ever since.

    ``org_tier`` is "" outside an organisation, ``org_settings`` empty there.
    """

    documents: Documents
    preferences: tuple[Preference, ...]
    kept: Kept | None
    org_tier: str
    org_settings: Mapping[str, Any]


def read(permit: Permit, user: User, session: Session, *, learned: bool = True) -> Read:
    """Read it in a transaction acting for the person; without what was ``learned`` where memory cannot be asked.

    A group meets the assistant that everybody meets: what its members wrote or prefer is theirs alone, and their
    organisations may be several.
    """
    private = session.group_id is None
    learned = learned and private and permit.allows(Scope.MEMORY_LEARNING)
    asked = {
        "tenant": user.tenant_id if private else None,
        "user": permit.user_id,
        "session": session.pk,
        "own": private and permit.allows(Scope.SAVE_TO_PROFILE),
        "learned": learned,
    }
    with connection.cursor() as cursor:
        cursor.execute(_READ, asked)
        core, own, version, state, org = cursor.fetchone()
    rows = [CoreRow.told(*row) for row in json.loads(core)] if core else []
    documents = core_documents(rows)
    tier, org_settings = json.loads(org) if org else ("", {})
    return Read(
        Documents(documents["soul"], documents["identity"], _own(json.loads(own)) if own else Document("user")),
        preferences_at(permit, version) if learned else (),
        _kept(json.loads(state)) if state else None,
        tier,
        org_settings,
    )


def _own(row: list[Any]) -> Document:
    body, version, updated_at = row
    return Document("user", body, version, datetime.fromisoformat(updated_at))


def _kept(row: dict[str, Any]) -> Kept:
    told = {"since": datetime.fromisoformat(row["since"]), "wishes": tuple(sorted(row["wishes"].items()))}
    return Kept(**(row | told))
