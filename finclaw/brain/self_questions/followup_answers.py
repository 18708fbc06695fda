"""Answers follow-ups on the statements that the last answer quoted. Call acting for the user, in private."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from consent.permit import Permit
from finclaw.brain.self_questions.corrections import replace_value
from finclaw.brain.self_questions.followup_recognition import LAST, FollowUp, match_words
from finclaw.brain.self_questions.listing import ListedStatement, assembly_of, entries_of, slot_of
from finclaw.brain.self_questions.self_answers import SelfAnswer
from finclaw.brain.self_questions.wording import describe_day, describe_source, link, phrase
from finclaw.brain.types import NO_ASSEMBLY
from foundation.language import Language
from foundation.personal_data import ConsentScope
from memory.models import ConversationEvent, MemoryItem, Receipt, ReceiptLine, Session
from memory.services.item_queries import items_of
from memory.services.sessions import recent_lines
from memory.services.sources import learned_from

MOST_TOLD: Final = 6
"""At most so many statements are answered at once; of more the answer asks which is meant."""
MOST_SEARCHED: Final = 400


def answer_followup(permit: Permit, session: Session, followup: FollowUp, language: Language) -> SelfAnswer | None:
    """The answer to a follow-up; None where nothing was listed or the message means something else."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return None
    if followup.kind == "forget_all":
        return _answer_with(
            phrase("forget_all", language, page=link(phrase("forget_page", language), "web:forget_learned"))
        )
    quoted = _last_quoted(permit, session)
    if followup.kind == "forget":
        return _answer_forget(permit, session, followup, quoted, language)
    meant = _choose_meant(followup, quoted)
    if not meant:
        return None
    if followup.kind == "correct":
        return _answer_correction(session, followup, meant, language)
    if len(meant) > MOST_TOLD:
        return _answer_with(phrase("which", language))
    return _answer_with("\n".join(_answer_origin(entry, followup, language) for entry in meant), meant)


def _answer_with(
    text: str, entries: Sequence[ListedStatement] = (), correction: tuple[UUID, str] | None = None
) -> SelfAnswer:
    return SelfAnswer(text, assembly_of(entries) if entries else NO_ASSEMBLY, correction=correction)


def _last_quoted(permit: Permit, session: Session) -> list[ListedStatement]:
    """The statements that the last answer quoted, in its order, as far as they are still in force."""
    last = next(iter(recent_lines(session, 1)), None)
    if last is None or last.role != ConversationEvent.Role.ASSISTANT:
        return []
    lines = ReceiptLine.objects.filter(
        receipt__kind=Receipt.Kind.INJECTION, receipt__message_id=last.id, user_id=permit.user_id, kind="item",
        status=ReceiptLine.Status.ACCEPTED, utilized=True,
    ).order_by("context_position")  # fmt: skip
    return _entries_in_force(permit, list(lines.values_list("ref_id", flat=True)))


def _entries_in_force(permit: Permit, keys: Sequence[UUID]) -> list[ListedStatement]:
    found = {item.pk: item for item in items_of(permit).filter(pk__in=keys, superseded_at=None)}
    return entries_of(found[key] for key in keys if key in found)


def _choose_meant(followup: FollowUp, quoted: Sequence[ListedStatement]) -> list[ListedStatement]:
    if followup.ordinal:
        number = len(quoted) if followup.ordinal == LAST else followup.ordinal
        return [quoted[number - 1]] if 0 < number <= len(quoted) else []
    if followup.words:
        return [quoted[number] for number in match_words(followup.words, [entry.text for entry in quoted])]
    return list(quoted)


def _answer_forget(
    permit: Permit, session: Session, followup: FollowUp, quoted: Sequence[ListedStatement], language: Language
) -> SelfAnswer | None:
    """The statements to be forgotten, each linked to the page that previews and confirms it; the chat itself erases
    nothing.
    """
    meant = _choose_meant(followup, quoted) or (_learned_last(permit, session) if followup.is_pointing else [])
    if not meant and followup.words:
        meant = _find_by_words(permit, followup.words)
    if not meant:
        return None
    if len(meant) > MOST_TOLD:
        return _answer_with(phrase("which", language))
    lines = [
        f"- {entry.text}: {link(phrase('forget_it', language), 'web:forget_memory', entry.item.pk)}" for entry in meant
    ]
    return _answer_with("\n".join([phrase("forget_preview", language), *lines]), meant)


def _learned_last(permit: Permit, session: Session) -> list[ListedStatement]:
    """What the user's last message taught."""
    own = [line.id for line in recent_lines(session, 2) if line.role == ConversationEvent.Role.USER]
    return entries_of(learned_from(permit, own[:1]))


def _find_by_words(permit: Permit, words: str) -> list[ListedStatement]:
    items: QuerySet[MemoryItem] = items_of(permit).filter(superseded_at=None)
    entries = entries_of(items[:MOST_SEARCHED])
    found = match_words(words, [f"{entry.text} {slot_of(entry.item)}" for entry in entries])
    return [entries[number] for number in found]


def _answer_correction(
    session: Session, followup: FollowUp, meant: Sequence[ListedStatement], language: Language
) -> SelfAnswer:
    """Correct the statement if the right value is known and one statement is meant; else ask."""
    if len(meant) > 1:
        fitting = [entry for entry in meant if followup.value and replace_value(entry.item, followup.value)]
        if len(fitting) != 1:
            return _answer_with(phrase("which_wrong", language))
        meant = fitting
    [entry] = meant
    content = replace_value(entry.item, followup.value) if followup.value else None
    if content is None or not session.remember:
        page = link(phrase("correct_page", language), "web:memory", entry.item.pk)
        forget = link(phrase("forget_it", language), "web:forget_memory", entry.item.pk)
        return _answer_with(phrase("what_is_right", language, text=entry.text, page=page, forget=forget), meant)
    return _answer_with(phrase("corrected", language, new=content, old=entry.text), meant, (entry.item.pk, content))


def _answer_origin(entry: ListedStatement, followup: FollowUp, language: Language) -> str:
    day = describe_day(entry.item.valid_at, language)
    if followup.kind == "since":
        return phrase("since", language, text=entry.text, day=day)
    page = link(phrase("source_page", language), "web:memory", entry.item.pk)
    return phrase("source", language, text=entry.text, origin=describe_source(entry.item, language), page=page)
