"""Stores a user's lasting style preferences as memories: when stated, repeated or confirmed, never from one remark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from consent.permit import Permit
from consent.services import hold_permit, scope_held_since
from foundation.language import Language
from foundation.personal_data import ConsentScope
from memory.confidence import EXPLICIT_CONFIDENCE
from memory.evolution.slots import USER_SUBJECT
from memory.models import ConversationEvent, MemoryItem, Session
from memory.services import items
from memory.services.history import Actor
from memory.services.versions import ItemDraft
from personas.configuration import configured_persona
from personas.exceptions import PersonaWriteBackOff
from personas.models import PersonaSignal
from personas.services import telemetry
from personas.services.preferences import (
    OUTDATED,
    PERSONA,
    SLOT,
    as_preference,
    open_memory,
    preference_of,
    waiting_rows,
)
from personas.types import Mode, Preference, PreferenceSignal, WriteBackGround, WriteBackOutcome, WriteBackReason
from personas.wording import PREFERENCES, preference_sentence
from personas.write_back_guard import CountedSign, WriteBackDecision, decide_write_back

CATEGORY: Final = "persona"
REPEATED_CONFIDENCE: Final = 0.7
"""The confidence of a wish seen three times but never stated: below 0.8, the cap of the provenance "analysis"."""
Provenance = MemoryItem.Provenance


@dataclass(frozen=True)
class _LearnedWish:
    """A style wish about to be stored: why, and from which messages and conversations."""

    key: str
    value: str
    language: Language
    reason: WriteBackReason
    grounds: tuple[UUID, ...]
    session_id: UUID
    said_at: datetime
    sessions: tuple[UUID, ...]


def write_back_wishes(
    permit: Permit,
    message: ConversationEvent,
    signals: Iterable[PreferenceSignal],
    *,
    mode: Mode,
    in_group: bool = False,
) -> WriteBackOutcome:
    """Decide about and store the style wishes of a user's message. ``mode`` is the one they were answered in.

    Each decision is logged, whatever it is. Nothing is stored, not even a count, from a message that is not the user's
    own, was written in a group or may not be learned from. Call in a transaction acting for the user, after the message
    was recorded. Raises ``ConsentOutdated`` under a permit that is no longer valid.
    """
    meant = [
        resolved
        for resolved in (_resolve_as_now(signal, mode) for signal in signals)
        if (resolved.key, resolved.value) in PREFERENCES
    ]
    refused = _refusal(permit, message, in_group=in_group)
    if refused:
        return _leave_unwritten(message, meant, refused)
    if not meant:
        return WriteBackOutcome()
    with transaction.atomic():
        hold_permit(permit)
        done = [_decide_and_store(permit, message, signal) for signal in meant]
    return WriteBackOutcome(tuple(reason for reason, _ in done), tuple(key for _, key in done if key))


def forget_signs(permit: Permit, session: Session) -> None:
    """Delete the style signs of this conversation: the user took the wish back.

    Call in a transaction acting for them.
    """
    signs = PersonaSignal.objects.filter(user_id=permit.user_id, session_id=session.pk)
    keys = sorted(set(signs.values_list("slot", flat=True)))
    signs.delete()
    for key in keys:
        telemetry.write_back_decided(session.pk, key, "taken_back", "taken_back_by_user")


def confirm_preference(permit: Permit, preference_id: UUID) -> Preference:
    """Confirm a preference: a waiting one becomes a memory, a learned one is marked confirmed.

    Raises ``NotFound``, ``ConsentScopeMissing``, and ``PersonaWriteBackOff`` for what waits while nothing is written.
    """
    permit.require(ConsentScope.MEMORY_LEARNING)
    with transaction.atomic():
        hold_permit(permit)
        row = waiting_rows(permit).select_for_update().filter(pk=preference_id).first()
        if row is None:
            known = preference_of(permit, preference_id)  # of this kind, and theirs
            telemetry.write_back_decided(None, known.key, "confirmed", "confirmed_by_user")
            return as_preference(items.confirm(permit, preference_id, rule="persona.confirmed"))
        if not configured_persona().write_back:
            raise PersonaWriteBackOff()
        grounds = tuple(sign.message_id for sign in _earlier_signs(permit, row.slot) if sign.value == row.value)
        language: Language = "zh" if row.language == "zh" else "en"
        sessions = _sessions_of(permit, row.slot, grounds, row.session_id)
        wish = _LearnedWish(row.slot, row.value, language, "confirmed", grounds, row.session_id, row.said_at, sessions)
        telemetry.write_back_decided(row.session_id, row.slot, "confirmed", "confirmed_by_user")
        return preference_of(permit, _persist(permit, wish, Actor.PERSON))


def _resolve_as_now(signal: PreferenceSignal, mode: Mode) -> PreferenceSignal:
    """Resolve "like this" to the mode in which the user was answered."""
    return replace(signal, value=mode) if signal.as_now else signal


def _refusal(permit: Permit, message: ConversationEvent, *, in_group: bool) -> WriteBackGround | None:
    """Why nothing may be written from a message; None where it may teach."""
    if not configured_persona().write_back:
        return "write_back_off"
    if in_group:
        return "in_a_group"
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return "without_consent"
    if not permit.may_learn:
        return "learning_stopped"
    own = message.role == ConversationEvent.Role.USER and message.user_id == permit.user_id
    return None if own and message.learnable else "message_teaches_nothing"


def _leave_unwritten(
    message: ConversationEvent, meant: Iterable[PreferenceSignal], refused: WriteBackGround
) -> WriteBackOutcome:
    decision: WriteBackReason = "off" if refused == "write_back_off" else "session_only"
    keys = [signal.key for signal in meant]
    for key in keys:
        telemetry.write_back_decided(message.session_id, key, decision, refused)
    return WriteBackOutcome(tuple(decision for _ in keys))


def _decide_and_store(
    permit: Permit, message: ConversationEvent, signal: PreferenceSignal
) -> tuple[WriteBackReason, UUID | None]:
    known = open_memory(permit, signal.key)
    decision = decide_write_back(
        signal, message.pk, _earlier_signs(permit, signal.key), _confirmed_value(known), write_back=True
    )
    telemetry.write_back_decided(message.session_id, signal.key, decision.reason, decision.why)
    if not decision.persists:
        if decision.counts:
            _count_sign(permit, message, signal, decision)
        return decision.reason, None
    wish = _LearnedWish(
        signal.key, signal.value, signal.language, decision.reason, decision.grounds, message.session_id,
        message.occurred_at, _sessions_of(permit, signal.key, decision.grounds, message.session_id),
    )  # fmt: skip
    return decision.reason, _persist(permit, wish, Actor.PIPELINE)


def _earlier_signs(permit: Permit, key: str) -> list[CountedSign]:
    """The user's signs of a key, oldest first, stored under a consent that has held since."""
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    rows = PersonaSignal.objects.filter(user_id=permit.user_id, slot=key, consent_version__gte=since)
    return [CountedSign(*row) for row in rows.order_by("said_at", "id").values_list("message_id", "value")]


