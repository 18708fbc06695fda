"""Reads cognitive events for users and stores their corrections."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from consent.permit import Permit
from consent.sensitive.services import screen_text
from foundation.accounts.models import Membership, User
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.indexing.event_terms import reindex_corrected
from memory.models import CognitiveEvent, SearchEntry
from memory.portraits.sentence_classifier import tells_of_health
from memory.portraits.tasks import queue_events
from memory.services.versions import learning_transaction

_PART: Final = re.compile(r"(?P<event_id>.+:[0-9]{1,10})\.(?P<part>[0-9]{1,4})", re.DOTALL)
MAX_EVENT_CHARS = 2_000
PERSON = "person"  # ``rewritten_by`` of an event that the user corrected; otherwise it names a model or the rules


def events_of(permit: Permit) -> QuerySet[CognitiveEvent]:
    """The user's own events and those of their groups, each once, the latest first. None without consent."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return CognitiveEvent.objects.none()
    own = Q(user_id=permit.user_id, perspective=CognitiveEvent.Perspective.SENDER)
    # No join: it would answer the user's own row once for each member of its group.
    memberships = Membership.objects.filter(group_id=OuterRef("group_id"), user_id=permit.user_id, left_at=None)
    others = Q(perspective=CognitiveEvent.Perspective.GROUP) & ~Q(user_id=permit.user_id)
    return CognitiveEvent.objects.filter(own | (others & Exists(memberships))).order_by("-timestamp_utc", "-id")


def event_of(permit: Permit, ref: str) -> CognitiveEvent:
    """One event by its ``request_id:end_seq``, the user's own before a group's. Raises ``NotFound``.

    Of several parts the first, unless the reference names one: ``r1:1.2``.
    """
    return parts_of(permit, ref)[0]


def parts_of(permit: Permit, ref: str) -> list[CognitiveEvent]:
    """All parts of an event in order, or the one that its reference names. Raises ``NotFound``.

    In the user's own perspective where it is theirs, else in the group's.
    """
    event_id, part = split_ref(ref)
    rows = events_of(permit).filter(event_id=event_id).order_by("part", "perspective")
    found = list(rows if part is None else rows.filter(part=part))
    own = [event for event in found if event.user_id == permit.user_id]
    if not found:
        raise NotFound()
    return own or [event for event in found if event.user_id == found[0].user_id]


def split_ref(ref: str) -> tuple[str, int | None]:
    """The ``event_id`` in an event's reference, and the number of its part where the reference gives one."""
    named = _PART.fullmatch(ref)
    return (named["event_id"], int(named["part"])) if named else (ref, None)


def correct_event(permit: Permit, ref: str, text: str) -> CognitiveEvent:
    """Replace the historian's words by the user's correction, in all perspectives of the event.

    They stand as they are: nothing in them counts as unresolved. Of an event of several parts they replace the one
    named, else all. Raises ``NotFound`` for an event of somebody else's, ``ValidationFailed`` for empty or oversized
    text, and for health where a group would read of it, ``SensitiveInput``, ``ConsentScopeMissing``.
    """
    name = User.objects.get(pk=permit.user_id).name
    words = _checked_text(text, name)
    with learning_transaction(permit):
        event = event_of(permit, ref)
        if event.user_id != permit.user_id:
            raise NotFound()
        if event.group_id is not None and tells_of_health(words, name):
            raise _text_error("The group reads this too. Say what concerns your health in a conversation of your own.")
        of_event = CognitiveEvent.objects.filter(user_id=permit.user_id, event_id=event.event_id)
        if split_ref(ref)[1] is None:
            _join_parts(event, of_event)
        same = of_event.filter(part=event.part)
        same.update(
            canonical_text=words, did_what="", new_info=words, has_new_info=True, unresolved=[], rewritten_by=PERSON,
            speaks_of_start=None, speaks_of_end=None, rewriting=CognitiveEvent.Rewriting.NONE,
        )  # fmt: skip
        corrected = list(same)
        reindex_corrected(permit.user_id, event.session_id, {part.pk for part in corrected})
        queue_events(corrected, anew=True)
        return next(part for part in corrected if part.pk == event.pk)


def _join_parts(event: CognitiveEvent, of_event: QuerySet[CognitiveEvent]) -> None:
    """Join all parts into the first: it keeps the sentences of each, and the others are deleted."""
    others = of_event.exclude(part=event.part)
    rows = list(of_event.order_by("part"))
    sources = list({(source["message"], source["quote"]): source for row in rows for source in row.sources}.values())
    messages = list(dict.fromkeys(key for row in rows for key in row.message_ids))
    gone = set(others.values_list("pk", flat=True))
    if gone:
        SearchEntry.objects.filter(pk__in=gone).delete()
        others.delete()
        of_event.update(sources=sources, message_ids=messages)


def _checked_text(text: str, name: str) -> str:
    words = text.strip()
    if not words or len(words) > MAX_EVENT_CHARS:
        raise _text_error(f"Give between 1 and {MAX_EVENT_CHARS} characters.")
    return screen_text("canonical_text", words, [name]).text


def _text_error(sentence: str) -> ValidationFailed:
    return ValidationFailed(details={"canonical_text": [sentence]})


def canonical_texts(keys: Collection[UUID]) -> dict[UUID, str]:
    """The present texts of these events, as far as they can be read; no query for no keys."""
    wanted = set(keys)
    rows = CognitiveEvent.objects.filter(pk__in=wanted)
    return dict(rows.values_list("pk", "canonical_text")) if wanted else {}
