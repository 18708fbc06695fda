"""Reads and changes the persona mode of a user in a conversation. Call in a transaction acting for the user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.services import screen_text
from foundation.exceptions import ValidationFailed
from memory.models import ConversationEvent, Session
from personas import modes
from personas.configuration import configured_persona
from personas.exceptions import PersonaModesOff
from personas.models import PersonaState
from personas.services import telemetry
from personas.services.preferences import preferences_of
from personas.services.write_back import forget_signs
from personas.types import (
    MODES,
    MessageWishes,
    Mode,
    ModeChange,
    ModeEnd,
    ModeInForce,
    ModeRequest,
    ModeSource,
    Preference,
    StoredMode,
)

MAX_TTL_TURNS = 1_000
MAX_NOTE_CHARS = 200


def mode_of(permit: Permit, session: Session) -> ModeInForce:
    """The mode that holds at the user's next turn."""
    default = _preferred_mode(preferences_of(permit))
    return modes.mode_in_force(
        _stored_mode(permit, session), next_turn_number(permit, session), configured_persona(), default
    )


def last_mode_change(permit: Permit, session: Session) -> StoredMode | None:
    """The last mode chosen or suggested in a conversation, even if its turns are over."""
    stored_mode = _stored_mode(permit, session) if configured_persona().dynamic_modes else None
    return stored_mode if stored_mode and stored_mode.source != "default" else None


def initial_mode(preferences: Iterable[Preference]) -> ModeInForce:
    """The mode in which a new conversation begins."""
    return modes.mode_in_force(None, 0, configured_persona(), _preferred_mode(preferences))


def plan_mode_change(
    permit: Permit,
    stored_mode: StoredMode | None,
    session: Session,
    inferred: MessageWishes,
    preferences: Iterable[Preference],
) -> ModeChange:
    """The mode change that a message makes; nothing is stored until ``store_mode_change``.

    ``stored_mode`` and ``preferences`` are the person's, as ``personas.services.turn_inputs`` reads them.
    """
    turn, now, config = next_turn_number(permit, session), timezone.now(), configured_persona()
    default = _preferred_mode(preferences)
    change = modes.resolve_request(stored_mode, _request_to_answer(inferred), turn, now, config, default)
    change = modes.add_wishes(change, stored_mode, inferred.signals, turn, now, config)
    return modes.record_ends(modes.note_message(change, stored_mode, inferred), stored_mode, turn, config, default)


def store_mode_change(permit: Permit, session: Session, change: ModeChange, said_in: UUID | None = None) -> None:
    """Store a planned mode change, unless the user chose a mode on a page meanwhile, and the ends of modes in it.

    ``said_in`` is the message that makes the change.
    """
    if change.ended_mode:
        _tell_end(session, change.ended_mode)
    if change.stored_mode is not None:
        row = _state_rows(permit, session).select_for_update().first()
        if row is None or row.since <= change.stored_mode.since:
            _store_mode(permit, session, change, said_in)
    if change.ending_mode:
        _store_end(permit, session, change.ending_mode)


def set_mode(
    permit: Permit, session: Session, mode: str, *, notes: str = "", ttl_turns: int | None = None
) -> ModeInForce:
    """Set the mode at the user's request: it acts at once, for ``ttl_turns`` of their turns or the configured number.

    Raises ``ProfileConsentRequired`` before any decision on consent, ``PersonaModesOff``, ``SensitiveInput`` for notes
    that hold what must not be kept, ``ValidationFailed`` for values that cannot be.
    """
    permit.require_decision()
    config = configured_persona()
    if not config.dynamic_modes:
        raise PersonaModesOff()
    request = ModeRequest(_require_mode(mode), "user", _require_ttl(ttl_turns), _screened_notes(notes))
    default = _preferred_mode(preferences_of(permit))
    change = modes.resolve_request(
        _stored_mode(permit, session), request, next_turn_number(permit, session), timezone.now(), config, default
    )
    return _store_mode(permit, session, change)


