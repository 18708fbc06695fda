"""Throwaway people who said a word of their own everywhere, and then ask for five erasures each.

Imports models: only once Django is set up.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from bench.people import somebody
from consent.models import ErasureScope, Sources, Tombstone
from consent.permit import Permit
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.historian.services import end
from memory.learning.services import observe
from memory.models import Session
from memory.research.profile_context import save_profile_context
from memory.services.item_queries import items_of
from memory.services.sessions import record_messages, start_session
from memory.types import EndInput, NewMessage

SENTENCES = ("I prefer answers about {}.", "I follow {}.", "We spoke of {} today.")
_ENDED = EndInput("bench")
_EVENT_ID = f"{_ENDED.request_id}:{_ENDED.end_seq}"


@dataclass(frozen=True)
class Talker:
    """Somebody, the word that stands in everything they said, and one of their conversations."""

    number: int
    person: User
    permit: Permit
    needle: str
    session: Session


def talker(number: int) -> Talker:
    """A new person with memories, messages, an event and a profile, all of which say their word."""
    person, permit = somebody(f"bench-{os.getpid()}-{number}")
    needle = f"zq{os.getpid()}x{number}qz"
    sessions = [_said(person, permit, sentence.format(needle)) for sentence in SENTENCES]
    with acting_as(person.pk):
        save_profile_context(permit, {"user_focus_reason": needle})
        end(permit, person, sessions[0], EndInput(_ENDED.request_id, new_info=f"reads about {needle}"))
    drain()
    return Talker(number, person, permit, needle, sessions[-1])


def asked_of(talkers: Sequence[Talker]) -> list[Tombstone]:
    """Everybody's erasures, all of them waiting for a worker."""
    return [tombstone for speaker in talkers for tombstone in _asked(speaker)]


def _asked(speaker: Talker) -> list[Tombstone]:
    """A memory, an event, a conversation, what was stated; then everything learned, of every second one the account."""
    with acting_as(speaker.person.pk):
        memory = str(items_of(speaker.permit)[0].pk)
    rest = ErasureScope.ACCOUNT if speaker.number % 2 else ErasureScope.MEMORIES
    wishes = (
        (ErasureScope.ITEM, memory),
        (ErasureScope.EVENT, _EVENT_ID),
        (ErasureScope.SESSION, str(speaker.session.pk)),
        (ErasureScope.PROFILE, ""),
        (rest, ""),
    )
    return [_forget(speaker.person, scope, target) for scope, target in wishes]


def _forget(person: User, scope: ErasureScope, target: str) -> Tombstone:
    with acting_as(person.pk):
        return forget(person, scope, target, Sources.REDACT, source="command")


def _said(person: User, permit: Permit, text: str) -> Session:
    with acting_as(person.pk):
        session = start_session(permit, person)
        observe(permit, record_messages(permit, session, [NewMessage.of_text("user", text, person.name)]))
        return session
