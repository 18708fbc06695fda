"""In which mode somebody is spoken to in a conversation (P-2). Call all of it in a transaction acting for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.services import screened
from foundation.exceptions import ValidationFailed
from memory.models import ConversationEvent, Session
from personas import modes
from personas.configuration import configured
from personas.exceptions import PersonaModesOff
from personas.models import PersonaState
from personas.services import telemetry
from personas.services.preferences import preferences_of
from personas.services.write_back import take_back
from personas.types import (
    MODES,
    Inferred,
    Kept,
    Mode,
    ModeRequest,
    ModeSource,
    Preference,
    StateChange,
    StateView,
)

MAX_TTL_TURNS = 1_000
MAX_NOTE_CHARS = 200


def state_of(permit: Permit, session: Session) -> StateView:
    """The mode that holds at the person's next turn."""
    default = _preferred(preferences_of(permit))
    return modes.in_force(_kept(permit, session), turn_of(permit, session), configured(), default)


def last_change(permit: Permit, session: Session) -> Kept | None:
    """The last time another mode was chosen or suggested in a conversation, though its turns may be over since."""
    kept = _kept(permit, session) if configured().dynamic_modes else None
    return kept if kept and kept.source != "default" else None


def at_first(preferences: Iterable[Preference]) -> StateView:
    """The mode in which a new conversation begins."""
    return modes.in_force(None, 0, configured(), _preferred(preferences))


def plan(
    permit: Permit, kept: Kept | None, session: Session, inferred: Inferred, preferences: Iterable[Preference]
) -> StateChange:
    """What a message does to the mode, with nothing stored: ``keep`` does that once there is a reply.

    ``kept`` and ``preferences`` are the person's, as ``personas.services.turn_inputs`` reads them.
    """
    turn, now, config = turn_of(permit, session), timezone.now(), configured()
    default = _preferred(preferences)
    change = modes.resolve(kept, inferred.request, turn, now, config, default)
    return modes.with_wishes(change, kept, inferred.signals, turn, now, config)


def keep(permit: Permit, session: Session, change: StateChange) -> None:
    """Store what was planned; what the person chose on a page meanwhile came later, and stays."""
    if change.kept is None:
        return
    row = _rows(permit, session).select_for_update().first()
    if row is None or row.since <= change.kept.since:
        _store(permit, session, change)


def set_mode(
    permit: Permit, session: Session, mode: str, *, notes: str = "", ttl_turns: int | None = None
) -> StateView:
    """The person's own word: it acts at once, for ``ttl_turns`` of their turns or the configured number.

    Raises ``ProfileConsentRequired`` before any decision on consent, ``PersonaModesOff``, ``SensitiveInput`` for notes
    that hold what must not be kept, ``ValidationFailed`` for values that cannot be.
    """
    permit.require_decision()
    config = configured()
    if not config.dynamic_modes:
        raise PersonaModesOff()
    request = ModeRequest(_mode(mode), "user", _ttl(ttl_turns), _notes(notes))
    default = _preferred(preferences_of(permit))
    change = modes.resolve(_kept(permit, session), request, turn_of(permit, session), timezone.now(), config, default)
    return _store(permit, session, change)


def clear(permit: Permit, session: Session) -> StateView:
    """The default again, without what was wished for in this conversation, which no longer counts as a sign of what its
    person wants; rules may suggest from now on.
    """
    take_back(permit, session)
    kept = _kept(permit, session)
    if kept is None:
        return state_of(permit, session)
    default = _preferred(preferences_of(permit))
    return _store(permit, session, modes.cleared(kept, turn_of(permit, session), timezone.now(), configured(), default))


def turn_of(permit: Permit, session: Session) -> int:
    """The number of the person's next turn: each is a message and its reply, and in a group others have theirs."""
    if session.group_id is None:
        return session.last_seq // 2
    said = ConversationEvent.objects.filter(session_id=session.pk, role=ConversationEvent.Role.USER)
    return said.filter(user_id=permit.user_id).count()


def _rows(permit: Permit, session: Session) -> QuerySet[PersonaState]:
    return PersonaState.objects.filter(session_id=session.pk, user_id=permit.user_id)


def _kept(permit: Permit, session: Session) -> Kept | None:
    row = _rows(permit, session).first()
    if row is None:
        return None
    return Kept(
        mode=cast("Mode", row.mode),
        source=cast("ModeSource", row.mode_source),
        since=row.since,
        since_turn=row.since_turn,
        ttl_turns=row.ttl_turns,
        notes=row.notes,
        ruled_turn=row.ruled_turn,
        wishes=tuple(sorted(row.wishes.items())),
    )


def _store(permit: Permit, session: Session, change: StateChange) -> StateView:
    kept = change.kept
    assert kept is not None  # the callers have one
    values = {
        "mode": kept.mode,
        "mode_source": kept.source,
        "since": kept.since,
        "since_turn": kept.since_turn,
        "ttl_turns": kept.ttl_turns,
        "notes": kept.notes,
        "ruled_turn": kept.ruled_turn,
        "wishes": dict(kept.wishes),
    }
    PersonaState.objects.update_or_create(session_id=session.pk, user_id=permit.user_id, defaults=values)
    if change.changed:
        telemetry.mode_changed(session.pk, change.before, change.after.mode, change.after.mode_source)
    return change.after


def _preferred(preferences: Iterable[Preference]) -> Mode | None:
    """The mode somebody wants for good: their default."""
    values = (one.value for one in preferences if one.key == "mode")
    return next((value for value in values if value in MODES), None)


def _mode(value: str) -> Mode:
    if value not in MODES:
        raise ValidationFailed(details={"mode": [f"Choose one of {', '.join(MODES)}."]})
    return value


def _ttl(value: int | None) -> int | None:
    if value is not None and not 1 <= value <= MAX_TTL_TURNS:
        raise ValidationFailed(details={"ttl_turns": [f"Give between 1 and {MAX_TTL_TURNS} turns."]})
    return value


def _notes(value: str) -> str:
    if len(value) > MAX_NOTE_CHARS:
        raise ValidationFailed(details={"notes": [f"Give at most {MAX_NOTE_CHARS} characters."]})
    return screened("persona_notes", value.strip()).text
