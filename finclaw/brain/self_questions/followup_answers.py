"""Answering what is asked of the statements that the last answer quoted. Call acting for the person, in private."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from consent.permit import Permit
from finclaw.brain.research.objective import Language
from finclaw.brain.self_questions.corrections import with_value
from finclaw.brain.self_questions.followup_recognition import LAST, FollowUp, of_words
from finclaw.brain.self_questions.listing import Entry, assembly_of, entries_of, slot_of
from finclaw.brain.self_questions.self_answers import SelfAnswer
from finclaw.brain.self_questions.wording import day_written, link, say, source_written
from finclaw.brain.types import NO_ASSEMBLY
from foundation.personal_data import Scope
from memory.models import ConversationEvent, MemoryItem, Receipt, ReceiptLine, Session
from memory.services.items import items_of
from memory.services.sessions import recent_lines
from memory.services.sources import learned_from

MOST_TOLD: Final = 6
"""Statements that one answer goes on about; of more it asks which one is meant."""
MOST_SEARCHED: Final = 400


def answer_followup(permit: Permit, session: Session, asked: FollowUp, language: Language) -> SelfAnswer | None:
    """What becomes of what was just listed; None where nothing was, and the message means something else."""
    if not permit.allows(Scope.MEMORY_LEARNING):
        return None
    if asked.kind == "forget_all":
        return _told(say("forget_all", language, page=link(say("forget_page", language), "web:forget_learned")))
    quoted = _quoted(permit, session)
    if asked.kind == "forget":
        return _forgetting(permit, session, asked, quoted, language)
    meant = _meant(asked, quoted)
    if not meant:
        return None
    if asked.kind == "correct":
        return _correcting(session, asked, meant, language)
    if len(meant) > MOST_TOLD:
        return _told(say("which", language))
    return _told("\n".join(_origin(entry, asked, language) for entry in meant), meant)


def _told(text: str, entries: Sequence[Entry] = (), correction: tuple[UUID, str] | None = None) -> SelfAnswer:
    return SelfAnswer(text, assembly_of(entries) if entries else NO_ASSEMBLY, correction=correction)


def _quoted(permit: Permit, session: Session) -> list[Entry]:
    """The statements that the last answer drew on, in its order, as far as they stand."""
    last = next(iter(recent_lines(session, 1)), None)
    if last is None or last.role != ConversationEvent.Role.ASSISTANT:
        return []
    lines = ReceiptLine.objects.filter(
        receipt__kind=Receipt.Kind.INJECTION, receipt__message_id=last.id, user_id=permit.user_id, kind="item",
        status=ReceiptLine.Status.ACCEPTED, utilized=True,
    ).order_by("context_position")  # fmt: skip
    return _standing(permit, list(lines.values_list("ref_id", flat=True)))


def _standing(permit: Permit, keys: Sequence[UUID]) -> list[Entry]:
    found = {item.pk: item for item in items_of(permit).filter(pk__in=keys, superseded_at=None)}
    return entries_of(found[key] for key in keys if key in found)


def _meant(asked: FollowUp, quoted: Sequence[Entry]) -> list[Entry]:
    if asked.ordinal:
        number = len(quoted) if asked.ordinal == LAST else asked.ordinal
        return [quoted[number - 1]] if 0 < number <= len(quoted) else []
    if asked.words:
        return [quoted[number] for number in of_words(asked.words, [entry.text for entry in quoted])]
    return list(quoted)


def _forgetting(
    permit: Permit, session: Session, asked: FollowUp, quoted: Sequence[Entry], language: Language
) -> SelfAnswer | None:
    """Which statements would go, each with the page that previews it and asks. Nothing goes by the chat alone."""
    meant = _meant(asked, quoted) or (_just_learned(permit, session) if asked.is_pointing else [])
    if not meant and asked.words:
        meant = _searched(permit, asked.words)
    if not meant:
        return None
    if len(meant) > MOST_TOLD:
        return _told(say("which", language))
    lines = [
        f"- {entry.text}: {link(say('forget_it', language), 'web:forget_memory', entry.item.pk)}" for entry in meant
    ]
    return _told("\n".join([say("forget_preview", language), *lines]), meant)


def _just_learned(permit: Permit, session: Session) -> list[Entry]:
    """What the last message of the person taught."""
    own = [line.id for line in recent_lines(session, 2) if line.role == ConversationEvent.Role.USER]
    return entries_of(learned_from(permit, own[:1]))


def _searched(permit: Permit, words: str) -> list[Entry]:
    items: QuerySet[MemoryItem] = items_of(permit).filter(superseded_at=None)
    entries = entries_of(items[:MOST_SEARCHED])
    found = of_words(words, [f"{entry.text} {slot_of(entry.item)}" for entry in entries])
    return [entries[number] for number in found]


def _correcting(session: Session, asked: FollowUp, meant: Sequence[Entry], language: Language) -> SelfAnswer:
    """With what is right the statement is put right; without it, or where the words could mean several, it asks."""
    if len(meant) > 1:
        fitting = [entry for entry in meant if asked.value and with_value(entry.item, asked.value)]
        if len(fitting) != 1:
            return _told(say("which_wrong", language))
        meant = fitting
    [entry] = meant
    content = with_value(entry.item, asked.value) if asked.value else None
    if content is None or not session.remember:
        page = link(say("correct_page", language), "web:memory", entry.item.pk)
        forget = link(say("forget_it", language), "web:forget_memory", entry.item.pk)
        return _told(say("what_is_right", language, text=entry.text, page=page, forget=forget), meant)
    return _told(say("corrected", language, new=content, old=entry.text), meant, (entry.item.pk, content))


def _origin(entry: Entry, asked: FollowUp, language: Language) -> str:
    day = day_written(entry.item.valid_at, language)
    if asked.kind == "since":
        return say("since", language, text=entry.text, day=day)
    page = link(say("source_page", language), "web:memory", entry.item.pk)
    return say("source", language, text=entry.text, origin=source_written(entry.item, language), page=page)
