"""Finds replies that repeat what a message said, because the message was part of their prompt.

Receipts say which memories were in a prompt, but not which messages of the conversation itself. These are at most the
last ``RECENT_MESSAGES`` and, if the receipt's budget shows a summary, any message before. A reply counts as repeating a
message if the message may have been in its prompt and they share a word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import QuerySet

from foundation.text import tokenize
from memory.models import ConversationEvent, Receipt, ReceiptLine
from memory.models.sessions import text_of
from memory.services.sessions import RECENT_MESSAGES
from memory.services.summaries import SHOWN

Words = frozenset[str]
Said = Mapping[UUID, Mapping[int, Words]]  # conversation → place in it → words


def lines_given(owners: Collection[UUID], rows: Collection[UUID]) -> QuerySet[ReceiptLine]:
    """The receipt lines of these rows that stood in the prompts of replies to these users."""
    return ReceiptLine.objects.filter(
        user_id__in=owners, ref_id__in=rows, status=ReceiptLine.Status.ACCEPTED, receipt__kind="injection"
    )


def replies_given(owners: Collection[UUID], rows: Collection[UUID]) -> set[UUID]:
    """The replies to these users that had any of the rows in their prompt."""
    return set(lines_given(owners, rows).values_list("receipt__message_id", flat=True))


def index_words(texts: Iterable[str]) -> Words:
    """The index tokens of these texts, by which a repetition is recognised in Chinese and English."""
    return frozenset(token for text in texts for token in tokenize(text))


def words_by_place(messages: Collection[UUID], words: Words | None = None) -> Said:
    """The words of these messages by session and sequence number, reduced to ``words`` where given.

    Hidden messages are included where the role may see them.
    """
    said: dict[UUID, dict[int, Words]] = defaultdict(dict)
    rows = ConversationEvent.with_erased.filter(pk__in=messages).values_list("session_id", "seq", "content")
    for session_id, seq, content in rows.iterator():
        held = index_words([text_of(content)])
        held = held if words is None else held & words
        said[session_id][seq] = said[session_id].get(seq, frozenset()) | held  # a place may hold two answers
    return said


def repeating_replies(said: Said, erased: Collection[UUID]) -> dict[UUID, UUID]:
    """The readable replies that repeat any of the words, except the ``erased`` messages themselves.

    Maps the id of each reply to the user it answered.
    """
    return {
        key: owner
        for session, held in said.items()
        for key, owner in _repeating_replies_in(session, held, erased).items()
    }


@dataclass
class _PromptWindow:
    """The words of recent messages that a prompt still holds as a conversation goes on."""

    position: int = 0
    until: dict[str, int] = field(default_factory=dict)

    def say(self, words: Iterable[str]) -> None:
        # One more than the window: between it and the reply stands the question.
        self.until |= dict.fromkeys(words, self.position + RECENT_MESSAGES + 1)

    def shared(self, words: Words, *, has_summary: bool) -> Words:
        since = 0 if has_summary else self.position
        return frozenset(word for word in words if self.until.get(word, -1) >= since)


def _repeating_replies_in(session_id: UUID, said: Mapping[int, Words], erased: Collection[UUID]) -> dict[UUID, UUID]:
    """The replies of one conversation that repeat the words, or repeat a reply that does.

    A redacted message is not counted as distance, because it may have been redacted when a reply was made. An answer
    and the one that it replaced count once.
    """
    found: dict[UUID, UUID] = {}
    reach, waiting, summarised = _PromptWindow(), sorted(said), _replies_given_summaries(session_id)
    last = 0
    rows = ConversationEvent.objects.filter(session_id=session_id, seq__gt=waiting[0], redacted_at=None)
    for key, owner, seq, role, content in rows.order_by("seq").values_list("pk", "user_id", "seq", "role", "content"):
        while waiting and waiting[0] < seq:
            reach.say(said[waiting.pop(0)])
        reach.position += seq != last
        last = seq
        if key in erased or role != ConversationEvent.Role.ASSISTANT:
            continue
        if shared := reach.shared(index_words([text_of(content)]), has_summary=key in summarised):
            found[key] = owner
            reach.say(shared)
    return found


def _replies_given_summaries(session_id: UUID) -> set[UUID]:
    """The replies of a conversation whose prompt held a summary of it, as far as the role may see their receipts."""
    receipts = Receipt.objects.filter(session_id=session_id, **{f"budget__{SHOWN}__gt": 0})
    return set(receipts.values_list("message_id", flat=True))
