"""Reads the words of the statement or event that an erasure names, even from rows that are already hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connection
from django.db.models import Q

from consent.erasure.plan import ErasurePlan
from consent.erasure.types import Targets
from consent.models import ErasureScope
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.language import Language, split_sentences
from foundation.text import tokenize
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.labels import EVENT, ITEM, TURN
from memory.erasure.portrait_sources import lines_made_of
from memory.erasure.sentence_cuts import (
    cut_sentences,
    matches_lengths,
    relocate_cut,
    removed_sentences,
    texts_of_blocks,
)
from memory.indexing.documents import quote_lexeme
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem
from memory.rewriting.canonical_text import date_head

_LANGUAGES: Final[tuple[Language, ...]] = ("zh", "en")
_MOST_TERMS: Final = 400  # of the erased texts, by which other texts with the same words are looked up
_SHARING: Final = """
    SELECT id FROM memory_searchentry
    WHERE user_id = %s AND kind = 'item' AND tombstone_id IS NULL AND terms @@ %s::tsquery
"""


def erased_words(plan: ErasurePlan) -> ErasedWords:
    """The words of the forgotten statement or event and of the sentences it was said in.

    Empty for an erasure of another scope, which names rows only. Call while acting for the user.
    """
    user_id, targets = plan.user_id, plan.targets
    items, events = targets.delete.get(ITEM, ()), targets.delete.get(EVENT, ())
    with in_role(ERASER_ROLE):
        if plan.scope == ErasureScope.ITEM:
            named, statements = items, statements_of_items(MemoryItem.with_erased.filter(pk__in=items, user_id=user_id))
        elif plan.scope == ErasureScope.EVENT:
            told = CognitiveEvent.with_erased.filter(pk__in=events, user_id=user_id)
            named, statements = events, statements_of_events(told)
        else:
            return NO_WORDS
        statements += [(line, "") for line in lines_made_of(user_id, named)]
        quotes = list(_sentences_going(user_id, targets))
    return erased_words_beside(user_id, statements, quotes, items, targets.emptied_or_cut(TURN))


def statements_of_items(items: Iterable[MemoryItem]) -> list[tuple[str, str]]:
    """The contents of memories, each with its value where a rule found one."""
    return [(item.content, item.value) for item in items]


def statements_of_events(events: Iterable[CognitiveEvent]) -> list[tuple[str, str]]:
    """The sentences of events, without their opening dates."""
    return [
        (sentence, "")
        for event in events
        for sentence in split_sentences(without_date_head(event, event.canonical_text))
    ]


def without_date_head(event: CognitiveEvent, text: str) -> str:
    """A text of an event without its opening date."""
    return text.removeprefix(date_head_of(event, text))


def date_head_of(event: CognitiveEvent, text: str) -> str:
    """The opening date of a text of an event, or ""."""
    day = event.timestamp_utc.astimezone(ZoneInfo(event.timezone)).date()
    heads = (date_head(day, language) for language in _LANGUAGES)
    return next((head for head in heads if text.startswith(head)), "")


def erased_words_beside(
    user_id: UUID,
    statements: Iterable[tuple[str, str]],
    quotes: Iterable[str],
    gone: Collection[UUID],
    messages: Collection[UUID],
    around: Iterable[str] = (),
) -> ErasedWords:
    """The erased words of these statements, weighed against the user's memories that stay.

    These are the memories learned from the ``messages``, and those that share a word with the statements, the quotes or
    the texts ``around``, but not the erased ones (``gone``).
    """
    told, said = list(statements), list(quotes)
    with in_role(ERASER_ROLE):
        staying = _contents_that_stay(user_id, [*(text for text, _ in told), *said, *around], gone, messages)
        names = [name for user in User.objects.filter(pk=user_id) for name in (user.name, user.username)]
    return ErasedWords.of(told, said, staying, names)


def _contents_that_stay(
    user_id: UUID, texts: Iterable[str], gone: Collection[UUID], messages: Collection[UUID]
) -> list[str]:
    terms = list(dict.fromkeys(term for text in texts for term in tokenize(text)))[:_MOST_TERMS]
    sharing: list[UUID] = []
    if terms:
        with connection.cursor() as cursor:
            cursor.execute(_SHARING, [user_id, " | ".join(map(quote_lexeme, terms))])
            sharing = [key for (key,) in cursor.fetchall()]
    taught = (Q(provenance_detail__message_ids__contains=[str(key)]) for key in messages)
    items = MemoryItem.with_erased.filter(user_id=user_id, superseded_at=None, tombstone_id=None).exclude(pk__in=gone)
    return list(items.filter(reduce(or_, taught, Q(pk__in=sharing))).values_list("content", flat=True))


def _sentences_going(user_id: UUID, targets: Targets) -> Iterable[str]:
    """The sentences to be erased from the user's own messages."""
    cuts = targets.cut.get(TURN, {})
    mine = ConversationEvent.with_erased.filter(
        pk__in=targets.emptied_or_cut(TURN), user_id=user_id, role=ConversationEvent.Role.USER
    )
    for message in mine:
        texts = texts_of_blocks(message.content)
        cut = cuts.get(message.pk) or cut_sentences(texts, lambda _: True)
        yield from removed_sentences(cut if matches_lengths(cut, texts) else relocate_cut(cut, texts), texts)