def _sessions_of(permit: Permit, key: str, grounds: Iterable[UUID], last: UUID) -> tuple[UUID, ...]:
    """The conversations of these signs, the earliest first; ``last`` is that of a message that is no sign yet."""
    rows = PersonaSignal.objects.filter(user_id=permit.user_id, slot=key, message_id__in=list(grounds))
    earlier = rows.order_by("said_at", "id").values_list("session_id", flat=True)
    return tuple(dict.fromkeys([*earlier, last]))


def _confirmed_value(known: MemoryItem | None) -> str | None:
    """The value that the user stated or confirmed; None without one."""
    if known is None or known.provenance != Provenance.CONFIRMED_BY_USER or known.state != MemoryItem.State.ACTIVE:
        return None
    return known.value


def _count_sign(
    permit: Permit, message: ConversationEvent, signal: PreferenceSignal, decision: WriteBackDecision
) -> None:
    """Store a sign. For each key at most one value awaits confirmation, and a contradicting sign ends that."""
    waits = decision.reason == "waiting"
    asked = PersonaSignal.objects.filter(user_id=permit.user_id, slot=signal.key, waiting=True)
    (asked if waits else asked.exclude(value=signal.value)).update(waiting=False)
    row = PersonaSignal(
        user_id=permit.user_id,
        session_id=message.session_id,
        message_id=message.pk,
        slot=signal.key,
        value=signal.value,
        language=signal.language,
        waiting=waits,
        said_at=message.occurred_at,
        consent_version=permit.version,
    )
    PersonaSignal.objects.bulk_create([row], ignore_conflicts=True)


def _persist(permit: Permit, wish: _LearnedWish, actor: str) -> UUID:
    """Store the wish as a memory: a new item, a newer version, or the same one confirmed. Deletes its signs."""
    known = open_memory(permit, wish.key)
    if known is None:
        item = items.write(permit, _preference_draft(wish), actor=actor).item
    elif known.value == wish.value and known.epistemic_type != OUTDATED:
        item = _confirm_again(permit, known, wish, actor)
    else:
        item = items.supersede(permit, known, _preference_draft(wish), actor=actor)
    PersonaSignal.objects.filter(user_id=permit.user_id, slot=wish.key).delete()
    telemetry.preference_persisted(wish.session_id, item.pk, wish.key, wish.reason)
    return item.pk


def _confirm_again(permit: Permit, known: MemoryItem, wish: _LearnedWish, actor: str) -> MemoryItem:
    said_in = [str(key) for key in wish.grounds]
    if wish.reason == "repeated" or (
        known.provenance == Provenance.CONFIRMED_BY_USER and known.state == MemoryItem.State.ACTIVE
    ):
        return items.repeat_statement(permit, known, _preference_draft(wish))
    return items.confirm(
        permit, known.pk, actor=actor, rule=f"persona.{wish.reason}", said_in=said_in, sessions=wish.sessions
    )


def _preference_draft(wish: _LearnedWish) -> ItemDraft:
    repeated = wish.reason == "repeated"
    return ItemDraft(
        content=preference_sentence(wish.key, wish.value, wish.language),
        memory_type=PERSONA,
        epistemic_type=MemoryItem.EpistemicType.PREFERENCE,
        provenance=Provenance.ANALYSIS if repeated else Provenance.CONFIRMED_BY_USER,
        confidence=REPEATED_CONFIDENCE if repeated else EXPLICIT_CONFIDENCE,
        category=CATEGORY,
        attributes={
            "subject": USER_SUBJECT,
            "slot": SLOT.format(wish.key),
            "value": wish.value,
            "polarity": "positive",
        },
        valid_at=wish.said_at,
        source_sessions=wish.sessions,
        detail={"rule": f"persona.{wish.reason}", "message_ids": [str(key) for key in wish.grounds]},
    )