def clear_mode(permit: Permit, session: Session) -> ModeInForce:
    """Return to the default mode and drop this conversation's wishes.

    The wishes no longer count as signs of a preference, and rules may suggest a mode again.
    """
    forget_signs(permit, session)
    stored_mode = _stored_mode(permit, session)
    if stored_mode is None:
        return mode_of(permit, session)
    default = _preferred_mode(preferences_of(permit))
    return _store_mode(
        permit,
        session,
        modes.cleared_mode(
            stored_mode, next_turn_number(permit, session), timezone.now(), configured_persona(), default
        ),
    )


def next_turn_number(permit: Permit, session: Session) -> int:
    """The number of the user's next turn; in a group each member has their own."""
    if session.group_id is None:
        return session.last_seq // 2
    said = ConversationEvent.objects.filter(session_id=session.pk, role=ConversationEvent.Role.USER)
    return said.filter(user_id=permit.user_id).count()


def _state_rows(permit: Permit, session: Session) -> QuerySet[PersonaState]:
    return PersonaState.objects.filter(session_id=session.pk, user_id=permit.user_id)


def _stored_mode(permit: Permit, session: Session) -> StoredMode | None:
    row = _state_rows(permit, session).first()
    if row is None:
        return None
    return StoredMode(
        mode=cast("Mode", row.mode),
        source=cast("ModeSource", row.mode_source),
        since=row.since,
        since_turn=row.since_turn,
        ttl_turns=row.ttl_turns,
        notes=row.notes,
        ruled_turn=row.ruled_turn,
        wishes=tuple(sorted(row.wishes.items())),
        noted_in=row.noted_in,
    )


def _request_to_answer(inferred: MessageWishes) -> ModeRequest | None:
    """The mode that the message asks for.

    A message that says nothing else is only acknowledged: it gets one turn more, so that this answer does not count.
    """
    if inferred.wishes_only and inferred.request and inferred.request.ttl_turns:
        return replace(inferred.request, ttl_turns=inferred.request.ttl_turns + 1)
    return inferred.request


def _store_end(permit: Permit, session: Session, end: ModeEnd) -> None:
    """Record that a mode has ended, once, unless its user chose another meanwhile."""
    row = _state_rows(permit, session).filter(since=end.since, ttl_turns__gt=0)
    if row.update(ttl_turns=0, notes=end.notes):
        _tell_end(session, end)


def _tell_end(session: Session, end: ModeEnd) -> None:
    if end.before != end.after:
        telemetry.mode_changed(session.pk, end.before, end.after, "default", turns_over=True)


def _store_mode(permit: Permit, session: Session, change: ModeChange, said_in: UUID | None = None) -> ModeInForce:
    stored_mode = change.stored_mode
    assert stored_mode is not None  # the callers have one
    values = {
        "mode": stored_mode.mode,
        "mode_source": stored_mode.source,
        "since": stored_mode.since,
        "since_turn": stored_mode.since_turn,
        "ttl_turns": stored_mode.ttl_turns,
        "notes": stored_mode.notes,
        "ruled_turn": stored_mode.ruled_turn,
        "wishes": dict(stored_mode.wishes),
        "noted_in": said_in if change.has_notes else stored_mode.noted_in,
    }
    PersonaState.objects.update_or_create(session_id=session.pk, user_id=permit.user_id, defaults=values)
    if change.changes_mode:
        telemetry.mode_changed(session.pk, change.before, change.after.mode, change.after.mode_source)
    return change.after


def _preferred_mode(preferences: Iterable[Preference]) -> Mode | None:
    """The user's default mode, by their preferences."""
    values = (preference.value for preference in preferences if preference.key == "mode")
    return next((value for value in values if value in MODES), None)


def _require_mode(value: str) -> Mode:
    if value not in MODES:
        raise ValidationFailed(details={"mode": [_("One of %(values)s.") % {"values": ", ".join(MODES)}]})
    return value


def _require_ttl(value: int | None) -> int | None:
    if value is not None and not 1 <= value <= MAX_TTL_TURNS:
        sentence = _("Give between 1 and %(limit)d turns.") % {"limit": MAX_TTL_TURNS}
        raise ValidationFailed(details={"ttl_turns": [sentence]})
    return value


def _screened_notes(value: str) -> str:
    if len(value) > MAX_NOTE_CHARS:
        raise ValidationFailed(details={"notes": [_("At most %(limit)d characters.") % {"limit": MAX_NOTE_CHARS}]})
    return screen_text("persona_notes", value.strip()).text
