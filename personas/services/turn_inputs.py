"""Reads all that an answer needs of the persona, in one query instead of four."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.personal_data import ConsentScope
from memory.models import Session
from personas.services.documents import CoreDocumentRow, core_documents
from personas.services.preferences import preferences_at_version
from personas.types import PersonaText, PersonaTexts, Preference, StoredMode

# Plain SQL: unrelated tables are read as one row. It names its columns, so that a cached plan survives a new column.
_PERSONA_INPUTS: Final = """
    SELECT
        (SELECT jsonb_agg(jsonb_build_array(d.kind, d.id, d.version, d.updated_at, d.tenant_id))
         FROM personas_personadocument d WHERE d.tenant_id IS NULL OR d.tenant_id = %(tenant)s::uuid),
        (SELECT jsonb_build_array(u.body, u.version, u.updated_at)
         FROM personas_userdocument u WHERE %(own)s AND u.user_id = %(user)s),
        (SELECT e.id FROM memory_evolutionevent e
         WHERE %(learned)s AND e.user_id = %(user)s ORDER BY e.created_at DESC LIMIT 1),
        (SELECT jsonb_build_object('mode', s.mode, 'source', s.mode_source, 'since', s.since,
             'since_turn', s.since_turn, 'ttl_turns', s.ttl_turns, 'notes', s.notes, 'ruled_turn', s.ruled_turn,
             'wishes', s.wishes, 'noted_in', s.noted_in)
         FROM personas_personastate s
         WHERE s.session_id = %(session)s AND s.user_id = %(user)s AND s.tombstone_id IS NULL),
        (SELECT jsonb_build_array(t.org_tier, t.settings, CASE WHEN %(own)s THEN t.name ELSE '' END)
         FROM accounts_tenant t WHERE t.id = %(tenant)s::uuid)
"""


@dataclass(frozen=True)
class PersonaInputs:
    """What an answer needs of the persona. ``stored_mode`` is the stored mode; None means the default mode.

    Outside an organisation ``org_tier``, ``org_settings`` and ``org_name`` are empty; ``org_name`` is empty, too,
    without the scope ``save_to_profile``.
    """

    documents: PersonaTexts
    preferences: tuple[Preference, ...]
    stored_mode: StoredMode | None
    org_tier: str
    org_settings: Mapping[str, Any]
    org_name: str


def read_persona_inputs(permit: Permit, user: User, session: Session, *, learned: bool = True) -> PersonaInputs:
    """Read the persona's inputs of a turn, without preferences where ``learned`` is False. Call in a transaction acting
    for the user.

    In a group everybody gets the default persona: members' own documents and preferences are private, and they may
    belong to different organisations.
    """
    private = session.group_id is None
    learned = learned and private and permit.allows(ConsentScope.MEMORY_LEARNING)
    asked = {
        "tenant": user.tenant_id if private else None,
        "user": permit.user_id,
        "session": session.pk,
        "own": private and permit.allows(ConsentScope.SAVE_TO_PROFILE),
        "learned": learned,
    }
    with connection.cursor() as cursor:
        cursor.execute(_PERSONA_INPUTS, asked)
        core, own, version, state, org = cursor.fetchone()
    rows = [CoreDocumentRow.told(*row) for row in json.loads(core)] if core else []
    documents = core_documents(rows)
    tier, org_settings, name = json.loads(org) if org else ("", {}, "")
    return PersonaInputs(
        PersonaTexts(
            documents["soul"], documents["identity"], _user_document(json.loads(own)) if own else PersonaText("user")
        ),
        preferences_at_version(permit, version) if learned else (),
        _stored_mode(json.loads(state)) if state else None,
        tier,
        org_settings,
        name,
    )


def _user_document(row: list[Any]) -> PersonaText:
    body, version, updated_at = row
    return PersonaText("user", body, version, datetime.fromisoformat(updated_at))


def _stored_mode(row: dict[str, Any]) -> StoredMode:
    told = {
        "since": datetime.fromisoformat(row["since"]),
        "wishes": tuple(sorted(row["wishes"].items())),
        "noted_in": UUID(row["noted_in"]) if row["noted_in"] else None,
    }
    return StoredMode(**(row | told))
